// k nearest rows of a mixed table, by a sum over columns:
//
//   numbers   t = (scale_j |a - b|)^p              (p = 1, 2, any p >= 1, or the largest for p = infinity)
//   codes     t = cost_j[a, b], or differ_j when the levels differ
//   missing   t = fill_j, or the column is left out of this pair and the sum is multiplied by total weight / weight
//   compared
//
// Result: the sum (or the maximum); the caller takes the root. Cosine has its own sums.
#pragma once

#include <cmath>

#include "mercer/counts.hpp"
#include "mercer/lanes.hpp"
#include "mercer/nearest.hpp"
#include "mercer/stop.hpp"

namespace mercer {

struct Mixture {
    index n_numbers = 0, n_codes = 0;
    double power = 2;                          // infinity: maximum
    bool cosine = false;                       // 1 - a.b / (|a| |b|) over the numbers both rows have
    bool leave_out = false;                    // missing: leave the column out, or fill
    const double* scale = nullptr;             // (n_numbers)
    const double* weight = nullptr;            // (n_numbers + n_codes): weight of a column that is compared
    const double* fill = nullptr;              // (n_numbers + n_codes): its term when it is missing
    const std::int32_t* levels = nullptr;      // (n_codes)
    const double* differ = nullptr;            // (n_codes): term of two levels that differ, for columns without a table
    const std::int64_t* cost_start = nullptr;  // (n_codes + 1): start of column j's table, levels x levels or empty
    const double* cost = nullptr;
};

// Rows laid out in blocks, column by column, so that one query is compared with a whole block at a time.
class MixedBlock {
public:
    static constexpr index size = 256;
    index begin = 0, count = 0;
    std::vector<double> number;
    std::vector<std::int32_t> code;
    std::vector<std::uint8_t> gaps;  // per column: some cell here is missing

    void fill(const Mixture& mix, const double* numbers, const std::int32_t* codes, index from, index to) {
        begin = from;
        count = to - from;
        number.assign(static_cast<size_t>(mix.n_numbers * size), 0.0);
        code.assign(static_cast<size_t>(mix.n_codes * size), 0);
        gaps.assign(static_cast<size_t>(mix.n_numbers + mix.n_codes), 0);
        for (index i = 0; i < count; ++i) {
            for (index j = 0; j < mix.n_numbers; ++j) {
                const double v = numbers[(from + i) * mix.n_numbers + j];
                number[static_cast<size_t>(j * size + i)] = v;
                gaps[static_cast<size_t>(j)] |= std::isnan(v);
            }
            for (index j = 0; j < mix.n_codes; ++j) {
                const std::int32_t v = codes[(from + i) * mix.n_codes + j];
                code[static_cast<size_t>(j * size + i)] = v;
                gaps[static_cast<size_t>(mix.n_numbers + j)] |= v < 0;
            }
        }
    }
};

// As many doubles as a register holds.
#if defined(__AVX512F__)
constexpr index pack = 8;
#elif defined(__AVX__)
constexpr index pack = 4;
#else
constexpr index pack = 2;
#endif
using Pack = Vector<double, pack* static_cast<int>(sizeof(double))>;

// A number column that is known in the query and in the whole block: its cells in the block, the query's cell, the
// scale.
struct Known {
    const double* cells;
    double query, scale;
};

// sum[r] = step over the columns, four registers of rows at a time so that sums need not be stored in between.
template <class Step>
inline void sum_known(const std::vector<Known>& columns, double* sum, Step step) {
    for (index r = 0; r < MixedBlock::size; r += 4 * pack) {
        Pack total[4] = {};
        for (const Known& column : columns) {
            MERCER_UNROLL(4)
            for (index v = 0; v < 4; ++v) {
                Pack x;
                std::memcpy(&x, column.cells + r + v * pack, sizeof x);
                step(total[v], column.query - x, column.scale);
            }
        }
        std::memcpy(sum + r, total, sizeof total);
    }
}

class MixedMeter {
public:
    explicit MixedMeter(const Mixture& mix) : mix_(mix) {
        for (index j = 0; j < mix.n_numbers + mix.n_codes; ++j) all_ += mix.weight[j];
    }

    // sum[r] = distance term of the query to row r of the block.
    void measure(const MixedBlock& block, const double* numbers, const std::int32_t* codes, double* sum) {
        if (mix_.cosine) return cosine(block, numbers, sum);
        lost_ = 0;
        any_gap_ = false;
        known_numbers(block, numbers, sum);
        for (index j = 0; j < mix_.n_numbers; ++j) other_numbers(block, j, numbers[j], sum);
        for (index j = 0; j < mix_.n_codes; ++j) code_column(block, j, codes[j], sum);
        if (mix_.leave_out && (lost_ > 0 || any_gap_)) grow(sum);
    }

private:
    const Mixture& mix_;
    double all_ = 0, lost_ = 0;
    bool any_gap_ = false;
    std::vector<Known> known_;
    double gap_[MixedBlock::size], dot_[MixedBlock::size], norm_a_[MixedBlock::size], norm_b_[MixedBlock::size];

