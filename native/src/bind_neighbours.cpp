#include <optional>

#include <nanobind/stl/optional.h>

#include "array.hpp"
#include "mercer/euclid.hpp"
#include "mercer/mixed_distance.hpp"
#include "mercer/votes.hpp"
#include "stopping.hpp"

namespace mercer::bind {

using OptionalGroups = std::optional<In1<std::int32_t>>;

// Every query must have k rows outside its own group.
static Groups2 groups_of(const OptionalGroups& rows, const OptionalGroups& queries, size_t n, size_t m, index k) {
    expect(k > 0, "k must be positive");
    expect(rows.has_value() == queries.has_value(), "give groups of rows and of queries, or neither");
    expect(n < static_cast<size_t>(std::numeric_limits<std::int32_t>::max()), "too many rows");
    if (!rows) {
        expect(static_cast<size_t>(k) <= n, "k must not exceed the number of rows");
        return {};
    }
    expect(rows->shape(0) == n && queries->shape(0) == m, "groups must have one entry per row");
    std::vector<std::int32_t> sorted(rows->data(), rows->data() + n);
    std::sort(sorted.begin(), sorted.end());
    for (size_t q = 0; q < m; ++q) {
        const auto range = std::equal_range(sorted.begin(), sorted.end(), queries->data()[q]);
        expect(static_cast<index>(n) - (range.second - range.first) >= k,
               "k must not exceed the number of rows outside the query's group");
    }
    return {rows->data(), queries->data()};
}

static nb::tuple nearest_euclidean(In2C<double> rows, In2C<double> queries, index k, OptionalGroups row_groups,
                                   OptionalGroups query_groups, int n_jobs) {
    const size_t n = rows.shape(0), m = queries.shape(0), d = rows.shape(1);
    expect(queries.shape(1) == d, "rows and queries must have the same columns");
    const Groups2 groups = groups_of(row_groups, query_groups, n, m, k);
    for (const auto* x : {&rows, &queries})
        for (size_t i = 0; i < x->size(); ++i)
            expect(std::abs(x->data()[i]) < 1e150, "cells must be finite and below 1e150");
    std::vector<double> distance(m * static_cast<size_t>(k));
    std::vector<std::int32_t> row(distance.size());
    {
        StopToken stop(interrupts());
        const ReleasedGil released;
        EuclidSearch(rows.data(), static_cast<index>(n), static_cast<index>(d), k, groups, n_jobs)
            .find(queries.data(), static_cast<index>(m), distance.data(), row.data(), stop);
    }
    return nb::make_tuple(owned(distance, m, static_cast<size_t>(k)), owned(row, m, static_cast<size_t>(k)));
}

// How rows are compared, with the arrays held while native code reads them.
struct HeldMixture {
    In1<double> scale, weight, fill, differ, cost;
    In1<std::int32_t> levels;
    In1<std::int64_t> cost_start;
    Mixture mix;

