// Gram matrices of the numeric kernels, block by block.
//
//   linear      <a, b>                      polynomial  (gamma <a, b> + coef0)^degree
//   rbf         exp(-gamma |a - b|^2)       sigmoid     tanh(gamma <a, b> + coef0)
//   laplacian   exp(-gamma |a - b|_1)       distance    |a - b|^2
//
// Every entry is one sum over the columns in one order, so the matrix is exactly symmetric and does not depend on how
// it is cut into blocks or on the number of threads. |a - b|^2 is |a|^2 + |b|^2 - 2<a, b>, which loses about gamma
// (|a|^2 + |b|^2) ulp, or the sum of squared differences, which loses nothing and costs more than twice as much: see
// far_limit.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "mercer/lanes.hpp"
#include "mercer/parallel.hpp"
#include "mercer/vecmath.hpp"

namespace mercer {

enum class KernelKind { linear = 0, polynomial = 1, rbf = 2, laplacian = 3, sigmoid = 4, distance = 5 };

struct KernelSpec {
    KernelKind kind = KernelKind::rbf;
    double gamma = 1.0, coef0 = 0.0, degree = 3.0;
};

constexpr index kDirect = 64;  // columns up to which squared differences are affordable for every pair

enum class PairSum { dot, square, absolute };

// gamma |b|^2 from which two rows are compared by their differences: below, products cost exp(-gamma |a - b|^2) no more
// than about 5e-6 (float) or 1e-12 (double) of its value. A distance without a gamma may be put to any use.
template <class T>
constexpr double far_limit() {
    return sizeof(T) == sizeof(float) ? 32.0 : 4096.0;
}

inline PairSum pair_sum(KernelKind kind, index columns, bool sparse, bool many_far) {
    if (kind == KernelKind::laplacian) return PairSum::absolute;
    const bool careful = kind == KernelKind::distance || (kind == KernelKind::rbf && many_far);
    return careful && !sparse && columns <= kDirect ? PairSum::square : PairSum::dot;
}

// Turns `count` pair sums into kernel values, in place.
template <class T>
void finish_kernel(const KernelSpec& spec, PairSum sum, T* values, index count, T norm_a, const T* norm_b) {
    const T gamma = static_cast<T>(spec.gamma), coef0 = static_cast<T>(spec.coef0);
    if (spec.kind == KernelKind::rbf && sum == PairSum::dot) {
        MERCER_SIMD()
        for (index j = 0; j < count; ++j) {
            const T d = (norm_a + norm_b[j]) - T(2) * values[j];
            values[j] = exp_or_zero(-gamma * (d > T(0) ? d : T(0)));
        }
    } else if (spec.kind == KernelKind::distance && sum == PairSum::dot) {
        MERCER_SIMD()
        for (index j = 0; j < count; ++j) {
            const T d = (norm_a + norm_b[j]) - T(2) * values[j];
            values[j] = d > T(0) ? d : T(0);
        }
    } else if (spec.kind == KernelKind::rbf || spec.kind == KernelKind::laplacian) {
        MERCER_SIMD()
        for (index j = 0; j < count; ++j) values[j] = exp_or_zero(-gamma * values[j]);
    } else if (spec.kind == KernelKind::sigmoid) {
        MERCER_SIMD()
        for (index j = 0; j < count; ++j) values[j] = fast_tanh(gamma * values[j] + coef0);
    } else if (spec.kind == KernelKind::polynomial) {
        const int whole = static_cast<int>(spec.degree);
        if (whole == spec.degree && whole >= 0 && whole <= 32) {
            for (index j = 0; j < count; ++j) {
                const T base = gamma * values[j] + coef0;
                T power = T(1);
                for (int k = 0; k < whole; ++k) power *= base;
                values[j] = power;
            }
        } else {
            for (index j = 0; j < count; ++j)
                values[j] = std::pow(gamma * values[j] + coef0, static_cast<T>(spec.degree));
        }
    }
}

// exp(-gamma d) of stored distances: the step from one gamma of a grid to the next.
template <class T>
void rbf_of_distances(const T* distance, T* out, index count, double gamma) {
    const T g = static_cast<T>(gamma);
    MERCER_SIMD()
    for (index j = 0; j < count; ++j) out[j] = exp_or_zero(-g * distance[j]);
}

// Rows laid out for the sweep: panels of two vectors' worth of rows, column by column.
template <class T>
class DensePanels {
    using Vec = typename Lanes<T>::Vec;
    static constexpr index W = kVectorBytes / sizeof(T);

public:
    static constexpr index kWidth = 2 * W;
    const T* x;
    index n, d;
    std::vector<T> norms;

