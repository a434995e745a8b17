// Kernels as functions of two sets of rows, and matrices and products computed from them block by block.
#pragma once

#include <memory>

#include "mercer/gram.hpp"

namespace mercer {

// Kernel values of chosen left rows against a range of right rows; the one thing a kernel has to provide.
template <class T>
class KernelFunction {
public:
    virtual ~KernelFunction() = default;
    virtual index left() const = 0;
    virtual index right() const = 0;
    // out[r][j - begin] = k(left row rows[r], right row j), j in [begin, end); begin is a multiple of column_step().
    virtual void compute(const std::int32_t* rows, index count, index begin, index end, T* const* out) const = 0;
    // Left rows that `compute` takes through the right ones together: fewer at a time waste reads.
    virtual index rows_at_once() const { return 8; }
    virtual index column_step() const { return kTile; }
    // The same left rows with some of the right ones, in the order given, to the same values; null where there is no
    // such function. It reads the data of this one.
    virtual std::unique_ptr<KernelFunction> among(const std::int32_t*, index) const { return nullptr; }

    static constexpr index kTile = 512;  // columns whose data stay in the second-level cache while rows pass
};

template <class T>
class DenseKernel final : public KernelFunction<T> {
public:
    DenseKernel(const T* a, index n_a, const T* b, index n_b, index d, const KernelSpec& spec)
        : a_(a), n_a_(n_a), panels_(b, n_b, d), spec_(spec) {
        find_far();
        sum_ = pair_sum(spec.kind, d, false, 32 * static_cast<index>(far_.size()) > n_b);
        if (sum_ == PairSum::dot)
            norms_a_ = std::make_shared<const std::vector<T>>(
                a == b && n_a == n_b ? panels_.norms : DensePanels<T>::squared_norms(a, n_a, d));
    }
    DenseKernel(const DenseKernel& all, const std::int32_t* right, index count)
        : a_(all.a_), n_a_(all.n_a_), chosen_(all.rows(right, count)), panels_(chosen_.data(), count, all.panels_.d),
          spec_(all.spec_), sum_(all.sum_), norms_a_(all.norms_a_) {
        find_far();
    }
    index left() const override { return n_a_; }
    index right() const override { return panels_.n; }
    index rows_at_once() const override { return DensePanels<T>::rows_at_once(sum_); }
    index column_step() const override { return DensePanels<T>::kWidth; }
    std::unique_ptr<KernelFunction<T>> among(const std::int32_t* right, index count) const override {
        return std::make_unique<DenseKernel>(*this, right, count);
    }

    void compute(const std::int32_t* rows, index count, index begin, index end, T* const* out) const override {
        const T* bundle[8];
        const index step = rows_at_once();
        for (index r = 0; r < count; r += step) {
            const index m = std::min(step, count - r);
            for (index k = 0; k < m; ++k) bundle[k] = a_ + rows[r + k] * panels_.d;
            if (sum_ == PairSum::dot) panels_.template sums<PairSum::dot>(bundle, m, begin, end, out + r);
            else if (sum_ == PairSum::square) panels_.template sums<PairSum::square>(bundle, m, begin, end, out + r);
            else panels_.template sums<PairSum::absolute>(bundle, m, begin, end, out + r);
            for (index k = 0; k < m; ++k) {
                const T norm = sum_ == PairSum::dot ? (*norms_a_)[rows[r + k]] : T(0);
                finish_kernel(spec_, sum_, out[r + k], end - begin, norm, panels_.norms.data() + begin);
                if (sum_ == PairSum::dot && !far_.empty() && is_far(norm))
                    compare_far(bundle[k], begin, end, out[r + k]);
            }
        }
    }

private:
    const T* a_;
    index n_a_;
    std::vector<T> chosen_;  // the right rows, where they are some of another function's
    DensePanels<T> panels_;
    KernelSpec spec_;
    PairSum sum_;
    std::shared_ptr<const std::vector<T>> norms_a_;  // null when nothing needs them
    std::vector<std::int32_t> far_;                  // right rows far from the origin

