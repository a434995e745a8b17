// Dual coordinate descent for the multi-class SVM of Crammer and Singer: a weight vector per class, one problem for
// all.
//
//   minimise D(a) = 1/2 sum_k |w_k|^2 - sum_i a_iy over a_ik <= cap_ik, sum_k a_ik = 0,  w_k = sum_i a_ik (x_i, s)
//
// with y the class of row i, cap_ik = cost_i for k = y and 0 for others, and s the constant column that carries the
// offset (0 for none): the dual of 1/2 sum_k |w_k|^2 + sum_i cost_i (max_k g_ik - g_iy), where
// g_ik = w_k.(x_i, s) + [k != y]. One row at a time has a closed form (`capped_sum`). Shrinking: classes at their cap
// whose slope keeps them there, and rows that have one class left, are skipped until the rest has converged. Keerthi et
// al. 2008, section 3.1 and Algorithm 3. Stop: largest violation, max_k g_ik - min {g_ik: a_ik < cap_ik}, <= tol on a
// pass over all rows and classes, or duality gap <= gap_tol.
#pragma once

#include <algorithm>
#include <cmath>

#include "mercer/coordinate.hpp"

namespace mercer {

// The a <= cap that minimises 1/2 h |a|^2 + b'a with sum(cap - a) = room: a_k = min(cap_k, (t - b_k) / h), where t
// follows from the largest b_k + h cap_k. False, and nothing done, on overflow. sorted: space for m
// numbers.
inline bool capped_sum(double h, const double* b, const double* cap, index m, double room, double* a, double* sorted) {
    double all = 0.0;
    for (index k = 0; k < m; ++k) all += sorted[k] = b[k] + h * cap[k];
    if (!std::isfinite(all)) return false;
    std::sort(sorted, sorted + m, std::greater<double>());
    double sum = sorted[0] - h * room;
    index r = 1;
    for (; r < m && sum < double(r) * sorted[r]; ++r) sum += sorted[r];
    for (index k = 0; k < m; ++k) a[k] = std::min(cap[k], (sum / double(r) - b[k]) / h);
    return true;
}

template <class Rows>
class CrammerSinger : private RowPasses {
public:
    CrammerSinger(const Rows& rows, const std::int32_t* y, const double* cost, index classes,
                  const PassOptions& options, StopToken& stop)
        : RowPasses(options, stop), x_(rows), y_(y), cost_(cost), n_(rows.n), k_(classes) {
        kept_.resize(static_cast<std::size_t>(n_));
        order_.resize(static_cast<std::size_t>(n_ * k_));
        for (auto* space : {&g_, &b_, &cap_, &found_, &sorted_}) space->resize(static_cast<std::size_t>(k_));
        for (index i = 0; i < n_; ++i) {
            const double square = x_.norm(i) + opt_.offset_scale * opt_.offset_scale;
            // An empty row moves no weight; any h up to 1 / (2 cost) gives its coefficients in one step.
            curve_.push_back(square > 0.0 ? square : 0.5 / std::max(cost_[i], 1e-300));
        }
    }

    // a: start in, solution out (n x classes); w: (classes x (d + 1)), for sparse rows its transpose; the
    // entries of d belong to the constant.
    Report solve(double* a, double* w) {
        a_ = a;
        w_ = w;
        std::fill_n(w_, k_ * (x_.d + 1), 0.0);
        for (index i = 0; i < n_; ++i)
            for (index k = 0; k < k_; ++k)
                if (a_[i * k_ + k] != 0.0) shift(i, k, a_[i * k_ + k]);
        Report report;
        run(report, [this](double firm) { return epoch(firm); }, [this] { reset(); }, [&] { return gap(report); });
        gap(report);
        report.seconds = stop_.elapsed();
        return report;
    }

private:
    const Rows& x_;
    const std::int32_t* y_;
    const double* cost_;
    const index n_, k_;
    std::vector<double> curve_, g_, b_, cap_, found_, sorted_;
    std::vector<std::int32_t> order_, kept_;  // classes of each row, those that take part first; how many do
    double *a_ = nullptr, *w_ = nullptr;

