#include "mercer/perceptron.hpp"

#include <numeric>

#include "check.hpp"

namespace mercer {

TEST(a_pass_moves_w_at_each_mistake) {
    const double x[] = {1.0, 0.0, 0.0, 2.0, -1.0, 0.0};
    const std::int8_t side[] = {1, -1, -1};
    const double step[] = {1.0, 0.5, 1.0};
    const std::int32_t order[] = {0, 1, 2};
    double w[] = {0.0, 0.0}, lag[] = {0.0, 0.0};
    PerceptronState state;
    std::uint8_t moved[3];
    StopToken stop;
    PerceptronPass<DenseRows<double>> pass({x, 3, 2}, {}, state, w, nullptr, lag);
    const PassResult result = pass.run(order, 3, side, step, moved, stop);
    // 0: f = 0, w = (1, 0), b = 1;  1: f = 1, w = (1, -1), b = 0.5;  2: f = -0.5, right
    CHECK(result.mistakes == 2 && result.loss == 1.0);
    CHECK(moved[0] == 1 && moved[1] == 1 && moved[2] == 0);
    CHECK(w[0] == 1.0 && w[1] == -1.0 && state.offset == 0.5 && state.shown == 3.0);
    CHECK(lag[0] == 0.0 && lag[1] == -1.0 && state.lag_offset == -0.5);
}

TEST(a_large_penalty_leaves_the_last_step) {
    const std::int8_t side[] = {1, -1};
    const double x[] = {1.0, 3.0}, step[] = {1.0, 1.0};
    const std::int32_t order[] = {0, 1};
    double w[] = {0.0};
    PerceptronState state;
    StopToken stop;
    PerceptronPass<DenseRows<double>> pass({x, 2, 1}, {0.0, 0.0, 1.0, 0.0, 1.0}, state, w, nullptr, nullptr);
    pass.run(order, 2, side, step, nullptr, stop);
    CHECK(w[0] == -3.0);  // 1 - eta alpha = 0
}

TEST(a_shuffle_is_a_permutation_that_the_seed_decides) {
    std::int32_t order[50], again[50];
    std::iota(order, order + 50, 0);
    std::iota(again, again + 50, 0);
    shuffle_rows(order, 50, 7);
    shuffle_rows(again, 50, 7);
    CHECK(std::equal(order, order + 50, again));
    CHECK(order[0] != 0 || order[1] != 1);
    std::sort(again, again + 50);
    for (std::int32_t i = 0; i < 50; ++i) CHECK(again[i] == i);
}

}  // namespace mercer
