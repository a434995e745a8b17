"""The result of a contest as one HTML page."""

from __future__ import annotations

from html import escape
from typing import Any


def render(result: dict[str, Any]) -> str:
    """One self-contained page from `Contest.to_dict()`: no network, no script."""
    return f"<!doctype html><html lang='en'><title>{escape(str(result['target']['name']))}</title></html>"
