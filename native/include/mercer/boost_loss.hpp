// Gradient and hessian of a loss at the raw predictions f of each row, times the row's weight.
//
//   log        g = p - y,  h = p (1 - p),  p = 1 / (1 + exp(-f))          y in {0, 1}
//   softmax    g_k = p_k - [y = k],  h_k = p_k (1 - p_k)                  y in 0 .. K - 1
//   squared    g = f - y,  h = 1
//   absolute   g = sign(f - y),  h = 1
//   quantile   g = [f >= y] - q,  h = 1
//   poisson    g = exp(f) - y,  h = exp(f)
//   gamma      g = 1 - y exp(-f),  h = y exp(-f)
//   huber      g = f - y, cut off at -d and d,  h = 1
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "mercer/parallel.hpp"
#include "mercer/vecmath.hpp"

namespace mercer::boost {

enum class Loss { log, softmax, squared, absolute, quantile, poisson, gamma, huber };

struct Target {
    const double* y;       // numbers, or class codes
    const double* weight;  // or null
    double parameter;      // q or d
};

constexpr index kAbreast = 256;  // rows whose classes are gone through one after the other

// Of so many rows from the first one on; the numbers of a class are `stride` after those of the class before.
inline void softmax_gradients(const double* f, const double* y, index stride, index classes, index rows, double* g,
                              double* h) {
    double most[kAbreast], sum[kAbreast] = {};
    std::copy(f, f + rows, most);
    for (index k = 1; k < classes; ++k)
        for (index i = 0; i < rows; ++i) most[i] = std::max(most[i], f[k * stride + i]);
    for (index k = 0; k < classes; ++k) {
        MERCER_SIMD()
        for (index i = 0; i < rows; ++i) sum[i] += g[k * stride + i] = fast_exp(f[k * stride + i] - most[i]);
    }
    for (index k = 0; k < classes; ++k) {
        MERCER_SIMD()
        for (index i = 0; i < rows; ++i) {
            const double p = g[k * stride + i] / sum[i];
            g[k * stride + i] = p - (y[i] == static_cast<double>(k) ? 1.0 : 0.0);
            h[k * stride + i] = p * (1.0 - p);
        }
    }
}

// raw, gradient and hessian are (outputs, rows); all but softmax have one output.
inline void gradients(Loss loss, const double* raw, index rows, index outputs, const Target& target, double* gradient,
                      double* hessian, int n_jobs) {
    const Segments blocks{rows, 8192};
    parallel_for(blocks.count(), n_jobs, [&](index s) {
        const index first = blocks.begin(s), last = blocks.end(s);
        const double *f = raw, *y = target.y;
        double *g = gradient, *h = hessian;
        const double q = target.parameter;
        switch (loss) {
            case Loss::log:
                MERCER_SIMD()
                for (index i = first; i < last; ++i) {
                    const double p = 1.0 / (1.0 + fast_exp(-f[i]));
                    g[i] = p - y[i];
                    h[i] = p * (1.0 - p);
                }
                break;
            case Loss::softmax:
                for (index i = first; i < last; i += kAbreast)
                    softmax_gradients(f + i, y + i, rows, outputs, std::min(kAbreast, last - i), g + i, h + i);
                break;
            case Loss::squared:
                for (index i = first; i < last; ++i) {
                    g[i] = f[i] - y[i];
                    h[i] = 1.0;
                }
                break;
            case Loss::absolute:
                for (index i = first; i < last; ++i) {
                    g[i] = f[i] > y[i] ? 1.0 : f[i] < y[i] ? -1.0 : 0.0;
                    h[i] = 1.0;
                }
                break;
            case Loss::quantile:
                for (index i = first; i < last; ++i) {
                    g[i] = (f[i] >= y[i] ? 1.0 : 0.0) - q;
                    h[i] = 1.0;
                }
                break;
            case Loss::poisson:
                for (index i = first; i < last; ++i) {
                    h[i] = fast_exp(f[i]);
                    g[i] = h[i] - y[i];
                }
                break;
            case Loss::gamma:
                for (index i = first; i < last; ++i) {
                    h[i] = y[i] * fast_exp(-f[i]);
                    g[i] = 1.0 - h[i];
                }
                break;
            case Loss::huber:
                for (index i = first; i < last; ++i) {
                    g[i] = std::min(std::max(f[i] - y[i], -q), q);
                    h[i] = 1.0;
                }
                break;
        }
        if (!target.weight) return;
        for (index k = 0; k < outputs; ++k)
            for (index i = first; i < last; ++i) {
                g[k * rows + i] *= target.weight[i];
                h[k * rows + i] *= target.weight[i];
            }
    });
}

}  // namespace mercer::boost
