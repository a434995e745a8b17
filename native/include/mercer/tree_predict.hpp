// Rows sent down a tree of flat arrays.
#pragma once

#include "mercer/tree_flat.hpp"

namespace mercer::tree {

// Walks rows down a checked tree.
class Walker {
public:
    Walker(const Stored& tree, const Shape& shape, const Matrix<double>& numbers, const Codes& codes, Missing missing)
        : t_(tree), shape_(shape), numbers_(numbers), codes_(codes), missing_(missing) {}

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

    // out[c] += answer c (share of a class, or mean), over all the leaves row i reaches.
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
    const Missing missing_;
    std::vector<std::pair<std::int32_t, double>> stack_;
    static constexpr std::int32_t unknown = -1, stay = -2;

    void add(std::int32_t node, double part, double* out) const {
        const double* answer = t_.answer + node * t_.n_answers;
        for (index c = 0; c < t_.n_answers; ++c) out[c] += part * answer[c];
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
        if (t_.kind[node] == static_cast<std::uint8_t>(Kind::threshold)) {
            const double x = number(i, column);
            if (!std::isnan(x)) return x <= t_.threshold[node] ? 0 : 1;
            return missing(node, i);
        }
        const std::int32_t code = this->code(i, column);
        if (code < 0) return missing(node, i);
        const std::int32_t b = look_up(t_.level, t_.branch, t_.level_start[node], t_.level_start[node + 1], code);
        if (b != unknown) return b;
        if (t_.kind[node] == static_cast<std::uint8_t>(Kind::multiway)) return stay;
        return missing_ == Missing::surrogate ? stand_in(node, i) : unknown;
    }

    // Where a missing cell goes. Learned: where missing cells went in training, or with most rows, of two alike right.
    std::int32_t missing(std::int32_t node, index i) const {
        if (missing_ == Missing::surrogate) return stand_in(node, i);
        if (missing_ == Missing::fraction) return unknown;
        if (t_.missing_branch[node] >= 0) return t_.missing_branch[node];
        const double* rows = t_.rows + t_.first[node];
        std::int32_t most = 0;
        for (std::int32_t b = 1; b < t_.branches[node]; ++b)
            if (rows[b] >= rows[most]) most = b;
        return most;
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

inline void leaves(const Stored& tree, const Shape& shape, const Matrix<double>& numbers, const Codes& codes,
                   index rows, Missing missing, std::int32_t* out, int n_jobs) {
    const Segments segments{rows, 4096};
    parallel_for(segments.count(), n_jobs, [&](index s) {
        const Walker walker(tree, shape, numbers, codes, missing);
        for (index i = segments.begin(s); i < segments.end(s); ++i) out[i] = walker.leaf(i);
    });
}

}  // namespace mercer::tree
