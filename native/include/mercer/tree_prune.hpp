// Pruning on the shape of a tree and a cost per node. Children lie beyond their parent, so "bottom up" is a loop from
// the end.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "mercer/parallel.hpp"

namespace mercer::tree {

struct Outline {
    index nodes;
    const std::int32_t *first, *branches;
    bool sound() const {
        index next = 1;
        for (index i = 0; i < nodes; ++i) {
            if (branches[i] == 0) continue;
            if (branches[i] < 0 || first[i] != next || branches[i] > nodes - next) return false;
            next += branches[i];
        }
        return nodes > 0 && next == nodes;
    }
};

// cut[i] = 1 when node i as a leaf costs at most `slack` more than the (already pruned) subtree below it.
inline void cheaper_as_leaf(const Outline& t, const double* cost, double slack, std::uint8_t* cut) {
    std::vector<double> below(cost, cost + t.nodes);
    for (index i = t.nodes - 1; i >= 0; --i) {
        cut[i] = 0;
        if (t.branches[i] == 0) continue;
        double sum = 0;
        for (std::int32_t b = 0; b < t.branches[i]; ++b)
            sum += below[static_cast<size_t>(t.first[i]) + static_cast<size_t>(b)];
        cut[i] = cost[i] <= sum + slack;
        below[static_cast<size_t>(i)] = cut[i] ? cost[i] : sum;
    }
}

// Weakest links (Breiman et al. 1984, ch. 3): alpha[i] is the penalty per leaf from which node i is better as a leaf.
//
// The least cost of a subtree as a function of alpha is concave and piecewise linear. A node sums the functions of its
// children and takes the minimum with cost + alpha, which meets the sum once; breakpoints beyond that point vanish.
// Breakpoints wait in a leftist heap by alpha, so the whole path takes O(nodes log nodes) even for a tree that is one
// long branch.
class WeakestLinks {
public:
    std::vector<double> alpha, gain;    // per node: penalty at which it collapses, cost it then adds
    std::vector<std::int32_t> leaves;   // leaves it then removes
    std::vector<std::uint8_t> on_path;  // collapses before any node above it

    WeakestLinks(const Outline& t, const double* cost) {
        const size_t n = static_cast<size_t>(t.nodes);
        alpha.assign(n, std::numeric_limits<double>::infinity());
        gain.assign(n, 0.0);
        leaves.assign(n, 0);
        on_path.assign(n, 0);
        left_.assign(n, -1);
        right_.assign(n, -1);
        rank_.assign(n, 1);
        heap_.assign(n, -1);
        for (index i = t.nodes - 1; i >= 0; --i)
            if (t.branches[i] > 0) collapse(t, cost, static_cast<std::int32_t>(i));
        mark(heap_[0]);
    }

private:
    std::vector<std::int32_t> left_, right_, rank_, heap_, path_;

    void collapse(const Outline& t, const double* cost, std::int32_t node) {
        double sum = 0;
        std::int32_t count = t.branches[node], heap = -1;
        for (std::int32_t b = 0; b < t.branches[node]; ++b) {
            sum += cost[t.first[node] + b];
            heap = merge(heap, heap_[at(t.first[node] + b)]);
        }
        double meet = (cost[node] - sum) / (count - 1);
        while (heap >= 0 && meet < alpha[at(heap)]) {
            sum -= gain[at(heap)];
            count += leaves[at(heap)];
            heap = merge(left_[at(heap)], right_[at(heap)]);
            meet = (cost[node] - sum) / (count - 1);
        }
        alpha[at(node)] = std::max(meet, 0.0);
        gain[at(node)] = cost[node] - sum;
        leaves[at(node)] = count - 1;
        heap_[at(node)] = merge(heap, node);
    }

    static size_t at(std::int32_t i) { return static_cast<size_t>(i); }
    std::int32_t rank(std::int32_t i) const { return i < 0 ? 0 : rank_[at(i)]; }

    // Join two heaps along their right spines, which are short.
    std::int32_t merge(std::int32_t a, std::int32_t b) {
        path_.clear();
        while (a >= 0 && b >= 0) {
            if (alpha[at(a)] < alpha[at(b)]) std::swap(a, b);
            path_.push_back(a);
            a = right_[at(a)];
        }
        std::int32_t rest = a >= 0 ? a : b;
        for (; !path_.empty(); path_.pop_back()) {
            const std::int32_t top = path_.back();
            right_[at(top)] = rest;
            if (rank(left_[at(top)]) < rank(right_[at(top)])) std::swap(left_[at(top)], right_[at(top)]);
            rank_[at(top)] = rank(right_[at(top)]) + 1;
            rest = top;
        }
        return rest;
    }

    void mark(std::int32_t root) {
        std::vector<std::int32_t> stack;
        if (root >= 0) stack.push_back(root);
        while (!stack.empty()) {
            const std::int32_t i = stack.back();
            stack.pop_back();
            on_path[at(i)] = 1;
            if (left_[at(i)] >= 0) stack.push_back(left_[at(i)]);
            if (right_[at(i)] >= 0) stack.push_back(right_[at(i)]);
        }
    }
};

// keep[i] = 1 for the nodes that remain when every node with cut[i] becomes a leaf.
inline void still_reached(const Outline& t, const std::uint8_t* cut, std::uint8_t* keep) {
    std::fill(keep, keep + t.nodes, std::uint8_t{0});
    keep[0] = 1;
    for (index i = 0; i < t.nodes; ++i) {
        if (!keep[i] || cut[i]) continue;
        for (std::int32_t b = 0; b < t.branches[i]; ++b) keep[t.first[i] + b] = 1;
    }
}

}  // namespace mercer::tree
