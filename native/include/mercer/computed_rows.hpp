// Kernel rows of a function of the data. Rows that are likely to be asked for again are kept within a budget; the
// others are added up while they are in the processor's cache, which takes less time than to write them to memory.
#pragma once

#include "mercer/kernel_rows.hpp"

namespace mercer {

template <class T>
class ComputedRows final : public KernelRows<T> {
public:
    // A symmetric function, which outlives the rows.
    ComputedRows(const KernelFunction<T>& kernel, std::size_t budget_bytes, int n_jobs)
        : kernel_(kernel), cache_(kernel.left(), kernel.right(), budget_bytes), n_jobs_(n_jobs),
          has_cells_(kernel.among(nullptr, 0) != nullptr) {}
    index columns() const override { return kernel_.right(); }
    index capacity() const override { return cache_.capacity(); }
    const KernelFunction<T>* function() const override { return has_cells_ ? &kernel_ : nullptr; }
    index computed() const { return computed_; }

    void fetch(const std::int32_t* rows, index count, const T** out) override {
        const std::vector<char> keep(static_cast<std::size_t>(count), 1);
        compute({rows, nullptr, keep.data(), count}, nullptr, n_jobs_);
        for (index k = 0; k < count; ++k) out[k] = cache_.find(rows[k]);
    }

    void add(const RowSum& sum, double* f, int n_jobs) override {
        const std::vector<double> before(f, f + columns());
        try {
            compute(sum, f, n_jobs);
        } catch (...) {
            std::copy(before.begin(), before.end(), f);
            throw;
        }
    }

private:
    enum class Row : char { held, kept, passing };  // in the cache, to be put there, or not
    static constexpr index kChunk = 192, kTile = KernelFunction<T>::kTile;

    const KernelFunction<T>& kernel_;
    RowCache<T> cache_;
    int n_jobs_;
    bool has_cells_;
    index computed_ = 0;
    std::vector<Row> state_;
    std::vector<AlignedBuffer<T>> passing_;  // of each thread: a tile of columns of a chunk of rows

    // The rows that are not held, and f += sum where there is an f. A chunk of rows at a time, so that a look at the
    // clock is never far away; one that throws leaves no row in the cache that was never computed.
    void compute(const RowSum& sum, double* f, int n_jobs) {
        claim(sum);
        index first = 0;
        try {
            for (; first < sum.count; first += kChunk) {
                if (this->watch) this->watch();
                compute_chunk(sum, first, std::min(kChunk, sum.count - first), f, n_jobs);
            }
        } catch (...) {
            for (index k = first; k < sum.count; ++k)
                if (state_[k] == Row::kept) cache_.forget(sum.rows[k]);
            throw;
        }
    }

    void claim(const RowSum& sum) {
        state_.assign(static_cast<std::size_t>(sum.count), Row::held);
        cache_.use(sum.rows, sum.count);
        for (index k = 0; k < sum.count; ++k) {
            if (cache_.find(sum.rows[k])) continue;
            ++computed_;
            state_[k] = sum.keep[k] ? Row::kept : Row::passing;
            if (sum.keep[k]) cache_.claim(sum.rows[k]);
        }
    }

    // Tiles of columns go to the threads as these are free: what is added to an entry of f, and in which order, is the
    // same for any number of them.
    void compute_chunk(const RowSum& sum, index first, index count, double* f, int n_jobs) {
        const index held = std::count(state_.begin() + first, state_.begin() + first + count, Row::held);
        const Segments tiles{columns(), tile_width(count - held)};
        const bool worthwhile = count * columns() > (1 << 17);  // a thread costs about as much as this many values
        const index jobs = worthwhile ? std::min<index>(thread_count(n_jobs), tiles.count()) : 1;
        passing_.resize(std::max(passing_.size(), static_cast<std::size_t>(jobs)));
        std::atomic<index> next{0};
        parallel_for(jobs, n_jobs, [&](index job) {
            passing_[job].resize(static_cast<std::size_t>(kChunk * kTile));
            for (index t = next++; t < tiles.count(); t = next++)
                compute_tile(sum, first, count, tiles.begin(t), tiles.end(t), passing_[job].get(), f);
        });
    }

    // The values computed for a tile stay in the second-level cache; of rows in memory, long stretches are read faster.
    static index tile_width(index missing) { return kTile * std::min<index>(4, kChunk / std::max<index>(missing, 1)); }

    void compute_tile(const RowSum& sum, index first, index count, index begin, index end, T* passing,
                      double* f) const {
        std::int32_t missing[kChunk];
        T* target[kChunk];
        const T* found[kChunk];
        index n_missing = 0;
        for (index k = 0; k < count; ++k) {
            const std::int32_t row = sum.rows[first + k];
            const Row state = state_[first + k];
            T* at = state == Row::passing ? std::exchange(passing, passing + (end - begin)) : cache_.find(row) + begin;
            found[k] = at;
            if (state == Row::held) continue;
            missing[n_missing] = row;
            target[n_missing++] = at;
        }
        for (index part = begin; n_missing > 0 && part < end; part += kTile) {
            kernel_.compute(missing, n_missing, part, std::min(end, part + kTile), target);
            for (index k = 0; k < n_missing; ++k) target[k] += kTile;
        }
        if (f) add_rows(found, sum.coef + first, count, f + begin, 0, end - begin);
    }
};

}  // namespace mercer
