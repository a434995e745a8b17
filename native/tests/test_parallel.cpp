#include "mercer/parallel.hpp"

#include <chrono>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "mercer/moments.hpp"

namespace mercer {

TEST(every_task_runs_once_whatever_the_number_of_threads) {
    for (int n_jobs : {-3, 1, 2, 7, 1000}) {
        std::vector<std::atomic<int>> runs(100);
        parallel_for(100, n_jobs, [&](index t) { ++runs[static_cast<std::size_t>(t)]; });
        for (const auto& count : runs) CHECK(count == 1);
    }
    parallel_for(0, 4, [](index) { CHECK(false); });
}

TEST(an_exception_reaches_the_caller) {
    for (int n_jobs : {1, 3}) {
        bool caught = false;
        try {
            parallel_for(50, n_jobs, [](index t) {
                if (t == 17) throw std::runtime_error("task 17");
            });
        } catch (const std::runtime_error&) {
            caught = true;
        }
        CHECK(caught);
    }
}

TEST(every_part_runs_once_in_call_after_call) {
    for (int n_jobs : {1, 2, 5}) {
        Team team(n_jobs);
        for (int call = 0; call < 2000; ++call) {
            std::vector<std::atomic<int>> runs(static_cast<std::size_t>(team.size()));
            team.run([&](int part) { ++runs[static_cast<std::size_t>(part)]; });
            for (const auto& count : runs) CHECK(count == 1);
        }
    }
}

// A thread that has just found no task left of a call must not take one of the next call, which has more, for its own.
TEST(calls_of_other_sizes_follow_each_other) {
    Team team(4);
    std::vector<std::atomic<int>> runs(40);
    for (int call = 0; call < 20000; ++call) {
        const index n = 2 + call * 7 % 38;
        for (auto& count : runs) count = 0;
        team.each(n, [&](index t) { ++runs[static_cast<std::size_t>(t)]; });
        for (index t = 0; t < 40; ++t) CHECK(runs[static_cast<std::size_t>(t)] == (t < n ? 1 : 0));
    }
}

TEST(a_team_goes_on_after_an_exception) {
    Team team(3);
    for (int call = 0; call < 200; ++call) {
        bool caught = false;
        try {
            team.run([&](int part) {
                if (part == call % team.size()) throw std::runtime_error("one part");
            });
        } catch (const std::runtime_error&) {
            caught = true;
        }
        CHECK(caught);
    }
    std::atomic<int> done{0};
    team.each(1000, [&](index) { ++done; });
    CHECK(done == 1000);
}

TEST(tasks_after_a_failed_one_are_left_out) {
    for (int n_jobs : {1, 2, 4}) {
        Team team(n_jobs);
        std::atomic<int> begun{0};
        bool caught = false;
        try {
            team.each(1000000, [&](index) {
                if (++begun > 10) throw std::runtime_error("enough");
            });
        } catch (const std::runtime_error&) {
            caught = true;
        }
        CHECK(caught && begun < 100000);
    }
}

// Many short calls beside busy threads, as on a machine that others use: whoever is awake does the work, and a call
// returns only when all of it is done.
TEST(calls_are_whole_whoever_is_awake) {
    std::atomic<bool> stop{false};
    std::vector<std::thread> others;
    for (int k = 0; k < 4; ++k)
        others.emplace_back([&] {
            while (!stop) {
            }
        });
    for (int round = 0; round < 20; ++round) {
        Team team(3);
        std::vector<index> sums(64);
        for (int call = 0; call < 50; ++call)
            team.each(64, [&](index t) { sums[static_cast<std::size_t>(t)] += t; });  // unguarded: tasks are apart
        for (index t = 0; t < 64; ++t) CHECK(sums[static_cast<std::size_t>(t)] == 50 * t);
    }
    stop = true;
    for (auto& other : others) other.join();
}

TEST(a_caller_that_waits_long_is_woken) {
    Team team(2);
    std::atomic<int> slept{0};
    for (int call = 0; call < 3; ++call)
        team.each(2, [&](index) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            ++slept;
        });
    CHECK(slept == 6);
}

TEST(segments_cover_the_rows) {
    const Segments segments{1000, 64};
    index next = 0;
    for (index s = 0; s < segments.count(); ++s) {
        CHECK(segments.begin(s) == next);
        next = segments.end(s);
    }
    CHECK(next == 1000);
    CHECK((Segments{0, 64}).count() == 0);
}

// Sums of segments are merged in one order: the last bit does not depend on the threads.
TEST(a_reduction_is_deterministic) {
    constexpr index n = 100001, d = 3;
    std::vector<double> x(n * d);
    std::vector<int> classes(n);
    for (index i = 0; i < n * d; ++i) x[i] = std::sin(static_cast<double>(i)) * 1e3 + 1e6;
    for (index i = 0; i < n; ++i) classes[i] = static_cast<int>(i * 7 % 4);
    const Matrix<double> rows{x.data(), n, d, d, 1};
    const Moments one = class_moments(rows, classes.data(), nullptr, 4, 1);
    for (int n_jobs : {2, 3, 8}) {
        const Moments many = class_moments(rows, classes.data(), nullptr, 4, n_jobs);
        CHECK(many.n == one.n && many.mean == one.mean && many.m2 == one.m2);
    }
    double mean = 0.0, count = 0.0;
    for (index i = 0; i < n; ++i)
        if (classes[i] == 2) mean += x[i * d + 1], ++count;
    CHECK(one.n[2 * d + 1] == count);
    CHECK(check::near(one.mean[2 * d + 1], mean / count, 1e-6));
}

}  // namespace mercer
