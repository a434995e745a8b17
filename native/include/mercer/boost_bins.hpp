// Columns as bins of one byte: numbers by their place among at most 254 edges, levels by a table; the last is
// "missing".
//
//   bin(x) = number of edges below x        so that bin(x) <= b  if and only if  x <= edges[b]
#pragma once

#include <cstdint>

#include "mercer/counts.hpp"
#include "mercer/parallel.hpp"
#include "mercer/rows.hpp"

namespace mercer::boost {

constexpr int kMostEdges = 254;
constexpr int kMostBins = 256;  // of one byte

// Edges of a number padded to a power of two, so that each search takes the same steps.
class Edges {
public:
    Edges(const double* edges, index n) : steps_(1) {
        while ((index{1} << steps_) < n + 1) ++steps_;
        sorted_.assign(std::size_t{1} << steps_, std::numeric_limits<double>::infinity());
        std::copy(edges, edges + n, sorted_.begin());
        missing_ = static_cast<std::uint8_t>(n + 1);
    }

    // Bins of kBlock numbers at a time: the searches do not wait for each other.
    static constexpr index kBlock = 32;
    void find(const double* x, index n, std::uint8_t* out, index stride) const {
        std::uint32_t place[kBlock] = {};
        for (std::uint32_t half = 1u << (steps_ - 1); half > 0; half >>= 1)
            for (index i = 0; i < n; ++i) place[i] += sorted_[place[i] + half - 1] < x[i] ? half : 0;
        for (index i = 0; i < n; ++i) out[i * stride] = x[i] != x[i] ? missing_ : static_cast<std::uint8_t>(place[i]);
    }

private:
    int steps_;
    std::vector<double> sorted_;
    std::uint8_t missing_;
};

// How the cells of a table become bins: numbers first, then categorical columns.
struct Binning {
    std::vector<Edges> edges;                 // one per column of numbers
    std::vector<const std::uint8_t*> levels;  // one per column of codes: the bin of code -1, 0, 1, ...
    std::vector<index> n_levels;              // codes of at least this many were never seen: as if missing

    index columns() const { return static_cast<index>(edges.size() + levels.size()); }
};

// Bins of all cells, row by row.
inline void bin_rows(const Matrix<double>& numbers, const Codes& codes, const Binning& how, std::uint8_t* out,
                     int n_jobs) {
    const index p = static_cast<index>(how.edges.size()), q = static_cast<index>(how.levels.size());
    const Segments blocks{numbers.rows, 4096};
    parallel_for(blocks.count(), n_jobs, [&](index s) {
        double x[Edges::kBlock];
        for (index first = blocks.begin(s); first < blocks.end(s); first += Edges::kBlock) {
            const index n = std::min<index>(Edges::kBlock, blocks.end(s) - first);
            std::uint8_t* row = out + first * (p + q);
            for (index j = 0; j < p; ++j) {
                for (index i = 0; i < n; ++i)
                    x[i] = numbers.data[(first + i) * numbers.row_stride + j * numbers.col_stride];
                how.edges[static_cast<std::size_t>(j)].find(x, n, row + j, p + q);
            }
            for (index j = 0; j < q; ++j) {
                const std::uint8_t* table = how.levels[static_cast<std::size_t>(j)];
                const index known = how.n_levels[static_cast<std::size_t>(j)];
                for (index i = 0; i < n; ++i) {
                    const index code = codes.data[(first + i) * codes.row_stride + j * codes.col_stride];
                    row[i * (p + q) + p + j] = table[code < 0 || code >= known ? 0 : code + 1];
                }
            }
        }
    });
}

}  // namespace mercer::boost
