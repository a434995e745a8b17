// Cuts between groups of rows that share a value of one column: what each would leave of the impurity of a node.
//
//   gain = (w I(rows compared) - sum over branches of w_b I(b)) / W
//
// with W the weight of all rows of the node and I the impurity. Where missing cells are learned, all rows are compared,
// the missing ones on the side where they gain; otherwise those whose cell is known, so that a column that is mostly
// missing gains little (Quinlan 1993, ch. 3).
#pragma once

#include "mercer/tree_groups.hpp"

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

// The best cut so far: what it leaves of the impurity, times the weight of the rows.
struct Best {
    double after = std::numeric_limits<double>::infinity(), middle = 0;
    size_t cut = SIZE_MAX;
    bool missing_left = false;
};

// The groups of one column (`Work::groups`) and their cuts. Ties within a relative 1e-10 of the node's impurity go to
// the first cut, and missing rows to the right.
class Cuts {
public:
    Cuts(const Rules& rules, const XLog& xlog, const Sample& sample, const Bounds& bounds, Work& work, int monotone)
        : rules_(rules), xlog_(xlog), s_(sample), ch_(*sample.channels), bounds_(bounds), work_(work),
          all_(ch_.weight(sample.total)), slack_(1e-10 * sample.spread), monotone_(monotone),
          special_(monotone != 0 || rules.criterion == Criterion::poisson), least_rows_(rules.min_rows_leaf),
          least_weight_(rules.min_weight_leaf * (1 - ch_.slack())), total_(work.total) {}

    // Sums up the rows compared; aside: missing rows are not a group, yet compared.
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
        if (rules_.learned()) before_ = s_.spread;
        else if (s_.ranked) before_ = known_deviation();
        else before_ = spread(total_.data(), ch_, rules_.criterion, xlog_, compared_);
    }

    void set_least_rows(double rows) { least_rows_ = rows; }

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

    void two_way(Split& split, const Best& best, double penalty = 0) {
        const double left = ch_.weight(work_.best_left.data());
        const bool by_ratio = rules_.criterion == Criterion::gain_ratio;
        split.middle = best.middle;
        finish(split, best.after, by_ratio ? plain_xlog(left) + plain_xlog(compared_ - left) : 0.0, penalty);
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

    double side_spread(const double* cell, double weight) const {
        return spread(cell, ch_, rules_.criterion, xlog_, weight);
    }

    static double plain_xlog(double x) { return x > 0 ? x * std::log2(x) : 0.0; }
    double all() const { return all_; }
    double slack() const { return slack_; }
    bool aside() const { return aside_; }
    const std::vector<double>& total() const { return total_; }

private:
    const Rules& rules_;
    const XLog& xlog_;
    const Sample& s_;
    const Channels& ch_;
    const Bounds& bounds_;
    Work& work_;
    const double all_, slack_;
    const int monotone_;
    const bool special_;                // more is asked of a cut than rows and weight
    double compared_ = 0, before_ = 0;  // weight of the rows compared, its product with impurity
    double least_rows_, least_weight_;
    bool aside_ = false;
    std::vector<double>& total_;  // of the rows compared

    double known_deviation() {
        measure(nullptr, false);
        return work_.deviations.left[work_.groups.size() - 1];
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

    double unknown_xlog() const { return plain_xlog(all_ - compared_ > 1e-12 * all_ ? all_ - compared_ : 0.0); }
};

}  // namespace mercer::tree
