// Where solvers get kernel rows from: a matrix in memory, or a bounded cache over a function of the data.
#pragma once

#include <functional>
#include <stdexcept>

#include "mercer/kernel_function.hpp"

namespace mercer {

// What the decomposition sees: rows by number, several at a time.
template <class T>
class KernelRows {
public:
    virtual ~KernelRows() = default;
    virtual index columns() const = 0;
    virtual index capacity() const = 0;  // rows that can be held at the same time
    // Pointers to kernel rows; each stays valid until the next call.
    virtual void fetch(const std::int32_t* rows, index count, const T** out) = 0;
    // The function that computes the rows, where it can compute some cells of a row alone (`among`); else null.
    virtual const KernelFunction<T>* function() const { return nullptr; }

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

// Whole rows of a symmetric kernel function, in parallel over column tiles.
template <class T>
std::function<void(const std::int32_t*, index, T* const*)> whole_rows(const KernelFunction<T>& kernel, int n_jobs) {
    return [&kernel, n_jobs](const std::int32_t* rows, index count, T* const* out) {
        const Segments columns{kernel.right(), KernelFunction<T>::kTile};
        parallel_for(columns.count(), n_jobs, [&](index c) {
            std::vector<T*> target(static_cast<std::size_t>(count));
            for (index r = 0; r < count; ++r) target[r] = out[r] + columns.begin(c);
            kernel.compute(rows, count, columns.begin(c), columns.end(c), target.data());
        });
    };
}

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
    // Rows of a symmetric function, which outlives them.
    CachedRows(const KernelFunction<T>& kernel, std::size_t budget_bytes, int n_jobs)
        : CachedRows(kernel.left(), kernel.right(), budget_bytes, whole_rows(kernel, n_jobs)) {
        if (kernel.among(nullptr, 0)) function_ = &kernel;
    }
    index columns() const override { return columns_; }
    index capacity() const override { return capacity_; }
    index computed() const { return computed_; }
    const KernelFunction<T>* function() const override { return function_; }

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
    const KernelFunction<T>* function_ = nullptr;
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

}  // namespace mercer
