// The best test of one column at one node.
//
//   gain = (w I(known) - sum over branches of w_b I(b)) / W
//
// with w the weight of the rows whose cell is known, W that of all rows of the node (so a column that is mostly missing
// gains little: Quinlan 1993, ch. 3) and I the impurity: entropy in bits, Gini, classification error or variance.
#pragma once

#include <limits>

#include "mercer/tree_columns.hpp"

namespace mercer::tree {

// Weights add up only up to rounding; limits on them forgive this much.
constexpr double weight_slack = 1e-9;

enum class Criterion : int { entropy = 0, gain_ratio = 1, gini = 2, error = 3, squared = 4 };
enum class Kind : std::uint8_t { leaf = 0, threshold = 1, multiway = 2, subset = 3 };

struct Rules {
    Criterion criterion = Criterion::gini;
    bool multiway = false;   // nominal columns: a branch per level, or two sets of levels
    bool mdl = false;        // C4.5 release 8: thresholds pay log2(cuts) / W and need a tenth of a class's share
    bool surrogate = false;  // missing cells: by surrogate tests, or by fractions of rows
    int max_surrogates = 5;
    double max_depth = 0, min_rows_split = 2, min_rows_leaf = 1, min_weight_leaf = 0, min_gain = 0;
    double set_penalty = 0;  // share of the bits that name two sets of levels, deducted when columns are compared
};

// What is added up per branch: class weights, or (w, w y, w y y); then the count of rows when it is not the weight.
struct Channels {
    int classes = 0;  // 0: regression
    int width = 0;    // doubles per cell
    int count = -1;   // channel of the row count, or -1 when weight is count
    double weight(const double* cell) const {
        if (classes == 0) return cell[0];
        double w = 0;
        for (int c = 0; c < classes; ++c) w += cell[c];
        return w;
    }
    // Rows of which at least a part is here.
    double rows(const double* cell) const { return count < 0 ? weight(cell) : cell[count]; }
};

// x log2 x, read from a table for whole numbers.
class XLog {
public:
    void prepare(size_t n) {
        table_.resize(n + 1);
        for (size_t k = 1; k <= n; ++k) table_[k] = static_cast<double>(k) * std::log2(static_cast<double>(k));
    }
    bool whole() const { return !table_.empty(); }
    double operator()(double x) const {
        if (!table_.empty()) return table_[static_cast<size_t>(x)];
        return x > 0 ? x * std::log2(x) : 0.0;
    }

private:
    std::vector<double> table_;
};

// Weight times impurity of one cell.
inline double spread(const double* cell, const Channels& ch, Criterion criterion, const XLog& xlog, double w) {
    if (w <= 0) return 0;
    if (criterion == Criterion::squared) return std::max(0.0, cell[2] - cell[1] * cell[1] / w);
    if (criterion == Criterion::gini) {
        double sum = 0;
        for (int c = 0; c < ch.classes; ++c) sum += cell[c] * cell[c];
        return w - sum / w;
    }
    if (criterion == Criterion::error) {
        double top = 0;
        for (int c = 0; c < ch.classes; ++c) top = std::max(top, cell[c]);
        return w - top;
    }
    double sum = xlog(w);
    for (int c = 0; c < ch.classes; ++c) sum -= xlog(cell[c]);
    return std::max(0.0, sum);
}

// The rows of a node, gathered side by side.
struct Sample {
    const std::uint32_t* row = nullptr;
    size_t size = 0;
    const std::uint32_t* label = nullptr;  // class of each entry; null for regression
    const double* weight = nullptr;        // null: all one
    const double* part = nullptr;          // fraction of the row that is here; null: all of it
    const double* target = nullptr;        // regression: y minus the mean of the node
    const double* total = nullptr;         // channels summed over all entries
    Channels channels;
    std::uint32_t top_label = 0;  // number of labels
};

// The codes present at a node in increasing order, with their sums.
struct Groups {
    std::vector<std::uint32_t> code;
    std::vector<double> cells;
    size_t size() const { return code.size(); }
    const double* cell(size_t g, int width) const { return cells.data() + g * static_cast<size_t>(width); }
};

// Scratch of one thread.
struct Work {
    std::vector<std::uint32_t> codes, counts, order, back;
    std::vector<double> sums, left, right, best_left;
    std::vector<std::uint64_t> words, spare;
    std::vector<double> share;
    std::vector<std::uint8_t> side, best_side;
    Groups groups;
};

inline void add_entry(double* cell, const Sample& s, size_t i) {
    const double w = s.weight ? s.weight[i] : 1.0;
    if (s.label) {
        cell[s.label[i]] += w;
    } else {
        const double y = s.target[i];
        cell[0] += w;
        cell[1] += w * y;
        cell[2] += w * y * y;
    }
    if (s.channels.count >= 0) cell[s.channels.count] += 1.0;
}

// Whole counts of (code, label) pairs; four interleaved tables when few cells are hit again and again.
inline void count_pairs(const Sample& s, Work& work, size_t cells) {
    const size_t width = static_cast<size_t>(s.channels.width), n = s.size;
    const std::uint32_t* codes = work.codes.data();
    const std::uint32_t* label = s.label;
    if (cells <= 1024 && n >= 4 * cells) {
        work.counts.assign(4 * cells, 0);
        std::uint32_t* table = work.counts.data();
        size_t i = 0;
        for (; i + 4 <= n; i += 4) {
            ++table[codes[i] * width + label[i]];
            ++table[cells + codes[i + 1] * width + label[i + 1]];
            ++table[2 * cells + codes[i + 2] * width + label[i + 2]];
            ++table[3 * cells + codes[i + 3] * width + label[i + 3]];
        }
        for (; i < n; ++i) ++table[codes[i] * width + label[i]];
        for (size_t k = 0; k < cells; ++k) table[k] += table[cells + k] + table[2 * cells + k] + table[3 * cells + k];
    } else {
        work.counts.assign(cells, 0);
        std::uint32_t* table = work.counts.data();
        for (size_t i = 0; i < n; ++i) ++table[codes[i] * width + label[i]];
    }
}

inline void groups_by_table(const Sample& s, std::uint32_t least, size_t span, Work& work) {
    Groups& out = work.groups;
    const size_t width = static_cast<size_t>(s.channels.width),
                 cells = (span + 1) * width;  // the last one takes missing
    const bool whole = s.label && !s.weight && s.channels.count < 0;
    if (whole) count_pairs(s, work, cells);
    else {
        work.sums.assign(cells, 0.0);
        for (size_t i = 0; i < s.size; ++i) add_entry(work.sums.data() + work.codes[i] * width, s, i);
    }
    for (size_t b = 0; b < span; ++b) {
        bool met = false;
        if (whole)
            for (size_t c = 0; c < width; ++c) met |= work.counts[b * width + c] != 0;
        else
            for (size_t c = 0; c < width; ++c) met |= work.sums[b * width + c] != 0;
        if (!met) continue;
        out.code.push_back(least + static_cast<std::uint32_t>(b));
        for (size_t c = 0; c < width; ++c)
            out.cells.push_back(whole ? static_cast<double>(work.counts[b * width + c]) : work.sums[b * width + c]);
    }
}

inline void groups_by_sort(const Sample& s, std::uint32_t least, std::uint32_t span, Work& work) {
    work.words.clear();
    for (size_t i = 0; i < s.size; ++i)
        if (work.codes[i] < span) work.words.push_back(std::uint64_t{work.codes[i]} << 32 | i);
    int bits = 1;
    while ((std::uint64_t{1} << bits) < span) ++bits;
    sort_by_key(work.words, work.spare, bits);
    Groups& out = work.groups;
    const size_t width = static_cast<size_t>(s.channels.width);
    std::uint32_t last = UINT32_MAX;
    for (std::uint64_t word : work.words) {
        const auto code = static_cast<std::uint32_t>(word >> 32);
        if (code != last) {
            out.code.push_back(least + code);
            out.cells.resize(out.cells.size() + width, 0.0);
            last = code;
        }
        add_entry(out.cells.data() + out.cells.size() - width, s, static_cast<size_t>(word & 0xFFFFFFFFu));
    }
}

// Sum the node's entries by the code of one column into work.groups.
inline void group(const Column& column, const Sample& s, Work& work) {
    work.groups.code.clear();
    work.groups.cells.clear();
    work.codes.resize(s.size);
    std::uint32_t least = UINT32_MAX, most = 0;
    const std::uint32_t none = column.size;
    column.visit([&](const auto* codes) {
        for (size_t i = 0; i < s.size; ++i) {
            const std::uint32_t code = codes[s.row[i]];
            work.codes[i] = code;
            least = std::min(least, code);
            most = std::max(most, code);
        }
        if (column.missing && most == none) {
            most = 0;
            for (size_t i = 0; i < s.size; ++i)
                if (work.codes[i] != none) most = std::max(most, work.codes[i]);
        }
    });
    if (least == none || least > most) return;
    const std::uint32_t span = most - least + 1;
    for (size_t i = 0; i < s.size; ++i) work.codes[i] = work.codes[i] == none ? span : work.codes[i] - least;
    // A table pays while its cells are not many more than the rows; otherwise sorting a few rows is cheaper.
    if (static_cast<size_t>(span) * static_cast<size_t>(s.channels.width) <= 8 * s.size + 64)
        groups_by_table(s, least, span, work);
    else groups_by_sort(s, least, span, work);
}

struct Split {
    double gain = -std::numeric_limits<double>::infinity();
    double merit = gain;  // what columns are compared by: gain, less what the choice of sets costs
    double ratio = 0;
    int column = -1;
    Kind kind = Kind::leaf;
    std::uint32_t cut = 0;  // ordered: the last code on the left
    double threshold = 0;
    std::vector<std::uint32_t> levels;  // nominal: the levels present, increasing
    std::vector<std::uint32_t> branch;  //          and the branch of each
    bool many = false;                  // a branch per level with hardly any rows each (left out of the average gain)
    bool constant = false;              // fewer than two codes present: of no use further down either
    bool found() const { return column >= 0; }
};

// Looks for the best test of one column. Ties within a relative 1e-10 of the node's impurity go to the first test.
class Finder {
public:
    Finder(const Rules& rules, const XLog& xlog, const Sample& sample, Work& work)
        : rules_(rules), xlog_(xlog), s_(sample), ch_(sample.channels), work_(work), all_(ch_.weight(sample.total)) {
        slack_ = 1e-10 * spread(s_.total, ch_, rules_.criterion, xlog_, all_);
    }

