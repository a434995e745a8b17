// Decomposition for the problem of smo_problem.hpp.
//
// Each round picks a block of violators, solves the small problem in cache (smo_block.hpp), then brings f = K beta up
// to date for all rows with one pass over the kernel rows of the variables that moved, in parallel over columns, so
// that the sum behind each entry has one order whatever the number of threads. Of a third to two thirds of a block
// nothing moves: their rows are not computed, only their cells in the block. Kernel rows are computed hundreds at a
// time, which is what makes them cheap. Stop: violation max_low(g) - min_up(g) <= tol (Keerthi et al. 2001; LIBSVM's
// rule), or duality gap
// <= gap_tol. Every pair step lowers D by a positive amount even when K is indefinite; rounding is caught by counting
// idle rounds.
#pragma once

#include <numeric>

#include "mercer/block_cells.hpp"
#include "mercer/kernel_times.hpp"
#include "mercer/smo_block.hpp"
#include "mercer/smo_problem.hpp"
#include "mercer/stop.hpp"

namespace mercer {

template <class T>
class Smo {
public:
    // The problem's arrays may change between calls of solve (a new C); the kernel may not, so what the block holds of
    // it is still good.
    // block: variables solved together, 0 to choose; limits.max_iter counts pair steps.
    Smo(const SmoProblem& problem, KernelRows<T>& kernel, const Limits& limits, StopToken& stop, Team& team,
        index block = 0)
        : limits(limits), p_(problem), kernel_(kernel), stop_(stop), team_(team), grad_(problem.n),
          in_block_(problem.n, 0) {
        // a fifth of the variables: small enough for cheap steps, large enough that rows are computed by the hundred;
        // steps are what several threads cannot share, so no more than 1536
        const index wanted = block > 0 ? block : std::min<index>(1536, std::max<index>(256, p_.n / 5));
        q_max_ = std::max<index>(1, std::min({wanted, p_.n, kernel_.capacity()}));
    }

    // beta: start in, solution out (size n). f: K times beta by kernel column (size kernel.columns()), in and out.
    // The report has no primal and dual values: `smo_values` computes them.
    Report solve(double* beta, double* f) {
        beta_ = beta;
        f_ = f;
        Report report;
        lowest_ = std::numeric_limits<double>::infinity();
        idle_ = 0;
        const Watched<T> watched(kernel_, [this] {
            if (const Status why = stop_(); why != Status::converged) throw Stopped(why);
        });
        try {
            while (!done(report)) {
                choose_block();
                const std::int64_t steps = solve_block(report);
                report.iterations += steps;
                if (steps == 0) idle_ = kIdle;
            }
        } catch (const Stopped& stopped) {  // amid a block whose rows take long: beta and f are those before it
            report.status = stopped.why;
            slots_.clear();
        }
        report.seconds = stop_.elapsed();
        return report;
    }

    Limits limits;

private:
    static constexpr int kIdle = 8;         // rounds without progress after which the solver has stalled
    static constexpr double kInner = 0.1;   // the block is solved to this fraction of the whole problem's violation
    static constexpr double kFresh = 0.25;  // part of the block that is renewed each round

    const SmoProblem p_;
    KernelRows<T>& kernel_;
    StopToken& stop_;
    Team& team_;
    index q_max_;
    int idle_ = 0;
    double *beta_ = nullptr, *f_ = nullptr, lowest_ = 0.0;
    std::vector<double> grad_, before_, coef_;
    std::vector<std::int32_t> block_, slots_, recent_, fresh_, block_rows_, moved_, guess_;
    std::vector<std::pair<double, std::int32_t>> ups_, lows_;
    std::vector<char> in_block_, keep_;
    std::vector<const T*> rows_;
    std::vector<T> diagonal_;  // of the block's kernel matrix, without the ridge
    CellReader<T> reader_;
    SmoBlock<T> inner_;
    double min_up_[2] = {0, 0}, max_low_[2] = {0, 0};

