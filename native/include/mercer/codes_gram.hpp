// Gram matrices of category columns.
//
//   k(a, b) = sum over columns c of weight_c S_c(a_c, b_c)  [ / (norm(a) + norm(b)) ]
//   S_c(a, b) = match_c(a) when a = b, else  0 | 1 / (1 + u_c(a) u_c(b)) | 2 log(u_c(a) + u_c(b))
//
// which covers the measures of Boriah, Chandola and Kumar 2008 used here: Overlap and the Goodalls differ in match
// alone; IOF has u = log f, OF has u = log(N / f), Lin has match = 2 log p, u = p and norm(a) = sum_c log p_c(a_c). A
// missing cell (code -1) adds nothing, to the sum or to the norm. With the left row fixed a column is a table of L
// numbers looked up by the right row's code: a shuffle of registers when L is small, a compare when only matches count.
#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include "mercer/kernel_function.hpp"

namespace mercer {

enum class Mismatch { zero = 0, reciprocal = 1, logarithm = 2 };

struct CodeTables {
    index columns = 0;
    const std::int64_t* offsets = nullptr;  // (columns + 1): where each column's levels start in the arrays below
    const double* match = nullptr;
    const double* u = nullptr;
    const double* weight = nullptr;  // (columns)
    const double* norm = nullptr;    // per level, or null for no normalisation
    Mismatch mismatch = Mismatch::zero;

    index levels(index c) const { return static_cast<index>(offsets[c + 1] - offsets[c]); }
    double similarity(index c, index a, index b) const {
        const std::int64_t i = offsets[c] + a, j = offsets[c] + b;
        if (a == b) return weight[c] * match[i];
        if (mismatch == Mismatch::reciprocal) return weight[c] / (1.0 + u[i] * u[j]);
        if (mismatch == Mismatch::logarithm) return weight[c] * 2.0 * std::log(u[i] + u[j]);
        return 0.0;
    }
};

template <class T>
class CodesKernel final : public KernelFunction<T> {
    using Vec = typename Lanes<T>::Vec;
    using Index = typename Lanes<T>::Index;
    using Int = typename Lanes<T>::Int;
    static constexpr index W = kVectorBytes / sizeof(T), kWidth = 2 * W, kRows = 4;
#if MERCER_SHUFFLE && defined(__AVX2__)
    static constexpr index kShuffles = sizeof(T) == sizeof(float) ? 4 : 0;  // vectors of a table worth shuffling
#else
    static constexpr index kShuffles = 0;
#endif
    static constexpr index kStored = index(1) << 22;  // entries of level x level tables worth keeping

public:
    CodesKernel(const std::int32_t* a, index n_a, const std::int32_t* b, index n_b, const CodeTables& tables)
        : a_(a), n_a_(n_a), n_b_(n_b), t_(tables) {
        pack(b);
        if (t_.mismatch != Mismatch::zero) store_tables();
        if (t_.norm) {
            norms_a_ = norms(a, n_a);
            norms_b_ = norms(b, n_b);
        }
    }
    index left() const override { return n_a_; }
    index right() const override { return n_b_; }

    void compute(const std::int32_t* rows, index count, index begin, index end, T* const* out) const override {
        for (index r = 0; r < count; r += kRows) {
            const index m = std::min(kRows, count - r);
            if (t_.mismatch == Mismatch::zero) matches(rows + r, m, begin, end, out + r);
            else lookups(rows + r, m, begin, end, out + r);
            for (index k = 0; t_.norm && k < m; ++k) normalise(out[r + k], norms_a_[rows[r + k]], begin, end);
        }
    }

private:
    const std::int32_t* a_;
    index n_a_, n_b_;
    CodeTables t_;
    AlignedBuffer<Int> packed_;  // code + 1, so that 0 is missing; panels of kWidth rows, column by column
    AlignedBuffer<T> stored_;
    std::vector<index> starts_;  // of each column's level x level table in stored_, -1 when too large
    std::vector<T> norms_a_, norms_b_;

