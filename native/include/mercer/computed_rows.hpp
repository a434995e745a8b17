// Kernel rows of a function of the data. Rows that are likely to be asked for again are kept within a budget; the
// others are added up while they are in the processor's cache, which takes less time than to write them to memory.
#pragma once

#include "mercer/kernel_rows.hpp"
#include "mercer/rows_ahead.hpp"

namespace mercer {

template <class T>
class ComputedRows final : public KernelRows<T> {
public:
    // A symmetric function, which outlives the rows.
    ComputedRows(const KernelFunction<T>& kernel, std::size_t budget_bytes)
        : kernel_(kernel), cache_(kernel.left(), kernel.right(), budget_bytes),
          ahead_(kernel, std::min(kAhead, budget_bytes / 8)), has_cells_(kernel.among(nullptr, 0) != nullptr) {}
    index columns() const override { return kernel_.right(); }
    index capacity() const override { return cache_.capacity(); }
    const KernelFunction<T>* function() const override { return has_cells_ ? &kernel_ : nullptr; }
    index computed() const { return computed_; }

    bool guess(const std::int32_t* rows, index count) override {
        std::vector<std::int32_t> missing;
        for (index k = 0; k < count && static_cast<index>(missing.size()) < ahead_.room(); ++k)
            if (!cache_.find(rows[k])) missing.push_back(rows[k]);
        const bool worthwhile = static_cast<index>(missing.size()) * columns() > (1 << 17);
        ahead_.guess(worthwhile ? std::move(missing) : std::vector<std::int32_t>());
        return worthwhile;
    }
    void compute_ahead(const std::atomic<bool>& enough) override { ahead_.compute(enough); }

    void fetch(const std::int32_t* rows, index count, const T** out, Team& team) override {
        const std::vector<char> keep(static_cast<std::size_t>(count), 1);
        compute({rows, nullptr, keep.data(), count}, nullptr, team);
        for (index k = 0; k < count; ++k) out[k] = cache_.find(rows[k]);
    }

    void add(const RowSum& sum, double* f, Team& team) override {
        const std::vector<double> before(f, f + columns());
        try {
            compute(sum, f, team);
        } catch (...) {
            std::copy(before.begin(), before.end(), f);
            throw;
        }
    }

private:
    enum class Row : char { held, kept, passing };  // in the cache, to be put there, or not
    static constexpr index kChunk = 192, kTile = KernelFunction<T>::kTile;
    static constexpr std::size_t kAhead = std::size_t(1) << 24;  // bytes that stay in the processor's last cache

    const KernelFunction<T>& kernel_;
    RowCache<T> cache_;
    RowsAhead<T> ahead_;
    bool has_cells_;
    index computed_ = 0;
    std::vector<Row> state_;
    std::vector<AlignedBuffer<T>> passing_;  // of each thread: a tile of columns of a chunk of rows

    // The rows that are not held, and f += sum where there is an f. When it throws, no row is left in the cache that
    // was never computed.
    void compute(const RowSum& sum, double* f, Team& team) {
        try {
            claim(sum);
            cache_.prepare(team);
            compute_tiles(sum, f, team);
        } catch (...) {
            for (index k = 0; k < sum.count; ++k)
                if (state_[k] == Row::kept) cache_.forget(sum.rows[k]);
            throw;
        }
    }

    void claim(const RowSum& sum) {
        state_.assign(static_cast<std::size_t>(sum.count), Row::held);
        cache_.use(sum.rows, sum.count);
        for (index k = 0; k < sum.count; ++k) {
            if (cache_.find(sum.rows[k])) continue;
            if (sum.keep[k]) cache_.claim(sum.rows[k]);
            state_[k] = sum.keep[k] ? Row::kept : Row::passing;
            ++computed_;
        }
    }

    // Tiles of columns go to the threads as these are free: what is added to an entry of f, and in which order, is the
    // same for any number of them.
    void compute_tiles(const RowSum& sum, double* f, Team& team) {
        const Segments tiles{columns(), tile_width(team)};
        passing_.resize(static_cast<std::size_t>(team.size()));
        std::atomic<index> next{0};
        const auto work = [&](int member) {
            passing_[member].resize(static_cast<std::size_t>(kChunk * kTile));
            for (index t = next++; t < tiles.count(); t = next++)
                for (index first = 0; first < sum.count; first += kChunk) {
                    if (this->watch) this->watch();
                    compute_tile(sum, first, std::min(kChunk, sum.count - first), tiles.begin(t), tiles.end(t),
                                 passing_[member].get(), f);
                }
        };
        if (sum.count * columns() > (1 << 16)) team.run(work);
        else work(0);  // before another thread would be awake
    }

    // The values computed for a tile stay in the second-level cache; of rows in memory, long stretches are read faster,
    // as long as there are some for every thread.
    index tile_width(const Team& team) const {
        const Segments chunks{static_cast<index>(state_.size()), kChunk};
        index most = 1;  // rows of a chunk that are not held
        for (index c = 0; c < chunks.count(); ++c) {
            const auto begin = state_.begin() + chunks.begin(c), end = state_.begin() + chunks.end(c);
            most = std::max<index>(most, end - begin - std::count(begin, end, Row::held));
        }
        return kTile * std::max<index>(1, std::min({index(4), kChunk / most, columns() / (4 * kTile * team.size())}));
    }

    void compute_tile(const RowSum& sum, index first, index count, index begin, index end, T* passing,
                      double* f) const {
        std::int32_t missing[kChunk];
        T* target[kChunk];
        const T* found[kChunk];
        index n_missing = 0;
        for (index k = 0; k < count; ++k) {
            const std::int32_t row = sum.rows[first + k];
            const Row state = state_[first + k];
            const T* known = state == Row::held ? nullptr : ahead_.find(row, end);
            if (known && state == Row::passing) {
                found[k] = known + begin;
                continue;
            }
            T* at = state == Row::passing ? std::exchange(passing, passing + (end - begin)) : cache_.find(row) + begin;
            found[k] = at;
            if (known) {
                std::copy(known + begin, known + end, at);
            } else if (state != Row::held) {
                missing[n_missing] = row;
                target[n_missing++] = at;
            }
        }
        for (index part = begin; n_missing > 0 && part < end; part += kTile) {
            kernel_.compute(missing, n_missing, part, std::min(end, part + kTile), target);
            for (index k = 0; k < n_missing; ++k) target[k] += kTile;
        }
        if (f) add_rows(found, sum.coef + first, count, f + begin, 0, end - begin);
    }
};

}  // namespace mercer
