"""The folder of a run: written, whether it may be written over, read, and its report written again."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from mercer.atomic import write_file
from mercer.errors import BadFile, BadOutput
from mercer.evaluation.result import FORMAT
from mercer.report.page import render
from mercer.report.several import SEVERAL_FORMAT, render_several
from mercer.store.folder import staged_folder

REPORT, MODEL, RESULT = "report.html", "model.mercer", "result.json"
FILES = (REPORT, MODEL, RESULT)


class RunResult(ABC):
    """What a run found, as it is written into a folder: as plain data, as a report, as a model file."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything found as plain data, ready for JSON."""

    @abstractmethod
    def report(self, path: str | Path) -> Path:
        """Write the report."""

    @abstractmethod
    def save(self, path: str | Path) -> Path:
        """Write the model file."""

    def write(self, folder: str | Path, *, force: bool = False) -> Path:
        """Write report.html, model.mercer and result.json into a folder, as `mercer train` does.

        Parameters
        ----------
        folder : str or Path
            Made where it is missing; the files of an earlier run in it are replaced, and others stay.
        force : bool, default False
            Whether to replace files of these names that no run wrote.

        Returns
        -------
        folder : Path
            The folder.

        Raises
        ------
        BadOutput
            The folder cannot be written, or holds files of these names that no run wrote.
        """
        replaced_files(Path(folder), force)
        with staged_folder(Path(folder), FILES) as stage:
            self.write_files(stage)
        return Path(folder)

    def write_files(self, folder: Path) -> None:
        """Write report.html, model.mercer and result.json into a folder that is there.

        Parameters
        ----------
        folder : Path
            The folder.
        """
        text = json.dumps(self.to_dict(), indent=1, allow_nan=False, ensure_ascii=False)
        write_file(folder / RESULT, [text.encode()])
        self.report(folder / REPORT)
        self.save(folder / MODEL)


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
        found_format = f"its format is {str(found)[:60]!r}" if found else "it says nothing of its format"
        raise BadFile(f"{path} is not a result that this mercer reads: {found_format}, not {FORMAT!r}. Train again.")
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
        raise BadFile(
            f"{path} is not JSON: {error}. Name the folder of a run or its {RESULT}, or train again."
        ) from None
    if not isinstance(content, dict):
        raise BadFile(f"{path} is not a result of mercer train.")
    return content
