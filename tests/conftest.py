"""Hypothesis without a time limit for one example: machines that run the tests are shared."""

from hypothesis import settings

settings.register_profile("mercer", deadline=None, max_examples=50)
settings.load_profile("mercer")
