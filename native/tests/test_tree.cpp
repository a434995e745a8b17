#include "mercer/tree_predict.hpp"
#include "mercer/tree_prune.hpp"

#include "check.hpp"

namespace mercer::tree {

namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

// One numeric column, one category of three levels, two classes.
struct Table {
    std::vector<double> number;
    std::vector<std::int32_t> code, label;
    std::vector<std::int32_t> levels = {3};
    std::vector<std::uint8_t> nominal = {1};

    index rows() const { return static_cast<index>(label.size()); }
    Matrix<double> numbers() const { return {number.data(), rows(), 1, 1, 1}; }
    Codes codes() const { return {code.data(), rows(), 1, 1, 1}; }
    Shape shape() const { return {1, 1, levels.data(), nominal.data()}; }

    Flat grow_with(const Rules& rules, int n_jobs = 1) const {
        Data data;
        StopToken stop;
        data.rows = label.size();
        data.classes = {2};
        data.label = label.data();
        data.columns = std::make_shared<std::vector<Column>>(
            code_columns(numbers(), codes(), levels.data(), nominal.data(), 0, n_jobs, stop));
        for (const Column& column : *data.columns) data.missing |= column.missing;
        return flatten(grow(data, rules, n_jobs, stop), 2);
    }
};

}  // namespace

// Class 1 from 3 on: the threshold is halfway between 2 and 3, and both leaves are pure.
TEST(a_number_is_cut_halfway_between_the_classes) {
    const Table table{{0, 1, 2, 3, 4, 5}, {0, 1, 2, 0, 1, 2}, {0, 0, 0, 1, 1, 1}};
    const Flat tree = table.grow_with({});
    CHECK(tree.kind.size() == 3);
    CHECK(tree.column[0] == 0 && tree.kind[0] == static_cast<std::uint8_t>(Kind::threshold));
    CHECK(tree.threshold[0] == 2.5);
    CHECK(check::near(tree.impurity[0], 0.5, 1e-12));
    CHECK(tree.impurity[1] == 0.0 && tree.impurity[2] == 0.0);
    CHECK((tree.answer == std::vector<double>{0.5, 0.5, 1, 0, 0, 1}));
}

TEST(a_category_is_split_into_two_sets_or_a_branch_per_level) {
    const Table table{{0, 0, 0, 0, 0, 0}, {0, 0, 1, 1, 2, 2}, {0, 0, 1, 1, 0, 0}};
    const Flat two = table.grow_with({});
    CHECK(two.kind[0] == static_cast<std::uint8_t>(Kind::subset));
    CHECK((two.level == std::vector<std::int32_t>{0, 1, 2}));
    CHECK((two.branch == std::vector<std::int32_t>{0, 1, 0}));
    Rules rules;
    rules.multiway = true;
    rules.criterion = Criterion::entropy;
    const Flat three = table.grow_with(rules);
    CHECK(three.branches[0] == 3 && three.kind.size() == 4);
    CHECK(check::near(three.impurity[0], 0.9182958340544896, 1e-12));  // of shares 1/3 and 2/3, in bits
}

TEST(a_missing_cell_goes_where_it_gains) {
    const Table table{{0, 1, 2, 3, 4, kNan}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 0}};
    const Flat tree = table.grow_with({});
    CHECK(tree.kind.size() == 3 && tree.missing_branch[0] == 0);
    CHECK(tree.rows[1] == 4 && tree.rows[2] == 2);
    const Table alone{{0, 1, 2, 3, kNan, kNan}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 1}};
    const Flat missing_or_not = alone.grow_with({});
    CHECK(std::isinf(missing_or_not.threshold[0]) && missing_or_not.missing_branch[0] == 1);
    CHECK(missing_or_not.rows[1] == 4 && missing_or_not.impurity[1] == 0.0);
}

TEST(a_missing_cell_goes_down_every_branch_in_fractions) {
    const Table table{{0, 1, 2, 3, 4, kNan}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 1}};
    Rules rules;
    rules.missing = Missing::fraction;
    const Flat tree = table.grow_with(rules);
    CHECK(tree.threshold[0] == 2.5);
    CHECK(check::near(tree.weight[1], 3.6, 1e-12) && check::near(tree.weight[2], 2.4, 1e-12));
}

TEST(limits_stop_the_growth) {
    const Table table{{0, 1, 2, 3, 4, 5}, {0, 0, 0, 0, 0, 0}, {0, 1, 0, 1, 0, 1}};
    Rules rules;
    rules.max_depth = 1;
    CHECK(table.grow_with(rules).kind.size() == 3);
    rules.min_rows_split = 7;
    CHECK(table.grow_with(rules).kind.size() == 1);
}

TEST(the_node_that_gains_most_is_split_next) {
    // Below the first test, the right side holds more of both classes than the left.
    const Table table{{0, 1, 2, 3, 10, 11, 12, 13}, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 1, 0, 0}};
    Rules rules;
    rules.max_leaves = 3;
    const Flat tree = table.grow_with(rules);
    CHECK(tree.kind.size() == 5 && tree.impurity[3] == 0.0 && tree.impurity[4] == 0.0);
}

TEST(threads_grow_the_same_tree) {
    Table table;
    for (int i = 0; i < 20000; ++i) {
        table.number.push_back(std::sin(i * 0.37) * 100);
        table.code.push_back(i % 3);
        table.label.push_back((std::sin(i * 0.37) > 0.3) != (i % 7 == 0));
    }
    Rules rules;
    rules.max_depth = 6;
    const Flat one = table.grow_with(rules, 1), many = table.grow_with(rules, 3);
    CHECK(one.kind == many.kind && one.threshold == many.threshold && one.answer == many.answer);
}

TEST(weakest_links_collapse_the_cheapest_node_first) {
    // 0 -> 1, 2; 1 -> 3, 4. Costs: collapsing 1 adds 0.1 for one leaf, then 0 adds 0.5 for one more.
    const std::vector<std::int32_t> first = {1, 3, -1, -1, -1}, branches = {2, 2, 0, 0, 0};
    const std::vector<double> cost = {1.0, 0.3, 0.2, 0.1, 0.1};
    const Outline outline{5, first.data(), branches.data()};
    CHECK(outline.sound());
    const WeakestLinks links(outline, cost.data());
    CHECK(check::near(links.alpha[1], 0.1, 1e-12) && check::near(links.alpha[0], 0.5, 1e-12));
    CHECK(links.on_path[0] && links.on_path[1]);
}

}  // namespace mercer::tree
