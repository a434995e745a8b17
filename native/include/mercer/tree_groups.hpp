// The rows of a node summed by the code of one column: by a table where codes are few, by sorting otherwise.
#pragma once

#include "mercer/tree_absolute.hpp"
#include "mercer/tree_columns.hpp"
#include "mercer/tree_order.hpp"

namespace mercer::tree {

// The rows of a node, gathered side by side. Labels and targets have an entry per output.
struct Sample {
    const std::uint32_t* row = nullptr;
    size_t size = 0;
    const std::uint32_t* label = nullptr;  // channel of the class of each entry; null for numbers
    const double* weight = nullptr;        // null: all one
    const std::uint32_t* tag = nullptr;    // weight << 8 | class where weights are whole, in place of both; or null
    bool ones = false;                     // every tag has the weight one
    const double* part = nullptr;          // fraction of the row that is here; null: all of it
    const double* target = nullptr;        // numbers: y less `centre`
    const double* second = nullptr;        // Poisson: y log y; null: the square of the target
    const double* total = nullptr;         // channels summed over all entries
    const Channels* channels = nullptr;
    const std::vector<Ranked>* ranked = nullptr;  // absolute errors: the targets of each output in order
    double spread = 0;                            // weight times impurity
    double centre = 0;                            // of the first output
};

// The codes present at a node in increasing order, with their sums; and the sums of the rows whose cell is missing.
struct Groups {
    std::vector<std::uint32_t> code;
    std::vector<double> cells, missing;
    bool any_missing = false;
    size_t size() const { return code.size(); }
    const double* cell(size_t g, int width) const { return cells.data() + g * static_cast<size_t>(width); }
};

// The codes of one column in the rows of a node.
struct NodeCodes {
    std::vector<std::uint32_t> code;

