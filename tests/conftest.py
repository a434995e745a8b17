"""Settings of every test: Hypothesis without a time limit for one example (machines that run the tests are shared), and
Ctrl-C in force, which a shell takes from what it starts in the background.
"""

import signal

from hypothesis import settings

settings.register_profile("mercer", deadline=None, max_examples=50)
settings.load_profile("mercer")
signal.signal(signal.SIGINT, signal.default_int_handler)
