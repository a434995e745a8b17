// P = sum_i w_i x_i x_i' over sparse rows: a row of m cells takes m (m + 1) / 2 steps, however many columns there are.
#pragma once

#include <algorithm>
#include <vector>

#include "mercer/gram.hpp"
#include "mercer/parallel.hpp"

namespace mercer {

// out (d, d) += the products of the rows [first, last) on and above the diagonal; columns increase in each row.
inline void add_products(const CsrView<double>& x, const double* weight, index first, index last, double* out) {
    for (index i = first; i < last; ++i) {
        const std::int64_t end = x.starts[i + 1];
        for (std::int64_t a = x.starts[i]; a < end; ++a) {
            double* const line = out + x.columns[a] * x.d;
            const double own = weight[i] * x.values[a];
            for (std::int64_t b = a; b < end; ++b) line[x.columns[b]] += own * x.values[b];
        }
    }
}

// out (d, d) = P. Blocks of rows are summed one by one and then together, whatever thread did them.
inline void weighted_products(const CsrView<double>& x, const double* weight, double* out, int n_jobs) {
    constexpr index kBlocks = 4, kFew = 4096;  // rows that one thread sees to as fast as several
    const index blocks = x.n < kFew ? 1 : kBlocks, d = x.d;
    std::vector<std::vector<double>> parts(static_cast<std::size_t>(blocks));
    parallel_for(blocks, n_jobs, [&](index k) {
        auto& part = parts[static_cast<std::size_t>(k)];
        part.assign(static_cast<std::size_t>(d * d), 0.0);
        add_products(x, weight, x.n * k / blocks, x.n * (k + 1) / blocks, part.data());
    });
    for (index i = 0; i < d; ++i) {
        for (index j = i; j < d; ++j) {
            double sum = 0;
            for (const auto& part : parts) sum += part[static_cast<std::size_t>(i * d + j)];
            out[i * d + j] = out[j * d + i] = sum;
        }
    }
}

}  // namespace mercer
