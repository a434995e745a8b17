#include "mercer/codes_gram.hpp"
#include "mercer/compressed_kernel.hpp"
#include "mercer/computed_rows.hpp"

#include "check.hpp"

#include <stdexcept>

namespace mercer {

namespace {

std::vector<double> table(index n, index d, double zeros) {
    std::vector<double> x(static_cast<std::size_t>(n * d));
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double u = std::fmod(std::sin(static_cast<double>(i) * 12.9898) * 43758.5453, 1.0);
        x[i] = std::fabs(u) < zeros ? 0.0 : u;
    }
    return x;
}

double naive(const KernelSpec& spec, const double* a, const double* b, index d) {
    double dot = 0.0, square = 0.0, absolute = 0.0;
    for (index k = 0; k < d; ++k) {
        dot += a[k] * b[k];
        square += (a[k] - b[k]) * (a[k] - b[k]);
        absolute += std::fabs(a[k] - b[k]);
    }
    switch (spec.kind) {
        case KernelKind::linear: return dot;
        case KernelKind::polynomial: return std::pow(spec.gamma * dot + spec.coef0, spec.degree);
        case KernelKind::rbf: return std::exp(-spec.gamma * square);
        case KernelKind::laplacian: return std::exp(-spec.gamma * absolute);
        case KernelKind::sigmoid: return std::tanh(spec.gamma * dot + spec.coef0);
        default: return square;
    }
}

double worst_error(const KernelFunction<double>& kernel, const KernelSpec& spec, const std::vector<double>& x, index n,
                   index d, bool symmetric, int n_jobs) {
    std::vector<double> out(static_cast<std::size_t>(n * n));
    fill_gram(kernel, out.data(), n, symmetric, n_jobs);
    double worst = 0.0;
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            worst = std::max(worst, std::fabs(out[i * n + j] - naive(spec, &x[i * d], &x[j * d], d)));
    return worst;
}

const KernelKind kKinds[] = {KernelKind::linear,    KernelKind::polynomial, KernelKind::rbf,
                             KernelKind::laplacian, KernelKind::sigmoid,    KernelKind::distance};

}  // namespace

TEST(dense_kernels_are_the_naive_ones) {
    const index n = 67, d = 9;
    const auto x = table(n, d, 0.0);
    for (KernelKind kind : kKinds) {
        const KernelSpec spec{kind, 0.3, 0.5, 3.0};
        const DenseKernel<double> kernel(x.data(), n, x.data(), n, d, spec);
        for (int n_jobs : {1, 3}) CHECK(worst_error(kernel, spec, x, n, d, true, n_jobs) < 1e-12);
    }
}

TEST(sparse_kernels_are_the_naive_ones) {
    const index n = 45, d = 40;
    const auto x = table(n, d, 0.85);
    const OwnCsr<double> rows(x.data(), n, d);
    for (KernelKind kind : kKinds) {
        const KernelSpec spec{kind, 0.3, 0.5, 2.0};
        const CsrKernel<double> kernel(rows.view(), rows.view(), spec);
        CHECK(worst_error(kernel, spec, x, n, d, false, 2) < 1e-12);
    }
    const KernelSpec rbf{KernelKind::rbf, 0.3, 0.0, 0.0};
    CHECK(compression_pays(x.data(), n, d, rbf));
    CHECK(!compression_pays(table(n, d, 0.0).data(), n, d, rbf));
}

TEST(a_function_among_some_rows_has_the_values_of_the_whole) {
    const index n = 70, d = 18;
    const std::vector<std::int32_t> chosen = {3, 69, 0, 3, 41};
    for (const double zeros : {0.0, 0.9})
        for (const double scale : {1.0, 500.0})  // 500: many rows are far from the origin
            for (KernelKind kind : kKinds) {
                auto x = table(n, d, zeros);
                for (index k = 0; k < d; ++k) x[41 * d + k] *= 300.0;  // one row is far
                for (double& value : x) value *= scale;
                const auto kernel = kernel_of_dense(x.data(), n, x.data(), n, d, {kind, 0.3, 0.5, 2.0});
                const auto some = kernel->among(chosen.data(), 5);
                CHECK(some->left() == n && some->right() == 5);
                std::vector<double> whole(static_cast<std::size_t>(n * n)), part(static_cast<std::size_t>(n * 5));
                fill_gram(*kernel, whole.data(), n, false, 1);
                fill_gram(*some, part.data(), 5, false, 2);
                for (index i = 0; i < n; ++i)
                    for (index c = 0; c < 5; ++c)
                        CHECK(part[i * 5 + c] == whole[i * n + chosen[c]]);  // to the last bit
            }
}

