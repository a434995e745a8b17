// Threads: tasks are cut by the size of the data alone, so results never depend on how many threads run them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "mercer/compiler.hpp"

namespace mercer {

using index = std::ptrdiff_t;

// Threads that n_jobs asks for: at least one, and not so many that the system runs out of them.
inline int thread_count(int n_jobs) { return std::min(std::max(n_jobs, 1), 256); }

// Calls task(t) once for each t in [0, n_tasks), on at most n_jobs threads; the first exception is passed on.
template <class Task>
void parallel_for(index n_tasks, int n_jobs, Task&& task) {
    const index n_threads = std::min<index>(thread_count(n_jobs), n_tasks);
    if (n_threads <= 1) {
        for (index t = 0; t < n_tasks; ++t) task(t);
        return;
    }
    std::atomic<index> next{0};
    std::exception_ptr failure;
    std::mutex guard;
    auto work = [&] {
        try {
            for (index t = next++; t < n_tasks; t = next++) task(t);
        } catch (...) {
            std::lock_guard<std::mutex> lock(guard);
            if (!failure) failure = std::current_exception();
            next = n_tasks;
        }
    };
    std::vector<std::thread> threads;
    try {
        threads.reserve(static_cast<std::size_t>(n_threads - 1));
        for (index i = 1; i < n_threads; ++i) threads.emplace_back(work);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no more threads; those there are do the work
    }
    work();
    for (auto& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

// Rows [begin, end) of segment s when n rows are cut into pieces of `size`.
struct Segments {
    index rows, size;
    index count() const { return rows == 0 ? 0 : (rows + size - 1) / size; }
    index begin(index s) const { return s * size; }
    index end(index s) const { return std::min(rows, (s + 1) * size); }
};

}  // namespace mercer
