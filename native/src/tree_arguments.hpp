// What trees are grown on and by, and trees themselves: read from Python objects, every value checked.
#pragma once

#include <optional>

#include "array.hpp"
#include "mercer/tree_forest.hpp"
#include "stopping.hpp"

namespace mercer::bind {

inline Codes coded(const In2<std::int32_t>& codes) {
    return {codes.data(), static_cast<index>(codes.shape(0)), static_cast<index>(codes.shape(1)), codes.stride(0),
            codes.stride(1)};
}

// Columns as `mercer.solvers.tree.tree.Columns` holds them.
struct Table {
    In2<double> numbers;
    In2<std::int32_t> codes;
    In1<std::int32_t> levels;
    In1<std::uint8_t> nominal;

    explicit Table(const nb::handle& from)
        : numbers(field<In2<double>>(from, "numbers")), codes(field<In2<std::int32_t>>(from, "codes")),
          levels(field<In1<std::int32_t>>(from, "levels")), nominal(field<In1<std::uint8_t>>(from, "nominal")) {
        expect(numbers.shape(0) == codes.shape(0), "numbers and codes must have the same rows");
        expect(levels.shape(0) == codes.shape(1) && nominal.shape(0) == codes.shape(1),
               "levels and nominal must have one entry per column of codes");
        for (size_t j = 0; j < levels.shape(0); ++j)
            expect(levels.data()[j] >= 0 && levels.data()[j] <= kMostCodes, "levels must be from 0 to 2^24");
    }
    tree::Shape shape() const {
        return {static_cast<index>(numbers.shape(1)), static_cast<index>(codes.shape(1)), levels.data(),
                nominal.data()};
    }
};

inline tree::Missing missing_of(int missing) {
    expect(missing >= 0 && missing <= 2, "unknown rule for missing cells");
    return static_cast<tree::Missing>(missing);
}

inline std::vector<std::int8_t> signs(const In1<std::int8_t>& given, const Table& table) {
    const size_t numbers = table.numbers.shape(1), columns = numbers + table.codes.shape(1);
    if (given.shape(0) == 0) return {};
    expect(given.shape(0) == columns, "monotone must have one entry per column");
    for (size_t j = 0; j < columns; ++j) {
        expect(given.data()[j] >= -1 && given.data()[j] <= 1, "monotone must be -1, 0 or 1");
        expect(j < numbers || !table.nominal.data()[j - numbers] || given.data()[j] == 0,
               "categories have no order to be monotone in");
    }
    return {given.data(), given.data() + columns};
}

inline tree::Rules rules_of(nb::handle from, const Table& table) {
    tree::Rules rules;
    const int criterion = field<int>(from, "criterion");
    expect(criterion >= 0 && criterion <= 6, "unknown criterion");
    rules.criterion = static_cast<tree::Criterion>(criterion);
    rules.missing = missing_of(field<int>(from, "missing"));
    rules.multiway = field<bool>(from, "multiway");
    rules.mdl = field<bool>(from, "mdl");
    rules.random = field<bool>(from, "random");
    rules.shuffle = field<bool>(from, "shuffle");
    rules.max_surrogates = field<int>(from, "max_surrogates");
    rules.max_columns = field<std::int64_t>(from, "max_columns");
    rules.max_leaves = field<std::int64_t>(from, "max_leaves");
    rules.seed = field<std::uint64_t>(from, "seed");
    rules.max_depth = field<double>(from, "max_depth");
    rules.min_rows_split = field<double>(from, "min_rows_split");
    rules.min_rows_leaf = field<double>(from, "min_rows_leaf");
    rules.min_weight_leaf = field<double>(from, "min_weight_leaf");
    rules.min_gain = field<double>(from, "min_gain");
    rules.set_penalty = field<double>(from, "set_penalty");
    rules.monotone = signs(field<In1<std::int8_t>>(from, "monotone"), table);
    const auto constant = field<In1<std::int32_t>>(from, "constant");
    rules.constant.assign(constant.data(), constant.data() + constant.shape(0));
    std::sort(rules.constant.begin(), rules.constant.end());
    expect(rules.set_penalty >= 0, "set_penalty must not be negative");
    expect(rules.max_surrogates >= 0, "max_surrogates must not be negative");
    expect(rules.max_columns >= 0 && rules.max_leaves >= 0, "max_columns and max_leaves must not be negative");
    expect(rules.min_rows_leaf > 0, "min_rows_leaf must be positive");
    expect(!rules.multiway || rules.missing != tree::Missing::surrogate, "surrogates need two-way tests");
    expect(!rules.multiway || rules.monotone.empty(), "monotone answers need two-way tests");
    return rules;
}

// The arrays of a tree, held while native code reads them.
struct Held {
    In1<std::int32_t> column, first, branches, level, branch, missing_branch, classes;
    In1<std::int32_t> surrogate_column, surrogate_level, surrogate_side;
    In1<std::uint8_t> kind, surrogate_flip;
    In1<double> threshold, rows, weight, surrogate_threshold;
    In2C<double> answer;
    In1<std::int64_t> level_start, surrogate_start, surrogate_level_start;

