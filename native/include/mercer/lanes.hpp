// Vectors of the machine's width, and buffers aligned for them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "mercer/compiler.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace mercer {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#else
constexpr int kVectorBytes = 32;
#endif

#if MERCER_VECTOR_TYPES

template <class T, int Bytes>
struct VectorOf {
    typedef T type __attribute__((vector_size(Bytes)));
};

// mask ? a : b, lane by lane.
template <class Mask, class V>
MERCER_INLINE V select(Mask mask, V a, V b) {
    return mask ? a : b;
}

template <class V>
MERCER_INLINE V absolute(V v) {
    using Bits = decltype(v == v);
    using Int = std::remove_reference_t<decltype(std::declval<Bits&>()[0])>;
    return (V)((Bits)v & std::numeric_limits<Int>::max());  // a cast between vectors keeps the bits
}

#else

template <class T, int N>
struct alignas(N * sizeof(T)) PlainVector {
    using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    using Mask = PlainVector<Bits, N>;
    T lane[N];

    T& operator[](std::ptrdiff_t i) { return lane[i]; }
    T operator[](std::ptrdiff_t i) const { return lane[i]; }

    template <class Op>
    static PlainVector each(const PlainVector& a, const PlainVector& b, Op op) {
        PlainVector out;
        for (int i = 0; i < N; ++i) out.lane[i] = op(a.lane[i], b.lane[i]);
        return out;
    }
    template <class Op>
    static Mask test(const PlainVector& a, const PlainVector& b, Op op) {
        Mask out;
        for (int i = 0; i < N; ++i) out.lane[i] = op(a.lane[i], b.lane[i]) ? Bits(-1) : Bits(0);
        return out;
    }
    static PlainVector all(T value) {
        PlainVector out;
        for (int i = 0; i < N; ++i) out.lane[i] = value;
        return out;
    }

#define MERCER_LANES(op, result, apply)                                          \
    friend result operator op(const PlainVector& a, const PlainVector& b) {      \
        return apply(a, b, [](T x, T y) { return x op y; });                     \
    }                                                                            \
    friend result operator op(const PlainVector& a, T b) { return a op all(b); } \
    friend result operator op(T a, const PlainVector& b) { return all(a) op b; }
    MERCER_LANES(+, PlainVector, each)
    MERCER_LANES(-, PlainVector, each)
    MERCER_LANES(*, PlainVector, each)
    MERCER_LANES(/, PlainVector, each)
    MERCER_LANES(<, Mask, test)
    MERCER_LANES(>, Mask, test)
    MERCER_LANES(>=, Mask, test)
    MERCER_LANES(==, Mask, test)
#undef MERCER_LANES
    friend PlainVector operator|(const PlainVector& a, const PlainVector& b) {
        return each(a, b, [](T x, T y) { return x | y; });
    }
    template <class B>
    PlainVector& operator+=(const B& b) {
        return *this = *this + b;
    }
    template <class B>
    PlainVector& operator*=(const B& b) {
        return *this = *this * b;
    }
};

template <class T, int Bytes>
struct VectorOf {
    using type = PlainVector<T, Bytes / static_cast<int>(sizeof(T))>;
};

template <class I, class T, int N>
PlainVector<T, N> select(const PlainVector<I, N>& mask, const PlainVector<T, N>& a, const PlainVector<T, N>& b) {
    PlainVector<T, N> out;
    for (int i = 0; i < N; ++i) out.lane[i] = mask.lane[i] ? a.lane[i] : b.lane[i];
    return out;
}

template <class T, int N>
PlainVector<T, N> absolute(const PlainVector<T, N>& v) {
    return PlainVector<T, N>::each(v, v, [](T x, T) { return std::fabs(x); });
}

#endif

template <class T, int Bytes>
using Vector = typename VectorOf<T, Bytes>::type;

template <class T>
struct Lanes {
    using Int = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    using Vec = Vector<T, kVectorBytes>;
    using Index = Vector<Int, kVectorBytes>;
    using Half = Vector<T, kVectorBytes / 2>;
    using Wide = Vector<double, kVectorBytes>;
};

// Half h of a vector of floats in double precision, and two such halves rounded back. One conversion of the whole
// vector would be lowered through the stack.
MERCER_INLINE Lanes<float>::Wide widened(const Lanes<float>::Vec& v, int h) {
#if MERCER_VECTOR_TYPES && defined(__AVX512F__)
    // GCC 12 converts quarters and puts them together, which takes a tenth of the time of the solver's steps.
    return (Lanes<float>::Wide)_mm512_maskz_cvtps_pd(0xff, (__m256) reinterpret_cast<const Lanes<float>::Half*>(&v)[h]);
#elif MERCER_VECTOR_TYPES
    return __builtin_convertvector(reinterpret_cast<const Lanes<float>::Half*>(&v)[h], Lanes<float>::Wide);
#else
    constexpr int half = kVectorBytes / 8;
    Lanes<float>::Wide out;
    for (int i = 0; i < half; ++i) out[i] = v[h * half + i];
    return out;
#endif
}

