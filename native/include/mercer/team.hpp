// Threads that stay between pieces of work: a tree has a hundred pieces of some ten microseconds, less than it takes to
// start a thread. A piece has as many parts as the team has members, and whoever is awake takes the next part: where
// other programs keep the cores, the caller does all of them and waits for nobody who has not begun. What a part is
// depends on its number and the size of the team; a caller whose result must not depend on the size adds up integers,
// or cuts its work by the data alone.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>

#include "mercer/parallel.hpp"

namespace mercer {

class Team {
public:
    explicit Team(int n_jobs) : calls_(std::make_shared<Calls>()) {
        try {
            for (int member = 1; member < thread_count(n_jobs); ++member, ++calls_->size)
                std::thread([calls = calls_] { calls->serve(); }).detach();
        } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no more threads; those there are do the work
        }
    }
    ~Team() { calls_->call(nullptr); }  // threads end when they wake up, and nobody waits for that
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int size() const { return calls_->size; }

    // work(part) once for each part in [0, size()), in any order; the first exception is passed on.
    void run(const std::function<void(int)>& work) {
        Calls& calls = *calls_;
        calls.failure = nullptr;
        calls.done.store(0, std::memory_order_relaxed);
        calls.take_parts(calls.call(&work));
        for (int tries = 0; calls.done.load(std::memory_order_acquire) < size(); ++tries)
            if (tries > 16 * kSpins) std::this_thread::yield();  // to others, who may keep the core for long
        if (calls.failure) std::rethrow_exception(calls.failure);
    }

    // task(t) once for each t in [0, n), in any order.
    void each(index n, const std::function<void(index)>& task) {
        std::atomic<index> next{0};
        run([&](int) {
            for (index t = next++; t < n; t = next++) task(t);
        });
    }

private:
    static constexpr int kSpins = 4000;  // looks at a flag, some ten microseconds, before a thread goes to sleep

    // What the threads share, as long as one of them is there.
    struct Calls {
        std::uint32_t call(const std::function<void(int)>* asked) {
            std::uint32_t called;
            {
                std::lock_guard<std::mutex> lock(guard);
                work = asked;
                called = call_of(turn) + 1;
                turn.store(std::uint64_t{called} << 32, std::memory_order_release);
            }
            wake.notify_all();
            return called;
        }

        void serve() {
            for (std::uint32_t seen = 0;;) {
                for (int tries = 0; tries < kSpins && call_of(turn.load(std::memory_order_acquire)) == seen; ++tries) {
                }
                {
                    std::unique_lock<std::mutex> lock(guard);
                    wake.wait(lock, [&] { return call_of(turn) != seen; });
                    seen = call_of(turn);
                    if (!work) return;
                }
                take_parts(seen);
            }
        }

        // The parts of a call that nobody has taken. The caller waits for those taken, so that its work is there.
        void take_parts(std::uint32_t called) {
            for (std::uint64_t now = turn.load(std::memory_order_acquire);;) {
                const auto part = static_cast<std::uint32_t>(now);
                if (call_of(now) != called || part >= static_cast<std::uint32_t>(size)) return;
                if (!turn.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel)) continue;
                guarded(*work, static_cast<int>(part));
                done.fetch_add(1, std::memory_order_release);
                now = turn.load(std::memory_order_acquire);
            }
        }

        void guarded(const std::function<void(int)>& asked, int part) {
            try {
                asked(part);
            } catch (...) {
                std::lock_guard<std::mutex> lock(guard);
                if (!failure) failure = std::current_exception();
            }
        }

        // The number of the call, from 1 on, in the upper half, the next part in the lower: a thread that wakes up late
        // finds another call, or no part left.
        std::atomic<std::uint64_t> turn{0};
        static std::uint32_t call_of(std::uint64_t turn) { return static_cast<std::uint32_t>(turn >> 32); }

        std::mutex guard;
        std::condition_variable wake;
        std::atomic<int> done{0};
        const std::function<void(int)>* work = nullptr;
        std::exception_ptr failure;
        int size = 1;
    };

    std::shared_ptr<Calls> calls_;
};

}  // namespace mercer
