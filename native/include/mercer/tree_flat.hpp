// A grown tree as flat arrays: numbering, and what makes arrays a tree.
#pragma once

#include <string>

#include "mercer/tree.hpp"

namespace mercer::tree {

constexpr std::int32_t kMostClasses = 1 << 24;

// Nodes are numbered level by level, so the children of node i are first[i] .. first[i] + branches[i] - 1, all beyond
// i. Slices: node i owns levels level_start[i] .. level_start[i + 1] and surrogates surrogate_start[i] ..
// surrogate_start[i + 1].
struct Flat {
    std::vector<std::int32_t> column, first, branches, level, branch, missing_branch;
    std::vector<std::uint8_t> kind;
    std::vector<double> threshold, answer, rows, weight, impurity;
    std::vector<std::int64_t> level_start, surrogate_start, surrogate_level_start;
    std::vector<std::int32_t> surrogate_column, surrogate_level, surrogate_side;
    std::vector<std::uint8_t> surrogate_flip;
    std::vector<double> surrogate_threshold;
};

inline Flat flatten(const Parts& parts, size_t n_answers) {
    Flat t;
    t.level_start = t.surrogate_start = t.surrogate_level_start = {0};
    std::int32_t next = 1;
    const size_t n = parts.nodes.size();
    for (auto* of : {&t.column, &t.first, &t.branches, &t.missing_branch}) of->reserve(n);
    for (auto* of : {&t.threshold, &t.rows, &t.weight, &t.impurity}) of->reserve(n);
    t.kind.reserve(n);
    t.answer.reserve(n * n_answers);
    t.level_start.reserve(n + 1);
    t.surrogate_start.reserve(n + 1);
    for (std::int32_t k : level_order(parts.nodes)) {
        const Node& node = parts.nodes[static_cast<size_t>(k)];
        t.column.push_back(node.column);
        t.kind.push_back(static_cast<std::uint8_t>(node.kind));
        t.threshold.push_back(node.threshold);
        t.first.push_back(node.branches > 0 ? next : -1);
        t.branches.push_back(node.branches);
        next += node.branches;
        t.rows.push_back(node.rows);
        t.weight.push_back(node.weight);
        t.impurity.push_back(node.impurity);
        t.missing_branch.push_back(node.missing_branch);
        const auto answer = parts.answers.begin() + static_cast<index>(static_cast<size_t>(k) * n_answers);
        t.answer.insert(t.answer.end(), answer, answer + static_cast<index>(n_answers));
        const auto from = static_cast<index>(node.level_start), to = static_cast<index>(node.level_start + node.levels);
        t.level.insert(t.level.end(), parts.level.begin() + from, parts.level.begin() + to);
        t.branch.insert(t.branch.end(), parts.branch.begin() + from, parts.branch.begin() + to);
        t.level_start.push_back(static_cast<std::int64_t>(t.level.size()));
        for (size_t s = node.surrogate_start; s < node.surrogate_start + node.surrogates; ++s) {
            const Surrogate& other = parts.surrogates[s];
            t.surrogate_column.push_back(other.column);
            t.surrogate_flip.push_back(other.flip);
            t.surrogate_threshold.push_back(other.threshold);
            const auto a = static_cast<index>(other.level_start),
                       b = static_cast<index>(other.level_start + other.levels);
            t.surrogate_level.insert(t.surrogate_level.end(), parts.level.begin() + a, parts.level.begin() + b);
            t.surrogate_side.insert(t.surrogate_side.end(), parts.branch.begin() + a, parts.branch.begin() + b);
            t.surrogate_level_start.push_back(static_cast<std::int64_t>(t.surrogate_level.size()));
        }
        t.surrogate_start.push_back(static_cast<std::int64_t>(t.surrogate_column.size()));
    }
    return t;
}

// The arrays of a tree as a caller holds them; trusted only after `fault` found nothing.
struct Stored {
    index nodes = 0, n_answers = 0, n_outputs = 0, n_levels = 0, n_surrogates = 0, n_surrogate_levels = 0;
    const std::int32_t *column, *first, *branches, *level, *branch, *missing_branch;
    const std::uint8_t* kind;
    const double *threshold, *answer, *rows, *weight;
    const std::int32_t* classes;  // how many of each output; all 0 for numbers
    const std::int64_t *level_start, *surrogate_start, *surrogate_level_start;
    const std::int32_t *surrogate_column, *surrogate_level, *surrogate_side;
    const std::uint8_t* surrogate_flip;
    const double* surrogate_threshold;
};

// What the columns are: numbers first, then codes with their number of levels.
struct Shape {
    index numbers = 0, codes = 0;
    const std::int32_t* levels = nullptr;
    const std::uint8_t* nominal = nullptr;
    bool is_nominal(index column) const { return column >= numbers && nominal[column - numbers] != 0; }
};

inline bool rising(const std::int64_t* start, index n, index end) {
    if (start[0] != 0 || start[n] != end) return false;
    for (index i = 0; i < n; ++i)
        if (start[i] > start[i + 1]) return false;
    return true;
}

// Every branch of a test of levels has some, or the missing cells.
inline bool all_branches_reached(const Stored& t, index i) {
    std::vector<bool> reached(static_cast<size_t>(t.branches[i]));
    if (t.missing_branch[i] >= 0) reached[static_cast<size_t>(t.missing_branch[i])] = true;
    for (index k = t.level_start[i]; k < t.level_start[i + 1]; ++k) reached[static_cast<size_t>(t.branch[k])] = true;
    return std::find(reached.begin(), reached.end(), false) == reached.end();
}

inline bool levels_fit(const std::int32_t* level, const std::int32_t* branch, index from, index to, std::int32_t levels,
                       std::int32_t branches) {
    for (index k = from; k < to; ++k) {
        if (level[k] < 0 || level[k] >= levels || branch[k] < 0 || branch[k] >= branches) return false;
        if (k > from && level[k] <= level[k - 1]) return false;
    }
    return true;
}

// Where something is wrong; only then it becomes a text.
struct Where {
    const char* what;
    index number;
    friend std::string operator+(const char* why, const Where& at) {
        return std::string(why) + " at " + at.what + " " + std::to_string(at.number);
    }
};

// Shares of the classes of each output are from 0 to 1 and add up to 1; numbers are finite.
inline std::string answers_fault(const Stored& t) {
    index width = 0, labelled = 0;
    for (index k = 0; k < t.n_outputs; ++k) {
        if (t.classes[k] < 0 || t.classes[k] > kMostClasses) return "bad number of classes";
        labelled += t.classes[k] > 0;
        width += std::max(t.classes[k], 1);
    }
    if (width != t.n_answers || (labelled > 0 && labelled < t.n_outputs)) return "answers do not fit the classes";
    for (index i = 0; i < t.nodes; ++i) {
        const double* answer = t.answer + i * t.n_answers;
        const Where at{"node", i};
        for (index c = 0; c < t.n_answers; ++c)
            if (!std::isfinite(answer[c]) || (labelled > 0 && answer[c] < 0))
                return "answer is not a finite share" + at;
        for (index k = 0, c = 0; k < t.n_outputs && labelled > 0; c += t.classes[k++]) {
            double sum = 0;
            for (index j = c; j < c + t.classes[k]; ++j) sum += answer[j];
            if (std::abs(sum - 1) > 1e-6) return "shares of the classes do not add up to 1" + at;
        }
    }
    return "";
}

// A cut of ordered levels is among them, or infinite: missing or not.
inline bool cut_fits(double threshold, index column, const Shape& shape) {
    if (column < shape.numbers || threshold == std::numeric_limits<double>::infinity()) return true;
    return threshold >= 0 && threshold < shape.levels[column - shape.numbers];
}

// Why these arrays are not a tree over such columns; empty when they are one. Children lie beyond their parent and each
// node has one parent, so a walk down always ends.
inline std::string fault(const Stored& t, const Shape& shape) {
    const index columns = shape.numbers + shape.codes;
    if (t.nodes < 1 || t.n_outputs < 1) return "a tree has at least one node and one output";
    if (const std::string why = answers_fault(t); !why.empty()) return why;
    if (!rising(t.level_start, t.nodes, t.n_levels)) return "level_start does not partition the levels";
    if (!rising(t.surrogate_start, t.nodes, t.n_surrogates)) return "surrogate_start does not partition the surrogates";
    if (!rising(t.surrogate_level_start, t.n_surrogates, t.n_surrogate_levels))
        return "surrogate_level_start does not partition";
    index next = 1;
    for (index i = 0; i < t.nodes; ++i) {
        const Where at{"node", i};
        if (!(t.weight[i] > 0) || std::isinf(t.weight[i])) return "weight is not positive" + at;
        if (!(t.rows[i] > 0) || std::isinf(t.rows[i])) return "rows are not positive" + at;
        if (t.missing_branch[i] < -1 || t.missing_branch[i] >= std::max(t.branches[i], 0))
            return "no such branch for missing cells" + at;
        if (t.kind[i] == static_cast<std::uint8_t>(Kind::leaf)) {
            if (t.branches[i] != 0 || t.first[i] != -1 || t.column[i] != -1)
                return "a leaf has children or a column" + at;
            if (t.level_start[i] != t.level_start[i + 1]) return "a leaf has levels" + at;
            continue;
        }
        if (t.kind[i] > static_cast<std::uint8_t>(Kind::subset)) return "unknown kind of test" + at;
        if (t.column[i] < 0 || t.column[i] >= columns) return "no such column" + at;
        if (t.first[i] != next || t.branches[i] < 2 || t.branches[i] > t.nodes - next)
            return "children out of order" + at;
        next += t.branches[i];
        const bool ordered = t.kind[i] == static_cast<std::uint8_t>(Kind::threshold);
        if (ordered == shape.is_nominal(t.column[i])) return "test does not suit its column" + at;
        if (t.kind[i] != static_cast<std::uint8_t>(Kind::multiway) && t.branches[i] != 2)
            return "a two-way test has two branches" + at;
        if (std::isnan(t.threshold[i])) return "threshold is NaN" + at;
        if (ordered ? t.level_start[i] != t.level_start[i + 1]
                    : !levels_fit(t.level, t.branch, t.level_start[i], t.level_start[i + 1],
                                  shape.levels[t.column[i] - shape.numbers], t.branches[i]))
            return "levels do not fit" + at;
        if (!ordered && !all_branches_reached(t, i)) return "a branch without levels" + at;
        if (ordered && !cut_fits(t.threshold[i], t.column[i], shape)) return "threshold beyond the levels" + at;
        if (t.surrogate_start[i] != t.surrogate_start[i + 1] && t.branches[i] != 2)
            return "surrogates need two branches" + at;
    }
    if (next != t.nodes) return "some nodes have no parent";
    for (index s = 0; s < t.n_surrogates; ++s) {
        const Where at{"surrogate", s};
        const std::int32_t column = t.surrogate_column[s];
        if (column < 0 || column >= columns || std::isnan(t.surrogate_threshold[s]))
            return "bad column or threshold" + at;
        const index from = t.surrogate_level_start[s], to = t.surrogate_level_start[s + 1];
        if (!shape.is_nominal(column)
                ? from != to
                : !levels_fit(t.surrogate_level, t.surrogate_side, from, to, shape.levels[column - shape.numbers], 2))
            return "levels do not fit" + at;
    }
    return "";
}

}  // namespace mercer::tree
