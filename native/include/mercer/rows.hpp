// A matrix as the caller has it (float or double, any strides), read in blocks of contiguous double rows.
#pragma once

#include <vector>

#include "mercer/parallel.hpp"

namespace mercer {

template <class T>
struct Matrix {
    const T* data;
    index rows, cols, row_stride, col_stride;
};

// Rows that fit in the first-level cache together with their sums.
inline index block_rows(index cols) {
    return std::max<index>(8, std::min<index>(1024, 4096 / std::max<index>(cols, 1)));
}

// Gives rows [begin, end) as contiguous doubles: in place when they already are, through a buffer when not.
class RowBlock {
public:
    explicit RowBlock(index cols) : buffer_(static_cast<size_t>(block_rows(cols) * cols)) {}

    template <class T>
    const double* read(const Matrix<T>& x, index begin, index end) {
        if constexpr (std::is_same_v<T, double>)
            if (x.col_stride == 1 && x.row_stride == x.cols) return x.data + begin * x.cols;
        for (index j = 0; j < x.cols; ++j) {
            const T* source = x.data + begin * x.row_stride + j * x.col_stride;
            for (index i = 0; i < end - begin; ++i)
                buffer_[static_cast<size_t>(i * x.cols + j)] = static_cast<double>(source[i * x.row_stride]);
        }
        return buffer_.data();
    }

private:
    std::vector<double> buffer_;
};

}  // namespace mercer
