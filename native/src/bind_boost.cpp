#include <nanobind/stl/optional.h>

#include "boost_arguments.hpp"
#include "mercer/boost_chunk.hpp"
#include "mercer/boost_predict.hpp"
#include "mercer/boost_rounds.hpp"
#include "mercer/counts.hpp"
#include "stopping.hpp"

namespace mercer::bind {

// Bins of all cells, (rows, columns): `edges` and `levels` hold those of all columns one after the other, each from its
// `start` on.
static void bin_cells(In2<double> numbers, In2<std::int32_t> codes, In1<double> edges, In1<std::int64_t> edge_start,
                      In1<std::uint8_t> levels, In1<std::int64_t> level_start, InOut2<std::uint8_t> out, int n_jobs) {
    const size_t p = numbers.shape(1), q = codes.shape(1);
    expect(edge_start.shape(0) == p + 1 && level_start.shape(0) == q + 1, "one start per column, and the end");
    expect(numbers.shape(0) == codes.shape(0) && out.shape(0) == numbers.shape(0) && out.shape(1) == p + q,
           "numbers, codes and out must have the same rows, and out a column for each of theirs");
    boost::Binning how;
    const auto part = [](const In1<std::int64_t>& start, size_t j, size_t size) {
        const std::int64_t a = start.data()[j], b = start.data()[j + 1];
        expect(a >= 0 && a <= b && static_cast<size_t>(b) <= size, "starts out of range");
        return std::pair<index, index>(a, b - a);
    };
    for (size_t j = 0; j < p; ++j) {
        const auto [first, n] = part(edge_start, j, edges.shape(0));
        expect(n <= boost::kMostEdges, "more than 254 edges");
        how.edges.emplace_back(edges.data() + first, n);
    }
    for (size_t j = 0; j < q; ++j) {
        const auto [first, n] = part(level_start, j, levels.shape(0));
        expect(n >= 1, "levels must hold the bin of missing cells");
        how.levels.push_back(levels.data() + first);
        how.n_levels.push_back(n - 1);
    }
    const Codes coded{codes.data(), static_cast<index>(codes.shape(0)), static_cast<index>(q), codes.stride(0),
                      codes.stride(1)};
    const ReleasedGil released;
    boost::bin_rows(matrix(numbers), coded, how, out.data(), n_jobs);
}

// The rows of a tree, not copied.
static Out1<std::uint32_t> moved(std::vector<std::uint32_t>& from) {
    auto* held = new std::vector<std::uint32_t>(std::move(from));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<std::uint32_t>*>(p); });
    return Out1<std::uint32_t>(held->data(), {held->size()}, owner);
}

static nb::dict nodes_of(const boost::Grown& g) {
    nb::dict out;
    out["column"] = line(g.column);
    out["left"] = line(g.left);
    out["right"] = line(g.right);
    out["cut"] = line(g.cut);
    out["missing_left"] = line(g.missing_left);
    out["set"] = line(g.set);
    out["left_bins"] = owned(g.left_bins, g.left_bins.size() / 4, 4);
    out["value"] = line(g.value);
    out["gain"] = line(g.gain);
    out["hessian"] = line(g.hessian);
    out["rows"] = line(g.rows);
    return out;
}

static nb::dict boost_tree(nb::handle tiles, In1<double> gradient, In1<double> hessian,
                           std::optional<In1<std::uint32_t>> count, std::optional<In1<std::uint32_t>> rows,
                           nb::handle rules, int n_jobs) {
    HeldBytes held;
    const boost::Data data = data_of(tiles, held);
    const boost::Rules chosen = boost_rules(rules, data.columns.size());
    const auto n = static_cast<size_t>(data.rows);
    expect(gradient.shape(0) == n && hessian.shape(0) == n && (!count || count->shape(0) == n),
           "gradient, hessian and count must have one entry per row");
    std::vector<std::uint32_t> order;
    if (rows) {
        order.assign(rows->data(), rows->data() + rows->shape(0));
        for (const std::uint32_t r : order) expect(r < n, "row out of range");
        expect(!order.empty(), "a tree needs at least one row");
    } else {
        order.resize(n);
        std::iota(order.begin(), order.end(), 0u);
    }
    StopToken stop(interrupts());
    boost::Grown g;
    {
        const ReleasedGil released;
        boost::Grower grower(data, chosen, gradient.data(), hessian.data(), data_or_null(count), std::move(order),
                             n_jobs);
        g = grower.grow(stop);
    }
    nb::dict out = nodes_of(g);
    out["first"] = line(g.first);
    out["last"] = line(g.last);
    out["order"] = moved(g.order);
    return out;
}

