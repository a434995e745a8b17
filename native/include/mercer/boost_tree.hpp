// One tree of a boosted sum, grown on gradients and hessians.
//
// Problem  lower sum over leaves of G v + (H + l2) v^2 / 2 over trees of at most max_leaves leaves, greedily.
// Given    binned columns, gradient and hessian of each row, the rows to use, rules.
// Result   nodes in the order in which they were made, the value of each, and the rows of every leaf.
// Stop     leaves, depth, rows or hessian of a leaf, or no test that gains.
// The histogram of the smaller child is counted, that of the other is its parent's less this one.
#pragma once

#include <queue>
#include <stdexcept>

#include "mercer/boost_candidates.hpp"
#include "mercer/boost_histogram.hpp"
#include "mercer/lanes.hpp"
#include "mercer/stop.hpp"

namespace mercer::boost {

// The nodes of a tree as arrays; node 0 is the root, column -1 a leaf.
struct Grown {
    std::vector<std::int32_t> column, left, right;
    std::vector<std::uint8_t> cut, missing_left;
    std::vector<std::int32_t> set;         // of a test of levels: which line of left_bins; -1 elsewhere
    std::vector<std::uint64_t> left_bins;  // (n_sets, 4)
    std::vector<double> value, gain, hessian;
    std::vector<std::int64_t> rows, first, last;  // the rows of a leaf are order[first:last]
    std::vector<std::uint32_t> order;
};

class Grower {
public:
    // `count`: how many rows each row stands for, or null for one each.
    Grower(const Data& data, const Rules& rules, const double* gradient, const double* hessian,
           const std::uint32_t* count, std::vector<std::uint32_t> rows, int n_jobs)
        : data_(data), rules_(rules), team_(n_jobs), units_(units(gradient, hessian, count, rows)),
          builder_(data_, pack(gradient, hessian, count, rows), team_) {
        grown_.order = std::move(rows);
        scratch_.resize(grown_.order.size());
    }

    Grown grow(StopToken& stop) {
        plant();
        std::int64_t leaves = 1;
        while (leaves < rules_.max_leaves && !open_.empty()) {
            const int node = open_.top().node;
            open_.pop();
            if (stop() != Status::converged) break;
            split(node, ++leaves < rules_.max_leaves);
        }
        return std::move(grown_);
    }

private:
    struct Growing {  // what is known of a node while the tree grows
        Sums total{};
        Bounds bounds;
        int depth = 0;
        Split best;
        std::unique_ptr<Histogram> histogram;
        std::vector<std::int32_t> allowed;  // columns, where the rules limit them
    };
    struct Open {
        double gain;
        int depth, node;
        bool by_depth;
        bool operator<(const Open& other) const {  // whether `other` comes first
            if (by_depth && depth != other.depth) return depth > other.depth;
            return gain != other.gain ? gain < other.gain : node > other.node;
        }
    };

    Units units(const double* gradient, const double* hessian, const std::uint32_t* count,
                const std::vector<std::uint32_t>& rows) {
        std::vector<double> most(2 * static_cast<std::size_t>(team_.size()), 0.0);
        shared(static_cast<index>(rows.size()), [&](int member, index first, index last) {
            double g = 0, h = 0;
            bool finite = true;
            for (index i = first; i < last; ++i) {
                const std::uint32_t r = rows[static_cast<std::size_t>(i)];
                finite &= std::abs(gradient[r]) <= kLargest && hessian[r] >= 0 && hessian[r] <= kLargest;
                g = std::max(g, std::abs(gradient[r]));
                h = std::max(h, hessian[r]);
            }
            if (!finite) throw std::invalid_argument("gradients must be finite, and hessians not negative");
            most[2 * static_cast<std::size_t>(member)] = g;
            most[2 * static_cast<std::size_t>(member) + 1] = h;
        });
        double g = 0, h = 0;
        for (std::size_t m = 0; m < most.size(); m += 2) {
            g = std::max(g, most[m]);
            h = std::max(h, most[m + 1]);
        }
        std::int64_t all = count ? 0 : static_cast<std::int64_t>(rows.size());
        if (count)
            for (const std::uint32_t r : rows) all += count[r];
        if (all > kMostRows) throw std::invalid_argument("rows stand for more than 2^30 rows");
        return {g, h, std::max<std::int64_t>(all, static_cast<std::int64_t>(rows.size()))};
    }

    const Sums* pack(const double* gradient, const double* hessian, const std::uint32_t* count,
                     const std::vector<std::uint32_t>& rows) {
        packed_.resize(static_cast<std::size_t>(data_.rows));
        std::vector<Sums> totals(static_cast<std::size_t>(team_.size()), Sums{});
        shared(static_cast<index>(rows.size()), [&](int member, index first, index last) {
            Sums total{};
            for (index i = first; i < last; ++i) {
                const std::uint32_t r = rows[static_cast<std::size_t>(i)];
                total += packed_[r] = units_.pack(gradient[r], hessian[r], count ? count[r] : 1u);
            }
            totals[static_cast<std::size_t>(member)] = total;
        });
        for (const Sums& part : totals) total_ += part;
        return packed_.get();
    }

