// Rows sent down a tree whose nodes take a quarter of a cache line each, several rows at a time: while the next node of
// one row is fetched, the others go on. Trees of two-way tests where missing cells have a branch; others walk.
#pragma once

#include <optional>

#include "mercer/tree_predict.hpp"

namespace mercer::tree {

struct PackedNode {
    double threshold;    // of a test of levels: where its sets begin
    std::uint32_t test;  // column << 2 | of levels << 1 | missing cells go right
    std::int32_t first;  // left child, right beside it; a leaf is its own, and every cell goes left
};

class PackedTree {
public:
    static bool fits(const Stored& t, Missing missing) {
        if (missing != Missing::learned) return false;
        for (index i = 0; i < t.nodes; ++i)
            if (t.kind[i] == static_cast<std::uint8_t>(Kind::multiway)) return false;
        return true;
    }

    PackedTree(const Stored& tree, const Shape& shape) : t_(tree), shape_(shape) {
        nodes_.reserve(static_cast<size_t>(tree.nodes));
        pure_.reserve(static_cast<size_t>(tree.nodes));
        for (std::int32_t i = 0; i < tree.nodes; ++i) {
            nodes_.push_back(packed(i));
            pure_.push_back(pure(i));
        }
    }

    // out (rows, n_answers) += the answer for each row from `first` to `last` - 1.
    void add(const Matrix<double>& numbers, const Codes& codes, index first, index last, double* out) const {
        if (coded_ || shape_.numbers == 0) return add_coded(numbers, codes, first, last, out);
        index i = first;
        for (; i + kAbreast <= last; i += kAbreast) {
            std::int32_t at[kAbreast] = {};
            descend(numbers, i, at);
            for (index r = 0; r < kAbreast; ++r) add_answer(at[r], out + (i + r) * t_.n_answers);
        }
        add_coded(numbers, codes, i, last, out);
    }

private:
    static constexpr index kAbreast = 8;
    const Stored& t_;
    const Shape& shape_;
    std::vector<PackedNode> nodes_;
    std::vector<std::int32_t> pure_;   // of a leaf: the only class there, or -1
    std::vector<std::uint64_t> sets_;  // per test of levels: bits of those that were there, and of those that go right
    bool coded_ = false;

    PackedNode packed(std::int32_t i) {
        const auto kind = static_cast<Kind>(t_.kind[i]);
        if (kind == Kind::leaf) return {std::numeric_limits<double>::infinity(), 0, i};
        const std::int32_t branch = t_.missing_branch[i];
        const double* rows = t_.rows + t_.first[i];
        const bool missing_right = branch >= 0 ? branch == 1 : rows[1] >= rows[0];
        const auto column = static_cast<std::uint32_t>(t_.column[i]);
        coded_ |= t_.column[i] >= shape_.numbers;
        if (kind == Kind::threshold) return {t_.threshold[i], column << 2 | missing_right, t_.first[i]};
        const size_t words = words_of(column), start = sets_.size();
        sets_.resize(start + 2 * words, 0);
        for (index k = t_.level_start[i]; k < t_.level_start[i + 1]; ++k) {
            const auto level = static_cast<size_t>(t_.level[k]);
            sets_[start + level / 64] |= std::uint64_t{1} << (level % 64);
            sets_[start + words + level / 64] |= static_cast<std::uint64_t>(t_.branch[k] != 0) << (level % 64);
        }
        return {static_cast<double>(start), column << 2 | 2u | missing_right, t_.first[i]};
    }

    std::int32_t pure(std::int32_t i) const {
        const double* answer = t_.answer + i * t_.n_answers;
        if (t_.kind[i] != static_cast<std::uint8_t>(Kind::leaf)) return -1;
        for (index c = 0; c < t_.n_answers; ++c)
            if (answer[c] != 0)
                return answer[c] == 1 && t_.n_outputs == 1 && t_.classes[0] > 0 ? static_cast<std::int32_t>(c) : -1;
        return -1;
    }

    size_t words_of(std::uint32_t column) const {
        return (static_cast<size_t>(shape_.levels[column - shape_.numbers]) + 63) / 64;
    }