    void lose(index column, double* sum) {
        if (mix_.leave_out) {
            lost_ += mix_.weight[column];
            return;
        }
        const double t = mix_.fill[column];
        const bool largest = std::isinf(mix_.power);
        for (index r = 0; r < MixedBlock::size; ++r) sum[r] = largest ? std::max(sum[r], t) : sum[r] + t;
    }

    void open_gaps() {
        if (!any_gap_) std::fill_n(gap_, MixedBlock::size, 0.0);
        any_gap_ = true;
    }

    // Whole powers are products; any other needs a logarithm per cell and is left to number_gaps.
    bool fast() const { return std::isinf(mix_.power) || (mix_.power <= 16 && mix_.power == std::floor(mix_.power)); }

    void known_numbers(const MixedBlock& block, const double* numbers, double* sum) {
        known_.clear();
        for (index j = 0; fast() && j < mix_.n_numbers; ++j)
            if (!block.gaps[static_cast<size_t>(j)] && !std::isnan(numbers[j]))
                known_.push_back({block.number.data() + j * MixedBlock::size, numbers[j], mix_.scale[j]});
        if (mix_.power == 1) sum_known(known_, sum, [](Pack& t, const Pack& d, double s) { t += s * absolute(d); });
        else if (mix_.power == 2)
            sum_known(known_, sum, [](Pack& t, const Pack& d, double s) { t += (s * d) * (s * d); });
        else if (std::isinf(mix_.power))
            sum_known(known_, sum, [](Pack& t, const Pack& d, double s) {
                const Pack a = s * absolute(d);
                t = select(a > t, a, t);
            });
        else {
            const int times = fast() ? static_cast<int>(mix_.power) : 1;
            sum_known(known_, sum, [times](Pack& t, const Pack& d, double s) {
                const Pack a = s * absolute(d);
                Pack product = a;
                for (int k = 1; k < times; ++k) product *= a;
                t += product;
            });
        }
    }

    void other_numbers(const MixedBlock& block, index j, double a, double* sum) {
        if (std::isnan(a)) return lose(j, sum);
        if (!fast() || block.gaps[static_cast<size_t>(j)])
            number_gaps(block.number.data() + j * MixedBlock::size, j, a, sum);
    }

    double term(double d, double s) const {
        if (mix_.power == 2) return (s * d) * (s * d);
        return mix_.power == 1 || std::isinf(mix_.power) ? s * d : std::pow(s * d, mix_.power);
    }

    void number_gaps(const double* b, index j, double a, double* sum) {
        const double s = mix_.scale[j], w = mix_.weight[j], fill = mix_.fill[j];
        const bool largest = std::isinf(mix_.power);
        if (mix_.leave_out) open_gaps();
        for (index r = 0; r < MixedBlock::size; ++r) {
            const bool gone = std::isnan(b[r]);
            if (gone && mix_.leave_out) {
                gap_[r] += w;
                continue;
            }
            const double t = gone ? fill : term(std::abs(a - b[r]), s);
            sum[r] = largest ? std::max(sum[r], t) : sum[r] + t;
        }
    }

    void code_column(const MixedBlock& block, index j, std::int32_t a, double* sum) {
        const index column = mix_.n_numbers + j;
        if (a < 0) return lose(column, sum);
        const std::int32_t* b = block.code.data() + j * MixedBlock::size;
        const bool gaps = block.gaps[static_cast<size_t>(column)] != 0, largest = std::isinf(mix_.power);
        const bool table = mix_.cost_start[j + 1] > mix_.cost_start[j];
        const double w = mix_.weight[column], differ = mix_.differ[j];
        if (!gaps && !table && !largest) {
            MERCER_SIMD()
            for (index r = 0; r < MixedBlock::size; ++r) sum[r] += a == b[r] ? 0.0 : differ;
            return;
        }
        if (gaps && mix_.leave_out) open_gaps();
        const double* costs = mix_.cost + mix_.cost_start[j] + a * static_cast<index>(mix_.levels[j]);
        for (index r = 0; r < MixedBlock::size; ++r) {
            if (b[r] < 0 && mix_.leave_out) {
                gap_[r] += w;
                continue;
            }
            const double t = b[r] < 0 ? mix_.fill[column] : table ? costs[b[r]] : a == b[r] ? 0.0 : differ;
            sum[r] = largest ? std::max(sum[r], t) : sum[r] + t;
        }
    }

