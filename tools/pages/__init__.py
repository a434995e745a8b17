"""Pages of the site that are written from the code and from other files when the site is built.

`written` puts them into docs/reference; `api`, `commands`, `model_file`, `sections` and `examples` say
what is in them.
`docstring_markup`, `code_links` and `mathml` are small extensions of Sphinx that the other pages use too.
"""
