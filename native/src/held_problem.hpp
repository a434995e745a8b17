// A dual problem (mercer.solvers.svm.smo.Problem), held while native code reads its arrays.
#pragma once

#include <algorithm>

#include "array.hpp"
#include "mercer/smo_problem.hpp"

namespace mercer::bind {

struct HeldProblem {
    In1<double> linear, lower, upper;
    std::optional<In1<double>> tube, ridge;
    std::optional<In1<std::int32_t>> rows;
    SmoProblem problem;

    explicit HeldProblem(nb::handle from)
        : linear(field<In1<double>>(from, "linear")), lower(field<In1<double>>(from, "lower")),
          upper(field<In1<double>>(from, "upper")), tube(optional_field<In1<double>>(from, "tube")),
          ridge(optional_field<In1<double>>(from, "ridge")), rows(optional_field<In1<std::int32_t>>(from, "rows")) {
        const std::size_t n = linear.shape(0);
        expect(lower.shape(0) == n && upper.shape(0) == n, "one linear term and bound per variable");
        expect((!tube || tube->shape(0) == n) && (!ridge || ridge->shape(0) == n) && (!rows || rows->shape(0) == n),
               "tube, ridge and rows need one entry per variable");
        problem.n = static_cast<index>(n);
        problem.linear = linear.data();
        problem.lower = lower.data();
        problem.upper = upper.data();
        problem.tube = data_or_null(tube);
        problem.ridge = data_or_null(ridge);
        problem.rows = data_or_null(rows);
        problem.split = field<std::int64_t>(from, "split");
        problem.equality = field<bool>(from, "equality");
        problem.hinge_box = std::all_of(problem.lower, problem.lower + n, [](double b) { return b <= 0.0; }) &&
                            std::all_of(problem.upper, problem.upper + n, [](double b) { return b >= 0.0; });
    }
};

}  // namespace mercer::bind