    Split find(const Column& column, int number) {
        group(column, s_, work_);
        Split split;
        split.constant = work_.groups.size() < 2;
        if (split.constant) return split;
        sum_known();
        if (!column.nominal) ordered(column, split);
        else if (rules_.multiway) multiway(split);
        else subset(split);
        if (split.kind == Kind::leaf) return split;
        split.column = number;
        return split;
    }

private:
    const Rules& rules_;
    const XLog& xlog_;
    const Sample& s_;
    const Channels ch_;
    Work& work_;
    double all_, slack_, known_ = 0, known_spread_ = 0, least_rows_ = 1;
    std::vector<double> total_;

    void sum_known() {
        const size_t width = static_cast<size_t>(ch_.width);
        total_.assign(width, 0.0);
        for (size_t g = 0; g < work_.groups.size(); ++g)
            for (size_t c = 0; c < width; ++c) total_[c] += work_.groups.cells[g * width + c];
        known_ = ch_.weight(total_.data());
        known_spread_ = spread(total_.data(), ch_, rules_.criterion, xlog_, known_);
        least_rows_ = rules_.min_rows_leaf;
    }

    bool enough(const double* cell) const {
        return ch_.rows(cell) >= least_rows_ && ch_.weight(cell) >= rules_.min_weight_leaf * (1 - weight_slack);
    }

