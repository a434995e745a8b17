// Texts as counts of their p-grams, and of p-grams with gaps.
//
//   counts(i, u) = how often u stands in text i, u a p-gram of which all but `gaps` places are read
//
// over every choice of the places read, each with columns of its own. Two p-grams that differ in d of p places agree on
// C(p - d, gaps - d) of those choices, from which the mismatch kernel of any alphabet follows. A p-gram becomes a whole
// number place by place; when the next place would not fit in 64 bits, the numbers so far are replaced by the order in
// which they first appear, so that no two p-grams ever share a column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "mercer/parallel.hpp"

namespace mercer {

struct Texts {
    const std::int32_t* chars = nullptr;   // code points, one text after the other
    const std::int64_t* starts = nullptr;  // (n + 1)
    index n = 0;

    index length(index i) const { return static_cast<index>(starts[i + 1] - starts[i]); }
    const std::int32_t* text(index i) const { return chars + starts[i]; }
};

struct GramCounts {
    std::vector<double> values;
    std::vector<std::int32_t> columns;  // increasing within a text
    std::vector<std::int64_t> starts;
    std::int64_t n_columns = 0;
};

// Numbers for keys in the order in which they first appear: a table when keys are small, hashing otherwise.
class KeyNames {
public:
    KeyNames(std::uint64_t range, std::size_t n_keys) {
        direct_ = range <= std::max<std::uint64_t>(kDirect, n_keys);
        std::size_t size = 16;
        while (!direct_ && size < 2 * n_keys) size *= 2;
        names_.assign(direct_ ? static_cast<std::size_t>(range) : size, -1);
        if (!direct_) keys_.resize(size);
    }

    std::int32_t of(std::uint64_t key) {
        std::size_t place = static_cast<std::size_t>(key);
        if (!direct_) {
            const std::size_t mask = names_.size() - 1;
            place = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> 20) & mask;
            while (names_[place] >= 0 && keys_[place] != key) place = (place + 1) & mask;
            keys_[place] = key;
        }
        if (names_[place] < 0) names_[place] = next_++;
        return names_[place];
    }
    std::int32_t count() const { return next_; }

private:
    static constexpr std::uint64_t kDirect = 1 << 16;
    bool direct_;
    std::vector<std::int32_t> names_;
    std::vector<std::uint64_t> keys_;
    std::int32_t next_ = 0;
};

class GramCounter {
public:
    GramCounter(const Texts& texts, index length, index gaps) : texts_(texts), length_(length), gaps_(gaps) {
        for (index i = 0; i < texts.n; ++i) windows_ += static_cast<std::size_t>(windows(i));
        for (std::int64_t k = 0; k < texts.starts[texts.n]; ++k)
            radix_ = std::max<std::uint64_t>(radix_, static_cast<std::uint64_t>(texts.chars[k]) + 1);
    }

    GramCounts count() {
        std::vector<std::vector<std::int32_t>> names;
        std::vector<index> kept(static_cast<std::size_t>(length_ - gaps_));
        for (std::size_t k = 0; k < kept.size(); ++k) kept[k] = static_cast<index>(k);
        do names.push_back(pattern(kept));
        while (next(kept));
        return tally(names);
    }

private:
    Texts texts_;
    index length_, gaps_;
    std::size_t windows_ = 0;
    std::uint64_t radix_ = 1;
    std::int64_t n_columns_ = 0;

    index windows(index i) const { return std::max<index>(texts_.length(i) - length_ + 1, 0); }

    // The next choice of places in lexicographic order.
    bool next(std::vector<index>& kept) const {
        const auto size = static_cast<index>(kept.size());
        index k = size - 1;
        while (k >= 0 && kept[k] == length_ - size + k) --k;
        if (k < 0) return false;
        ++kept[k];
        for (index j = k + 1; j < size; ++j) kept[j] = kept[j - 1] + 1;
        return true;
    }

    // The column of each window of each text, when only the places `kept` are read.
    std::vector<std::int32_t> pattern(const std::vector<index>& kept) {
        std::vector<std::uint64_t> keys(windows_, 0);
        std::vector<std::int32_t> names(windows_);
        std::uint64_t range = 1;
        for (const index place : kept) {
            if (range > (std::uint64_t(1) << 62) / radix_) {
                range = static_cast<std::uint64_t>(rename(keys, range, names));
                std::copy(names.begin(), names.end(), keys.begin());
            }
            std::size_t w = 0;
            for (index i = 0; i < texts_.n; ++i) {
                const std::int32_t* text = texts_.text(i) + place;
                for (index j = 0; j < windows(i); ++j, ++w)
                    keys[w] = keys[w] * radix_ + static_cast<std::uint64_t>(text[j]);
            }
            range *= radix_;
        }
        const std::int32_t count = rename(keys, range, names);
        if (n_columns_ + count > INT32_MAX) throw std::bad_alloc();
        for (auto& name : names) name += static_cast<std::int32_t>(n_columns_);
        n_columns_ += count;
        return names;
    }

    static std::int32_t rename(const std::vector<std::uint64_t>& keys, std::uint64_t range,
                               std::vector<std::int32_t>& names) {
        KeyNames known(range, keys.size());
        for (std::size_t w = 0; w < keys.size(); ++w) names[w] = known.of(keys[w]);
        return known.count();
    }

    GramCounts tally(const std::vector<std::vector<std::int32_t>>& names) const {
        GramCounts out;
        out.n_columns = n_columns_;
        out.starts.push_back(0);
        std::vector<std::int32_t> found;
        std::size_t w = 0;
        for (index i = 0; i < texts_.n; ++i) {
            found.clear();
            for (const auto& line : names)
                found.insert(found.end(), line.begin() + static_cast<index>(w),
                             line.begin() + static_cast<index>(w) + windows(i));
            w += static_cast<std::size_t>(windows(i));
            std::sort(found.begin(), found.end());
            for (std::size_t k = 0; k < found.size(); ++k) {
                if (k == 0 || found[k] != found[k - 1]) {
                    out.columns.push_back(found[k]);
                    out.values.push_back(0.0);
                }
                out.values.back() += 1.0;
            }
            out.starts.push_back(static_cast<std::int64_t>(out.columns.size()));
        }
        return out;
    }
};

}  // namespace mercer