    std::vector<T> rows(const std::int32_t* right, index count) const {
        std::vector<T> found;
        found.reserve(static_cast<std::size_t>(count * panels_.d));
        for (index r = 0; r < count; ++r) {
            const T* row = panels_.x + right[r] * panels_.d;
            found.insert(found.end(), row, row + panels_.d);
        }
        return found;
    }

    void find_far() {
        for (index j = 0; spec_.kind == KernelKind::rbf && j < panels_.n; ++j)
            if (is_far(panels_.norms[j])) far_.push_back(static_cast<std::int32_t>(j));
    }

    bool is_far(T norm) const { return !(spec_.gamma * double(norm) <= far_limit<T>()); }

    // Two far rows may be near each other, which their products cannot tell; between a far and a near one the kernel is
    // about 0.
    void compare_far(const T* row, index begin, index end, T* out) const {
        for (auto j = std::lower_bound(far_.begin(), far_.end(), begin); j != far_.end() && *j < end; ++j) {
            T value = DensePanels<T>::squared_distance(row, panels_.x + *j * panels_.d, panels_.d);
            finish_kernel(spec_, PairSum::square, &value, 1, T(0), static_cast<const T*>(nullptr));
            out[*j - begin] = value;
        }
    }
};

template <class T>
class CsrKernel final : public KernelFunction<T> {
public:
    CsrKernel(const CsrView<T>& a, const CsrView<T>& b, const KernelSpec& spec)
        : a_(a), b_(b), norms_a_(std::make_shared<const std::vector<T>>(CsrRows<T>(a).norms)), spec_(spec),
          sum_(pair_sum(spec.kind, a.d, true, false)) {}
    CsrKernel(const CsrKernel& all, const std::int32_t* right, index count)
        : a_(all.a_), chosen_(new OwnCsr<T>(all.b_.x, right, count)), b_(chosen_->view()), norms_a_(all.norms_a_),
          spec_(all.spec_), sum_(all.sum_) {}
    index left() const override { return a_.n; }
    index right() const override { return b_.x.n; }
    index rows_at_once() const override { return CsrRows<T>::kWidth; }
    std::unique_ptr<KernelFunction<T>> among(const std::int32_t* right, index count) const override {
        return std::make_unique<CsrKernel>(*this, right, count);
    }

