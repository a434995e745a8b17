// The best test of one column at one node.
//
//   gain = (w I(rows compared) - sum over branches of w_b I(b)) / W
//
// with W the weight of all rows of the node and I the impurity. Where missing cells are learned, all rows are compared,
// the missing ones on the side where they gain; otherwise those whose cell is known, so that a column that is mostly
// missing gains little (Quinlan 1993, ch. 3).
#pragma once

#include "mercer/tree_counts.hpp"

namespace mercer::tree {

struct Split {
    double gain = -std::numeric_limits<double>::infinity();
    double merit = gain;  // what columns are compared by: gain, less what the choice of sets costs
    double ratio = 0;
    int column = -1;
    Kind kind = Kind::leaf;
    std::int32_t branches = 2,
                 missing_branch = -1;  // where missing cells were sent; -1: none were here, or not learned
    std::uint32_t cut = 0;             // ordered: the last code on the left
    double threshold = 0;
    double middle = 0;                  // of a constrained column: between the answers of the two branches
    std::vector<std::uint32_t> levels;  // nominal: the levels present, increasing
    std::vector<std::uint32_t> branch;  //          and the branch of each
    bool many = false;                  // a branch per level with hardly any rows each (left out of the average gain)
    bool constant = false;              // nothing to tell apart: of no use further down either
    bool found() const { return column >= 0; }
};

// Looks for the best test of one column, or for one at random. Ties within a relative 1e-10 of the node's impurity go
// to the first test, and missing rows to the right.
class Finder {
public:
    Finder(const Rules& rules, const XLog& xlog, const Sample& sample, const Bounds& bounds, Work& work)
        : rules_(rules), xlog_(xlog), s_(sample), ch_(*sample.channels), bounds_(bounds), work_(work),
          all_(ch_.weight(sample.total)), slack_(1e-10 * sample.spread), total_(work.total) {}

    Split find(const Column& column, int number, std::uint64_t node_seed) {
        Split split;
        if (s_.tag && !column.nominal && rules_.monotone.empty() && rules_.criterion == Criterion::gini) {
            by_counts(column, number, node_seed, split);
            return split;
        }
        group(column, s_, work_);
        const bool aside = rules_.learned() && work_.groups.any_missing;
        split.constant = work_.groups.size() + aside < 2 || work_.groups.size() == 0;
        if (split.constant) return split;
        monotone_ = rules_.monotone.empty() ? 0 : rules_.monotone[static_cast<size_t>(number)];
        Random random(Random::of_column(node_seed, number));
        if (aside && column.nominal) missing_as_level(column);
        sum_compared(aside && !column.nominal);
        if (!column.nominal) ordered(column, split, random);
        else if (rules_.multiway) multiway(split);
        else subset(split, random);
        if (split.kind == Kind::leaf) return split;
        if (aside && column.nominal) missing_from_level(split);
        split.column = number;
        return split;
    }

private:
    struct Best {
        double after = std::numeric_limits<double>::infinity(), middle = 0;
        size_t cut = SIZE_MAX;
        bool missing_left = false;
    };

    const Rules& rules_;
    const XLog& xlog_;
    const Sample& s_;
    const Channels& ch_;
    const Bounds& bounds_;
    Work& work_;
    const double all_, slack_;
    double compared_ = 0, before_ = 0, least_rows_ = 1;  // weight of the rows compared, its product with impurity
    double least_weight_ = 0;
    int monotone_ = 0;
    bool special_ = false;        // more is asked of a cut than rows and weight
    bool aside_ = false;          // missing rows are not a group, yet compared
    std::vector<double>& total_;  // of the rows compared

