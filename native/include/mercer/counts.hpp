// Weight of each level of each categorical column in each class: counts[class, offset[column] + code] += weight.
// A code of -1 is a missing cell and is left out.
#pragma once

#include <cstdint>

#include "mercer/parallel.hpp"

namespace mercer {

struct Codes {
    const std::int32_t* data;
    index rows, cols, row_stride, col_stride;
};

inline void count_codes(const Codes& codes, const int* classes, const double* weight, const std::int64_t* offsets,
                        index n_classes, double* counts, int n_jobs) {
    const index width = offsets[codes.cols];
    // A task is a column: tasks write apart, and each cell is summed in row order.
    parallel_for(codes.cols, n_jobs, [&](index j) {
        const std::int32_t* column = codes.data + j * codes.col_stride;
        const index levels = offsets[j + 1] - offsets[j];
        std::vector<double> local(static_cast<size_t>(n_classes * levels));
        for (index i = 0; i < codes.rows; ++i) {
            const std::int32_t code = column[i * codes.row_stride];
            if (code < 0) continue;
            local[static_cast<size_t>(classes[i] * levels + code)] += weight ? weight[i] : 1.0;
        }
        for (index c = 0; c < n_classes; ++c)
            std::copy_n(local.data() + c * levels, levels, counts + c * width + offsets[j]);
    });
}

// out[i, class] += sum over columns of table[class, offset[column] + code]; missing cells add nothing.
inline void add_code_scores(const Codes& codes, const double* table, const std::int64_t* offsets, index n_classes,
                            double* out, int n_jobs) {
    const index width = offsets[codes.cols];
    // Class-minor copy: the scores of one level stand side by side.
    std::vector<double> by_level(static_cast<size_t>(width * n_classes));
    for (index c = 0; c < n_classes; ++c)
        for (index k = 0; k < width; ++k) by_level[static_cast<size_t>(k * n_classes + c)] = table[c * width + k];
    const Segments segments{codes.rows, 4096};
    parallel_for(segments.count(), n_jobs, [&](index s) {
        for (index j = 0; j < codes.cols; ++j) {
            const std::int32_t* column = codes.data + j * codes.col_stride;
            const double* scores = by_level.data() + offsets[j] * n_classes;
            for (index i = segments.begin(s); i < segments.end(s); ++i) {
                const std::int32_t code = column[i * codes.row_stride];
                if (code < 0) continue;
                const double* row = scores + code * n_classes;
                double* to = out + i * n_classes;
                for (index c = 0; c < n_classes; ++c) to[c] += row[c];
            }
        }
    });
}

}  // namespace mercer