    template <class Work>
    void shared(index n, Work&& work) {
        const index members = n < kAlone ? 1 : team_.size();
        if (members == 1) return work(0, 0, n);
        team_.run([&](int m) { work(m, n * m / members, n * (m + 1) / members); });
    }

    void plant() {
        Growing root;
        root.total = total_;
        const index n = static_cast<index>(grown_.order.size());
        const int node = add(root, 0, n, plain_value(root.total));
        if (!rules_.together.empty()) growing_[0].allowed = joined(rules_.together, {});
        if (!splittable(node)) return;
        growing_[0].histogram = pool_.take();
        builder_.build(grown_.order.data(), n, *growing_[0].histogram);
        look(node, node);
    }

    double plain_value(const Sums& total) const { return -units_.g(total) / (units_.h(total) + rules_.l2 + 1e-15); }

    int add(Growing& node, index first, index last, double value) {
        grown_.column.push_back(-1);
        grown_.left.push_back(-1);
        grown_.right.push_back(-1);
        grown_.cut.push_back(0);
        grown_.missing_left.push_back(0);
        grown_.set.push_back(-1);
        grown_.value.push_back(value);
        grown_.gain.push_back(0);
        grown_.hessian.push_back(units_.h(node.total));
        grown_.rows.push_back(units_.rows(node.total));
        grown_.first.push_back(first);
        grown_.last.push_back(last);
        growing_.push_back(std::move(node));
        return static_cast<int>(growing_.size()) - 1;
    }

    bool splittable(int node) const {
        const Growing& g = growing_[static_cast<std::size_t>(node)];
        return units_.rows(g.total) >= 2 * rules_.min_rows && (rules_.max_depth == 0 || g.depth < rules_.max_depth) &&
               units_.h(g.total) >= 2 * rules_.min_hessian;
    }

    // Looks for the best tests of two nodes at once (or of one, given twice): their columns are shared by the team.
    void look(int a, int b) {
        std::vector<std::pair<int, int>> tasks;  // node, column
        for (const int node : {a, b}) {
            if (node == b && a == b && !tasks.empty()) break;
            if (!growing_[static_cast<std::size_t>(node)].histogram) continue;
            const auto at = static_cast<std::size_t>(node);
            for (const int column : candidates(rules_, data_.columns.size(), growing_[at].allowed, at))
                tasks.emplace_back(node, column);
        }
        std::vector<Split> found(tasks.size());
        const auto one = [&](index t) {
            const auto [node, column] = tasks[static_cast<std::size_t>(t)];
            const Growing& g = growing_[static_cast<std::size_t>(node)];
            Finder finder(data_, rules_, units_, g.total, grown_.value[static_cast<std::size_t>(node)], g.bounds);
            found[static_cast<std::size_t>(t)] = finder.find(column, g.histogram->data());
        };
        if (tasks.size() < 8)
            for (std::size_t t = 0; t < tasks.size(); ++t) one(static_cast<index>(t));
        else team_.each(static_cast<index>(tasks.size()), one);
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            Split& best = growing_[static_cast<std::size_t>(tasks[t].first)].best;
            if (found[t].found() && (!best.found() || found[t].gain > best.gain)) best = found[t];
        }
        for (const int node : {a, b}) {
            Growing& g = growing_[static_cast<std::size_t>(node)];
            if (g.best.found()) open_.push({g.best.gain, g.depth, node, rules_.by_depth});
            else pool_.give(std::move(g.histogram));
            if (a == b) break;
        }
    }

    void split(int node, bool goes_on) {
        const auto at = static_cast<std::size_t>(node);
        const Split best = growing_[at].best;
        const index first = grown_.first[at], last = grown_.last[at];
        const index middle = first + partition(best, first, last);
        Growing left, right;
        left.total = best.left;
        right.total = growing_[at].total - best.left;
        left.depth = right.depth = growing_[at].depth + 1;
        bound(best, growing_[at].bounds, left.bounds, right.bounds);
        if (!rules_.together.empty()) left.allowed = right.allowed = joined(rules_.together, path(node, best.column));
        record(at, best);
        auto histogram = std::move(growing_[at].histogram);
        const int a = add(left, first, middle, value_of(left.total, left.bounds));
        const int b = add(right, middle, last, value_of(right.total, right.bounds));
        grown_.left[at] = a;
        grown_.right[at] = b;
        if (goes_on) share_histogram(std::move(histogram), a, b);
        else pool_.give(std::move(histogram));
    }

    double value_of(const Sums& total, const Bounds& bounds) const { return bounds.cut(plain_value(total)); }

    void bound(const Split& best, const Bounds& own, Bounds& left, Bounds& right) const {
        left = right = own;
        const int sign = rules_.monotone.empty() ? 0 : rules_.monotone[static_cast<std::size_t>(best.column)];
        const double middle = best.left_value * 0.5 + best.right_value * 0.5;
        if (sign > 0) left.high = right.low = middle;
        if (sign < 0) left.low = right.high = middle;
    }