    // Gradient, the two ends of each group, and D itself.
    double measure() {
        double objective = 0.0;
        for (index k = 0; k < p_.n; ++k) grad_[k] = f_[p_.row(k)];
        if (p_.plain()) {
            const double *b = beta_, *r = p_.linear;
            double* g = grad_.data();
            MERCER_SIMD(reduction(+ : objective))
            for (index k = 0; k < p_.n; ++k) {
                objective += b[k] * (0.5 * g[k] + r[k]);
                g[k] += r[k];
            }
        } else {
            for (index k = 0; k < p_.n; ++k) {
                const double b = beta_[k], smooth = grad_[k] + p_.rho(k) * b;
                objective += b * (0.5 * smooth + p_.linear[k]) + p_.e(k) * std::fabs(b);
                grad_[k] = smooth + p_.linear[k];
            }
        }
        for (index s = 0; s < p_.groups(); ++s) find_ends(s);
        return objective;
    }

    void find_ends(index s) {
        const double inf = std::numeric_limits<double>::infinity();
        double min_up = inf, max_low = -inf;
        const index begin = p_.group_begin(s), end = p_.group_end(s);
        if (!p_.tube) {
            const double *b = beta_, *g = grad_.data(), *lo = p_.lower, *hi = p_.upper;
            MERCER_SIMD(reduction(min : min_up) reduction(max : max_low))
            for (index k = begin; k < end; ++k) {
                const double up = b[k] < hi[k] ? g[k] : inf, low = b[k] > lo[k] ? g[k] : -inf;
                min_up = up < min_up ? up : min_up;
                max_low = low > max_low ? low : max_low;
            }
        } else {
            for (index k = begin; k < end; ++k) {
                min_up = std::min(min_up, p_.up(k, beta_[k], grad_[k]));
                max_low = std::max(max_low, p_.low(k, beta_[k], grad_[k]));
            }
        }
        min_up_[s] = min_up;
        max_low_[s] = max_low;
    }

    double violation() const {
        double worst = 0.0;
        for (index s = 0; s < p_.groups(); ++s) {
            if (!p_.equality) worst = std::max({worst, -min_up_[s], max_low_[s]});
            else if (std::isfinite(min_up_[s]) && std::isfinite(max_low_[s]))
                worst = std::max(worst, max_low_[s] - min_up_[s]);
        }
        return worst;
    }

    bool gap_reached() const {
        const double quick = gap(0);
        // the middle offset overstates the gap; sharpening it is worth the sweeps only when the goal is near
        return quick <= limits.gap_tol || (quick <= 4.0 * limits.gap_tol && gap(8) <= limits.gap_tol);
    }
    double gap(int rounds) const {
        const SmoValues values = smo_values(p_, beta_, f_, rounds);
        return values.primal - values.dual;
    }

    bool done(Report& report) {
        const double objective = measure();
        const bool better = objective < lowest_ - 1e-13 * std::fabs(objective);
        if (idle_ < kIdle) idle_ = better ? 0 : idle_ + 1;
        lowest_ = std::min(lowest_, objective);
        report.violation = violation();
        report.status = Status::converged;
        if (report.violation <= limits.tol) return true;
        if (limits.gap_tol > 0.0 && gap_reached()) return true;
        report.status = limits.used_up(report.iterations) ? Status::max_iter : stop_();
        if (report.status == Status::converged && (idle_ >= kIdle || !std::isfinite(objective)))
            report.status = Status::stalled;
        return report.status != Status::converged;
    }

    // A part of the block from the worst violators on each side, the rest from the block before, free variables first.
    void choose_block() {
        block_.clear();
        if (p_.n <= q_max_) {
            block_.resize(static_cast<std::size_t>(p_.n));
            std::iota(block_.begin(), block_.end(), 0);
            return settle();
        }
        list_violators();
        const index fresh = recent_.empty() ? q_max_ : std::max<index>(2, static_cast<index>(kFresh * q_max_));
        const auto keep = [&](index side) { keep_worst(side == 0 ? ups_ : lows_, q_max_, fresh); };
        if (p_.n > 4096) team_.each(2, keep);
        else keep(0), keep(1);  // before another thread would be awake
        std::size_t next = take_violators(0, fresh);
        for (const bool want_free : {true, false})
            for (std::int32_t k : recent_) {
                const bool free = beta_[k] > p_.lower[k] && beta_[k] < p_.upper[k];
                if (free == want_free) take(k, q_max_);
            }
        take_violators(next, q_max_);
        settle();
    }

