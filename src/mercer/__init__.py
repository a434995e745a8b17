"""mercer: supervised learning on mixed tables.

The public names are listed in `__init__.pyi` and imported when they are first used, so that `import mercer` and
`mercer --help` cost next to nothing.
"""

import lazy_loader

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """A public name; one that is not there is looked for on the shelves of parts: RBF is mercer.kernels.RBF."""
    try:
        return _public(name)
    except AttributeError as error:
        error.args = (f"module 'mercer' has no attribute {name!r}.{_hint(name)}",)
        raise


def _hint(name: str) -> str:
    if name.startswith("_"):  # tools ask for such
        return ""
    for shelf in ("kernels", "distances", "likelihoods", "encode", "plot", "errors"):
        if name in dir(_public(shelf)):
            return f" Did you mean mercer.{shelf}.{name}?"
    return " " + _public("errors").did_you_mean(name, __all__)
