// The best test of a column, from its histogram.
//
//   value(G, H) = -G / (H + l2), cut off at the node's bounds;   gain = G v - (G_left v_left + G_right v_right)
//
// which without bounds is G_left^2 / (H_left + l2) + G_right^2 / (H_right + l2) - G^2 / (H + l2), twice the decrease of
// the second-order loss (Chen and Guestrin 2016, equation 7). Levels are put in the order of G / (H + smooth), where
// the best set of two is a prefix (Fisher 1958).
#pragma once

#include <array>
#include <limits>

#include "mercer/boost_data.hpp"

namespace mercer::boost {

struct Rules {
    double l2 = 0, min_hessian = 1e-3, min_gain = 0;
    std::int64_t min_rows = 20, max_leaves = 31, max_depth = 0;  // 0: no limit
    bool by_depth = false;                                       // level by level, or the leaf that gains most
    double level_smooth = 10, level_l2 = 10;                     // added to hessians of levels: few rows say little
    std::int64_t most_levels = 32;                               // of the smaller side
    std::int64_t columns_per_node = 0;                           // 0: all
    std::uint64_t seed = 0;
    std::vector<std::int8_t> monotone;                // per column; empty: none
    std::vector<std::vector<std::int32_t>> together;  // sets of columns that may meet on a path; empty: any
};

struct Bounds {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    double cut(double v) const { return v < low ? low : v > high ? high : v; }
};

constexpr int kNone = 2;

struct Split {
    double gain = 0;
    int column = -1, cut = 0;  // numbers: bins up to `cut` go left
    int missing_left = 0;      // 1: missing cells go left; kNone: there were none, and a row with one stops here
    std::array<std::uint64_t, 4> left_bins{};  // levels: the bins that go left
    Sums left{};
    double left_value = 0, right_value = 0;

    bool found() const { return column >= 0; }
    bool has(int bin) const { return (left_bins[static_cast<std::size_t>(bin >> 6)] >> (bin & 63)) & 1; }
};

class Finder {
public:
    Finder(const Data& data, const Rules& rules, const Units& units, const Sums& total, double value, Bounds bounds)
        : data_(data), rules_(rules), units_(units), total_(total), bounds_(bounds), before_(units.g(total) * value) {}

    Split find(int number, const Sums* histogram) {
        const Column& column = data_.columns[static_cast<std::size_t>(number)];
        read(column, histogram);
        sign_ = rules_.monotone.empty() ? 0 : rules_.monotone[static_cast<std::size_t>(number)];
        best_ = Split{};
        best_.gain = rules_.min_gain;
        if (column.nominal) levels(column);
        else numbers(column);
        if (best_cut_ >= 0) best_.column = number;
        return best_;
    }

private:
    void read(const Column& column, const Sums* histogram) {
        best_cut_ = -1;
        const Sums* group = histogram + data_.start[static_cast<std::size_t>(column.group)];
        Sums others{};
        for (int bin = 0; bin <= column.bins; ++bin) {
            if (bin == column.usual) continue;
            bin_[bin] = group[column.byte(bin)];
            others += bin_[bin];
        }
        if (column.usual >= 0) bin_[column.usual] = total_ - others;
    }

    void numbers(const Column& column) {
        const Sums missing = bin_[column.bins];
        const bool some = units_.rows(missing) > 0;
        for (int side = 0; side <= (some ? 1 : 0); ++side) {
            Sums left = side ? missing : Sums{};
            for (int cut = 0; cut < column.bins - (side || !some ? 1 : 0); ++cut) {
                if (units_.rows(bin_[cut]) == 0 && cut > 0) continue;  // the same test as the one before
                left += bin_[cut];
                if (side == 1 && units_.rows(left) == units_.rows(missing)) continue;  // looked at from the other side
                if (consider(left, rules_.l2)) {
                    best_cut_ = best_.cut = cut;
                    best_.missing_left = side == 1;
                }
            }
        }
        if (best_cut_ >= 0 && !some) best_.missing_left = 2 * units_.rows(best_.left) > units_.rows(total_);
    }

    void levels(const Column& column) {
        int n = 0;
        for (int bin = 0; bin <= column.bins; ++bin) {
            if (units_.rows(bin_[bin]) == 0) continue;
            key_[bin] = units_.g(bin_[bin]) / (units_.h(bin_[bin]) + rules_.level_smooth);
            order_[n++] = bin;
        }
        std::sort(order_, order_ + n, [this](int a, int b) { return key_[a] != key_[b] ? key_[a] < key_[b] : a < b; });
        Sums left{};
        for (int cut = 0; cut + 1 < n; ++cut) {
            left += bin_[order_[cut]];
            if (std::min(cut + 1, n - cut - 1) > rules_.most_levels) continue;
            if (consider(left, rules_.l2 + rules_.level_l2)) best_cut_ = cut;
        }
        if (best_cut_ < 0) return;
        for (int k = 0; k <= best_cut_; ++k)
            best_.left_bins[static_cast<std::size_t>(order_[k] >> 6)] |= std::uint64_t{1} << (order_[k] & 63);
        best_.missing_left = units_.rows(bin_[column.bins]) > 0 ? best_.has(column.bins) : kNone;
    }

    bool consider(const Sums& left, double l2) {
        const Sums right = total_ - left;
        if (units_.rows(left) < rules_.min_rows || units_.rows(right) < rules_.min_rows) return false;
        const double gl = units_.g(left), hl = units_.h(left), gr = units_.g(right), hr = units_.h(right);
        if (hl < rules_.min_hessian || hr < rules_.min_hessian) return false;
        const double a = bounds_.cut(-gl / (hl + l2 + kTiny)), b = bounds_.cut(-gr / (hr + l2 + kTiny));
        if ((b - a) * sign_ < 0) return false;
        const double gain = before_ - gl * a - gr * b;
        if (!(gain > best_.gain)) return false;
        best_.gain = gain;
        best_.left = left;
        best_.left_value = a;
        best_.right_value = b;
        return true;
    }

    static constexpr double kTiny = 1e-15;  // no division by zero where hessians vanish
    const Data& data_;
    const Rules& rules_;
    const Units& units_;
    const Sums total_;
    const Bounds bounds_;
    const double before_;
    int sign_ = 0, best_cut_ = -1;
    Split best_;
    Sums bin_[kMostBins];
    double key_[kMostBins];
    int order_[kMostBins];
};

}  // namespace mercer::boost
