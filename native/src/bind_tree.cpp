#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "mercer/tree_prune.hpp"
#include "mercer/tree_shapley.hpp"
#include "tree_arguments.hpp"

namespace mercer::bind {

static nb::dict as_dict(const tree::Flat& t, const std::vector<std::int32_t>& classes, size_t n_answers) {
    nb::dict out;
    out["column"] = line(t.column);
    out["kind"] = line(t.kind);
    out["threshold"] = line(t.threshold);
    out["first"] = line(t.first);
    out["branches"] = line(t.branches);
    out["level_start"] = line(t.level_start);
    out["level"] = line(t.level);
    out["branch"] = line(t.branch);
    out["missing_branch"] = line(t.missing_branch);
    out["classes"] = line(classes);
    out["answer"] = owned(t.answer, t.column.size(), n_answers);
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

static nb::dict grow_tree(nb::handle columns, nb::handle target, nb::handle options, int n_jobs) {
    Growth growth(columns, target, options);
    tree::Flat flat;
    {
        StopToken stop(interrupts());
        const ReleasedGil released;
        growth.code(n_jobs, stop);
        flat = tree::flatten(tree::grow(growth.data, growth.rules, n_jobs, stop), growth.n_answers);
    }
    return as_dict(flat, growth.classes, growth.n_answers);
}

static nb::list grow_forest(nb::handle columns, nb::handle target, nb::handle options,
                            std::optional<In2C<double>> weights, In1<std::uint64_t> seeds, int n_jobs) {
    Growth growth(columns, target, options);
    const std::vector<std::uint64_t> seed(seeds.data(), seeds.data() + seeds.shape(0));
    if (weights) {
        expect(weights->shape(0) == seed.size() && weights->shape(1) == growth.data.rows,
               "weights must have one entry per tree and row");
        for (size_t t = 0; t < seed.size(); ++t)
            expect_weights(weights->data() + t * growth.data.rows, growth.data.rows);
        growth.data.weight = weights->data();
    }
    std::vector<tree::Flat> forest;
    {
        StopToken stop(interrupts());
        const ReleasedGil released;
        growth.code(n_jobs, stop);
        forest = tree::grow_forest(growth.data, growth.rules, weights ? weights->data() : nullptr, seed,
                                   growth.n_answers, n_jobs, stop);
    }
    nb::list out;
    for (const tree::Flat& flat : forest) out.append(as_dict(flat, growth.classes, growth.n_answers));
    return out;
}

static tree::Outline outline(const In1<std::int32_t>& first, const In1<std::int32_t>& branches) {
    expect(first.shape(0) == branches.shape(0), "first and branches differ in length");
    const tree::Outline t{static_cast<index>(first.shape(0)), first.data(), branches.data()};
    expect(t.sound(), "Not a valid tree: children out of order");
    return t;
}

// Trees that were checked, with the arrays they point to, for many predictions.
struct ForestHandle {
    std::vector<Held> held;
    std::vector<std::int32_t> levels;
    std::vector<std::uint8_t> nominal;
    std::unique_ptr<tree::PackedForest> forest;

    void expect_like(const Table& table) const {
        const size_t codes = table.codes.shape(1);
        expect(static_cast<index>(table.numbers.shape(1)) == forest->shape().numbers && codes == levels.size() &&
                   std::equal(levels.begin(), levels.end(), table.levels.data()) &&
                   std::equal(nominal.begin(), nominal.end(), table.nominal.data()),
               "the columns are not those of the forest");
    }
};

// A handle on trees (a sequence of their arrays) over such columns.
static ForestHandle held_forest(nb::sequence trees, nb::handle columns, int missing, int n_jobs) {
    const Table table(columns);
    ForestHandle handle;
    for (nb::handle arrays : trees) handle.held.emplace_back(arrays);
    expect(!handle.held.empty(), "a forest needs at least one tree");
    handle.levels.assign(table.levels.data(), table.levels.data() + table.levels.shape(0));
    handle.nominal.assign(table.nominal.data(), table.nominal.data() + table.nominal.shape(0));
    tree::Shape shape = table.shape();
    shape.levels = handle.levels.data();
    shape.nominal = handle.nominal.data();
    std::vector<tree::Stored> stored;
    stored.reserve(handle.held.size());
    for (const Held& one : handle.held) stored.push_back(one.view());
    expect_trees(stored, shape, n_jobs);
    for (const tree::Stored& one : stored)
        expect(one.n_answers == stored[0].n_answers, "the trees differ in their answers");
    handle.forest = std::make_unique<tree::PackedForest>(std::move(stored), shape, missing_of(missing));
    return handle;
}

// The answers of the trees, summed, (rows, n_answers).
static auto forest_values(const ForestHandle& handle, nb::handle columns, int n_jobs) {
    const Table table(columns);
    handle.expect_like(table);
    const auto n_answers = static_cast<size_t>(handle.forest->n_answers());
    const Matrix<double> x = matrix(table.numbers);
    const Codes c = coded(table.codes);
    std::vector<double> out(cells(table.numbers.shape(0), n_answers), 0.0);
    {
        const ReleasedGil released;
        handle.forest->add(x, c, x.rows, out.data(), n_jobs);
    }
    return owned(out, table.numbers.shape(0), n_answers);
}

static void bind_growth(nb::module_& m) {
    m.def("grow_tree", &grow_tree, "columns"_a, "target"_a, "rules"_a, "n_jobs"_a);
    m.def("grow_forest", &grow_forest, "columns"_a, "target"_a, "rules"_a, "weights"_a.noconvert().none(),
          "seeds"_a.noconvert(), "n_jobs"_a);
    nb::class_<ForestHandle>(m, "Forest");
    m.def("held_forest", &held_forest, "trees"_a, "columns"_a, "missing"_a, "n_jobs"_a);
    m.def("forest_values", &forest_values, "forest"_a, "columns"_a, "n_jobs"_a);
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
        [](nb::handle arrays, nb::handle columns, int missing, int n_jobs) {
            const Table table(columns);
            const tree::Shape shape = table.shape();
            const Held held(arrays);
            const tree::Stored stored = checked(held, shape);
            const tree::Missing rule = missing_of(missing);
            const Matrix<double> x = matrix(table.numbers);
            const Codes c = coded(table.codes);
            std::vector<double> out(static_cast<size_t>(x.rows * stored.n_answers), 0.0);
            {
                const ReleasedGil released;
                tree::PackedForest({stored}, shape, rule).add(x, c, x.rows, out.data(), n_jobs);
            }
            return owned(out, static_cast<size_t>(x.rows), static_cast<size_t>(stored.n_answers));
        },
        "arrays"_a, "columns"_a, "missing"_a, "n_jobs"_a);
    m.def(
        "tree_leaves",
        [](nb::handle arrays, nb::handle columns, int missing, int n_jobs) {
            const Table table(columns);
            const tree::Shape shape = table.shape();
            const Held held(arrays);
            const tree::Stored stored = checked(held, shape);
            const tree::Missing rule = missing_of(missing);
            const Matrix<double> x = matrix(table.numbers);
            const Codes c = coded(table.codes);
            std::vector<std::int32_t> out(static_cast<size_t>(x.rows));
            {
                const ReleasedGil released;
                tree::leaves(stored, shape, x, c, x.rows, rule, out.data(), n_jobs);
            }
            return line(out);
        },
        "arrays"_a, "columns"_a, "missing"_a, "n_jobs"_a);
}

// Base of each answer, (answers,), and what each player adds to the answer of each row, (rows, players).
static nb::tuple way_shapley(In1<std::int32_t> parent, In1<std::int32_t> player, In1<double> share, In2C<double> row,
                             In1<std::int32_t> ends, In2C<double> answer, In1<std::int32_t> output, index n_players) {
    const size_t n = parent.shape(0), rows = row.shape(0);
    expect(n > 0 && parent.data()[0] == -1, "parents must come before their children, the root first");
    expect(player.shape(0) == n && share.shape(0) == n && row.shape(1) == n && ends.shape(0) == answer.shape(0) &&
               output.shape(0) == rows,
           "ways, rows and ends differ in length");
    expect(n_players >= 0 && n_players <= kMostCodes, "n_players out of range");
    for (size_t i = 1; i < n; ++i) {
        const std::int32_t above = parent.data()[i];
        expect(above >= 0 && static_cast<size_t>(above) < i, "parents must come before their children, the root first");
        expect(player.data()[above] >= 0 && player.data()[above] < n_players, "player out of range");
    }
    for (size_t e = 0; e < ends.shape(0); ++e)
        expect(ends.data()[e] >= 0 && static_cast<size_t>(ends.data()[e]) < n, "end out of range");
    const auto answers = static_cast<index>(answer.shape(1));
    for (size_t i = 0; i < rows; ++i)
        expect(output.data()[i] >= 0 && output.data()[i] < answers, "output out of range");
    const tree::Ways ways{parent.data(), player.data(), share.data(), static_cast<index>(n), n_players};
    const tree::Ends at{ends.data(), answer.data(), static_cast<index>(ends.shape(0)), answers};
    std::vector<double> base(static_cast<size_t>(answers)), values(cells(rows, static_cast<size_t>(n_players)));
    {
        const ReleasedGil released;
        tree::Shapley shapley(ways, at);
        shapley.base(base.data());
        for (size_t i = 0; i < rows; ++i)
            shapley.add(row.data() + i * n, output.data()[i], values.data() + i * static_cast<size_t>(n_players));
    }
    return nb::make_tuple(line(base), owned(values, rows, static_cast<size_t>(n_players)));
}

void bind_tree(nb::module_& m) {
    bind_growth(m);
    m.def("way_shapley", &way_shapley, "parent"_a.noconvert(), "player"_a.noconvert(), "share"_a.noconvert(),
          "row"_a.noconvert(), "ends"_a.noconvert(), "answer"_a.noconvert(), "output"_a.noconvert(), "n_players"_a);
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
