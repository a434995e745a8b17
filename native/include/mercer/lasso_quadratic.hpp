// Sweeps of coordinate descent on u'Hu/2 + linear terms + sum_j lasso_j |u_j|, with the derivatives r kept up to date.
#pragma once

#include <cstdint>

#include "mercer/compiler.hpp"
#include "mercer/rows.hpp"

namespace mercer {

// h: n x n, symmetric; places: the coordinates to visit, n_places of them, in their order; u and r: n, in and out.
inline void lasso_sweeps(const double* h, const double* lasso, index n, const std::int64_t* places, index n_places,
                         double* u, double* r, std::int64_t sweeps) {
    for (std::int64_t sweep = 0; sweep < sweeps; ++sweep)
        for (index a = 0; a < n_places; ++a) {
            const index j = places[a];
            const double* row = h + j * n;
            if (!(row[j] > 0.0)) continue;
            const double free = u[j] - r[j] / row[j], bound = lasso[j] / row[j];
            const double target = free > bound ? free - bound : free < -bound ? free + bound : 0.0;
            const double step = target - u[j];
            if (step == 0.0) continue;
            u[j] = target;
            MERCER_SIMD()
            for (index k = 0; k < n; ++k) r[k] += step * row[k];
        }
}

}  // namespace mercer
