// Cross-validation of support vector machines over a grid of gammas and costs, with the work shared.
//
// Given squared distances (or one Gram matrix), folds, costs and binary problems over the same rows, solves every
// training set and returns each row's decision value from the model that did not see it.
//   once           the distances
//   once a gamma   the kernel, for all folds, costs and problems
//   along C        each solution, scaled by the best factor the new bound allows, starts the next; the block's Gram
//                  matrix is carried over too
//   along gamma    the smallest cost starts from the solution at the gamma before, shrunk into its box when that had a
//                  larger cost (the smallest to be solved may differ from gamma to gamma)
//   held-out rows  are columns of the same matrix, so their decision values are entries of the solver's own K beta
// A training set is solved to a duality gap of gap_tol * (sum of costs): the mean hinge loss is then within gap_tol of
// its optimum, which is the scale on which cross-validation scores differ. Tasks are a gamma, a fold and a problem;
// which thread runs one never changes a result.
#pragma once

#include <condition_variable>
#include <mutex>

#include "mercer/smo.hpp"

namespace mercer {

struct PathGrid {
    index n = 0, n_gammas = 0, n_costs = 0, n_problems = 0, n_folds = 0;
    const double* gammas = nullptr;         // null: the matrix is the kernel itself, n_gammas is 1
    const double* costs = nullptr;          // ascending
    const double* targets = nullptr;        // (n_problems, n): +1 / -1, or numbers for regression
    const std::uint8_t* members = nullptr;  // (n_problems, n): rows this problem may train on
    const std::int32_t* folds = nullptr;    // (n): the fold that holds this row out
    const double* weights = nullptr;        // (n): multiplies the cost; null for 1
    const std::uint8_t* active = nullptr;   // (n_gammas, n_costs, n_folds): what to solve
    bool regression = false, squared_slack = false, bias = true;
    double epsilon = 0.0;

    index solves() const { return n_gammas * n_costs * n_problems * n_folds; }
    index solve_index(index g, index c, index p, index f) const {
        return ((g * n_costs + c) * n_problems + p) * n_folds + f;
    }
    bool wanted(index g, index c, index f) const { return active[(g * n_costs + c) * n_folds + f] != 0; }
};

struct PathOptions {
    Limits limits;  // of each solve; its gap_tol is relative to the sum of costs
    int n_jobs = 1, buffers = 2;
};

struct PathOutput {
    double* decisions = nullptr;       // (n_gammas, n_costs, n_problems, n)
    double* offsets = nullptr;         // (n_gammas, n_costs, n_problems, n_folds)
    double* gaps = nullptr;            // (n_gammas, n_costs, n_problems, n_folds), relative to the sum of costs
    std::int64_t* supports = nullptr;  // (n_gammas, n_costs, n_problems, n_folds)
    double* betas = nullptr;           // (n_gammas, n_costs, n_problems, n_folds, n) or null: start in, solution out
    bool warm = false;                 // betas hold starts
};

// Where the next gamma starts: the solution of the smallest cost that was solved at this one; empty at first.
struct PathSeed {
    std::vector<double> beta;
    double cost = 0.0;
};

// One training set (problem p without fold f) and one kernel: all costs, smallest first.
template <class T>
class FoldPath {
public:
    // part: scratch memory, handed from task to task so that its pages are faulted in once.
    FoldPath(const PathGrid& grid, index p, index f, AlignedBuffer<T>& part)
        : grid_(grid), p_(p), fold_(f), part_(part) {
        for (index i = 0; i < grid.n; ++i) {
            if (grid.folds[i] == f) held_.push_back(static_cast<std::int32_t>(i));
            else if (grid.members[p * grid.n + i]) train_.push_back(static_cast<std::int32_t>(i));
        }
        const std::size_t m = train_.size();
        for (std::vector<double>* v : {&beta_, &linear_, &lower_, &upper_, &weight_}) v->resize(m);
        if (grid.squared_slack) ridge_.resize(m);
        if (grid.regression) tube_.assign(m, grid.epsilon);
        for (std::size_t k = 0; k < m; ++k) {
            linear_[k] = -grid.targets[p * grid.n + train_[k]];
            weight_[k] = grid.weights ? grid.weights[train_[k]] : 1.0;
            total_ += weight_[k];
        }
    }

