"""A process that ends while another of its threads is inside native code ends by itself, not by a signal."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mercer._core.select import native

pytestmark = pytest.mark.skipif(native is None, reason="nothing is compiled")

# `slow` keeps the interpreter in its last phase for seconds, while the fit goes on asking for the GIL.
PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
import mercer

class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(2)

slow = Slow()
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X, y = rng.normal(size=(20_000, 10)), rng.integers(0, 2, 20_000)
mercer.SVC().fit(X[:50], y[:50])  # everything is imported, polars too, after which join() is not interrupted
signal.siginterrupt(signal.SIGINT, True)
thread = threading.Thread(target=lambda: mercer.SVC(C=1e4, tol=1e-9).fit(X, y), daemon=DAEMON)
thread.start()
time.sleep(1)
threading.Timer(0.3, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
try:
    thread.join()
except KeyboardInterrupt:
    print("caught", flush=True)
    sys.exit(CODE)
"""


@pytest.mark.parametrize("daemon", [False, True])
@pytest.mark.parametrize("code", [0, 130])
def test_exit_during_a_fit_in_another_thread(daemon: bool, code: int) -> None:
    if sys.version_info >= (3, 13) and not daemon:
        pytest.skip("such an exit waits for the thread")  # before, Ctrl-C in join() made Python forget the thread
    program = f"DAEMON, CODE = {daemon}, {code}\n{PROGRAM}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (code, "caught\n", "")


FORKS = """
thread.start()
time.sleep(1)
child = os.fork()
if child == 0:
    start = time.monotonic()
    mercer._core.select.native._stop_running_calls(200.0)
    os._exit(int(time.monotonic() - start > 100))
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_does_not_wait_for_the_calls_of_its_parent() -> None:
    program = "DAEMON = True\n" + PROGRAM.partition("thread.start()")[0] + FORKS
    done = subprocess.run([sys.executable, "-c", program], check=False, timeout=400)
    assert done.returncode == 0
