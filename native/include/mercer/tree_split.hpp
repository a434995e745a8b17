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
        Random random(Random::of_column(node_seed, number_));
        if (s_.tag && !column.nominal && rules_.monotone.empty() && rules_.criterion == Criterion::gini) {
            by_counts(column, random, split);
            return split;
        }
        const auto [least, most] = read_codes(column, s_, work_);
        const bool aside = rules_.learned() && work_.groups.any_missing;
        split.constant = least > most || (least == most && !aside);
        if (split.constant) return split;
        Drawn drawn;
        if (rules_.random && !column.nominal) drawn = draw(column, least, most, aside, random);
        // One cut asks for no more than its sides, unless it pays for all there are, or needs the entries in order.
        if (rules_.random && !column.nominal && !rules_.mdl && !s_.ranked) sum_sides(column, s_, drawn.last, work_);
        else sum_codes(column, s_, least, most, work_);
        if (aside && column.nominal) missing_as_level(column);
        cuts_.sum_compared(aside && !column.nominal);
        if (column.nominal) LevelFinder(rules_, s_, cuts_, work_).find(split, random);
        else ordered(column, drawn, split);
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

    // Of a threshold drawn at random: its value, the last code at or below it, and the side of missing rows.
    struct Drawn {
        double at = std::numeric_limits<double>::quiet_NaN();
        std::uint32_t last = 0;
        bool missing_left = false;
    };

    // Drawn evenly between the least and the greatest value of the node; where they are one, missing rows are aside.
    static Drawn draw(const Column& column, std::uint32_t least, std::uint32_t most, bool aside, Random& random) {
        const double low = column.low[least], high = column.high[most], u = random.unit();
        const bool missing_left = aside && random.below(2) != 0;
        Drawn drawn;
        drawn.last = most;
        if (least == most) return drawn;
        drawn.missing_left = missing_left;
        drawn.at = low * (1 - u) + high * u;
        if (!(drawn.at < high)) drawn.at = low;
        const auto* from = column.low.data();
        drawn.last = static_cast<std::uint32_t>(std::upper_bound(from + least, from + most, drawn.at) - from) - 1;
        return drawn;
    }

    // Classes of whole weight under Gini: `CountFinder` has all that a cut needs.
    void by_counts(const Column& column, Random& random, Split& split) {
        CountFinder finder(column, s_, work_.count, rules_.min_rows_leaf, rules_.min_weight_leaf * (1 - ch_.slack()),
                           cuts_.slack());
        split.constant = !finder.read();
        if (split.constant) return;
        Drawn drawn;
        CountCut cut;
        if (rules_.random) {
            drawn = draw(column, finder.least(), finder.most(), finder.aside(), random);
            cut = drawn_cut(column, finder, drawn);
        } else {
            cut = finder.best();
        }
        if (!cut.found) return;
        split.column = number_;
        split.kind = Kind::threshold;
        split.cut = cut.last;
        split.threshold =
            cut.alone ? std::numeric_limits<double>::infinity() : threshold(column, cut.last, cut.next, drawn);
        if (finder.aside()) split.missing_branch = cut.missing_left ? 0 : 1;
        split.gain = split.merit = (s_.spread - cut.after) / cuts_.all();
    }

    static CountCut drawn_cut(const Column& column, CountFinder& finder, const Drawn& drawn) {
        if (drawn.last == finder.most()) return finder.only(drawn.last, false, true, true);
        // Between two bins it is the threshold; inside one, that depends on the values of the node.
        const bool exact = column.high[drawn.last] <= drawn.at && drawn.at < column.low[drawn.last + 1];
        return finder.only(drawn.last, drawn.missing_left, false, exact);
    }

    // Between two codes of the node: the one drawn, if it is there.
    static double threshold(const Column& column, std::uint32_t last, std::uint32_t next, const Drawn& drawn) {
        const double low = column.high[last], high = column.low[next];
        return drawn.at >= low && drawn.at < high ? drawn.at : halfway(low, high);
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

    void ordered(const Column& column, const Drawn& drawn, Split& split) {
        const Groups& groups = work_.groups;
        const size_t n = groups.size();
        if (rules_.mdl && ch_.classes()) {
            const double share = 0.1 * ch_.rows(cuts_.total().data()) / ch_.n_classes(0);
            cuts_.set_least_rows(std::max(rules_.min_rows_leaf, std::min(share, 25.0)));
        }
        Best best;
        if (rules_.random) {
            const auto beyond = std::upper_bound(groups.code.begin(), groups.code.end(), drawn.last);
            const auto cuts = static_cast<size_t>(beyond - groups.code.begin());
            cuts_.try_cuts(nullptr, drawn.missing_left, cuts - 1, cuts, best);
        } else {
            cuts_.try_cuts(nullptr, false, 0, cuts_.aside() ? n : n - 1, best);  // the last one: missing or not
            if (cuts_.aside()) cuts_.try_cuts(nullptr, true, 0, n - 1, best);
        }
        if (best.cut == SIZE_MAX) return;
        split.kind = Kind::threshold;
        split.cut = groups.code[best.cut];
        split.threshold = best.cut + 1 < n ? threshold(column, split.cut, groups.code[best.cut + 1], drawn)
                                           : std::numeric_limits<double>::infinity();
        if (cuts_.aside()) split.missing_branch = best.missing_left ? 0 : 1;
        cuts_.two_way(split, best, rules_.mdl && n > 1 ? std::log2(static_cast<double>(n - 1)) / cuts_.all() : 0.0);
        if (rules_.mdl && split.gain <= 1e-12) split = Split{};
    }
};

}  // namespace mercer::tree
