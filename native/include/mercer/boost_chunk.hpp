// Histograms of some rows of a table that is elsewhere in parts: those of all parts add up to those of the table.
#pragma once

#include <atomic>
#include <numeric>
#include <vector>

#include "mercer/boost_data.hpp"
#include "mercer/compiler.hpp"
#include "mercer/parallel.hpp"

namespace mercer::boost {

// Some rows of a chunk: their numbers in it, the histogram that each counts for, and their packed gradients.
struct Asked {
    std::vector<std::uint32_t> rows;
    std::vector<std::int32_t> slot;
    std::vector<Sums> packed;
};

// Ordered by histogram, each in the order of the rows, so that one histogram after the other stays in cache.
inline Asked by_slot(Asked given, std::size_t slots) {
    if (slots < 2) return given;
    std::vector<std::size_t> next(slots + 1, 0);
    for (const std::int32_t s : given.slot) ++next[static_cast<std::size_t>(s) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    Asked out{std::vector<std::uint32_t>(given.rows.size()), std::vector<std::int32_t>(given.rows.size()),
              std::vector<Sums>(given.rows.size())};
    for (std::size_t i = 0; i < given.rows.size(); ++i) {
        const std::size_t to = next[static_cast<std::size_t>(given.slot[i])]++;
        out.rows[to] = given.rows[i];
        out.slot[to] = given.slot[i];
        out.packed[to] = given.packed[i];
    }
    return out;
}

// Adds to `out` (slots, entries); bins is (rows of the chunk, columns), and column j has the entries from start[j] on,
// of bins up to most[j]. Returns false where a bin is beyond; its row is left out.
inline bool add_histograms(const std::uint8_t* bins, index columns, const Asked& asked, const std::int64_t* start,
                           const std::uint8_t* most, index entries, Sums* out, int n_jobs) {
    constexpr index kBlock = 2048;  // rows whose gradients and bins stay in cache while column after column reads them
    constexpr index kAhead = 16;    // rows of a histogram are far apart, and fetched before they are added
    const index n = static_cast<index>(asked.rows.size()), words = (columns + kWord - 1) / kWord;
    const index members = std::max<index>(1, std::min<index>(n_jobs, words));
    std::atomic<bool> sound{true};
    parallel_for(members, n_jobs, [&](index m) {
        const index first = words * m / members * kWord, last = std::min(columns, words * (m + 1) / members * kWord);
        for (index block = 0; block < n; block += kBlock)
            for (index j = first; j < last; j += kTile) {
                const index width = std::min<index>(kTile, last - j);
                for (index i = block; i < std::min(n, block + kBlock); ++i) {
                    const auto at = static_cast<std::size_t>(i);
                    if (i + kAhead < n) {
                        const std::uint8_t* later =
                            bins + static_cast<index>(asked.rows[at + static_cast<std::size_t>(kAhead)]) * columns + j;
                        MERCER_PREFETCH(later);
                        MERCER_PREFETCH(later + width - 1);
                    }
                    const std::uint8_t* row = bins + static_cast<index>(asked.rows[at]) * columns + j;
                    std::uint8_t beyond = 0;
                    for (index k = 0; k < width; ++k) beyond |= row[k] > most[j + k];
                    if (beyond) {
                        sound.store(false, std::memory_order_relaxed);
                        continue;
                    }
                    Sums* own = out + asked.slot[at] * entries;
                    const Sums value = asked.packed[at];
                    for (index k = 0; k < width; ++k) own[start[j + k] + row[k]] += value;
                }
            }
    });
    return sound;
}

}  // namespace mercer::boost