    // Gain ratio: gain over the entropy of where the rows go, the missing ones counted as one more branch.
    void finish(Split& split, double after, double branches_xlog, double penalty = 0) {
        split.gain = split.merit = (known_spread_ - after) / all_ - penalty;
        const double info = std::log2(all_) - (branches_xlog + unknown_xlog()) / all_;
        split.ratio = info > 1e-12 ? split.gain / info : 0.0;
    }

    static double plain_xlog(double x) { return x > 0 ? x * std::log2(x) : 0.0; }
    double unknown_xlog() const { return plain_xlog(all_ - known_ > 1e-12 * all_ ? all_ - known_ : 0.0); }

    // Best prefix of the groups taken in `order` (null: as they stand); returns the cut position or size() when there
    // is none.
    size_t best_prefix(const std::uint32_t* order, double& best) {
        const Groups& groups = work_.groups;
        const size_t width = static_cast<size_t>(ch_.width), n = groups.size();
        work_.left.assign(width, 0.0);
        work_.right = total_;
        double* left = work_.left.data();
        double* right = work_.right.data();
        size_t found = n;
        for (size_t g = 0; g + 1 < n; ++g) {
            const double* cell = groups.cell(order ? order[g] : g, ch_.width);
            for (size_t c = 0; c < width; ++c) {
                left[c] += cell[c];
                right[c] = total_[c] - left[c];
            }
            if (!enough(left) || !enough(right)) continue;
            const double after = spread(left, ch_, rules_.criterion, xlog_, ch_.weight(left)) +
                                 spread(right, ch_, rules_.criterion, xlog_, ch_.weight(right));
            if (after < best - slack_) {
                best = after;
                found = g;
                work_.best_left.assign(left, left + width);
            }
        }
        return found;
    }

    void two_way(Split& split, double after, double penalty = 0) {
        const double left = ch_.weight(work_.best_left.data());
        finish(split, after, plain_xlog(left) + plain_xlog(known_ - left), penalty);
    }

