// Kernels and distances of pairs of texts by dynamic programming.
//
// Subsequences (Lodhi et al. 2002, equations of section 4): with K'_0 = 1,
//   K''_l(i, j) = decay K''_l(i, j-1) + [s_i = t_j] decay^2 K'_(l-1)(i-1, j-1)
//   K'_l(i, j)  = decay K'_l(i-1, j) + K''_l(i, j)
//   K_p(s, t)   = sum over i, j with s_i = t_j of decay^2 K'_(p-1)(i-1, j-1)
// all terms positive, so nothing cancels. One left text meets as many right texts at a time as a vector has lanes;
// texts of a tile are ordered by length, so that few lanes wait for others.
//
// Edit distance (Myers 1999; blocks of 64 rows as Hyyro 2003): a column of the table is held as the signs of its
// differences, one bit each.
#pragma once

#include <numeric>

#include "mercer/kernel_function.hpp"
#include "mercer/text_grams.hpp"

namespace mercer {

constexpr index kMostSubsequence = 16;  // characters

// K_p of the W pairs of texts in the lanes; lanes of unequal length are padded, s with -1 and t with -2.
template <class T>
class SubsequenceTable {
public:
    using Vec = typename Lanes<T>::Vec;
    using Index = typename Lanes<T>::Index;

    SubsequenceTable(index length, T decay) : length_(length), decay_(decay) {}

    Vec pairs(const Index* s, index n_s, const Index* t, index n_t) {
        switch (length_) {
            case 1: return run<1>(s, n_s, t, n_t);
            case 2: return run<2>(s, n_s, t, n_t);
            case 3: return run<3>(s, n_s, t, n_t);
            case 4: return run<4>(s, n_s, t, n_t);
            case 5: return run<5>(s, n_s, t, n_t);
            default: return run<0>(s, n_s, t, n_t);
        }
    }

private:
    index length_;
    T decay_;
    AlignedBuffer<T> table_;  // K'_l of the row before, (n_t, length - 1) vectors

    template <index P>
    Vec run(const Index* s, index n_s, const Index* t, index n_t) {
        const index levels = (P ? P : length_) - 1;
        constexpr index W = kVectorBytes / sizeof(T), most = P ? P : kMostSubsequence;
        const std::size_t cells = static_cast<std::size_t>(std::max<index>(n_t * levels, 1) * W);
        table_.resize(cells);
        std::fill_n(table_.get(), cells, T(0));
        Vec total = {}, one = Vec{} + T(1), weight = Vec{} + decay_ * decay_;
        for (index i = 0; i < n_s; ++i) {
            const Index want = s[i];
            Vec across[most] = {}, before[most] = {};  // K''_l(i, j-1), K'_l(i-1, j-1)
            before[0] = one;
            Vec* line = reinterpret_cast<Vec*>(table_.get());
            for (index j = 0; j < n_t; ++j, line += levels) {
                const Vec match = select(t[j] == want, weight, Vec{});
                total += match * before[levels];
                for (index l = levels; l > 0; --l) {
                    across[l] = across[l] * decay_ + match * before[l - 1];
                    const Vec old = line[l - 1];
                    line[l - 1] = old * decay_ + across[l];
                    before[l] = old;
                }
            }
        }
        return total;
    }
};

// Texts side by side: lane w of vector j is character j of text w, `pad` after its end.
template <class T>
class TextLanes {
    using Int = typename Lanes<T>::Int;
    static constexpr index W = kVectorBytes / sizeof(T);

public:
    using Index = typename Lanes<T>::Index;

    void load(const Texts& texts, const std::int32_t* which, index count, Int pad) {
        length_ = 0;
        for (index w = 0; w < count; ++w) length_ = std::max(length_, texts.length(which[w]));
        cells_.resize(static_cast<std::size_t>(std::max<index>(length_, 1) * W));
        std::fill_n(cells_.get(), length_ * W, pad);
        for (index w = 0; w < count; ++w)
            for (index j = 0; j < texts.length(which[w]); ++j)
                cells_[static_cast<std::size_t>(j * W + w)] = texts.text(which[w])[j];
    }
    void repeat(const Texts& texts, index which) {
        length_ = texts.length(which);
        cells_.resize(static_cast<std::size_t>(std::max<index>(length_, 1) * W));
        for (index j = 0; j < length_; ++j) std::fill_n(cells_.get() + j * W, W, Int(texts.text(which)[j]));
    }
    const Index* chars() const { return reinterpret_cast<const Index*>(cells_.get()); }
    index length() const { return length_; }

private:
    AlignedBuffer<Int> cells_;
    index length_ = 0;
};

template <class T>
class SubsequenceKernel final : public KernelFunction<T> {
    static constexpr index W = kVectorBytes / sizeof(T);

public:
    SubsequenceKernel(const Texts& a, const Texts& b, index length, double decay)
        : a_(a), b_(b), length_(length), decay_(static_cast<T>(decay)), order_(static_cast<std::size_t>(b.n)) {
        std::iota(order_.begin(), order_.end(), 0);
        for (index j = 0; j < b.n; j += this->kTile)
            std::stable_sort(order_.begin() + j, order_.begin() + std::min(j + this->kTile, b.n),
                             [&b](std::int32_t x, std::int32_t y) { return b.length(x) < b.length(y); });
    }
    index left() const override { return a_.n; }
    index right() const override { return b_.n; }

