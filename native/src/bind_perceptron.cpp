#include <nanobind/stl/optional.h>

#include "kernel_source.hpp"
#include "mercer/perceptron.hpp"
#include "stopping.hpp"

namespace mercer::bind {

static PerceptronOptions perceptron_options(nb::handle from) {
    return {field<double>(from, "margin"), field<double>(from, "offset_step"), field<double>(from, "alpha"),
            field<double>(from, "l1_ratio"), field<double>(from, "eta")};
}

static std::tuple<double, std::int64_t> perceptron_pass(nb::handle x, In1<std::int32_t> order, In1<std::int8_t> side,
                                                        In1<double> step, nb::handle plane, nb::handle options,
                                                        std::optional<InOut1<std::uint8_t>> moved) {
    auto w = field<InOut1<double>>(plane, "w");
    auto state = field<InOut1<double>>(plane, "state");
    auto paid = optional_field<InOut1<double>>(plane, "paid");
    auto lag = optional_field<InOut1<double>>(plane, "lag");
    const PerceptronOptions opt = perceptron_options(options);
    expect(state.shape(0) * sizeof(double) == sizeof(PerceptronState), "state has another length");
    expect(!moved || moved->shape(0) == order.shape(0), "moved needs an entry for each row shown");
    return with_matrix(x, [&](const auto& matrix) -> std::tuple<double, std::int64_t> {
        using Rows = std::decay_t<decltype(matrix->rows)>;
        const Rows& rows = matrix->rows;
        const auto n = static_cast<std::size_t>(rows.n), d = static_cast<std::size_t>(rows.d);
        expect(side.shape(0) == n && step.shape(0) == n, "one side and one step per row");
        expect(w.shape(0) == d && (!paid || paid->shape(0) == d) && (!lag || lag->shape(0) == d),
               "w, paid and lag need an entry per column");
        for (std::size_t t = 0; t < order.shape(0); ++t)
            expect(order.data()[t] >= 0 && order.data()[t] < rows.n, "row out of range");
        StopToken stop(interrupts());
        const ReleasedGil released;
        PerceptronPass<Rows> pass(rows, opt, *reinterpret_cast<PerceptronState*>(state.data()), w.data(),
                                  data_or_null(paid), data_or_null(lag));
        const PassResult result = pass.run(order.data(), static_cast<index>(order.shape(0)), side.data(), step.data(),
                                           data_or_null(moved), stop);
        return {result.loss, result.mistakes};
    });
}

static void shuffle(InOut1<std::int32_t> order, std::uint32_t seed) {
    shuffle_rows(order.data(), static_cast<index>(order.shape(0)), seed);
}

void bind_perceptron(nb::module_& m) {
    m.def("perceptron_pass", &perceptron_pass, "x"_a, "order"_a.noconvert(), "side"_a.noconvert(), "step"_a.noconvert(),
          "plane"_a, "options"_a, "moved"_a.none());
    m.def("shuffle_rows", &shuffle, "order"_a.noconvert(), "seed"_a);
}

}  // namespace mercer::bind
