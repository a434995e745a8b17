"""A public name as code on a page, such as `SVC` or `mercer.train(...)`, is a link to its page."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from tools.pages import api

_CALL = re.compile(r"(?:mercer\.)?([A-Za-z_][\w.]*)(?:\(.*\))?$")


def targets() -> dict[str, str]:
    """The full name of every public name by its own name; names that two modules have are left to their full names."""
    full = [name for group in api.groups() for name in group.names]
    short: dict[str, list[str]] = {}
    for name in full:
        short.setdefault(name.split(".")[-1], []).append(name)
    unique = {own: names[0] for own, names in short.items() if len(names) == 1 or names[0].count(".") == 1}
    return {**unique, **{name.removeprefix("mercer."): name for name in full}}


class CodeLinks(SphinxPostTransform):
    """Code outside of links and headings that is a public name, or a call of one."""

    default_priority = 400

    def run(self, **kwargs: Any) -> None:
        page, known = self.env.docname, self.env.code_link_targets  # type: ignore[attr-defined]
        for code in list(self.document.findall(nodes.literal)):
            found = _CALL.match(code.astext())
            name = known.get(found.group(1)) if found else None
            inside = isinstance(code.parent, nodes.reference | nodes.title | addnodes.desc_signature)
            if name is None or inside or page == f"reference/api/{name}":
                continue
            address = self.app.builder.get_relative_uri(page, f"reference/api/{name}")
            link = nodes.reference("", "", internal=True, refuri=address)
            code.replace_self(link)
            link += code


def setup(app: Any) -> dict[str, bool]:
    def remember(app: Any) -> None:
        app.env.code_link_targets = targets()

    app.connect("builder-inited", remember)
    app.add_post_transform(CodeLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
