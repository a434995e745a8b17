"""The folder of a run: what it holds, whether it may be written over, and its report written again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mercer.errors import BadFile, BadOutput
from mercer.evaluation.result import FORMAT
from mercer.report.page import render
from mercer.report.several import SEVERAL_FORMAT, render_several

REPORT, MODEL, RESULT = "report.html", "model.mercer", "result.json"
FILES = (REPORT, MODEL, RESULT)


def replaced_files(folder: Path, force: bool = False) -> list[str]:
    """Names of the files that a new run in this folder replaces; other files stay as they are.

    Parameters
    ----------
    folder : Path
        Where report.html, model.mercer and result.json are to be written.
    force : bool, default False
        Whether files of these names may be replaced that no earlier run wrote.

    Returns
    -------
    names : list of str
        None where there is no such folder, or none of the files.

    Raises
    ------
    BadOutput
        The files are not those of a run.
    """
    found = [name for name in FILES if (folder / name).is_file()]
    if found and not force and not _is_run(folder):
        raise BadOutput(
            f"{folder} holds {', '.join(found)}, which no run of mercer train wrote. Write elsewhere with --out, or "
            "replace them with --force."
        )
    return found


def _is_run(folder: Path) -> bool:
    try:
        return str(_content(folder / RESULT).get("format", "")).startswith(FORMAT.rpartition(" ")[0])
    except BadFile:
        return False


def read_run(run: Path) -> dict[str, Any]:
    """The result of a run, from its folder or its result.json.

    Parameters
    ----------
    run : Path
        A folder that `mercer train` wrote, or the result.json in it.

    Returns
    -------
    result : dict
        As `TrainResult.to_dict` gives it, or `TrainResults.to_dict` of several targets.

    Raises
    ------
    BadFile
        There is no result.json, or it is of another format.
    """
    path = run / RESULT if run.is_dir() else run
    if not path.is_file():
        what = f"{run} holds no {RESULT}" if run.is_dir() else f"There is no file or folder {run}"
        raise BadFile(f"{what}. Name a folder that mercer train wrote, or the {RESULT} in it.")
    content = _content(path)
    found = content.get("format")
    if found not in (FORMAT, SEVERAL_FORMAT):
        told = f"its format is {str(found)[:60]!r}" if found else "it says nothing of its format"
        raise BadFile(f"{path} is not a result that this mercer reads: {told}, not {FORMAT!r}. Train again.")
    return content


def render_run(run: Path) -> str:
    """The report of a run, as HTML."""
    result = read_run(run)
    try:
        return render_several(result) if result["format"] == SEVERAL_FORMAT else render(result)
    except Exception as error:  # the content comes from the file: whatever it breaks, the file is at fault
        raise BadFile(f"The {RESULT} of {run} has been changed: {error!r}. Train again.") from error


def _content(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise BadFile(f"{path} is not JSON: {error}. Train again.") from None
    if not isinstance(content, dict):
        raise BadFile(f"{path} is not a result of mercer train.")
    return content
