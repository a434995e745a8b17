// Threads that stay between pieces of work: a tree has a hundred pieces of some ten microseconds, less than it takes to
// start a thread. What each member does depends on its number and the size of the team; a caller whose result must not
// depend on the size adds up integers, or cuts its work by the data alone.
#pragma once

#include <condition_variable>
#include <functional>

#include "mercer/parallel.hpp"

namespace mercer {

class Team {
public:
    explicit Team(int n_jobs) {
        try {
            for (int member = 1; member < thread_count(n_jobs); ++member)
                threads_.emplace_back([this, member] { serve(member); });
        } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no more threads; those there are do the work
        }
    }
    ~Team() {
        call(nullptr);
        for (auto& thread : threads_) thread.join();
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int size() const { return static_cast<int>(threads_.size()) + 1; }

    // work(member) once for each member in [0, size()), the caller being number 0; the first exception is passed on.
    void run(const std::function<void(int)>& work) {
        failure_ = nullptr;
        pending_ = size() - 1;
        call(&work);
        guarded(work, 0);
        for (int tries = 0; pending_.load(std::memory_order_acquire) > 0; ++tries)
            if (tries > kSpins) std::this_thread::yield();
        if (failure_) std::rethrow_exception(failure_);
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

    void call(const std::function<void(int)>* work) {
        {
            std::lock_guard<std::mutex> lock(guard_);
            work_ = work;
            ++calls_;
        }
        wake_.notify_all();
    }

    void serve(int member) {
        for (unsigned seen = 0;;) {
            for (int tries = 0; tries < kSpins && calls_.load(std::memory_order_acquire) == seen; ++tries) {
            }
            if (calls_.load(std::memory_order_acquire) == seen) {
                std::unique_lock<std::mutex> lock(guard_);
                wake_.wait(lock, [&] { return calls_ != seen; });
            }
            ++seen;
            const std::function<void(int)>* work;
            {
                std::lock_guard<std::mutex> lock(guard_);
                work = work_;
            }
            if (!work) return;
            guarded(*work, member);
            pending_.fetch_sub(1, std::memory_order_release);
        }
    }

    void guarded(const std::function<void(int)>& work, int member) {
        try {
            work(member);
        } catch (...) {
            std::lock_guard<std::mutex> lock(guard_);
            if (!failure_) failure_ = std::current_exception();
        }
    }

    std::vector<std::thread> threads_;
    std::mutex guard_;
    std::condition_variable wake_;
    std::atomic<unsigned> calls_{0};
    std::atomic<int> pending_{0};
    const std::function<void(int)>* work_ = nullptr;
    std::exception_ptr failure_;
};

}  // namespace mercer
