// Which columns a node of a boosted tree may test.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "mercer/boost_split.hpp"
#include "mercer/tree_rules.hpp"

namespace mercer::boost {

// The union of the sets that hold all of these columns.
inline std::vector<std::int32_t> joined(const std::vector<std::vector<std::int32_t>>& sets,
                                        const std::vector<std::int32_t>& used) {
    std::vector<std::int32_t> out;
    for (const auto& set : sets) {
        const auto in_set = [&](std::int32_t c) { return std::find(set.begin(), set.end(), c) != set.end(); };
        if (std::all_of(used.begin(), used.end(), in_set)) out.insert(out.end(), set.begin(), set.end());
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

// The columns that node number `node` looks at, of those `allowed` where the rules limit them, increasing.
inline std::vector<int> candidates(const Rules& rules, std::size_t n_columns, const std::vector<std::int32_t>& allowed,
                                   std::size_t node) {
    std::vector<int> columns(allowed.begin(), allowed.end());
    if (rules.together.empty()) {
        columns.resize(n_columns);
        std::iota(columns.begin(), columns.end(), 0);
    }
    const auto wanted = static_cast<std::size_t>(rules.columns_per_node);
    if (wanted == 0 || wanted >= columns.size()) return columns;
    tree::Random random(tree::Random::of_branch(rules.seed, node));
    for (std::size_t k = 0; k < wanted; ++k) std::swap(columns[k], columns[k + random.below(columns.size() - k)]);
    columns.resize(wanted);
    std::sort(columns.begin(), columns.end());
    return columns;
}

}  // namespace mercer::boost
