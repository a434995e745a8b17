// What a boosted tree is grown on: columns as bytes in tiles, and gradients as integers.
//
// Sums of integers do not depend on the order of the rows nor on the number of threads, and the histogram of a node is
// exactly that of its parent less that of its sibling.
#pragma once

#include <cmath>
#include <cstdint>

#include "mercer/boost_bins.hpp"

namespace mercer::boost {

constexpr double kLargest = 1e300;                         // gradient or hessian of a row
constexpr std::int64_t kMostRows = std::int64_t{1} << 30;  // leaves 2 bits for a hessian

// Gradient, and hessian together with the number of rows, of one row or of many: hessian << count_bits | count.
// Not set to zero by itself: a tree has one of each row, and the search for a test 256 of each column.
struct Sums {
    std::int64_t gradient, rest;

    Sums& operator+=(const Sums& other) {
        gradient += other.gradient;
        rest += other.rest;
        return *this;
    }
    Sums& operator-=(const Sums& other) {
        gradient -= other.gradient;
        rest -= other.rest;
        return *this;
    }
    friend Sums operator-(Sums a, const Sums& b) { return a -= b; }
    friend Sums operator+(Sums a, const Sums& b) { return a += b; }
};

// The units of the integers: powers of two, as fine as sums over all rows leave room for.
struct Units {
    double gradient = 1, hessian = 1;  // of 1 in the integers
    int count_bits = 1;

    Units(double largest_gradient, double largest_hessian, std::int64_t rows) {
        while ((std::int64_t{1} << count_bits) <= rows) ++count_bits;
        gradient = std::ldexp(1.0, bits(largest_gradient) + count_bits - 62);
        hessian = std::ldexp(1.0, bits(largest_hessian) + 2 * count_bits - 62);
    }
    Sums pack(double g, double h, std::uint32_t count) const {
        return {whole(g / gradient), (whole(h / hessian) << count_bits) | count};
    }
    double g(const Sums& s) const { return static_cast<double>(s.gradient) * gradient; }
    double h(const Sums& s) const { return static_cast<double>(s.rest >> count_bits) * hessian; }
    std::int64_t rows(const Sums& s) const { return s.rest & ((std::int64_t{1} << count_bits) - 1); }

private:
    static std::int64_t whole(double x) { return static_cast<std::int64_t>(std::nearbyint(x)); }
    static int bits(double largest) {  // largest < 2^bits
        int exponent = 0;
        std::frexp(largest > 0 ? largest : 1.0, &exponent);
        return exponent;
    }
};

// A column: alone in its group, where its bins are the bytes, or with others of which at most one is not at its usual
// bin in any row (exclusive feature bundling, Ke et al. 2017): byte 0 is "all at their usual bins", and the other bins
// of this column are the bytes from `first` on.
struct Column {
    int group, first, bins;  // bins of values; number `bins` is missing
    int usual;               // -1: alone
    bool nominal;

    int byte(int bin) const { return usual < 0 ? bin : bin == usual ? 0 : first + bin - (bin > usual); }
};

constexpr int kWord = 4;  // bytes read by one load; the width of a tile is a multiple
constexpr int kTile =
    64;  // groups of a tile at most: a row is a line of cache, the histograms stay in the second level

// The bytes twice. Histograms of a node read all groups of rows far apart, so a row lies together; a test reads one
// group of many rows, so a group does.
struct Data {
    index rows = 0;
    const std::uint8_t* tiles = nullptr;   // (n_tiles, rows, width)
    const std::uint8_t* groups = nullptr;  // (n_groups, rows)
    index width = kWord;
    std::vector<int> start;  // of each group in a histogram, padded to whole words by unused ones
    int entries = 0;         // of a histogram, unused ones at its end included
    std::vector<Column> columns;

    index n_words() const { return static_cast<index>(start.size()) / kWord; }
    const std::uint8_t* group(int g) const { return groups + g * rows; }
};

}  // namespace mercer::boost
