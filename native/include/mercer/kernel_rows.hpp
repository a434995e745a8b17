// Where solvers get kernel rows from: a function of the data, a matrix in memory, or a bounded cache over the function.
#pragma once

#include <functional>
#include <stdexcept>

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

    static constexpr index kTile = 512;  // columns whose data stay in the second-level cache while rows pass
};

template <class T>
class DenseKernel final : public KernelFunction<T> {
public:
    DenseKernel(const T* a, index n_a, const T* b, index n_b, index d, const KernelSpec& spec)
        : a_(a), n_a_(n_a), panels_(b, n_b, d), spec_(spec) {
        for (index j = 0; spec.kind == KernelKind::rbf && j < n_b; ++j)
            if (is_far(panels_.norms[j])) far_.push_back(static_cast<std::int32_t>(j));
        sum_ = pair_sum(spec.kind, d, false, 32 * static_cast<index>(far_.size()) > n_b);
        if (sum_ == PairSum::dot)
            norms_a_ = a == b && n_a == n_b ? panels_.norms : DensePanels<T>::squared_norms(a, n_a, d);
    }
    index left() const override { return n_a_; }
    index right() const override { return panels_.n; }
    index rows_at_once() const override { return DensePanels<T>::rows_at_once(sum_); }
    index column_step() const override { return DensePanels<T>::kWidth; }

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
                const T norm = sum_ == PairSum::dot ? norms_a_[rows[r + k]] : T(0);
                finish_kernel(spec_, sum_, out[r + k], end - begin, norm, panels_.norms.data() + begin);
                if (sum_ == PairSum::dot && !far_.empty() && is_far(norm))
                    compare_far(bundle[k], begin, end, out[r + k]);
            }
        }
    }

private:
    const T* a_;
    index n_a_;
    DensePanels<T> panels_;
    KernelSpec spec_;
    PairSum sum_;
    std::vector<T> norms_a_;         // empty when nothing needs them
    std::vector<std::int32_t> far_;  // right rows far from the origin

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
        : a_(a), b_(b), spec_(spec), sum_(pair_sum(spec.kind, a.d, true, false)) {
        norms_a_ = CsrRows<T>(a).norms;
    }
    index left() const override { return a_.n; }
    index right() const override { return b_.x.n; }
    index rows_at_once() const override { return CsrRows<T>::kWidth; }

    void compute(const std::int32_t* rows, index count, index begin, index end, T* const* out) const override {
        thread_local typename CsrRows<T>::Bundle bundle;
        for (index r = 0; r < count; r += CsrRows<T>::kWidth) {
            const index m = std::min<index>(CsrRows<T>::kWidth, count - r);
            CsrRows<T>::load(a_, rows + r, m, bundle);
            if (sum_ == PairSum::absolute) b_.template sums<PairSum::absolute>(bundle, begin, end, out + r);
            else b_.template sums<PairSum::dot>(bundle, begin, end, out + r);
            CsrRows<T>::clear(a_, rows + r, bundle);
            for (index k = 0; k < m; ++k)
                finish_kernel(spec_, sum_, out[r + k], end - begin, norms_a_[rows[r + k]], b_.norms.data() + begin);
        }
    }

private:
    CsrView<T> a_;
    CsrRows<T> b_;
    std::vector<T> norms_a_;
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

// What the decomposition sees: rows by number, several at a time.
template <class T>
class KernelRows {
public:
    virtual ~KernelRows() = default;
    virtual index columns() const = 0;
    virtual index capacity() const = 0;  // rows that can be held at the same time
    // Pointers to kernel rows; each stays valid until the next call.
    virtual void fetch(const std::int32_t* rows, index count, const T** out) = 0;

    std::function<void()> watch;  // called now and then while rows are computed; it throws to stop that
};

// Sets the watch of a source of rows for as long as it lives.
template <class T>
class Watched {
public:
    Watched(KernelRows<T>& rows, std::function<void()> watch) : rows_(rows) { rows_.watch = std::move(watch); }
    ~Watched() { rows_.watch = nullptr; }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

private:
    KernelRows<T>& rows_;
};

template <class T>
class FullGram final : public KernelRows<T> {
public:
    FullGram(const T* gram, index rows, index columns) : gram_(gram), rows_(rows), columns_(columns) {}
    index columns() const override { return columns_; }
    index capacity() const override { return rows_; }
    void fetch(const std::int32_t* rows, index count, const T** out) override {
        for (index k = 0; k < count; ++k) out[k] = gram_ + rows[k] * columns_;
    }

private:
    const T* gram_;
    index rows_, columns_;
};

// Rows computed when first asked for, many at a time, and kept until the budget forces the least recently used out.
template <class T>
class CachedRows final : public KernelRows<T> {
public:
    using Compute = std::function<void(const std::int32_t*, index, T* const*)>;  // whole rows

