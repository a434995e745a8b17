// The GIL, given up while native code works and taken back, also when Python ends meanwhile.
//
// A process may exit while another thread is inside a native call: a daemon thread, or one whose join() Ctrl-C broke.
// Python then drops the frames of that thread, and with them the arrays that the call reads; and before Python 3.14 a
// thread that asks an ending interpreter for the GIL is unwound by pthread_exit, which ends in std::terminate on the
// way through C++. So an exit handler (mercer/_core/select.py) first asks the running calls to stop, and waits for
// them.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace mercer::bind {

inline std::atomic<bool> exiting{false};
inline std::thread::id exiting_thread;  // its own calls, from other exit handlers, go on
inline std::atomic<int> running_calls{0};

inline bool must_stop() { return exiting && std::this_thread::get_id() != exiting_thread; }

// SystemExit ends a thread of Python without a word.
inline void expect_no_exit() {
    if (!must_stop()) return;
    PyErr_SetNone(PyExc_SystemExit);
    throw nanobind::python_error();
}

// Calls `take`, which asks for the GIL; does not come back when the interpreter is already gone.
template <class Take>
auto take_gil(Take take) {
    try {
        return take();
    } catch (...) {  // pthread_exit, which may not be stopped: wait here until the process is gone
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
}

class ReleasedGil {
public:
    ReleasedGil() {
        expect_no_exit();
        ++running_calls;
        state_ = PyEval_SaveThread();
    }
    ~ReleasedGil() {
        take_gil([this] { PyEval_RestoreThread(state_); });
        --running_calls;
    }
    ReleasedGil(const ReleasedGil&) = delete;
    ReleasedGil& operator=(const ReleasedGil&) = delete;

private:
    PyThreadState* state_;
};

// Inside a ReleasedGil, on the thread that made it.
class TakenGil {
public:
    TakenGil() : state_(take_gil([] { return PyGILState_Ensure(); })) {}
    ~TakenGil() { PyGILState_Release(state_); }
    TakenGil(const TakenGil&) = delete;
    TakenGil& operator=(const TakenGil&) = delete;

private:
    PyGILState_STATE state_;
};

// Asks running calls to stop, refuses new ones, and waits; a call that cannot be asked is not waited for longer.
inline void stop_running_calls(double seconds) {
    exiting_thread = std::this_thread::get_id();
    exiting = true;
    PyThreadState* state = PyEval_SaveThread();
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (running_calls > 0 && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    PyEval_RestoreThread(state);
}

// The threads of running calls do not come along into a forked child.
inline void forget_running_calls() { running_calls = 0; }

}  // namespace mercer::bind
