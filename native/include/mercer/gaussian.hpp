// Log density of every row under a diagonal Gaussian per class, and the posterior from such scores.
#pragma once

#include <cmath>

#include "mercer/rows.hpp"

namespace mercer {

// out[i, c] += sum over seen cells j of  log_scale[c, j] - precision[c, j] (x[i, j] - mean[c, j])^2 / 2
template <class T>
void add_gaussian_scores(const Matrix<T>& x, const double* mean, const double* precision, const double* log_scale,
                         index n_classes, double* out, int n_jobs) {
    std::vector<double> whole(static_cast<size_t>(n_classes));
    for (index c = 0; c < n_classes; ++c)
        for (index j = 0; j < x.cols; ++j) whole[static_cast<size_t>(c)] += log_scale[c * x.cols + j];
    const Segments segments{x.rows, 4096};
    parallel_for(segments.count(), n_jobs, [&](index s) {
        RowBlock reader(x.cols);
        const index step = block_rows(x.cols);
        for (index begin = segments.begin(s); begin < segments.end(s); begin += step) {
            const index stop = std::min(segments.end(s), begin + step);
            const double* block = reader.read(x, begin, stop);
            for (index i = begin; i < stop; ++i) {
                const double* row = block + (i - begin) * x.cols;
                for (index c = 0; c < n_classes; ++c) {
                    const double* m = mean + c * x.cols;
                    const double* p = precision + c * x.cols;
                    double sum = 0;
                    MERCER_SIMD(reduction(+ : sum))
                    for (index j = 0; j < x.cols; ++j) {
                        const double d = row[j] - m[j];
                        sum += p[j] * d * d;
                    }
                    double score = whole[static_cast<size_t>(c)] - 0.5 * sum;
                    if (std::isnan(sum)) {  // a missing cell: leave its column out of both parts
                        score = 0;
                        for (index j = 0; j < x.cols; ++j) {
                            const double d = row[j] - m[j];
                            if (!std::isnan(d)) score += log_scale[c * x.cols + j] - 0.5 * p[j] * d * d;
                        }
                    }
                    out[i * n_classes + c] += score;
                }
            }
        }
    });
}

// scores[i, :] becomes exp(scores[i, :] - log sum exp), in place.
inline void softmax_rows(double* scores, index rows, index n_classes, int n_jobs) {
    const Segments segments{rows, 16384};
    parallel_for(segments.count(), n_jobs, [&](index s) {
        for (index i = segments.begin(s); i < segments.end(s); ++i) {
            double* row = scores + i * n_classes;
            const double top = *std::max_element(row, row + n_classes);
            double total = 0;
            for (index c = 0; c < n_classes; ++c) total += row[c] = std::exp(row[c] - top);
            for (index c = 0; c < n_classes; ++c) row[c] /= total;
        }
    });
}

}  // namespace mercer
