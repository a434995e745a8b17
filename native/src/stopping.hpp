// Limits, interrupts and reports of native solvers, as Python gives and gets them.
#pragma once

#include <nanobind/stl/tuple.h>

#include <thread>
#include <tuple>

#include "array.hpp"
#include "mercer/stop.hpp"

namespace mercer::bind {

// Made by the thread that holds the call, without the GIL held later: throws what Ctrl-C raised, looking at most every
// tenth of a second, and SystemExit once Python exits. Other threads may call it too and get nothing. Signals come to
// the main thread alone; what was raised in this one from outside (PyThreadState_SetAsyncExc) comes up when it runs
// Python.
inline std::function<void()> interrupts() {
    auto next = std::make_shared<std::chrono::steady_clock::time_point>();
    return [next, caller = std::this_thread::get_id()] {
        if (std::this_thread::get_id() != caller) return;
        const auto now = std::chrono::steady_clock::now();
        if (now < *next && !must_stop()) return;
        *next = now + std::chrono::milliseconds(100);
        const TakenGil gil;
        expect_no_exit();
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        nb::module_::import_("mercer._core.stopping").attr("look_around")();
    };
}

inline Limits limits_of(nb::handle from) {
    return {field<double>(from, "tol"), field<double>(from, "gap_tol"), field<std::int64_t>(from, "max_iter"),
            field<double>(from, "time_limit")};
}

// The fields of mercer._core.stopping.Report, in its order.
using ReportTuple = std::tuple<double, double, double, std::int64_t, double, const char*>;

inline ReportTuple as_tuple(const Report& report) {
    return {report.primal, report.dual, report.violation, report.iterations, report.seconds, name(report.status)};
}

}  // namespace mercer::bind
