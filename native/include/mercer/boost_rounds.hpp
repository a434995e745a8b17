// Rounds of boosting, each a tree per output on the gradients at the sum so far.
//
// Problem  as in mercer/solvers/boost/boost.py, where every row is used and gradients say the values of the leaves.
// Given    as a tree, target, weights, loss, learning rate, the seeds of the trees of each round.
// Result   the trees, their values times the learning rate, and the raw predictions with them added.
// Stop     the rounds, or gradients or values that are no numbers: then the rounds before.
#pragma once

#include "mercer/boost_loss.hpp"
#include "mercer/boost_tree.hpp"

namespace mercer::boost {

struct Raised {  // what is predicted, and by how much each tree moves it
    Loss loss;
    Target target;
    double learning_rate;
    double* raw;  // (outputs, rows), changed
};

// Gives the leaves what they add, and adds it to the raw predictions of their rows; false where one is no number.
inline bool add_tree(Grown& tree, double learning_rate, double* raw) {
    bool finite = true;
    const bool says_nothing = tree.column.size() == 1;
    for (double& value : tree.value) {
        value = (says_nothing ? 0.0 : value) * learning_rate;
        finite &= std::isfinite(value);
    }
    if (!finite) return false;
    for (std::size_t node = 0; node < tree.column.size(); ++node) {
        if (tree.column[node] >= 0) continue;
        const double value = tree.value[node];
        for (std::int64_t i = tree.first[node]; i < tree.last[node]; ++i)
            raw[tree.order[static_cast<std::size_t>(i)]] += value;
    }
    return true;
}

// seeds (rounds, outputs); `count` as in Grower.
inline std::vector<Grown> grow_rounds(const Data& data, Rules rules, const Raised& to, const std::uint32_t* count,
                                      const std::uint64_t* seeds, index rounds, index outputs, int n_jobs,
                                      StopToken& stop) {
    const auto rows = static_cast<std::size_t>(data.rows), k = static_cast<std::size_t>(outputs);
    std::vector<double> gradient(rows * k), hessian(rows * k);
    std::vector<std::uint32_t> every(rows);
    std::iota(every.begin(), every.end(), 0u);
    std::vector<Grown> grown;
    for (index r = 0; r < rounds; ++r) {
        gradients(to.loss, to.raw, data.rows, outputs, to.target, gradient.data(), hessian.data(), n_jobs);
        for (std::size_t j = 0; j < k; ++j) {
            rules.seed = seeds[static_cast<std::size_t>(r) * k + j];
            bool sound = true;
            try {
                Grower grower(data, rules, &gradient[j * rows], &hessian[j * rows], count, every, n_jobs);
                grown.push_back(grower.grow(stop));
                sound = add_tree(grown.back(), to.learning_rate, to.raw + j * rows);
            } catch (const std::invalid_argument&) {  // of the gradients
                sound = false;
            }
            if (!sound) {
                grown.resize(static_cast<std::size_t>(r) * k);
                return grown;
            }
            grown.back().order = {};
        }
    }
    return grown;
}

}  // namespace mercer::boost
