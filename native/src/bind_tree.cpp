#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "array.hpp"
#include "mercer/tree_predict.hpp"
#include "mercer/tree_prune.hpp"
#include "stopping.hpp"

namespace mercer::bind {

static Codes coded(const In2<std::int32_t>& codes) {
    return {codes.data(), static_cast<index>(codes.shape(0)), static_cast<index>(codes.shape(1)), codes.stride(0),
            codes.stride(1)};
}

static tree::Shape shape_of(const In2<double>& numbers, const In2<std::int32_t>& codes, const In1<std::int32_t>& levels,
                            const In1<std::uint8_t>& nominal) {
    expect(numbers.shape(0) == codes.shape(0), "numbers and codes must have the same rows");
    expect(levels.shape(0) == codes.shape(1) && nominal.shape(0) == codes.shape(1),
           "levels and nominal must have one entry per column of codes");
    for (size_t j = 0; j < levels.shape(0); ++j)
        expect(levels.data()[j] >= 0 && levels.data()[j] <= kMostCodes, "levels must be from 0 to 2^24");
    return {static_cast<index>(numbers.shape(1)), static_cast<index>(codes.shape(1)), levels.data(), nominal.data()};
}

static tree::Rules rules_of(nb::handle from) {
    tree::Rules rules;
    const int criterion = field<int>(from, "criterion");
    expect(criterion >= 0 && criterion <= 4, "unknown criterion");
    rules.criterion = static_cast<tree::Criterion>(criterion);
    rules.multiway = field<bool>(from, "multiway");
    rules.mdl = field<bool>(from, "mdl");
    rules.surrogate = field<bool>(from, "surrogate");
    rules.max_surrogates = field<int>(from, "max_surrogates");
    rules.max_depth = field<double>(from, "max_depth");
    rules.min_rows_split = field<double>(from, "min_rows_split");
    rules.min_rows_leaf = field<double>(from, "min_rows_leaf");
    rules.min_weight_leaf = field<double>(from, "min_weight_leaf");
    rules.min_gain = field<double>(from, "min_gain");
    rules.set_penalty = field<double>(from, "set_penalty");
    expect(rules.set_penalty >= 0, "set_penalty must not be negative");
    expect(rules.max_surrogates >= 0, "max_surrogates must not be negative");
    expect(rules.min_rows_leaf > 0, "min_rows_leaf must be positive");
    expect(!(rules.multiway && rules.surrogate), "surrogates need two-way tests");
    return rules;
}

static nb::dict as_dict(const tree::Flat& t, size_t width) {
    nb::dict out;
    out["column"] = line(t.column);
    out["kind"] = line(t.kind);
    out["threshold"] = line(t.threshold);
    out["first"] = line(t.first);
    out["branches"] = line(t.branches);
    out["level_start"] = line(t.level_start);
    out["level"] = line(t.level);
    out["branch"] = line(t.branch);
    out["value"] = owned(t.value, t.column.size(), width);
    out["rows"] = line(t.rows);
    out["weight"] = line(t.weight);
    out["impurity"] = line(t.impurity);
    out["surrogate_start"] = line(t.surrogate_start);
    out["surrogate_column"] = line(t.surrogate_column);
    out["surrogate_flip"] = line(t.surrogate_flip);
    out["surrogate_threshold"] = line(t.surrogate_threshold);
    out["surrogate_level_start"] = line(t.surrogate_level_start);
    out["surrogate_level"] = line(t.surrogate_level);
    out["surrogate_side"] = line(t.surrogate_side);
    return out;
}

// The arrays of a tree, held while native code reads them.
struct Held {
    In1<std::int32_t> column, first, branches, level, branch, surrogate_column, surrogate_level, surrogate_side;
    In1<std::uint8_t> kind, surrogate_flip;
    In1<double> threshold, weight, surrogate_threshold;
    In2C<double> value;
    In1<std::int64_t> level_start, surrogate_start, surrogate_level_start;

