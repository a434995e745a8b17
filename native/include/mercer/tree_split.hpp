// The best test of one column at one node, or one at random.
#pragma once

#include "mercer/tree_counts.hpp"
#include "mercer/tree_levels.hpp"

namespace mercer::tree {

class Finder {
public:
    Finder(const Rules& rules, const XLog& xlog, const Sample& sample, const Bounds& bounds, Work& work, int number)
        : rules_(rules), s_(sample), ch_(*sample.channels), work_(work), number_(number),
          cuts_(rules, xlog, sample, bounds, work,
                rules.monotone.empty() ? 0 : rules.monotone[static_cast<size_t>(number)]) {}

    Split find(const Column& column, std::uint64_t node_seed) {
        Split split;
        if (s_.tag && !column.nominal && rules_.monotone.empty() && rules_.criterion == Criterion::gini) {
            by_counts(column, node_seed, split);
            return split;
        }
        group(column, s_, work_);
        const bool aside = rules_.learned() && work_.groups.any_missing;
        split.constant = work_.groups.size() + aside < 2 || work_.groups.size() == 0;
        if (split.constant) return split;
        Random random(Random::of_column(node_seed, number_));
        if (aside && column.nominal) missing_as_level(column);
        cuts_.sum_compared(aside && !column.nominal);
        if (column.nominal) LevelFinder(rules_, s_, cuts_, work_).find(split, random);
        else ordered(column, split, random);
        if (split.kind == Kind::leaf) return split;
        if (aside && column.nominal) missing_from_level(split);
        split.column = number_;
        return split;
    }

private:
    const Rules& rules_;
    const Sample& s_;
    const Channels& ch_;
    Work& work_;
    const int number_;  // of the column
    Cuts cuts_;

    // Classes of whole weight under Gini: `CountFinder` has all that a cut needs.
    void by_counts(const Column& column, std::uint64_t node_seed, Split& split) {
        CountFinder finder(column, s_, work_.count, rules_.min_rows_leaf, rules_.min_weight_leaf * (1 - ch_.slack()),
                           cuts_.slack());
        split.constant = !finder.read();
        if (split.constant) return;
        double drawn = std::numeric_limits<double>::quiet_NaN();
        CountCut cut;
        if (rules_.random) {
            Random random(Random::of_column(node_seed, number_));
            cut = drawn_cut(column, finder, random, drawn);
        } else {
            cut = finder.best();
        }
        if (!cut.found) return;
        split.column = number_;
        split.kind = Kind::threshold;
        split.cut = cut.last;
        split.threshold = std::numeric_limits<double>::infinity();
        if (!cut.alone) {
            const double low = column.high[cut.last], high = column.low[cut.next];
            split.threshold = drawn >= low && drawn < high ? drawn : halfway(low, high);
        }
        if (finder.aside()) split.missing_branch = cut.missing_left ? 0 : 1;
        split.gain = split.merit = (s_.spread - cut.after) / cuts_.all();
    }

    // The cut of `draw_cut`.
    static CountCut drawn_cut(const Column& column, CountFinder& finder, Random& random, double& drawn) {
        const double low = column.low[finder.least()], high = column.high[finder.most()], u = random.unit();
        const bool missing_left = finder.aside() && random.below(2) != 0;
        if (finder.least() == finder.most()) return finder.only(finder.least(), false, true, true);
        drawn = low * (1 - u) + high * u;
        if (!(drawn < high)) drawn = low;
        const auto* from = column.low.data();
        const auto above = std::upper_bound(from + finder.least(), from + finder.most(), drawn) - from;
        const auto last = static_cast<std::uint32_t>(above) - 1;
        // Between two bins it is the threshold; inside one, that depends on the values of the node.
        const bool exact = column.high[last] <= drawn && drawn < column.low[last + 1];
        return finder.only(last, missing_left, false, exact);
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

    void ordered(const Column& column, Split& split, Random& random) {
        const Groups& groups = work_.groups;
        const size_t n = groups.size();
        if (rules_.mdl && ch_.classes()) {
            const double share = 0.1 * ch_.rows(cuts_.total().data()) / ch_.n_classes(0);
            cuts_.set_least_rows(std::max(rules_.min_rows_leaf, std::min(share, 25.0)));
        }
        Best best;
        double drawn = 0;
        if (rules_.random) {
            drawn = draw_cut(column, random, best);
        } else {
            cuts_.try_cuts(nullptr, false, 0, cuts_.aside() ? n : n - 1, best);  // the last one: missing or not
            if (cuts_.aside()) cuts_.try_cuts(nullptr, true, 0, n - 1, best);
        }
        if (best.cut == SIZE_MAX) return;
        split.kind = Kind::threshold;
        split.cut = groups.code[best.cut];
        split.threshold = std::numeric_limits<double>::infinity();
        if (best.cut + 1 < n) {
            const double low = column.high[split.cut], high = column.low[groups.code[best.cut + 1]];
            split.threshold = rules_.random && drawn >= low && drawn < high ? drawn : halfway(low, high);
        }
        if (cuts_.aside()) split.missing_branch = best.missing_left ? 0 : 1;
        cuts_.two_way(split, best, rules_.mdl && n > 1 ? std::log2(static_cast<double>(n - 1)) / cuts_.all() : 0.0);
        if (rules_.mdl && split.gain <= 1e-12) split = Split{};
    }

    // A threshold drawn evenly between the least and the greatest value, and a side for missing rows.
    double draw_cut(const Column& column, Random& random, Best& best) {
        const Groups& groups = work_.groups;
        const size_t n = groups.size();
        const double low = column.low[groups.code[0]], high = column.high[groups.code[n - 1]], u = random.unit();
        const bool missing_left = cuts_.aside() && random.below(2) != 0;
        if (n == 1) {
            cuts_.try_cuts(nullptr, false, 0, 1, best);
            return low;
        }
        double drawn = low * (1 - u) + high * u;
        if (!(drawn < high)) drawn = low;
        size_t cut = 0;
        while (cut + 2 < n && column.low[groups.code[cut + 1]] <= drawn) ++cut;
        cuts_.try_cuts(nullptr, missing_left, cut, cut + 1, best);
        return drawn;
    }
};

}  // namespace mercer::tree
