// Exact k nearest rows by squared Euclidean distance, at the speed of single precision.
//
//   |a - b|^2 = |a|^2 - 2 (a.b - |b|^2 / 2),   so the nearest rows have the largest s = a.b - |b|^2 / 2.
//
// s is computed in float, in register tiles, together with an upper limit of its rounding error
//
//   E = c (|a| |b| + |b|^2 / 2),  c = (d + 10) 2^-24 (rounding of a, of b, of d + 1 fused steps; Higham 2002, 3.1)
//
// which costs one more column: the tile yields s + E. A row is a candidate while s + E reaches the k-th largest s - E
// seen. Every true neighbour is one; the few candidates are then measured in double.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>

#include "mercer/lanes.hpp"
#include "mercer/nearest.hpp"
#include "mercer/rows.hpp"
#include "mercer/stop.hpp"

namespace mercer {

#if defined(__AVX512F__)
constexpr index lanes = 16, tile_rows = 12;
#elif defined(__AVX__)
constexpr index lanes = 8, tile_rows = 6;
#else
constexpr index lanes = 4, tile_rows = 6;
#endif
constexpr index tile_cols = 2 * lanes;
using Lane = Vector<float, lanes* static_cast<int>(sizeof(float))>;

// out[q][r] = sum over k of a[k][q] b[k][r], for tile_rows queries and tile_cols rows.
inline void tile(const float* __restrict a, const float* __restrict b, index depth, Lane (&out)[tile_rows][2]) {
    for (index q = 0; q < tile_rows; ++q) out[q][0] = out[q][1] = Lane{};
    for (index k = 0; k < depth; ++k) {
        Lane b0, b1;
        std::memcpy(&b0, b + k * tile_cols, sizeof b0);
        std::memcpy(&b1, b + k * tile_cols + lanes, sizeof b1);
        MERCER_UNROLL(12)
        for (index q = 0; q < tile_rows; ++q) {
            const float x = a[k * tile_rows + q];
            out[q][0] += x * b0;
            out[q][1] += x * b1;
        }
    }
}

inline double squared_distance(const double* a, const double* b, index d) {
    double sum = 0;
    MERCER_SIMD(reduction(+ : sum))
    for (index j = 0; j < d; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

// Rows centred, scaled to at most one, and laid out in panels of tile_cols rows, column by column.
class Panels {
public:
    index rows, cols, depth;
    double scale = 1, c = 0;
    std::vector<double> mean;
    std::vector<float> data;
    std::vector<double> norm;  // |b| of the scaled rows

    Panels(const double* x, index n, index d, int n_jobs) : rows(n), cols(d), depth(d + 2) {
        mean.assign(static_cast<size_t>(d), 0.0);
        const double share = 1.0 / static_cast<double>(n);
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < d; ++j) mean[at(j)] += x[i * d + j] * share;
        double top = 0;
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < d; ++j) top = std::max(top, std::abs(x[i * d + j] - mean[at(j)]));
        scale = top > 0 && std::isfinite(1 / top) ? 1 / top : 1.0;
        c = static_cast<double>(d + 10) * 1.05 / 16777216.0;
        norm.assign(at(n), 0.0);
        const index panels = (n + tile_cols - 1) / tile_cols;
        data.assign(at(panels * tile_cols * depth), 0.0f);
        parallel_for(panels, n_jobs, [&](index p) {
            for (index r = 0; r < std::min(tile_cols, n - p * tile_cols); ++r) pack(x, p, r);
        });
    }

    const float* panel(index p) const { return data.data() + p * tile_cols * depth; }
    index count() const { return (rows + tile_cols - 1) / tile_cols; }
    double error(double query_norm, index row) const {
        return c * (query_norm * norm[at(row)] + 0.5 * norm[at(row)] * norm[at(row)]);
    }

private:
    static size_t at(index i) { return static_cast<size_t>(i); }

    // The last two columns: |b| (met by c |a|), and the constant part of s + E (met by 1).
    void pack(const double* x, index p, index r) {
        const index i = p * tile_cols + r;
        float* to = data.data() + p * tile_cols * depth + r;
        double sum = 0;
        for (index j = 0; j < cols; ++j) {
            const double v = (x[i * cols + j] - mean[at(j)]) * scale;
            to[j * tile_cols] = static_cast<float>(v);
            sum += v * v;
        }
        norm[at(i)] = std::sqrt(sum);
        to[cols * tile_cols] = static_cast<float>(norm[at(i)]);
        to[(cols + 1) * tile_cols] = static_cast<float>(-0.5 * sum * (1 - c));
    }
};

// The candidates of one query: (s + E, row), cut down whenever they have doubled.
class Candidates {
public:
    float limit = -std::numeric_limits<float>::infinity();

    void start(size_t k) {
        k_ = k;
        limit = -std::numeric_limits<float>::infinity();
        kept_.clear();
        room_ = 4 * k + 64;
    }
    void offer(float upper, double error, index row) {
        kept_.push_back({upper, static_cast<float>(upper - 2 * error), static_cast<std::int32_t>(row)});
        if (kept_.size() >= room_) shrink();
    }
    void shrink() {
        if (kept_.size() < k_) return;
        lower_.clear();
        for (const auto& one : kept_) lower_.push_back(one.lower);
        std::nth_element(lower_.begin(), lower_.begin() + static_cast<index>(k_ - 1), lower_.end(),
                         std::greater<float>());
        const float least = lower_[k_ - 1];
        limit = std::nextafter(least, -std::numeric_limits<float>::infinity());  // the lower limits are rounded too
        kept_.erase(std::remove_if(kept_.begin(), kept_.end(), [&](const auto& one) { return one.upper < limit; }),
                    kept_.end());
        room_ = std::max(room_, 2 * kept_.size());
    }
    template <class Body>
    void each(Body&& body) {
        shrink();
        std::sort(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
        for (const auto& one : kept_) body(one.row);
    }

private:
    struct One {
        float upper, lower;
        std::int32_t row;
    };
    size_t k_ = 0, room_ = 0;
    std::vector<One> kept_;
    std::vector<float> lower_;
};

class EuclidSearch {
public:
    EuclidSearch(const double* rows, index n, index d, index k, Groups2 groups, int n_jobs)
        : rows_(rows), n_(n), d_(d), k_(k), groups_(groups), n_jobs_(n_jobs), panels_(rows, n, d, n_jobs) {}