    // Branch-free: every variable is written and kept, or overwritten by the next. A branch would be mispredicted half
    // of the time.
    void list_violators() {
        ups_.resize(static_cast<std::size_t>(p_.n));
        lows_.resize(static_cast<std::size_t>(p_.n));
        std::size_t n_ups = 0, n_lows = 0;
        for (index s = 0; s < p_.groups(); ++s) {
            const double above = p_.equality ? max_low_[s] : 0.0, below = p_.equality ? min_up_[s] : 0.0;
            for (index k = p_.group_begin(s); k < p_.group_end(s); ++k) {
                const double up = p_.up(k, beta_[k], grad_[k]), low = p_.low(k, beta_[k], grad_[k]);
                ups_[n_ups] = {up - above, static_cast<std::int32_t>(k)};
                lows_[n_lows] = {below - low, static_cast<std::int32_t>(k)};
                n_ups += up < above;
                n_lows += low > below;
            }
        }
        ups_.resize(n_ups);
        lows_.resize(n_lows);
    }

    // The worst `count`, the worst `ordered` of them in order and ahead of the others.
    static void keep_worst(std::vector<std::pair<double, std::int32_t>>& list, index count, index ordered) {
        for (const index part : {count, ordered})
            if (static_cast<index>(list.size()) > part) {
                std::nth_element(list.begin(), list.begin() + part, list.end());
                if (part == count) list.resize(static_cast<std::size_t>(count));
            }
        std::sort(list.begin(), list.begin() + std::min(ordered, static_cast<index>(list.size())));
    }

    std::size_t take_violators(std::size_t next, index limit) {
        for (; static_cast<index>(block_.size()) < limit && (next < ups_.size() || next < lows_.size()); ++next) {
            if (next < ups_.size()) take(ups_[next].second, limit);
            if (next < lows_.size()) take(lows_[next].second, limit);
        }
        return next;
    }

    void take(std::int32_t k, index limit) {
        if (in_block_[k] || static_cast<index>(block_.size()) >= limit) return;
        in_block_[k] = 1;
        block_.push_back(k);
    }

    // Variables that stay keep their slot, so that their part of the block's Gram matrix stays too.
    void settle() {
        recent_ = block_;
        fresh_.clear();
        if (p_.two_groups() || slots_.size() != block_.size()) {
            slots_ = block_;
            std::sort(slots_.begin(), slots_.end());  // groups are contiguous in the variables, hence in the block
            fresh_.resize(slots_.size());
            std::iota(fresh_.begin(), fresh_.end(), 0);
        } else if (p_.n > q_max_) {
            for (std::int32_t k : slots_) in_block_[k] = static_cast<char>(in_block_[k] ? 2 : 0);
            std::size_t next = 0;
            for (std::size_t a = 0; a < slots_.size(); ++a) {
                if (in_block_[slots_[a]] == 2) continue;
                while (in_block_[block_[next]] == 2) ++next;
                slots_[a] = block_[next++];
                fresh_.push_back(static_cast<std::int32_t>(a));
            }
        }
        for (std::int32_t k : block_) in_block_[k] = 0;
    }

    std::int64_t solve_block(const Report& report) {
        const index q = static_cast<index>(slots_.size());
        block_rows_.resize(slots_.size());
        rows_.resize(slots_.size());
        for (index a = 0; a < q; ++a) block_rows_[a] = static_cast<std::int32_t>(p_.row(slots_[a]));
        const bool whole = p_.n <= q_max_ || !kernel_.function();  // else rows of variables that do not move are spared
        if (whole) fetch_rows(q);
        fill_block(q, whole);
        std::int64_t limit = std::max<std::int64_t>(4096, 64 * q);
        if (limits.max_iter >= 0) limit = std::min(limit, limits.max_iter - report.iterations);
        const double inner_tol =
            p_.n <= q_max_ ? 0.5 * limits.tol : std::max(0.5 * limits.tol, kInner * report.violation);
        const std::int64_t steps = take_steps(inner_tol, limit);
        absorb(q);
        return steps;
    }

