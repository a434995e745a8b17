// Rows sent down a tree whose inner nodes take a quarter of a cache line each, several rows at a time: while the next
// node of one row is fetched, the others go on. Trees of two-way tests where missing cells have a branch; others walk.
#pragma once

#include <mutex>
#include <optional>

#include "mercer/compiler.hpp"
#include "mercer/tree_cells.hpp"
#include "mercer/tree_predict.hpp"

namespace mercer::tree {

struct PackedTest {
    std::uint32_t cut;       // the key of the threshold; of a test of levels: the place of the weights of its branches
    std::uint32_t test;      // column << 2 | of levels << 1 | missing numbers go left
    std::int32_t branch[2];  // the slot of an inner node; of a leaf ~k: answer of class k alone, or row k of answers
};

// In the slots after a test of levels, 64 levels each: bits of those that go right and of those that were there.
struct LevelBits {
    std::uint64_t right, known;
};

union Slot {
    PackedTest test;
    LevelBits levels;
};

class PackedTree {
public:
    static bool fits(const Stored& t, const Shape& shape, Missing missing) {
        if (missing != Missing::learned) return false;
        index slots = 0;
        for (index i = 0; i < t.nodes; ++i) {
            if (t.kind[i] == static_cast<std::uint8_t>(Kind::multiway)) return false;
            if (t.branches[i] > 0) slots += slots_of(t, shape, i);
        }
        return slots <= kMostSlots * t.nodes && slots < std::numeric_limits<std::int32_t>::max();
    }

    PackedTree(const Stored& tree, const Shape& shape) : t_(tree), shape_(shape) {
        std::vector<std::int32_t> size(static_cast<size_t>(tree.nodes));  // slots of a subtree
        for (index i = tree.nodes - 1; i >= 0; --i) {
            if (tree.branches[i] == 0) continue;
            const std::int32_t* below = &size[static_cast<size_t>(tree.first[i])];
            size[static_cast<size_t>(i)] = slots_of(i) + below[0] + below[1];
        }
        slots_.resize(static_cast<size_t>(size[0]) + 1);  // a test of numbers, too, looks at the slot after it
        origin_.resize(slots_.size());
        std::vector<std::int32_t> place(size.size());
        if (tree.branches[0] == 0) root_ = ~answer_of(0);
        for (index i = 0; i < tree.nodes; ++i)
            if (tree.branches[i] > 0) place_and_pack(i, size, place);
    }

    // out (rows, n_answers) += the answer for each of the first rows of a block.
    void add(const RowBlock& block, index rows, double* out) const {
        if (root_ < 0)
            for (index i = 0; i < rows; ++i) add_answer(root_, out + i * t_.n_answers);
        else if (of_levels_) walk(block, rows, out, [](auto& slot, auto* row) { return child(slot, row); });
        else walk(block, rows, out, [](auto& slot, auto* row) { return child_by_number(slot, row); });
    }

private:
    static constexpr index kAbreast = 32;    // 16 took a sixth longer on covtype
    static constexpr index kMostSlots = 16;  // a node, in the mean: thousands of levels are better looked up
    static constexpr std::int32_t kUnsure = std::numeric_limits<std::int32_t>::min();
    const Stored& t_;
    const Shape& shape_;
    bool of_levels_ = false;  // whether some test is; without, a step takes half the work
    std::int32_t root_ = 0;
    std::vector<Slot> slots_;
    std::vector<std::int32_t> origin_;  // the node of each slot
    std::vector<double> answers_;       // of leaves of several classes or of numbers, in rows
    std::vector<double> weights_;       // of both branches of each test of levels

    template <class Child>
    void walk(const RowBlock& block, index rows, double* out, Child child) const {
        const std::uint32_t* cells[kAbreast];
        index row[kAbreast], next = 0, lanes = std::min(kAbreast, rows);
        std::int32_t at[kAbreast] = {};
        for (; next < lanes; ++next) cells[next] = block.row(row[next] = next);
        while (lanes > 0) {
            for (index r = 0; r < lanes; ++r) {
                std::int32_t to = child(slot(at[r]), cells[r]);
                if (to == kUnsure) to = exact(at[r], block, row[r]);
                if (to >= 0) {
                    at[r] = to;
                    MERCER_PREFETCH(&slot(to));  // it is looked at when the other rows have moved
                    continue;
                }
                double* const answer = out + row[r] * t_.n_answers;
                if (to != kUnsure) add_answer(to, answer);
                else add_spread(at[r], block, row[r], answer);
                const bool more = next < rows;
                if (!more) --lanes;
                row[r] = more ? next : row[lanes];
                cells[r] = more ? block.row(next++) : cells[lanes];
                at[r] = more ? 0 : at[lanes];
                r -= !more;
            }
        }
    }

