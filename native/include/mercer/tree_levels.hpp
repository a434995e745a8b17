// The best test of a column of levels at one node: a branch for each level, or two sets of levels.
#pragma once

#include "mercer/tree_cuts.hpp"

namespace mercer::tree {

class LevelFinder {
public:
    LevelFinder(const Rules& rules, const Sample& sample, Cuts& cuts, Work& work)
        : rules_(rules), s_(sample), ch_(*sample.channels), cuts_(cuts), work_(work) {}

    void find(Split& split, Random& random) {
        if (rules_.multiway) multiway(split);
        else subset(split, random);
    }

private:
    const Rules& rules_;
    const Sample& s_;
    const Channels& ch_;
    Cuts& cuts_;
    Work& work_;

    void multiway(Split& split) {
        const Groups& groups = work_.groups;
        double after = 0, info = 0;
        size_t large = 0;
        for (size_t g = 0; g < groups.size(); ++g) {
            const double* cell = groups.cell(g, ch_.width);
            if (rules_.criterion == Criterion::poisson && !cuts_.positive(cell)) return;
            const double w = ch_.weight(cell);
            if (!s_.ranked) after += cuts_.side_spread(cell, w);
            info += cuts_.plain_xlog(w);
            large += cuts_.enough(cell, w);
        }
        if (large < 2) return;
        if (s_.ranked) after = deviation_by_group();
        split.kind = Kind::multiway;
        split.branches = static_cast<std::int32_t>(groups.size());
        split.many = static_cast<double>(groups.size()) >= 0.3 * ch_.rows(s_.total);
        split.levels = groups.code;
        for (std::uint32_t b = 0; b < groups.size(); ++b) split.branch.push_back(b);
        cuts_.finish(split, after, info);
    }

    // Sum of the absolute errors of each group around its own median: with a group first in order, cut 0 has it alone.
    double deviation_by_group() {
        double sum = 0;
        std::vector<std::uint32_t>& order = work_.order;
        order.resize(work_.groups.size());
        for (std::uint32_t g = 0; g < order.size(); ++g) order[g] = g;
        for (size_t g = 0; g < order.size(); ++g) {
            std::swap(order[0], order[g]);
            cuts_.measure(order.data(), false);
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
            if (cuts_.try_cuts(work_.order.data(), false, cut, cut + 1, best)) take_prefix(cut);
        } else {
            for (int c : orders()) {
                order_levels(c);
                if (cuts_.try_cuts(work_.order.data(), false, 0, n - 1, best)) take_prefix(best.cut);
            }
        }
        if (best.cut == SIZE_MAX) return;
        if (ch_.classes() && ch_.width > 2 && !rules_.random && several()) improve(best);
        split.kind = Kind::subset;
        split.levels = work_.groups.code;
        const bool swap = work_.best_side[0] != 0;  // the first level present is always on the left
        for (size_t g = 0; g < n; ++g) split.branch.push_back((work_.best_side[g] != 0) != swap);
        cuts_.two_way(split, best);
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
                if (cuts_.total()[static_cast<size_t>(c)] > 0) found.push_back(c);
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
        const double bit = rules_.counts_bits() ? 1.0 : 2 * std::log(2.0) * s_.spread / cuts_.all();
        return rules_.set_penalty * static_cast<double>(n - 1) * bit / cuts_.all();
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
                    work_.right[c] = cuts_.total()[c] - work_.left[c];
                }
                const double *one = work_.left.data(), *other = work_.right.data();
                const double w_one = ch_.weight(one), w_other = ch_.weight(other);
                if (!cuts_.enough(one, w_one) || !cuts_.enough(other, w_other)) continue;
                const double after = cuts_.side_spread(one, w_one) + cuts_.side_spread(other, w_other);
                if (after >= best.after - cuts_.slack()) continue;
                best.after = after;
                left = work_.left;
                work_.best_side[g] ^= 1;
                moved = true;
            }
        }
    }
};

}  // namespace mercer::tree