    // distance and row are (n_queries, k); distances are squared.
    void find(const double* queries, index m, double* distance, std::int32_t* row, StopToken& stop) const {
        const Segments chunks{m, 20 * 12};
        parallel_for(chunks.count(), n_jobs_, [&](index s) {
            if (stop.interrupted()) return;
            Chunk chunk(*this, queries, chunks.begin(s), chunks.end(s));
            chunk.scan();
            chunk.measure(distance, row);
        });
    }

private:
    const double* rows_;
    index n_, d_, k_;
    Groups2 groups_;
    int n_jobs_;
    Panels panels_;

    struct Chunk {
        const EuclidSearch& in;
        const double* queries;
        index begin, end, tiles;
        std::vector<float> packed;
        std::vector<double> norm;
        std::vector<Candidates> candidates;
        std::vector<std::uint8_t> huge;  // beyond what float can hold: measured in double against every row

        Chunk(const EuclidSearch& search, const double* q, index from, index to)
            : in(search), queries(q), begin(from), end(to), tiles((to - from + tile_rows - 1) / tile_rows),
              packed(static_cast<size_t>(tiles * tile_rows * search.panels_.depth), 0.0f),
              norm(static_cast<size_t>(tiles * tile_rows), 0.0), candidates(static_cast<size_t>(to - from)),
              huge(static_cast<size_t>(to - from), 0) {
            for (index i = 0; i < end - begin; ++i) pack(i);
        }

        void pack(index i) {
            const Panels& p = in.panels_;
            float* to = packed.data() + (i / tile_rows) * tile_rows * p.depth + i % tile_rows;
            double sum = 0;
            for (index j = 0; j < in.d_; ++j) {
                const double v = (queries[(begin + i) * in.d_ + j] - p.mean[static_cast<size_t>(j)]) * p.scale;
                sum += v * v;
            }
            const auto at = static_cast<size_t>(i);
            candidates[at].start(static_cast<size_t>(in.k_));
            if (!(sum < 1e20)) {
                huge[at] = 1;
                return;
            }
            norm[at] = std::sqrt(sum);
            for (index j = 0; j < in.d_; ++j)
                to[j * tile_rows] =
                    static_cast<float>((queries[(begin + i) * in.d_ + j] - p.mean[static_cast<size_t>(j)]) * p.scale);
            to[in.d_ * tile_rows] = static_cast<float>(p.c * norm[at]);
            to[(in.d_ + 1) * tile_rows] = 1.0f;
        }

        void scan() {
            const Panels& p = in.panels_;
            const index together = std::max<index>(1, 65536 / (p.depth * tile_cols * 4));  // panels that stay in cache
            for (index from = 0; from < p.count(); from += together)
                for (index t = 0; t < tiles; ++t)
                    for (index b = from; b < std::min(p.count(), from + together); ++b) meet(t, b);
        }

        void meet(index t, index b) {
            Lane s[tile_rows][2];
            tile(packed.data() + t * tile_rows * in.panels_.depth, in.panels_.panel(b), in.panels_.depth, s);
            for (index q = 0; q < tile_rows; ++q) {
                const index i = t * tile_rows + q;
                if (i >= end - begin) return;
                const float limit = candidates[static_cast<size_t>(i)].limit;
                const auto reach = (s[q][0] >= limit) | (s[q][1] >= limit);
                int any = 0;
                for (index l = 0; l < lanes; ++l) any |= reach[l];
                if (any) take(i, b, s[q]);
            }
        }

        void take(index i, index b, const Lane (&s)[2]) {
            Candidates& mine = candidates[static_cast<size_t>(i)];
            if (huge[static_cast<size_t>(i)]) return;
            for (index r = 0; r < tile_cols; ++r) {
                const index row = b * tile_cols + r;
                const float upper = s[r / lanes][r % lanes];
                if (row >= in.n_ || !(upper >= mine.limit) || in.groups_.skips(begin + i, row)) continue;
                mine.offer(upper, in.panels_.error(norm[static_cast<size_t>(i)], row), row);
            }
        }

        void measure(double* distance, std::int32_t* row) {
            Nearest nearest;
            for (index i = 0; i < end - begin; ++i) {
                const double* query = queries + (begin + i) * in.d_;
                nearest.start(static_cast<size_t>(in.k_));
                auto offer = [&](index r) { nearest.offer(squared_distance(query, in.rows_ + r * in.d_, in.d_), r); };
                if (!huge[static_cast<size_t>(i)]) candidates[static_cast<size_t>(i)].each(offer);
                else
                    for (index r = 0; r < in.n_; ++r)
                        if (!in.groups_.skips(begin + i, r)) offer(r);
                nearest.finish(distance + (begin + i) * in.k_, row + (begin + i) * in.k_);
            }
        }
    };
};

}  // namespace mercer