    explicit Held(const nb::handle& d) {
        column = field<In1<std::int32_t>>(d, "column");
        first = field<In1<std::int32_t>>(d, "first");
        branches = field<In1<std::int32_t>>(d, "branches");
        level = field<In1<std::int32_t>>(d, "level");
        branch = field<In1<std::int32_t>>(d, "branch");
        missing_branch = field<In1<std::int32_t>>(d, "missing_branch");
        classes = field<In1<std::int32_t>>(d, "classes");
        surrogate_column = field<In1<std::int32_t>>(d, "surrogate_column");
        surrogate_level = field<In1<std::int32_t>>(d, "surrogate_level");
        surrogate_side = field<In1<std::int32_t>>(d, "surrogate_side");
        kind = field<In1<std::uint8_t>>(d, "kind");
        surrogate_flip = field<In1<std::uint8_t>>(d, "surrogate_flip");
        threshold = field<In1<double>>(d, "threshold");
        rows = field<In1<double>>(d, "rows");
        weight = field<In1<double>>(d, "weight");
        surrogate_threshold = field<In1<double>>(d, "surrogate_threshold");
        answer = field<In2C<double>>(d, "answer");
        level_start = field<In1<std::int64_t>>(d, "level_start");
        surrogate_start = field<In1<std::int64_t>>(d, "surrogate_start");
        surrogate_level_start = field<In1<std::int64_t>>(d, "surrogate_level_start");
        const size_t n = column.shape(0), m = surrogate_column.shape(0);
        expect(first.shape(0) == n && branches.shape(0) == n && kind.shape(0) == n && threshold.shape(0) == n &&
                   weight.shape(0) == n && rows.shape(0) == n && missing_branch.shape(0) == n && answer.shape(0) == n &&
                   level_start.shape(0) == n + 1 && surrogate_start.shape(0) == n + 1,
               "tree arrays differ in length");
        expect(branch.shape(0) == level.shape(0) && surrogate_side.shape(0) == surrogate_level.shape(0) &&
                   surrogate_flip.shape(0) == m && surrogate_threshold.shape(0) == m &&
                   surrogate_level_start.shape(0) == m + 1,
               "tree arrays differ in length");
    }

    tree::Stored view() const {
        tree::Stored t;
        t.nodes = static_cast<index>(column.shape(0));
        t.n_answers = static_cast<index>(answer.shape(1));
        t.n_outputs = static_cast<index>(classes.shape(0));
        t.n_levels = static_cast<index>(level.shape(0));
        t.n_surrogates = static_cast<index>(surrogate_column.shape(0));
        t.n_surrogate_levels = static_cast<index>(surrogate_level.shape(0));
        t.column = column.data();
        t.first = first.data();
        t.branches = branches.data();
        t.level = level.data();
        t.branch = branch.data();
        t.kind = kind.data();
        t.threshold = threshold.data();
        t.missing_branch = missing_branch.data();
        t.classes = classes.data();
        t.answer = answer.data();
        t.rows = rows.data();
        t.weight = weight.data();
        t.level_start = level_start.data();
        t.surrogate_start = surrogate_start.data();
        t.surrogate_level_start = surrogate_level_start.data();
        t.surrogate_column = surrogate_column.data();
        t.surrogate_level = surrogate_level.data();
        t.surrogate_side = surrogate_side.data();
        t.surrogate_flip = surrogate_flip.data();
        t.surrogate_threshold = surrogate_threshold.data();
        return t;
    }
};

inline void expect_trees(const std::vector<tree::Stored>& trees, const tree::Shape& shape, int n_jobs) {
    std::vector<std::string> why(trees.size());
    {
        const ReleasedGil released;
        parallel_for(static_cast<index>(trees.size()), n_jobs,
                     [&](index t) { why[static_cast<size_t>(t)] = tree::fault(trees[static_cast<size_t>(t)], shape); });
    }
    for (const std::string& one : why)
        if (!one.empty()) throw std::invalid_argument("Not a valid tree: " + one);
}

inline tree::Stored checked(const Held& held, const tree::Shape& shape) {
    const tree::Stored stored = held.view();
    expect_trees({stored}, shape, 1);
    return stored;
}

inline void expect_weights(const double* weight, size_t rows) {
    double sum = 0;
    for (size_t i = 0; i < rows; ++i) {
        expect(weight[i] >= 0 && std::isfinite(weight[i]), "weight must be finite and not negative");
        sum += weight[i];
    }
    expect(sum > 0 && std::isfinite(sum), "weight must have a positive, finite sum");
}

// What is predicted, as `mercer.solvers.tree.grow.Target` holds it: codes of classes or numbers, (rows, outputs).
struct Target {
    In1<std::int32_t> classes;  // how many of each output; all 0 for numbers
    std::optional<In2C<std::int32_t>> labels;
    std::optional<In2C<double>> numbers;
    std::optional<In1<double>> weight;

