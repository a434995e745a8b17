"""scikit-learn's callbacks (from its version 1.9 on): told of the beginning of a fit, of each step and of the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mercer.errors import BadEnvironment

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before 1.9
    CallbackSupportMixin = with_callbacks = None

Tell = Callable[[dict[str, Any]], None]  # fitted attributes after a step


def keep_callbacks(model: Any, callbacks: tuple[Any, ...]) -> None:
    """What `set_callbacks` does; BadEnvironment before scikit-learn had any, TypeError for what is no callback."""
    if CallbackSupportMixin is None:
        raise BadEnvironment("Callbacks need scikit-learn 1.9 or later.")
    CallbackSupportMixin.set_callbacks(model, *callbacks)


@contextmanager
def fit_steps(model: Any, X: Any, y: Any, max_iter: int) -> Iterator[Tell | None]:
    """Within it, a fit: what to call after each step, or None when there is nobody to tell.

    As scikit-learn's L-BFGS does, there is always one step at least, and after the last an empty one.
    """
    if not getattr(model, "_skl_callbacks", None):
        yield None
        return
    fit = CallbackSupportMixin._init_callback_context(model, max_subtasks=max(max_iter, 1) + 1)
    rows = {"estimator": model, "X": X, "y": y}
    try:
        fit.call_on_fit_task_begin(**rows)
        steps = [fit.subcontext(task_name="iteration").call_on_fit_task_begin(**rows)]

        def tell(attributes: dict[str, Any]) -> None:
            steps[-1].call_on_fit_task_end(**rows, reconstruction_attributes=attributes)
            step = fit.subcontext(task_name="iteration")
            steps.append(step.call_on_fit_task_begin(**rows, reconstruction_attributes=attributes))

        yield tell
        if len(steps) == 1:
            tell({})
        steps[-1].call_on_fit_task_end(estimator=model)
        fit.call_on_fit_task_end(**rows, reconstruction_attributes={})
    finally:
        with_callbacks(lambda model: None)(model)  # whatever method it is given, it tears down after it
