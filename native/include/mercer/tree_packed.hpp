// Rows sent down a tree whose nodes take a quarter of a cache line each, several rows at a time: while the next node of
// one row is fetched, the others go on. Trees of two-way tests where missing cells have a branch; others walk.
#pragma once

#include <cstring>
#include <numeric>
#include <optional>

#include "mercer/compiler.hpp"
#include "mercer/tree_predict.hpp"

namespace mercer::tree {

// The cells of a few rows, side by side: a number or the code of an ordered level as a double, NaN where it is missing;
// the code of a nominal level as an integer, its number of levels where it is missing and one more where it is unseen.
class RowBlock {
public:
    RowBlock(const Shape& shape, const Matrix<double>& numbers, const Codes& codes)
        : shape_(shape), numbers_(numbers), codes_(codes), width_(shape.numbers + shape.codes) {}

    // So many rows pass a tree one after the other: their cells and its nodes stay in the cache.
    static index rows(const Shape& shape) {
        return std::clamp<index>(kBytes / 8 / std::max<index>(shape.numbers + shape.codes, 1), 64, 4096);
    }

    void read(index first, index last) {
        cells_.resize(static_cast<size_t>((last - first) * width_));
        for (index i = first; i < last; ++i) {
            std::uint64_t* to = cells_.data() + (i - first) * width_;
            const double* x = numbers_.data + i * numbers_.row_stride;
            for (index j = 0; j < shape_.numbers; ++j) to[j] = bits(x[j * numbers_.col_stride]);
            const std::int32_t* c = codes_.data + i * codes_.row_stride;
            for (index j = 0; j < shape_.codes; ++j) to[shape_.numbers + j] = code(c[j * codes_.col_stride], j);
        }
    }

    const std::uint64_t* row(index i) const { return cells_.data() + i * width_; }

    static std::uint64_t bits(double x) {
        std::uint64_t found;
        std::memcpy(&found, &x, sizeof found);
        return found;
    }
    static double number(std::uint64_t cell) {
        double found;
        std::memcpy(&found, &cell, sizeof found);
        return found;
    }

private:
    static constexpr index kBytes = 1 << 20;  // a quarter of it took a fifth longer on covtype: trees came more often
    const Shape& shape_;
    const Matrix<double>& numbers_;
    const Codes& codes_;
    const index width_;
    std::vector<std::uint64_t> cells_;

    std::uint64_t code(std::int32_t code, index j) const {
        const std::int32_t levels = shape_.levels[j];
        const bool seen = code >= 0 && code < levels;
        if (shape_.nominal[j] == 0) return bits(seen ? code : std::numeric_limits<double>::quiet_NaN());
        return static_cast<std::uint64_t>(seen ? code : code < 0 ? levels : levels + 1);
    }
};

struct PackedNode {
    std::uint64_t cut;   // the threshold; of a test of levels: its first pair of words; of a leaf: its only answer
    std::uint32_t test;  // column << 2 | of levels << 1 | missing cells go right; of a leaf: its only class + 1, or 0
    std::int32_t first;  // left child, right beside it; a leaf has none: -1
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
        sets_ = {0, ~std::uint64_t{0}};
        for (std::int32_t i = 0; i < tree.nodes; ++i) nodes_.push_back(packed(i));
    }

    // out (rows, n_answers) += the answer for each of so many rows of a block.
    void add(const RowBlock& block, index rows, double* out) const {  // without levels a step takes half the work
        if (of_levels_) walk(block, rows, out, [this](auto& node, auto* row) { return child(node, row); });
        else walk(block, rows, out, [](auto& node, auto* row) { return child_by_number(node, row); });
    }

private:
    template <class Child>
    void walk(const RowBlock& block, index rows, double* out, Child child) const {
        index row[kAbreast], next = std::min(kAbreast, rows), lanes = next;
        std::int32_t at[kAbreast] = {};
        std::iota(row, row + lanes, index{0});
        while (lanes > 0) {
            for (index r = 0; r < lanes; ++r) {
                const PackedNode& node = nodes_[static_cast<size_t>(at[r])];
                const std::int32_t to = node.first < 0 ? at[r] : child(node, block.row(row[r]));
                if (to >= 0 && node.first >= 0) {
                    at[r] = to;
                    MERCER_PREFETCH(
                        &nodes_[static_cast<size_t>(to)]);  // it is looked at when the other rows have moved
                    continue;
                }
                double* const answer = out + row[r] * t_.n_answers;
                if (to >= 0) add_answer(to, answer);
                else add_spread(at[r], block.row(row[r]), answer);
                const bool more = next < rows;
                if (!more) --lanes;
                row[r] = more ? next++ : row[lanes];
                at[r] = more ? 0 : at[lanes];
                r -= !more;
            }
        }
    }

    static constexpr index kAbreast = 16;
    const Stored& t_;
    const Shape& shape_;
    bool of_levels_ = false;  // whether some test is
    std::vector<PackedNode> nodes_;
    std::vector<std::uint64_t> sets_;  // per 64 levels of a test: bits of those that go right, of those that were there