    static index padded(index entries) { return (entries + W - 1) / W * W; }

    void pack(const std::int32_t* b) {
        packed_.resize(
            static_cast<std::size_t>((n_b_ + kWidth - 1) / kWidth * kWidth * std::max<index>(t_.columns, 1)));
        for (index p = 0; p * kWidth < n_b_; ++p)
            for (index c = 0; c < t_.columns; ++c)
                for (index w = 0; w < kWidth; ++w) {
                    const index j = p * kWidth + w;
                    packed_[(p * t_.columns + c) * kWidth + w] =
                        j < n_b_ ? static_cast<Int>(b[j * t_.columns + c] + 1) : Int(0);
                }
    }

    void store_tables() {
        index total = 0;
        starts_.assign(static_cast<std::size_t>(t_.columns), -1);
        for (index c = 0; c < t_.columns; ++c) {
            const index size = (t_.levels(c) + 1) * padded(t_.levels(c) + 1);
            if (total + size > kStored) continue;
            starts_[c] = total;
            total += size;
        }
        stored_.resize(static_cast<std::size_t>(std::max<index>(total, 1)));
        for (index c = 0; c < t_.columns; ++c)
            for (index a = 0; starts_[c] >= 0 && a <= t_.levels(c); ++a)
                fill_line(c, a - 1, stored_.get() + starts_[c] + a * padded(t_.levels(c) + 1));
    }

    // Similarities of level a (-1: missing) to missing, level 0, level 1, ...
    void fill_line(index c, index a, T* line) const {
        std::fill_n(line, padded(t_.levels(c) + 1), T(0));
        for (index b = 0; a >= 0 && b < t_.levels(c); ++b) line[b + 1] = static_cast<T>(t_.similarity(c, a, b));
    }

    std::vector<T> norms(const std::int32_t* codes, index n) const {
        std::vector<T> out(static_cast<std::size_t>(n));
        for (index i = 0; i < n; ++i) {
            double sum = 0.0;
            for (index c = 0; c < t_.columns; ++c)
                if (codes[i * t_.columns + c] >= 0) sum += t_.norm[t_.offsets[c] + codes[i * t_.columns + c]];
            out[i] = static_cast<T>(sum);
        }
        return out;
    }

    // Two rows without information (all cells of probability one) are alike.
    void normalise(T* values, T norm_a, index begin, index end) const {
        const T* norm_b = norms_b_.data() + begin;
        for (index j = 0; j < end - begin; ++j) {
            const T norm = norm_a + norm_b[j];
            values[j] = norm == T(0) ? T(1) : values[j] / norm;
        }
    }

    void write(const Vec (*acc)[2], index m, index j, index begin, index end, T* const* out) const {
        const std::size_t bytes = static_cast<std::size_t>(std::min(kWidth, end - j)) * sizeof(T);
        for (index r = 0; r < m; ++r) std::memcpy(out[r] + (j - begin), acc[r], bytes);
    }

    void matches(const std::int32_t* rows, index m, index begin, index end, T* const* out) const {
        thread_local std::vector<Int> code;
        thread_local std::vector<T> value;
        code.assign(static_cast<std::size_t>(t_.columns * kRows), Int(-1));
        value.assign(static_cast<std::size_t>(t_.columns * kRows), T(0));
        for (index c = 0; c < t_.columns; ++c)
            for (index r = 0; r < m; ++r) {
                const std::int32_t a = a_[rows[r] * t_.columns + c];
                if (a < 0) continue;
                code[c * kRows + r] = static_cast<Int>(a + 1);
                value[c * kRows + r] = static_cast<T>(t_.similarity(c, a, a));
            }
        for (index j = begin; j < end; j += kWidth) {
            const Index* b = reinterpret_cast<const Index*>(packed_.get() + j * t_.columns);
            Vec acc[kRows][2] = {};
            for (index c = 0; c < t_.columns; ++c)
                for (index r = 0; r < kRows; ++r) {
                    const Int want = code[c * kRows + r];
                    const Vec add = Vec{} + value[c * kRows + r];
                    acc[r][0] += masked(b[2 * c] == want, add);
                    acc[r][1] += masked(b[2 * c + 1] == want, add);
                }
            write(acc, m, j, begin, end, out);
        }
    }