TEST(a_gram_matrix_is_exactly_symmetric) {
    const index n = 600, d = 5;  // more than one tile
    const auto x = table(n, d, 0.0);
    const DenseKernel<double> kernel(x.data(), n, x.data(), n, d, {KernelKind::rbf, 2.0, 0.0, 0.0});
    std::vector<double> mirrored(static_cast<std::size_t>(n * n)), whole(mirrored);
    fill_gram(kernel, mirrored.data(), n, true, 2);
    fill_gram(kernel, whole.data(), n, false, 1);
    CHECK(mirrored == whole);
    for (index i = 0; i < n; ++i) CHECK(mirrored[i * n + i] == 1.0);
}

TEST(a_kernel_product_is_the_matrix_times_the_coefficients) {
    const index n = 90, d = 4, m = 2;
    const auto x = table(n, d, 0.0), coef = table(n, m, 0.0);
    const KernelSpec spec{KernelKind::rbf, 1.5, 0.0, 0.0};
    const DenseKernel<double> kernel(x.data(), n, x.data(), n, d, spec);
    std::vector<double> out(static_cast<std::size_t>(n * m));
    kernel_product(kernel, coef.data(), m, out.data(), 2);
    for (index i = 0; i < n; ++i)
        for (index c = 0; c < m; ++c) {
            double sum = 0.0;
            for (index j = 0; j < n; ++j) sum += naive(spec, &x[i * d], &x[j * d], d) * coef[j * m + c];
            CHECK(check::near(out[i * m + c], sum, 1e-12));
        }
}

TEST(overlap_counts_equal_levels) {
    const std::vector<std::int32_t> codes = {0, 1, 0, 0, -1, 1, 2, 1};  // 4 rows, 2 columns; -1 is missing
    const std::vector<std::int64_t> offsets = {0, 3, 5};
    const std::vector<double> match(5, 1.0), u(5, 0.0), weight = {2.0, 3.0};
    const CodeTables tables{2, offsets.data(), match.data(), u.data(), weight.data(), nullptr, Mismatch::zero};
    const CodesKernel<float> kernel(codes.data(), 4, codes.data(), 4, tables);
    std::vector<float> out(16);
    fill_gram(kernel, out.data(), 4, false, 1);
    const std::vector<float> expected = {5, 2, 3, 3, 2, 5, 0, 0, 3, 0, 3, 3, 3, 0, 3, 5};
    CHECK(out == expected);
}

TEST(a_cache_computes_a_row_again_after_it_was_dropped) {
    int computed = 0;
    CachedRows<double> rows(10, 10, 3 * 10 * sizeof(double),
                            [&](const std::int32_t* which, index count, double* const* out) {
                                computed += static_cast<int>(count);
                                for (index r = 0; r < count; ++r)
                                    std::fill_n(out[r], 10, static_cast<double>(which[r]));
                            });
    CHECK(rows.capacity() == 3);
    Team team(1);
    const double* found[2];
    const auto ask = [&](std::int32_t a, std::int32_t b) {
        const std::int32_t wanted[] = {a, b};
        rows.fetch(wanted, 2, found, team);
        CHECK(found[0][0] == a && found[1][9] == b);
    };
    ask(0, 1);
    ask(1, 2);  // 1 is held
    CHECK(computed == 3);
    ask(3, 1);  // 0, the least recently used, leaves
    ask(0, 1);
    CHECK(computed == 5);
}

