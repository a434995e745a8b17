// Hunt's algorithm: split the rows of a node by the best test, then the rows of each branch, until a stop rule holds.
//
// Problem  a tree of tests that lowers impurity most, greedily.
// Given    coded columns, classes or numbers to predict (one output or several), weights, rules.
// Result   flat arrays, nodes numbered level by level, the children of a node side by side.
// Stop     depth, rows, purity, gain, leaves, or no column with two values left.
//
// Large nodes share their columns out among threads; what remains below them are independent subtrees, one task each.
#pragma once

#include "mercer/rows.hpp"
#include "mercer/tree_builder.hpp"

namespace mercer::tree {

// Put the nodes of a subtree, grown apart, in the place that was kept for its root.
inline void graft(Parts& onto, std::int32_t place, Parts& from, size_t n_answers) {
    const auto shift = static_cast<std::int32_t>(onto.nodes.size()) - 1;
    const size_t levels = onto.level.size(), surrogates = onto.surrogates.size();
    for (Node& node : from.nodes) {
        if (node.first >= 0) node.first += shift;
        node.level_start += levels;
        node.surrogate_start += surrogates;
    }
    for (Surrogate& t : from.surrogates) t.level_start += levels;
    const auto w = static_cast<index>(n_answers);
    onto.nodes[static_cast<size_t>(place)] = from.nodes[0];
    std::copy_n(from.answers.begin(), w, onto.answers.begin() + place * w);
    onto.nodes.insert(onto.nodes.end(), from.nodes.begin() + 1, from.nodes.end());
    onto.answers.insert(onto.answers.end(), from.answers.begin() + w, from.answers.end());
    onto.level.insert(onto.level.end(), from.level.begin(), from.level.end());
    onto.branch.insert(onto.branch.end(), from.branch.begin(), from.branch.end());
    std::move(from.surrogates.begin(), from.surrogates.end(), std::back_inserter(onto.surrogates));
}

// Numbers level by level: order[k] is the node that becomes node k.
inline std::vector<std::int32_t> level_order(const std::vector<Node>& nodes) {
    std::vector<std::int32_t> order{0};
    for (size_t k = 0; k < order.size(); ++k) {
        const Node& node = nodes[static_cast<size_t>(order[k])];
        for (std::int32_t b = 0; b < node.branches; ++b) order.push_back(node.first + b);
    }
    return order;
}

inline Parts grow(const Data& given, const Rules& rules, int n_jobs, StopToken& stop) {
    Data data = given;
    std::vector<std::uint32_t> tag;
    if (rules.learned() && !rules.mdl && !rules.multiway) tag = whole_weights(given);
    if (!tag.empty()) data.tag = tag.data();
    Task root;
    double root_weight = 0;
    for (size_t i = 0; i < data.rows; ++i) {
        const double w = data.weight ? data.weight[i] : 1.0;
        if (w <= 0) continue;
        root.row.push_back(static_cast<std::uint32_t>(i));
        root_weight += w;
    }
    const bool fractions = data.missing && rules.missing == Missing::fraction;
    if (fractions) root.fraction.assign(root.row.size(), 1.0);
    auto active = std::make_shared<std::vector<int>>();
    for (int j = 0; j < static_cast<int>(data.columns->size()); ++j)
        if (!std::binary_search(rules.constant.begin(), rules.constant.end(), j)) active->push_back(j);
    root.active = active;
    root.seed = rules.seed;
    XLog xlog;
    if (rules.counts_bits() && !data.weight && !fractions) xlog.prepare(root.row.size());
    // One thread grows all in one go: where subtrees begin does not change them.
    const size_t large = rules.max_leaves > 0 || n_jobs == 1 ? 0 : std::max<size_t>(4096, root.row.size() / 32);
    Builder top(data, rules, xlog, stop, root_weight, large, n_jobs);
    top.grow(std::move(root));
    std::vector<size_t> by_size(top.tasks.size());
    for (size_t k = 0; k < by_size.size(); ++k) by_size[k] = k;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](size_t a, size_t b) { return top.tasks[a].row.size() > top.tasks[b].row.size(); });
    std::vector<Parts> subtrees(top.tasks.size());
    std::vector<std::int32_t> place(top.tasks.size());
    parallel_for(static_cast<index>(by_size.size()), n_jobs, [&](index k) {
        const size_t t = by_size[static_cast<size_t>(k)];
        Task task = std::move(top.tasks[t]);
        place[t] = task.node;
        task.node = 0;
        Builder builder(data, rules, xlog, stop, root_weight, 0, 1);
        builder.grow(std::move(task));
        subtrees[t] = std::move(builder.parts);
    });
    const auto n_answers = static_cast<size_t>(channels_of(data.classes, data.outputs, false).n_answers());
    for (size_t t = 0; t < subtrees.size(); ++t) graft(top.parts, place[t], subtrees[t], n_answers);
    return std::move(top.parts);
}

// Code every column, a few at a time, on n_jobs threads.
inline std::vector<Column> code_columns(const Matrix<double>& numbers, const Codes& codes, const std::int32_t* levels,
                                        const std::uint8_t* nominal, std::uint32_t max_bins, int n_jobs,
                                        StopToken& stop) {
    std::vector<Column> columns(static_cast<size_t>(numbers.cols + codes.cols));
    constexpr index few = 8;  // doubles in a cache line: a row-major table is read once
    const index bundles = (numbers.cols + few - 1) / few;
    parallel_for(bundles, n_jobs, [&](index t) {
        const index begin = t * few, end = std::min(numbers.cols, begin + few);
        std::vector<std::vector<double>> cells(static_cast<size_t>(end - begin),
                                               std::vector<double>(static_cast<size_t>(numbers.rows)));
        for (index i = 0; i < numbers.rows; ++i)
            for (index j = begin; j < end; ++j)
                cells[static_cast<size_t>(j - begin)][static_cast<size_t>(i)] =
                    numbers.data[i * numbers.row_stride + j * numbers.col_stride];
        Ranker ranker;
        std::vector<std::uint32_t> scratch;
        for (index j = begin; j < end; ++j) {
            if (stop.interrupted()) return;
            columns[static_cast<size_t>(j)] =
                code_numbers(cells[static_cast<size_t>(j - begin)], max_bins, ranker, scratch);
        }
    });
    parallel_for(codes.cols, n_jobs, [&](index j) {
        std::vector<std::uint32_t> scratch;
        columns[static_cast<size_t>(numbers.cols + j)] = code_levels(codes, j, levels[j], nominal[j] != 0, scratch);
    });
    return columns;
}

}  // namespace mercer::tree