static boost::Loss loss_of(int loss, size_t outputs) {
    expect(loss >= 0 && loss <= static_cast<int>(boost::Loss::huber), "unknown loss");
    const auto kind = static_cast<boost::Loss>(loss);
    expect(outputs >= 1 && (outputs == 1 || kind == boost::Loss::softmax), "one output, but for softmax");
    return kind;
}

// The trees of some rounds, as many as seeds (rounds, outputs) or fewer; raw (outputs, rows) is changed.
static nb::list boost_rounds(nb::handle tiles, int loss, double parameter, InOut2<double> raw, In1<double> target,
                             std::optional<In1<double>> weight, std::optional<In1<std::uint32_t>> count,
                             nb::handle rules, In2C<std::uint64_t> seeds, double learning_rate, int n_jobs) {
    HeldBytes held;
    const boost::Data data = data_of(tiles, held);
    const boost::Rules chosen = boost_rules(rules, data.columns.size());
    const auto n = static_cast<size_t>(data.rows);
    const size_t outputs = raw.shape(0);
    const boost::Loss kind = loss_of(loss, outputs);
    expect(kind != boost::Loss::absolute && kind != boost::Loss::quantile && kind != boost::Loss::huber,
           "gradients of this loss do not say the values of leaves");
    expect(raw.shape(1) == n && target.shape(0) == n && (!weight || weight->shape(0) == n) &&
               (!count || count->shape(0) == n),
           "raw, target, weight and count must have one entry per row");
    expect(seeds.shape(1) == outputs, "one seed per output");
    StopToken stop(interrupts());
    std::vector<boost::Grown> grown;
    {
        const ReleasedGil released;
        const boost::Raised to{kind, {target.data(), data_or_null(weight), parameter}, learning_rate, raw.data()};
        grown = boost::grow_rounds(data, chosen, to, data_or_null(count), seeds.data(),
                                   static_cast<index>(seeds.shape(0)), static_cast<index>(outputs), n_jobs, stop);
    }
    nb::list out;
    for (const boost::Grown& g : grown) out.append(nodes_of(g));
    return out;
}

// Where the bins of each column begin in a histogram, and how many entries it has.
static std::int64_t entries_of(const In1<std::int32_t>& bins, std::vector<std::int64_t>& start) {
    std::int64_t entries = 0;
    for (size_t j = 0; j < bins.shape(0); ++j) {
        expect(bins.data()[j] >= 1 && bins.data()[j] < boost::kMostBins, "bins out of range");
        start.push_back(entries);
        entries += bins.data()[j] + 1;
    }
    return entries;
}

static boost::Units units_of(double largest_gradient, double largest_hessian, std::int64_t n_rows) {
    expect(largest_gradient >= 0 && largest_gradient <= boost::kLargest && largest_hessian >= 0 &&
               largest_hessian <= boost::kLargest,
           "gradients must be finite, and hessians not negative");
    expect(n_rows >= 1 && n_rows <= boost::kMostRows, "rows must be from 1 to 2^30");
    return {largest_gradient, largest_hessian, n_rows};
}

// out (histograms, entries, 2) += gradient, and hessian with the number of rows, of the rows of a chunk in their bins.
static void boost_histograms(In2C<std::uint8_t> cells, In1<std::int32_t> bins, In1<std::uint32_t> rows,
                             In1<std::int32_t> slot, In1<double> gradient, In1<double> hessian,
                             std::optional<In1<std::uint32_t>> count, double largest_gradient, double largest_hessian,
                             std::int64_t n_rows, nb::ndarray<std::int64_t, nb::ndim<3>, nb::c_contig> out,
                             int n_jobs) {
    const boost::Units units = units_of(largest_gradient, largest_hessian, n_rows);
    std::vector<std::int64_t> start;
    const std::int64_t entries = entries_of(bins, start);
    const size_t n = rows.shape(0), p = bins.shape(0);
    expect(cells.shape(1) == p, "cells must have as many columns as bins");
    expect(out.shape(1) == static_cast<size_t>(entries) && out.shape(2) == 2, "wrong shape of out");
    expect(slot.shape(0) == n && gradient.shape(0) == n && hessian.shape(0) == n && (!count || count->shape(0) == n),
           "slot, gradient, hessian and count must have one entry per row");
    const std::vector<std::uint8_t> most(bins.data(), bins.data() + p);
    boost::Asked asked;
    asked.rows.reserve(n);
    asked.slot.reserve(n);
    asked.packed.reserve(n);
    std::int64_t all = 0;
    for (size_t i = 0; i < n; ++i) {
        const std::uint32_t r = rows.data()[i];
        const double g = gradient.data()[i], h = hessian.data()[i];
        expect(r < cells.shape(0), "row out of range");
        expect(slot.data()[i] >= 0 && static_cast<size_t>(slot.data()[i]) < out.shape(0), "slot out of range");
        expect(std::abs(g) <= largest_gradient && h >= 0 && h <= largest_hessian, "gradients larger than the largest");
        all += count ? count->data()[i] : 1;
        expect(all <= n_rows, "more rows than n_rows");
        asked.rows.push_back(r);
        asked.slot.push_back(slot.data()[i]);
        asked.packed.push_back(units.pack(g, h, count ? count->data()[i] : 1u));
    }
    bool sound = false;
    {
        const ReleasedGil released;
        sound = boost::add_histograms(cells.data(), static_cast<index>(p),
                                      boost::by_slot(std::move(asked), out.shape(0)), start.data(), most.data(),
                                      entries, reinterpret_cast<boost::Sums*>(out.data()), n_jobs);
    }
    expect(sound, "bin out of range");
}

