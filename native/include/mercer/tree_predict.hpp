// A grown tree as flat arrays: numbering, checking and prediction.
#pragma once

#include <string>

#include "mercer/tree.hpp"

namespace mercer::tree {

// Nodes are numbered level by level, so the children of node i are first[i] .. first[i] + branches[i] - 1, all beyond
// i. Slices: node i owns levels level_start[i] .. level_start[i + 1] and surrogates surrogate_start[i] ..
// surrogate_start[i + 1].
struct Flat {
    std::vector<std::int32_t> column, first, branches, level, branch;
    std::vector<std::uint8_t> kind;
    std::vector<double> threshold, value, rows, weight, impurity;
    std::vector<std::int64_t> level_start, surrogate_start, surrogate_level_start;
    std::vector<std::int32_t> surrogate_column, surrogate_level, surrogate_side;
    std::vector<std::uint8_t> surrogate_flip;
    std::vector<double> surrogate_threshold;
};

inline Flat flatten(const Parts& parts, size_t width) {
    Flat t;
    t.level_start = t.surrogate_start = t.surrogate_level_start = {0};
    std::int32_t next = 1;
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
        const auto value = parts.values.begin() + static_cast<index>(static_cast<size_t>(k) * width);
        t.value.insert(t.value.end(), value, value + static_cast<index>(width));
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
    index nodes = 0, width = 0, n_levels = 0, n_surrogates = 0, n_surrogate_levels = 0;
    const std::int32_t *column, *first, *branches, *level, *branch;
    const std::uint8_t* kind;
    const double *threshold, *value, *weight;
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

inline bool levels_fit(const std::int32_t* level, const std::int32_t* branch, index from, index to, std::int32_t levels,
                       std::int32_t branches) {
    for (index k = from; k < to; ++k) {
        if (level[k] < 0 || level[k] >= levels || branch[k] < 0 || branch[k] >= branches) return false;
        if (k > from && level[k] <= level[k - 1]) return false;
    }
    return true;
}

// Why these arrays are not a tree over such columns; empty when they are one. Children lie beyond their parent and each
// node has one parent, so a walk down always ends.
inline std::string fault(const Stored& t, const Shape& shape) {
    const index columns = shape.numbers + shape.codes;
    if (t.nodes < 1 || t.width < 1) return "a tree has at least one node and one value per node";
    if (!rising(t.level_start, t.nodes, t.n_levels)) return "level_start does not partition the levels";
    if (!rising(t.surrogate_start, t.nodes, t.n_surrogates)) return "surrogate_start does not partition the surrogates";
    if (!rising(t.surrogate_level_start, t.n_surrogates, t.n_surrogate_levels))
        return "surrogate_level_start does not partition";
    index next = 1;
    for (index i = 0; i < t.nodes; ++i) {
        const std::string at = " at node " + std::to_string(i);
        if (!(t.weight[i] > 0) || std::isinf(t.weight[i])) return "weight is not positive" + at;
        for (index c = 0; c < t.width; ++c)
            if (!std::isfinite(t.value[i * t.width + c])) return "value is not finite" + at;
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
        if (t.surrogate_start[i] != t.surrogate_start[i + 1] && t.branches[i] != 2)
            return "surrogates need two branches" + at;
    }
    if (next != t.nodes) return "some nodes have no parent";
    for (index s = 0; s < t.n_surrogates; ++s) {
        const std::string at = " at surrogate " + std::to_string(s);
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

// Walks rows down a checked tree.
class Walker {
public:
    Walker(const Stored& tree, const Shape& shape, const Matrix<double>& numbers, const Codes& codes, bool surrogate)
        : t_(tree), shape_(shape), numbers_(numbers), codes_(codes), surrogate_(surrogate) {}

    // The node where row i ends; of several branches taken in fractions, the heaviest.
    std::int32_t leaf(index i) const {
        std::int32_t node = 0;
        while (t_.branches[node] > 0) {
            const std::int32_t b = branch(node, i);
            if (b == stay) break;
            node = t_.first[node] + (b == unknown ? heaviest(node) : b);
        }
        return node;
    }

    // out[c] += share of class c (or the mean), over all the leaves row i reaches.
    void answer(index i, double* out) {
        stack_.clear();
        stack_.emplace_back(0, 1.0);
        while (!stack_.empty()) {
            auto [node, part] = stack_.back();
            stack_.pop_back();
            std::int32_t b = 0;
            while (t_.branches[node] > 0 && part >= least_fraction && (b = branch(node, i)) >= 0)
                node = t_.first[node] + b;
            if (t_.branches[node] > 0 && part >= least_fraction && b == unknown) fan_out(node, part);
            else add(node, part, out);
        }
    }

private:
    const Stored& t_;
    const Shape& shape_;
    const Matrix<double>& numbers_;
    const Codes& codes_;
    const bool surrogate_;
    std::vector<std::pair<std::int32_t, double>> stack_;
    static constexpr std::int32_t unknown = -1, stay = -2;

    void add(std::int32_t node, double part, double* out) const {
        const double* value = t_.value + node * t_.width;
        const double scale = t_.width == 1 ? part : part / t_.weight[node];
        for (index c = 0; c < t_.width; ++c) out[c] += scale * value[c];
    }

    void fan_out(std::int32_t node, double part) {
        double sum = 0;
        const std::int32_t first = t_.first[node], last = first + t_.branches[node];
        for (std::int32_t k = first; k < last; ++k) sum += t_.weight[k];
        for (std::int32_t k = last - 1; k >= first; --k) stack_.emplace_back(k, part * t_.weight[k] / sum);
    }

    std::int32_t heaviest(std::int32_t node) const {
        const double* weight = t_.weight + t_.first[node];
        return static_cast<std::int32_t>(std::max_element(weight, weight + t_.branches[node]) - weight);
    }

    double number(index i, index column) const {
        if (column < shape_.numbers) return numbers_.data[i * numbers_.row_stride + column * numbers_.col_stride];
        const std::int32_t code = this->code(i, column);
        const bool known = code >= 0 && code < shape_.levels[column - shape_.numbers];
        return known ? code : std::numeric_limits<double>::quiet_NaN();
    }
    std::int32_t code(index i, index column) const {
        return codes_.data[i * codes_.row_stride + (column - shape_.numbers) * codes_.col_stride];
    }

    static std::int32_t look_up(const std::int32_t* level, const std::int32_t* branch, index from, index to,
                                std::int32_t code) {
        const std::int32_t* at = std::lower_bound(level + from, level + to, code);
        return at != level + to && *at == code ? branch[at - level] : unknown;
    }

    // Branch of row i at a node. A level that never reached a many-way node stays there and gets its answer: the
    // default class.
    std::int32_t branch(std::int32_t node, index i) const {
        const index column = t_.column[node];
        std::int32_t b = unknown;
        if (t_.kind[node] == static_cast<std::uint8_t>(Kind::threshold)) {
            const double x = number(i, column);
            if (!std::isnan(x)) return x <= t_.threshold[node] ? 0 : 1;
        } else {
            const std::int32_t code = this->code(i, column);
            if (code >= 0) b = look_up(t_.level, t_.branch, t_.level_start[node], t_.level_start[node + 1], code);
            if (b == unknown && code >= 0 && t_.kind[node] == static_cast<std::uint8_t>(Kind::multiway)) return stay;
        }
        return b == unknown && surrogate_ ? stand_in(node, i) : b;
    }

    std::int32_t stand_in(std::int32_t node, index i) const {
        for (index s = t_.surrogate_start[node]; s < t_.surrogate_start[node + 1]; ++s) {
            const index column = t_.surrogate_column[s];
            if (!shape_.is_nominal(column)) {
                const double x = number(i, column);
                if (!std::isnan(x)) return (x <= t_.surrogate_threshold[s]) == (t_.surrogate_flip[s] != 0);
                continue;
            }
            const std::int32_t b = look_up(t_.surrogate_level, t_.surrogate_side, t_.surrogate_level_start[s],
                                           t_.surrogate_level_start[s + 1], code(i, column));
            if (b != unknown) return b;
        }
        return heaviest(node);
    }
};

inline void predict(const Stored& tree, const Shape& shape, const Matrix<double>& numbers, const Codes& codes,
                    index rows, bool surrogate, double* out, int n_jobs) {
    const Segments segments{rows, 4096};
    parallel_for(segments.count(), n_jobs, [&](index s) {
        Walker walker(tree, shape, numbers, codes, surrogate);
        for (index i = segments.begin(s); i < segments.end(s); ++i) walker.answer(i, out + i * tree.width);
    });
}

inline void leaves(const Stored& tree, const Shape& shape, const Matrix<double>& numbers, const Codes& codes,
                   index rows, bool surrogate, std::int32_t* out, int n_jobs) {
    const Segments segments{rows, 4096};
    parallel_for(segments.count(), n_jobs, [&](index s) {
        const Walker walker(tree, shape, numbers, codes, surrogate);
        for (index i = segments.begin(s); i < segments.end(s); ++i) out[i] = walker.leaf(i);
    });
}

}  // namespace mercer::tree
