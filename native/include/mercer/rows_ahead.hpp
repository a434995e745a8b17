// Kernel rows computed by threads that have nothing else to do, on the guess that they are asked for next. A right
// guess saves time; a value is the same whether it was guessed or not.
#pragma once

#include "mercer/kernel_function.hpp"

namespace mercer {

template <class T>
class RowsAhead {
public:
    // A function that outlives this; bytes: for the rows.
    RowsAhead(const KernelFunction<T>& kernel, std::size_t bytes)
        : kernel_(kernel), bytes_(bytes),
          bundle_(kernel.rows_at_once() * std::max<index>(1, 24 / kernel.rows_at_once())),
          stride_((kernel.right() + kLine - 1) / kLine * kLine), place_(static_cast<std::size_t>(kernel.left()), -1) {}

    // Rows that fit into the memory for them.
    index room() const { return static_cast<index>(bytes_ / sizeof(T)) / std::max<index>(stride_, 1); }

    // The rows to compute, the likeliest first; those of the guess before are gone.
    void guess(std::vector<std::int32_t> rows) {
        for (const std::int32_t row : rows_) place_[row] = -1;
        rows_ = std::move(rows);
        for (std::size_t r = 0; r < rows_.size(); ++r) place_[rows_[r]] = static_cast<std::int32_t>(r);
        values_.resize(rows_.size() * static_cast<std::size_t>(stride_));
        ready_.assign(static_cast<std::size_t>(bundles().count()), 0);
        next_ = 0;
    }

    // Bundles of rows, tile by tile, until `enough`; several threads may do that together.
    void compute(const std::atomic<bool>& enough) {
        constexpr index tile = KernelFunction<T>::kTile;
        const Segments tiles{kernel_.right(), tile};
        std::vector<T*> target(static_cast<std::size_t>(bundle_));
        for (index b = next_++; b < bundles().count() && !enough; b = next_++) {
            const index first = bundles().begin(b), count = bundles().end(b) - first;
            for (index t = 0; t < tiles.count() && !enough; ++t) {
                for (index r = 0; r < count; ++r) target[r] = values_.get() + (first + r) * stride_ + tiles.begin(t);
                kernel_.compute(rows_.data() + first, count, tiles.begin(t), tiles.end(t), target.data());
                ready_[b] = tiles.end(t);
            }
        }
    }

    // The row, when its columns up to `end` are there.
    const T* find(std::int32_t row, index end) const {
        const index r = place_[row];
        return r >= 0 && ready_[r / bundle_] >= end ? values_.get() + r * stride_ : nullptr;
    }

private:
    static constexpr index kLine = 64 / sizeof(T);

    const KernelFunction<T>& kernel_;
    std::size_t bytes_;
    index bundle_, stride_;
    std::vector<std::int32_t> rows_, place_;  // the guess; of each row, its place there or -1
    std::vector<index> ready_;                // columns of each bundle that are there
    std::atomic<index> next_{0};
    AlignedBuffer<T> values_;

    Segments bundles() const { return {static_cast<index>(rows_.size()), bundle_}; }
};

}  // namespace mercer
