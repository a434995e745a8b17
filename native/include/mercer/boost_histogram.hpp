// Histograms of a node: for every bin of every group of columns, the sums over the node's rows.
#pragma once

#include <cstring>
#include <memory>

#include "mercer/boost_data.hpp"
#include "mercer/team.hpp"

namespace mercer::boost {

using Histogram = std::vector<Sums>;

class HistogramBuilder {
public:
    HistogramBuilder(const Data& data, const Sums* packed, Team& team) : data_(data), packed_(packed), team_(team) {
        partial_.resize(static_cast<std::size_t>(team.size()) - 1);
    }

    void build(const std::uint32_t* rows, index n, Histogram& out) {
        out.assign(static_cast<std::size_t>(data_.entries), Sums{});
        const index members = team_.size(), tiles = data_.n_tiles();
        if (members == 1 || n * tiles < kAlone) {
            add(rows, n, 0, tiles, out.data());
        } else if (n < data_.entries / 2) {  // adding up histograms would take longer than sharing the columns
            team_.run([&](int m) { add(rows, n, tiles * m / members, tiles * (m + 1) / members, out.data()); });
        } else {
            share_rows(rows, n, out);
        }
    }

private:
    static constexpr index kAlone = 4096, kChunk = 2048;

    void share_rows(const std::uint32_t* rows, index n, Histogram& out) {
        const index members = team_.size();
        team_.run([&](int m) {
            Histogram& own = m == 0 ? out : partial_[static_cast<std::size_t>(m) - 1];
            if (m > 0) own.assign(out.size(), Sums{});
            const index first = n * m / members, last = n * (m + 1) / members;
            add(rows + first, last - first, 0, data_.n_tiles(), own.data());
        });
        for (const Histogram& part : partial_)
            for (std::size_t e = 0; e < out.size(); ++e) out[e] += part[e];
    }

    // In chunks whose gradients stay in the second-level cache while one tile after another reads them.
    void add(const std::uint32_t* rows, index n, index tile, index end, Sums* out) const {
        Sums chunk[kChunk];
        for (index first = 0; first < n; first += kChunk) {
            const index m = std::min(kChunk, n - first);
            for (index i = 0; i < m; ++i) chunk[i] = packed_[rows[first + i]];
            for (index t = tile; t < end; ++t) add_tile(rows + first, m, t, chunk, out);
        }
    }

    void add_tile(const std::uint32_t* rows, index n, index t, const Sums* values, Sums* out) const {
        const std::uint8_t* bytes = data_.tiles + t * data_.rows * kTile;
        Sums* h[kTile];
        for (int k = 0; k < kTile; ++k) h[k] = out + data_.start[static_cast<std::size_t>(t * kTile + k)];
        for (index i = 0; i < n; ++i) {
            std::uint32_t word;
            std::memcpy(&word, bytes + static_cast<index>(rows[i]) * kTile, sizeof word);
            const Sums value = values[i];
            for (int k = 0; k < kTile; ++k) h[k][(word >> (8 * k)) & 255] += value;
        }
    }

    const Data& data_;
    const Sums* packed_;
    Team& team_;
    std::vector<Histogram> partial_;
};

// Histograms no longer needed are used again.
class HistogramPool {
public:
    std::unique_ptr<Histogram> take() {
        if (free_.empty()) return std::make_unique<Histogram>();
        auto found = std::move(free_.back());
        free_.pop_back();
        return found;
    }
    void give(std::unique_ptr<Histogram> one) {
        if (one) free_.push_back(std::move(one));
    }

private:
    std::vector<std::unique_ptr<Histogram>> free_;
};

}  // namespace mercer::boost
