// Columns as small integers. A tree asks only "is this cell at or before that one" or "is it in this set of levels", so
// each column is coded once by the rank of its value (or bin, or level) and every node then counts small integers
// instead of comparing doubles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "mercer/counts.hpp"

namespace mercer::tree {

// One coded column. Codes 0..size-1 are bins in increasing order, or levels; the code `size` means missing.
struct Column {
    bool nominal = false;
    bool missing = false;  // some cell is missing
    std::uint32_t size = 0;
    int width = 1;  // bytes per code: 1, 2 or 4, the least that holds `size`
    std::vector<std::uint8_t> bytes;
    std::vector<double> low, high;  // ordered columns: least and greatest value in each bin

    template <class Body>
    void visit(Body&& body) const {
        if (width == 1) body(bytes.data());
        else if (width == 2) body(reinterpret_cast<const std::uint16_t*>(bytes.data()));
        else body(reinterpret_cast<const std::uint32_t*>(bytes.data()));
    }

    std::uint32_t code(size_t i) const {
        if (width == 1) return bytes[i];
        if (width == 2) return reinterpret_cast<const std::uint16_t*>(bytes.data())[i];
        return reinterpret_cast<const std::uint32_t*>(bytes.data())[i];
    }

    void store(const std::vector<std::uint32_t>& codes) {
        width = size < 256 ? 1 : size < 65536 ? 2 : 4;
        bytes.resize(codes.size() * static_cast<size_t>(width));
        for (size_t i = 0; i < codes.size(); ++i) {
            if (width == 1) bytes[i] = static_cast<std::uint8_t>(codes[i]);
            else if (width == 2)
                reinterpret_cast<std::uint16_t*>(bytes.data())[i] = static_cast<std::uint16_t>(codes[i]);
            else reinterpret_cast<std::uint32_t*>(bytes.data())[i] = codes[i];
        }
    }
};

// The order of doubles as the order of unsigned integers; both zeros get one key.
inline std::uint64_t order_key(double x) {
    x += 0.0;
    std::uint64_t u;
    std::memcpy(&u, &x, 8);
    return (u >> 63) ? ~u : (u | (std::uint64_t{1} << 63));
}

// Ranks of the distinct values of one column, found with a hash table while they are few and by sorting otherwise.
class Ranker {
public:
    static constexpr size_t most = size_t{1} << 16;

    // On return values holds the distinct numbers in increasing order and codes the rank of each cell (or values.size()
    // for NaN).
    void rank(const std::vector<double>& cells, std::vector<double>& values, std::vector<std::uint32_t>& codes) {
        if (!by_hash(cells, values, codes)) by_sort(cells, values, codes);
    }

private:
    struct Slot {
        std::uint64_t key;
        std::uint32_t id;
    };
    std::vector<Slot> slots_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs_;
    static constexpr std::uint32_t empty = UINT32_MAX;

    void grow(size_t size, const std::vector<double>& values) {
        slots_.assign(size, Slot{0, empty});
        for (size_t id = 0; id < values.size(); ++id) {
            const std::uint64_t key = order_key(values[id]);
            Slot& slot = find(key);
            slot = Slot{key, static_cast<std::uint32_t>(id)};
        }
    }

    Slot& find(std::uint64_t key) {
        const size_t mask = slots_.size() - 1;
        size_t at = static_cast<size_t>((key * 0x9E3779B97F4A7C15ull) >> 32) & mask;
        while (slots_[at].id != empty && slots_[at].key != key) at = (at + 1) & mask;
        return slots_[at];
    }

    bool by_hash(const std::vector<double>& cells, std::vector<double>& values, std::vector<std::uint32_t>& codes) {
        values.clear();
        codes.resize(cells.size());
        grow(1024, values);
        for (size_t i = 0; i < cells.size(); ++i) {
            if (std::isnan(cells[i])) {
                codes[i] = empty;
                continue;
            }
            const std::uint64_t key = order_key(cells[i]);
            Slot* slot = &find(key);
            if (slot->id == empty) {
                if (values.size() >= most) return false;
                values.push_back(cells[i] + 0.0);
                *slot = Slot{key, static_cast<std::uint32_t>(values.size() - 1)};
                const std::uint32_t id = slot->id;
                if (values.size() * 2 > slots_.size()) grow(slots_.size() * 4, values);
                codes[i] = id;
            } else {
                codes[i] = slot->id;
            }
        }
        std::vector<std::uint32_t> order(values.size()), place(values.size());
        for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
        for (std::uint32_t k = 0; k < order.size(); ++k) place[order[k]] = k;
        std::sort(values.begin(), values.end());
        const auto none = static_cast<std::uint32_t>(values.size());
        for (auto& code : codes) code = code == empty ? none : place[code];
        return true;
    }

