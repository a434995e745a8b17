#include "mercer/lanes.hpp"

#include "check.hpp"

namespace mercer {

namespace {

template <class T>
void check_transpose() {
    constexpr int W = kVectorBytes / sizeof(T), from_stride = W + 3, to_stride = W + 1;
    std::vector<T> from(W * from_stride), to(W * to_stride, T(-1));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i);
    transpose_square(from.data(), from_stride, to.data(), to_stride);
    for (int i = 0; i < W; ++i)
        for (int j = 0; j < W; ++j) CHECK(to[j * to_stride + i] == from[i * from_stride + j]);
    CHECK(to[W] == T(-1));  // nothing is written beside the square
}

template <class T>
void check_arithmetic() {
    using Vec = typename Lanes<T>::Vec;
    constexpr int W = kVectorBytes / sizeof(T);
    Vec a{}, b = Vec{} + T(2);
    for (int i = 0; i < W; ++i) a[i] = static_cast<T>(i - 2);
    const Vec larger = select(a > b, a, b), size = absolute(a), line = T(3) * a + b;
    for (int i = 0; i < W; ++i) {
        CHECK(larger[i] == static_cast<T>(i - 2 > 2 ? i - 2 : 2));
        CHECK(size[i] == static_cast<T>(i < 2 ? 2 - i : i - 2));
        CHECK(line[i] == static_cast<T>(3 * (i - 2) + 2));
    }
}

}  // namespace

TEST(a_square_is_transposed) {
    check_transpose<float>();
    check_transpose<double>();
}

TEST(arithmetic_goes_lane_by_lane) {
    check_arithmetic<float>();
    check_arithmetic<double>();
}

TEST(floats_widen_and_narrow_without_change) {
    constexpr int W = kVectorBytes / sizeof(float);
    Lanes<float>::Vec v;
    for (int i = 0; i < W; ++i) v[i] = 0.1f * static_cast<float>(i);
    const Lanes<float>::Vec back = narrowed(widened(v, 0), widened(v, 1));
    for (int i = 0; i < W; ++i) CHECK(back[i] == v[i]);
    CHECK(widened(v, 1)[0] == static_cast<double>(v[W / 2]));
}

TEST(buffers_are_aligned_to_a_cache_line) {
    for (std::size_t count : {1, 7, 1000}) {
        AlignedBuffer<double> buffer;
        buffer.resize(count);
        CHECK(reinterpret_cast<std::uintptr_t>(buffer.get()) % 64 == 0);
        CHECK(buffer.size() == count);
    }
}

}  // namespace mercer
