#include "mercer/smo.hpp"

#include "check.hpp"
#include "mercer/computed_rows.hpp"
#include "mercer/coordinate.hpp"
#include "mercer/crammer_singer.hpp"

#include <stdexcept>
#include <string>

namespace mercer {

namespace {

// Rows and labels of a small classification problem, as a dual with its kernel matrix.
struct Machine {
    std::vector<double> x, y, gram, lower, upper, linear, beta, f;
    index n, d;

    Machine(std::vector<double> rows, std::vector<double> labels, index columns, double cost)
        : x(std::move(rows)), y(std::move(labels)), n(static_cast<index>(y.size())), d(columns) {
        for (index i = 0; i < n; ++i) {
            lower.push_back(y[i] > 0 ? 0.0 : -cost);
            upper.push_back(y[i] > 0 ? cost : 0.0);
            linear.push_back(-y[i]);
            for (index j = 0; j < n; ++j) {
                double dot = 0.0;
                for (index k = 0; k < d; ++k) dot += x[i * d + k] * x[j * d + k];
                gram.push_back(dot);
            }
        }
        beta.assign(y.size(), 0.0);
        f.assign(y.size(), 0.0);
    }
    SmoProblem problem(bool equality = true) const {
        SmoProblem p;
        p.n = n;
        p.linear = linear.data();
        p.lower = lower.data();
        p.upper = upper.data();
        p.equality = equality;
        p.hinge_box = true;
        return p;
    }
    Report solve(const Limits& limits, StopToken& stop, int n_jobs = 1, index block = 0) {
        FullGram<double> kernel(gram.data(), n, n);
        Team team(n_jobs);
        return Smo<double>(problem(), kernel, limits, stop, team, block).solve(beta.data(), f.data());
    }
};

Machine overlapping(index n) {
    std::vector<double> x, y;
    for (index i = 0; i < n; ++i) {
        y.push_back(i % 2 ? 1.0 : -1.0);
        x.push_back(y.back() * 0.4 + std::sin(static_cast<double>(i) * 1.7));
        x.push_back(std::cos(static_cast<double>(i) * 2.3));
    }
    return Machine(x, y, 2, 2.0);
}

}  // namespace

// Two points at -1 and 1: w = 1, alpha = (1/2, 1/2), offset 0; primal = dual = 1/2.
TEST(two_points_have_the_known_dual) {
    Machine machine({1.0, -1.0}, {1.0, -1.0}, 1, 10.0);
    StopToken stop;
    const Report report = machine.solve({1e-9}, stop);
    CHECK(report.status == Status::converged);
    CHECK(check::near(machine.beta[0], 0.5, 1e-9) && check::near(machine.beta[1], -0.5, 1e-9));
    const SmoValues values = smo_values(machine.problem(), machine.beta.data(), machine.f.data(), 60);
    CHECK(check::near(values.primal, 0.5, 1e-9) && check::near(values.dual, 0.5, 1e-9));
    CHECK(check::near(values.bias[0], 0.0, 1e-9));
}

// With C = 1/4 both are at their bound: w = 1/2, slack 1/2 each; primal = dual = 1/8 + 1/4.
TEST(a_small_cost_keeps_both_at_their_bound) {
    Machine machine({1.0, -1.0}, {1.0, -1.0}, 1, 0.25);
    StopToken stop;
    machine.solve({1e-9}, stop);
    CHECK(machine.beta[0] == 0.25 && machine.beta[1] == -0.25);
    const SmoValues values = smo_values(machine.problem(), machine.beta.data(), machine.f.data(), 60);
    CHECK(check::near(values.primal, 0.375, 1e-9) && check::near(values.dual, 0.375, 1e-9));
}

TEST(blocks_and_threads_change_the_way_but_not_the_answer) {
    Machine whole = overlapping(120), blocks = overlapping(120), threads = overlapping(120);
    StopToken stop;
    whole.solve({1e-8}, stop);
    blocks.solve({1e-8}, stop, 1, 16);
    threads.solve({1e-8}, stop, 3, 16);
    double sum = 0.0;
    for (index i = 0; i < 120; ++i) {
        CHECK(check::near(whole.f[i], blocks.f[i], 1e-6));
        CHECK(blocks.beta[i] == threads.beta[i]);  // to the last bit
        sum += whole.beta[i];
    }
    CHECK(check::near(sum, 0.0, 1e-9));
}

// Rows that a function computes are fetched for the variables that moved alone: to the same steps.
TEST(computed_rows_and_a_matrix_in_memory_give_the_same_answer) {
    const index n = 300;
    const std::vector<double> ridge(n, 0.5);
    std::vector<std::int32_t> twice;
    for (index i = 0; i < n; ++i) twice.push_back(static_cast<std::int32_t>(i % (n / 2)));
    for (const bool ridged : {false, true})
        for (const bool grouped : {false, true}) {
            Machine machine = overlapping(n);
            SmoProblem problem = machine.problem();
            if (ridged) problem.ridge = ridge.data();
            if (grouped) {  // two variables to a kernel row, as nu-SVR has
                problem.rows = twice.data();
                problem.split = n / 2;
            }
            const index rows = grouped ? n / 2 : n;
            const DenseKernel<double> function(machine.x.data(), rows, machine.x.data(), rows, 2,
                                               {KernelKind::rbf, 0.5, 0.0, 0.0});
            std::vector<double> gram(static_cast<std::size_t>(rows * rows));
            fill_gram(function, gram.data(), rows, true, 1);
            FullGram<double> matrix(gram.data(), rows, rows);
            ComputedRows<double> computed(function, 70 * rows * sizeof(double));
            StopToken stop;
            std::vector<double> beta(n, 0.0), f(rows, 0.0), other(n, 0.0), g(rows, 0.0);
            Team one(1), two(2);
            Smo<double> first(problem, matrix, {1e-6}, stop, one, 32), second(problem, computed, {1e-6}, stop, two, 32);
            CHECK(first.solve(beta.data(), f.data()).iterations == second.solve(other.data(), g.data()).iterations);
            CHECK(beta == other && f == g);
            CHECK(computed.computed() > 0);
        }
}

TEST(rows_computed_ahead_by_other_threads_change_no_bit) {
    const index n = 1500;
    const Machine machine = overlapping(n);
    const DenseKernel<double> function(machine.x.data(), n, machine.x.data(), n, 2, {KernelKind::rbf, 8.0, 0.0, 0.0});
    std::vector<double> first(n, 0.0), f(n, 0.0);
    for (int n_jobs : {1, 2, 3}) {
        ComputedRows<double> rows(function, n * n * sizeof(double));
        StopToken stop;
        Team team(n_jobs);
        std::vector<double> beta(n, 0.0), g(n, 0.0);
        Smo<double>(machine.problem(), rows, {1e-4}, stop, team, 400).solve(beta.data(), g.data());
        if (n_jobs == 1) first = beta, f = g;
        CHECK(beta == first && g == f);
    }
    CHECK(std::any_of(first.begin(), first.end(), [](double b) { return b != 0.0; }));
}

TEST(a_solver_stopped_while_rows_are_computed_leaves_a_beta_and_its_f) {
    const index n = 400;
    Machine machine = overlapping(n);
    const DenseKernel<double> function(machine.x.data(), n, machine.x.data(), n, 2, {KernelKind::rbf, 0.5, 0.0, 0.0});
    ComputedRows<double> rows(function, 40 * n * sizeof(double));
    Team team(1);
    int looks = 0;
    StopToken stop([&] {
        if (++looks == 40) throw Stopped(Status::interrupted);
    });
    const Report report =
        Smo<double>(machine.problem(), rows, {1e-9}, stop, team, 16).solve(machine.beta.data(), machine.f.data());
    CHECK(report.status == Status::interrupted && report.iterations > 0);
    std::vector<double> gram(static_cast<std::size_t>(n * n));
    fill_gram(function, gram.data(), n, true, 1);
    for (index i = 0; i < n; ++i) {
        double sum = 0.0;
        for (index j = 0; j < n; ++j) sum += gram[i * n + j] * machine.beta[j];
        CHECK(check::near(machine.f[i], sum, 1e-9));
    }
}

TEST(a_solver_says_why_it_stopped) {
    StopToken never, late({}, 1e-12);
    CHECK(overlapping(120).solve({1e-10, 0.0, 3}, never).status == Status::max_iter);
    CHECK(overlapping(120).solve({1e-10}, late).status == Status::time_limit);
    int polls = 0;
    StopToken interrupted([&] {
        if (++polls > 1) throw std::runtime_error("Ctrl-C");
    });
    bool caught = false;
    try {
        overlapping(120).solve({1e-10}, interrupted, 1, 4);
    } catch (const std::runtime_error&) {
        caught = true;
    }
    CHECK(caught && interrupted() == Status::interrupted);
    CHECK(std::string(name(Status::stalled)) == "stalled");
}

// Without an equality constraint the same dual is solved by coordinates of dense rows, of sparse rows, and by SMO.
TEST(coordinate_descent_reaches_the_optimum_of_smo) {
    Machine machine = overlapping(60);
    StopToken stop;
    FullGram<double> kernel(machine.gram.data(), machine.n, machine.n);
    Team team(1);
    Smo<double>(machine.problem(false), kernel, {1e-9}, stop, team).solve(machine.beta.data(), machine.f.data());
    const double best = smo_values(machine.problem(false), machine.beta.data(), machine.f.data(), 0).dual;
    std::vector<double> beta(60, 0.0), w(3);
    const DenseRows<double> rows{machine.x.data(), machine.n, machine.d};
    const PassOptions options{{1e-9, 0.0, 100000}, 0.0, 7};
    const Report report =
        CoordinateDescent<DenseRows<double>>(rows, machine.problem(false), options, stop).solve(beta.data(), w.data());
    CHECK(report.status == Status::converged);
    CHECK(check::near(report.dual, best, 1e-7) && check::near(report.primal, best, 1e-6));
    CHECK(w[2] == 0.0);
}

// Two classes: w_1 = -w_2 = w / 2 of the binary problem with twice the cost.
TEST(two_classes_of_crammer_and_singer_are_a_binary_svm) {
    const std::vector<double> x = {1.0, -1.0}, cost = {10.0, 10.0};
    const std::vector<std::int32_t> y = {0, 1};
    std::vector<double> a(4, 0.0), w(4);
    StopToken stop;
    const DenseRows<double> rows{x.data(), 2, 1};
    CrammerSinger<DenseRows<double>> solver(rows, y.data(), cost.data(), 2, {{1e-10, 0.0, 10000}, 0.0, 0}, stop);
    const Report report = solver.solve(a.data(), w.data());
    CHECK(report.status == Status::converged);
    CHECK(check::near(w[0], 0.5, 1e-9) && check::near(w[2], -0.5, 1e-9));
    CHECK(check::near(report.primal, 0.25, 1e-9) && check::near(report.dual, 0.25, 1e-9));
}

}  // namespace mercer