    const Slot& slot(std::int32_t at) const { return slots_[static_cast<size_t>(at)]; }

    static std::int32_t slots_of(const Stored& t, const Shape& shape, index i) {
        if (static_cast<Kind>(t.kind[i]) == Kind::threshold) return 1;
        return 1 + (shape.levels[t.column[i] - shape.numbers] + 2 + 63) / 64;
    }
    std::int32_t slots_of(index i) const { return slots_of(t_, shape_, i); }

    // The child of more rows comes next: many steps stay in a cache line.
    void place_and_pack(index i, const std::vector<std::int32_t>& size, std::vector<std::int32_t>& place) {
        const auto first = static_cast<size_t>(t_.first[i]);
        const size_t heavy = first + (t_.rows[first + 1] > t_.rows[first]), light = 2 * first + 1 - heavy;
        const auto at = static_cast<size_t>(place[static_cast<size_t>(i)]);
        const std::int32_t next = place[static_cast<size_t>(i)] + slots_of(i);
        place[heavy] = size[heavy] > 0 ? next : ~answer_of(static_cast<index>(heavy));
        place[light] = size[light] > 0 ? next + size[heavy] : ~answer_of(static_cast<index>(light));
        origin_[at] = static_cast<std::int32_t>(i);
        pack(i, &slots_[at], &place[first]);
    }

    void pack(index i, Slot* to, const std::int32_t* below) {
        const std::int32_t branch = t_.missing_branch[i];
        const double* rows = t_.rows + t_.first[i];
        const bool missing_right = branch >= 0 ? branch == 1 : rows[1] >= rows[0];
        const auto column = static_cast<std::uint32_t>(t_.column[i]);
        if (static_cast<Kind>(t_.kind[i]) == Kind::threshold) {
            // A cell goes right when it plus one is beyond the cut plus one, too, but a missing one is 0 then.
            to->test = {key(t_.threshold[i]) + !missing_right, column << 2 | !missing_right, {below[0], below[1]}};
            return;
        }
        of_levels_ = true;
        to->test = {static_cast<std::uint32_t>(weights_.size()), column << 2 | 2u, {below[0], below[1]}};
        weights_.insert(weights_.end(), t_.weight + t_.first[i], t_.weight + t_.first[i] + 2);
        for (std::int32_t k = 1; k < slots_of(i); ++k) to[k].levels = {0, 0};
        const auto known = [&](std::int32_t level, bool right) {
            LevelBits& bits = to[1 + level / 64].levels;
            bits.right |= static_cast<std::uint64_t>(right) << (level % 64);
            bits.known |= std::uint64_t{1} << (level % 64);
        };
        for (index k = t_.level_start[i]; k < t_.level_start[i + 1]; ++k) known(t_.level[k], t_.branch[k] != 0);
        known(shape_.levels[column - shape_.numbers], missing_right);
    }

    // The only class of a leaf, or its row of `answers_`, counted from the number of classes on.
    std::int32_t answer_of(index i) {
        const double *answer = t_.answer + i * t_.n_answers, *end = answer + t_.n_answers;
        const double* one = t_.n_outputs == 1 && t_.classes[0] > 0 ? std::find(answer, end, 1.0) : end;
        if (one != end) return static_cast<std::int32_t>(one - answer);
        answers_.insert(answers_.end(), answer, end);
        return static_cast<std::int32_t>(static_cast<index>(answers_.size()) / t_.n_answers - 1 + t_.n_answers);
    }

    void add_answer(std::int32_t leaf, double* out, double part = 1.0) const {
        const std::int32_t k = ~leaf;
        if (k < t_.n_answers) {
            out[k] += part;
            return;
        }
        const double* answer = answers_.data() + (k - t_.n_answers) * t_.n_answers;
        for (index c = 0; c < t_.n_answers; ++c) out[c] += part * answer[c];
    }

