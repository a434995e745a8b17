"""mercer: supervised learning on mixed tables.

The public names are listed in `__init__.pyi` and imported when they are first used, so that `import mercer` and
`mercer --help` cost next to nothing.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"