    PackedNode packed(std::int32_t i) {
        const auto kind = static_cast<Kind>(t_.kind[i]);
        if (kind == Kind::leaf) return {RowBlock::bits(t_.answer[i * t_.n_answers]), only_class(i), -1};
        const std::int32_t branch = t_.missing_branch[i];
        const double* rows = t_.rows + t_.first[i];
        const bool missing_right = branch >= 0 ? branch == 1 : rows[1] >= rows[0];
        const auto column = static_cast<std::uint32_t>(t_.column[i]);
        if (kind == Kind::threshold) return {RowBlock::bits(t_.threshold[i]), column << 2 | missing_right, t_.first[i]};
        of_levels_ = true;
        const auto levels = static_cast<size_t>(shape_.levels[column - shape_.numbers]);
        const std::uint64_t start = sets_.size();
        sets_.resize(start + 2 * ((levels + 2 + 63) / 64), 0);
        const auto known = [&](size_t level, bool right) {
            sets_[start + level / 64 * 2] |= static_cast<std::uint64_t>(right) << (level % 64);
            sets_[start + level / 64 * 2 + 1] |= std::uint64_t{1} << (level % 64);
        };
        for (index k = t_.level_start[i]; k < t_.level_start[i + 1]; ++k)
            known(static_cast<size_t>(t_.level[k]), t_.branch[k] != 0);
        known(levels, missing_right);
        return {start, column << 2 | 2u | missing_right, t_.first[i]};
    }

    std::uint32_t only_class(std::int32_t i) const {
        const double* answer = t_.answer + i * t_.n_answers;
        if (t_.n_outputs != 1 || t_.classes[0] == 0) return 0;
        const double* one = std::find(answer, answer + t_.n_answers, 1.0);
        return one == answer + t_.n_answers ? 0 : static_cast<std::uint32_t>(one - answer) + 1;
    }

    void add_answer(std::int32_t node, double* out) const {
        const PackedNode& leaf = nodes_[static_cast<size_t>(node)];
        if (leaf.test > 0) {
            out[leaf.test - 1] += 1.0;
            return;
        }
        if (t_.n_answers == 1) {
            out[0] += RowBlock::number(leaf.cut);
            return;
        }
        const double* answer = t_.answer + node * t_.n_answers;
        for (index c = 0; c < t_.n_answers; ++c) out[c] += answer[c];
    }

    // As Walker::answer from a node on: a row whose level was not there goes down both branches in parts.
    void add_spread(std::int32_t from, const std::uint64_t* row, double* out) const {
        std::vector<std::pair<std::int32_t, double>> left{{from, 1.0}};
        while (!left.empty()) {
            auto [at, part] = left.back();
            left.pop_back();
            std::int32_t to = at;
            const bool whole = part >= least_fraction;
            while (whole && nodes_[static_cast<size_t>(at)].first >= 0 &&
                   (to = child(nodes_[static_cast<size_t>(at)], row)) >= 0)
                at = to;
            const std::int32_t first = nodes_[static_cast<size_t>(at)].first;
            if (whole && first >= 0) {
                const double sum = t_.weight[first] + t_.weight[first + 1];
                left.emplace_back(first + 1, part * t_.weight[first + 1] / sum);
                left.emplace_back(first, part * t_.weight[first] / sum);
                continue;
            }
            const double* answer = t_.answer + at * t_.n_answers;
            for (index c = 0; c < t_.n_answers; ++c) out[c] += part * answer[c];
        }
    }

    static std::uint64_t goes_right(const PackedNode& node, std::uint64_t cell) {
        const double v = RowBlock::number(cell);
        return (v > RowBlock::number(node.cut)) | ((v != v) & (node.test & 1));
    }

    static std::int32_t child_by_number(const PackedNode& node, const std::uint64_t* row) {
        return node.first + static_cast<std::int32_t>(goes_right(node, row[node.test >> 2]));
    }

    // The child of an inner node that a row goes to, or -1 where its level was not there. Without a branch: whether a
    // column has numbers or levels is as good as random. A test of numbers looks up the first pair of words.
    std::int32_t child(const PackedNode& node, const std::uint64_t* row) const {
        const std::uint64_t cell = row[node.test >> 2], of_levels = node.test >> 1 & 1, mask = 0 - of_levels;
        const std::uint64_t above = goes_right(node, cell);
        const std::uint64_t* words = sets_.data() + (node.cut & mask) + (cell & mask) / 64 * 2;
        const std::uint64_t right = (above & ~mask) | (words[0] >> (cell % 64) & 1);
        const std::uint64_t known = words[1] >> (cell % 64) & 1;
        return known ? node.first + static_cast<std::int32_t>(right) : -1;
    }
};

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
    const Segments segments{rows, RowBlock::rows(shape)};
    parallel_for(segments.count(), n_jobs, [&](index s) {
        const index first = segments.begin(s), last = segments.end(s);
        RowBlock block(shape, numbers, codes);
        if (pays) block.read(first, last);
        for (size_t t = 0; t < trees.size(); ++t) {
            if (packed[t]) {
                packed[t]->add(block, last - first, out + first * trees[t].n_answers);
                continue;
            }
            Walker walker(trees[t], shape, numbers, codes, missing);
            for (index i = first; i < last; ++i) walker.answer(i, out + i * trees[t].n_answers);
        }
    });
}

}  // namespace mercer::tree