    // seed: of the gamma before, replaced by this gamma's.
    void run(const T* gram, index g, const PathOptions& options, StopToken& stop, PathSeed& seed, PathOutput& out) {
        if (train_.empty()) return;
        const index width = static_cast<index>(train_.size() + held_.size());
        compact_ =
            10 * width < 6 * grid_.n;  // few of the rows: copying their submatrix is cheaper than updating all columns
        if (compact_) copy_part(gram, width);
        FullGram<T> kernel(compact_ ? part_.get() : gram, compact_ ? static_cast<index>(train_.size()) : grid_.n,
                           compact_ ? width : grid_.n);
        SmoProblem problem = describe();
        Smo<T> smo(problem, kernel, options.limits, stop, alone_);
        f_.assign(static_cast<std::size_t>(kernel.columns()), 0.0);
        double before = 0.0;
        for (index c = 0; c < grid_.n_costs && !stop.interrupted(); ++c) {
            if (!grid_.wanted(g, c, fold_)) continue;
            set_bounds(grid_.costs[c]);
            start(kernel, g, c, before, seed, out);
            smo.limits.gap_tol = options.limits.gap_tol * grid_.costs[c] * total_;
            smo.solve(beta_.data(), f_.data());
            if (before == 0.0) seed = {beta_, grid_.costs[c]};
            before = grid_.costs[c];
            store(problem, g, c, out);
        }
    }

private:
    const PathGrid& grid_;
    index p_, fold_;
    bool compact_ = false;
    double total_ = 0.0;
    std::vector<std::int32_t> train_, held_;
    std::vector<double> beta_, linear_, lower_, upper_, weight_, ridge_, tube_, f_;
    AlignedBuffer<T>& part_;
    Team alone_{1};  // the other threads follow paths of their own

    SmoProblem describe() const {
        SmoProblem problem;
        problem.n = problem.split = static_cast<index>(train_.size());
        problem.linear = linear_.data();
        problem.lower = lower_.data();
        problem.upper = upper_.data();
        problem.tube = tube_.empty() ? nullptr : tube_.data();
        problem.ridge = ridge_.empty() ? nullptr : ridge_.data();
        problem.rows = compact_ ? nullptr : train_.data();
        problem.hinge_box = true;
        problem.equality = grid_.bias;
        return problem;
    }

    void copy_part(const T* gram, index width) {
        std::vector<std::int32_t> columns(train_);
        columns.insert(columns.end(), held_.begin(), held_.end());
        std::vector<std::pair<index, index>> runs;  // (first column, length): rows sorted by class come in two runs
        for (std::int32_t c : columns) {
            if (!runs.empty() && runs.back().first + runs.back().second == c) ++runs.back().second;
            else runs.emplace_back(c, 1);
        }
        part_.resize(train_.size() * static_cast<std::size_t>(width));
        for (std::size_t k = 0; k < train_.size(); ++k) {
            const T* from = gram + train_[k] * grid_.n;
            T* to = part_.get() + static_cast<index>(k) * width;
            for (const auto& [first, length] : runs) to = std::copy_n(from + first, length, to);
        }
    }

    void set_bounds(double cost) {
        for (std::size_t k = 0; k < train_.size(); ++k) {
            const double c = cost * weight_[k],
                         room = grid_.squared_slack ? std::numeric_limits<double>::infinity() : c;
            const bool positive = linear_[k] < 0.0;
            upper_[k] = grid_.regression || positive ? room : 0.0;
            lower_[k] = grid_.regression || !positive ? -room : 0.0;
            if (grid_.squared_slack) ridge_[k] = 1.0 / c;
        }
    }

