// Vectors of the machine's width, and buffers aligned for them.
#pragma once

#include <cstdint>
#include <cstdlib>
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
