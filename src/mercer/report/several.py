"""The report of several targets: an overview, then the report of each, on one page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from mercer.formatting import short
from mercer.report import sentences
from mercer.report.page import environment, policy, render, stylesheet

SEVERAL_FORMAT = "mercer results 1"
_MAIN = re.compile(r"<main>(.*)</main>", re.DOTALL)
_NAMES = re.compile(r'(<[^<>]*\s)(id|for|aria-labelledby|aria-describedby)="([^"]+)"')

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TargetPart:
    """One target: its line of the overview, and the sections of its report."""

    anchor: str
    name: str
    task: str
    best: str
    metric: str
    score: str
    interval: str
    baseline: str
    headline: str
    sections: Markup


def render_several(result: Data) -> str:
    """One self-contained page.

    Parameters
    ----------
    result : dict
        From `TrainResults.to_dict`, or read back from result.json.

    Returns
    -------
    str
        HTML.
    """
    parts = [_part(one, f"target-{i}") for i, one in enumerate(result["targets"], 1)]
    first = result["targets"][0]
    template = environment().get_template("several.html")
    return template.render(
        r=first, parts=parts, style=Markup(stylesheet()), policy=policy(None), command=result["command"]
    )


def _part(result: Data, anchor: str) -> TargetPart:
    best, key, where = sentences.kept(result), result["metric"]["key"], result["headline"]
    score = best[where].get(key, {})
    base: Data = next((e[where] for e in result["leaderboard"] if e["is_baseline"] and not e["error"]), {})
    return TargetPart(
        anchor=anchor,
        name=result["target"]["name"],
        task=result["task"],
        best=best["title"],
        metric=result["metric"]["title"],
        score=sentences.figure(key, score.get("value")),
        interval=sentences.interval(key, score),
        baseline=sentences.figure(key, base.get(key, {}).get("value")),
        headline=sentences.headline(result),
        sections=_sections(render(result), anchor, short(result["target"]["name"])),
    )


def _sections(page: str, anchor: str, name: str) -> Markup:
    """The main part of a page, its names made the target's own, its headings one level lower."""
    found = _MAIN.search(page)
    assert found is not None
    text = _NAMES.sub(lambda m: f'{m[1]}{m[2]}="{anchor}-{m[3]}"', found[1])
    text = text.replace('aria-label="The answer"', f'aria-label="The answer for {escape(name)}"')
    for level in (4, 3, 2):
        text = re.sub(rf"<(/?)h{level}\b", rf"<\1h{level + 1}", text)
    return Markup(text)
