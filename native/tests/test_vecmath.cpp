#include "mercer/vecmath.hpp"

#include <algorithm>
#include <limits>

#include "check.hpp"

namespace {

template <class T>
double largest_relative_error(double from, double to) {
    double worst = 0.0;
    for (int i = 0; i <= 200000; ++i) {
        const T x = static_cast<T>(from + (to - from) * i / 200000);
        const double exact = std::exp(static_cast<double>(x));
        worst = std::max(worst, std::fabs(static_cast<double>(mercer::fast_exp(x)) - exact) / exact);
    }
    return worst;
}

}  // namespace

TEST(exp_is_within_a_few_ulp) {
    CHECK(largest_relative_error<float>(-87.0, 88.0) < 3e-7);
    CHECK(largest_relative_error<double>(-700.0, 700.0) < 5e-16);
}

TEST(exp_of_zero_is_one) {
    CHECK(mercer::fast_exp(0.0f) == 1.0f);
    CHECK(mercer::fast_exp(0.0) == 1.0);
}

TEST(a_kernel_value_is_within_a_few_ulp_and_one_at_zero) {
    double worst = 0.0;
    for (int i = 0; i <= 2000000; ++i) {
        const float x = -86.9f * static_cast<float>(i) / 2000000.0f;
        const double exact = std::exp(static_cast<double>(x));
        worst = std::max(worst, std::fabs(static_cast<double>(mercer::exp_or_zero(x)) - exact) / exact);
        CHECK(mercer::exp_or_zero(x) <= 1.0f);
    }
    CHECK(worst < 3e-7);
    CHECK(mercer::exp_or_zero(0.0f) == 1.0f && mercer::exp_or_zero(-0.0f) == 1.0f);
    CHECK(mercer::exp_or_zero(-87.0f) == 0.0f && mercer::exp_or_zero(-std::numeric_limits<float>::infinity()) == 0.0f);
}

TEST(a_kernel_value_underflows_to_zero) {
    CHECK(mercer::exp_or_zero(-1000.0f) == 0.0f);
    CHECK(mercer::exp_or_zero(-1e6) == 0.0);
    CHECK(std::isfinite(mercer::fast_exp(1e6)));
}

TEST(tanh_is_odd_and_bounded) {
    for (int i = 0; i < 80; ++i) {
        const double x = 0.37 * i;
        CHECK(check::near(mercer::fast_tanh(x), std::tanh(x), 1e-15));
        CHECK(mercer::fast_tanh(-x) == -mercer::fast_tanh(x));
    }
    CHECK(mercer::fast_tanh(1e9) == 1.0);
}
