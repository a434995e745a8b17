// Shapley values of a tree's answer by the ways to its ends; mercer/solvers/tree/shapley.py states the problem.
//
// The integral over t is done by Gauss's rule, exact for the polynomial of all players of the longest way. At its
// points, products of factors are made on the way down and summed over the ends on the way up, once for all ends of a
// subtree; a player who is asked again replaces its factor, and what the former one added is taken back (as in Linear
// TreeSHAP, Yu et al. 2022).
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
    Shapley(const Ways& ways, const Ends& ends)
        : ways_(ways), ends_(ends), before_(ways.nodes, 0), usual_(ways.nodes, 1.0), theirs_(ways.nodes, 1.0) {
        std::vector<index> players(ways.nodes, 0);  // how many are met on the way to each node
        std::vector<index> asked(ways.nodes, -1);   // the node before, which the children of a node share
        index most = 1;
        for (index i = 1; i < ways.nodes; ++i) {
            const index above = ways.parent[i];
            if (asked[above] < 0) asked[above] = asked_before(above, ways.player[above]);
            before_[i] = asked[above];
            players[i] = players[above] + (before_[i] == 0 ? 1 : 0);
            most = std::max(most, players[i]);
            usual_[i] = usual_[above] * ways.share[i];
            theirs_[i] = theirs_[before_[i]] * ways.share[i];
        }
        rule_ = gauss_rule((most + 1) / 2);
    }

    // The answers when nothing is known of a row.
    void base(double* out) const {
        for (index e = 0; e < ends_.count; ++e)
            for (index a = 0; a < ends_.answers; ++a)
                out[a] += usual_[ends_.node[e]] * ends_.answer[e * ends_.answers + a];
    }

    // What each player adds to one answer of the row whose shares are `row`; a few points at a time, so that a long way
    // of many players takes no more memory than a short one.
    void add(const double* row, index output, double* values) {
        own_.assign(static_cast<size_t>(ways_.nodes), 1.0);
        for (index i = 1; i < ways_.nodes; ++i) own_[i] = own_[before_[i]] * row[i];
        for (size_t q = 0; q < rule_.points.size(); q += kLanes) {
            descend(rule_.points.data() + q);
            end(output, rule_.weights.data() + q);
            ascend(values);
        }
    }

private:
    // The nearest node at or above `i` that a test of the player leads to; the root, 0, where there is none.
    index asked_before(index i, std::int32_t player) const {
        while (i > 0 && ways_.player[ways_.parent[i]] != player) i = ways_.parent[i];
        return i;
    }

    // At every node and each of the points t, of the player who leads to it the factor (1 - t) z + t o of all its tests
    // until there, and the product of the factors of all players. Kept are inverses: one division a node, not three.
    void descend(const double* t) {
        const Lanes ones = {1.0, 1.0, 1.0, 1.0};
        inverse_.assign(static_cast<size_t>(ways_.nodes), ones);
        product_.assign(static_cast<size_t>(ways_.nodes), ones);
        for (index i = 1; i < ways_.nodes; ++i) {
            const double own = own_[i], theirs = theirs_[i];
            if (own == 0.0 && theirs == 0.0) {
                product_[i] = {};  // the factor before may be 0 too
                continue;
            }
            const Lanes &last = inverse_[before_[i]], &above = product_[ways_.parent[i]];
            for (size_t l = 0; l < kLanes; ++l) {
                const double factor = (1.0 - t[l]) * theirs + t[l] * own;
                inverse_[i][l] = 1.0 / factor;
                product_[i][l] = above[l] * (factor * last[l]);
            }
        }
    }

    // What the ends add at their own nodes.
    void end(index output, const double* weight) {
        below_.assign(static_cast<size_t>(ways_.nodes), Lanes{});
        for (index e = 0; e < ends_.count; ++e) {
            const index i = ends_.node[e];
            const double answer = ends_.answer[e * ends_.answers + output];
            for (size_t l = 0; l < kLanes; ++l) below_[i][l] += answer * weight[l] * product_[i][l];
        }
    }

    // The sums of the ends below each node, and what these give to the player who leads to it.
    void ascend(double* values) {
        for (index i = ways_.nodes - 1; i > 0; --i) {
            if (own_[i] == 0.0 && theirs_[i] == 0.0) continue;  // nobody comes here
            Lanes& above = below_[ways_.parent[i]];
            for (size_t l = 0; l < kLanes; ++l) above[l] += below_[i][l];
            double& value = values[ways_.player[ways_.parent[i]]];
            const index j = before_[i];
            if (own_[i] != theirs_[i]) value += (own_[i] - theirs_[i]) * without(below_[i], inverse_[i]);
            if (own_[j] != theirs_[j]) value -= (own_[j] - theirs_[j]) * without(below_[i], inverse_[j]);
        }
    }

    // The sum over the points without one factor.
    static double without(const Lanes& sum, const Lanes& inverse) {
        Lanes parts;
        for (size_t l = 0; l < kLanes; ++l) parts[l] = sum[l] * inverse[l];
        return (parts[0] + parts[1]) + (parts[2] + parts[3]);
    }

    const Ways& ways_;
    const Ends& ends_;
    std::vector<index> before_;           // the node that the same player leads to, above each
    std::vector<double> usual_, theirs_;  // share of everyone at each node: by all tests, by those of its player
    GaussRule rule_;
    std::vector<double> own_;  // as `theirs_`, of the row
    std::vector<Lanes> inverse_, product_, below_;
};

}  // namespace mercer::tree