    void by_sort(const std::vector<double>& cells, std::vector<double>& values, std::vector<std::uint32_t>& codes) {
        pairs_.clear();
        for (size_t i = 0; i < cells.size(); ++i)
            if (!std::isnan(cells[i])) pairs_.emplace_back(order_key(cells[i]), static_cast<std::uint32_t>(i));
        std::sort(pairs_.begin(), pairs_.end());
        values.clear();
        codes.assign(cells.size(), empty);
        for (size_t k = 0; k < pairs_.size(); ++k) {
            if (k == 0 || pairs_[k].first != pairs_[k - 1].first) values.push_back(cells[pairs_[k].second] + 0.0);
            codes[pairs_[k].second] = static_cast<std::uint32_t>(values.size() - 1);
        }
        const auto none = static_cast<std::uint32_t>(values.size());
        for (auto& code : codes)
            if (code == empty) code = none;
    }
};

// Join neighbouring ranks into at most max_bins bins of about equal row counts; a value never spans two bins.
inline void merge_ranks(const std::vector<double>& values, std::vector<std::uint32_t>& codes, std::uint32_t max_bins,
                        Column& column) {
    const size_t distinct = values.size();
    std::vector<std::uint64_t> count(distinct + 1, 0);
    for (std::uint32_t code : codes) ++count[code];
    const std::uint64_t known = codes.size() - count[distinct];
    std::vector<std::uint32_t> bin(distinct + 1);
    std::uint64_t seen = 0;
    for (size_t r = 0; r < distinct; ++r) {
        // A bin opens when the rows before this value reach the next multiple of known / max_bins.
        const bool open = r == 0 || seen * max_bins >= static_cast<std::uint64_t>(column.low.size()) * known;
        if (open) {
            column.low.push_back(values[r]);
            column.high.push_back(values[r]);
        }
        column.high.back() = values[r];
        bin[r] = static_cast<std::uint32_t>(column.low.size() - 1);
        seen += count[r];
    }
    bin[distinct] = static_cast<std::uint32_t>(column.low.size());
    for (auto& code : codes) code = bin[code];
}

// Code one numeric column; max_bins = 0 keeps every distinct value, so thresholds are exact.
inline Column code_numbers(const std::vector<double>& cells, std::uint32_t max_bins, Ranker& ranker,
                           std::vector<std::uint32_t>& codes) {
    Column column;
    std::vector<double> values;
    ranker.rank(cells, values, codes);
    if (max_bins > 0 && values.size() > max_bins) merge_ranks(values, codes, max_bins, column);
    else {
        column.low = values;
        column.high = values;
    }
    column.size = static_cast<std::uint32_t>(column.low.size());
    for (std::uint32_t code : codes) column.missing |= code == column.size;
    column.store(codes);
    return column;
}

// Code one column of levels; a code outside 0..levels-1 is missing.
inline Column code_levels(const Codes& all, index j, std::int32_t levels, bool nominal,
                          std::vector<std::uint32_t>& codes) {
    Column column;
    column.nominal = nominal;
    column.size = static_cast<std::uint32_t>(levels);
    codes.resize(static_cast<size_t>(all.rows));
    for (index i = 0; i < all.rows; ++i) {
        const std::int32_t cell = all.data[i * all.row_stride + j * all.col_stride];
        const bool known = cell >= 0 && cell < levels;
        codes[static_cast<size_t>(i)] = known ? static_cast<std::uint32_t>(cell) : column.size;
        column.missing |= !known;
    }
    if (!nominal)
        for (std::int32_t k = 0; k < levels; ++k) column.low.push_back(k);
    column.high = column.low;
    column.store(codes);
    return column;
}

// The number halfway between two neighbours, never the upper one, so that a <= cut < b even at the ends of the range.
inline double halfway(double a, double b) {
    const double mid = a * 0.5 + b * 0.5;
    return (mid >= a && mid < b) ? mid : a;
}

}  // namespace mercer::tree