MERCER_INLINE Lanes<float>::Vec narrowed(const Lanes<float>::Wide& a, const Lanes<float>::Wide& b) {
#if MERCER_VECTOR_TYPES
    using Half = Lanes<float>::Half;
    const Half low = __builtin_convertvector(a, Half), high = __builtin_convertvector(b, Half);
#if !__has_builtin(__builtin_shufflevector)
    Lanes<float>::Vec out;
    std::memcpy(&out, &low, sizeof low);
    std::memcpy(reinterpret_cast<char*>(&out) + sizeof low, &high, sizeof high);
    return out;
#elif defined(__AVX512F__)
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
#else
    constexpr int half = kVectorBytes / 8;
    Lanes<float>::Vec out;
    for (int i = 0; i < half; ++i) {
        out[i] = static_cast<float>(a[i]);
        out[half + i] = static_cast<float>(b[i]);
    }
    return out;
#endif
}

// Blocked transpose of a square of one vector's width, in place: squares of half the width are exchanged, then quarters
// within them, down to single entries.
template <class T>
MERCER_INLINE void transpose_lanes(typename Lanes<T>::Vec* m) {
    constexpr int W = kVectorBytes / sizeof(T);
#if MERCER_SHUFFLE
    using Vec = typename Lanes<T>::Vec;
    using Int = typename Lanes<T>::Int;
    MERCER_UNROLL(4)
    for (int half = W / 2; half > 0; half /= 2) {
        typename Lanes<T>::Index upper{}, lower{};
        MERCER_UNROLL(16)
        for (int w = 0; w < W; ++w) {
            upper[w] = static_cast<Int>(w & half ? W + w - half : w);
            lower[w] = static_cast<Int>(w & half ? W + w : w + half);
        }
        MERCER_UNROLL(16)
        for (int i = 0; i < W; ++i) {
            if (i & half) continue;
            const Vec a = m[i], b = m[i + half];
            m[i] = __builtin_shuffle(a, b, upper);
            m[i + half] = __builtin_shuffle(a, b, lower);
        }
    }
#else
    for (int i = 0; i < W; ++i)
        for (int j = 0; j < i; ++j) {
            const T swapped = m[i][j];
            m[i][j] = m[j][i];
            m[j][i] = swapped;
        }
#endif
}

// to[j * to_stride + i] = from[i * from_stride + j] for a square of one vector's width.
template <class T>
inline void transpose_square(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride) {
    using Vec = typename Lanes<T>::Vec;
    constexpr int W = kVectorBytes / sizeof(T);
    Vec m[W];
    MERCER_UNROLL(16)
    for (int i = 0; i < W; ++i) std::memcpy(&m[i], from + i * from_stride, sizeof(Vec));
    transpose_lanes<T>(m);
    MERCER_UNROLL(16)
    for (int i = 0; i < W; ++i) std::memcpy(to + i * to_stride, &m[i], sizeof(Vec));
}

// A large buffer is aligned to the pages of 2 MB that Linux gives when asked: with those of 4 KB, half of the time in
// which kernel rows are computed for the first time goes to faults.
template <class T>
class AlignedBuffer {
public:
    static constexpr std::size_t kHugePage = std::size_t(1) << 21;
    // Grows when needed; the old contents are not kept.
    void resize(std::size_t count) {
        if (count <= size_) return;
        const std::size_t unit = count * sizeof(T) >= kLarge ? kHugePage : 64;
        const std::size_t bytes = (count * sizeof(T) + unit - 1) / unit * unit;
        size_ = 0;
        data_ = nullptr;
        data_ = std::unique_ptr<T[], Free>(static_cast<T*>(::operator new(bytes, std::align_val_t{unit})), Free{unit});
#if defined(__linux__)
        if (unit == kHugePage) madvise(data_.get(), bytes, MADV_HUGEPAGE);
#endif
        size_ = count;
    }
    T* get() const { return data_.get(); }
    T& operator[](std::size_t i) const { return data_[i]; }
    std::size_t size() const { return size_; }

private:
    static constexpr std::size_t kLarge = 2 * kHugePage;
    struct Free {
        std::size_t alignment = 64;
        void operator()(T* p) const { ::operator delete(p, std::align_val_t{alignment}); }
    };
    std::unique_ptr<T[], Free> data_;
    std::size_t size_ = 0;
};

}  // namespace mercer