    // Steps follow each other in one thread. The others compute kernel rows of variables new to the block meanwhile, of
    // which three in four are going to move.
    std::int64_t take_steps(double tol, std::int64_t limit) {
        const auto solve = [&] { return p_.equality ? inner_.solve(tol, limit) : inner_.solve_free(tol, limit); };
        guess_.clear();
        for (std::int32_t a : fresh_) guess_.push_back(block_rows_[a]);
        if (team_.size() == 1 || !kernel_.guess(guess_.data(), static_cast<index>(guess_.size()))) return solve();
        std::int64_t steps = 0;
        std::atomic<bool> solved{false};
        team_.run([&](int part) {
            if (part > 0) return kernel_.compute_ahead(solved);
            steps = solve();
            solved = true;
        });
        return steps;
    }

    // nu-SVR has two variables per kernel row; the cache wants each row once.
    void fetch_rows(index q) {
        if (!p_.rows || !p_.two_groups()) return kernel_.fetch(block_rows_.data(), q, rows_.data(), team_);
        std::vector<std::int32_t> unique(block_rows_.begin(), block_rows_.begin() + q);
        std::sort(unique.begin(), unique.end());
        unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
        std::vector<const T*> found(unique.size());
        kernel_.fetch(unique.data(), static_cast<index>(unique.size()), found.data(), team_);
        for (index a = 0; a < q; ++a)
            rows_[a] = found[std::lower_bound(unique.begin(), unique.end(), block_rows_[a]) - unique.begin()];
    }

    void fill_block(index q, bool whole) {
        inner_.resize(q);
        inner_.split =
            p_.two_groups()
                ? std::lower_bound(slots_.begin(), slots_.end(), static_cast<std::int32_t>(p_.split)) - slots_.begin()
                : q;
        before_.resize(static_cast<std::size_t>(q));
        diagonal_.resize(static_cast<std::size_t>(q));
        for (index a = 0; a < q; ++a) {
            const index k = slots_[a];
            before_[a] = beta_[k];
            inner_.set(a, beta_[k], p_.lower[k], p_.upper[k], p_.e(k), grad_[k]);
        }
        const Block<T> block{block_rows_.data(), q, inner_.gram.get(), inner_.stride};
        if (whole) reader_.read(rows_.data(), kernel_.columns(), block, fresh_, team_);
        else compute_cells(*kernel_.function(), block, fresh_, team_);
        for (std::int32_t a : fresh_) {
            T* line = inner_.gram.get() + a * inner_.stride;
            std::fill(line + q, line + inner_.q_pad, T(0));
            diagonal_[a] = inner_.diag[a] = line[a];
        }
        if (static_cast<index>(fresh_.size()) < q) mirror_cells(block, fresh_, team_);
        if (p_.ridge)
            for (index a = 0; a < q; ++a) {
                inner_.diag[a] = diagonal_[a] + static_cast<T>(p_.ridge[slots_[a]]);
                inner_.gram[a * inner_.stride + a] = inner_.diag[a];
            }
    }

    // The step of the block in beta and f. Kernel rows may throw, and come first. A variable that ends inside its
    // bounds is likely to move again.
    void absorb(index q) {
        coef_.clear();
        moved_.clear();
        keep_.clear();
        for (index a = 0; a < q; ++a) {
            const double b = inner_.beta[a];
            if (b == before_[a]) continue;
            block_rows_[coef_.size()] = block_rows_[a];
            coef_.push_back(b - before_[a]);
            moved_.push_back(static_cast<std::int32_t>(a));
            keep_.push_back(static_cast<char>(b > inner_.lower[a] && b < inner_.upper[a]));
        }
        kernel_.add({block_rows_.data(), coef_.data(), keep_.data(), static_cast<index>(coef_.size())}, f_, team_);
        for (std::int32_t a : moved_) beta_[slots_[a]] = inner_.beta[a];
    }
};

}  // namespace mercer