    // The least and the greatest of them.
    std::pair<std::uint32_t, std::uint32_t> read(const Column& column, const Sample& s) {
        if (code.size() < s.size) code.resize(s.size);
        std::uint32_t* to = code.data();
        column.visit([&](const auto* codes) {
            for (size_t i = 0; i < s.size; ++i) to[i] = codes[s.row[i]];
        });
        std::uint32_t least = UINT32_MAX, most = 0;
        for (size_t i = 0; i < s.size; ++i) {  // by itself, so that it is vectorised
            least = std::min(least, to[i]);
            most = std::max(most, to[i]);
        }
        return {least, most};
    }
};

// How many rows i with keep(i) there are of each of up to eight classes: a byte of one word for each, 255 rows at a
// time, which is vectorised.
template <class Keep>
void count_few(const std::uint32_t* tags, size_t n, size_t classes, Keep&& keep, std::vector<std::int64_t>& counts) {
    counts.assign(classes, 0);
    for (size_t begin = 0; begin < n; begin += 255) {
        const size_t end = std::min(n, begin + 255);
        std::uint64_t bytes = 0;
        for (size_t i = begin; i < end; ++i) {
            const std::uint64_t all = 0u - static_cast<std::uint64_t>(keep(i));
            bytes += all & (std::uint64_t{1} << (8 * (tags[i] & 255)));
        }
        for (size_t c = 0; c < classes; ++c) counts[c] += static_cast<std::int64_t>(bytes >> (8 * c) & 255);
    }
}

// The weight of each class, in the first entries of `counts`, of the rows i with keep(i); ones: all weigh one. Rows are
// added to several tables in turn, as rows in a row are often of one class: an addition need not wait for the one
// before.
template <class Keep>
void count_classes(const std::uint32_t* tags, size_t n, size_t classes, bool ones, Keep&& keep,
                   std::vector<std::int64_t>& counts) {
    if (ones && classes <= 8) return count_few(tags, n, classes, keep, counts);
    const size_t tables = n < 32 ? 1 : 4;
    counts.assign(tables * classes, 0);
    std::int64_t* to = counts.data();
    for (size_t i = 0; i < n; ++i) {
        const std::uint32_t all = 0u - static_cast<std::uint32_t>(keep(i));  // no branch: who can tell which side
        to[(i & (tables - 1)) * classes + (tags[i] & 255)] += (tags[i] >> 8) & all;
    }
    for (size_t c = 0; c < classes; ++c)
        for (size_t t = 1; t < tables; ++t) to[c] += to[t * classes + c];
}

// Scratch of `CountFinder`.
struct CountWork {
    NodeCodes codes;
    Orderer orderer;
    std::vector<std::uint64_t> words;
    std::vector<std::uint32_t> table, tags;
    std::vector<std::int64_t> left, right, known, missing, none, all, moved;
};

// Scratch of one thread.
struct Work {
    NodeCodes codes;
    Orderer orderer;
    CountWork count;
    std::vector<std::uint32_t> counts, order;
    std::vector<double> sums, total, left, right, best_left;
    std::vector<std::uint64_t> words;
    std::vector<double> share;
    std::vector<std::uint8_t> best_side;
    Groups groups;
    Deviations deviations;
};

inline void add_entry(double* cell, const Sample& s, size_t i) {
    const Channels& ch = *s.channels;
    if (s.tag) {
        cell[s.tag[i] & 255] += s.tag[i] >> 8;
        if (ch.count >= 0) cell[ch.count] += 1.0;
        return;
    }
    const double w = s.weight ? s.weight[i] : 1.0;
    const size_t outputs = static_cast<size_t>(ch.outputs);
    if (outputs == 1 && !s.second) {  // as most are: without the loops below
        if (s.label) {
            cell[s.label[i]] += w;
        } else {
            const double y = s.target[i];
            cell[0] += w;
            cell[1] += w * y;
            cell[2] += w * y * y;
        }
    } else if (s.label) {
        for (size_t k = i * outputs; k < (i + 1) * outputs; ++k) cell[s.label[k]] += w;
    } else {
        cell[0] += w;
        for (size_t k = 0; k < outputs; ++k) {
            const double y = s.target[i * outputs + k];
            cell[1 + 2 * k] += w * y;
            cell[2 + 2 * k] += w * (s.second ? s.second[i * outputs + k] : y * y);
        }
    }
    if (ch.count >= 0) cell[ch.count] += 1.0;
}

// Whole counts of (code, label) pairs; four interleaved tables when few cells are hit again and again.
inline void count_pairs(const Sample& s, Work& work, size_t cells) {
    const size_t width = static_cast<size_t>(s.channels->width), n = s.size;
    const std::uint32_t* codes = work.codes.code.data();
    const std::uint32_t* label = s.label;
    if (cells <= 1024 && n >= 4 * cells) {
        work.counts.assign(4 * cells, 0);
        std::uint32_t* table = work.counts.data();
        size_t i = 0;
        for (; i + 4 <= n; i += 4) {
            ++table[codes[i] * width + label[i]];
            ++table[cells + codes[i + 1] * width + label[i + 1]];
            ++table[2 * cells + codes[i + 2] * width + label[i + 2]];
            ++table[3 * cells + codes[i + 3] * width + label[i + 3]];
        }
        for (; i < n; ++i) ++table[codes[i] * width + label[i]];
        for (size_t k = 0; k < cells; ++k) table[k] += table[cells + k] + table[2 * cells + k] + table[3 * cells + k];
    } else {
        work.counts.assign(cells, 0);
        std::uint32_t* table = work.counts.data();
        for (size_t i = 0; i < n; ++i) ++table[codes[i] * width + label[i]];
    }
}

// The same of rows with a whole weight and a class in one word.
inline void count_tags(const Sample& s, Work& work, size_t cells) {
    const size_t width = static_cast<size_t>(s.channels->width);
    const int rows = s.channels->count;
    work.counts.assign(cells, 0);
    for (size_t i = 0; i < s.size; ++i) {
        std::uint32_t* cell = work.counts.data() + work.codes.code[i] * width;
        cell[s.tag[i] & 255] += s.tag[i] >> 8;
        if (rows >= 0) ++cell[rows];
    }
}

template <class T>
inline void take_cells(const std::vector<T>& table, std::uint32_t least, size_t span, size_t width, Groups& out) {
    out.code.resize(span);
    out.cells.resize(span * width);
    size_t n = 0;
    double* to = out.cells.data();
    for (size_t b = 0; b < span; ++b) {
        const T* cell = table.data() + b * width;
        bool met = false;
        for (size_t c = 0; c < width; ++c) {
            to[c] = static_cast<double>(cell[c]);
            met |= cell[c] != T{0};
        }
        if (!met) continue;
        out.code[n++] = least + static_cast<std::uint32_t>(b);
        to += width;
    }
    out.code.resize(n);
    out.cells.resize(n * width);
    out.missing.assign(table.data() + span * width, table.data() + (span + 1) * width);
}

inline void groups_by_table(const Sample& s, std::uint32_t least, size_t span, Work& work) {
    const size_t width = static_cast<size_t>(s.channels->width);
    const size_t cells = (span + 1) * width;  // the last one takes missing
    if (s.tag) {
        count_tags(s, work, cells);
        take_cells(work.counts, least, span, width, work.groups);
    } else if (s.label && !s.weight && s.channels->count < 0 && s.channels->outputs == 1) {
        count_pairs(s, work, cells);
        take_cells(work.counts, least, span, width, work.groups);
    } else {
        work.sums.assign(cells, 0.0);
        for (size_t i = 0; i < s.size; ++i) add_entry(work.sums.data() + work.codes.code[i] * width, s, i);
        take_cells(work.sums, least, span, width, work.groups);
    }
}

inline void groups_by_sort(const Sample& s, std::uint32_t least, std::uint32_t span, Work& work) {
    // Words (code << 32 | entry); a code of `span`, missing, comes last.
    work.orderer.sort(work.codes.code.data(), s.size, span + 1, [](size_t i) { return i; }, work.words);
    Groups& out = work.groups;
    const size_t width = static_cast<size_t>(s.channels->width);
    out.cells.clear();
    out.missing.assign(width, 0.0);
    std::uint32_t last = UINT32_MAX;
    for (std::uint64_t word : work.words) {
        const auto code = static_cast<std::uint32_t>(word >> 32);
        const auto entry = static_cast<size_t>(word & 0xFFFFFFFFu);
        if (code == span) {
            add_entry(out.missing.data(), s, entry);
            continue;
        }
        if (code != last) {
            out.code.push_back(least + code);
            out.cells.resize(out.cells.size() + width, 0.0);
            last = code;
        }
        add_entry(out.cells.data() + out.cells.size() - width, s, entry);
    }
}

// Reads the codes of the node into work.codes; returns the least and the greatest of those known: {1, 0} where none is.
inline std::pair<std::uint32_t, std::uint32_t> read_codes(const Column& column, const Sample& s, Work& work) {
    const std::uint32_t none = column.size;
    auto [least, most] = work.codes.read(column, s);
    work.groups.any_missing = column.missing && most == none;
    if (!work.groups.any_missing) return {least, most};
    if (least == none) return {1, 0};
    most = 0;
    for (size_t i = 0; i < s.size; ++i)
        if (work.codes.code[i] != none) most = std::max(most, work.codes.code[i]);
    return {least, most};
}

// Sums the node's entries into work.groups by the codes read, which are from `least` to `most`.
inline void sum_codes(const Column& column, const Sample& s, std::uint32_t least, std::uint32_t most, Work& work) {
    work.groups.code.clear();
    const std::uint32_t none = column.size, span = most - least + 1;
    for (size_t i = 0; i < s.size; ++i)
        work.codes.code[i] = work.codes.code[i] == none ? span : work.codes.code[i] - least;
    // A table pays while its cells are not many more than the rows; otherwise sorting a few rows is cheaper.
    const bool few = static_cast<size_t>(span) * static_cast<size_t>(s.channels->width) <= 8 * s.size + 64;
    if (s.ranked || !few) groups_by_sort(s, least, span, work);  // absolute errors need the entries in order
    else groups_by_table(s, least, span, work);
}

// Reads and sums the codes of one column.
inline void group(const Column& column, const Sample& s, Work& work) {
    const auto [least, most] = read_codes(column, s, work);
    if (least <= most) sum_codes(column, s, least, most, work);
    else work.groups.code.clear();
}

// The weight of each class, and the rows, among the entries with begin <= code < end. Eight sums at a time, so that
// they round alike whatever the instruction set.
inline void sum_classes_between(const Sample& s, const std::uint32_t* codes, std::uint32_t begin, std::uint32_t end,
                                double* to) {
    const size_t lanes = 8, whole = s.size / lanes * lanes;
    const std::uint32_t span = end - begin, *label = s.label;
    const double* weight = s.weight;
    for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(s.channels->first); ++c) {
        const auto counted = [&](size_t i) {  // no branch, and every weight is read: who can tell which rows count
            const double w = weight[i];
            return (label[i] == c) & (codes[i] - begin < span) ? w : 0.0;
        };
        double sums[lanes] = {};
        for (size_t i = 0; i < whole; i += lanes)
            for (size_t lane = 0; lane < lanes; ++lane) sums[lane] += counted(i + lane);
        for (size_t i = whole; i < s.size; ++i) sums[i - whole] += counted(i);
        for (double sum : sums) to[c] += sum;
    }
    if (s.channels->count < 0) return;
    size_t rows = 0;
    for (size_t i = 0; i < s.size; ++i) rows += codes[i] - begin < span;
    to[s.channels->count] = static_cast<double>(rows);
}

