// Kernel rows times coefficients: how solvers keep f = K beta up to date.
#pragma once

#include "mercer/kernel_rows.hpp"

namespace mercer {

// f = K beta from scratch, a block of rows at a time.
template <class T>
void kernel_times(KernelRows<T>& kernel, const std::int32_t* rows, const double* beta, index n, double* f, Team& team) {
    std::fill_n(f, kernel.columns(), 0.0);
    std::vector<std::int32_t> some;
    std::vector<double> coef;
    const index limit = std::min<index>(512, kernel.capacity());
    const std::vector<char> keep(static_cast<std::size_t>(limit), 1);
    for (index k = 0; k < n; ++k) {
        if (beta[k] != 0.0) {
            some.push_back(static_cast<std::int32_t>(rows ? rows[k] : k));
            coef.push_back(beta[k]);
        }
        const index count = static_cast<index>(some.size());
        if (count == 0 || (count < limit && k + 1 < n)) continue;
        kernel.add({some.data(), coef.data(), keep.data(), count}, f, team);
        some.clear();
        coef.clear();
    }
}

}  // namespace mercer