    explicit Held(const nb::handle& d) {
        column = field<In1<std::int32_t>>(d, "column");
        first = field<In1<std::int32_t>>(d, "first");
        branches = field<In1<std::int32_t>>(d, "branches");
        level = field<In1<std::int32_t>>(d, "level");
        branch = field<In1<std::int32_t>>(d, "branch");
        surrogate_column = field<In1<std::int32_t>>(d, "surrogate_column");
        surrogate_level = field<In1<std::int32_t>>(d, "surrogate_level");
        surrogate_side = field<In1<std::int32_t>>(d, "surrogate_side");
        kind = field<In1<std::uint8_t>>(d, "kind");
        surrogate_flip = field<In1<std::uint8_t>>(d, "surrogate_flip");
        threshold = field<In1<double>>(d, "threshold");
        weight = field<In1<double>>(d, "weight");
        surrogate_threshold = field<In1<double>>(d, "surrogate_threshold");
        value = field<In2C<double>>(d, "value");
        level_start = field<In1<std::int64_t>>(d, "level_start");
        surrogate_start = field<In1<std::int64_t>>(d, "surrogate_start");
        surrogate_level_start = field<In1<std::int64_t>>(d, "surrogate_level_start");
        const size_t n = column.shape(0), m = surrogate_column.shape(0);
        expect(first.shape(0) == n && branches.shape(0) == n && kind.shape(0) == n && threshold.shape(0) == n &&
                   weight.shape(0) == n && value.shape(0) == n && level_start.shape(0) == n + 1 &&
                   surrogate_start.shape(0) == n + 1,
               "tree arrays differ in length");
        expect(branch.shape(0) == level.shape(0) && surrogate_side.shape(0) == surrogate_level.shape(0) &&
                   surrogate_flip.shape(0) == m && surrogate_threshold.shape(0) == m &&
                   surrogate_level_start.shape(0) == m + 1,
               "tree arrays differ in length");
    }