    void ordered(const Column& column, Split& split) {
        const Groups& groups = work_.groups;
        if (rules_.mdl && ch_.classes > 0) {
            const double share = 0.1 * ch_.rows(total_.data()) / ch_.classes;
            least_rows_ = std::max(rules_.min_rows_leaf, std::min(share, 25.0));
        }
        double best = std::numeric_limits<double>::infinity();
        const size_t cut = best_prefix(nullptr, best);
        if (cut == groups.size()) return;
        split.kind = Kind::threshold;
        split.cut = groups.code[cut];
        split.threshold = halfway(column.high[groups.code[cut]], column.low[groups.code[cut + 1]]);
        two_way(split, best, rules_.mdl ? std::log2(static_cast<double>(groups.size() - 1)) / all_ : 0.0);
        if (rules_.mdl && split.gain <= 1e-12) split = Split{};
    }

    void multiway(Split& split) {
        const Groups& groups = work_.groups;
        double after = 0, info = 0;
        size_t large = 0;
        for (size_t g = 0; g < groups.size(); ++g) {
            const double* cell = groups.cell(g, ch_.width);
            const double w = ch_.weight(cell);
            after += spread(cell, ch_, rules_.criterion, xlog_, w);
            info += plain_xlog(w);
            large += enough(cell);
        }
        if (large < 2) return;
        split.kind = Kind::multiway;
        split.many = static_cast<double>(groups.size()) >= 0.3 * ch_.rows(s_.total);
        split.levels = groups.code;
        for (std::uint32_t b = 0; b < groups.size(); ++b) split.branch.push_back(b);
        finish(split, after, info);
    }

    // Two sets of levels. For two classes and for regression the best pair of sets is a prefix of the levels in the
    // order of their mean (Breiman et al. 1984, th. 4.5), so n - 1 cuts suffice. For more classes the prefixes in the
    // order of each class's share are tried, of classes that are here, then single levels change sides while that
    // helps.
    void subset(Split& split) {
        const size_t n = work_.groups.size();
        double best = std::numeric_limits<double>::infinity();
        const int first = ch_.classes == 2 ? 1 : 0, last = ch_.classes == 0 ? 1 : ch_.classes;
        work_.best_side.assign(n, 1);
        bool found = false;
        for (int c = first; c < last; ++c) {
            if (ch_.classes > 2 && !(total_[c] > 0)) continue;
            order_levels(c);
            const size_t cut = best_prefix(work_.order.data(), best);
            if (cut == n) continue;
            found = true;
            work_.best_side.assign(n, 1);
            for (size_t g = 0; g <= cut; ++g) work_.best_side[work_.order[g]] = 0;
        }
        if (!found) return;
        if (ch_.classes > 2) improve(best);
        split.kind = Kind::subset;
        split.levels = work_.groups.code;
        const bool swap = work_.best_side[0] != 0;  // the first level present is always on the left
        for (size_t g = 0; g < n; ++g) split.branch.push_back((work_.best_side[g] != 0) != swap);
        two_way(split, best);
        split.merit -= set_cost(n);
    }

    // n levels have 2^(n - 1) - 1 pairs of sets, so naming one takes about n - 1 bits. A bit is worth 1 / W of entropy;
    // by the chi-square of a split, 2 ln 2 W gain (entropy) or W gain / I (Gini, variance), that is 2 ln 2 I / W of the
    // others. One pair costs nothing.
    double set_cost(size_t n) const {
        if (n < 3) return 0;
        const bool bits = rules_.criterion <= Criterion::gain_ratio;
        const double bit = bits ? 1.0 : 2 * std::log(2.0) * spread(s_.total, ch_, rules_.criterion, xlog_, all_) / all_;
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
            work_.share[g] = w > 0 ? cell[ch_.classes == 0 ? 1 : c] / w : 0.0;
        }
        std::stable_sort(work_.order.begin(), work_.order.end(),
                         [&](auto a, auto b) { return work_.share[a] < work_.share[b]; });
    }

    void improve(double& best) {
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
                if (!enough(work_.left.data()) || !enough(work_.right.data())) continue;
                const double after =
                    spread(work_.left.data(), ch_, rules_.criterion, xlog_, ch_.weight(work_.left.data())) +
                    spread(work_.right.data(), ch_, rules_.criterion, xlog_, ch_.weight(work_.right.data()));
                if (after >= best - slack_) continue;
                best = after;
                left = work_.left;
                work_.best_side[g] ^= 1;
                moved = true;
            }
        }
    }
};

}  // namespace mercer::tree
