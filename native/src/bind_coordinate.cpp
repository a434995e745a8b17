#include "held_problem.hpp"
#include "kernel_source.hpp"
#include "mercer/crammer_singer.hpp"
#include "stopping.hpp"

namespace mercer::bind {

static PassOptions pass_options(nb::handle limits, double offset_scale, std::uint64_t seed) {
    return {limits_of(limits), offset_scale, seed};
}

static ReportTuple coordinate_descent(nb::handle x, nb::handle problem, InOut1<double> beta, InOut1<double> w,
                                      nb::handle limits, double offset_scale, std::uint64_t seed) {
    HeldProblem held(problem);
    held.problem.rows = nullptr;  // one variable per row of x, and no sums to keep
    held.problem.split = 0;
    held.problem.equality = false;
    const PassOptions options = pass_options(limits, offset_scale, seed);
    return with_matrix(x, [&](const auto& matrix) {
        const auto& rows = matrix->rows;
        expect(held.problem.n == rows.n && static_cast<index>(beta.shape(0)) == rows.n,
               "one linear term, bound and start per row");
        expect(static_cast<index>(w.shape(0)) == rows.d + 1, "w needs one entry per column and one for the offset");
        StopToken stop(interrupts(), options.limits.time_limit);
        const ReleasedGil released;
        using Rows = std::decay_t<decltype(rows)>;
        return as_tuple(CoordinateDescent<Rows>(rows, held.problem, options, stop).solve(beta.data(), w.data()));
    });
}

static ReportTuple crammer_singer(nb::handle x, In1<std::int32_t> y, In1<double> cost, InOut2<double> a,
                                  InOut2<double> w, nb::handle limits, double offset_scale, std::uint64_t seed) {
    const PassOptions options = pass_options(limits, offset_scale, seed);
    return with_matrix(x, [&](const auto& matrix) {
        using Rows = std::decay_t<decltype(matrix->rows)>;
        const Rows& rows = matrix->rows;
        const auto classes = static_cast<index>(a.shape(1));
        const auto by_class = static_cast<index>(w.shape(Rows::sparse ? 1 : 0));
        expect_classes(y, rows.n, classes);
        expect(cost.shape(0) == y.shape(0), "one cost per row");
        expect(by_class == classes && static_cast<index>(w.shape(Rows::sparse ? 0 : 1)) == rows.d + 1,
               "w needs one entry per class and column, and one for the offset");
        expect(a.shape(0) == y.shape(0), "one start per row and class");
        StopToken stop(interrupts(), options.limits.time_limit);
        const ReleasedGil released;
        CrammerSinger<Rows> solver(rows, y.data(), cost.data(), classes, options, stop);
        return as_tuple(solver.solve(a.data(), w.data()));
    });
}

void bind_coordinate(nb::module_& m) {
    m.def("coordinate_descent", &coordinate_descent, "x"_a, "problem"_a, "beta"_a.noconvert(), "w"_a.noconvert(),
          "limits"_a, "offset_scale"_a, "seed"_a);
    m.def("crammer_singer", &crammer_singer, "x"_a, "y"_a.noconvert(), "cost"_a.noconvert(), "a"_a.noconvert(),
          "w"_a.noconvert(), "limits"_a, "offset_scale"_a, "seed"_a);
}

}  // namespace mercer::bind
