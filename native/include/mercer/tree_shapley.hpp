// Shapley values of a tree's answer by the ways to its ends; mercer/solvers/tree/shapley.py states the problem.
//
// The integral over t is done by Gauss's rule, exact for the polynomial of all players of the longest way. At its
// points, products of factors are made on the way down and summed over the ends on the way up, once for all ends of a
// subtree; a player who is asked again replaces its factor, and what the former one added is taken back (as in Linear
// TreeSHAP, Yu et al. 2022). A test of a player whose tests already turned the row away changes its factor by a share
// that does not depend on t, and adds nothing: for each row such nodes are merged with their parents first.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "mercer/rows.hpp"

namespace mercer::tree {

// Parents come before their children; `share` is what everyone sends from a node's parent to it.
struct Ways {
    const std::int32_t* parent;
    const std::int32_t* player;
    const double* share;
    index nodes;
    index players;
};

struct Ends {
    const std::int32_t* node;
    const double* answer;  // (ends, answers)
    index count;
    index answers;
};

constexpr size_t kLanes = 4;  // points that are computed side by side
using Lanes = std::array<double, kLanes>;

struct GaussRule {
    std::vector<double> points, weights;  // on [0, 1]; filled up to whole lanes with points of no weight
};

// The roots of Legendre's polynomial of degree n by Newton's method from Tricomi's approximation.
inline GaussRule gauss_rule(index n) {
    constexpr double pi = 3.14159265358979323846;
    const size_t whole = (static_cast<size_t>(n) + kLanes - 1) / kLanes * kLanes;
    GaussRule rule{std::vector<double>(whole, 0.5), std::vector<double>(whole)};
    for (index k = 0; k < n; ++k) {
        double x = std::cos(pi * (static_cast<double>(k) + 0.75) / (static_cast<double>(n) + 0.5)), slope = 1.0;
        for (int step = 0; step < 20; ++step) {
            double before = 1.0, now = x;  // P_{j - 1}, P_j
            for (index j = 2; j <= n; ++j) {
                const double next = ((2.0 * j - 1.0) * x * now - (j - 1.0) * before) / static_cast<double>(j);
                before = now;
                now = next;
            }
            slope = static_cast<double>(n) * (x * now - before) / (x * x - 1.0);
            const double change = now / slope;
            x -= change;
            if (std::abs(change) < 1e-15) break;
        }
        rule.points[k] = (1.0 + x) / 2.0;
        rule.weights[k] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
    return rule;
}

class Shapley {
public:
    Shapley(const Ways& ways, const Ends& ends) : ways_(ways), ends_(ends), place_(ways.nodes), node_(ways.nodes) {
        sort_depth_first();
        std::vector<index> players(node_.size(), 0);  // how many are met on the way to each node
        std::vector<std::int32_t> latest(static_cast<size_t>(ways.players), 0);
        index most = 1;
        for (std::int32_t k = 1; k < ways.nodes; ++k) {
            Node& node = node_[k];
            std::int32_t j = latest[node.player];
            while (j > node.above || node_[j].end <= node.above) j = node_[j].before;  // not on the way to k
            node.before = j;
            latest[node.player] = k;
            players[k] = players[node.above] + (j == 0 ? 1 : 0);
            most = std::max(most, players[k]);
            node.usual = node_[node.above].usual * node.share;
            node.theirs = node_[j].theirs * node.share;
        }
        rule_ = gauss_rule((most + 1) / 2);
    }

    // The answers when nothing is known of a row.
    void base(double* out) const {
        for (index e = 0; e < ends_.count; ++e)
            for (index a = 0; a < ends_.answers; ++a)
                out[a] += node_[place_[ends_.node[e]]].usual * ends_.answer[e * ends_.answers + a];
    }

    // What each player adds to one answer of the row whose shares are `row`; a few points at a time, so that a long way
    // of many players takes no more memory than a short one.
    void add(const double* row, index output, double* values) {
        merge(row, output);
        inverse_.assign(inner_.size(), Lanes{1.0, 1.0, 1.0, 1.0});
        product_.assign(inner_.size(), Lanes{1.0, 1.0, 1.0, 1.0});
        below_.resize(inner_.size());
        for (size_t q = 0; q < rule_.points.size(); q += kLanes) {
            sums_.assign(static_cast<size_t>(ways_.players), Lanes{});
            descend(rule_.points.data() + q);
            ascend();
            for (size_t p = 0; p < sums_.size(); ++p)
                for (size_t l = 0; l < kLanes; ++l) values[p] += rule_.weights[q + l] * sums_[p][l];
        }
    }

private:
    // Depth first: the nodes below k are k + 1 .. end - 1.
    struct Node {
        std::int32_t from = 0;    // its number in `Ways`
        std::int32_t player = 0;  // whose test leads to it
        std::int32_t above = 0;   // its parent
        std::int32_t before = 0;  // the nearest node above that the same player leads to; the root where there is none
        std::int32_t end = 0;
        double share = 1.0;
        double usual = 1.0, theirs = 1.0;  // share of everyone at the node: by all tests, by those of its player
    };

    // A node that is left after merging; `above` and `before` count through the inner ones.
    struct Step {
        std::int32_t player, above, before;
        double own, theirs;  // share of the row and of everyone by the tests of its player
        double answer;       // of the ends here, in shares of the tests that were merged
    };

    void sort_depth_first() {
        const auto n = static_cast<std::int32_t>(ways_.nodes);
        std::vector<std::int32_t> size(node_.size(), 1), next(node_.size(), 1);
        for (std::int32_t i = n - 1; i > 0; --i) size[ways_.parent[i]] += size[i];
        node_[0].end = n;
        for (std::int32_t i = 1; i < n; ++i) {
            const std::int32_t parent = ways_.parent[i], k = next[parent];
            place_[i] = k;
            next[parent] += size[i];
            next[i] = k + 1;
            node_[k] = {i, ways_.player[parent], place_[parent], 0, k + size[i], ways_.share[i]};
        }
    }

    // The nodes that matter to the row: inner ones and, apart, leaves with an answer. Nobody comes where both shares
    // are 0, nor below.
    void merge(const double* row, index output) {
        constexpr std::int32_t nowhere = -1;
        answer_.assign(node_.size(), 0.0);
        for (index e = 0; e < ends_.count; ++e)
            answer_[place_[ends_.node[e]]] += ends_.answer[e * ends_.answers + output];
        own_.assign(node_.size(), 1.0);
        scale_.assign(node_.size(), 1.0);
        step_.assign(node_.size(), 0);
        inner_.assign(1, {0, 0, 0, 1.0, 1.0, answer_[0]});
        leaves_.clear();
        for (std::int32_t k = 1; k < ways_.nodes; ++k) {
            const Node& node = node_[k];
            const double before = own_[node.before], own = before * row[node.from];
            const std::int32_t above = step_[node.above];
            own_[k] = own;
            scale_[k] = scale_[node.above];
            step_[k] = above;
            if (above == nowhere || (own == 0.0 && node.theirs == 0.0)) {
                step_[k] = nowhere;
            } else if (own == 0.0 && before == 0.0) {
                scale_[k] *= node.share;
                inner_[above].answer += scale_[k] * answer_[k];
            } else if (node.end > k + 1) {
                step_[k] = static_cast<std::int32_t>(inner_.size());
                inner_.push_back({node.player, above, step_[node.before], own, node.theirs, scale_[k] * answer_[k]});
            } else if (answer_[k] != 0.0) {
                leaves_.push_back({node.player, above, step_[node.before], own, node.theirs, scale_[k] * answer_[k]});
            }
        }
    }

    // At every node and each of the points t, of the player who leads to it the factor (1 - t) z + t o of all its tests
    // until there, and the product of the factors of all players. Kept are inverses: one division a node, not three.
    void descend(const double* t) {
        for (size_t i = 0; i < inner_.size(); ++i) {
            if (i > 0) factor(inner_[i], t, inverse_[i], product_[i]);
            for (size_t l = 0; l < kLanes; ++l) below_[i][l] = inner_[i].answer * product_[i][l];
        }
        Lanes inverse, product;
        for (const Step& leaf : leaves_) {
            factor(leaf, t, inverse, product);
            for (size_t l = 0; l < kLanes; ++l) product[l] *= leaf.answer;
            give(leaf, product, inverse);
        }
    }

    void factor(const Step& step, const double* t, Lanes& inverse, Lanes& product) const {
        const Lanes &last = inverse_[step.before], &above = product_[step.above];
        for (size_t l = 0; l < kLanes; ++l) {
            const double factor = (1.0 - t[l]) * step.theirs + t[l] * step.own;
            inverse[l] = 1.0 / factor;
            product[l] = above[l] * (factor * last[l]);
        }
    }

    void ascend() {
        for (size_t i = inner_.size() - 1; i > 0; --i) give(inner_[i], below_[i], inverse_[i]);
    }

    // The sum of the ends below a node: to its parent, and without one factor to the player who leads to it.
    void give(const Step& step, const Lanes& sum, const Lanes& inverse) {
        const Step& last = inner_[step.before];
        const double now = step.own - step.theirs, then = last.own - last.theirs;
        const Lanes& former = inverse_[step.before];
        Lanes &above = below_[step.above], &value = sums_[step.player];
        for (size_t l = 0; l < kLanes; ++l) {
            above[l] += sum[l];
            value[l] += sum[l] * (now * inverse[l] - then * former[l]);
        }
    }

    const Ways& ways_;
    const Ends& ends_;
    std::vector<std::int32_t> place_;  // of each node of `ways_`, depth first
    std::vector<Node> node_;
    GaussRule rule_;
    std::vector<double> own_, scale_, answer_;  // of the row at each node
    std::vector<std::int32_t> step_;            // the inner step that each node became or was merged with
    std::vector<Step> inner_, leaves_;
    std::vector<Lanes> inverse_, product_, below_;  // of inner steps
    std::vector<Lanes> sums_;                       // of players
};

}  // namespace mercer::tree
