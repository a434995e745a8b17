// Vectors of the machine's width, and buffers aligned for them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace mercer {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#else
constexpr int kVectorBytes = 32;
#endif

template <class T>
struct Lanes;

template <>
struct Lanes<float> {
    typedef float Vec __attribute__((vector_size(kVectorBytes)));
    typedef std::int32_t Index __attribute__((vector_size(kVectorBytes)));
    typedef float Half __attribute__((vector_size(kVectorBytes / 2)));
    typedef double Wide __attribute__((vector_size(kVectorBytes)));
    using Int = std::int32_t;
};

template <>
struct Lanes<double> {
    typedef double Vec __attribute__((vector_size(kVectorBytes)));
    typedef std::int64_t Index __attribute__((vector_size(kVectorBytes)));
    typedef double Half __attribute__((vector_size(kVectorBytes / 2)));
    typedef double Wide __attribute__((vector_size(kVectorBytes)));
    using Int = std::int64_t;
};

// to[j * to_stride + i] = from[i * from_stride + j] for a square of one vector's width. Squares of half the width change
// places, then quarters within them, down to single entries.
template <class T>
inline void transpose_square(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride) {
    using Vec = typename Lanes<T>::Vec;
    constexpr int W = kVectorBytes / sizeof(T);
    Vec m[W];
    for (int i = 0; i < W; ++i) std::memcpy(&m[i], from + i * from_stride, sizeof(Vec));
#if defined(__GNUC__) && !defined(__clang__)
    using Int = typename Lanes<T>::Int;
#pragma GCC unroll 4
    for (int half = W / 2; half > 0; half /= 2) {
        typename Lanes<T>::Index upper, lower;
#pragma GCC unroll 16
        for (int w = 0; w < W; ++w) {
            upper[w] = static_cast<Int>(w & half ? W + w - half : w);
            lower[w] = static_cast<Int>(w & half ? W + w : w + half);
        }
#pragma GCC unroll 16
        for (int i = 0; i < W; ++i) {
            if (i & half) continue;
            const Vec a = m[i], b = m[i + half];
            m[i] = __builtin_shuffle(a, b, upper);
            m[i + half] = __builtin_shuffle(a, b, lower);
        }
    }
    for (int i = 0; i < W; ++i) std::memcpy(to + i * to_stride, &m[i], sizeof(Vec));
#else
    for (int i = 0; i < W; ++i)
        for (int j = 0; j < W; ++j) to[j * to_stride + i] = m[i][j];
#endif
}

template <class T>
class AlignedBuffer {
public:
    // Grows when needed; the old contents are not kept.
    void resize(std::size_t count) {
        if (count <= size_) return;
        const std::size_t bytes = (count * sizeof(T) + 63) / 64 * 64;
        data_.reset(static_cast<T*>(std::aligned_alloc(64, bytes)));
        if (!data_) throw std::bad_alloc();
        size_ = count;
    }
    T* get() const { return data_.get(); }
    T& operator[](std::size_t i) const { return data_[i]; }
    std::size_t size() const { return size_; }

private:
    struct Free {
        void operator()(T* p) const { std::free(p); }
    };
    std::unique_ptr<T[], Free> data_;
    std::size_t size_ = 0;
};

}  // namespace mercer