    // Classes of whole weight under Gini: `CountFinder` has all that a cut needs.
    void by_counts(const Column& column, int number, std::uint64_t node_seed, Split& split) {
        CountFinder finder(column, s_, work_.count, rules_.min_rows_leaf, rules_.min_weight_leaf * (1 - ch_.slack()),
                           slack_);
        split.constant = !finder.read();
        if (split.constant) return;
        double drawn = std::numeric_limits<double>::quiet_NaN();
        CountCut cut;
        if (rules_.random) {
            Random random(Random::of_column(node_seed, number));
            cut = drawn_cut(column, finder, random, drawn);
        } else {
            cut = finder.best();
        }
        if (!cut.found) return;
        split.column = number;
        split.kind = Kind::threshold;
        split.cut = cut.last;
        split.threshold = std::numeric_limits<double>::infinity();
        if (!cut.alone) {
            const double low = column.high[cut.last], high = column.low[cut.next];
            split.threshold = drawn >= low && drawn < high ? drawn : halfway(low, high);
        }
        if (finder.aside()) split.missing_branch = cut.missing_left ? 0 : 1;
        split.gain = split.merit = (s_.spread - cut.after) / all_;
    }

    // The cut of `draw_cut`.
    static CountCut drawn_cut(const Column& column, CountFinder& finder, Random& random, double& drawn) {
        const double low = column.low[finder.least()], high = column.high[finder.most()], u = random.unit();
        const bool missing_left = finder.aside() && random.below(2) != 0;
        if (finder.least() == finder.most()) return finder.only(finder.least(), false, true);
        drawn = low * (1 - u) + high * u;
        if (!(drawn < high)) drawn = low;
        const auto* from = column.low.data();
        const auto above = std::upper_bound(from + finder.least(), from + finder.most(), drawn) - from;
        return finder.only(static_cast<std::uint32_t>(above) - 1, missing_left, false);
    }

    void missing_as_level(const Column& column) {
        Groups& groups = work_.groups;
        groups.code.push_back(column.size);
        groups.cells.insert(groups.cells.end(), groups.missing.begin(), groups.missing.end());
    }

    static void missing_from_level(Split& split) {
        split.missing_branch = static_cast<std::int32_t>(split.branch.back());
        split.levels.pop_back();
        split.branch.pop_back();
    }

    void sum_compared(bool aside) {
        const size_t width = static_cast<size_t>(ch_.width);
        const Groups& groups = work_.groups;
        aside_ = aside;
        total_.assign(width, 0.0);
        for (size_t g = 0; g < groups.size(); ++g)
            for (size_t c = 0; c < width; ++c) total_[c] += groups.cells[g * width + c];
        if (aside)
            for (size_t c = 0; c < width; ++c) total_[c] += groups.missing[c];
        compared_ = ch_.weight(total_.data());
        least_rows_ = rules_.min_rows_leaf;
        least_weight_ = rules_.min_weight_leaf * (1 - ch_.slack());
        special_ = monotone_ != 0 || rules_.criterion == Criterion::poisson;
        if (rules_.learned()) before_ = s_.spread;
        else if (s_.ranked) before_ = known_deviation();
        else before_ = spread(total_.data(), ch_, rules_.criterion, xlog_, compared_);
    }

    double known_deviation() {
        measure(nullptr, false);
        return work_.deviations.left[work_.groups.size() - 1];
    }

    void measure(const std::uint32_t* order, bool missing_left) {
        const auto side = !aside_        ? Deviations::Side::nowhere
                          : missing_left ? Deviations::Side::left
                                         : Deviations::Side::right;
        // The largest code is `missing` where some is; a code beyond all others where none is.
        const auto last = static_cast<std::uint32_t>(work_.words.back() >> 32);
        const std::uint32_t missing = work_.groups.any_missing ? last : last + 1;
        work_.deviations.measure(work_.words, missing, work_.groups.size(), order, side, *s_.ranked, s_.weight);
    }

    bool enough(const double* cell, double weight) const {
        return (ch_.count < 0 ? weight : cell[ch_.count]) >= least_rows_ && weight >= least_weight_;
    }

    // No side may have a sum of zero under Poisson: its answer would be zero, of infinite deviance.
    bool positive(const double* cell) const {
        for (int k = 0; k < ch_.outputs; ++k)
            if (!(cell[1 + 2 * k] > 1e-13 * total_[static_cast<size_t>(1 + 2 * k)])) return false;
        return true;
    }

    double answer(const double* cell, double median) const {
        if (s_.ranked) return median + s_.centre;
        return cell[1] / ch_.weight(cell) + s_.centre;  // of classes, that of the second
    }

