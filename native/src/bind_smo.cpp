#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "interrupt.hpp"
#include "kernel_source.hpp"
#include "mercer/svm_path.hpp"

namespace mercer::bind {

template <class T>
using InOut1 = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In3C = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut4 = nb::ndarray<T, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut5 = nb::ndarray<T, nb::ndim<5>, nb::c_contig, nb::device::cpu>;
using Doubles = In1<double>;
using Steps = std::tuple<double, double, double, double, double, std::int64_t, std::int64_t, double, int>;

template <class T>
Steps smo_solve(RowsHandle<T>& source, Doubles linear, Doubles lower, Doubles upper, std::optional<Doubles> tube,
                std::optional<Doubles> ridge, std::optional<In1<std::int32_t>> rows, index split, bool equality,
                InOut1<double> beta, InOut1<double> f, double tol, double gap_tol, std::int64_t max_steps,
                double time_limit, index block, int n_jobs, bool f_known) {
    SmoProblem p;
    p.n = static_cast<index>(linear.shape(0));
    const std::size_t n = linear.shape(0);
    expect(n > 0 && lower.shape(0) == n && upper.shape(0) == n && beta.shape(0) == n, "one linear term, bound and start per variable");
    expect((!tube || tube->shape(0) == n) && (!ridge || ridge->shape(0) == n) && (!rows || rows->shape(0) == n),
           "tube, ridge and rows need one entry per variable");
    expect(rows || source.rows->columns() == p.n, "without rows there is one variable per kernel row");
    expect(static_cast<index>(f.shape(0)) == source.rows->columns(), "f needs one entry per kernel column");
    for (std::size_t k = 0; rows && k < n; ++k)
        expect(rows->data()[k] >= 0 && rows->data()[k] < source.rows->columns(), "kernel row out of range");
    p.linear = linear.data();
    p.lower = lower.data();
    p.upper = upper.data();
    p.tube = tube ? tube->data() : nullptr;
    p.ridge = ridge ? ridge->data() : nullptr;
    p.rows = rows ? rows->data() : nullptr;
    p.split = split;
    p.equality = equality;
    p.hinge_box = std::all_of(p.lower, p.lower + n, [](double b) { return b <= 0.0; }) &&
                  std::all_of(p.upper, p.upper + n, [](double b) { return b >= 0.0; });
    const auto poll = interrupts();
    SmoOptions options{tol, gap_tol, max_steps, time_limit, block, n_jobs, [poll] { return poll(), false; }};
    SmoResult result;
    SmoValues values;
    {
        nb::gil_scoped_release release;
        const bool started = std::any_of(beta.data(), beta.data() + n, [](double b) { return b != 0.0; });
        if (started && !f_known) {
            const Watched<T> watched(*source.rows, poll);
            kernel_times(*source.rows, p.rows, beta.data(), p.n, f.data(), n_jobs);
        } else if (!started) {
            std::fill_n(f.data(), f.shape(0), 0.0);
        }
        result = Smo<T>(p, *source.rows, options).solve(beta.data(), f.data());
        values = smo_values(p, beta.data(), f.data(), 60);
    }
    return {result.violation, values.primal, values.dual, values.bias[0], values.bias[1], result.steps,
            result.blocks, result.seconds, static_cast<int>(result.status)};
}

template <class T>
void path_solve(In2C<T> base, std::optional<Doubles> gammas, Doubles costs, In2C<double> targets, In2C<std::uint8_t> members,
                In1<std::int32_t> folds, std::optional<Doubles> weights, In3C<std::uint8_t> active, bool regression,
                bool squared_slack, double epsilon, InOut4<double> decisions, InOut4<double> offsets, InOut4<double> gaps,
                InOut4<std::int64_t> supports, std::optional<InOut5<double>> betas, bool warm, double tol, double gap_rel,
                std::int64_t max_steps, index block, int buffers, int n_jobs) {
    PathGrid grid;
    grid.n = static_cast<index>(base.shape(0));
    grid.n_gammas = gammas ? static_cast<index>(gammas->shape(0)) : 1;
    grid.n_costs = static_cast<index>(costs.shape(0));
    grid.n_problems = static_cast<index>(targets.shape(0));
    grid.n_folds = static_cast<index>(active.shape(2));
    const auto n = base.shape(0), n_g = static_cast<std::size_t>(grid.n_gammas), n_p = targets.shape(0), n_f = active.shape(2);
    expect(base.shape(1) == n && targets.shape(1) == n && members.shape(0) == n_p && members.shape(1) == n && folds.shape(0) == n,
           "targets, members and folds need one entry per row of the square matrix");
    expect(!weights || weights->shape(0) == n, "one weight per row");
    expect(active.shape(0) == n_g && active.shape(1) == costs.shape(0), "active must be gammas x costs x folds");
    expect(decisions.shape(0) == n_g && decisions.shape(1) == costs.shape(0) && decisions.shape(2) == n_p && decisions.shape(3) == n,
           "decisions must be gammas x costs x problems x rows");
    const auto per_solve = [&](const auto& a) {
        return a.shape(0) == n_g && a.shape(1) == costs.shape(0) && a.shape(2) == n_p && a.shape(3) == n_f;
    };
    expect(per_solve(offsets) && per_solve(gaps) && per_solve(supports) && (!betas || (per_solve(*betas) && betas->shape(4) == n)),
           "offsets, gaps, supports and betas must be gammas x costs x problems x folds");
    grid.gammas = gammas ? gammas->data() : nullptr;
    grid.costs = costs.data();
    grid.targets = targets.data();
    grid.members = members.data();
    grid.folds = folds.data();
    grid.weights = weights ? weights->data() : nullptr;
    grid.active = active.data();
    grid.regression = regression;
    grid.squared_slack = squared_slack;
    grid.epsilon = epsilon;
    PathOptions options{tol, gap_rel, max_steps, block, n_jobs, buffers, interrupts()};
    PathOutput out{decisions.data(), offsets.data(), gaps.data(), supports.data(), betas ? betas->data() : nullptr, warm};
    {
        nb::gil_scoped_release release;
        solve_path(grid, options, base.data(), out);
    }
}

template <class T>
void bind_smo_for(nb::module_& m) {
    m.def("smo_solve", &smo_solve<T>, "source"_a, "linear"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(),
          "tube"_a.noconvert().none(), "ridge"_a.noconvert().none(), "rows"_a.noconvert().none(), "split"_a, "equality"_a,
          "beta"_a.noconvert(), "f"_a.noconvert(), "tol"_a, "gap_tol"_a, "max_steps"_a, "time_limit"_a, "block"_a, "n_jobs"_a, "f_known"_a);
    m.def("path_solve", &path_solve<T>, "base"_a.noconvert(), "gammas"_a.noconvert().none(), "costs"_a.noconvert(),
          "targets"_a.noconvert(), "members"_a.noconvert(), "folds"_a.noconvert(), "weights"_a.noconvert().none(),
          "active"_a.noconvert(), "regression"_a, "squared_slack"_a, "epsilon"_a, "decisions"_a.noconvert(),
          "offsets"_a.noconvert(), "gaps"_a.noconvert(), "supports"_a.noconvert(), "betas"_a.noconvert().none(), "warm"_a, "tol"_a, "gap_rel"_a,
          "max_steps"_a, "block"_a, "buffers"_a, "n_jobs"_a);
}

void bind_smo(nb::module_& m) {
    bind_smo_for<float>(m);
    bind_smo_for<double>(m);
}

}  // namespace mercer::bind
