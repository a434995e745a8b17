// How a tree is grown: impurity, kinds of tests, where missing cells go, limits, and what is drawn at random.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace mercer::tree {

// Weights add up only up to rounding; limits on them forgive this much.
constexpr double weight_slack = 1e-9;
// A fraction of a row below this is not sent further down: it bounds the copies of rows with many missing cells.
constexpr double least_fraction = 1.0 / 1024;

enum class Criterion : int { entropy = 0, gain_ratio = 1, gini = 2, error = 3, squared = 4, poisson = 5, absolute = 6 };
enum class Kind : std::uint8_t { leaf = 0, threshold = 1, multiway = 2, subset = 3 };

// Rows whose cell is missing go down every branch in fractions (Quinlan 1993, ch. 3), or down the branch that a
// surrogate test points to (Breiman et al. 1984, 5.3), or down the branch where they lower impurity most.
enum class Missing : int { fraction = 0, surrogate = 1, learned = 2 };

struct Rules {
    Criterion criterion = Criterion::gini;
    Missing missing = Missing::learned;
    bool multiway = false;  // nominal columns: a branch per level, or two sets of levels
    bool mdl = false;       // C4.5 release 8: thresholds pay log2(cuts) / W and need a tenth of a class's share
    bool random = false;    // one test of each column, drawn at random, instead of the best
    int max_surrogates = 5;
    bool shuffle = false;  // columns are looked at in random order, of tests that gain alike the first one is taken
    std::int64_t max_columns = 0;  // columns looked at in each node, drawn at random; 0: all
    std::int64_t max_leaves = 0;   // the node that gains most is split next, up to so many leaves; 0: no such limit
    std::uint64_t seed = 0;
    double max_depth = 0, min_rows_split = 2, min_rows_leaf = 1, min_weight_leaf = 0, min_gain = 0;
    double set_penalty = 0;  // share of the bits that name two sets of levels, deducted when columns are compared
    std::vector<std::int32_t> constant;  // columns known to be so in all rows, increasing
    std::vector<std::int8_t> monotone;   // per column: the answer does not fall (1), does not rise (-1); empty: free

    bool regresses() const { return criterion >= Criterion::squared; }
    bool counts_bits() const { return criterion <= Criterion::gain_ratio; }
    bool learned() const { return missing == Missing::learned; }
};

// SplitMix64 (Steele, Lea and Flood 2014). Each node has a seed made of its parent's and its branch, so that a tree
// depends neither on the order nor on the threads in which nodes are split.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    std::uint64_t below(std::uint64_t n) { return ((next() >> 32) * n) >> 32; }  // n up to 2^32

    static std::uint64_t of_column(std::uint64_t node, int column) {
        return derived(node, static_cast<std::uint64_t>(column));
    }
    static std::uint64_t of_branch(std::uint64_t node, size_t branch) {
        return derived(node, (std::uint64_t{1} << 32) + branch);
    }

private:
    std::uint64_t state_;
    static std::uint64_t derived(std::uint64_t seed, std::uint64_t k) {
        return Random(seed ^ ((k + 1) * 0xD1B54A32D192ED03ull)).next();
    }
};

// Xorshift (Marsaglia 2003) draws columns, so that the root looks at them in the order in which scikit-learn does.
class ColumnDraw {
public:
    explicit ColumnDraw(std::uint64_t seed) : state_(static_cast<std::uint32_t>(seed)) {
        if (state_ == 0) state_ = 1;
    }
    size_t below(size_t n) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return (state_ & 0x7FFFFFFFu) % n;
    }

private:
    std::uint32_t state_;
};

// What the answers of a node must lie between, for constraints further up.
struct Bounds {
    double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
    bool hold(double value, double slack) const { return value >= lower - slack && value <= upper + slack; }
};

}  // namespace mercer::tree