    explicit Target(const nb::handle& from)
        : classes(field<In1<std::int32_t>>(from, "classes")),
          labels(optional_field<In2C<std::int32_t>>(from, "labels")),
          numbers(optional_field<In2C<double>>(from, "numbers")), weight(optional_field<In1<double>>(from, "weight")) {}

    void read(tree::Data& data, const tree::Rules& rules) const {
        expect(data.rows > 0 && data.rows < UINT32_MAX, "a tree needs at least one row");
        expect(classes.shape(0) > 0 && classes.shape(0) <= kMostCodes, "a tree needs at least one output");
        data.outputs = static_cast<int>(classes.shape(0));
        expect(rules.regresses() ? numbers.has_value() : labels.has_value(),
               "errors of numbers need numbers, the other criteria need labels");
        if (rules.regresses()) read_numbers(data, rules);
        else read_labels(data);
        if (weight) read_weight(data);
    }

private:
    void read_numbers(tree::Data& data, const tree::Rules& rules) const {
        expect(numbers->shape(0) == data.rows && numbers->shape(1) == classes.shape(0),
               "numbers must have one entry per row and output");
        const bool poisson = rules.criterion == tree::Criterion::poisson;
        for (size_t i = 0; i < numbers->size(); ++i) {
            expect(std::isfinite(numbers->data()[i]), "numbers must be finite");
            expect(!poisson || numbers->data()[i] >= 0, "numbers must not be negative under the Poisson criterion");
        }
        expect(rules.monotone.empty() || data.outputs == 1, "monotone answers need one output");
        data.target = numbers->data();
    }

    void read_labels(tree::Data& data) const {
        const size_t outputs = classes.shape(0);
        expect(labels->shape(0) == data.rows && labels->shape(1) == outputs,
               "labels must have one entry per row and output");
        for (size_t k = 0; k < outputs; ++k) {
            expect(classes.data()[k] > 0 && classes.data()[k] <= kMostCodes, "classes must be from 1 to 2^24");
            data.classes.push_back(classes.data()[k]);
        }
        for (size_t i = 0; i < labels->size(); ++i) {
            const std::int32_t label = labels->data()[i];
            expect(label >= 0 && label < classes.data()[i % outputs], "class code out of range");
        }
        data.label = labels->data();
    }

    void read_weight(tree::Data& data) const {
        expect(weight->shape(0) == data.rows, "weight must have one entry per row");
        expect_weights(weight->data(), data.rows);
        data.weight = weight->data();
    }
};

// What trees are grown on and by, checked; the columns are coded later, without the GIL.
struct Growth {
    const Table table;
    const Target target;
    const tree::Rules rules;
    const int max_bins;
    tree::Data data;
    std::vector<std::int32_t> classes;
    size_t n_answers;

    Growth(nb::handle columns, nb::handle given, nb::handle options)
        : table(columns), target(given), rules(rules_of(options, table)), max_bins(field<int>(options, "max_bins")) {
        expect(max_bins == 0 || max_bins >= 2, "max_bins must be 0 or at least 2");
        data.rows = table.numbers.shape(0);
        target.read(data, rules);
        expect(rules.monotone.empty() || data.classes.empty() || (data.outputs == 1 && data.classes[0] == 2),
               "monotone answers need two classes, or numbers");
        classes.assign(static_cast<size_t>(data.outputs), 0);
        std::copy(data.classes.begin(), data.classes.end(), classes.begin());
        n_answers = static_cast<size_t>(tree::channels_of(data.classes, data.outputs, false).n_answers());
    }

    void code(int n_jobs, StopToken& stop) {
        data.columns = std::make_shared<std::vector<tree::Column>>(
            tree::code_columns(matrix(table.numbers), coded(table.codes), table.levels.data(), table.nominal.data(),
                               static_cast<std::uint32_t>(max_bins), n_jobs, stop));
        for (const auto& column : *data.columns) data.missing |= column.missing;
    }
};

}  // namespace mercer::bind
