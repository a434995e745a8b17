// Dual coordinate descent for linear machines.
//
//   minimise D(b) = 1/2 |w|^2 + r'b + sum e_i |b_i| + 1/2 sum ridge_i b_i^2 over lower <= b <= upper,  w = sum_i b_i (x_i, s)
//
// with s the constant column that carries the offset (0 for none). Hinge: r = -y, [0, C] or [-C, 0]; squared hinge: no upper
// bound and ridge 1/(2C); epsilon-insensitive: r = -z, e = epsilon, [-C, C], or ridge 1/(2C). One coordinate at a time has a
// closed form (soft threshold, then clip); rows that sit firmly at a corner are left out until the rest has converged.
// Hsieh et al. 2008, Algorithm 3; Ho and Lin 2012, Algorithm 3. Stop: largest violation <= tol on a pass over all rows, or
// duality gap <= gap_tol.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "mercer/gram.hpp"
#include "mercer/smo_problem.hpp"

namespace mercer {

template <class T>
struct DenseRows {
    const T* x;
    index n, d;
    double dot(index i, const double* w) const {
        const T* row = x + i * d;
        double sum = 0.0;
#pragma omp simd reduction(+ : sum)
        for (index k = 0; k < d; ++k) sum += double(row[k]) * w[k];
        return sum;
    }
    void add(index i, double c, double* w) const {
        const T* row = x + i * d;
#pragma omp simd
        for (index k = 0; k < d; ++k) w[k] += c * double(row[k]);
    }
    double norm(index i) const {
        double sum = 0.0;
        for (index k = 0; k < d; ++k) sum += double(x[i * d + k]) * double(x[i * d + k]);
        return sum;
    }
};

template <class T>
struct SparseRows {
    CsrView<T> x;
    index n, d;
    explicit SparseRows(const CsrView<T>& view) : x(view), n(view.n), d(view.d) {}
    double dot(index i, const double* w) const {
        double sum = 0.0;
        for (std::int64_t s = x.starts[i]; s < x.starts[i + 1]; ++s) sum += double(x.values[s]) * w[x.columns[s]];
        return sum;
    }
    void add(index i, double c, double* w) const {
        for (std::int64_t s = x.starts[i]; s < x.starts[i + 1]; ++s) w[x.columns[s]] += c * double(x.values[s]);
    }
    double norm(index i) const {
        double sum = 0.0;
        for (std::int64_t s = x.starts[i]; s < x.starts[i + 1]; ++s) sum += double(x.values[s]) * double(x.values[s]);
        return sum;
    }
};

struct CoordinateOptions {
    double tol = 1e-3, gap_tol = 0.0;
    index max_epochs = 1000;
    double time_limit = 0.0, offset_scale = 1.0;
    std::uint64_t seed = 0;
    std::function<bool()> interrupted;
};

struct CoordinateResult {
    double violation = 0.0, primal = 0.0, dual = 0.0, seconds = 0.0;
    index epochs = 0;
    int status = 0;  // as SmoStatus: 0 converged, 1 epochs, 2 time, 3 interrupted
};

template <class Rows>
class CoordinateDescent {
public:
    CoordinateDescent(const Rows& rows, const SmoProblem& problem, CoordinateOptions options)
        : x_(rows), p_(problem), opt_(std::move(options)), random_(opt_.seed * 2 + 1) {
        curve_.resize(static_cast<std::size_t>(p_.n));
        const double constant = opt_.offset_scale * opt_.offset_scale;
        for (index i = 0; i < p_.n; ++i) curve_[i] = x_.norm(i) + constant + p_.rho(i);
    }

