// Weight, mean and sum of squared deviations of every column within every class, cells that are NaN left out.
//
//   n = sum w,  mean = sum w x / n,  m2 = sum w (x - mean)^2
//
// Blocks that stay in cache are reduced in two passes and merged (Chan, Golub, LeVeque 1983, eq. 2.1), so that memory
// is read once and nothing cancels when the mean is large against the deviation.
#pragma once

#include <cmath>

#include "mercer/rows.hpp"

namespace mercer {

struct Moments {
    std::vector<double> n, mean, m2;  // each classes x cols, row-major
    explicit Moments(size_t size) : n(size), mean(size), m2(size) {}
};

inline void merge_cell(double& n, double& mean, double& m2, double n_b, double mean_b, double m2_b) {
    if (n_b == 0) return;
    const double total = n + n_b, delta = mean_b - mean;
    mean += delta * (n_b / total);
    m2 += m2_b + delta * delta * (n * (n_b / total));
    n = total;
}

inline void merge(Moments& into, const Moments& from) {
    for (size_t k = 0; k < into.n.size(); ++k)
        merge_cell(into.n[k], into.mean[k], into.m2[k], from.n[k], from.mean[k], from.m2[k]);
}

// One block of rows, reduced on its own. `weight` may be null (all ones).
inline void block_moments(const double* x, const int* classes, const double* weight, index rows, index cols,
                          Moments& out, std::vector<double>& class_weight) {
    std::fill(out.n.begin(), out.n.end(), 0.0);
    std::fill(out.mean.begin(), out.mean.end(), 0.0);
    std::fill(out.m2.begin(), out.m2.end(), 0.0);
    std::fill(class_weight.begin(), class_weight.end(), 0.0);
    for (index i = 0; i < rows; ++i) {
        const double w = weight ? weight[i] : 1.0;
        if (w == 0) continue;
        double* sum = out.mean.data() + classes[i] * cols;
        const double* row = x + i * cols;
        class_weight[static_cast<size_t>(classes[i])] += w;
        for (index j = 0; j < cols; ++j) sum[j] += w * row[j];
    }
    bool complete = true;
    for (size_t c = 0; c < class_weight.size(); ++c)
        for (size_t k = c * static_cast<size_t>(cols); k < (c + 1) * static_cast<size_t>(cols); ++k) {
            out.n[k] = class_weight[c];
            complete &= !std::isnan(out.mean[k]);
        }
    if (!complete) {  // a NaN reached a sum: count and add cell by cell
        std::fill(out.n.begin(), out.n.end(), 0.0);
        std::fill(out.mean.begin(), out.mean.end(), 0.0);
        for (index i = 0; i < rows; ++i) {
            const double w = weight ? weight[i] : 1.0;
            const size_t base = static_cast<size_t>(classes[i] * cols);
            for (index j = 0; j < cols; ++j) {
                const double value = x[i * cols + j];
                const bool seen = !std::isnan(value);
                out.n[base + static_cast<size_t>(j)] += seen ? w : 0.0;
                out.mean[base + static_cast<size_t>(j)] += seen ? w * value : 0.0;
            }
        }
    }
    for (size_t k = 0; k < out.n.size(); ++k) out.mean[k] = out.n[k] > 0 ? out.mean[k] / out.n[k] : 0.0;
    for (index i = 0; i < rows; ++i) {
        const double w = weight ? weight[i] : 1.0;
        if (w == 0) continue;
        const double* mean = out.mean.data() + classes[i] * cols;
        double* m2 = out.m2.data() + classes[i] * cols;
        const double* row = x + i * cols;
        if (complete) {
            for (index j = 0; j < cols; ++j) {
                const double d = row[j] - mean[j];
                m2[j] += w * d * d;
            }
        } else {
            for (index j = 0; j < cols; ++j) {
                const double d = std::isnan(row[j]) ? 0.0 : row[j] - mean[j];
                m2[j] += w * d * d;
            }
        }
    }
}

template <class T>
Moments class_moments(const Matrix<T>& x, const int* classes, const double* weight, index n_classes, int n_jobs) {
    const size_t size = static_cast<size_t>(n_classes * x.cols);
    // A segment is long enough to hide a thread's start, and blocks hold several rows of every class.
    const index block = std::max(block_rows(x.cols), 8 * n_classes);
    const Segments segments{x.rows, std::max<index>(block, 32768)};
    std::vector<Moments> parts(static_cast<size_t>(segments.count()), Moments(size));
    parallel_for(segments.count(), n_jobs, [&](index s) {
        RowBlock reader(x.cols);
        Moments local(size);
        std::vector<double> class_weight(static_cast<size_t>(n_classes));
        const index step = block_rows(x.cols);
        for (index i = segments.begin(s); i < segments.end(s); i += step) {
            const index stop = std::min(segments.end(s), i + step);
            const double* rows = reader.read(x, i, stop);
            block_moments(rows, classes + i, weight ? weight + i : nullptr, stop - i, x.cols, local, class_weight);
            merge(parts[static_cast<size_t>(s)], local);
        }
    });
    Moments total(size);
    for (const auto& part : parts) merge(total, part);
    return total;
}

}  // namespace mercer
