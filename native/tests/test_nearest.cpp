#include "mercer/euclid.hpp"
#include "mercer/mixed_distance.hpp"

#include "check.hpp"

namespace mercer {

namespace {

std::vector<double> points(index n, index d) {
    std::vector<double> x(static_cast<std::size_t>(n * d));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i) * 1.37) * 10 + 1000;
    return x;
}

}  // namespace

TEST(the_k_smallest_are_kept_in_order_and_ties_go_to_the_lower_row) {
    Nearest nearest;
    nearest.start(3);
    const double distances[] = {5, 1, 4, 1, 3, 1};
    for (index r = 0; r < 6; ++r) nearest.offer(distances[r], r);
    double distance[3];
    std::int32_t row[3];
    nearest.finish(distance, row);
    CHECK(row[0] == 1 && row[1] == 3 && row[2] == 5);
    CHECK(distance[2] == 1.0);
}

TEST(euclidean_search_finds_what_every_pair_would) {
    const index n = 500, m = 40, d = 7, k = 5;
    const auto rows = points(n, d), queries = points(m, d);
    std::vector<double> distance(static_cast<std::size_t>(m * k)), expected(distance);
    std::vector<std::int32_t> row(distance.size()), wanted(distance.size());
    StopToken stop;
    EuclidSearch(rows.data(), n, d, k, {}, 2).find(queries.data(), m, distance.data(), row.data(), stop);
    for (index q = 0; q < m; ++q) {
        Nearest nearest;
        nearest.start(k);
        for (index r = 0; r < n; ++r) nearest.offer(squared_distance(&queries[q * d], &rows[r * d], d), r);
        nearest.finish(&expected[q * k], &wanted[q * k]);
    }
    CHECK(row == wanted);
    CHECK(distance == expected);
}

TEST(mixed_distances_add_numbers_and_mismatches) {
    const double scale[] = {2.0}, weight[] = {1.0, 1.0}, fill[] = {9.0, 9.0}, differ[] = {3.0};
    const std::int32_t levels[] = {2};
    const std::int64_t cost_start[] = {0, 0};
    Mixture mix;
    mix.n_numbers = mix.n_codes = 1;
    mix.power = 1;
    mix.scale = scale;
    mix.weight = weight;
    mix.fill = fill;
    mix.differ = differ;
    mix.levels = levels;
    mix.cost_start = cost_start;
    const double numbers[] = {0.0, 1.5, std::numeric_limits<double>::quiet_NaN()}, query[] = {1.0};
    const std::int32_t codes[] = {0, 1, 1}, query_code[] = {1};
    double out[3];
    all_mixed(mix, {numbers, codes, 3}, {query, query_code, 1}, 1, out);
    CHECK(out[0] == 2.0 + 3.0 && out[1] == 1.0 && out[2] == 9.0);  // a missing cell counts as fill
    mix.leave_out = true;
    all_mixed(mix, {numbers, codes, 3}, {query, query_code, 1}, 1, out);
    CHECK(out[2] == 0.0);  // only the category is compared, and it is equal
}

}  // namespace mercer
