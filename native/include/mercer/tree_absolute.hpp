// Absolute errors around the median, for the criterion "absolute_error". They do not add up, so the errors of growing
// sets of rows come from a Fenwick tree over the targets of the node in their order: n log n for all cuts of a column.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "mercer/tree_impurity.hpp"

namespace mercer::tree {

// Weights reach half of their sum only up to rounding; the median is then between two values.
constexpr double half_slack = 1e-12;

// The targets of a node for one output: its distinct values in order, and the place of each entry among them.
struct Ranked {
    std::vector<double> value;
    std::vector<std::uint32_t> place;
    double median = 0, spread = 0;  // spread: sum of w |y - median|

    // target: entry i at [i * stride + at]; weight null: all one.
    void rank(const double* target, size_t n, size_t stride, size_t at, const double* weight) {
        std::vector<std::uint32_t> order(n);
        for (size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i);
        const auto y = [&](std::uint32_t i) { return target[i * stride + at]; };
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return y(a) < y(b); });
        value.clear();
        place.resize(n);
        double sum = 0;
        for (std::uint32_t i : order) {
            if (value.empty() || y(i) != value.back()) value.push_back(y(i));
            place[i] = static_cast<std::uint32_t>(value.size() - 1);
            sum += weight ? weight[i] : 1.0;
        }
        find_median(order, y, weight, sum);
    }

private:
    template <class Target>
    void find_median(const std::vector<std::uint32_t>& order, const Target& y, const double* weight, double sum) {
        double seen = 0;
        size_t k = 0;
        while (k + 1 < order.size() && (seen += weight ? weight[order[k]] : 1.0) < sum / 2 * (1 - half_slack)) ++k;
        const double below = y(order[k]);
        const bool between = k + 1 < order.size() && seen <= sum / 2 * (1 + half_slack);
        median = between ? below * 0.5 + y(order[k + 1]) * 0.5 : below;
        spread = 0;
        for (std::uint32_t i : order) spread += (weight ? weight[i] : 1.0) * std::abs(y(i) - median);
    }
};

// Weights and weighted targets of a growing set of rows, by the order of their targets.
class Fenwick {
public:
    void clear(const std::vector<double>& value) {
        value_ = value.data();
        size_ = value.size();
        weight_.assign(size_ + 1, 0.0);
        sum_.assign(size_ + 1, 0.0);
        all_weight_ = all_sum_ = 0;
        top_ = 1;
        while (top_ * 2 <= size_) top_ *= 2;
    }

    void add(size_t place, double w) {
        const double wy = w * value_[place];
        all_weight_ += w;
        all_sum_ += wy;
        for (size_t k = place + 1; k <= size_; k += k & (~k + 1)) {
            weight_[k] += w;
            sum_[k] += wy;
        }
    }

    // Sum of w |y - median| over the set, and the median.
    double error(double& median) const {
        double w = 0, wy = 0;
        const double half = all_weight_ / 2;
        const size_t at = std::min(reach(half * (1 - half_slack), w, wy), size_ - 1);
        const double v = value_[at];
        // At v: v (weight up to v - weight beyond) - (sum up to v - sum beyond), whatever is added at v itself.
        const double found = v * (2 * w - all_weight_) + all_sum_ - 2 * wy;
        double over = 0, unused = 0;
        const size_t next = std::min(reach(half * (1 + half_slack), over, unused), size_ - 1);
        median = v * 0.5 + value_[next] * 0.5;
        return std::max(0.0, found);
    }

private:
    const double* value_ = nullptr;
    size_t size_ = 0, top_ = 1;
    std::vector<double> weight_, sum_;
    double all_weight_ = 0, all_sum_ = 0;

    // The first place up to which the weight is at least `least`; w and wy are the sums before it.
    size_t reach(double least, double& w, double& wy) const {
        size_t at = 0;
        for (size_t step = top_; step > 0; step /= 2) {
            if (at + step > size_ || w + weight_[at + step] >= least) continue;
            at += step;
            w += weight_[at];
            wy += sum_[at];
        }
        return at;
    }
};

// Errors and medians on both sides of every cut of a column whose groups are taken in some order.
class Deviations {
public:
    std::vector<double> left, right, left_median, right_median;  // per cut; medians of the first output

    // words: (code << 32 | entry) of the node in order; groups: how many codes are not `missing`. Rows whose code is
    // missing are on the right, on the left, or nowhere.
    enum class Side { right, left, nowhere };

    void measure(const std::vector<std::uint64_t>& words, std::uint32_t missing, size_t groups,
                 const std::uint32_t* order, Side side, const std::vector<Ranked>& ranked, const double* weight) {
        parts(words, missing, groups);
        for (auto* out : {&left, &right, &left_median, &right_median}) out->assign(groups, 0.0);
        for (size_t k = 0; k < ranked.size(); ++k) {
            const Ranked& of = ranked[k];
            const auto add = [&](size_t g) {
                for (size_t i = start_[g]; i < start_[g + 1]; ++i) {
                    const auto entry = static_cast<size_t>(words[i] & 0xFFFFFFFFu);
                    tree_.add(of.place[entry], weight ? weight[entry] : 1.0);
                }
            };
            double median = 0;
            tree_.clear(of.value);
            if (side == Side::left) add(groups);
            for (size_t g = 0; g < groups; ++g) {
                add(order ? order[g] : g);
                left[g] += tree_.error(median) / static_cast<double>(ranked.size());
                if (k == 0) left_median[g] = median;
            }
            tree_.clear(of.value);
            if (side == Side::right) add(groups);
            for (size_t g = groups; g-- > 0;) {
                right[g] += tree_.error(median) / static_cast<double>(ranked.size());
                if (k == 0) right_median[g] = median;
                add(order ? order[g] : g);
            }
        }
    }

private:
    Fenwick tree_;
    std::vector<size_t> start_;  // of each group among the words; then of the missing ones, then the end

    void parts(const std::vector<std::uint64_t>& words, std::uint32_t missing, size_t groups) {
        start_.clear();
        std::uint64_t last = UINT64_MAX;
        for (size_t i = 0; i < words.size(); ++i) {
            if (words[i] >> 32 == last) continue;
            last = words[i] >> 32;
            start_.push_back(i);
        }
        if (last != missing) start_.push_back(words.size());
        start_.push_back(words.size());
        start_.resize(groups + 2, words.size());
    }
};

}  // namespace mercer::tree