    void add_answer(std::int32_t node, double* out) const {
        if (const std::int32_t c = pure_[static_cast<size_t>(node)]; c >= 0) {
            out[c] += 1.0;
            return;
        }
        const double* answer = t_.answer + node * t_.n_answers;
        for (index c = 0; c < t_.n_answers; ++c) out[c] += answer[c];
    }

    // Several rows abreast, until the last of them has reached its leaf.
    void descend(const Matrix<double>& numbers, index row, std::int32_t* at) const {
        const double* x[kAbreast];
        for (index r = 0; r < kAbreast; ++r) x[r] = numbers.data + (row + r) * numbers.row_stride;
        for (std::int32_t moved = 1; moved != 0;) {
            moved = 0;
            for (index r = 0; r < kAbreast; ++r) {
                const PackedNode& node = nodes_[static_cast<size_t>(at[r])];
                const double v = x[r][static_cast<index>(node.test >> 2) * numbers.col_stride];
                const std::int32_t to = node.first + ((v > node.threshold) | ((v != v) & (node.test & 1)));
                moved |= to ^ at[r];
                at[r] = to;
            }
        }
    }

    void add_coded(const Matrix<double>& numbers, const Codes& codes, index first, index last, double* out) const {
        Walker walker(t_, shape_, numbers, codes, Missing::learned);
        for (index i = first; i < last; ++i) {
            double* to = out + i * t_.n_answers;
            std::int32_t at = 0;
            for (int side = 0; side >= 0;) {
                const PackedNode& node = nodes_[static_cast<size_t>(at)];
                if (node.first == at) break;
                side = this->side(node, numbers, codes, i);
                at = side < 0 ? at : node.first + side;
            }
            if (nodes_[static_cast<size_t>(at)].first == at) add_answer(at, to);
            else walker.answer(i, to, at);  // a level that was not there: down both branches
        }
    }

    // 0 left, 1 right, -1 unknown.
    int side(const PackedNode& node, const Matrix<double>& numbers, const Codes& codes, index i) const {
        const auto column = static_cast<index>(node.test >> 2);
        const bool missing_right = node.test & 1;
        if (column < shape_.numbers) {
            const double v = numbers.data[i * numbers.row_stride + column * numbers.col_stride];
            return (v > node.threshold) | ((v != v) & missing_right);
        }
        const std::int32_t code = codes.data[i * codes.row_stride + (column - shape_.numbers) * codes.col_stride];
        const bool seen = code < shape_.levels[column - shape_.numbers];
        if ((node.test & 2) == 0) return code >= 0 && seen ? code > node.threshold : missing_right;
        if (code < 0) return missing_right;
        if (!seen) return -1;
        const auto start = static_cast<size_t>(node.threshold), word = static_cast<size_t>(code) / 64;
        const int bit = code % 64;
        if (!(sets_[start + word] >> bit & 1)) return -1;
        return static_cast<int>(sets_[start + words_of(node.test >> 2) + word] >> bit & 1);
    }
};

constexpr index kRows = 4096;  // so many pass a tree one after the other: its nodes stay in the cache

// out (rows, n_answers) += the answers of every tree, summed in their order.
inline void predict(const std::vector<Stored>& trees, const Shape& shape, const Matrix<double>& numbers,
                    const Codes& codes, index rows, Missing missing, double* out, int n_jobs) {
    index nodes = 0;
    for (const Stored& tree : trees) nodes += tree.nodes;
    std::vector<std::optional<PackedTree>> packed(trees.size());
    const bool pays = rows * static_cast<index>(trees.size()) * 8 > nodes;  // a row passes some of the nodes of a tree
    parallel_for(pays ? static_cast<index>(trees.size()) : 0, n_jobs, [&](index t) {
        const auto k = static_cast<size_t>(t);
        if (PackedTree::fits(trees[k], missing)) packed[k].emplace(trees[k], shape);
    });
    const Segments segments{rows, kRows};
    parallel_for(segments.count(), n_jobs, [&](index s) {
        const index first = segments.begin(s), last = segments.end(s);
        for (size_t t = 0; t < trees.size(); ++t) {
            if (packed[t]) {
                packed[t]->add(numbers, codes, first, last, out);
                continue;
            }
            Walker walker(trees[t], shape, numbers, codes, missing);
            for (index i = first; i < last; ++i) walker.answer(i, out + i * trees[t].n_answers);
        }
    });
}

}  // namespace mercer::tree
