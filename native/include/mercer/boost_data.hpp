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
struct Sums {
    std::int64_t gradient = 0, rest = 0;

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
        return {std::llrint(g / gradient), (static_cast<std::int64_t>(std::llrint(h / hessian)) << count_bits) | count};
    }
    double g(const Sums& s) const { return static_cast<double>(s.gradient) * gradient; }
    double h(const Sums& s) const { return static_cast<double>(s.rest >> count_bits) * hessian; }
    std::int64_t rows(const Sums& s) const { return s.rest & ((std::int64_t{1} << count_bits) - 1); }

private:
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

constexpr int kTile = 4;  // groups side by side in memory: one load gives four bins, and their histograms fit in cache

struct Data {
    index rows = 0;
    const std::uint8_t* tiles = nullptr;  // (n_tiles, rows, kTile)
    std::vector<int> start;               // of each group in a histogram, padded to whole tiles by unused ones
    int entries = 0;                      // of a histogram, unused ones at its end included
    std::vector<Column> columns;

    index n_tiles() const { return static_cast<index>(start.size()) / kTile; }
    const std::uint8_t* group(int g) const { return tiles + (g / kTile) * rows * kTile + g % kTile; }  // stride kTile
};

}  // namespace mercer::boost
