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
void add_rows(const T* const* rows, const double* coef, index count, double* f, index n, Team& team) {
    if (count * n <= (1 << 18)) return add_rows(rows, coef, count, f, 0, n);  // sooner than another thread wakes up
    const Segments chunks{n, 2048};
    team.each(chunks.count(), [&](index c) { add_rows(rows, coef, count, f, chunks.begin(c), chunks.end(c)); });
}

}  // namespace mercer
