"""The report of a run, written again."""

from __future__ import annotations

import json
from pathlib import Path

from mercer.atomic import refuse_unwritable, write_file
from mercer.cli.console import written
from mercer.errors import BadOutput
from mercer.workbench.training.run_folder import REPORT, render_run


def write(run: Path, out: Path | None, force: bool, as_json: bool) -> None:
    """Render the result of a run; the report of the run itself is replaced, another file only with `force`."""
    own = (run if run.is_dir() else run.parent) / REPORT
    path = own if out is None else out
    if path.exists() and path.resolve() != own.resolve() and path.is_file() and not force:
        raise BadOutput(f"{path} is there already. Write elsewhere with --out, or replace it with --force.")
    page = render_run(run).encode()
    refuse_unwritable(path)
    replaced = path.exists()
    write_file(path, [page])
    if as_json:
        print(json.dumps({"report": str(path), "bytes": len(page), "replaced": replaced}, indent=2))
    else:
        print(f"Report  {written(path, replaced)}")