    DensePanels(const T* rows, index count, index columns)
        : x(rows), n(count), d(columns), norms(squared_norms(rows, count, columns)) {
        packed_.resize(static_cast<std::size_t>((n + kWidth - 1) / kWidth * kWidth * std::max<index>(d, 1)));
        for (index p = 0; p * kWidth < n; ++p)
            for (index k = 0; k < d; ++k)
                for (index w = 0; w < kWidth; ++w) {
                    const index j = p * kWidth + w;
                    packed_[(p * d + k) * kWidth + w] = j < n ? x[j * d + k] : T(0);
                }
    }

    // Rounded as the sweep rounds, hence by vectors, so that the distance of a row to itself is exactly zero.
    static std::vector<T> squared_norms(const T* rows, index n, index d) {
        std::vector<T> norms(static_cast<std::size_t>(n));
        for (index first = 0; first < n; first += W) {
            const index count = std::min(W, n - first);
            Vec sum{};
            for (index k = 0; k < d; ++k) {
                Vec column{};
                for (index w = 0; w < count; ++w) column[w] = rows[(first + w) * d + k];
                sum = sum + column * column;
            }
            for (index w = 0; w < count; ++w) norms[first + w] = sum[w];
        }
        return norms;
    }

    static T squared_distance(const T* a, const T* b, index d) {
        T sum = 0;
        for (index k = 0; k < d; ++k) {
            const T t = a[k] - b[k];
            sum += t * t;
        }
        return sum;
    }

    // Rows that go through the columns together: their sums, two vectors of b and one of a fill the 16 registers of
    // AVX2; differences need one register more.
    static constexpr index rows_at_once(PairSum sum) { return sum == PairSum::dot ? 6 : 4; }

    // out[r][j - begin] for r < count (at most rows_at_once) and j in [begin, end); begin a multiple of kWidth.
    template <PairSum S>
    void sums(const T* const* a, index count, index begin, index end, T* const* out) const {
        if constexpr (rows_at_once(S) > 4) {
            if (count == 6) return sweep<S, 6>(a, begin, end, out);
            if (count == 5) return sweep<S, 5>(a, begin, end, out);
        }
        switch (count) {
            case 4: return sweep<S, 4>(a, begin, end, out);
            case 3: return sweep<S, 3>(a, begin, end, out);
            case 2: return sweep<S, 2>(a, begin, end, out);
            default: return sweep<S, 1>(a, begin, end, out);
        }
    }

private:
    mutable AlignedBuffer<T> packed_;

    template <PairSum S>
    static Vec add(Vec acc, T a, Vec b) {
        if constexpr (S == PairSum::dot) return acc + a * b;
        const Vec t = a - b;
        if constexpr (S == PairSum::square) return acc + t * t;
        return acc + absolute(t);
    }

    template <PairSum S, int R>
    void sweep(const T* const* a, index begin, index end, T* const* out) const {
        for (index j = begin; j < end; j += kWidth) {
            const Vec* b = reinterpret_cast<const Vec*>(packed_.get() + j * d);
            Vec acc[R][2];
            for (int r = 0; r < R; ++r) acc[r][0] = acc[r][1] = Vec{};
            for (index k = 0; k < d; ++k)
                for (int r = 0; r < R; ++r) {
                    acc[r][0] = add<S>(acc[r][0], a[r][k], b[2 * k]);
                    acc[r][1] = add<S>(acc[r][1], a[r][k], b[2 * k + 1]);
                }
            if (end - j >= kWidth) {  // a constant size becomes two stores, a variable one a call
                for (int r = 0; r < R; ++r) std::memcpy(out[r] + (j - begin), acc[r], kWidth * sizeof(T));
            } else {
                for (int r = 0; r < R; ++r)
                    std::copy_n(reinterpret_cast<const T*>(acc[r]), end - j, out[r] + (j - begin));
            }
        }
    }
};

template <class T>
struct CsrView {
    const T* values;
    const std::int32_t* columns;
    const std::int64_t* starts;
    index n, d;
};

// Rows as CSR that are its own: those of a dense table, or some of another's.
template <class T>
class OwnCsr {
public:
    OwnCsr(const T* x, index n, index d) : d_(d), starts_(1, 0) {
        starts_.reserve(static_cast<std::size_t>(n) + 1);
        for (index i = 0; i < n; ++i) {
            for (index k = 0; k < d; ++k)
                if (x[i * d + k] != T(0)) {
                    values_.push_back(x[i * d + k]);
                    columns_.push_back(static_cast<std::int32_t>(k));
                }
            starts_.push_back(static_cast<std::int64_t>(values_.size()));
        }
    }
    OwnCsr(const CsrView<T>& x, const std::int32_t* rows, index count) : d_(x.d), starts_(1, 0) {
        for (index r = 0; r < count; ++r) {
            const std::int64_t begin = x.starts[rows[r]], end = x.starts[rows[r] + 1];
            values_.insert(values_.end(), x.values + begin, x.values + end);
            columns_.insert(columns_.end(), x.columns + begin, x.columns + end);
            starts_.push_back(static_cast<std::int64_t>(values_.size()));
        }
    }
    CsrView<T> view() const {
        return {values_.data(), columns_.data(), starts_.data(), static_cast<index>(starts_.size()) - 1, d_};
    }

private:
    index d_;
    std::vector<T> values_;
    std::vector<std::int32_t> columns_;
    std::vector<std::int64_t> starts_;
};

// Rows as CSR: a bundle of rows is spread out column by column, so that each stored entry of b costs a few vector
// steps, none of which waits for another.
template <class T>
class CsrRows {
    using Vec = typename Lanes<T>::Vec;
    static constexpr index W = kVectorBytes / sizeof(T), kParts = 2;

public:
    static constexpr index kWidth = kParts * W;
    CsrView<T> x;
    std::vector<T> norms;

