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

// The tables of mercer._core.codes_gram.CodeTables, held while native code reads them.
struct HeldTables {
    In1<std::int64_t> offsets;
    In1<double> match, u, weight;
    std::optional<In1<double>> norm;
    Codes codes;
    CodeTables tables;

    explicit HeldTables(nb::handle from)
        : offsets(field<In1<std::int64_t>>(from, "offsets")), match(field<In1<double>>(from, "match")),
          u(field<In1<double>>(from, "u")), weight(field<In1<double>>(from, "weight")),
          norm(optional_field<In1<double>>(from, "norm")) {
        const std::size_t columns = weight.shape(0);
        const int mismatch = field<int>(from, "code");
        expect(mismatch >= 0 && mismatch <= 2, "unknown mismatch form");
        expect(offsets.shape(0) == columns + 1 && offsets.data()[0] == 0,
               "offsets start at zero, one more than columns");
        for (std::size_t c = 0; c < columns; ++c)
            expect(offsets.data()[c] <= offsets.data()[c + 1], "offsets decrease");
        const auto levels = static_cast<std::size_t>(offsets.data()[columns]);
        expect(match.shape(0) == levels && u.shape(0) == levels && (!norm || norm->shape(0) == levels),
               "one entry per level");
        tables = {
            static_cast<index>(columns),    offsets.data(), match.data(), u.data(), weight.data(), data_or_null(norm),
            static_cast<Mismatch>(mismatch)};
    }
};

template <class T>
nb::object codes_kernel(const Codes& a, const Codes& b, const std::shared_ptr<HeldTables>& held) {
    const bool symmetric = a.data() == b.data() && a.shape(0) == b.shape(0);
    auto kernel = std::make_unique<CodesKernel<T>>(a.data(), static_cast<index>(a.shape(0)), b.data(),
                                                   static_cast<index>(b.shape(0)), held->tables);
    return nb::cast(FunctionHandle<T>{std::move(kernel), symmetric, held, std::make_shared<Codes>(b)});
}

void bind_codes(nb::module_& m) {
    m.def(
        "codes_kernel",
        [](Codes a, Codes b, nb::handle tables, bool single) {
            const auto held = std::make_shared<HeldTables>(tables);
            held->codes = a;
            expect(a.shape(1) == held->weight.shape(0) && b.shape(1) == a.shape(1),
                   "both sides and the weights need the same columns");
            expect_codes(a, held->offsets);
            expect_codes(b, held->offsets);
            return single ? codes_kernel<float>(a, b, held) : codes_kernel<double>(a, b, held);
        },
        "a"_a.noconvert(), "b"_a.noconvert(), "tables"_a, "single"_a);
}

}  // namespace mercer::bind
