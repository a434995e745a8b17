// The dual problem shared by all support vector machines, its objective values and its offset.
//
//   minimise   D(b) = 1/2 b'Kb + r'b + sum_i e_i |b_i| + 1/2 sum_i ridge_i b_i^2
//   subject to lower <= b <= upper, and sum(b) kept at its starting value in each group (or no such constraint)
//
// b are signed coefficients (b_i = y_i alpha_i), so labels never appear. C-SVC: r = -y, [0, C] or [-C, 0]. SVR: r = -z,
// e = epsilon, [-C, C]. One-class: r = 0, [0, 1], sum = nu n. nu-SVC and nu-SVR: two groups.
// Squared slack: ridge = 1/C.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "mercer/parallel.hpp"

namespace mercer {

struct SmoProblem {
    index n = 0;                     // variables
    const double* linear = nullptr;  // r
    const double* tube = nullptr;    // e, or null for zero
    const double* lower = nullptr;
    const double* upper = nullptr;
    const double* ridge = nullptr;       // or null for zero
    const std::int32_t* rows = nullptr;  // kernel row of each variable, or null for the identity
    index split = 0;                     // first variable of the second group; 0 or n when there is one group
    bool equality = true;
    bool hinge_box = false;  // every box contains zero

    index row(index k) const { return rows ? rows[k] : k; }
    double e(index k) const { return tube ? tube[k] : 0.0; }
    double rho(index k) const { return ridge ? ridge[k] : 0.0; }
    bool plain() const { return !tube && !ridge && hinge_box; }
    bool two_groups() const { return split > 0 && split < n; }
    index groups() const { return two_groups() ? 2 : 1; }
    index group(index k) const { return two_groups() && k >= split ? 1 : 0; }
    index group_begin(index s) const { return s ? split : 0; }
    index group_end(index s) const { return two_groups() && !s ? split : n; }

    // Slope of D when b_k rises, or falls; infinite when it cannot.
    double up(index k, double b, double g) const {
        return b >= upper[k] ? std::numeric_limits<double>::infinity() : g + (b >= 0.0 ? e(k) : -e(k));
    }
    double low(index k, double b, double g) const {
        return b <= lower[k] ? -std::numeric_limits<double>::infinity() : g + (b > 0.0 ? e(k) : -e(k));
    }
};

struct SmoValues {
    double dual = 0.0;            // -D: what the literature calls the dual objective
    double primal = 0.0;          // never below dual; their difference is the duality gap
    double bias[2] = {0.0, 0.0};  // offset of each group
};

// The z in [lower, upper] that maximises -(c z + e|z| + rho z^2 / 2): the dual's view of one row's loss.
inline double loss_argument(const SmoProblem& p, index k, double c) {
    const double e = p.e(k), rho = p.rho(k), lo = p.lower[k], hi = p.upper[k];
    double z = lo > 0.0 ? lo : hi < 0.0 ? hi : 0.0;
    if (-c > e && hi > 0.0) z = rho > 0.0 ? std::min(hi, std::max(z, (-c - e) / rho)) : hi;
    if (c > e && lo < 0.0) z = rho > 0.0 ? std::max(lo, std::min(z, (e - c) / rho)) : lo;
    return z;
}

inline double loss_value(const SmoProblem& p, index k, double c) {
    const double z = loss_argument(p, k, c);
    return z == 0.0 ? 0.0 : -(c * z + p.e(k) * std::fabs(z) + 0.5 * p.rho(k) * z * z);
}

// Sums over one group at offset `bias`, with c = f + r by variable: of z, and of the loss. The plain hinge has no tube
// and no ridge, and its loop vectorises.
inline double argument_sum(const SmoProblem& p, index s, const double* c, double bias) {
    const double *lo = p.lower, *hi = p.upper;
    const index begin = p.group_begin(s), end = p.group_end(s);
    double total = 0.0;
    if (p.plain()) {
        MERCER_SIMD(reduction(+ : total))
        for (index k = begin; k < end; ++k) {
            const double v = c[k] + bias;
            total += v < 0.0 ? hi[k] : v > 0.0 ? lo[k] : 0.0;
        }
        return total;
    }
    for (index k = begin; k < end; ++k) total += loss_argument(p, k, c[k] + bias);
    return total;
}

inline double loss_sum(const SmoProblem& p, index s, const double* c, double bias) {
    const double *lo = p.lower, *hi = p.upper;
    const index begin = p.group_begin(s), end = p.group_end(s);
    double total = 0.0;
    if (p.plain()) {
        MERCER_SIMD(reduction(+ : total))
        for (index k = begin; k < end; ++k) {
            const double v = c[k] + bias, z = v < 0.0 ? hi[k] : v > 0.0 ? lo[k] : 0.0;
            total -= z == 0.0 ? 0.0 : v * z;
        }
        return total;
    }
    for (index k = begin; k < end; ++k) total += loss_value(p, k, c[k] + bias);
    return total;
}

// The primal is convex in the offset b, with slope sum(beta) - sum z(b), and its minimum lies between the two ends that
// optimality leaves open: bisect.
inline double best_offset(const SmoProblem& p, index s, const double* c, double sum, double lo, double hi, int rounds) {
    for (int round = 0; round < rounds && lo < hi; ++round) {
        const double middle = 0.5 * (lo + hi);
        (argument_sum(p, s, c, middle) > sum ? lo : hi) = middle;
    }
    return 0.5 * (lo + hi);
}

// Values at beta with f = K beta. `rounds` of bisection sharpen the offset; 0 takes the middle of the open interval.
inline SmoValues smo_values(const SmoProblem& p, const double* beta, const double* f, int rounds) {
    SmoValues values;
    std::vector<double> c(static_cast<std::size_t>(p.n));
    for (index k = 0; k < p.n; ++k) c[k] = f[p.row(k)] + p.linear[k];
    double half = 0.0, rest = 0.0, loss = 0.0;
    for (index s = 0; s < p.groups(); ++s) {
        double sum = 0.0, min_up = std::numeric_limits<double>::infinity(), max_low = -min_up;
        for (index k = p.group_begin(s); k < p.group_end(s); ++k) {
            const double b = beta[k], g = c[k] + p.rho(k) * b;
            half += 0.5 * b * (c[k] - p.linear[k]);
            rest += p.linear[k] * b + p.e(k) * std::fabs(b) + 0.5 * p.rho(k) * b * b;
            sum += b;
            min_up = std::min(min_up, p.up(k, b, g));
            max_low = std::max(max_low, p.low(k, b, g));
        }
        double bias = 0.0;
        if (p.equality) {
            const double lo = std::isfinite(max_low) ? -max_low : -min_up,
                         hi = std::isfinite(min_up) ? -min_up : -max_low;
            if (std::isfinite(lo))
                bias = best_offset(p, s, c.data(), sum, std::min(lo, hi), std::max(lo, hi), lo < hi ? rounds : 0);
        }
        loss += loss_sum(p, s, c.data(), bias) + bias * sum;
        values.bias[s] = bias;
    }
    values.dual = -(half + rest);
    values.primal = half + loss;
    return values;
}

}  // namespace mercer