    bool allowed(const double* left, const double* right, size_t g, double& middle) const {
        if (rules_.criterion == Criterion::poisson && !(positive(left) && positive(right))) return false;
        if (monotone_ == 0) return true;  // answers beyond the bounds are cut off there
        const Deviations& d = work_.deviations;
        const double low = answer(left, s_.ranked ? d.left_median[g] : 0.0);
        const double high = answer(right, s_.ranked ? d.right_median[g] : 0.0);
        middle = low * 0.5 + high * 0.5;
        const double slack = 1e-12 * (std::abs(low) + std::abs(high));  // rounding; answers are cut off in the end
        return bounds_.hold(low, slack) && bounds_.hold(high, slack) && (high - low) * monotone_ >= -slack;
    }

    double side_spread(const double* cell, double weight) const {
        return spread(cell, ch_, rules_.criterion, xlog_, weight);
    }

    // Cuts first .. last - 1 of the groups taken in `order` (null: as they stand): cut g has groups 0 .. g on the left.
    bool try_cuts(const std::uint32_t* order, bool missing_left, size_t first, size_t last, Best& best) {
        const Groups& groups = work_.groups;
        const size_t width = static_cast<size_t>(ch_.width);
        if (s_.ranked) measure(order, missing_left);
        work_.left.assign(width, 0.0);
        if (missing_left) work_.left = groups.missing;
        work_.right = total_;
        double* left = work_.left.data();
        double* right = work_.right.data();
        bool found = false;
        for (size_t g = 0; g < last; ++g) {
            const double* cell = groups.cell(order ? order[g] : g, ch_.width);
            for (size_t c = 0; c < width; ++c) {
                left[c] += cell[c];
                right[c] = total_[c] - left[c];
            }
            const double w_left = ch_.weight(left), w_right = ch_.weight(right);
            if (g < first || !enough(left, w_left) || !enough(right, w_right)) continue;
            double middle = 0;
            if (special_ && !allowed(left, right, g, middle)) continue;
            const double after = s_.ranked ? work_.deviations.left[g] + work_.deviations.right[g]
                                           : side_spread(left, w_left) + side_spread(right, w_right);
            if (after < best.after - slack_) {
                best = {after, middle, g, missing_left};
                found = true;
                work_.best_left.assign(left, left + width);
            }
        }
        return found;
    }

    // Gain ratio: gain over the entropy of where the rows go, those not compared counted as one more branch.
    void finish(Split& split, double after, double branches_xlog, double penalty = 0) {
        split.gain = split.merit = (before_ - after) / all_ - penalty;
        if (rules_.criterion != Criterion::gain_ratio) return;
        const double info = std::log2(all_) - (branches_xlog + unknown_xlog()) / all_;
        split.ratio = info > 1e-12 ? split.gain / info : 0.0;
    }

    static double plain_xlog(double x) { return x > 0 ? x * std::log2(x) : 0.0; }
    double unknown_xlog() const { return plain_xlog(all_ - compared_ > 1e-12 * all_ ? all_ - compared_ : 0.0); }

    void two_way(Split& split, const Best& best, double penalty = 0) {
        const double left = ch_.weight(work_.best_left.data());
        const bool by_ratio = rules_.criterion == Criterion::gain_ratio;
        split.middle = best.middle;
        finish(split, best.after, by_ratio ? plain_xlog(left) + plain_xlog(compared_ - left) : 0.0, penalty);
    }

