// Sums of rows times coefficients.
#pragma once

#include "mercer/parallel.hpp"

namespace mercer {

// f[j] += sum_k coef[k] rows[k][j] for j in [begin, end); in double, since coefficients of size C times the rounding of
// float would pile up over the blocks.
template <class T>
void add_rows(const T* const* rows, const double* coef, index count, double* f, index begin, index end) {
    index k = 0;
    for (; k + 8 <= count; k += 8) {
        const T* const* r = rows + k;
        const double* c = coef + k;
        MERCER_SIMD()
        for (index j = begin; j < end; ++j) {
            const double low =
                (c[0] * double(r[0][j]) + c[1] * double(r[1][j])) + (c[2] * double(r[2][j]) + c[3] * double(r[3][j]));
            const double high =
                (c[4] * double(r[4][j]) + c[5] * double(r[5][j])) + (c[6] * double(r[6][j]) + c[7] * double(r[7][j]));
            f[j] += low + high;
        }
    }
    for (; k < count; ++k) {
        const T* a = rows[k];
        const double ca = coef[k];
        MERCER_SIMD()
        for (index j = begin; j < end; ++j) f[j] += ca * double(a[j]);
    }
}

template <class T>
void add_rows_parallel(const T* const* rows, const double* coef, index count, double* f, index n, int n_jobs) {
    const Segments chunks{n, 4096};
    const bool worthwhile = count * n > (1 << 20);  // a thread costs about as much as this many products
    const index tasks = worthwhile ? std::min<index>(chunks.count(), std::max(n_jobs, 1)) : 1;
    parallel_for(tasks, n_jobs, [&](index t) {
        for (index c = chunks.count() * t / tasks; c < chunks.count() * (t + 1) / tasks; ++c)
            add_rows(rows, coef, count, f, chunks.begin(c), chunks.end(c));
    });
}

}  // namespace mercer
