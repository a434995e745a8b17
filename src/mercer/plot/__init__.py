"""Pictures with matplotlib: one function each, which draws on the axes given (`ax=`) or on new ones and returns them.

Colours can be told apart by the colour-blind, and lines, markers and hatches without colours. matplotlib is imported
when a picture is drawn; it comes with `pip install mercer[plot]`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