    CachedRows(index n, index columns, std::size_t budget_bytes, Compute compute)
        : columns_(columns), compute_(std::move(compute)) {
        constexpr index line = 64 / sizeof(T), slab = (index(1) << 25) / sizeof(T);
        stride_ = (std::max<index>(columns, 1) + line - 1) / line * line;
        slab_rows_ = std::max<index>(1, slab / stride_);
        const std::size_t row_bytes = static_cast<std::size_t>(std::max<index>(columns, 1)) * sizeof(T);
        capacity_ = std::min<index>(n, static_cast<index>(budget_bytes / row_bytes));
        if (capacity_ < std::min<index>(n, 2))
            throw std::invalid_argument("the memory budget does not hold two kernel rows");
        slot_of_.assign(static_cast<std::size_t>(n), -1);
    }
    index columns() const override { return columns_; }
    index capacity() const override { return capacity_; }
    index computed() const { return computed_; }

    void fetch(const std::int32_t* rows, index count, const T** out) override {
        ++clock_;
        missing_.clear();
        targets_.clear();
        for (index k = 0; k < count; ++k) {
            const index slot = slot_of_[rows[k]];
            if (slot >= 0) used_[slot] = clock_;
        }
        for (index k = 0; k < count; ++k) {
            if (slot_of_[rows[k]] >= 0) continue;
            const index slot = take_slot();
            owner_[slot] = rows[k];
            slot_of_[rows[k]] = slot;
            used_[slot] = clock_;
            missing_.push_back(rows[k]);
            targets_.push_back(row(slot));
        }
        if (!missing_.empty()) compute();
        computed_ += static_cast<index>(missing_.size());
        for (index k = 0; k < count; ++k) out[k] = row(slot_of_[rows[k]]);
    }

private:
    index columns_, capacity_ = 0, computed_ = 0, stride_, slab_rows_;
    Compute compute_;
    std::vector<index> slot_of_, used_;
    std::vector<std::int32_t> owner_, missing_;
    std::vector<AlignedBuffer<T>> slabs_;  // of slab_rows_ rows each
    std::vector<T*> targets_;
    std::vector<std::pair<index, index>> queue_;  // (last use, slot), worst last; rebuilt when it runs out
    index clock_ = 0;

    T* row(index slot) const { return slabs_[slot / slab_rows_].get() + slot % slab_rows_ * stride_; }

    // A few rows at a time, so that a look at the clock is never far away and a kernel in Python makes small matrices.
    // One that throws leaves no row behind that was never computed.
    void compute() {
        const index count = static_cast<index>(missing_.size());
        const index piece =
            std::max<index>(4, std::min((index(1) << 24) / std::max<index>(columns_, 1), capacity_ / 8) / 4 * 4);
        index done = 0;
        try {
            for (; done < count; done += piece) {
                if (this->watch) this->watch();
                compute_(missing_.data() + done, std::min(piece, count - done), targets_.data() + done);
            }
        } catch (...) {
            for (; done < count; ++done) {
                const index slot = slot_of_[missing_[done]];
                used_[slot] = 0;
                owner_[slot] = -1;
                slot_of_[missing_[done]] = -1;
            }
            throw;
        }
    }

    index take_slot() {
        const index taken = static_cast<index>(owner_.size());
        if (taken < capacity_) {
            if (taken % slab_rows_ == 0) {
                slabs_.emplace_back();
                slabs_.back().resize(static_cast<std::size_t>(std::min(slab_rows_, capacity_ - taken) * stride_));
            }
            owner_.push_back(-1);
            used_.push_back(0);
            return taken;
        }
        while (true) {
            if (queue_.empty()) refill();
            const auto [stamp, slot] = queue_.back();
            queue_.pop_back();
            if (used_[slot] != stamp) continue;  // used again since the queue was made
            if (owner_[slot] >= 0) slot_of_[owner_[slot]] = -1;
            return slot;
        }
    }

    void refill() {
        for (index s = 0; s < capacity_; ++s)
            if (used_[s] != clock_) queue_.emplace_back(used_[s], s);
        if (queue_.empty()) throw std::logic_error("more kernel rows asked for than the cache holds");
        std::sort(queue_.begin(), queue_.end(), [](const auto& x, const auto& y) { return x > y; });
    }
};

// Whole rows of a symmetric kernel function, in parallel over column tiles.
template <class T>
typename CachedRows<T>::Compute whole_rows(const KernelFunction<T>& kernel, int n_jobs) {
    return [&kernel, n_jobs](const std::int32_t* rows, index count, T* const* out) {
        const Segments columns{kernel.right(), KernelFunction<T>::kTile};
        parallel_for(columns.count(), n_jobs, [&](index c) {
            std::vector<T*> target(static_cast<std::size_t>(count));
            for (index r = 0; r < count; ++r) target[r] = out[r] + columns.begin(c);
            kernel.compute(rows, count, columns.begin(c), columns.end(c), target.data());
        });
    };
}

}  // namespace mercer