    // beta: start in, solution out (n); w: (d + 1), the last entry belongs to the constant column.
    CoordinateResult solve(double* beta, double* w) {
        beta_ = beta;
        w_ = w;
        started_ = std::chrono::steady_clock::now();
        std::fill_n(w_, x_.d + 1, 0.0);
        for (index i = 0; i < p_.n; ++i)
            if (beta_[i] != 0.0) shift(i, beta_[i]);
        CoordinateResult result;
        reset();
        double firm = std::numeric_limits<double>::infinity();
        while (!stopped(result)) {
            const double worst = epoch(firm);
            ++result.epochs;
            const bool whole = active_.size() == static_cast<std::size_t>(p_.n) && !shrunk_;
            firm = worst > 0.0 ? worst : std::numeric_limits<double>::infinity();
            if (worst <= opt_.tol && whole) break;
            if (opt_.gap_tol > 0.0 && result.epochs % 10 == 0 && gap(result) <= opt_.gap_tol) break;
            if (worst <= opt_.tol) {
                reset();
                firm = std::numeric_limits<double>::infinity();
            }
        }
        gap(result);
        result.violation = violation();
        result.seconds = elapsed();
        return result;
    }

private:
    const Rows& x_;
    const SmoProblem p_;
    CoordinateOptions opt_;
    std::uint64_t random_;
    std::vector<double> curve_;
    std::vector<index> active_;
    double *beta_ = nullptr, *w_ = nullptr;
    bool shrunk_ = false;
    std::chrono::steady_clock::time_point started_;

    double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count(); }
    double value(index i) const { return x_.dot(i, w_) + opt_.offset_scale * w_[x_.d]; }
    void shift(index i, double by) {
        x_.add(i, by, w_);
        w_[x_.d] += by * opt_.offset_scale;
    }
    void reset() {
        active_.resize(static_cast<std::size_t>(p_.n));
        std::iota(active_.begin(), active_.end(), index(0));
        shrunk_ = false;
    }
    std::uint64_t draw() {  // xorshift: the order of rows depends on the seed alone
        random_ ^= random_ << 13;
        random_ ^= random_ >> 7;
        random_ ^= random_ << 17;
        return random_;
    }

    bool stopped(CoordinateResult& result) {
        result.status = 0;
        if (result.epochs >= opt_.max_epochs) result.status = 1;
        else if (opt_.time_limit > 0.0 && elapsed() > opt_.time_limit) result.status = 2;
        else if (opt_.interrupted && opt_.interrupted()) result.status = 3;
        return result.status != 0;
    }

    // One pass over the active rows in random order; the largest violation met. Rows at a corner that every slope holds
    // there by more than `firm` leave.
    double epoch(double firm) {
        double worst = 0.0;
        std::size_t kept = active_.size();
        for (std::size_t a = 0; a < kept; ++a) {
            std::swap(active_[a], active_[a + draw() % (kept - a)]);
            const index i = active_[a];
            const double b = beta_[i], g = value(i) + p_.linear[i] + p_.rho(i) * b;
            const double up = p_.up(i, b, g), low = p_.low(i, b, g);
            const double violated = std::max({0.0, -up, low});
            worst = std::max(worst, violated);
            if (violated == 0.0) {
                if (std::min(up, -low) > firm) {
                    std::swap(active_[a--], active_[--kept]);
                    shrunk_ = true;
                }
                continue;
            }
            const double target = minimiser(i, b, g);
            if (target == b) continue;
            beta_[i] = target;
            shift(i, target - b);
            if ((a & 1023) == 0 && opt_.interrupted && opt_.interrupted()) break;
        }
        active_.resize(kept);
        return worst;
    }

    // argmin over z in the box of 1/2 h (z - b)^2 + g (z - b) + e |z|.
    double minimiser(index i, double b, double g) const {
        const double h = std::max(curve_[i], 1e-12), e = p_.e(i), free = b - g / h;
        double z = free;
        if (e > 0.0) z = free > e / h ? free - e / h : free < -e / h ? free + e / h : 0.0;
        return std::min(p_.upper[i], std::max(p_.lower[i], z));
    }

    double gap(CoordinateResult& result) const {
        std::vector<double> f(static_cast<std::size_t>(p_.n));
        for (index i = 0; i < p_.n; ++i) f[i] = value(i);
        const SmoValues values = smo_values(p_, beta_, f.data(), 0);
        result.primal = values.primal;
        result.dual = values.dual;
        return values.primal - values.dual;
    }

    double violation() const {
        double worst = 0.0;
        for (index i = 0; i < p_.n; ++i) {
            const double b = beta_[i], g = value(i) + p_.linear[i] + p_.rho(i) * b;
            worst = std::max({worst, -p_.up(i, b, g), p_.low(i, b, g)});
        }
        return worst;
    }
};

}  // namespace mercer