    void ordered(const Column& column, Split& split, Random& random) {
        const Groups& groups = work_.groups;
        const size_t n = groups.size();
        if (rules_.mdl && ch_.classes()) {
            const double share = 0.1 * ch_.rows(total_.data()) / ch_.n_classes(0);
            least_rows_ = std::max(rules_.min_rows_leaf, std::min(share, 25.0));
        }
        Best best;
        double drawn = 0;
        if (rules_.random) {
            drawn = draw_cut(column, random, best);
        } else {
            try_cuts(nullptr, false, 0, aside_ ? n : n - 1, best);  // the last one: missing or not
            if (aside_) try_cuts(nullptr, true, 0, n - 1, best);
        }
        if (best.cut == SIZE_MAX) return;
        split.kind = Kind::threshold;
        split.cut = groups.code[best.cut];
        split.threshold = std::numeric_limits<double>::infinity();
        if (best.cut + 1 < n) {
            const double low = column.high[split.cut], high = column.low[groups.code[best.cut + 1]];
            split.threshold = rules_.random && drawn >= low && drawn < high ? drawn : halfway(low, high);
        }
        if (aside_) split.missing_branch = best.missing_left ? 0 : 1;
        two_way(split, best, rules_.mdl && n > 1 ? std::log2(static_cast<double>(n - 1)) / all_ : 0.0);
        if (rules_.mdl && split.gain <= 1e-12) split = Split{};
    }

    // A threshold drawn evenly between the least and the greatest value, and a side for missing rows.
    double draw_cut(const Column& column, Random& random, Best& best) {
        const Groups& groups = work_.groups;
        const size_t n = groups.size();
        const double low = column.low[groups.code[0]], high = column.high[groups.code[n - 1]], u = random.unit();
        const bool missing_left = aside_ && random.below(2) != 0;
        if (n == 1) {
            try_cuts(nullptr, false, 0, 1, best);
            return low;
        }
        double drawn = low * (1 - u) + high * u;
        if (!(drawn < high)) drawn = low;
        size_t cut = 0;
        while (cut + 2 < n && column.low[groups.code[cut + 1]] <= drawn) ++cut;
        try_cuts(nullptr, missing_left, cut, cut + 1, best);
        return drawn;
    }

    void multiway(Split& split) {
        const Groups& groups = work_.groups;
        double after = 0, info = 0;
        size_t large = 0;
        for (size_t g = 0; g < groups.size(); ++g) {
            const double* cell = groups.cell(g, ch_.width);
            if (rules_.criterion == Criterion::poisson && !positive(cell)) return;
            const double w = ch_.weight(cell);
            if (!s_.ranked) after += side_spread(cell, w);
            info += plain_xlog(w);
            large += enough(cell, w);
        }
        if (large < 2) return;
        if (s_.ranked) after = deviation_by_group();
        split.kind = Kind::multiway;
        split.branches = static_cast<std::int32_t>(groups.size());
        split.many = static_cast<double>(groups.size()) >= 0.3 * ch_.rows(s_.total);
        split.levels = groups.code;
        for (std::uint32_t b = 0; b < groups.size(); ++b) split.branch.push_back(b);
        finish(split, after, info);
    }

    // Sum of the absolute errors of each group around its own median: with a group first in order, cut 0 has it alone.
    double deviation_by_group() {
        double sum = 0;
        std::vector<std::uint32_t>& order = work_.order;
        order.resize(work_.groups.size());
        for (std::uint32_t g = 0; g < order.size(); ++g) order[g] = g;
        for (size_t g = 0; g < order.size(); ++g) {
            std::swap(order[0], order[g]);
            measure(order.data(), false);
            sum += work_.deviations.left[0];
            std::swap(order[0], order[g]);
        }
        return sum;
    }

    // Two sets of levels. For two classes and for means the best pair of sets is a prefix of the levels in the order of
    // their mean (Breiman et al. 1984, th. 4.5), so n - 1 cuts suffice. For more classes and outputs the prefixes in
    // the order of each class's share, or each mean, are tried, of classes that are here, then single levels change
    // sides while that helps.
    void subset(Split& split, Random& random) {
        const size_t n = work_.groups.size();
        Best best;
        work_.best_side.assign(n, 1);
        if (rules_.random) {
            const size_t cut = draw_sides(random);
            if (try_cuts(work_.order.data(), false, cut, cut + 1, best)) take_prefix(cut);
        } else {
            for (int c : orders()) {
                order_levels(c);
                if (try_cuts(work_.order.data(), false, 0, n - 1, best)) take_prefix(best.cut);
            }
        }
        if (best.cut == SIZE_MAX) return;
        if (ch_.classes() && ch_.width > 2 && !rules_.random && several()) improve(best);
        split.kind = Kind::subset;
        split.levels = work_.groups.code;
        const bool swap = work_.best_side[0] != 0;  // the first level present is always on the left
        for (size_t g = 0; g < n; ++g) split.branch.push_back((work_.best_side[g] != 0) != swap);
        two_way(split, best);
        split.merit -= set_cost(n);
    }

