#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>

#include "interrupt.hpp"
#include "kernel_source.hpp"
#include "mercer/crammer_singer.hpp"

namespace mercer::bind {

using Doubles = In1<double>;
using Vector = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Report = std::tuple<double, double, double, index, double, int>;

template <class Rows>
Report descend(const Rows& rows, const Doubles& linear, const Doubles& lower, const Doubles& upper,
               const std::optional<Doubles>& tube, const std::optional<Doubles>& ridge, Vector& beta, Vector& w,
               CoordinateOptions options) {
    const auto n = static_cast<std::size_t>(rows.n);
    expect(linear.shape(0) == n && lower.shape(0) == n && upper.shape(0) == n && beta.shape(0) == n &&
               (!tube || tube->shape(0) == n) && (!ridge || ridge->shape(0) == n),
           "one linear term, bound and start per row");
    expect(static_cast<index>(w.shape(0)) == rows.d + 1, "w needs one entry per column and one for the offset");
    SmoProblem p;
    p.n = rows.n;
    p.linear = linear.data();
    p.lower = lower.data();
    p.upper = upper.data();
    p.tube = tube ? tube->data() : nullptr;
    p.ridge = ridge ? ridge->data() : nullptr;
    p.equality = false;
    options.interrupted = [poll = interrupts()] { return poll(), false; };
    CoordinateResult r;
    {
        nb::gil_scoped_release release;
        r = CoordinateDescent<Rows>(rows, p, options).solve(beta.data(), w.data());
    }
    return {r.violation, r.primal, r.dual, r.epochs, r.seconds, r.status};
}

template <class Rows>
Report rank(const Rows& rows, const In1<std::int32_t>& y, const Doubles& cost, InOut2<double>& a, InOut2<double>& w,
            CoordinateOptions options) {
    const auto classes = static_cast<index>(a.shape(1)), by_class = static_cast<index>(w.shape(Rows::sparse ? 1 : 0));
    expect_classes(y, rows.n, classes);
    expect(cost.shape(0) == y.shape(0), "one cost per row");
    expect(by_class == classes && static_cast<index>(w.shape(Rows::sparse ? 0 : 1)) == rows.d + 1,
           "w needs one entry per class and column, and one for the offset");
    expect(a.shape(0) == y.shape(0), "one start per row and class");
    options.interrupted = [poll = interrupts()] { return poll(), false; };
    CoordinateResult r;
    {
        nb::gil_scoped_release release;
        r = CrammerSinger<Rows>(rows, y.data(), cost.data(), classes, options).solve(a.data(), w.data());
    }
    return {r.violation, r.primal, r.dual, r.epochs, r.seconds, r.status};
}

template <class T>
void bind_crammer_singer_for(nb::module_& m) {
    m.def(
        "crammer_singer_dense",
        [](In2Rows<T> x, In1<std::int32_t> y, Doubles cost, InOut2<double> a, InOut2<double> w, double tol, double gap_tol,
           index max_epochs, double time_limit, double offset_scale, std::uint64_t seed) {
            const DenseRows<T> rows{x.data(), static_cast<index>(x.shape(0)), static_cast<index>(x.shape(1))};
            return rank(rows, y, cost, a, w, {tol, gap_tol, max_epochs, time_limit, offset_scale, seed, {}});
        },
        "x"_a.noconvert(), "y"_a.noconvert(), "cost"_a.noconvert(), "a"_a.noconvert(), "w"_a.noconvert(), "tol"_a,
        "gap_tol"_a, "max_epochs"_a, "time_limit"_a, "offset_scale"_a, "seed"_a);
    m.def(
        "crammer_singer_csr",
        [](In1<T> values, In1<std::int32_t> columns, In1<std::int64_t> starts, index d, In1<std::int32_t> y, Doubles cost,
           InOut2<double> a, InOut2<double> w, double tol, double gap_tol, index max_epochs, double time_limit,
           double offset_scale, std::uint64_t seed) {
            const SparseRows<T> rows(csr_view(values, columns, starts, d));
            return rank(rows, y, cost, a, w, {tol, gap_tol, max_epochs, time_limit, offset_scale, seed, {}});
        },
        "values"_a.noconvert(), "columns"_a.noconvert(), "starts"_a.noconvert(), "d"_a, "y"_a.noconvert(),
        "cost"_a.noconvert(), "a"_a.noconvert(), "w"_a.noconvert(), "tol"_a, "gap_tol"_a, "max_epochs"_a, "time_limit"_a,
        "offset_scale"_a, "seed"_a);
}

template <class T>
void bind_coordinate_for(nb::module_& m) {
    m.def(
        "coordinate_dense",
        [](In2Rows<T> x, Doubles linear, Doubles lower, Doubles upper, std::optional<Doubles> tube, std::optional<Doubles> ridge,
           Vector beta, Vector w, double tol, double gap_tol, index max_epochs, double time_limit, double offset_scale,
           std::uint64_t seed) {
            const DenseRows<T> rows{x.data(), static_cast<index>(x.shape(0)), static_cast<index>(x.shape(1))};
            return descend(rows, linear, lower, upper, tube, ridge, beta, w,
                           {tol, gap_tol, max_epochs, time_limit, offset_scale, seed, {}});
        },
        "x"_a.noconvert(), "linear"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(), "tube"_a.noconvert().none(),
        "ridge"_a.noconvert().none(), "beta"_a.noconvert(), "w"_a.noconvert(), "tol"_a, "gap_tol"_a, "max_epochs"_a,
        "time_limit"_a, "offset_scale"_a, "seed"_a);
    m.def(
        "coordinate_csr",
        [](In1<T> values, In1<std::int32_t> columns, In1<std::int64_t> starts, index d, Doubles linear, Doubles lower,
           Doubles upper, std::optional<Doubles> tube, std::optional<Doubles> ridge, Vector beta, Vector w, double tol,
           double gap_tol, index max_epochs, double time_limit, double offset_scale, std::uint64_t seed) {
            const SparseRows<T> rows(csr_view(values, columns, starts, d));
            return descend(rows, linear, lower, upper, tube, ridge, beta, w,
                           {tol, gap_tol, max_epochs, time_limit, offset_scale, seed, {}});
        },
        "values"_a.noconvert(), "columns"_a.noconvert(), "starts"_a.noconvert(), "d"_a, "linear"_a.noconvert(),
        "lower"_a.noconvert(), "upper"_a.noconvert(), "tube"_a.noconvert().none(), "ridge"_a.noconvert().none(),
        "beta"_a.noconvert(), "w"_a.noconvert(), "tol"_a, "gap_tol"_a, "max_epochs"_a, "time_limit"_a, "offset_scale"_a,
        "seed"_a);
}

void bind_coordinate(nb::module_& m) {
    bind_coordinate_for<float>(m);
    bind_coordinate_for<double>(m);
    bind_crammer_singer_for<float>(m);
    bind_crammer_singer_for<double>(m);
}

}  // namespace mercer::bind