// The best test of a node, from its histogram (entries, 2); `path` are the columns tested above it.
static nb::dict boost_split(In2C<std::int64_t> histogram, In1<std::int32_t> bins, In1<std::uint8_t> nominal,
                            nb::handle rules, double largest_gradient, double largest_hessian, std::int64_t n_rows,
                            double value, double low, double high, std::uint64_t number, In1<std::int32_t> path) {
    const boost::Units units = units_of(largest_gradient, largest_hessian, n_rows);
    std::vector<std::int64_t> start;
    const std::int64_t entries = entries_of(bins, start);
    const size_t p = bins.shape(0);
    expect(
        p > 0 && nominal.shape(0) == p && histogram.shape(0) == static_cast<size_t>(entries) && histogram.shape(1) == 2,
        "histogram must have an entry for each bin of each column");
    const boost::Rules chosen = boost_rules(rules, p);
    boost::Data data;
    const auto* sums = reinterpret_cast<const boost::Sums*>(histogram.data());
    boost::Sums total{};
    for (size_t j = 0; j < p; ++j) {
        data.start.push_back(static_cast<int>(start[j]));
        data.columns.push_back({static_cast<int>(j), 0, bins.data()[j], -1, nominal.data()[j] != 0});
        double gradients = 0, rests = 0;
        for (int b = 0; b <= bins.data()[j]; ++b) {
            const boost::Sums& one = sums[start[j] + b];
            expect(one.rest >= 0, "hessians must not be negative");
            gradients += std::abs(static_cast<double>(one.gradient));
            rests += static_cast<double>(one.rest);
        }
        expect(gradients < 9e18 && rests < 9e18, "sums beyond 64 bits");
    }
    for (int b = 0; b <= bins.data()[0]; ++b) total += sums[b];
    const std::vector<std::int32_t> used(path.data(), path.data() + path.shape(0));
    boost::Split best;
    {
        const ReleasedGil released;
        for (const int column : boost::candidates(chosen, p, boost::joined(chosen.together, used), number)) {
            boost::Finder finder(data, chosen, units, total, value, {low, high});
            const boost::Split found = finder.find(column, sums);
            if (found.found() && (!best.found() || found.gain > best.gain)) best = found;
        }
    }
    nb::dict out;
    out["column"] = best.column;
    out["gain"] = best.gain;
    out["cut"] = best.cut;
    out["missing_left"] = best.missing_left;
    out["left_bins"] = line(std::vector<std::uint64_t>(best.left_bins.begin(), best.left_bins.end()));
    out["left"] = line(std::vector<std::int64_t>{best.left.gradient, best.left.rest});
    out["left_value"] = best.left_value;
    out["right_value"] = best.right_value;
    return out;
}

static void boost_gradients(int loss, double parameter, In2C<double> raw, In1<double> target,
                            std::optional<In1<double>> weight, InOut2<double> gradient, InOut2<double> hessian,
                            int n_jobs) {
    const size_t k = raw.shape(0), n = raw.shape(1);
    const boost::Loss kind = loss_of(loss, k);
    expect(target.shape(0) == n && (!weight || weight->shape(0) == n), "one target and weight per row");
    expect(gradient.shape(0) == k && gradient.shape(1) == n && hessian.shape(0) == k && hessian.shape(1) == n,
           "gradient and hessian must have the shape of raw");
    const ReleasedGil released;
    boost::gradients(kind, raw.data(), static_cast<index>(n), static_cast<index>(k),
                     {target.data(), data_or_null(weight), parameter}, gradient.data(), hessian.data(), n_jobs);
}

