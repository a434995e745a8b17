#include "mercer/text_pairs.hpp"

#include <cmath>
#include <string>

#include "check.hpp"

namespace mercer {

namespace {

struct Lines {
    std::vector<std::int32_t> chars;
    std::vector<std::int64_t> starts{0};

    explicit Lines(const std::vector<std::string>& lines) {
        for (const auto& line : lines) {
            chars.insert(chars.end(), line.begin(), line.end());
            starts.push_back(static_cast<std::int64_t>(chars.size()));
        }
    }
    Texts texts() const { return {chars.data(), starts.data(), static_cast<index>(starts.size()) - 1}; }
};

std::vector<std::string> words(index n) {
    std::vector<std::string> out;
    for (index i = 0; i < n; ++i) {
        std::string word;
        for (index k = 0; k < (i * 37) % 150; ++k) word += static_cast<char>('a' + (i * k + k / 3) % 4);
        out.push_back(word);
    }
    return out;
}

double edits(const std::string& s, const std::string& t) {
    std::vector<double> row(t.size() + 1);
    for (std::size_t j = 0; j <= t.size(); ++j) row[j] = static_cast<double>(j);
    for (std::size_t i = 0; i < s.size(); ++i) {
        double corner = row[0];
        row[0] = static_cast<double>(i + 1);
        for (std::size_t j = 0; j < t.size(); ++j) {
            const double best = std::min({row[j] + 1, row[j + 1] + 1, corner + (s[i] != t[j])});
            corner = row[j + 1];
            row[j + 1] = best;
        }
    }
    return row.back();
}

}  // namespace

TEST(grams_are_counted) {
    const Lines lines({"abab", "", "b", "baab"});
    const GramCounts plain = GramCounter(lines.texts(), 2, 0).count();
    CHECK(plain.n_columns == 3);  // ab, ba, aa
    CHECK(plain.starts == (std::vector<std::int64_t>{0, 2, 2, 2, 5}));
    CHECK(plain.values == (std::vector<double>{2, 1, 1, 1, 1}));
    const GramCounts gapped = GramCounter(lines.texts(), 2, 1).count();
    CHECK(gapped.n_columns == 4);                                                      // a*, b*, *b, *a
    const GramCounts longest = GramCounter(Lines(words(40)).texts(), 140, 1).count();  // keys beyond 64 bits
    CHECK(longest.n_columns > 0);
}

TEST(distances_are_edits) {
    const auto list = words(30);
    const Lines lines(list);
    const EditKernel<double> kernel(lines.texts(), lines.texts());
    std::vector<double> out(900);
    fill_gram(static_cast<const KernelFunction<double>&>(kernel), out.data(), 30, true, 2);
    for (std::size_t i = 0; i < 30; ++i)
        for (std::size_t j = 0; j < 30; ++j) CHECK(out[i * 30 + j] == edits(list[i], list[j]));
}

TEST(subsequences_agree_with_their_squares) {
    const Lines lines(words(30));
    const SubsequenceKernel<double> kernel(lines.texts(), lines.texts(), 3, 0.5);
    std::vector<double> out(900), own(30);
    fill_gram(static_cast<const KernelFunction<double>&>(kernel), out.data(), 30, false, 2);
    subsequence_squares(lines.texts(), 3, 0.5, own.data(), 2);
    for (std::size_t i = 0; i < 30; ++i) {
        CHECK(std::fabs(out[i * 31] - own[i]) <= 1e-12 * own[i]);
        for (std::size_t j = 0; j < 30; ++j) CHECK(std::fabs(out[i * 30 + j] - out[j * 30 + i]) <= 1e-9);
    }
    const Lines cats({"cat", "car"});
    std::vector<double> two(4);
    const SubsequenceKernel<double> small(cats.texts(), cats.texts(), 2, 0.5);
    fill_gram(static_cast<const KernelFunction<double>&>(small), two.data(), 2, true, 1);
    CHECK(std::fabs(two[1] - 0.0625) < 1e-15);
}

}  // namespace mercer
