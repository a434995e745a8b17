#include <nanobind/stl/tuple.h>

#include "kernel_source.hpp"
#include "mercer/text_pairs.hpp"

namespace mercer::bind {

constexpr index kMostGram = 256, kMostPatterns = 4096;

// mercer._core.texts.Texts, held while native code reads it.
struct HeldTexts {
    In1<std::int32_t> chars;
    In1<std::int64_t> starts;
    Texts texts;

    explicit HeldTexts(nb::handle from)
        : chars(field<In1<std::int32_t>>(from, "chars")), starts(field<In1<std::int64_t>>(from, "starts")) {
        const index n = static_cast<index>(starts.shape(0)) - 1;
        expect(n >= 0 && n < INT32_MAX, "texts need a start each, and one more");
        expect(starts.data()[0] == 0 && starts.data()[n] == static_cast<std::int64_t>(chars.shape(0)),
               "starts do not span the characters");
        for (index i = 0; i < n; ++i) expect(starts.data()[i] <= starts.data()[i + 1], "starts decrease");
        for (std::size_t k = 0; k < chars.shape(0); ++k)
            expect(chars.data()[k] >= 0 && chars.data()[k] <= 0x10FFFF, "no such character");
        texts = {chars.data(), starts.data(), n};
    }
    bool same(const HeldTexts& other) const {
        return starts.data() == other.starts.data() && chars.data() == other.chars.data() && texts.n == other.texts.n;
    }
};

static void expect_subsequence(index length, double decay) {
    expect(length >= 1 && length <= kMostSubsequence, "subsequences have 1 to 16 characters");
    expect(decay > 0.0 && decay <= 1.0, "decay must be above 0 and at most 1");
}

static void expect_grams(index length, index gaps) {
    expect(length >= 1 && length <= kMostGram, "p-grams have 1 to 256 characters");
    expect(gaps >= 0 && gaps <= length, "gaps must be from 0 to the length");
    double patterns = 1.0;
    for (index k = 0; k < std::min(gaps, length - gaps); ++k)
        patterns = patterns * static_cast<double>(length - k) / static_cast<double>(k + 1);
    expect(patterns <= kMostPatterns, "too many ways to place the gaps");
}

template <class T>
nb::object text_kernel(const std::shared_ptr<HeldTexts>& a, const std::shared_ptr<HeldTexts>& b, nb::handle spec) {
    const int code = field<int>(spec, "code");
    std::unique_ptr<KernelFunction<T>> kernel;
    if (code == 0) {
        const auto length = field<std::int64_t>(spec, "length");
        const auto decay = field<double>(spec, "decay");
        expect_subsequence(length, decay);
        kernel = std::make_unique<SubsequenceKernel<T>>(a->texts, b->texts, length, decay);
    } else {
        expect(code == 1, "unknown comparison of texts");
        kernel = std::make_unique<EditKernel<T>>(a->texts, b->texts);
    }
    return nb::cast(FunctionHandle<T>{std::move(kernel), a->same(*b), a, b});
}

void bind_text(nb::module_& m) {
    m.def(
        "gapped_grams",
        [](nb::handle texts, index length, index gaps) {
            const HeldTexts held(texts);
            expect_grams(length, gaps);
            GramCounts found;
            {
                const ReleasedGil released;
                found = GramCounter(held.texts, length, gaps).count();
            }
            return std::make_tuple(line(found.values), line(found.columns), line(found.starts), found.n_columns);
        },
        "texts"_a, "length"_a, "gaps"_a);
    m.def(
        "text_kernel",
        [](nb::handle a, nb::handle b, nb::handle spec, bool single) {
            const auto left = std::make_shared<HeldTexts>(a), right = std::make_shared<HeldTexts>(b);
            return single ? text_kernel<float>(left, right, spec) : text_kernel<double>(left, right, spec);
        },
        "a"_a, "b"_a, "spec"_a, "single"_a);
    m.def(
        "subsequence_squares",
        [](nb::handle texts, index length, double decay, int n_jobs) {
            const HeldTexts held(texts);
            expect_subsequence(length, decay);
            std::vector<double> out(static_cast<std::size_t>(held.texts.n));
            {
                const ReleasedGil released;
                subsequence_squares(held.texts, length, decay, out.data(), n_jobs);
            }
            return line(out);
        },
        "texts"_a, "length"_a, "decay"_a, "n_jobs"_a);
}

}  // namespace mercer::bind
