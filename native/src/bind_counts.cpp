#include <optional>

#include <nanobind/stl/optional.h>

#include "array.hpp"
#include "mercer/counts.hpp"

namespace mercer::bind {

static Codes codes_view(const In2<std::int32_t>& codes) {
    return {codes.data(), static_cast<index>(codes.shape(0)), static_cast<index>(codes.shape(1)), codes.stride(0),
            codes.stride(1)};
}

// offsets[j] is where column j starts; every code must lie below the number of levels its column has.
static void expect_codes(const Codes& codes, const In1<std::int64_t>& offsets) {
    expect(static_cast<index>(offsets.shape(0)) == codes.cols + 1 && offsets.data()[0] == 0,
           "offsets must have one entry per column and one more, and start at 0");
    for (index j = 0; j < codes.cols; ++j) {
        expect(offsets.data()[j] <= offsets.data()[j + 1], "offsets must not decrease");
        const index levels = offsets.data()[j + 1] - offsets.data()[j];
        const std::int32_t* column = codes.data + j * codes.col_stride;
        for (index i = 0; i < codes.rows; ++i) expect(column[i * codes.row_stride] < levels, "code out of range");
    }
}

void bind_counts(nb::module_& m) {
    m.def(
        "count_codes",
        [](In2<std::int32_t> codes, In1<std::int32_t> classes, std::optional<In1<double>> weight,
           In1<std::int64_t> offsets, index n_classes, int n_jobs) {
            const Codes view = codes_view(codes);
            expect_classes(classes, view.rows, n_classes);
            expect_codes(view, offsets);
            expect(!weight || static_cast<index>(weight->shape(0)) == view.rows, "weight must have one entry per row");
            const auto width = static_cast<size_t>(offsets.data()[view.cols]);
            std::vector<double> counts(cells(static_cast<size_t>(n_classes), width));
            {
                const ReleasedGil released;
                count_codes(view, classes.data(), weight ? weight->data() : nullptr, offsets.data(), n_classes,
                            counts.data(), n_jobs);
            }
            return owned(counts, static_cast<size_t>(n_classes), width);
        },
        "codes"_a.noconvert(), "classes"_a.noconvert(), "weight"_a.noconvert().none(), "offsets"_a.noconvert(),
        "n_classes"_a, "n_jobs"_a);
    m.def(
        "add_code_scores",
        [](In2<std::int32_t> codes, In2C<double> table, In1<std::int64_t> offsets, InOut2<double> out, int n_jobs) {
            const Codes view = codes_view(codes);
            expect_codes(view, offsets);
            expect(table.shape(1) == static_cast<size_t>(offsets.data()[view.cols]), "table must span all levels");
            expect(static_cast<index>(out.shape(0)) == view.rows && out.shape(1) == table.shape(0),
                   "out must be rows x classes");
            const ReleasedGil released;
            add_code_scores(view, table.data(), offsets.data(), static_cast<index>(table.shape(0)), out.data(), n_jobs);
        },
        "codes"_a.noconvert(), "table"_a.noconvert(), "offsets"_a.noconvert(), "out"_a.noconvert(), "n_jobs"_a);
}

}  // namespace mercer::bind
