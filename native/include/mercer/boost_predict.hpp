// The sum of the values of the leaves that a row reaches, over the trees of a boosted model.
#pragma once

#include <cstdint>

#include "mercer/parallel.hpp"

namespace mercer::boost {

// Trees as one list of nodes: children are places in it.
struct Forest {
    index trees = 0, outputs = 1;
    const std::int64_t* root = nullptr;  // of each tree; tree t adds to output t % outputs
    const std::int32_t *column = nullptr, *left = nullptr, *right = nullptr, *set = nullptr;
    const std::uint8_t *cut = nullptr, *missing_left = nullptr;
    const std::uint64_t* left_bins = nullptr;
    const double* value = nullptr;
    const std::uint8_t* missing_bin = nullptr;  // of each column
};

// One node in a quarter of a cache line: column and test, then the children.
struct PackedNode {
    std::int32_t column;  // -1: a leaf
    std::uint8_t cut, missing_bin, missing_left, nominal;
    std::int32_t left, right;
};

inline std::vector<PackedNode> packed(const Forest& f, index nodes) {
    std::vector<PackedNode> out(static_cast<std::size_t>(nodes));
    for (index i = 0; i < nodes; ++i) {
        const std::int32_t c = f.column[i];
        out[static_cast<std::size_t>(i)] = {c,
                                            f.cut[i],
                                            c < 0 ? std::uint8_t{0} : f.missing_bin[c],
                                            f.missing_left[i],
                                            static_cast<std::uint8_t>(f.set[i] >= 0),
                                            f.left[i],
                                            f.right[i]};
    }
    return out;
}

// The node that a row of bins ends in, going from `node`.
inline std::int32_t leaf_of(const Forest& f, const PackedNode* nodes, const std::uint8_t* bins, std::int32_t node) {
    for (;;) {
        const PackedNode& n = nodes[node];
        if (n.column < 0) return node;
        const std::uint8_t bin = bins[n.column];
        bool left = bin <= n.cut;
        if (bin == n.missing_bin) {
            if (n.missing_left > 1) return node;  // no such cell was seen here: the value of all rows of the node
            left = n.missing_left != 0;
        } else if (n.nominal) left = (f.left_bins[4 * static_cast<index>(f.set[node]) + (bin >> 6)] >> (bin & 63)) & 1;
        node = left ? n.left : n.right;
    }
}

// Adds to `raw` (rows, outputs); bins is (rows, columns).
inline void add_values(const Forest& f, index nodes, const std::uint8_t* bins, index rows, index columns, double* raw,
                       int n_jobs) {
    const std::vector<PackedNode> list = packed(f, nodes);
    const Segments blocks{rows, 256};  // whose bins stay in cache while one tree after another reads them
    parallel_for(blocks.count(), n_jobs, [&](index s) {
        for (index t = 0; t < f.trees; ++t) {
            const auto root = static_cast<std::int32_t>(f.root[t]);
            for (index i = blocks.begin(s); i < blocks.end(s); ++i)
                raw[i * f.outputs + t % f.outputs] += f.value[leaf_of(f, list.data(), bins + i * columns, root)];
        }
    });
}

// The leaf of each row in each tree, (rows, trees).
inline void find_leaves(const Forest& f, index nodes, const std::uint8_t* bins, index rows, index columns,
                        std::int32_t* out, int n_jobs) {
    const std::vector<PackedNode> list = packed(f, nodes);
    const Segments blocks{rows, 256};
    parallel_for(blocks.count(), n_jobs, [&](index s) {
        for (index t = 0; t < f.trees; ++t)
            for (index i = blocks.begin(s); i < blocks.end(s); ++i)
                out[i * f.trees + t] =
                    leaf_of(f, list.data(), bins + i * columns, static_cast<std::int32_t>(f.root[t]));
    });
}

// Each row from the node where it is to the one it ends in.
inline void descend(const Forest& f, index nodes, const std::uint8_t* bins, index rows, index columns,
                    std::int32_t* node, int n_jobs) {
    const std::vector<PackedNode> list = packed(f, nodes);
    const Segments blocks{rows, 4096};
    parallel_for(blocks.count(), n_jobs, [&](index s) {
        for (index i = blocks.begin(s); i < blocks.end(s); ++i)
            node[i] = leaf_of(f, list.data(), bins + i * columns, node[i]);
    });
}

}  // namespace mercer::boost
