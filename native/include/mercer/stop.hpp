// When an iterative solver stops, why it did, and what it reports: the same for all of them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <utility>

namespace mercer {

enum class Status { converged = 0, max_iter = 1, time_limit = 2, interrupted = 3, stalled = 4 };

inline const char* name(Status status) {
    constexpr const char* names[] = {"converged", "max_iter", "time_limit", "interrupted", "stalled"};
    return names[static_cast<int>(status)];
}

struct Limits {
    double tol = 1e-3;           // largest violation of optimality that is left
    double gap_tol = 0.0;        // absolute duality gap that also stops; 0 for none
    std::int64_t max_iter = -1;  // iterations; negative for no limit
    double time_limit = 0.0;     // seconds; 0 for none

    bool used_up(std::int64_t iterations) const { return max_iter >= 0 && iterations >= max_iter; }
};

struct Report {
    double violation = 0.0, primal = 0.0, dual = 0.0, seconds = 0.0;
    std::int64_t iterations = 0;
    Status status = Status::converged;
};

// Thrown to leave work in the middle of a step.
struct Stopped : std::exception {
    explicit Stopped(Status status) : why(status) {}
    Status why;
};

// Asked now and then by work that may take long, from any of its threads. `poll` throws when the user interrupts
// (Ctrl-C), on the thread that made the call; its exception passes through, and the other threads are told.
class StopToken {
public:
    StopToken() = default;
    explicit StopToken(std::function<void()> poll, double time_limit = 0.0)
        : poll_(std::move(poll)), time_limit_(time_limit) {}

    bool interrupted() {
        if (raised_) return true;
        if (!poll_) return false;
        try {
            poll_();
        } catch (...) {
            raised_ = true;
            throw;
        }
        return raised_;
    }

    // Status::converged while the work may go on.
    Status operator()() {
        if (interrupted()) return Status::interrupted;
        return time_limit_ > 0.0 && elapsed() > time_limit_ ? Status::time_limit : Status::converged;
    }

    double elapsed() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }

private:
    std::function<void()> poll_;
    double time_limit_ = 0.0;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    std::atomic<bool> raised_{false};
};

}  // namespace mercer