    // Columns left out: the sum of the others is scaled up. No column in common: infinitely far.
    void grow(double* sum) const {
        const bool largest = std::isinf(mix_.power);
        for (index r = 0; r < MixedBlock::size; ++r) {
            const double met = all_ - lost_ - (any_gap_ ? gap_[r] : 0.0);
            if (met <= 1e-12 * all_) sum[r] = std::numeric_limits<double>::infinity();
            else if (!largest) sum[r] *= all_ / met;
        }
    }

    void cosine(const MixedBlock& block, const double* numbers, double* sum) {
        std::fill_n(dot_, MixedBlock::size, 0.0);
        std::fill_n(norm_a_, MixedBlock::size, 0.0);
        std::fill_n(norm_b_, MixedBlock::size, 0.0);
        std::fill_n(gap_, MixedBlock::size, 0.0);
        for (index j = 0; j < mix_.n_numbers; ++j) {
            const double a = numbers[j], s = mix_.scale[j] * mix_.scale[j];
            if (std::isnan(a)) continue;
            const double* b = block.number.data() + j * MixedBlock::size;
            MERCER_SIMD()
            for (index r = 0; r < MixedBlock::size; ++r) {
                const bool met = b[r] == b[r];
                const double v = met ? b[r] : 0.0;
                dot_[r] += s * a * v;
                norm_a_[r] += met ? s * a * a : 0.0;
                norm_b_[r] += s * v * v;
                gap_[r] += met ? 1.0 : 0.0;
            }
        }
        for (index r = 0; r < MixedBlock::size; ++r) {
            const double norms = std::sqrt(norm_a_[r]) * std::sqrt(norm_b_[r]);
            sum[r] = gap_[r] == 0 ? std::numeric_limits<double>::infinity()
                     : norms > 0  ? std::max(0.0, 1 - dot_[r] / norms)
                                  : 1.0;
        }
    }
};

struct MixedRows {
    const double* numbers;
    const std::int32_t* codes;
    index rows;
};

inline void nearest_mixed(const Mixture& mix, const MixedRows& rows, const MixedRows& queries, index k, Groups2 groups,
                          int n_jobs, double* distance, std::int32_t* row, StopToken& stop) {
    const index blocks = (rows.rows + MixedBlock::size - 1) / MixedBlock::size;
    std::vector<MixedBlock> block(static_cast<size_t>(blocks));
    parallel_for(blocks, n_jobs, [&](index b) {
        block[static_cast<size_t>(b)].fill(mix, rows.numbers, rows.codes, b * MixedBlock::size,
                                           std::min(rows.rows, (b + 1) * MixedBlock::size));
    });
    const Segments chunks{queries.rows, 64};
    parallel_for(chunks.count(), n_jobs, [&](index s) {
        if (stop.interrupted()) return;
        MixedMeter meter(mix);
        std::vector<Nearest> nearest(static_cast<size_t>(chunks.end(s) - chunks.begin(s)));
        for (auto& one : nearest) one.start(static_cast<size_t>(k));
        double sum[MixedBlock::size];
        for (const MixedBlock& b : block)
            for (index q = chunks.begin(s); q < chunks.end(s); ++q) {
                Nearest& mine = nearest[static_cast<size_t>(q - chunks.begin(s))];
                meter.measure(b, queries.numbers + q * mix.n_numbers, queries.codes + q * mix.n_codes, sum);
                for (index r = 0; r < b.count; ++r)
                    if (mine.wants(sum[r]) && !groups.skips(q, b.begin + r)) mine.offer(sum[r], b.begin + r);
            }
        for (index q = chunks.begin(s); q < chunks.end(s); ++q)
            nearest[static_cast<size_t>(q - chunks.begin(s))].finish(distance + q * k, row + q * k);
    });
}

// out[q, r], every pair.
inline void all_mixed(const Mixture& mix, const MixedRows& rows, const MixedRows& queries, int n_jobs, double* out) {
    const Segments blocks{rows.rows, MixedBlock::size};
    parallel_for(blocks.count(), n_jobs, [&](index s) {
        MixedBlock block;
        block.fill(mix, rows.numbers, rows.codes, blocks.begin(s), blocks.end(s));
        MixedMeter meter(mix);
        double sum[MixedBlock::size];
        for (index q = 0; q < queries.rows; ++q) {
            meter.measure(block, queries.numbers + q * mix.n_numbers, queries.codes + q * mix.n_codes, sum);
            std::copy_n(sum, block.count, out + q * rows.rows + block.begin);
        }
    });
}

}  // namespace mercer
