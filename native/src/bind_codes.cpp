#include <nanobind/stl/optional.h>

#include <optional>

#include "kernel_source.hpp"
#include "mercer/codes_gram.hpp"

namespace mercer::bind {

using Codes = In2C<std::int32_t>;

void expect_codes(const Codes& codes, const In1<std::int64_t>& offsets) {
    const std::size_t columns = codes.shape(1);
    for (std::size_t i = 0; i < codes.shape(0); ++i)
        for (std::size_t c = 0; c < columns; ++c) {
            const std::int32_t code = codes.data()[i * columns + c];
            expect(code >= -1 && code < offsets.data()[c + 1] - offsets.data()[c], "level code out of range");
        }
}

template <class T>
FunctionHandle<T> codes_kernel(Codes a, Codes b, In1<std::int64_t> offsets, In1<double> match, In1<double> u,
                               In1<double> weight, std::optional<In1<double>> norm, int mismatch) {
    const std::size_t columns = a.shape(1);
    expect(b.shape(1) == columns && weight.shape(0) == columns && offsets.shape(0) == columns + 1,
           "both sides, weights and offsets need the same columns");
    expect(mismatch >= 0 && mismatch <= 2, "unknown mismatch form");
    expect(offsets.data()[0] == 0, "offsets start at zero");
    for (std::size_t c = 0; c < columns; ++c) expect(offsets.data()[c] <= offsets.data()[c + 1], "offsets decrease");
    const auto levels = static_cast<std::size_t>(offsets.data()[columns]);
    expect(match.shape(0) == levels && u.shape(0) == levels && (!norm || norm->shape(0) == levels), "one entry per level");
    expect_codes(a, offsets);
    expect_codes(b, offsets);
    CodeTables tables{static_cast<index>(columns), offsets.data(), match.data(), u.data(), weight.data(),
                      norm ? norm->data() : nullptr, static_cast<Mismatch>(mismatch)};
    FunctionHandle<T> handle;
    handle.symmetric = a.data() == b.data() && a.shape(0) == b.shape(0);
    handle.kernel = std::make_unique<CodesKernel<T>>(a.data(), static_cast<index>(a.shape(0)), b.data(),
                                                     static_cast<index>(b.shape(0)), tables);
    return handle;
}

template <class T>
void bind_codes_for(nb::module_& m, const char* name) {
    m.def(name, &codes_kernel<T>, "a"_a.noconvert(), "b"_a.noconvert(), "offsets"_a.noconvert(), "match"_a.noconvert(),
          "u"_a.noconvert(), "weight"_a.noconvert(), "norm"_a.noconvert().none(), "mismatch"_a, nb::keep_alive<0, 1>(),
          nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>(), nb::keep_alive<0, 5>(),
          nb::keep_alive<0, 6>(), nb::keep_alive<0, 7>());
}

void bind_codes(nb::module_& m) {
    bind_codes_for<float>(m, "codes_kernel32");
    bind_codes_for<double>(m, "codes_kernel64");
}

}  // namespace mercer::bind