    static Vec masked(Index mask, Vec value) { return select(mask, value, Vec{}); }

    void lookups(const std::int32_t* rows, index m, index begin, index end, T* const* out) const {
        thread_local std::vector<const T*> lines;
        thread_local std::vector<AlignedBuffer<T>> large;
        lines.assign(static_cast<std::size_t>(t_.columns * kRows), nullptr);
        large.resize(static_cast<std::size_t>(t_.columns * kRows));
        for (index c = 0; c < t_.columns; ++c)
            for (index r = 0; r < kRows; ++r) {
                const std::int32_t a = a_[rows[std::min(r, m - 1)] * t_.columns + c];
                const index k = c * kRows + r, size = padded(t_.levels(c) + 1);
                if (starts_[c] >= 0) {
                    lines[k] = stored_.get() + starts_[c] + (a + 1) * size;
                } else {
                    large[k].resize(static_cast<std::size_t>(size));
                    fill_line(c, a, large[k].get());
                    lines[k] = large[k].get();
                }
            }
        for (index j = begin; j < end; j += kWidth) {
            const Index* b = reinterpret_cast<const Index*>(packed_.get() + j * t_.columns);
            Vec acc[kRows][2] = {};
            for (index c = 0; c < t_.columns; ++c) {
                const T* const* line = lines.data() + c * kRows;
                switch (const index vectors = padded(t_.levels(c) + 1) / W; vectors <= kShuffles ? vectors : 0) {
                    case 1: add_shuffled<1>(line, b + 2 * c, acc); break;
                    case 2: add_shuffled<2>(line, b + 2 * c, acc); break;
                    case 3: add_shuffled<3>(line, b + 2 * c, acc); break;
                    case 4: add_shuffled<4>(line, b + 2 * c, acc); break;
                    default: add_loaded(line, b + 2 * c, acc);
                }
            }
            write(acc, m, j, begin, end, out);
        }
    }

    static void add_loaded(const T* const* lines, const Index* b, Vec (&acc)[kRows][2]) {
        for (index r = 0; r < kRows; ++r)
            for (index h = 0; h < 2; ++h) {
                Vec found;
                for (index w = 0; w < W; ++w) found[w] = lines[r][b[h][w]];
                acc[r][h] += found;
            }
    }

    // Unrolled, so that the sums stay in registers from column to column.
    template <index V>
    static MERCER_INLINE void add_shuffled(const T* const* lines, const Index* b, Vec (&acc)[kRows][2]) {
        MERCER_UNROLL(4)
        for (index r = 0; r < kRows; ++r) {
            acc[r][0] += shuffled<V>(reinterpret_cast<const Vec*>(lines[r]), b[0]);
            acc[r][1] += shuffled<V>(reinterpret_cast<const Vec*>(lines[r]), b[1]);
        }
    }

    // Each shuffle reads the index modulo W, so the right vector is chosen by comparing the whole index.
    template <index V>
    static MERCER_INLINE Vec shuffled([[maybe_unused]] const Vec* line, [[maybe_unused]] Index where) {
        Vec found = {};
#if MERCER_SHUFFLE
        found = __builtin_shuffle(line[0], where);
        MERCER_UNROLL(4)
        for (index v = 1; v < V; ++v)
            found = select(where >= static_cast<Int>(v * W), __builtin_shuffle(line[v], where), found);
#endif
        return found;
    }
};

}  // namespace mercer