    explicit HeldMixture(nb::handle from)
        : scale(field<In1<double>>(from, "scale")), weight(field<In1<double>>(from, "weight")),
          fill(field<In1<double>>(from, "fill")), differ(field<In1<double>>(from, "differ")),
          cost(field<In1<double>>(from, "cost")), levels(field<In1<std::int32_t>>(from, "levels")),
          cost_start(field<In1<std::int64_t>>(from, "cost_start")) {
        const size_t p = scale.shape(0), q = levels.shape(0);
        expect(weight.shape(0) == p + q && fill.shape(0) == p + q, "weight and fill must have one entry per column");
        expect(differ.shape(0) == q, "differ must have one entry per coded column");
        expect(cost_start.shape(0) == q + 1 && cost_start.data()[0] == 0,
               "cost_start must have one entry per coded column and one more");
        for (size_t j = 0; j < q; ++j) {
            expect(cost_start.data()[j] <= cost_start.data()[j + 1], "cost_start must not decrease");
            const std::int64_t size = cost_start.data()[j + 1] - cost_start.data()[j], l = levels.data()[j];
            expect(l >= 0 && (size == 0 || size == l * l), "a cost table must be levels x levels");
        }
        expect(static_cast<size_t>(cost_start.data()[q]) == cost.shape(0), "cost does not match cost_start");
        mix.n_numbers = static_cast<index>(p);
        mix.n_codes = static_cast<index>(q);
        mix.power = field<double>(from, "power");
        mix.cosine = field<bool>(from, "cosine");
        mix.leave_out = field<bool>(from, "leave_out");
        expect(mix.power > 0, "power must be above 0");
        mix.scale = scale.data();
        mix.weight = weight.data();
        mix.fill = fill.data();
        mix.differ = differ.data();
        mix.levels = levels.data();
        mix.cost_start = cost_start.data();
        mix.cost = cost.data();
    }
};

// Codes are -1 or a level; where there is a table they must lie inside it.
static MixedRows mixed_rows(const Mixture& mix, const In2C<double>& numbers, const In2C<std::int32_t>& codes) {
    expect(static_cast<index>(numbers.shape(1)) == mix.n_numbers && static_cast<index>(codes.shape(1)) == mix.n_codes,
           "columns do not match");
    expect(numbers.shape(0) == codes.shape(0), "numbers and codes must have the same rows");
    for (size_t i = 0; i < codes.shape(0); ++i)
        for (index j = 0; j < mix.n_codes; ++j) {
            const bool table = mix.cost_start[j + 1] > mix.cost_start[j];
            expect(!table || codes.data()[i * codes.shape(1) + static_cast<size_t>(j)] < mix.levels[j],
                   "code out of range");
        }
    return {numbers.data(), codes.data(), static_cast<index>(numbers.shape(0))};
}

static nb::tuple nearest_mixed_rows(nb::handle how, In2C<double> numbers, In2C<std::int32_t> codes,
                                    In2C<double> query_numbers, In2C<std::int32_t> query_codes, index k,
                                    OptionalGroups row_groups, OptionalGroups query_groups, int n_jobs) {
    const HeldMixture held(how);
    const MixedRows rows = mixed_rows(held.mix, numbers, codes),
                    queries = mixed_rows(held.mix, query_numbers, query_codes);
    const auto n = static_cast<size_t>(rows.rows), m = static_cast<size_t>(queries.rows);
    const Groups2 groups = groups_of(row_groups, query_groups, n, m, k);
    std::vector<double> distance(m * static_cast<size_t>(k));
    std::vector<std::int32_t> row(distance.size());
    {
        StopToken stop(interrupts());
        const ReleasedGil released;
        nearest_mixed(held.mix, rows, queries, k, groups, n_jobs, distance.data(), row.data(), stop);
    }
    return nb::make_tuple(owned(distance, m, static_cast<size_t>(k)), owned(row, m, static_cast<size_t>(k)));
}

static NeighbourLists lists_of(const In2C<std::int32_t>& row, const In2C<double>& distance, size_t n_rows) {
    expect(row.shape(0) == distance.shape(0) && row.shape(1) == distance.shape(1) && row.shape(1) > 0,
           "row and distance must match");
    for (size_t i = 0; i < row.size(); ++i)
        expect(row.data()[i] >= 0 && static_cast<size_t>(row.data()[i]) < n_rows, "neighbour out of range");
    return {static_cast<index>(row.shape(0)), static_cast<index>(row.shape(1)), row.data(), distance.data()};
}

static void bind_curves(nb::module_& m) {
    m.def(
        "vote_curve",
        [](In2C<std::int32_t> row, In2C<double> distance, In1<std::int32_t> label, std::optional<In1<double>> weight,
           In1<std::int32_t> truth, std::optional<In1<double>> truth_weight, index n_classes, int n_jobs) {
            const NeighbourLists lists = lists_of(row, distance, label.shape(0));
            expect_classes(label, static_cast<index>(label.shape(0)), n_classes);
            expect(truth.shape(0) == row.shape(0) && (!truth_weight || truth_weight->shape(0) == row.shape(0)),
                   "truth must have one entry per query");
            expect(!weight || weight->shape(0) == label.shape(0), "weight must have one entry per row");
            std::vector<double> right(3 * row.shape(1));
            {
                const ReleasedGil released;
                vote_curve(lists, label.data(), weight ? weight->data() : nullptr, truth.data(),
                           truth_weight ? truth_weight->data() : nullptr, n_classes, right.data(), n_jobs);
            }
            return owned(right, 3, row.shape(1));
        },
        "row"_a.noconvert(), "distance"_a.noconvert(), "label"_a.noconvert(), "weight"_a.noconvert().none(),
        "truth"_a.noconvert(), "truth_weight"_a.noconvert().none(), "n_classes"_a, "n_jobs"_a);
    m.def(
        "mean_curve",
        [](In2C<std::int32_t> row, In2C<double> distance, In1<double> target, std::optional<In1<double>> weight,
           In1<double> truth, std::optional<In1<double>> truth_weight, int n_jobs) {
            const NeighbourLists lists = lists_of(row, distance, target.shape(0));
            expect(truth.shape(0) == row.shape(0) && (!truth_weight || truth_weight->shape(0) == row.shape(0)),
                   "truth must have one entry per query");
            expect(!weight || weight->shape(0) == target.shape(0), "weight must have one entry per row");
            std::vector<double> loss(3 * row.shape(1));
            {
                const ReleasedGil released;
                mean_curve(lists, target.data(), weight ? weight->data() : nullptr, truth.data(),
                           truth_weight ? truth_weight->data() : nullptr, loss.data(), n_jobs);
            }
            return owned(loss, 3, row.shape(1));
        },
        "row"_a.noconvert(), "distance"_a.noconvert(), "target"_a.noconvert(), "weight"_a.noconvert().none(),
        "truth"_a.noconvert(), "truth_weight"_a.noconvert().none(), "n_jobs"_a);
}

void bind_neighbours(nb::module_& m) {
    m.def("nearest_euclidean", &nearest_euclidean, "rows"_a.noconvert(), "queries"_a.noconvert(), "k"_a,
          "row_groups"_a.noconvert().none(), "query_groups"_a.noconvert().none(), "n_jobs"_a);
    m.def("nearest_mixed", &nearest_mixed_rows, "how"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(),
          "query_numbers"_a.noconvert(), "query_codes"_a.noconvert(), "k"_a, "row_groups"_a.noconvert().none(),
          "query_groups"_a.noconvert().none(), "n_jobs"_a);
    m.def(
        "all_mixed",
        [](nb::handle how, In2C<double> numbers, In2C<std::int32_t> codes, In2C<double> query_numbers,
           In2C<std::int32_t> query_codes, int n_jobs) {
            const HeldMixture held(how);
            const MixedRows rows = mixed_rows(held.mix, numbers, codes),
                            queries = mixed_rows(held.mix, query_numbers, query_codes);
            const auto n = static_cast<size_t>(rows.rows), q = static_cast<size_t>(queries.rows);
            std::vector<double> out(n * q);
            {
                const ReleasedGil released;
                all_mixed(held.mix, rows, queries, n_jobs, out.data());
            }
            return owned(out, q, n);
        },
        "how"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "query_numbers"_a.noconvert(),
        "query_codes"_a.noconvert(), "n_jobs"_a);
    bind_curves(m);
}

}  // namespace mercer::bind
