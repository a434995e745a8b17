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


# From Python 3.13 on an exit waits for a thread that is no daemon; until then Ctrl-C in join() makes Python forget it.
THREADS = [True] if sys.version_info >= (3, 13) else [False, True]


def test_exit_during_a_fit_in_another_thread() -> None:
    """Side by side, as each of the programs waits for seconds."""
    cases = [(daemon, code) for daemon in THREADS for code in (0, 130)]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", f"DAEMON, CODE = {daemon}, {code}\n{PROGRAM}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for daemon, code in cases
    ]  # fmt: skip
    told = [process.communicate(timeout=300) for process in running]
    ends = [(process.returncode, *texts) for process, texts in zip(running, told, strict=True)]
    assert dict(zip(cases, ends, strict=True)) == {case: (case[1], "caught\n", "") for case in cases}


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