    // As Walker::answer from a node on: a row whose level was not there goes down both branches in parts.
    void add_spread(std::int32_t from, const RowBlock& block, index row, double* out) const {
        std::vector<std::pair<std::int32_t, double>> left{{from, 1.0}};
        while (!left.empty()) {
            auto [at, part] = left.back();
            left.pop_back();
            while (at >= 0 && part >= least_fraction) {
                std::int32_t to = child(slot(at), block.row(row));
                if (to == kUnsure) to = exact(at, block, row);
                if (to == kUnsure) break;
                at = to;
            }
            if (at < 0) {
                add_answer(at, out, part);
                continue;
            }
            if (part >= least_fraction) {
                const PackedTest& test = slot(at).test;
                const double *weight = &weights_[test.cut], sum = weight[0] + weight[1];
                left.emplace_back(test.branch[1], part * weight[1] / sum);
                left.emplace_back(test.branch[0], part * weight[0] / sum);
                continue;
            }
            const double* answer = t_.answer + origin_[static_cast<size_t>(at)] * t_.n_answers;
            for (index c = 0; c < t_.n_answers; ++c) out[c] += part * answer[c];
        }
    }

    // The child where keys are the same and numbers may differ; kUnsure where a level was not there.
    std::int32_t exact(std::int32_t at, const RowBlock& block, index row) const {
        const PackedTest& test = slot(at).test;
        if (test.test & 2) return kUnsure;
        return test.branch[block.number(row, test.test >> 2) > t_.threshold[origin_[static_cast<size_t>(at)]]];
    }

    static std::int32_t child_by_number(const Slot& slot, const std::uint32_t* row) {
        const PackedTest& test = slot.test;
        const std::uint32_t cell = row[test.test >> 2], moved = cell + (test.test & 1);
        const std::int32_t to = test.branch[moved > test.cut];
        return (moved == test.cut) & cell & 1 ? kUnsure : to;
    }

    // Without a branch: whether a column has numbers or levels is as good as random.
    static std::int32_t child(const Slot& slot, const std::uint32_t* row) {
        const PackedTest& test = slot.test;
        const std::uint32_t cell = row[test.test >> 2], moved = cell + (test.test & 1);
        const std::uint64_t of_levels = test.test >> 1 & 1, of_numbers = of_levels ^ 1;
        const LevelBits& bits = (&slot + 1 + cell * of_levels / 64)->levels;
        const std::uint64_t right = (bits.right >> (cell % 64) & of_levels) | ((moved > test.cut) & of_numbers);
        const std::uint64_t unsure =
            (~bits.known >> (cell % 64) & of_levels) | ((moved == test.cut) & cell & of_numbers);
        const std::int32_t to = test.branch[right];
        return unsure ? kUnsure : to;
    }
};

// Trees for many predictions: packed as soon as that pays, once.
class PackedForest {
public:
    // `trees` and `shape` are sound, and what they point to stays as it is.
    PackedForest(std::vector<Stored> trees, Shape shape, Missing missing)
        : trees_(std::move(trees)), shape_(shape), missing_(missing) {
        for (const Stored& tree : trees_) nodes_ += tree.nodes;
    }

    index n_answers() const { return trees_[0].n_answers; }
    const Shape& shape() const { return shape_; }

    // out (rows, n_answers) += the answers of every tree, summed in their order.
    void add(const Matrix<double>& numbers, const Codes& codes, index rows, double* out, int n_jobs) {
        const bool packed = pack(rows, n_jobs);
        const Segments segments{rows, RowBlock::rows(shape_)};
        parallel_for(segments.count(), n_jobs, [&](index s) {
            const index first = segments.begin(s), last = segments.end(s);
            RowBlock block(shape_, numbers, codes);
            if (packed) block.read(first, last);
            for (size_t t = 0; t < trees_.size(); ++t) {
                if (packed && packed_[t]) {
                    packed_[t]->add(block, last - first, out + first * n_answers());
                    continue;
                }
                Walker walker(trees_[t], shape_, numbers, codes, missing_);
                for (index i = first; i < last; ++i) walker.answer(i, out + i * n_answers());
            }
        });
    }

private:
    // Whether the trees are packed: a row passes some of the nodes of a tree, packing all of them.
    bool pack(index rows, int n_jobs) {
        const std::lock_guard<std::mutex> alone(packing_);
        const auto n = static_cast<index>(trees_.size());
        if (packed_.empty() && rows * n * 8 > nodes_) {
            std::vector<std::optional<PackedTree>> packed(trees_.size());
            parallel_for(n, n_jobs, [&](index t) {
                const auto k = static_cast<size_t>(t);
                if (PackedTree::fits(trees_[k], shape_, missing_)) packed[k].emplace(trees_[k], shape_);
            });
            packed_ = std::move(packed);
        }
        return !packed_.empty();
    }

    const std::vector<Stored> trees_;
    const Shape shape_;
    const Missing missing_;
    index nodes_ = 0;
    std::mutex packing_;
    std::vector<std::optional<PackedTree>> packed_;
};

}  // namespace mercer::tree
