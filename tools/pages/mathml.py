"""Mathematics as MathML, which browsers draw by themselves: no script and no font is loaded."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def _inline(writer: Any, node: Any) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: Any) -> None:
    writer.body.append(f'<div class="formula" tabindex="0">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