    void start(KernelRows<T>& kernel, index g, index c, double before, const PathSeed& seed, PathOutput& out) {
        if (out.betas && out.warm) {
            const double* stored = out.betas + grid_.solve_index(g, c, p_, fold_) * grid_.n;
            for (std::size_t k = 0; k < train_.size(); ++k) beta_[k] = stored[train_[k]];
        } else if (before > 0.0) {
            return stretch(grid_.costs[c] / before);
        } else if (!seed.beta.empty()) {
            const double shrink = std::min(1.0, grid_.costs[c] / seed.cost);
            for (std::size_t k = 0; k < train_.size(); ++k) beta_[k] = inside(k, shrink * seed.beta[k]);
        } else {
            std::fill(beta_.begin(), beta_.end(), 0.0);
            return std::fill(f_.begin(), f_.end(), 0.0);
        }
        kernel_times(kernel, compact_ ? nullptr : train_.data(), beta_.data(), static_cast<index>(train_.size()),
                     f_.data(), alone_);
    }

    double inside(std::size_t k, double beta) const { return std::min(upper_[k], std::max(lower_[k], beta)); }

    // The best multiple of the last solution, at least itself and at most what the new bounds allow.
    void stretch(double room) {
        double quadratic = 0.0, slope = 0.0;
        for (std::size_t k = 0; k < train_.size(); ++k) {
            const double fk = f_[compact_ ? k : static_cast<std::size_t>(train_[k])];
            quadratic += beta_[k] * (fk + (ridge_.empty() ? 0.0 : ridge_[k] * beta_[k]));
            slope += linear_[k] * beta_[k] + (tube_.empty() ? 0.0 : tube_[k] * std::fabs(beta_[k]));
        }
        const double scale = quadratic > 0.0 ? std::min(room, std::max(1.0, -slope / quadratic)) : 1.0;
        for (std::size_t k = 0; k < train_.size(); ++k) beta_[k] = inside(k, scale * beta_[k]);
        for (double& value : f_) value *= scale;
    }

    void store(const SmoProblem& problem, index g, index c, PathOutput& out) {
        const SmoValues values = smo_values(problem, beta_.data(), f_.data(), 24);
        const index s = grid_.solve_index(g, c, p_, fold_);
        double* decisions = out.decisions + ((g * grid_.n_costs + c) * grid_.n_problems + p_) * grid_.n;
        for (std::size_t k = 0; k < held_.size(); ++k)
            decisions[held_[k]] =
                f_[compact_ ? train_.size() + k : static_cast<std::size_t>(held_[k])] + values.bias[0];
        out.offsets[s] = values.bias[0];
        out.gaps[s] = (values.primal - values.dual) / (grid_.costs[c] * total_);
        out.supports[s] = std::count_if(beta_.begin(), beta_.end(), [](double b) { return b != 0.0; });
        if (!out.betas) return;
        for (std::size_t k = 0; k < train_.size(); ++k) out.betas[s * grid_.n + train_[k]] = beta_[k];
    }
};

// Hands out the kernel pieces and fold paths of successive gammas in one order; a task waits only for earlier ones, so
// the threads never stand at a barrier between gammas. Two kernel buffers let the next gamma begin while the last folds
// end.
template <class T>
class PathSchedule {
public:
    PathSchedule(const PathGrid& grid, const PathOptions& options, StopToken& stop, const T* base, PathOutput& out)
        : grid_(grid), options_(options), base_(base), out_(out), stop_(stop), pieces_{grid.n, 256} {
        paths_ = grid.n_problems * grid.n_folds;
        seeds_.resize(static_cast<std::size_t>(paths_));
        state_.resize(static_cast<std::size_t>(grid.n_gammas));
        for (State& s : state_) s.path_done.assign(static_cast<std::size_t>(paths_), 0);
        const index buffers = grid.gammas ? std::min<index>(std::max(options.buffers, 1), grid.n_gammas) : 0;
        buffers_.resize(static_cast<std::size_t>(buffers));
        for (auto& buffer : buffers_) buffer.resize(static_cast<std::size_t>(grid.n * grid.n));
    }

