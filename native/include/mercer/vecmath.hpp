// Elementary functions written so that a plain loop over them vectorises.
//
// exp: x = k ln 2 + r with |r| <= ln 2 / 2, exp(x) = 2^k exp(r), exp(r) by a Taylor polynomial whose first dropped term
// is below half a unit in the last place. No table and no branch, so every lane does the same work.
#pragma once

#include <cstdint>
#include <cstring>

namespace mercer {

// Horner's scheme, highest power first.
template <class T, int N>
inline T polynomial(const T (&coefficient)[N], T x) {
    T value = coefficient[0];
    for (int k = 1; k < N; ++k) value = value * x + coefficient[k];
    return value;
}

inline float fast_exp(float x) {
    x = x < -87.33654f ? -87.33654f : x;
    x = x > 88.3762f ? 88.3762f : x;
    // adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low mantissa bits
    const float shifted = x * 1.44269504088896341f + 12582912.0f;
    const float k = shifted - 12582912.0f;
    float r = x - k * 0.693359375f;
    r = r - k * -2.12194440e-4f;
    constexpr float taylor[] = {1.98412698e-4f, 1.38888889e-3f, 8.33333333e-3f, 4.16666667e-2f,
                                1.66666667e-1f, 0.5f,           1.0f,           1.0f};
    const float p = polynomial(taylor, r);
    std::uint32_t bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    const std::uint32_t scale_bits = (bits << 23) + 0x3f800000u;
    float scale;
    std::memcpy(&scale, &scale_bits, sizeof scale);
    return p * scale;
}

inline double fast_exp(double x) {
    x = x < -708.39 ? -708.39 : x;
    x = x > 709.43 ? 709.43 : x;
    const double shifted = x * 1.4426950408889634074 + 6755399441055744.0;
    const double k = shifted - 6755399441055744.0;
    double r = x - k * 6.93145751953125e-1;
    r = r - k * 1.42860682030941723212e-6;
    constexpr double taylor[] = {1.6059043836821613e-10,
                                 2.0876756987868099e-9,
                                 2.5052108385441719e-8,
                                 2.7557319223985891e-7,
                                 2.7557319223985893e-6,
                                 2.4801587301587302e-5,
                                 1.9841269841269841e-4,
                                 1.3888888888888889e-3,
                                 8.3333333333333333e-3,
                                 4.1666666666666667e-2,
                                 1.6666666666666667e-1,
                                 0.5,
                                 1.0,
                                 1.0};
    const double p = polynomial(taylor, r);
    std::uint64_t bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    const std::uint64_t scale_bits = (bits << 52) + 0x3ff0000000000000ULL;
    double scale;
    std::memcpy(&scale, &scale_bits, sizeof scale);
    return p * scale;
}

// tanh through exp of the negated magnitude, so it never overflows.
template <class T>
inline T fast_tanh(T x) {
    const T a = x < T(0) ? -x : x;
    const T e = fast_exp(T(-2) * a);
    const T t = (T(1) - e) / (T(1) + e);
    return x < T(0) ? -t : t;
}

// Of x <= 0, as kernels have it; the clamp above would turn exp(-1000) into 1e-38, and a kernel wants 0 there. In float
// it is 2^(k - 1) times 2 exp(r): the bits of the power are those of 0 at k = -126, where x is clamped. The polynomial
// has the least largest error, 2e-8 with its coefficients in float, of those of degree 6 that are exact at 0.
inline float exp_or_zero(float x) {
    x = x < -87.0f ? -87.0f : x;
    const float shifted = x * 1.44269504088896341f + 12582912.0f;
    const float k = shifted - 12582912.0f;
    float r = x - k * 0.693359375f;
    r = r - k * -2.12194440e-4f;
    constexpr float doubled[] = {2.7687212e-3f, 1.67483911e-2f, 8.33360106e-2f, 3.33328605e-1f, 0.999999881f, 2.0f,
                                 2.0f};
    std::uint32_t bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    const std::uint32_t scale_bits = (bits << 23) + 0x3f000000u;
    float scale;
    std::memcpy(&scale, &scale_bits, sizeof scale);
    return polynomial(doubled, r) * scale;
}
inline double exp_or_zero(double x) { return x < -708.0 ? 0.0 : fast_exp(x); }

}  // namespace mercer
