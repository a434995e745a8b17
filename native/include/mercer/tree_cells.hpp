// The cells of a few rows in a form that one comparison of integers tests, four bytes each.
#pragma once

#include <cstring>

#include "mercer/tree_flat.hpp"

namespace mercer::tree {

// A number as 32 bits in the order of numbers: sign, exponent, 19 bits of the fraction, and a last one that is set when
// some of its bits were cut off. The lesser key has the lesser number, and equal even keys have equal numbers.
inline std::uint32_t key(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const std::uint64_t size = bits << 1 >> 1, middle = std::uint64_t{1} << 63;
    const std::uint64_t ordered = bits >> 63 ? middle - size : middle + size;
    return static_cast<std::uint32_t>(ordered >> 33 << 1) | ((ordered << 31) != 0);
}

// A number or the code of an ordered level by its key, the greatest integer where it is missing; a nominal level by its
// code, the number of levels where it is missing and one more where it is unseen.
class RowBlock {
public:
    RowBlock(const Shape& shape, const Matrix<double>& numbers, const Codes& codes)
        : shape_(shape), numbers_(numbers), codes_(codes), width_(shape.numbers + shape.codes) {}

    // So many rows pass a tree one after the other: their cells and its nodes stay in the cache.
    static index rows(const Shape& shape) {
        return std::clamp<index>(kBytes / 4 / std::max<index>(shape.numbers + shape.codes, 1), 64, 8192);
    }

    void read(index first, index last) {
        first_ = first;
        cells_.resize(static_cast<size_t>((last - first) * width_));
        for (index i = first; i < last; i += kTile) read_tile(i, std::min(i + kTile, last));
    }

    const std::uint32_t* row(index i) const { return cells_.data() + i * width_; }

    // The number or code of an ordered level that a key stands for.
    double number(index i, index column) const {
        i += first_;
        if (column < shape_.numbers) return numbers_.data[i * numbers_.row_stride + column * numbers_.col_stride];
        return codes_.data[i * codes_.row_stride + (column - shape_.numbers) * codes_.col_stride];
    }

private:
    static constexpr index kBytes = 1 << 20;  // half of it took a tenth longer on covtype: trees came more often
    static constexpr index kTile = 32;        // rows whose cells stay in the first cache, by row or by column
    static constexpr std::uint32_t kMissing = 0xFFFFFFFF;
    const Shape& shape_;
    const Matrix<double>& numbers_;
    const Codes& codes_;
    const index width_;
    index first_ = 0;
    std::vector<std::uint32_t> cells_;

    void read_tile(index first, index last) {
        std::uint32_t* to = cells_.data() + (first - first_) * width_;
        for (index j = 0; j < shape_.numbers; ++j, ++to) {
            const double* x = numbers_.data + first * numbers_.row_stride + j * numbers_.col_stride;
            for (index i = 0; i < last - first; ++i, x += numbers_.row_stride)
                to[i * width_] = *x != *x ? kMissing : key(*x);
        }
        for (index j = 0; j < shape_.codes; ++j, ++to) {
            const std::int32_t* c = codes_.data + first * codes_.row_stride + j * codes_.col_stride;
            for (index i = 0; i < last - first; ++i, c += codes_.row_stride) to[i * width_] = code(*c, j);
        }
    }

    std::uint32_t code(std::int32_t code, index j) const {
        const std::int32_t levels = shape_.levels[j];
        const bool seen = code >= 0 && code < levels;
        if (shape_.nominal[j] == 0) return seen ? key(code) : kMissing;
        return static_cast<std::uint32_t>(seen ? code : code < 0 ? levels : levels + 1);
    }
};

}  // namespace mercer::tree
