"""Bipartite matching: every expected item its own actual one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable


def assign(left: int, right: int, fits: Callable[[int, int], bool]) -> list[int] | None:
    """For each of `left` items the index (from 0) of its own among `right` items that fits, or None if there is no such choice.

    Augmenting paths found breadth first, without recursion, so that long lists do not end at a recursion limit.
    """
    taken: dict[int, int] = {}
    for start in range(left):
        came_from: dict[int, tuple[int, int | None]] = {}  # right item -> (left item, right item which that one gives up)
        queue: deque[tuple[int, int | None]] = deque([(start, None)])
        end = None
        while queue and end is None:
            item, given_up = queue.popleft()
            for candidate in range(right):
                if candidate in came_from or not fits(item, candidate):
                    continue
                came_from[candidate] = (item, given_up)
                if candidate not in taken:
                    end = candidate
                    break
                queue.append((taken[candidate], candidate))
        if end is None:
            return None
        step: int | None = end
        while step is not None:
            taken[step], step = came_from[step]
    owner = {item: candidate for candidate, item in taken.items()}
    return [owner[item] for item in range(left)]
