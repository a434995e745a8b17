// Where solvers get kernel rows from: a matrix in memory, or a bounded cache over anything that computes them.
#pragma once

#include <functional>

#include "mercer/kernel_function.hpp"
#include "mercer/row_cache.hpp"
#include "mercer/row_sums.hpp"

namespace mercer {

// sum_k coef[k] (kernel row rows[k]). keep[k]: the row is likely to be asked for again.
struct RowSum {
    const std::int32_t* rows;
    const double* coef;
    const char* keep;
    index count;
};

// What the decomposition sees: rows by number, several at a time.
template <class T>
class KernelRows {
public:
    virtual ~KernelRows() = default;
    virtual index columns() const = 0;
    virtual index capacity() const = 0;  // rows that can be held at the same time
    // Pointers to kernel rows; each stays valid until the next call.
    virtual void fetch(const std::int32_t* rows, index count, const T** out, Team& team) = 0;
    // f += sum, in the order of its rows; when it throws, f is as it was.
    virtual void add(const RowSum& sum, double* f, Team& team) {
        found_.resize(static_cast<std::size_t>(sum.count));
        fetch(sum.rows, sum.count, found_.data(), team);
        add_rows(found_.data(), sum.coef, sum.count, f, columns(), team);
    }
    // The function that computes the rows, where it can compute some cells of a row alone (`among`); else null.
    virtual const KernelFunction<T>* function() const { return nullptr; }

    // `add` is likely to be asked for some of these rows next, the first ones above all: whether it is worth while to
    // compute them ahead. `compute_ahead` does that until `enough`, in several threads, while nothing else is called.
    virtual bool guess(const std::int32_t*, index) { return false; }
    virtual void compute_ahead(const std::atomic<bool>&) {}

    std::function<void()> watch;  // called now and then, by any thread, while rows are computed; throws to stop

private:
    std::vector<const T*> found_;
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
    void fetch(const std::int32_t* rows, index count, const T** out, Team&) override {
        for (index k = 0; k < count; ++k) out[k] = gram_ + rows[k] * columns_;
    }

private:
    const T* gram_;
    index rows_, columns_;
};

// Rows computed when first asked for, many at a time, and kept within a budget.
template <class T>
class CachedRows final : public KernelRows<T> {
public:
    using Compute = std::function<void(const std::int32_t*, index, T* const*)>;  // whole rows

    CachedRows(index n, index columns, std::size_t budget_bytes, Compute compute)
        : columns_(columns), compute_(std::move(compute)), cache_(n, columns, budget_bytes) {}
    index columns() const override { return columns_; }
    index capacity() const override { return cache_.capacity(); }

    void fetch(const std::int32_t* rows, index count, const T** out, Team&) override {
        missing_.clear();
        targets_.clear();
        cache_.use(rows, count);
        for (index k = 0; k < count; ++k) {
            if (cache_.find(rows[k])) continue;
            missing_.push_back(rows[k]);
            targets_.push_back(cache_.claim(rows[k]));
        }
        if (!missing_.empty()) compute();
        for (index k = 0; k < count; ++k) out[k] = cache_.find(rows[k]);
    }

private:
    index columns_;
    Compute compute_;
    RowCache<T> cache_;
    std::vector<std::int32_t> missing_;
    std::vector<T*> targets_;

    // A few rows at a time, so that a look at the clock is never far away and a kernel in Python makes small matrices.
    // One that throws leaves no row behind that was never computed.
    void compute() {
        const index count = static_cast<index>(missing_.size());
        const index piece =
            std::max<index>(4, std::min((index(1) << 24) / std::max<index>(columns_, 1), capacity() / 8) / 4 * 4);
        index done = 0;
        try {
            for (; done < count; done += piece) {
                if (this->watch) this->watch();
                compute_(missing_.data() + done, std::min(piece, count - done), targets_.data() + done);
            }
        } catch (...) {
            for (; done < count; ++done) cache_.forget(missing_[done]);
            throw;
        }
    }
};

}  // namespace mercer