    tree::Stored view() const {
        tree::Stored t;
        t.nodes = static_cast<index>(column.shape(0));
        t.width = static_cast<index>(value.shape(1));
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
        t.value = value.data();
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

static nb::dict grow_tree(In2<double> numbers, In2<std::int32_t> codes, In1<std::int32_t> levels,
                          In1<std::uint8_t> nominal, std::optional<In1<std::int32_t>> classes,
                          std::optional<In1<double>> target, std::optional<In1<double>> weight, int n_classes,
                          int max_bins, nb::handle options, int n_jobs) {
    const tree::Shape shape = shape_of(numbers, codes, levels, nominal);
    const tree::Rules rules = rules_of(options);
    tree::Data data;
    data.rows = numbers.shape(0);
    const bool regress = rules.criterion == tree::Criterion::squared;
    expect(data.rows > 0 && data.rows < UINT32_MAX, "a tree needs at least one row");
    expect(regress ? target.has_value() : classes.has_value(),
           "squared error needs target, the other criteria need classes");
    expect(max_bins == 0 || max_bins >= 2, "max_bins must be 0 or at least 2");
    if (regress) {
        expect(target->shape(0) == data.rows, "target must have one entry per row");
        for (size_t i = 0; i < data.rows; ++i) expect(std::isfinite(target->data()[i]), "target must be finite");
        data.target = target->data();
    } else {
        expect_classes(*classes, static_cast<index>(data.rows), n_classes);
        data.label = classes->data();
        data.classes = n_classes;
    }
    if (weight) {
        expect(weight->shape(0) == data.rows, "weight must have one entry per row");
        double sum = 0;
        for (size_t i = 0; i < data.rows; ++i) {
            expect(weight->data()[i] >= 0 && std::isfinite(weight->data()[i]),
                   "weight must be finite and not negative");
            sum += weight->data()[i];
        }
        expect(sum > 0 && std::isfinite(sum), "weight must have a positive, finite sum");
        data.weight = weight->data();
    }
    const Matrix<double> x = matrix(numbers);
    const Codes c = coded(codes);
    const size_t width = static_cast<size_t>(std::max(data.classes, 1));
    tree::Flat flat;
    {
        StopToken stop(interrupts());
        const ReleasedGil released;
        data.columns =
            tree::code_columns(x, c, shape.levels, shape.nominal, static_cast<std::uint32_t>(max_bins), n_jobs, stop);
        for (const auto& column : data.columns) data.missing |= column.missing;
        flat = tree::flatten(tree::grow(data, rules, n_jobs, stop), width);
    }
    return as_dict(flat, width);
}

static tree::Stored checked(const Held& held, const tree::Shape& shape) {
    const tree::Stored stored = held.view();
    const std::string why = tree::fault(stored, shape);
    if (!why.empty()) throw std::invalid_argument("Not a valid tree: " + why);
    return stored;
}

static tree::Outline outline(const In1<std::int32_t>& first, const In1<std::int32_t>& branches) {
    expect(first.shape(0) == branches.shape(0), "first and branches differ in length");
    const tree::Outline t{static_cast<index>(first.shape(0)), first.data(), branches.data()};
    expect(t.sound(), "Not a valid tree: children out of order");
    return t;
}

static void bind_growth(nb::module_& m) {
    m.def("grow_tree", &grow_tree, "numbers"_a.noconvert(), "codes"_a.noconvert(), "levels"_a.noconvert(),
          "nominal"_a.noconvert(), "classes"_a.noconvert().none(), "target"_a.noconvert().none(),
          "weight"_a.noconvert().none(), "n_classes"_a, "max_bins"_a, "options"_a, "n_jobs"_a);
    m.def(
        "check_tree",
        [](nb::handle arrays, index n_numbers, In1<std::int32_t> levels, In1<std::uint8_t> nominal) {
            expect(n_numbers >= 0 && n_numbers <= INT32_MAX, "columns are numbered by 32 bits");
            expect(levels.shape(0) == nominal.shape(0), "levels and nominal must have one entry per column of codes");
            checked(Held(arrays), {n_numbers, static_cast<index>(levels.shape(0)), levels.data(), nominal.data()});
        },
        "arrays"_a, "n_numbers"_a, "levels"_a.noconvert(), "nominal"_a.noconvert());
    m.def(
        "tree_values",
        [](nb::handle arrays, In2<double> numbers, In2<std::int32_t> codes, In1<std::int32_t> levels,
           In1<std::uint8_t> nominal, bool surrogate, int n_jobs) {
            const tree::Shape shape = shape_of(numbers, codes, levels, nominal);
            const Held held(arrays);
            const tree::Stored stored = checked(held, shape);
            const Matrix<double> x = matrix(numbers);
            const Codes c = coded(codes);
            std::vector<double> out(static_cast<size_t>(x.rows * stored.width), 0.0);
            {
                const ReleasedGil released;
                tree::predict(stored, shape, x, c, x.rows, surrogate, out.data(), n_jobs);
            }
            return owned(out, static_cast<size_t>(x.rows), static_cast<size_t>(stored.width));
        },
        "arrays"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "levels"_a.noconvert(), "nominal"_a.noconvert(),
        "surrogate"_a, "n_jobs"_a);
    m.def(
        "tree_leaves",
        [](nb::handle arrays, In2<double> numbers, In2<std::int32_t> codes, In1<std::int32_t> levels,
           In1<std::uint8_t> nominal, bool surrogate, int n_jobs) {
            const tree::Shape shape = shape_of(numbers, codes, levels, nominal);
            const Held held(arrays);
            const tree::Stored stored = checked(held, shape);
            const Matrix<double> x = matrix(numbers);
            const Codes c = coded(codes);
            std::vector<std::int32_t> out(static_cast<size_t>(x.rows));
            {
                const ReleasedGil released;
                tree::leaves(stored, shape, x, c, x.rows, surrogate, out.data(), n_jobs);
            }
            return line(out);
        },
        "arrays"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "levels"_a.noconvert(), "nominal"_a.noconvert(),
        "surrogate"_a, "n_jobs"_a);
}

void bind_tree(nb::module_& m) {
    bind_growth(m);
    m.def(
        "cheaper_as_leaf",
        [](In1<std::int32_t> first, In1<std::int32_t> branches, In1<double> cost, double slack) {
            const tree::Outline t = outline(first, branches);
            expect(static_cast<index>(cost.shape(0)) == t.nodes, "cost must have one entry per node");
            std::vector<std::uint8_t> cut(static_cast<size_t>(t.nodes));
            tree::cheaper_as_leaf(t, cost.data(), slack, cut.data());
            return line(cut);
        },
        "first"_a.noconvert(), "branches"_a.noconvert(), "cost"_a.noconvert(), "slack"_a);
    m.def(
        "weakest_links",
        [](In1<std::int32_t> first, In1<std::int32_t> branches, In1<double> cost) {
            const tree::Outline t = outline(first, branches);
            expect(static_cast<index>(cost.shape(0)) == t.nodes, "cost must have one entry per node");
            const tree::WeakestLinks links(t, cost.data());
            return nb::make_tuple(line(links.alpha), line(links.gain), line(links.leaves), line(links.on_path));
        },
        "first"_a.noconvert(), "branches"_a.noconvert(), "cost"_a.noconvert());
    m.def(
        "still_reached",
        [](In1<std::int32_t> first, In1<std::int32_t> branches, In1<std::uint8_t> cut) {
            const tree::Outline t = outline(first, branches);
            expect(static_cast<index>(cut.shape(0)) == t.nodes, "cut must have one entry per node");
            std::vector<std::uint8_t> keep(static_cast<size_t>(t.nodes));
            tree::still_reached(t, cut.data(), keep.data());
            return line(keep);
        },
        "first"_a.noconvert(), "branches"_a.noconvert(), "cut"_a.noconvert());
}

}  // namespace mercer::bind
