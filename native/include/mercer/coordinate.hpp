// Dual coordinate descent for linear support vector machines.
//
//   minimise D(b) = 1/2 |w|^2 + r'b + sum e_i |b_i| + 1/2 sum ridge_i b_i^2 over lower <= b <= upper,
//   w = sum_i b_i (x_i, s)
//
// with s the constant column that carries the offset (0 for none). Hinge: r = -y, [0, C] or [-C, 0]; squared hinge: no
// upper bound and ridge 1/(2C); epsilon-insensitive: r = -z, e = epsilon, [-C, C], or ridge 1/(2C). One coordinate at a
// time has a closed form (soft threshold, then clip). Shrinking: rows at a bound whose slope keeps them there are
// skipped until the rest has converged. Hsieh et al. 2008, Algorithm 3; Ho and Lin 2012, Algorithm 3. Stop: largest
// violation <= tol on a pass over all rows, or duality gap <= gap_tol.
#pragma once

#include <limits>
#include <numeric>
#include <vector>

#include "mercer/gram.hpp"
#include "mercer/smo_problem.hpp"
#include "mercer/stop.hpp"

namespace mercer {

template <class T>
struct DenseRows {
    static constexpr bool sparse = false;
    const T* x;
    index n, d;
    double dot(index i, const double* w) const {
        const T* row = x + i * d;
        double sum = 0.0;
        MERCER_SIMD(reduction(+ : sum))
        for (index k = 0; k < d; ++k) sum += double(row[k]) * w[k];
        return sum;
    }
    void add(index i, double c, double* w) const {
        const T* row = x + i * d;
        MERCER_SIMD()
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
    static constexpr bool sparse = true;
    CsrView<T> x;
    index n, d;
    explicit SparseRows(const CsrView<T>& view) : x(view), n(view.n), d(view.d) {}
    double dot(index i, const double* w, index stride = 1) const {
        const std::int64_t end = x.starts[i + 1];
        std::int64_t s = x.starts[i];
        double sums[4] = {0.0, 0.0, 0.0, 0.0};  // four sums at a time: none waits for the one before
        for (; s + 4 <= end; s += 4)
            for (int lane = 0; lane < 4; ++lane)
                sums[lane] += double(x.values[s + lane]) * w[x.columns[s + lane] * stride];
        for (; s < end; ++s) sums[0] += double(x.values[s]) * w[x.columns[s] * stride];
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    void add(index i, double c, double* w, index stride = 1) const {
        for (std::int64_t s = x.starts[i]; s < x.starts[i + 1]; ++s)
            w[x.columns[s] * stride] += c * double(x.values[s]);
    }
    double norm(index i) const {
        double sum = 0.0;
        for (std::int64_t s = x.starts[i]; s < x.starts[i + 1]; ++s) sum += double(x.values[s]) * double(x.values[s]);
        return sum;
    }
};

struct PassOptions {
    Limits limits;              // max_iter counts passes over the rows
    double offset_scale = 1.0;  // value of the constant column, 0 for no offset
    std::uint64_t seed = 0;     // of the order of the rows
};

// Passes over rows in random order, with rows that can leave until the others have converged.
class RowPasses {
protected:
    PassOptions opt_;
    StopToken& stop_;
    std::uint64_t random_;
    std::vector<index> active_;
    bool shrunk_ = false;  // whether anything was left out

    RowPasses(const PassOptions& options, StopToken& stop)
        : opt_(options), stop_(stop), random_(options.seed * 2 + 1) {}

    void all_rows(index n) {
        active_.resize(static_cast<std::size_t>(n));
        std::iota(active_.begin(), active_.end(), index(0));
        shrunk_ = false;
    }
    std::uint64_t draw() {  // xorshift: the order of rows depends on the seed alone
        random_ ^= random_ << 13;
        random_ ^= random_ >> 7;
        random_ ^= random_ << 17;
        return random_;
    }

    // epoch(firm): one pass, the largest violation met; reset(): everything takes part again; gap(): the duality gap.
    template <class Epoch, class Reset, class Gap>
    void run(Report& report, Epoch epoch, Reset reset, Gap gap) {
        double firm = std::numeric_limits<double>::infinity();
        reset();
        while (!stopped(report)) {
            const double worst = epoch(firm);
            ++report.iterations;
            firm = worst > 0.0 ? worst : std::numeric_limits<double>::infinity();
            if (worst <= opt_.limits.tol && !shrunk_) break;
            if (opt_.limits.gap_tol > 0.0 && report.iterations % 10 == 0 && gap() <= opt_.limits.gap_tol) break;
            if (worst <= opt_.limits.tol) {
                reset();
                firm = std::numeric_limits<double>::infinity();
            }
        }
    }

    // Every active row once; visit(row, leaves) improves it, says its violation, and whether it takes part no more.
    template <class Visit>
    double pass(Visit visit) {
        double worst = 0.0;
        std::size_t kept = active_.size();
        for (std::size_t a = 0; a < kept; ++a) {
            std::swap(active_[a], active_[a + draw() % (kept - a)]);
            bool leaves = false;
            worst = std::max(worst, visit(active_[a], leaves));
            if ((a & 1023) == 0 && stop_.interrupted()) break;
            if (leaves) {
                std::swap(active_[a--], active_[--kept]);
                shrunk_ = true;
            }
        }
        active_.resize(kept);
        return worst;
    }

private:
    bool stopped(Report& report) const {
        report.status = opt_.limits.used_up(report.iterations) ? Status::max_iter : stop_();
        return report.status != Status::converged;
    }
};

template <class Rows>
class CoordinateDescent : private RowPasses {
public:
    CoordinateDescent(const Rows& rows, const SmoProblem& problem, const PassOptions& options, StopToken& stop)
        : RowPasses(options, stop), x_(rows), p_(problem) {
        curve_.resize(static_cast<std::size_t>(p_.n));
        const double constant = opt_.offset_scale * opt_.offset_scale;
        for (index i = 0; i < p_.n; ++i) curve_[i] = x_.norm(i) + constant + p_.rho(i);
    }

    // beta: start in, solution out (n); w: (d + 1), the last entry belongs to the constant column.
    Report solve(double* beta, double* w) {
        beta_ = beta;
        w_ = w;
        std::fill_n(w_, x_.d + 1, 0.0);
        for (index i = 0; i < p_.n; ++i)
            if (beta_[i] != 0.0) shift(i, beta_[i]);
        Report report;
        run(
            report, [this](double firm) { return epoch(firm); }, [this] { all_rows(p_.n); },
            [&] { return gap(report, values()); });
        const std::vector<double> f = values();
        gap(report, f);
        report.violation = violation(f);
        report.seconds = stop_.elapsed();
        return report;
    }

private:
    const Rows& x_;
    const SmoProblem p_;
    std::vector<double> curve_;
    double *beta_ = nullptr, *w_ = nullptr;

    double value(index i) const { return x_.dot(i, w_) + opt_.offset_scale * w_[x_.d]; }
    void shift(index i, double by) {
        x_.add(i, by, w_);
        w_[x_.d] += by * opt_.offset_scale;
    }

    // Rows at a bound, or at the kink, that every slope keeps there by more than `firm` are shrunk.
    double epoch(double firm) {
        return pass([this, firm](index i, bool& leaves) {
            const double b = beta_[i], g = value(i) + p_.linear[i] + p_.rho(i) * b;
            const double up = p_.up(i, b, g), low = p_.low(i, b, g);
            const double violated = std::max({0.0, -up, low});
            leaves = violated == 0.0 && std::min(up, -low) > firm;
            const double target = violated == 0.0 ? b : minimiser(i, b, g);
            if (target != b) {
                beta_[i] = target;
                shift(i, target - b);
            }
            return violated;
        });
    }

    // argmin over z in the box of 1/2 h (z - b)^2 + g (z - b) + e |z|.
    double minimiser(index i, double b, double g) const {
        const double h = std::max(curve_[i], 1e-12), e = p_.e(i), free = b - g / h;
        double z = free;
        if (e > 0.0) z = free > e / h ? free - e / h : free < -e / h ? free + e / h : 0.0;
        return std::min(p_.upper[i], std::max(p_.lower[i], z));
    }

    std::vector<double> values() const {
        std::vector<double> f(static_cast<std::size_t>(p_.n));
        for (index i = 0; i < p_.n; ++i) f[i] = value(i);
        return f;
    }

    double gap(Report& report, const std::vector<double>& f) const {
        const SmoValues values = smo_values(p_, beta_, f.data(), 0);
        report.primal = values.primal;
        report.dual = values.dual;
        return values.primal - values.dual;
    }

    double violation(const std::vector<double>& f) const {
        double worst = 0.0;
        for (index i = 0; i < p_.n; ++i) {
            const double b = beta_[i], g = f[i] + p_.linear[i] + p_.rho(i) * b;
            worst = std::max({worst, -p_.up(i, b, g), p_.low(i, b, g)});
        }
        return worst;
    }
};

}  // namespace mercer
