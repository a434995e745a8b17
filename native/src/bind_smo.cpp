#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "held_problem.hpp"
#include "kernel_source.hpp"
#include "mercer/svm_path.hpp"
#include "stopping.hpp"

namespace mercer::bind {

template <class T>
using In3C = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut4 = nb::ndarray<T, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut5 = nb::ndarray<T, nb::ndim<5>, nb::c_contig, nb::device::cpu>;

// beta: start in, solution out; f: K beta by kernel column, computed first unless it is known.
template <class T>
std::pair<ReportTuple, std::pair<double, double>> smo_solve(RowsHandle<T>& source, nb::handle problem,
                                                            InOut1<double> beta, InOut1<double> f, bool f_known,
                                                            nb::handle limits, index block, int n_jobs) {
    const HeldProblem held(problem);
    const SmoProblem& p = held.problem;
    KernelRows<T>& kernel = *source.rows;
    expect(p.n > 0 && static_cast<index>(beta.shape(0)) == p.n, "one start per variable");
    expect(p.rows || kernel.columns() == p.n, "without rows there is one variable per kernel row");
    expect(static_cast<index>(f.shape(0)) == kernel.columns(), "f needs one entry per kernel column");
    for (index k = 0; p.rows && k < p.n; ++k)
        expect(p.rows[k] >= 0 && p.rows[k] < kernel.columns(), "kernel row out of range");
    const Limits stop_at = limits_of(limits);
    const auto poll = interrupts();
    StopToken stop(poll, stop_at.time_limit);
    Report report;
    SmoValues values;
    {
        const ReleasedGil released;
        Team team(n_jobs);
        const bool started = std::any_of(beta.data(), beta.data() + p.n, [](double b) { return b != 0.0; });
        if (started && !f_known) {
            const Watched<T> watched(kernel, poll);
            kernel_times(kernel, p.rows, beta.data(), p.n, f.data(), team);
        } else if (!started) {
            std::fill_n(f.data(), f.shape(0), 0.0);
        }
        report = Smo<T>(p, kernel, stop_at, stop, team, block).solve(beta.data(), f.data());
        values = smo_values(p, beta.data(), f.data(), 60);
    }
    report.primal = values.primal;
    report.dual = values.dual;
    return {as_tuple(report), {values.bias[0], values.bias[1]}};
}

// What is trained and tested (mercer.solvers.svm.cv_path.Plan), held while native code reads it.
struct HeldPlan {
    In1<double> costs;
    In2C<double> targets;
    In2C<std::uint8_t> members;
    In1<std::int32_t> folds;
    std::optional<In1<double>> weight;

    explicit HeldPlan(nb::handle from)
        : costs(field<In1<double>>(from, "costs")), targets(field<In2C<double>>(from, "targets")),
          members(field<In2C<std::uint8_t>>(from, "members")), folds(field<In1<std::int32_t>>(from, "folds")),
          weight(optional_field<In1<double>>(from, "weight")) {}

    PathGrid grid(nb::handle from, std::size_t n) const {
        expect(targets.shape(1) == n && members.shape(0) == targets.shape(0) && members.shape(1) == n &&
                   folds.shape(0) == n,
               "targets, members and folds need one entry per row of the square matrix");
        expect(!weight || weight->shape(0) == n, "one weight per row");
        PathGrid grid;
        grid.n = static_cast<index>(n);
        grid.n_costs = static_cast<index>(costs.shape(0));
        grid.n_problems = static_cast<index>(targets.shape(0));
        grid.costs = costs.data();
        grid.targets = targets.data();
        grid.members = members.data();
        grid.folds = folds.data();
        grid.weights = data_or_null(weight);
        grid.regression = field<bool>(from, "regression");
        grid.squared_slack = field<bool>(from, "squared_slack");
        grid.epsilon = field<double>(from, "epsilon");
        grid.bias = field<bool>(from, "bias");
        return grid;
    }
};

// The results (mercer.solvers.svm.cv_path.CVPath) of a grid, written in place.
struct HeldPath {
    InOut4<double> decisions, offsets, gaps;
    InOut4<std::int64_t> supports;
    std::optional<InOut5<double>> betas;

    HeldPath(nb::handle from, const PathGrid& grid)
        : decisions(field<InOut4<double>>(from, "decisions")), offsets(field<InOut4<double>>(from, "offsets")),
          gaps(field<InOut4<double>>(from, "gaps")), supports(field<InOut4<std::int64_t>>(from, "supports")),
          betas(optional_field<InOut5<double>>(from, "betas")) {
        const auto fits = [&](const auto& a, index last) {
            return static_cast<index>(a.shape(0)) == grid.n_gammas && static_cast<index>(a.shape(1)) == grid.n_costs &&
                   static_cast<index>(a.shape(2)) == grid.n_problems && static_cast<index>(a.shape(3)) == last;
        };
        expect(fits(decisions, grid.n), "decisions must be gammas x costs x problems x rows");
        expect(fits(offsets, grid.n_folds) && fits(gaps, grid.n_folds) && fits(supports, grid.n_folds) &&
                   (!betas || (fits(*betas, grid.n_folds) && static_cast<index>(betas->shape(4)) == grid.n)),
               "offsets, gaps, supports and betas must be gammas x costs x problems x folds");
    }

    PathOutput output(bool warm) const {
        return {decisions.data(), offsets.data(), gaps.data(), supports.data(), data_or_null(betas), warm};
    }
};

template <class T>
void path_solve(In2C<T> matrix, std::optional<In1<double>> gammas, nb::handle plan, In3C<std::uint8_t> active,
                nb::handle path, bool warm, nb::handle limits, int buffers, int n_jobs) {
    expect(matrix.shape(0) == matrix.shape(1), "the matrix must be square");
    const HeldPlan held(plan);
    PathGrid grid = held.grid(plan, matrix.shape(0));
    grid.n_gammas = gammas ? static_cast<index>(gammas->shape(0)) : 1;
    grid.n_folds = static_cast<index>(active.shape(2));
    grid.gammas = data_or_null(gammas);
    grid.active = active.data();
    expect(static_cast<index>(active.shape(0)) == grid.n_gammas && static_cast<index>(active.shape(1)) == grid.n_costs,
           "active must be gammas x costs x folds");
    const HeldPath out(path, grid);
    const PathOptions options{limits_of(limits), n_jobs, buffers};
    StopToken stop(interrupts());
    const ReleasedGil released;
    solve_path(grid, options, stop, matrix.data(), out.output(warm));
}

template <class T>
void bind_smo_for(nb::module_& m) {
    m.def("smo_solve", &smo_solve<T>, "source"_a, "problem"_a, "beta"_a.noconvert(), "f"_a.noconvert(), "f_known"_a,
          "limits"_a, "block"_a, "n_jobs"_a);
    m.def("path_solve", &path_solve<T>, "matrix"_a.noconvert(), "gammas"_a.noconvert().none(), "plan"_a,
          "active"_a.noconvert(), "path"_a, "warm"_a, "limits"_a, "buffers"_a, "n_jobs"_a);
}

void bind_smo(nb::module_& m) {
    bind_smo_for<float>(m);
    bind_smo_for<double>(m);
}

}  // namespace mercer::bind