    void compute(const std::int32_t* rows, index count, index begin, index end, T* const* out) const override {
        thread_local typename CsrRows<T>::Bundle bundle;
        for (index r = 0; r < count; r += CsrRows<T>::kWidth) {
            const index m = std::min<index>(CsrRows<T>::kWidth, count - r);
            CsrRows<T>::load(a_, rows + r, m, bundle);
            if (sum_ == PairSum::absolute) b_.template sums<PairSum::absolute>(bundle, begin, end, out + r);
            else b_.template sums<PairSum::dot>(bundle, begin, end, out + r);
            CsrRows<T>::clear(a_, rows + r, bundle);
            for (index k = 0; k < m; ++k)
                finish_kernel(spec_, sum_, out[r + k], end - begin, (*norms_a_)[rows[r + k]], b_.norms.data() + begin);
        }
    }

private:
    CsrView<T> a_;
    std::unique_ptr<OwnCsr<T>> chosen_;  // the right rows, where they are some of another function's
    CsrRows<T> b_;
    std::shared_ptr<const std::vector<T>> norms_a_;
    KernelSpec spec_;
    PairSum sum_;
};

// out[c] += sum_j values[j] weights[j, c].
template <class T>
void add_products(const T* values, const double* weights, index count, index m, double* out) {
    if (m == 1) {
        double sum = 0.0;
        MERCER_SIMD(reduction(+ : sum))
        for (index j = 0; j < count; ++j) sum += double(values[j]) * weights[j];
        out[0] += sum;
        return;
    }
    for (index j = 0; j < count; ++j) {
        const double value = values[j];
        MERCER_SIMD()
        for (index c = 0; c < m; ++c) out[c] += value * weights[j * m + c];
    }
}

// What is left of the diagonal, by whole squares of `step`, from what is right of it.
template <class T>
void mirror(T* out, index stride, index n, index step, int n_jobs) {
    constexpr index W = kVectorBytes / sizeof(T);
    const Segments strips{n, 32};
    parallel_for(strips.count(), n_jobs, [&](index s) {
        const index begin = strips.begin(s), whole = strips.end(s) / W * W, known = begin / step * step;
        for (index j = 0; j < known; j += W)
            for (index i = begin; i < whole; i += W)
                transpose_square(out + j * stride + i, stride, out + i * stride + j, stride);
        for (index i = std::max(begin, whole); i < strips.end(s); ++i)
            for (index j = 0; j < known; ++j) out[i * stride + j] = out[j * stride + i];
    });
}

// out (left x right, row stride `stride`) in parallel over bundles of rows; when the function is symmetric only one
// triangle is computed, from the bundle's own rows on, and the other is its mirror image.
template <class T>
void fill_gram(const KernelFunction<T>& kernel, T* out, index stride, bool symmetric, int n_jobs) {
    constexpr index tile = KernelFunction<T>::kTile, bundle = 64;
    const Segments rows{kernel.left(), bundle}, columns{kernel.right(), tile};
    const index step = std::max(bundle, kernel.column_step());
    parallel_for(rows.count(), n_jobs, [&](index s) {
        const index first = rows.begin(s), count = rows.end(s) - first, diagonal = symmetric ? first / step * step : 0;
        std::int32_t chosen[bundle];
        T* target[bundle];
        for (index r = 0; r < count; ++r) chosen[r] = static_cast<std::int32_t>(first + r);
        for (index c = diagonal / tile; c < columns.count(); ++c) {
            const index begin = std::max(diagonal, columns.begin(c));
            for (index r = 0; r < count; ++r) target[r] = out + (first + r) * stride + begin;
            kernel.compute(chosen, count, begin, columns.end(c), target);
        }
    });
    if (symmetric) mirror(out, stride, kernel.left(), step, n_jobs);
}

// out (left x m) = K coef, K never stored: a tile of columns stays in the second-level cache while bundles of rows
// pass, and the values of a bundle are multiplied while they are in the first.
template <class T>
void kernel_product(const KernelFunction<T>& kernel, const double* coef, index m, double* out, int n_jobs) {
    constexpr index tile = KernelFunction<T>::kTile;
    const index bundle = kernel.rows_at_once();
    const Segments segments{kernel.left(), 16 * bundle}, columns{kernel.right(), tile};
    parallel_for(segments.count(), n_jobs, [&](index s) {
        AlignedBuffer<T> buffer;
        buffer.resize(static_cast<std::size_t>(bundle * tile));
        std::vector<std::int32_t> chosen(static_cast<std::size_t>(bundle));
        std::vector<T*> target(static_cast<std::size_t>(bundle));
        for (index r = 0; r < bundle; ++r) target[r] = buffer.get() + r * tile;
        std::fill(out + segments.begin(s) * m, out + segments.end(s) * m, 0.0);
        for (index c = 0; c < columns.count(); ++c)
            for (index first = segments.begin(s); first < segments.end(s); first += bundle) {
                const index count = std::min(bundle, segments.end(s) - first),
                            width = columns.end(c) - columns.begin(c);
                for (index r = 0; r < count; ++r) chosen[r] = static_cast<std::int32_t>(first + r);
                kernel.compute(chosen.data(), count, columns.begin(c), columns.end(c), target.data());
                for (index r = 0; r < count; ++r)
                    add_products(target[r], coef + columns.begin(c) * m, width, m, out + (first + r) * m);
            }
    });
}

}  // namespace mercer