    bool several() const { return ch_.outputs > 1 || ch_.n_classes(0) > 2; }

    void take_prefix(size_t cut) {
        work_.best_side.assign(work_.groups.size(), 1);
        for (size_t g = 0; g <= cut; ++g) work_.best_side[work_.order[g]] = 0;
    }

    // The channels by whose share or mean the levels are ordered.
    std::vector<int> orders() const {
        if (ch_.classes() && !several()) return {ch_.n_classes(0) - 1};
        std::vector<int> found;
        if (ch_.classes())
            for (int c = 0; c < ch_.start.back(); ++c) {
                if (total_[static_cast<size_t>(c)] > 0) found.push_back(c);
            }
        else
            for (int k = 0; k < ch_.outputs; ++k) found.push_back(1 + 2 * k);
        return found;
    }

    // Each level on a side at random; the order has those on the left first. Returns the cut between.
    size_t draw_sides(Random& random) {
        const auto n = static_cast<std::uint32_t>(work_.groups.size());
        std::vector<std::uint32_t> right;
        work_.order.clear();
        for (std::uint32_t g = 0; g < n; ++g) (random.below(2) ? right : work_.order).push_back(g);
        if (right.empty() || work_.order.empty()) {
            const auto alone = static_cast<std::uint32_t>(random.below(n));
            right.clear();
            work_.order.assign(1, alone);
            for (std::uint32_t g = 0; g < n; ++g)
                if (g != alone) right.push_back(g);
        }
        const size_t cut = work_.order.size() - 1;
        work_.order.insert(work_.order.end(), right.begin(), right.end());
        return cut;
    }

    // n levels have 2^(n - 1) - 1 pairs of sets, so naming one takes about n - 1 bits. A bit is worth 1 / W of entropy;
    // by the chi-square of a split, 2 ln 2 W gain (entropy) or W gain / I (Gini, variance), that is 2 ln 2 I / W of the
    // others. One pair costs nothing.
    double set_cost(size_t n) const {
        if (n < 3) return 0;
        const double bit = rules_.counts_bits() ? 1.0 : 2 * std::log(2.0) * s_.spread / all_;
        return rules_.set_penalty * static_cast<double>(n - 1) * bit / all_;
    }

    void order_levels(int c) {
        const Groups& groups = work_.groups;
        work_.order.resize(groups.size());
        work_.share.resize(groups.size());
        for (std::uint32_t g = 0; g < groups.size(); ++g) {
            const double* cell = groups.cell(g, ch_.width);
            work_.order[g] = g;
            const double w = ch_.weight(cell);
            work_.share[g] = w > 0 ? cell[c] / w : 0.0;
        }
        std::stable_sort(work_.order.begin(), work_.order.end(),
                         [&](auto a, auto b) { return work_.share[a] < work_.share[b]; });
    }

    void improve(Best& best) {
        const size_t n = work_.groups.size(), width = static_cast<size_t>(ch_.width);
        std::vector<double>& left = work_.best_left;
        for (bool moved = true; moved;) {
            moved = false;
            for (size_t g = 0; g < n; ++g) {
                const double sign = work_.best_side[g] ? 1.0 : -1.0;
                const double* cell = work_.groups.cell(g, ch_.width);
                for (size_t c = 0; c < width; ++c) {
                    work_.left[c] = left[c] + sign * cell[c];
                    work_.right[c] = total_[c] - work_.left[c];
                }
                const double *one = work_.left.data(), *other = work_.right.data();
                const double w_one = ch_.weight(one), w_other = ch_.weight(other);
                if (!enough(one, w_one) || !enough(other, w_other)) continue;
                const double after = side_spread(one, w_one) + side_spread(other, w_other);
                if (after >= best.after - slack_) continue;
                best.after = after;
                left = work_.left;
                work_.best_side[g] ^= 1;
                moved = true;
            }
        }
    }
};

}  // namespace mercer::tree
