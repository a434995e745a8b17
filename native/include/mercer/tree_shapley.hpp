// Shapley values of a tree's answer by the ways to its ends; mercer/solvers/tree/shapley.py states the problem.
//
// Every end is taken by itself: the shares of its players are multiplied on the way up, and the integral over t is done
// by Gauss's rule, exact for the polynomial of the players who differ from the usual row.
#pragma once

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

struct GaussRule {
    std::vector<double> points, weights;  // on [0, 1]
};

// The roots of Legendre's polynomial of degree n by Newton's method from Tricomi's approximation.
inline GaussRule gauss_rule(index n) {
    constexpr double pi = 3.14159265358979323846;
    GaussRule rule{std::vector<double>(n), std::vector<double>(n)};
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
        : ways_(ways), ends_(ends), place_(ways.players, -1), usual_(ways.nodes, 1.0) {
        for (index i = 1; i < ways.nodes; ++i) usual_[i] = usual_[ways.parent[i]] * ways.share[i];
    }

    // The answers when nothing is known of a row.
    void base(double* out) const {
        for (index e = 0; e < ends_.count; ++e)
            for (index a = 0; a < ends_.answers; ++a)
                out[a] += usual_[ends_.node[e]] * ends_.answer[e * ends_.answers + a];
    }

    // What each player adds to one answer of the row whose shares are `row`.
    void add(const double* row, index output, double* values) {
        for (index e = 0; e < ends_.count; ++e) {
            const index node = ends_.node[e];
            if (usual_[node] == 0.0 && row[node] == 0.0) continue;  // nobody ends here
            const double alike = collect(node, row);
            const double answer = alike * ends_.answer[e * ends_.answers + output];
            if (answer != 0.0 && !(own_.empty() && absent_.empty())) integrate(answer, values);
        }
    }

private:
    // The players who differ on the way to a node, with their shares, those without any apart. Returns the product of
    // what everyone sends of the others and of those apart.
    double collect(index node, const double* row) {
        absent_.clear();
        who_.clear();
        own_.clear();
        theirs_.clear();
        for (index i = node; i > 0; i = ways_.parent[i]) {
            const std::int32_t p = ways_.player[ways_.parent[i]];
            if (place_[p] < 0) {
                place_[p] = static_cast<std::int32_t>(who_.size());
                who_.push_back(p);
                own_.push_back(1.0);
                theirs_.push_back(1.0);
            }
            own_[place_[p]] *= row[i];
            theirs_[place_[p]] *= ways_.share[i];
        }
        double alike = 1.0;
        size_t kept = 0;
        for (size_t k = 0; k < who_.size(); ++k) {
            place_[who_[k]] = -1;
            const bool differs = own_[k] != theirs_[k];
            if (!differs || own_[k] == 0.0) {
                alike *= theirs_[k];
                if (differs) absent_.push_back(who_[k]);
                continue;
            }
            who_[kept] = who_[k];
            own_[kept] = own_[k];
            theirs_[kept++] = theirs_[k];
        }
        who_.resize(kept);
        own_.resize(kept);
        theirs_.resize(kept);
        return alike;
    }

    // The factor of a player without a share is (1 - t) z, and z cancels in what it adds: it is the same for all of
    // them.
    void integrate(double answer, double* values) {
        const size_t d = own_.size();
        const GaussRule& rule = rule_of((d + absent_.size() + 1) / 2);
        sums_.assign(d, 0.0);
        factor_.resize(d);
        double lost = 0.0;
        for (size_t q = 0; q < rule.points.size(); ++q) {
            const double t = rule.points[q];
            double product = rule.weights[q];
            for (size_t k = 0; k < absent_.size(); ++k) product *= 1.0 - t;
            for (size_t k = 0; k < d; ++k) {
                factor_[k] = (1.0 - t) * theirs_[k] + t * own_[k];
                product *= factor_[k];
            }
            for (size_t k = 0; k < d; ++k) sums_[k] += product / factor_[k];
            lost += product / (1.0 - t);
        }
        for (const std::int32_t p : absent_) values[p] -= answer * lost;
        for (size_t k = 0; k < d; ++k) values[who_[k]] += answer * (own_[k] - theirs_[k]) * sums_[k];
    }

    const GaussRule& rule_of(size_t n) {
        if (rules_.size() <= n) rules_.resize(n + 1);
        if (rules_[n].points.empty()) rules_[n] = gauss_rule(static_cast<index>(n));
        return rules_[n];
    }

    const Ways& ways_;
    const Ends& ends_;
    std::vector<std::int32_t> place_;  // of a player among those of one way, -1 outside
    std::vector<double> usual_;        // the share of everyone that reaches each node
    std::vector<std::int32_t> who_, absent_;
    std::vector<double> own_, theirs_, sums_, factor_;
    std::vector<GaussRule> rules_;
};

}  // namespace mercer::tree
