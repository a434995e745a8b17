// Coordinate descent on the quadratic model of a logistic log-likelihood with a lasso, column by column.
//
//   minimise over U  <G, D> + 1/2 sum_i w_i d_i' (diag(p_i) - p_i p_i') d_i + sum_kj ridge_j U_kj^2 / 2 + lasso_j
//   |U_kj|, D = U - B,  d_i = D (1, x_i)
//
// over the coefficients U (m x (d + 1), the intercepts first) of m classes; G: derivatives of the likelihood's negative
// at B, p (n x m): the probabilities there. Of each row d_i and s_i = p_i'd_i are kept, so that one coordinate costs
// the stored cells of its column. Coordinates that are 0 and stay there are left out until the others have converged.
// Friedman, Hastie and Tibshirani 2010; Yuan, Ho and Lin 2012. Stop: no coordinate moves by more than tol over its
// curvature in a sweep over all of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "mercer/rows.hpp"
#include "mercer/stop.hpp"

namespace mercer {

struct SparseColumns {
    const double* values;
    const std::int32_t* rows;
    const std::int64_t* starts;  // d + 1
    index n, d;
};

struct LassoModel {
    const double *p, *weight, *gradient;  // n x m, n, m x (d + 1)
    const double *ridge, *lasso;          // d + 1
    index m;
    bool intercept;
};

class LassoColumns {
public:
    LassoColumns(const SparseColumns& x, const LassoModel& model, StopToken& stop) : x_(x), q_(model), stop_(stop) {
        const auto cells = static_cast<std::size_t>(x_.n * q_.m);
        shift_.assign(cells, 0.0);
        mean_.assign(static_cast<std::size_t>(x_.n), 0.0);
        bend_.resize(cells);
        for (index i = 0; i < x_.n; ++i)
            for (index k = 0; k < q_.m; ++k) bend_[i * q_.m + k] = q_.weight[i] * q_.p[i * q_.m + k];
        curve_.assign(static_cast<std::size_t>(q_.m * (x_.d + 1)), 0.0);
        for (index j = q_.intercept ? 0 : 1; j <= x_.d; ++j)
            for (index k = 0; k < q_.m; ++k) curve_[k * (x_.d + 1) + j] = curvature(j, k);
    }

    // u: B in, the minimum out. Returns the sweeps that it took.
    std::int64_t solve(double* u, double tol, std::int64_t max_sweeps) {
        u_ = u;
        std::int64_t sweeps = 0;
        while (sweeps < max_sweeps) {
            const double worst = sweep(true);
            ++sweeps;
            if (worst <= tol) break;
            while (sweeps < max_sweeps && sweep(false) > tol) ++sweeps;
        }
        return sweeps;
    }

private:
    const SparseColumns& x_;
    const LassoModel& q_;
    StopToken& stop_;
    std::vector<double> shift_, mean_, bend_, curve_;  // d_i, s_i, w_i p_i, and the curvature of each coordinate
    std::vector<index> active_;                        // k (d + 1) + j
    double* u_ = nullptr;

    template <class Visit>
    void each(index j, Visit visit) const {
        if (j == 0) {
            for (index i = 0; i < x_.n; ++i) visit(i, 1.0);
        } else {
            for (std::int64_t s = x_.starts[j - 1]; s < x_.starts[j]; ++s) visit(x_.rows[s], x_.values[s]);
        }
    }

    double curvature(index j, index k) const {
        double sum = q_.ridge[j];
        each(j, [&](index i, double v) { sum += v * v * bend_[i * q_.m + k] * (1.0 - q_.p[i * q_.m + k]); });
        return sum;
    }

    // Every coordinate, or the active ones: the largest move times its curvature.
    double sweep(bool all) {
        double worst = 0.0;
        if (all) {
            active_.clear();
            for (index j = q_.intercept ? 0 : 1; j <= x_.d; ++j) {
                if ((j & 1023) == 0 && stop_.interrupted()) break;
                for (index k = 0; k < q_.m; ++k) {
                    const index c = k * (x_.d + 1) + j;
                    worst = std::max(worst, move(c, j, k));
                    if (u_[c] != 0.0 || j == 0) active_.push_back(c);
                }
            }
            return worst;
        }
        if (stop_.interrupted()) return 0.0;
        for (const index c : active_) worst = std::max(worst, move(c, c % (x_.d + 1), c / (x_.d + 1)));
        return worst;
    }

    double move(index c, index j, index k) {
        const double h = curve_[c];
        if (!(h > 0.0)) return 0.0;
        double slope = q_.gradient[c] + q_.ridge[j] * u_[c];
        each(j, [&](index i, double v) { slope += v * bend_[i * q_.m + k] * (shift_[i * q_.m + k] - mean_[i]); });
        const double free = u_[c] - slope / h, bound = q_.lasso[j] / h;
        const double target = free > bound ? free - bound : free < -bound ? free + bound : 0.0;
        const double step = target - u_[c];
        if (step == 0.0) return 0.0;
        u_[c] = target;
        each(j, [&](index i, double v) {
            shift_[i * q_.m + k] += v * step;
            mean_[i] += q_.p[i * q_.m + k] * v * step;
        });
        return std::abs(step) * h;
    }
};

}  // namespace mercer