    void compute(const std::int32_t* rows, index count, index begin, index end, T* const* out) const override {
        SubsequenceTable<T> table(length_, decay_);
        TextLanes<T> s, t;
        const index last = std::min((end + this->kTile - 1) / this->kTile * this->kTile, b_.n);
        for (index j = begin; j < last; j += W) {
            const index m = std::min(W, last - j);
            t.load(b_, order_.data() + j, m, -2);
            for (index r = 0; r < count; ++r) {
                s.repeat(a_, rows[r]);
                const auto found = table.pairs(s.chars(), s.length(), t.chars(), t.length());
                for (index w = 0; w < m; ++w)
                    if (const index to = order_[static_cast<std::size_t>(j + w)]; to < end)
                        out[r][to - begin] = found[w];
            }
        }
    }

private:
    Texts a_, b_;
    index length_;
    T decay_;
    std::vector<std::int32_t> order_;  // right texts by length, within each tile
};

// out[i] = K_p(text i, text i).
inline void subsequence_squares(const Texts& texts, index length, double decay, double* out, int n_jobs) {
    constexpr index W = kVectorBytes / sizeof(double);
    const Segments groups{texts.n, W};
    parallel_for(groups.count(), n_jobs, [&](index g) {
        std::int32_t which[W];
        const index m = groups.end(g) - groups.begin(g);
        for (index w = 0; w < m; ++w) which[w] = static_cast<std::int32_t>(groups.begin(g) + w);
        TextLanes<double> s, t;
        s.load(texts, which, m, -1);
        t.load(texts, which, m, -2);
        const auto found = SubsequenceTable<double>(length, decay).pairs(s.chars(), s.length(), t.chars(), t.length());
        for (index w = 0; w < m; ++w) out[which[w]] = found[w];
    });
}

// Insertions, deletions and replacements that turn one text into the other.
template <class T>
class EditKernel final : public KernelFunction<T> {
    using Word = std::uint64_t;

public:
    EditKernel(const Texts& a, const Texts& b) : a_(a), b_(b) {
        std::int32_t largest = 0;
        for (const Texts& side : {a, b})
            for (std::int64_t k = 0; k < side.starts[side.n]; ++k) largest = std::max(largest, side.chars[k]);
        KeyNames names(static_cast<Word>(largest) + 1, static_cast<std::size_t>(a.starts[a.n] + b.starts[b.n]));
        for (std::int64_t k = 0; k < a.starts[a.n]; ++k) chars_a_.push_back(names.of(static_cast<Word>(a.chars[k])));
        for (std::int64_t k = 0; k < b.starts[b.n]; ++k) chars_b_.push_back(names.of(static_cast<Word>(b.chars[k])));
        alphabet_ = names.count();
        a_.chars = chars_a_.data();
        b_.chars = chars_b_.data();
    }
    index left() const override { return a_.n; }
    index right() const override { return b_.n; }

    void compute(const std::int32_t* rows, index count, index begin, index end, T* const* out) const override {
        Column column;
        for (index r = 0; r < count; ++r) {
            column.load(a_.text(rows[r]), a_.length(rows[r]), alphabet_);
            for (index j = begin; j < end; ++j)
                out[r][j - begin] = static_cast<T>(column.distance(b_.text(j), b_.length(j)));
        }
    }

private:
    Texts a_, b_;
    std::vector<std::int32_t> chars_a_, chars_b_;  // numbered from 0
    index alphabet_ = 0;

    struct Column {
        std::vector<Word> equal;  // (blocks, alphabet): where in the left text a character stands
        std::vector<Word> plus, minus;
        index length = 0, blocks = 0, alphabet = 0;
        Word last = 0;

        void load(const std::int32_t* text, index n, index characters) {
            length = n, alphabet = characters, blocks = (n + 63) / 64;
            last = n ? Word(1) << ((n - 1) % 64) : 0;
            equal.assign(static_cast<std::size_t>(blocks * alphabet), 0);
            for (index i = 0; i < n; ++i)
                equal[static_cast<std::size_t>(i / 64 * alphabet + text[i])] |= Word(1) << (i % 64);
        }

        index distance(const std::int32_t* text, index n) {
            if (!length) return n;
            plus.assign(static_cast<std::size_t>(blocks), ~Word(0));
            minus.assign(static_cast<std::size_t>(blocks), 0);
            index score = length;
            for (index j = 0; j < n; ++j) {
                int carry = 1;  // the distance of nothing to j characters grows by one
                for (index k = 0; k < blocks; ++k)
                    carry = advance(k, equal[static_cast<std::size_t>(k * alphabet + text[j])], carry);
                score += carry;
            }
            return score;
        }

        int advance(index k, Word same, int carry) {
            Word &up = plus[static_cast<std::size_t>(k)], &down = minus[static_cast<std::size_t>(k)];
            const Word vertical = same | down;
            if (carry < 0) same |= 1;
            const Word horizontal = (((same & up) + up) ^ up) | same;
            Word more = down | ~(horizontal | up), less = up & horizontal;
            const Word high = k + 1 == blocks ? last : Word(1) << 63;
            const int out = (more & high) ? 1 : (less & high) ? -1 : 0;
            more = (more << 1) | (carry > 0 ? 1 : 0);
            less = (less << 1) | (carry < 0 ? 1 : 0);
            up = less | ~(vertical | more);
            down = more & vertical;
            return out;
        }
    };
};

}  // namespace mercer
