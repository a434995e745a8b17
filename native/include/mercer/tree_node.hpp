// What a tree is grown on, its nodes before they are numbered, and the rows of one node laid side by side.
#pragma once

#include <memory>

#include "mercer/tree_groups.hpp"
#include "mercer/tree_surrogate.hpp"

namespace mercer::tree {

struct Data {
    std::shared_ptr<const std::vector<Column>> columns;  // shared by the trees of a forest
    size_t rows = 0;
    int outputs = 1;
    std::vector<int> classes;             // of each output; empty: numbers
    const std::int32_t* label = nullptr;  // (rows, outputs)
    const double* target = nullptr;       // (rows, outputs)
    const double* weight = nullptr;       // null: all one
    const std::uint32_t* tag = nullptr;   // weight << 8 | label of each row where `whole_weights` found them; or null
    bool missing = false;                 // some column has missing cells
};

// Weight and label of each row in one word; empty where weights are not whole or too many, or there are more classes
// than a byte tells apart. Up to 2^26 rows, sums of squares of their counts are whole numbers that a double holds.
inline std::vector<std::uint32_t> whole_weights(const Data& data) {
    std::vector<std::uint32_t> tag;
    if (data.outputs != 1 || data.classes.empty() || data.classes[0] > 256) return tag;
    double sum = 0;
    for (size_t i = 0; i < data.rows; ++i) {
        const double w = data.weight ? data.weight[i] : 1.0;
        sum += w;
        if (w != std::floor(w) || w >= 1 << 24) return tag;
    }
    if (sum >= 1 << 26) return tag;
    tag.resize(data.rows);
    for (size_t i = 0; i < data.rows; ++i)
        tag[i] = (data.weight ? static_cast<std::uint32_t>(data.weight[i]) : 1u) << 8 |
                 static_cast<std::uint32_t>(data.label[i]);
    return tag;
}

struct Node {
    int column = -1;
    Kind kind = Kind::leaf;
    double threshold = -2;  // of a leaf as scikit-learn has it
    std::int32_t missing_branch = -1;
    std::int32_t first = -1, branches = 0;  // children are first .. first + branches - 1
    size_t level_start = 0, levels = 0;     // slice of Parts::level and Parts::branch
    size_t surrogate_start = 0, surrogates = 0;
    double rows = 0, weight = 0, impurity = 0;
};

// Nodes in the order they were made, before they are numbered.
struct Parts {
    std::vector<Node> nodes;
    std::vector<double> answers;  // per node: shares of the classes, or means (medians)
    std::vector<std::int32_t> level, branch;
    std::vector<Surrogate> surrogates;
};

using Active = std::shared_ptr<const std::vector<int>>;

// A node to be split: which columns are not constant there, its seed, and the bounds of its answers.
struct Place {
    std::int32_t node = 0;
    int depth = 0;
    Active active;
    std::uint64_t seed = 0;
    Bounds bounds;
};

struct Pending : Place {
    size_t begin = 0, end = 0;
};

struct Task : Place {
    std::vector<std::uint32_t> row;
    std::vector<double> fraction;
};

// The rows of one node laid side by side, with their sums, impurity and answers.
class Gatherer {
public:
    Channels channels;
    std::vector<double> answer;  // of the node gathered last: shares of the classes, or means (medians)

    Gatherer(const Data& data, const Rules& rules, const XLog& xlog) : data_(data), rules_(rules), xlog_(xlog) {
        const bool fractions = data.missing && rules.missing == Missing::fraction;
        channels = channels_of(data.classes, data.outputs, data.weight || fractions);
        if (data.tag && data.weight && rules.min_rows_leaf <= 1) {  // a side with a row has enough of them
            channels.count = -1;
            --channels.width;
        }
    }

    // The sample of these rows; part: fraction of each that is here, or null.
    Sample gather(const std::vector<std::uint32_t>& row, const double* part, const Bounds& bounds) {
        Sample s;
        const size_t n = row.size();
        s.row = row.data();
        s.size = n;
        s.part = part;
        s.channels = &channels;
        if (data_.tag) {
            tag_.resize(n);
            for (size_t i = 0; i < n; ++i) tag_[i] = data_.tag[row[i]];
            s.tag = tag_.data();
            s.ones = !data_.weight;
        } else if (data_.weight) {
            weight_.resize(n);
            for (size_t i = 0; i < n; ++i) weight_[i] = data_.weight[row[i]] * (part ? part[i] : 1.0);
            s.weight = weight_.data();
        } else {
            s.weight = part;
        }
        if (channels.classes() && !s.tag) gather_labels(s);
        if (!channels.classes()) gather_targets(s);
        total_.assign(static_cast<size_t>(channels.width), 0.0);
        if (s.tag) sum_tags(s);
        else
            for (size_t i = 0; i < n; ++i) add_entry(total_.data(), s, i);
        s.total = total_.data();
        finish(s, bounds);
        return s;
    }