    void run() {
        const index per_gamma = kernel_tasks() + paths_;
        parallel_for(per_gamma * grid_.n_gammas, options_.n_jobs, [&](index task) {
            const index g = task / per_gamma, k = task % per_gamma;
            try {
                if (k < kernel_tasks()) fill_kernel(g, k);
                else follow(g, k - kernel_tasks());
            } catch (...) {
                std::lock_guard<std::mutex> lock(guard_);
                failed_ = true;
                changed_.notify_all();
                throw;
            }
        });
    }

private:
    struct State {
        index kernel_done = 0, paths_done = 0;
        std::vector<char> path_done;
    };
    const PathGrid& grid_;
    const PathOptions& options_;
    const T* base_;
    PathOutput& out_;
    StopToken& stop_;
    Segments pieces_;
    index paths_;
    std::vector<PathSeed> seeds_;
    std::vector<State> state_;
    std::vector<AlignedBuffer<T>> buffers_, spare_;
    std::mutex guard_;
    std::condition_variable changed_;
    bool failed_ = false;

    index kernel_tasks() const { return grid_.gammas ? pieces_.count() : 0; }
    bool used(index g) const {
        const index size = grid_.n_costs * grid_.n_folds;
        return std::any_of(grid_.active + g * size, grid_.active + (g + 1) * size,
                           [](std::uint8_t a) { return a != 0; });
    }

    template <class Ready>
    void wait_until(Ready&& ready) {
        std::unique_lock<std::mutex> lock(guard_);
        changed_.wait(lock, [&] { return failed_ || ready(); });
        if (failed_) throw std::runtime_error("another thread failed");
    }

    void fill_kernel(index g, index piece) {
        const index buffers = static_cast<index>(buffers_.size());
        if (g >= buffers) wait_until([&] { return state_[g - buffers].paths_done == paths_; });
        if (used(g) && !stop_.interrupted()) {
            const index begin = pieces_.begin(piece) * grid_.n, count = pieces_.end(piece) * grid_.n - begin;
            rbf_of_distances(base_ + begin, buffers_[g % buffers].get() + begin, count, grid_.gammas[g]);
        }
        std::lock_guard<std::mutex> lock(guard_);
        ++state_[g].kernel_done;
        changed_.notify_all();
    }

    AlignedBuffer<T> borrow() {
        std::lock_guard<std::mutex> lock(guard_);
        if (spare_.empty()) return {};
        AlignedBuffer<T> part = std::move(spare_.back());
        spare_.pop_back();
        return part;
    }

    void follow(index g, index k) {
        wait_until([&] { return state_[g].kernel_done == kernel_tasks() && (g == 0 || state_[g - 1].path_done[k]); });
        const T* gram = grid_.gammas ? buffers_[g % static_cast<index>(buffers_.size())].get() : base_;
        AlignedBuffer<T> part = borrow();
        if (!stop_.interrupted())
            FoldPath<T>(grid_, k / grid_.n_folds, k % grid_.n_folds, part)
                .run(gram, g, options_, stop_, seeds_[k], out_);
        std::lock_guard<std::mutex> lock(guard_);
        spare_.push_back(std::move(part));
        state_[g].path_done[k] = 1;
        ++state_[g].paths_done;
        changed_.notify_all();
    }
};

// base: squared distances (with gammas) or the Gram matrix, (n, n).
template <class T>
void solve_path(const PathGrid& grid, const PathOptions& options, StopToken& stop, const T* base, PathOutput out) {
    PathSchedule<T> schedule(grid, options, stop, base, out);
    schedule.run();
}

}  // namespace mercer
