// What growing a boosted tree takes: binned columns and rules, read from Python and checked.
#pragma once

#include "array.hpp"
#include "mercer/boost_split.hpp"

namespace mercer::bind {

// Bytes of all rows, held while native code reads them.
struct HeldBytes {
    using Tiles = nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig>;
    Tiles tiles;
    In2C<std::uint8_t> groups;
};

// The fields of `mercer.solvers.boost.tiles.Tiles`.
inline boost::Data data_of(nb::handle from, HeldBytes& held) {
    held.tiles = field<HeldBytes::Tiles>(from, "bytes");
    held.groups = field<In2C<std::uint8_t>>(from, "groups");
    const auto& tiles = held.tiles;
    const auto& groups = held.groups;
    const auto sizes = field<In1<std::int32_t>>(from, "group_size");
    const auto group = field<In1<std::int32_t>>(from, "group"), first = field<In1<std::int32_t>>(from, "first"),
               bins = field<In1<std::int32_t>>(from, "bins"), usual = field<In1<std::int32_t>>(from, "usual");
    const auto nominal = field<In1<std::uint8_t>>(from, "nominal");
    boost::Data data;
    data.rows = static_cast<index>(tiles.shape(1));
    data.tiles = tiles.data();
    data.groups = groups.data();
    data.width = static_cast<index>(tiles.shape(2));
    expect(data.width > 0 && data.width <= boost::kTile && data.width % boost::kWord == 0 &&
               sizes.shape(0) <= tiles.shape(0) * tiles.shape(2),
           "wrong shape of tiles");
    expect(groups.shape(0) == sizes.shape(0) && groups.shape(1) == tiles.shape(1), "wrong shape of groups");
    expect(data.rows > 0 && data.rows < UINT32_MAX, "a tree needs at least one row");
    for (size_t g = 0; g < sizes.shape(0); ++g) {
        expect(sizes.data()[g] > 0 && sizes.data()[g] <= boost::kMostBins, "group_size must be from 1 to 256");
        data.start.push_back(data.entries);
        data.entries += sizes.data()[g];
    }
    while (data.start.size() % boost::kWord != 0) data.start.push_back(data.entries);
    data.entries += boost::kMostBins;  // whatever byte there is stays within the histogram
    const size_t p = group.shape(0);
    expect(first.shape(0) == p && bins.shape(0) == p && usual.shape(0) == p && nominal.shape(0) == p,
           "columns differ in length");
    for (size_t j = 0; j < p; ++j) {
        boost::Column c{group.data()[j], first.data()[j], bins.data()[j], usual.data()[j], nominal.data()[j] != 0};
        expect(c.group >= 0 && static_cast<size_t>(c.group) < sizes.shape(0), "group out of range");
        expect(c.bins >= 1 && c.bins < boost::kMostBins && c.usual >= -1 && c.usual < c.bins, "bins out of range");
        const int last = c.usual < 0 ? c.bins : c.first + c.bins - 1;
        expect(c.first >= (c.usual < 0 ? 0 : 1) && last < sizes.data()[c.group], "bytes of a column out of range");
        data.columns.push_back(c);
    }
    return data;
}

inline boost::Rules boost_rules(nb::handle from, size_t columns) {
    boost::Rules rules;
    rules.l2 = field<double>(from, "l2");
    rules.min_hessian = field<double>(from, "min_hessian");
    rules.min_gain = field<double>(from, "min_gain");
    rules.min_rows = field<std::int64_t>(from, "min_rows");
    rules.max_leaves = field<std::int64_t>(from, "max_leaves");
    rules.max_depth = field<std::int64_t>(from, "max_depth");
    rules.by_depth = field<bool>(from, "by_depth");
    rules.level_smooth = field<double>(from, "level_smooth");
    rules.level_l2 = field<double>(from, "level_l2");
    rules.most_levels = field<std::int64_t>(from, "most_levels");
    rules.columns_per_node = field<std::int64_t>(from, "columns_per_node");
    rules.seed = field<std::uint64_t>(from, "seed");
    const auto monotone = field<In1<std::int8_t>>(from, "monotone");
    expect(monotone.shape(0) == 0 || monotone.shape(0) == columns, "monotone must have one entry per column");
    rules.monotone.assign(monotone.data(), monotone.data() + monotone.shape(0));
    const auto member_of = field<In1<std::int32_t>>(from, "together");  // columns of each set, -1 after each
    rules.together.clear();
    std::vector<std::int32_t> set;
    for (size_t i = 0; i < member_of.shape(0); ++i) {
        const std::int32_t c = member_of.data()[i];
        expect(c >= -1 && c < static_cast<std::int32_t>(columns), "column out of range");
        if (c >= 0) set.push_back(c);
        else rules.together.push_back(std::move(set)), set.clear();
    }
    expect(rules.l2 >= 0 && rules.level_smooth >= 0 && rules.level_l2 >= 0, "penalties must not be negative");
    expect(rules.min_rows >= 1 && rules.columns_per_node >= 0 && rules.max_depth >= 0, "limits out of range");
    return rules;
}

}  // namespace mercer::bind
