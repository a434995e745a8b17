// Threads. Tasks are cut by the size of the data alone, so results never depend on how many threads run them, nor on
// which. Whoever is awake takes the next task: where other programs keep the cores, the caller does all of them and
// waits for nobody who has not begun.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "mercer/compiler.hpp"

namespace mercer {

using index = std::ptrdiff_t;

// Threads that n_jobs asks for: at least one, and not so many that the system runs out of them.
inline int thread_count(int n_jobs) { return std::min(std::max(n_jobs, 1), 256); }

// The caller and n_jobs - 1 threads that stay between calls, which may be some ten microseconds of work, less than it
// takes to start a thread. They start with the first call that has tasks for them. One call at a time: a task does not
// call its own team.
class Team {
public:
    explicit Team(int n_jobs) : size_(thread_count(n_jobs)) {}
    ~Team() {
        if (calls_) calls_->call(nullptr, 0);  // threads end when they wake up, and nobody waits for that
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int size() const { return size_; }

    // task(t) once for each t in [0, n), n < 2^32, taken in this order. The first exception is passed on; tasks that
    // nobody has taken by then are left out.
    template <class Task>
    void each(index n, Task&& task) {
        if (n <= 1 || size_ == 1) {
            for (index t = 0; t < n; ++t) task(t);
            return;
        }
        start(std::min<index>(size_, n) - 1);
        const std::function<void(index)> work = std::ref(task);
        calls_->take_tasks(calls_->call(&work, static_cast<std::uint32_t>(n)));
        calls_->wait();
    }

    // work(part) once for each part in [0, size()). A caller whose result must not depend on the size adds up integers,
    // or cuts its work by the data alone.
    template <class Work>
    void run(Work&& work) {
        each(size_, [&](index part) { work(static_cast<int>(part)); });
    }

private:
    static constexpr int kSpins = 4000;  // looks at a flag, some ten microseconds, before a thread goes to sleep

    // What the threads share, as long as one of them is there.
    class Calls {
    public:
        std::uint32_t call(const std::function<void(index)>* work, std::uint32_t n) {
            std::uint32_t called;
            {
                std::lock_guard<std::mutex> lock(guard_);
                work_ = work;
                failure_ = nullptr;
                done_.store(0, std::memory_order_relaxed);
                n_.store(n, std::memory_order_relaxed);
                called = call_of(turn_) + 1;
                turn_.store(turn(called, n), std::memory_order_release);
            }
            wake_.notify_all();
            return called;
        }

        // The tasks of a call that nobody has taken. The caller waits for those taken, so that its work is there.
        void take_tasks(std::uint32_t called) {
            for (std::uint64_t now = turn_.load(std::memory_order_acquire);;) {
                if (call_of(now) != called || left_of(now) == 0) return;
                if (!turn_.compare_exchange_weak(now, now - 1, std::memory_order_acq_rel)) continue;
                finish(1 + guarded(n_.load(std::memory_order_relaxed) - left_of(now)));
                now = turn_.load(std::memory_order_acquire);
            }
        }

        void wait() {
            for (int tries = 0; tries < 4 * kSpins && !finished(); ++tries) {
            }
            if (!finished()) {
                std::unique_lock<std::mutex> lock(guard_);
                ended_.wait(lock, [&] { return finished(); });
            }
            if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        }

        void serve() {
            for (std::uint32_t seen = 0;;) {
                for (int tries = 0; tries < kSpins && call_of(turn_.load(std::memory_order_acquire)) == seen; ++tries) {
                }
                {
                    std::unique_lock<std::mutex> lock(guard_);
                    wake_.wait(lock, [&] { return call_of(turn_) != seen; });
                    seen = call_of(turn_);
                    if (!work_) return;
                }
                take_tasks(seen);
            }
        }

    private:
        // The number of the call, from 1 on, in the upper half, how many tasks are left in the lower: a thread that
        // wakes up late finds another call, or none left. That none is left shows without n_, which may be the next
        // call's.
        std::atomic<std::uint64_t> turn_{0};
        static std::uint64_t turn(std::uint32_t call, std::uint32_t left) { return std::uint64_t{call} << 32 | left; }
        static std::uint32_t call_of(std::uint64_t turn) { return static_cast<std::uint32_t>(turn >> 32); }
        static std::uint32_t left_of(std::uint64_t turn) { return static_cast<std::uint32_t>(turn); }

        std::atomic<std::uint32_t> n_{0}, done_{0};
        std::mutex guard_;
        std::condition_variable wake_, ended_;
        const std::function<void(index)>* work_ = nullptr;
        std::exception_ptr failure_;

        bool finished() const { return done_.load(std::memory_order_acquire) == n_.load(std::memory_order_relaxed); }

        // How many tasks are left out because this one failed.
        std::uint32_t guarded(std::uint32_t task) {
            try {
                (*work_)(static_cast<index>(task));
                return 0;
            } catch (...) {
                std::lock_guard<std::mutex> lock(guard_);
                if (!failure_) failure_ = std::current_exception();
                return left_of(turn_.exchange(turn(call_of(turn_), 0), std::memory_order_acq_rel));
            }
        }

        void finish(std::uint32_t count) {
            const std::uint32_t n = n_.load(std::memory_order_relaxed);  // now: after the last task comes another call
            if (done_.fetch_add(count, std::memory_order_acq_rel) + count < n) return;
            const std::lock_guard<std::mutex> lock(guard_);  // the caller is asleep, or has seen that this is the end
            ended_.notify_one();
        }
    };

    int size_;
    index started_ = 0;
    std::shared_ptr<Calls> calls_;

    void start(index threads) {
        if (!calls_) calls_ = std::make_shared<Calls>();
        try {
            for (; started_ < threads; ++started_) std::thread([calls = calls_] { calls->serve(); }).detach();
        } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no more threads; those there are do the work
        }
    }
};

// task(t) once for each t in [0, n_tasks) on at most n_jobs threads, as `Team::each`.
template <class Task>
void parallel_for(index n_tasks, int n_jobs, Task&& task) {
    Team(n_jobs).each(n_tasks, task);
}

// Rows [begin, end) of segment s when n rows are cut into pieces of `size`.
struct Segments {
    index rows, size;
    index count() const { return rows == 0 ? 0 : (rows + size - 1) / size; }
    index begin(index s) const { return s * size; }
    index end(index s) const { return std::min(rows, (s + 1) * size); }
};

}  // namespace mercer
