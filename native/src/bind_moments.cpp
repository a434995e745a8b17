#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "array.hpp"
#include "mercer/gaussian.hpp"
#include "mercer/moments.hpp"

namespace mercer::bind {

template <class T>
void bind_for(nb::module_& m) {
    m.def(
        "class_moments",
        [](In2<T> x, In1<std::int32_t> classes, std::optional<In1<double>> weight, index n_classes, int n_jobs) {
            const auto rows = matrix(x);
            expect_classes(classes, rows.rows, n_classes);
            expect(!weight || static_cast<index>(weight->shape(0)) == rows.rows, "weight must have one entry per row");
            Moments result(0);
            {
                const ReleasedGil released;
                result = class_moments(rows, classes.data(), weight ? weight->data() : nullptr, n_classes, n_jobs);
            }
            const auto c = static_cast<size_t>(n_classes), p = static_cast<size_t>(rows.cols);
            return std::make_tuple(owned(result.n, c, p), owned(result.mean, c, p), owned(result.m2, c, p));
        },
        "x"_a.noconvert(), "classes"_a.noconvert(), "weight"_a.noconvert().none(), "n_classes"_a, "n_jobs"_a);
    m.def(
        "add_gaussian_scores",
        [](In2<T> x, In2C<double> mean, In2C<double> precision, In2C<double> log_scale, InOut2<double> out,
           int n_jobs) {
            const auto rows = matrix(x);
            const size_t c = mean.shape(0), p = static_cast<size_t>(rows.cols);
            expect(mean.shape(1) == p && precision.shape(0) == c && precision.shape(1) == p &&
                       log_scale.shape(0) == c && log_scale.shape(1) == p,
                   "parameters must be classes x columns");
            expect(static_cast<index>(out.shape(0)) == rows.rows && out.shape(1) == c, "out must be rows x classes");
            const ReleasedGil released;
            add_gaussian_scores(rows, mean.data(), precision.data(), log_scale.data(), static_cast<index>(c),
                                out.data(), n_jobs);
        },
        "x"_a.noconvert(), "mean"_a.noconvert(), "precision"_a.noconvert(), "log_scale"_a.noconvert(),
        "out"_a.noconvert(), "n_jobs"_a);
}

void bind_moments(nb::module_& m) {
    bind_for<double>(m);
    bind_for<float>(m);
    m.def(
        "softmax_rows",
        [](InOut2<double> scores, int n_jobs) {
            expect(scores.shape(1) > 0, "scores need a column");
            const ReleasedGil released;
            softmax_rows(scores.data(), static_cast<index>(scores.shape(0)), static_cast<index>(scores.shape(1)),
                         n_jobs);
        },
        "scores"_a.noconvert(), "n_jobs"_a);
}

}  // namespace mercer::bind
