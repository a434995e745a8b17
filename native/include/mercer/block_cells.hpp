// Cells of the kernel matrix between some rows and all rows of a block: computed, where a function of the data is at
// hand, or taken from whole kernel rows.
#pragma once

#include "mercer/kernel_rows.hpp"

namespace mercer {

// A block of kernel rows, and where its matrix is: cell (a, b) at gram[a * stride + b].
template <class T>
struct Block {
    const std::int32_t* rows;  // of the kernel, `size` of them
    index size;
    T* gram;
    index stride;

    // task(s) for each of n tasks that are about `count` rows of the block together.
    template <class Task>
    void share(index count, index n, Team& team, Task&& task) const {
        if (count * size > (1 << 16)) return team.each(n, task);
        for (index s = 0; s < n; ++s) task(s);  // another thread would not be awake before they are done
    }
};

// The block's rows `fresh`, computed.
template <class T>
void compute_cells(const KernelFunction<T>& kernel, const Block<T>& block, const std::vector<std::int32_t>& fresh,
                   Team& team) {
    constexpr index bundle = 96, tile = KernelFunction<T>::kTile;  // a multiple of what kernels take at once
    const auto own = kernel.among(block.rows, block.size);
    const Segments bundles{static_cast<index>(fresh.size()), bundle}, columns{block.size, tile};
    block.share(bundles.rows, bundles.count(), team, [&](index s) {
        const index first = bundles.begin(s), count = bundles.end(s) - first;
        std::int32_t chosen[bundle];
        T* target[bundle];
        for (index c = 0; c < columns.count(); ++c) {
            for (index r = 0; r < count; ++r) {
                chosen[r] = block.rows[fresh[first + r]];
                target[r] = block.gram + fresh[first + r] * block.stride + columns.begin(c);
            }
            own->compute(chosen, count, columns.begin(c), columns.end(c), target);
        }
    });
}

// The same from whole kernel rows, read in the order of the columns, which lets the hardware prefetch.
template <class T>
class CellReader {
public:
    // whole: the kernel row of each row of the block, with `width` columns
    void read(const T* const* whole, index width, const Block<T>& block, const std::vector<std::int32_t>& fresh,
              Team& team) {
        sort(block, width);
        const Segments some{static_cast<index>(fresh.size()), 32};
        block.share(some.rows, some.count(), team, [&](index s) {
            for (index i = some.begin(s); i < some.end(s); ++i) {
                if (i + 1 < some.end(s)) prefetch(whole[fresh[i + 1]], width);
                T* line = block.gram + fresh[i] * block.stride;
                const T* source = whole[fresh[i]];
                for (const auto& [from, to] : sorted_) line[to] = source[from];
            }
        });
    }

private:
    std::vector<std::int32_t> place_;                            // of each kernel row in the block, -1 for others
    std::vector<std::pair<std::int32_t, std::int32_t>> sorted_;  // (kernel row, place)

    void sort(const Block<T>& block, index width) {
        place_.resize(static_cast<std::size_t>(width), -1);
        for (index b = 0; b < block.size; ++b) place_[block.rows[b]] = static_cast<std::int32_t>(b);
        sorted_.resize(static_cast<std::size_t>(block.size) + 1);
        index count = 0;
        for (index row = 0; row < width; ++row) {
            sorted_[count] = {static_cast<std::int32_t>(row), place_[row]};
            count += place_[row] >= 0;
        }
        for (index b = 0; b < block.size; ++b) place_[block.rows[b]] = -1;
        sorted_.resize(static_cast<std::size_t>(block.size));
        if (count == block.size) return;
        for (index b = 0; b < block.size; ++b)
            sorted_[b] = {block.rows[b], static_cast<std::int32_t>(b)};  // a row is there twice
        std::sort(sorted_.begin(), sorted_.end());
    }

    // Nearly every line of a row is read, in no order the hardware foresees.
    static void prefetch(const T* row, index width) {
        const char* bytes = reinterpret_cast<const char*>(row);
        const index size = std::min<index>(width * static_cast<index>(sizeof(T)), 1 << 16);
        for (index at = 0; at < size; at += 64) MERCER_PREFETCH(bytes + at);
    }
};

// Columns of the rows `fresh` from these rows: within a strip of 16 rows the lines read stay in the first-level cache.
template <class T>
void mirror_cells(const Block<T>& block, const std::vector<std::int32_t>& fresh, Team& team) {
    const Segments strips{block.size, 16};
    block.share(static_cast<index>(fresh.size()), strips.count(), team, [&](index s) {
        for (index b = strips.begin(s); b < strips.end(s); ++b) {
            T* line = block.gram + b * block.stride;
            for (std::int32_t a : fresh) line[a] = block.gram[a * block.stride + b];
        }
    });
}

}  // namespace mercer