    double cap(index i, index k) const { return k == y_[i] ? cost_[i] : 0.0; }
    // Weights of class k: of dense rows class after class; of sparse rows column after column, stride k_, since all
    // classes then share the cache lines of the few columns that a row has.
    double* weights(index k) const { return Rows::sparse ? w_ + k : w_ + k * (x_.d + 1); }
    double slope(index i, index k) const {
        const double *w = weights(k), rest = k == y_[i] ? 0.0 : 1.0;
        if constexpr (Rows::sparse) return x_.dot(i, w, k_) + opt_.offset_scale * w[x_.d * k_] + rest;
        else return x_.dot(i, w) + opt_.offset_scale * w[x_.d] + rest;
    }
    void shift(index i, index k, double by) {
        double* w = weights(k);
        if constexpr (Rows::sparse) x_.add(i, by, w, k_);
        else x_.add(i, by, w);
        w[Rows::sparse ? x_.d * k_ : x_.d] += by * opt_.offset_scale;
    }

    void reset() {
        all_rows(n_);
        std::fill(kept_.begin(), kept_.end(), static_cast<std::int32_t>(k_));
        for (index i = 0; i < n_; ++i) std::iota(order_.begin() + i * k_, order_.begin() + (i + 1) * k_, 0);
    }

    double epoch(double firm) {
        return pass([this, firm](index i, bool& leaves) {
            double top, bottom;
            slopes(i, top, bottom);
            drop(i, bottom - firm);
            leaves = kept_[i] <= 1;
            if (top > bottom) improve(i);
            return top - bottom;
        });
    }

    // g_ik of the classes that take part, in their order; the largest, and the smallest of those that can rise (the
    // largest when none can: a row of no cost).
    void slopes(index i, double& top, double& bottom) {
        const std::int32_t* order = order_.data() + i * k_;
        top = -std::numeric_limits<double>::infinity(), bottom = -top;
        for (index j = 0; j < kept_[i]; ++j) {
            g_[j] = slope(i, order[j]);
            top = std::max(top, g_[j]);
            if (a_[i * k_ + order[j]] < cap(i, order[j])) bottom = std::min(bottom, g_[j]);
        }
        bottom = std::min(bottom, top);
    }

    // Classes at their cap with a slope below `line` leave.
    void drop(index i, double line) {
        std::int32_t* order = order_.data() + i * k_;
        for (std::int32_t j = 0; j < kept_[i];) {
            if (g_[j] < line && a_[i * k_ + order[j]] >= cap(i, order[j])) {
                const std::int32_t last = --kept_[i];
                std::swap(order[j], order[last]);
                std::swap(g_[j], g_[last]);
                shrunk_ = true;
            } else {
                ++j;
            }
        }
    }

    // The row's best coefficients; classes that left stay at their caps.
    void improve(index i) {
        const std::int32_t* order = order_.data() + i * k_;
        double* a = a_ + i * k_;
        for (index j = 0; j < kept_[i]; ++j) {
            cap_[j] = cap(i, order[j]);
            b_[j] = g_[j] - curve_[i] * a[order[j]];
        }
        if (!capped_sum(curve_[i], b_.data(), cap_.data(), kept_[i], cost_[i], found_.data(), sorted_.data())) return;
        for (index j = 0; j < kept_[i]; ++j) {
            const double by = found_[j] - a[order[j]];
            a[order[j]] = found_[j];
            if (by != 0.0) shift(i, order[j], by);
        }
    }

    // Primal, dual and the largest violation over all rows and classes; everything takes part again.
    double gap(Report& report) {
        reset();
        double square = 0.0, loss = 0.0, gain = 0.0, top, bottom;
        for (index k = 0; k < k_ * (x_.d + 1); ++k) square += w_[k] * w_[k];
        report.violation = 0.0;
        for (index i = 0; i < n_; ++i) {
            slopes(i, top, bottom);
            loss += cost_[i] * (top - g_[y_[i]]);
            gain += a_[i * k_ + y_[i]];
            report.violation = std::max(report.violation, top - bottom);
        }
        report.primal = 0.5 * square + loss;
        report.dual = gain - 0.5 * square;
        return report.primal - report.dual;
    }
};

}  // namespace mercer
