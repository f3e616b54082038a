"""Run as a program: ingests one file in a process of its own, which may kill itself at a step of the ingest.

Arguments: data directory, URL of the catalogue, file, the step at which to kill itself ("" for none), how many calls of that
step to let pass.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from indexer.catalog import Catalog
from indexer.ingest import ingest_file


def main(root: Path, url: str, file: Path, deadly_step: str, let_pass: int) -> None:
    passed = 0

    def checkpoint(step: str) -> None:
        nonlocal passed
        if step == deadly_step:
            if passed == let_pass:
                os.kill(os.getpid(), signal.SIGKILL)
            passed += 1

    catalog = Catalog.open(url, root)
    report = ingest_file(
        catalog, file, tenant="nord", access_level="controlling", create_tenant=True, by="anna", checkpoint=checkpoint
    )
    print(report.version.version_id, report.already_there)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