TEST(computed_rows_are_added_up_whether_they_are_held_or_kept_or_not) {
    const index n = 700, d = 3, count = 500;  // several chunks of rows, more than one tile
    const auto x = table(n, d, 0.0), coef = table(count, 1, 0.0);
    const DenseKernel<double> kernel(x.data(), n, x.data(), n, d, {KernelKind::rbf, 0.7, 0.0, 0.0});
    std::vector<double> gram(static_cast<std::size_t>(n * n));
    fill_gram(kernel, gram.data(), n, true, 1);
    FullGram<double> matrix(gram.data(), n, n);
    std::vector<std::int32_t> rows;
    std::vector<char> keep;
    for (index k = 0; k < count; ++k) {
        rows.push_back(static_cast<std::int32_t>(k * 3 % n));
        keep.push_back(static_cast<char>(k % 4 == 0));
    }
    const RowSum sum{rows.data(), coef.data(), keep.data(), count};
    std::vector<double> expected(n, 1.0), f(n, 1.0);
    Team one(1), three(3);
    matrix.add(sum, expected.data(), one);
    ComputedRows<double> computed(kernel, 150 * n * sizeof(double));
    std::atomic<int> looks{0};
    computed.watch = [&] {
        if (++looks == 2) throw std::runtime_error("stop");
    };
    bool stopped = false;
    try {
        computed.add(sum, f.data(), three);
    } catch (const std::runtime_error&) {
        stopped = true;
    }
    CHECK(stopped && f == std::vector<double>(n, 1.0));
    computed.watch = nullptr;
    for (Team* team : {&one, &three}) {
        std::fill(f.begin(), f.end(), 1.0);
        computed.add(sum, f.data(), *team);
        CHECK(f == expected);  // to the last bit
    }
    const double* found[2];
    computed.fetch(rows.data() + 3, 2, found, three);  // one that was not kept, one that was
    for (index r = 0; r < 2; ++r)
        for (index j = 0; j < n; ++j) CHECK(found[r][j] == gram[rows[3 + r] * n + j]);
}

// A kernel that counts the values it computes, and says that it is enough when there are `most`.
class Counting final : public KernelFunction<double> {
public:
    Counting(const KernelFunction<double>& inner, index most) : most_(most), inner_(inner) {}
    index left() const override { return inner_.left(); }
    index right() const override { return inner_.right(); }
    void compute(const std::int32_t* rows, index count, index begin, index end, double* const* out) const override {
        inner_.compute(rows, count, begin, end, out);
        if ((computed += count * (end - begin)) >= most_) enough = true;
    }
    mutable std::atomic<index> computed{0};
    mutable std::atomic<bool> enough{false};

private:
    index most_;
    const KernelFunction<double>& inner_;
};

TEST(rows_computed_ahead_spare_their_computing_and_change_no_value) {
    const index n = 700, d = 3, count = 300;
    const auto x = table(n, d, 0.0), coef = table(count, 1, 0.0);
    const DenseKernel<double> dense(x.data(), n, x.data(), n, d, {KernelKind::rbf, 0.7, 0.0, 0.0});
    std::vector<std::int32_t> rows, guess;
    std::vector<char> keep;
    for (index k = 0; k < count; ++k) {
        rows.push_back(static_cast<std::int32_t>(k * 3 % n));
        guess.push_back(static_cast<std::int32_t>(k * 2 % n));  // some of these rows, and some others
        keep.push_back(static_cast<char>(k % 4 == 0));
    }
    const RowSum sum{rows.data(), coef.data(), keep.data(), count};
    Team one(1), three(3);
    std::vector<double> expected(n, 1.0);
    ComputedRows<double>(dense, 4000 * n * sizeof(double)).add(sum, expected.data(), one);
    for (const index most :
         {index(0), index(30000), index(1) << 40}) {  // nothing, part of a bundle, all that is guessed
        const Counting kernel(dense, most);
        ComputedRows<double> computed(kernel, 4000 * n * sizeof(double));
        CHECK(computed.guess(guess.data(), count));
        kernel.enough = most == 0;
        three.run([&](int) { computed.compute_ahead(kernel.enough); });
        const index ahead = kernel.computed;
        CHECK((ahead > 0) == (most > 0) && ahead <= count * n);
        std::vector<double> f(n, 1.0);
        computed.add(sum, f.data(), three);
        CHECK(f == expected);
        if (most == 0) CHECK(kernel.computed == count * n);
        else CHECK(kernel.computed < ahead + count * n);
        std::fill(f.begin(), f.end(), 1.0);
        computed.add(sum, f.data(), one);  // those that were kept have the values that were guessed
        CHECK(f == expected);
    }
}

}  // namespace mercer