    explicit CsrRows(const CsrView<T>& rows) : x(rows), norms(rows.n) {
        ones_ = std::all_of(x.values, x.values + (x.n ? x.starts[x.n] : 0), [](T v) { return v == T(1); });
        for (index i = 0; i < x.n; ++i)
            for (std::int64_t s = x.starts[i]; s < x.starts[i + 1]; ++s) norms[i] += x.values[s] * x.values[s];
    }

    // kWidth rows side by side: entry (column, w). Between uses every entry is zero.
    struct Bundle {
        AlignedBuffer<T> spread;
        Vec absolute[kParts];
        index count = 0;

        void reserve(index d) {
            const std::size_t wanted = static_cast<std::size_t>((d + 1) * kWidth);
            if (spread.size() >= wanted) return;
            spread.resize(wanted);
            std::fill_n(spread.get(), wanted, T(0));
        }
    };

    static void load(const CsrView<T>& a, const std::int32_t* rows, index count, Bundle& bundle) {
        bundle.reserve(a.d);
        std::fill_n(bundle.absolute, kParts, Vec{});
        bundle.count = count;
        for (index w = 0; w < count; ++w)
            for (std::int64_t s = a.starts[rows[w]]; s < a.starts[rows[w] + 1]; ++s) {
                bundle.spread[a.columns[s] * kWidth + w] += a.values[s];
                bundle.absolute[w / W][w % W] += std::fabs(a.values[s]);
            }
    }

    static void clear(const CsrView<T>& a, const std::int32_t* rows, Bundle& bundle) {
        for (index w = 0; w < bundle.count; ++w)
            for (std::int64_t s = a.starts[rows[w]]; s < a.starts[rows[w] + 1]; ++s)
                bundle.spread[a.columns[s] * kWidth + w] = T(0);
    }

    // out[w][j - begin] for the bundle's rows and j in [begin, end).
    template <PairSum S>
    void sums(const Bundle& bundle, index begin, index end, T* const* out) const {
        if (ones_ && S == PairSum::dot) return tiles<S, true>(bundle, begin, end, out);
        tiles<S, false>(bundle, begin, end, out);
    }

private:
    bool ones_;  // every stored value is 1: an indicator, whose products are sums

    template <PairSum S, bool Ones>
    void tiles(const Bundle& bundle, index begin, index end, T* const* out) const {
        Vec tile[kParts][W] = {};  // (part of the bundle, right row), then (part, left row)
        for (index first = begin; first < end; first += W) {
            const index count = std::min(W, end - first);
            for (index j = 0; j < count; ++j) add_entries<S, Ones>(bundle, first + j, &tile[0][j]);
            for (index h = 0; h < kParts; ++h) transpose_lanes<T>(tile[h]);
            for (index w = 0; w < bundle.count; ++w) {
                const Vec& row = tile[w / W][w % W];
                if (count == W) std::memcpy(out[w] + (first - begin), &row, sizeof(Vec));
                else std::copy_n(reinterpret_cast<const T*>(&row), count, out[w] + (first - begin));
            }
        }
    }

    template <PairSum S, bool Ones>
    void add_entries(const Bundle& bundle, index j, Vec* out) const {
        const Vec* a = reinterpret_cast<const Vec*>(bundle.spread.get());
        Vec acc[kParts] = {};
        if (S == PairSum::absolute) std::copy_n(bundle.absolute, kParts, acc);
        for (std::int64_t s = x.starts[j]; s < x.starts[j + 1]; ++s) {
            MERCER_UNROLL(4)
            for (index h = 0; h < kParts; ++h) {
                const Vec v = a[kParts * x.columns[s] + h];
                if constexpr (S == PairSum::absolute) acc[h] += absolute(v - x.values[s]) - absolute(v);
                else if constexpr (Ones) acc[h] += v;
                else acc[h] += v * x.values[s];
            }
        }
        for (index h = 0; h < kParts; ++h) out[h * W] = acc[h];
    }
};

}  // namespace mercer
