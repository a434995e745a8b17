// Rows of a node put in the order of their codes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace mercer::tree {

inline int lowest_bit(std::uint64_t word) {
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long at = 0;
    _BitScanForward64(&at, word);
    return static_cast<int>(at);
#else
    return __builtin_ctzll(word);
#endif
}

// Sorts (code, payload) pairs, codes below `span`, payloads of one code in the order given, into words
// (code << 32 | payload). The codes present are marked in a bitmap and its marks are read in order, those of one code
// in a list: about two steps a row, where sorting by comparisons takes log2(rows).
class Orderer {
public:
    template <class Payload>
    void sort(const std::uint32_t* codes, size_t n, std::uint32_t span, Payload&& payload,
              std::vector<std::uint64_t>& words) {
        words.resize(n);
        const auto word = [&](size_t i) { return std::uint64_t{codes[i]} << 32 | payload(i); };
        if (n <= few) {
            for (size_t i = 0; i < n; ++i) insert(words.data(), i, word(i));
        } else if (span <= most_span) {
            by_marks(codes, n, span, word, words.data());
        } else {
            for (size_t i = 0; i < n; ++i) words[i] = word(i);
            std::stable_sort(words.begin(), words.end(), [](auto a, auto b) { return (a >> 32) < (b >> 32); });
        }
    }

private:
    static constexpr size_t few = 16;
    static constexpr std::uint32_t most_span = 1u << 20, none = UINT32_MAX;
    std::vector<std::uint64_t> marks_, index_;  // a bit per code; a bit per word of those
    std::vector<std::uint32_t> head_, next_;    // of the list of each code, of each entry

    static void insert(std::uint64_t* words, size_t n, std::uint64_t word) {
        const std::uint64_t code = word >> 32;
        size_t at = n;
        for (; at > 0 && (words[at - 1] >> 32) > code; --at) words[at] = words[at - 1];
        words[at] = word;
    }

    template <class Word>
    void by_marks(const std::uint32_t* codes, size_t n, std::uint32_t span, Word&& word, std::uint64_t* out) {
        const size_t marks = (span + 63) / 64, groups = (marks + 63) / 64;
        if (head_.size() < span) head_.resize(span);
        if (next_.size() < n) next_.resize(n);
        if (marks_.size() < marks) marks_.resize(marks, 0);
        if (index_.size() < groups) index_.resize(groups, 0);
        for (size_t i = n; i-- > 0;) {  // from the last: a list begins with its first entry
            const std::uint32_t code = codes[i];
            const std::uint64_t bit = std::uint64_t{1} << (code & 63);
            std::uint64_t& mark = marks_[code >> 6];
            next_[i] = mark & bit ? head_[code] : none;
            head_[code] = static_cast<std::uint32_t>(i);
            mark |= bit;
            index_[code >> 12] |= std::uint64_t{1} << ((code >> 6) & 63);
        }
        for (size_t g = 0; g < groups; ++g) {
            for (std::uint64_t some = index_[g]; some != 0; some &= some - 1) {
                const size_t m = g * 64 + static_cast<size_t>(lowest_bit(some));
                for (std::uint64_t mark = marks_[m]; mark != 0; mark &= mark - 1) {
                    std::uint32_t i = head_[m * 64 + static_cast<size_t>(lowest_bit(mark))];
                    for (; i != none; i = next_[i]) *out++ = word(i);
                }
                marks_[m] = 0;
            }
            index_[g] = 0;
        }
    }
};

}  // namespace mercer::tree
