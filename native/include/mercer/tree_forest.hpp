// Many trees on the same coded columns, each with weights of rows and a seed of its own; one task a tree.
#pragma once

#include "mercer/tree.hpp"
#include "mercer/tree_packed.hpp"

namespace mercer::tree {

// weight: (trees, rows), or null where all trees have those of `data`.
inline std::vector<Flat> grow_forest(const Data& data, const Rules& rules, const double* weight,
                                     const std::vector<std::uint64_t>& seeds, size_t n_answers, int n_jobs,
                                     StopToken& stop) {
    std::vector<Flat> forest(seeds.size());
    const int threads = thread_count(n_jobs);
    const int each = std::max(1, threads / std::max(1, static_cast<int>(std::min<size_t>(seeds.size(), 256))));
    parallel_for(static_cast<index>(seeds.size()), threads, [&](index t) {
        if (stop.interrupted()) return;
        Data own = data;
        if (weight) own.weight = weight + static_cast<size_t>(t) * data.rows;
        Rules drawn = rules;
        drawn.seed = seeds[static_cast<size_t>(t)];
        forest[static_cast<size_t>(t)] = flatten(grow(own, drawn, each, stop), n_answers);
    });
    return forest;
}

}  // namespace mercer::tree
