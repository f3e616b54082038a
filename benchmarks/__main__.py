"""`python -m benchmarks`: every measurement in turn."""

from __future__ import annotations

from benchmarks import reading

if __name__ == "__main__":
    reading.run()