// The sums of the entries up to the code `last`, of those beyond it, and of those whose cell is missing.
inline void add_sides(const Column& column, const Sample& s, std::uint32_t last, Work& work) {
    const size_t width = static_cast<size_t>(s.channels->width), cells = 3 * width, tables = s.size < 32 ? 1 : 4;
    const std::uint32_t none = column.size, *codes = work.codes.code.data();
    work.sums.assign(tables * cells, 0.0);
    double* const to = work.sums.data();
    // Of few classes every one is looked for by itself, which is vectorised.
    if (s.label && s.weight && !s.tag && s.channels->outputs == 1 && s.channels->first <= 4 && s.size >= 16) {
        sum_classes_between(s, codes, 0, last + 1, to);
        sum_classes_between(s, codes, last + 1, none, to + width);
        if (work.groups.any_missing) sum_classes_between(s, codes, none, none + 1, to + 2 * width);
        return;
    }
    for (size_t i = 0; i < s.size; ++i) {  // into several tables in turn: no addition waits for the one before
        const size_t side = static_cast<size_t>(codes[i] > last) + static_cast<size_t>(codes[i] == none);
        add_entry(to + (i & (tables - 1)) * cells + side * width, s, i);
    }
    for (size_t k = cells; k < tables * cells; ++k) to[k % cells] += to[k];
}

// Sums the entries into two groups, up to the code `last` and beyond it, under the codes of the node that are next to
// it; into one where none is beyond.
inline void sum_sides(const Column& column, const Sample& s, std::uint32_t last, Work& work) {
    const size_t width = static_cast<size_t>(s.channels->width);
    const std::uint32_t none = column.size, *codes = work.codes.code.data();
    std::uint32_t before = 0, after = none;
    for (size_t i = 0; i < s.size; ++i) {
        const std::uint32_t code = codes[i];
        before = std::max(before, code > last ? 0u : code);
        after = std::min(after, code > last ? code : none);
    }
    add_sides(column, s, last, work);
    Groups& out = work.groups;
    out.code.assign({before, after});
    if (after == none) out.code.pop_back();
    const auto sums = work.sums.begin();
    out.cells.assign(sums, sums + static_cast<std::ptrdiff_t>(out.code.size() * width));
    out.missing.assign(sums + static_cast<std::ptrdiff_t>(2 * width), sums + static_cast<std::ptrdiff_t>(3 * width));
}

}  // namespace mercer::tree
