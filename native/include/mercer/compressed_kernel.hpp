// Dense tables that are mostly zeros (indicators of categories), taken as their stored entries.
//
// A sum over a stored entry costs about three times one over a dense cell, so it pays below a quarter of the cells.
// The value is the dense kernel's: the terms left out are exact zeros.
#pragma once

#include "mercer/kernel_function.hpp"

namespace mercer {

template <class T>
class CompressedKernel final : public KernelFunction<T> {
public:
    CompressedKernel(const T* a, index n_a, const T* b, index n_b, index d, const KernelSpec& spec)
        : b_(b, n_b, d), a_(a == b && n_a == n_b ? nullptr : new OwnCsr<T>(a, n_a, d)),
          kernel_(a_ ? a_->view() : b_.view(), b_.view(), spec) {}
    index left() const override { return kernel_.left(); }
    index right() const override { return kernel_.right(); }
    index rows_at_once() const override { return kernel_.rows_at_once(); }
    void compute(const std::int32_t* rows, index count, index begin, index end, T* const* out) const override {
        kernel_.compute(rows, count, begin, end, out);
    }
    std::unique_ptr<KernelFunction<T>> among(const std::int32_t* right, index count) const override {
        return kernel_.among(right, count);
    }

private:
    OwnCsr<T> b_;
    std::unique_ptr<OwnCsr<T>> a_;  // null when both sides are the same rows
    CsrKernel<T> kernel_;
};

// Products alone must do: differences of zeros are not free, and rows far from the origin need them (far_limit).
template <class T>
bool compression_pays(const T* x, index n, index d, const KernelSpec& spec) {
    if (d < 16 || pair_sum(spec.kind, d, false, false) != PairSum::dot) return false;
    index stored = 0;
    for (index i = 0; i < n; ++i) {
        T norm = 0;
        index filled = 0;
        MERCER_SIMD(reduction(+ : norm, filled))
        for (index k = 0; k < d; ++k) {
            norm += x[i * d + k] * x[i * d + k];
            filled += x[i * d + k] != T(0);
        }
        stored += filled;
        if (4 * stored > n * d) return false;
        if (spec.kind == KernelKind::rbf && !(spec.gamma * double(norm) <= far_limit<T>())) return false;
    }
    return true;
}

template <class T>
std::unique_ptr<KernelFunction<T>> kernel_of_dense(const T* a, index n_a, const T* b, index n_b, index d,
                                                   const KernelSpec& spec) {
    if (compression_pays(b, n_b, d, spec)) return std::make_unique<CompressedKernel<T>>(a, n_a, b, n_b, d, spec);
    return std::make_unique<DenseKernel<T>>(a, n_a, b, n_b, d, spec);
}

}  // namespace mercer
