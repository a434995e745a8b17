// Ctrl-C during long native work.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace mercer::bind {

// Made by the thread that holds the call, without the GIL held later: throws what Ctrl-C raised, looking at most every tenth of a
// second. Other threads may call it too and get nothing.
inline std::function<void()> interrupts() {
    auto next = std::make_shared<std::chrono::steady_clock::time_point>();
    return [next, caller = std::this_thread::get_id()] {
        if (std::this_thread::get_id() != caller) return;
        const auto now = std::chrono::steady_clock::now();
        if (now < *next) return;
        *next = now + std::chrono::milliseconds(100);
        nanobind::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    };
}

}  // namespace mercer::bind
