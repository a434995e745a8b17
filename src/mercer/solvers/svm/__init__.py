"""Duals of support vector machines: decomposition (SMO), coordinate descent, Newton, and the path over costs."""