    std::vector<std::int32_t> path(int node, int column) const {
        std::vector<std::int32_t> used{column};
        for (int child = node; child != 0;) {
            int parent = 0;
            while (grown_.left[static_cast<std::size_t>(parent)] != child &&
                   grown_.right[static_cast<std::size_t>(parent)] != child)
                ++parent;
            used.push_back(grown_.column[static_cast<std::size_t>(parent)]);
            child = parent;
        }
        return used;
    }

    void record(std::size_t at, const Split& best) {
        grown_.column[at] = best.column;
        grown_.gain[at] = best.gain;
        grown_.cut[at] = static_cast<std::uint8_t>(best.cut);
        grown_.missing_left[at] = static_cast<std::uint8_t>(best.missing_left);
        if (!data_.columns[static_cast<std::size_t>(best.column)].nominal) return;
        grown_.set[at] = static_cast<std::int32_t>(grown_.left_bins.size() / 4);
        grown_.left_bins.insert(grown_.left_bins.end(), best.left_bins.begin(), best.left_bins.end());
    }

    void share_histogram(std::unique_ptr<Histogram> parent, int a, int b) {
        const bool a_less = grown_.last[static_cast<std::size_t>(a)] - grown_.first[static_cast<std::size_t>(a)] <=
                            grown_.last[static_cast<std::size_t>(b)] - grown_.first[static_cast<std::size_t>(b)];
        const auto less = static_cast<std::size_t>(a_less ? a : b), more = static_cast<std::size_t>(a_less ? b : a);
        const bool open_less = splittable(static_cast<int>(less)), open_more = splittable(static_cast<int>(more));
        if (open_less || open_more) {
            auto own = pool_.take();
            builder_.build(grown_.order.data() + grown_.first[less], grown_.last[less] - grown_.first[less], *own);
            if (open_more) {
                for (std::size_t e = 0; e < own->size(); ++e) (*parent)[e] -= (*own)[e];
                growing_[more].histogram = std::move(parent);
            }
            if (open_less) growing_[less].histogram = std::move(own);
            pool_.give(std::move(own));
            look(a, b);
        }
        pool_.give(std::move(parent));
    }

    // Rows that go left first, both sides in their order; returns how many go left.
    index partition(const Split& best, index first, index last) {
        const Column& column = data_.columns[static_cast<std::size_t>(best.column)];
        std::uint8_t goes_left[kMostBins];
        sides(best, column, goes_left);
        const std::uint8_t* bytes = data_.group(column.group);
        std::uint32_t* rows = grown_.order.data() + first;
        const index n = last - first;
        std::vector<index> counts(static_cast<std::size_t>(team_.size()), 0), starts(counts.size(), n);
        shared(n, [&](int member, index begin, index end) {
            index to = begin, aside = begin;
            for (index i = begin; i < end; ++i) {
                const std::uint32_t row = rows[i];
                const bool left = goes_left[bytes[row]] != 0;
                rows[to] = row;
                scratch_[static_cast<std::size_t>(aside)] = row;
                to += left;
                aside += !left;
            }
            counts[static_cast<std::size_t>(member)] = to - begin;
            starts[static_cast<std::size_t>(member)] = begin;
        });
        index done = 0;
        for (std::size_t m = 0; m < counts.size(); ++m) {
            std::memmove(rows + done, rows + starts[m], static_cast<std::size_t>(counts[m]) * sizeof *rows);
            done += counts[m];
        }
        shared(n, [&](int member, index begin, index end) {
            const index before = std::accumulate(counts.begin(), counts.begin() + member, index{0});
            const index right = end - begin - counts[static_cast<std::size_t>(member)];
            std::memcpy(rows + done + begin - before, scratch_.data() + begin,
                        static_cast<std::size_t>(right) * sizeof *rows);
        });
        return done;
    }

    static void sides(const Split& best, const Column& column, std::uint8_t* goes_left) {
        const auto left = [&](int bin) {
            if (bin == column.bins) return best.missing_left == 1;
            return column.nominal ? best.has(bin) : bin <= best.cut;
        };
        std::fill(goes_left, goes_left + kMostBins, static_cast<std::uint8_t>(column.usual >= 0 && left(column.usual)));
        for (int bin = 0; bin <= column.bins; ++bin) goes_left[column.byte(bin)] = left(bin);
    }

    static constexpr index kAlone = 8192;  // rows that one thread sees to sooner than several
    const Data& data_;
    const Rules& rules_;
    Team team_;
    const Units units_;
    AlignedBuffer<Sums> packed_;  // on large pages: the rows of a small node are far apart
    Sums total_{};                // of all rows
    HistogramBuilder builder_;
    HistogramPool pool_;
    std::vector<Growing> growing_;
    std::priority_queue<Open> open_;
    std::vector<std::uint32_t> scratch_;
    Grown grown_;
};

}  // namespace mercer::boost