    // Impurity up to this is rounding.
    double pure() const {
        if (channels.classes()) return 1e-12;
        double squares = 0;
        for (double v : answer) squares += v * v / data_.outputs;
        return rules_.criterion == Criterion::squared ? 1e-26 * squares : 1e-13 * std::sqrt(squares);
    }

private:
    const Data& data_;
    const Rules& rules_;
    const XLog& xlog_;
    std::vector<std::uint32_t> label_, tag_;
    std::vector<double> weight_, target_, second_, total_;
    std::vector<Ranked> ranked_;
    std::vector<std::int64_t> counts_;

    void sum_tags(const Sample& s) {
        count_classes(s.tag, s.size, static_cast<size_t>(channels.first), s.ones, [](size_t) { return true; }, counts_);
        std::copy_n(counts_.begin(), channels.first, total_.begin());
        if (channels.count >= 0) total_[static_cast<size_t>(channels.count)] = static_cast<double>(s.size);
    }

    void gather_labels(Sample& s) {
        const size_t k = static_cast<size_t>(data_.outputs);
        label_.resize(s.size * k);
        for (size_t i = 0; i < s.size; ++i)
            for (size_t o = 0; o < k; ++o)
                label_[i * k + o] = static_cast<std::uint32_t>(channels.start[o] + data_.label[s.row[i] * k + o]);
        s.label = label_.data();
    }

    // Targets less their mean (median), whose squares keep their digits; those of Poisson as they are.
    void gather_targets(Sample& s) {
        const size_t k = static_cast<size_t>(data_.outputs);
        target_.resize(s.size * k);
        answer.assign(k, 0.0);
        for (size_t i = 0; i < s.size; ++i)
            for (size_t o = 0; o < k; ++o) target_[i * k + o] = data_.target[s.row[i] * k + o];
        s.target = target_.data();
        if (rules_.criterion == Criterion::absolute) {
            ranked_.resize(k);
            for (size_t o = 0; o < k; ++o) {
                ranked_[o].rank(target_.data(), s.size, k, o, s.weight);
                answer[o] = ranked_[o].median;
                for (double& v : ranked_[o].value) v -= answer[o];
            }
            s.ranked = &ranked_;
        } else {
            for (size_t o = 0; o < k; ++o) answer[o] = mean(s, o);
        }
        if (rules_.criterion == Criterion::poisson) {
            second_.resize(target_.size());
            for (size_t i = 0; i < target_.size(); ++i)
                second_[i] = target_[i] > 0 ? target_[i] * std::log(target_[i]) : 0;
            s.second = second_.data();
            return;
        }
        s.centre = answer[0];
        for (size_t i = 0; i < s.size; ++i)
            for (size_t o = 0; o < k; ++o) target_[i * k + o] -= answer[o];
    }

    // In two passes: the second takes away what the sum of the first rounded off.
    double mean(const Sample& s, size_t output) const {
        double w = 0, found = 0;
        for (int pass = 0; pass < 2; ++pass) {
            double sum = 0;
            w = 0;
            for (size_t i = 0; i < s.size; ++i) {
                const double v = s.weight ? s.weight[i] : 1.0;
                w += v;
                sum += v * (target_[i * static_cast<size_t>(data_.outputs) + output] - found);
            }
            found += w > 0 ? sum / w : 0.0;
        }
        return found;
    }

    // Impurity and answers of the node.
    void finish(Sample& s, const Bounds& bounds) {
        const double w = channels.weight(s.total);
        if (s.ranked)
            for (const Ranked& of : ranked_) s.spread += of.spread / data_.outputs;
        else s.spread = spread(s.total, channels, rules_.criterion, xlog_, w);
        if (channels.classes()) {
            answer.assign(s.total, s.total + channels.n_answers());
            for (double& v : answer) v /= w;
        }
        if (rules_.monotone.empty()) return;
        double& held = answer[channels.classes() ? 1 : 0];
        held = std::min(std::max(held, bounds.lower), bounds.upper);
        if (channels.classes()) answer[0] = 1 - held;
    }
};

}  // namespace mercer::tree
