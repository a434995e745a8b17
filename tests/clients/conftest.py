"""The few rows of these tests need no compiler: shap's takes 20 s for its first explanation."""

import os

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
