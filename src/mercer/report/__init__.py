"""A result as one self-contained page.

`page.render` takes a result (`Comparison.to_dict`, or result.json read back) and fills templates/page.html:
`sentences` (headline, verdict, cautions), `dot_plots` (leaderboard and importance), `confusion`, `figures` (drawn by
`plots` with `svg`), and `explanations`: a section per learner, whose details are shown by the template
explanations/FAMILY.html when there is one.
"""
