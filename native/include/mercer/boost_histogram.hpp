// Histograms of a node: for every bin of every group of columns, the sums over the node's rows.
#pragma once

#include <cstring>
#include <memory>

#include "mercer/boost_data.hpp"

namespace mercer::boost {

using Histogram = std::vector<Sums>;

class HistogramBuilder {
public:
    HistogramBuilder(const Data& data, const Sums* packed, Team& team) : data_(data), packed_(packed), team_(team) {
        partial_.resize(static_cast<std::size_t>(team.size()) - 1);
    }

    void build(const std::uint32_t* rows, index n, Histogram& out) {
        out.assign(static_cast<std::size_t>(data_.entries), Sums{});
        const index members = team_.size(), words = data_.n_words();
        if (members == 1 || n * words < kAlone) {
            add(rows, n, 0, words, out.data());
        } else if (n < data_.entries / 2) {  // adding up histograms would take longer than sharing the columns
            team_.run([&](int m) { add(rows, n, words * m / members, words * (m + 1) / members, out.data()); });
        } else {
            share_rows(rows, n, out);
        }
    }

private:
    static constexpr index kAlone = 4096;
    static constexpr index kAhead = 8;  // rows between the one that is fetched and the one that is added

    void share_rows(const std::uint32_t* rows, index n, Histogram& out) {
        const index members = team_.size();
        team_.run([&](int m) {
            Histogram& own = m == 0 ? out : partial_[static_cast<std::size_t>(m) - 1];
            if (m > 0) own.assign(out.size(), Sums{});
            const index first = n * m / members, last = n * (m + 1) / members;
            add(rows + first, last - first, 0, data_.n_words(), own.data());
        });
        for (const Histogram& part : partial_)
            for (std::size_t e = 0; e < out.size(); ++e) out[e] += part[e];
    }

    struct Part {  // some words of the rows of a tile
        const std::uint8_t* tile;
        index width, first, last;  // bytes of a row, and those that are read
        Sums* histogram[kTile];
    };

    // Words from `word` to `end` of each row, tile after tile.
    void add(const std::uint32_t* rows, index n, index word, index end, Sums* out) const {
        const index words = data_.width / kWord;
        for (index last; word < end; word = last) {
            const index tile = word / words;
            last = std::min(end, (tile + 1) * words);
            Part part{data_.tiles + tile * data_.rows * data_.width,
                      data_.width,
                      (word - tile * words) * kWord,
                      (last - tile * words) * kWord,
                      {}};
            for (index g = part.first; g < part.last; ++g)
                part.histogram[g] = out + data_.start[static_cast<std::size_t>(tile * data_.width + g)];
            for (index i = 0; i < n; ++i) {
                if (i + kAhead < n) fetch(part, rows[i + kAhead]);
                add_row(part, rows[i]);
            }
        }
    }

    void fetch(const Part& part, std::uint32_t row) const {
        const std::uint8_t* bytes = part.tile + static_cast<index>(row) * part.width;
        MERCER_PREFETCH(bytes + part.first);
        MERCER_PREFETCH(bytes + part.last - 1);
        MERCER_PREFETCH(packed_ + row);
    }

    // Row by row over many groups: two additions to the same cell are far apart then. Several rows of a few groups at
    // once take up to three times as long in a small node, where rows are alike and each addition waits for another.
    void add_row(const Part& part, std::uint32_t row) const {
        const std::uint8_t* bytes = part.tile + static_cast<index>(row) * part.width;
        const Sums value = packed_[row];
        for (index g = part.first; g < part.last; g += kWord) {
            std::uint32_t word;
            std::memcpy(&word, bytes + g, sizeof word);
            for (int k = 0; k < kWord; ++k) part.histogram[g + k][(word >> (8 * k)) & 255] += value;
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