// raw[row] += value of the leaf that holds it; the rows of leaf k are order[first[k]:last[k]].
static void add_leaf_values(InOut1<double> raw, In1<std::uint32_t> order, In1<std::int64_t> first,
                            In1<std::int64_t> last, In1<double> value, int n_jobs) {
    const size_t leaves = value.shape(0);
    expect(first.shape(0) == leaves && last.shape(0) == leaves, "one first and last per leaf");
    for (size_t k = 0; k < leaves; ++k)
        expect(first.data()[k] >= 0 && first.data()[k] <= last.data()[k] &&
                   last.data()[k] <= static_cast<std::int64_t>(order.shape(0)),
               "rows of a leaf out of range");
    bool beyond = false;
    for (size_t i = 0; i < order.shape(0); ++i) beyond |= order.data()[i] >= raw.shape(0);
    expect(!beyond, "row out of range");
    const ReleasedGil released;
    parallel_for(static_cast<index>(leaves), n_jobs, [&](index k) {
        for (std::int64_t i = first.data()[k]; i < last.data()[k]; ++i) raw.data()[order.data()[i]] += value.data()[k];
    });
}

// Arrays of a forest, as `mercer.solvers.boost.forest.Forest` holds them, held while native code reads them.
struct HeldForest {
    In1<std::int64_t> root;
    In1<std::int32_t> column, left, right, set;
    In1<std::uint8_t> cut, missing_left, missing_bin;
    In2C<std::uint64_t> left_bins;
    In1<double> value;

    explicit HeldForest(nb::handle from)
        : root(field<In1<std::int64_t>>(from, "root")), column(field<In1<std::int32_t>>(from, "column")),
          left(field<In1<std::int32_t>>(from, "left")), right(field<In1<std::int32_t>>(from, "right")),
          set(field<In1<std::int32_t>>(from, "set")), cut(field<In1<std::uint8_t>>(from, "cut")),
          missing_left(field<In1<std::uint8_t>>(from, "missing_left")),
          missing_bin(field<In1<std::uint8_t>>(from, "missing_bin")),
          left_bins(field<In2C<std::uint64_t>>(from, "left_bins")), value(field<In1<double>>(from, "value")) {}

    // Every child comes after its parent, so that each walk ends; every column, set and root exists.
    boost::Forest checked(size_t outputs) const {
        const size_t n = column.shape(0);
        expect(left.shape(0) == n && right.shape(0) == n && set.shape(0) == n && cut.shape(0) == n &&
                   missing_left.shape(0) == n && value.shape(0) == n && n < INT32_MAX,
               "forest arrays differ in length");
        expect(left_bins.shape(1) == 4 || left_bins.shape(0) == 0, "left_bins must have 4 columns");
        for (size_t i = 0; i < n; ++i) {
            const std::int32_t c = column.data()[i], a = left.data()[i], b = right.data()[i], s = set.data()[i];
            expect(c >= -1 && c < static_cast<std::int32_t>(missing_bin.shape(0)), "column out of range");
            const auto at = static_cast<std::int32_t>(i), end = static_cast<std::int32_t>(n);
            expect(c < 0 || (a > at && a < end && b > at && b < end), "children out of range");
            expect(s >= -1 && s < static_cast<std::int32_t>(left_bins.shape(0)), "set out of range");
        }
        for (size_t t = 0; t < root.shape(0); ++t)
            expect(root.data()[t] >= 0 && root.data()[t] < static_cast<std::int64_t>(n), "root out of range");
        expect(outputs > 0, "a forest has at least one output");
        boost::Forest f;
        f.trees = static_cast<index>(root.shape(0));
        f.outputs = static_cast<index>(outputs);
        f.root = root.data();
        f.column = column.data();
        f.left = left.data();
        f.right = right.data();
        f.set = set.data();
        f.cut = cut.data();
        f.missing_left = missing_left.data();
        f.left_bins = left_bins.data();
        f.value = value.data();
        f.missing_bin = missing_bin.data();
        return f;
    }
};

static void boost_values(nb::handle forest, In2C<std::uint8_t> bins, InOut2<double> raw, int n_jobs) {
    const HeldForest held(forest);
    const boost::Forest f = held.checked(raw.shape(1));
    expect(raw.shape(0) == bins.shape(0) && bins.shape(1) == held.missing_bin.shape(0),
           "raw needs a row per row of bins, bins a column per column of the forest");
    const ReleasedGil released;
    boost::add_values(f, static_cast<index>(held.column.shape(0)), bins.data(), static_cast<index>(bins.shape(0)),
                      static_cast<index>(bins.shape(1)), raw.data(), n_jobs);
}

