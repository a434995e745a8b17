#include "kernel_source.hpp"
#include "mercer/lasso_columns.hpp"
#include "mercer/lasso_quadratic.hpp"
#include "mercer/sparse_products.hpp"
#include "stopping.hpp"

namespace mercer::bind {

constexpr std::int64_t kMostSweeps = 1 << 20;

static std::int64_t lasso_columns(In1<double> values, In1<std::int32_t> rows, In1<std::int64_t> starts, In2C<double> p,
                                  In1<double> weight, In2C<double> gradient, In1<double> ridge, In1<double> lasso,
                                  InOut2<double> u, bool intercept, double tol, std::int64_t max_sweeps) {
    const auto n = static_cast<index>(p.shape(0)), m = static_cast<index>(p.shape(1));
    expect(starts.shape(0) > 0, "starts need an entry more than columns");
    const auto d = static_cast<index>(starts.shape(0)) - 1;
    expect(static_cast<index>(weight.shape(0)) == n, "one weight per row");
    expect(static_cast<index>(gradient.shape(0)) == m && static_cast<index>(gradient.shape(1)) == d + 1 &&
               static_cast<index>(u.shape(0)) == m && static_cast<index>(u.shape(1)) == d + 1,
           "gradient and u must be classes x (columns + 1)");
    expect(static_cast<index>(ridge.shape(0)) == d + 1 && static_cast<index>(lasso.shape(0)) == d + 1,
           "one penalty per column and one for the intercept");
    expect(values.shape(0) == rows.shape(0), "one row per value");
    expect(starts.data()[0] == 0 && starts.data()[d] == static_cast<std::int64_t>(values.shape(0)),
           "starts must go from 0 to the number of values");
    for (index j = 0; j < d; ++j) expect(starts.data()[j] <= starts.data()[j + 1], "starts must not decrease");
    for (size_t s = 0; s < rows.shape(0); ++s)
        expect(rows.data()[s] >= 0 && rows.data()[s] < n, "a row is out of range");
    expect(tol >= 0.0 && max_sweeps <= kMostSweeps, "tol must not be negative, and sweeps have an end");
    StopToken stop(interrupts());
    const ReleasedGil released;
    const SparseColumns x{values.data(), rows.data(), starts.data(), n, d};
    const LassoModel model{p.data(), weight.data(), gradient.data(), ridge.data(), lasso.data(), m, intercept};
    return LassoColumns(x, model, stop).solve(u.data(), tol, max_sweeps);
}

static void lasso_sweeps_(In2C<double> h, In1<double> lasso, In1<std::int64_t> places, InOut1<double> u,
                          InOut1<double> r, std::int64_t sweeps) {
    const auto n = static_cast<index>(h.shape(0));
    expect(static_cast<index>(h.shape(1)) == n && static_cast<index>(lasso.shape(0)) == n &&
               static_cast<index>(u.shape(0)) == n && static_cast<index>(r.shape(0)) == n,
           "h must be square, and lasso, u and r have an entry per row of it");
    for (size_t a = 0; a < places.shape(0); ++a)
        expect(places.data()[a] >= 0 && places.data()[a] < n, "a place is out of range");
    expect(sweeps <= 1000, "sweeps have an end");
    const ReleasedGil released;
    lasso_sweeps(h.data(), lasso.data(), n, places.data(), static_cast<index>(places.shape(0)), u.data(), r.data(),
                 sweeps);
}

// out (columns, columns) = sum over rows of weight x x', for rows in CSR whose columns increase.
static void weighted_products_(nb::handle x, In1<double> weight, InOut2<double> out, int n_jobs) {
    const auto held = SparseMatrix<double>::of(x);
    expect(held != nullptr, "x must be CSR of float64");
    const CsrView<double>& rows = held->rows.x;
    const auto d = static_cast<size_t>(rows.d);
    expect(static_cast<index>(weight.shape(0)) == rows.n, "weight must have one entry per row");
    expect(out.shape(0) == d && out.shape(1) == d, "out must be columns x columns");
    for (index i = 0; i < rows.n; ++i)
        for (std::int64_t k = rows.starts[i] + 1; k < rows.starts[i + 1]; ++k)
            expect(rows.columns[k - 1] < rows.columns[k], "columns must increase in each row");
    const ReleasedGil released;
    weighted_products(rows, weight.data(), out.data(), n_jobs);
}

void bind_lasso(nb::module_& m) {
    m.def("lasso_sweeps", &lasso_sweeps_, "h"_a.noconvert(), "lasso"_a.noconvert(), "places"_a.noconvert(),
          "u"_a.noconvert(), "r"_a.noconvert(), "sweeps"_a);
    m.def("weighted_products", &weighted_products_, "x"_a, "weight"_a.noconvert(), "out"_a.noconvert(), "n_jobs"_a);
    m.def("lasso_columns", &lasso_columns, "values"_a.noconvert(), "rows"_a.noconvert(), "starts"_a.noconvert(),
          "p"_a.noconvert(), "weight"_a.noconvert(), "gradient"_a.noconvert(), "ridge"_a.noconvert(),
          "lasso"_a.noconvert(), "u"_a.noconvert(), "intercept"_a, "tol"_a, "max_sweeps"_a);
}

}  // namespace mercer::bind