static void boost_leaves(nb::handle forest, In2C<std::uint8_t> bins, InOut2<std::int32_t> out, int n_jobs) {
    const HeldForest held(forest);
    const boost::Forest f = held.checked(1);
    expect(out.shape(0) == bins.shape(0) && bins.shape(1) == held.missing_bin.shape(0) &&
               out.shape(1) == held.root.shape(0),
           "out must have a row per row and a column per tree");
    const ReleasedGil released;
    boost::find_leaves(f, static_cast<index>(held.column.shape(0)), bins.data(), static_cast<index>(bins.shape(0)),
                       static_cast<index>(bins.shape(1)), out.data(), n_jobs);
}

// node[row] becomes the node of the forest that the row ends in, going on from it.
static void boost_descend(nb::handle forest, In2C<std::uint8_t> bins, InOut1<std::int32_t> node, int n_jobs) {
    const HeldForest held(forest);
    const boost::Forest f = held.checked(1);
    const auto nodes = static_cast<std::int32_t>(held.column.shape(0));
    expect(node.shape(0) == bins.shape(0) && bins.shape(1) == held.missing_bin.shape(0),
           "node needs an entry per row of bins, bins a column per column of the forest");
    for (size_t i = 0; i < node.shape(0); ++i)
        expect(node.data()[i] >= 0 && node.data()[i] < nodes, "node out of range");
    const ReleasedGil released;
    boost::descend(f, nodes, bins.data(), static_cast<index>(bins.shape(0)), static_cast<index>(bins.shape(1)),
                   node.data(), n_jobs);
}

void bind_boost(nb::module_& m) {
    m.def("bin_cells", &bin_cells, "numbers"_a.noconvert(), "codes"_a.noconvert(), "edges"_a.noconvert(),
          "edge_start"_a.noconvert(), "levels"_a.noconvert(), "level_start"_a.noconvert(), "out"_a.noconvert(),
          "n_jobs"_a);
    m.def("boost_tree", &boost_tree, "tiles"_a, "gradient"_a.noconvert(), "hessian"_a.noconvert(),
          "count"_a.noconvert().none(), "rows"_a.noconvert().none(), "rules"_a, "n_jobs"_a);
    m.def("boost_rounds", &boost_rounds, "tiles"_a, "loss"_a, "parameter"_a, "raw"_a.noconvert(),
          "target"_a.noconvert(), "weight"_a.noconvert().none(), "count"_a.noconvert().none(), "rules"_a,
          "seeds"_a.noconvert(), "learning_rate"_a, "n_jobs"_a);
    m.def("boost_histograms", &boost_histograms, "cells"_a.noconvert(), "bins"_a.noconvert(), "rows"_a.noconvert(),
          "slot"_a.noconvert(), "gradient"_a.noconvert(), "hessian"_a.noconvert(), "count"_a.noconvert().none(),
          "largest_gradient"_a, "largest_hessian"_a, "n_rows"_a, "out"_a.noconvert(), "n_jobs"_a);
    m.def("boost_split", &boost_split, "histogram"_a.noconvert(), "bins"_a.noconvert(), "nominal"_a.noconvert(),
          "rules"_a, "largest_gradient"_a, "largest_hessian"_a, "n_rows"_a, "value"_a, "low"_a, "high"_a, "number"_a,
          "path"_a.noconvert());
    m.def("boost_gradients", &boost_gradients, "loss"_a, "parameter"_a, "raw"_a.noconvert(), "target"_a.noconvert(),
          "weight"_a.noconvert().none(), "gradient"_a.noconvert(), "hessian"_a.noconvert(), "n_jobs"_a);
    m.def("add_leaf_values", &add_leaf_values, "raw"_a.noconvert(), "order"_a.noconvert(), "first"_a.noconvert(),
          "last"_a.noconvert(), "value"_a.noconvert(), "n_jobs"_a);
    m.def("boost_values", &boost_values, "forest"_a, "bins"_a.noconvert(), "raw"_a.noconvert(), "n_jobs"_a);
    m.def("boost_descend", &boost_descend, "forest"_a, "bins"_a.noconvert(), "node"_a.noconvert(), "n_jobs"_a);
    m.def("boost_leaves", &boost_leaves, "forest"_a, "bins"_a.noconvert(), "out"_a.noconvert(), "n_jobs"_a);
}

}  // namespace mercer::bind
