#include <nanobind/stl/string.h>

#include "kernel_source.hpp"
#include "mercer/compressed_kernel.hpp"
#include "mercer/computed_rows.hpp"

namespace mercer::bind {

template <class T>
nb::object function_object(std::unique_ptr<KernelFunction<T>> kernel, bool symmetric, std::shared_ptr<void> left,
                           std::shared_ptr<void> right) {
    return nb::cast(FunctionHandle<T>{std::move(kernel), symmetric, std::move(left), std::move(right)});
}

static KernelSpec kernel_spec(nb::handle from) {
    const int kind = field<int>(from, "code");
    expect(kind >= 0 && kind <= 5, "unknown kernel");
    return {static_cast<KernelKind>(kind), field<double>(from, "gamma"), field<double>(from, "coef0"),
            field<double>(from, "degree")};
}

template <class T>
std::unique_ptr<KernelFunction<T>> kernel_of(const DenseRows<T>& a, const DenseRows<T>& b, const KernelSpec& spec) {
    return kernel_of_dense(a.x, a.n, b.x, b.n, a.d, spec);
}
template <class T>
std::unique_ptr<KernelFunction<T>> kernel_of(const SparseRows<T>& a, const SparseRows<T>& b, const KernelSpec& spec) {
    return std::make_unique<CsrKernel<T>>(a.x, b.x, spec);
}

template <class T>
bool same(const DenseRows<T>& a, const DenseRows<T>& b) {
    return a.x == b.x && a.n == b.n;
}
template <class T>
bool same(const SparseRows<T>& a, const SparseRows<T>& b) {
    return a.x.values == b.x.values && a.x.starts == b.x.starts && a.n == b.n;
}

// k(a_i, b_j): both sides dense or both sparse, and of one type. Empty arrays of a side may have any address.
static nb::object kernel_function(nb::handle a, nb::handle b, nb::handle spec) {
    const KernelSpec formula = kernel_spec(spec);
    return with_matrix(a, [&](const auto& left) {
        using Held = std::decay_t<decltype(*left)>;
        const auto right = Held::of(b);
        expect(right != nullptr, "both sides of a kernel must be of one kind and type");
        expect(left->rows.d == right->rows.d, "both sides need the same columns");
        return function_object(kernel_of(left->rows, right->rows, formula), same(left->rows, right->rows), left, right);
    });
}

template <class T>
void bind_functions(nb::module_& m) {
    m.def(
        "gram_into",
        [](const FunctionHandle<T>& f, InOut2<T> out, int n_jobs) {
            const index n_a = f.kernel->left(), n_b = f.kernel->right();
            expect(static_cast<index>(out.shape(0)) == n_a && static_cast<index>(out.shape(1)) == n_b,
                   "out must be left rows x right rows");
            const ReleasedGil released;
            fill_gram(*f.kernel, out.data(), n_b, f.symmetric, n_jobs);
        },
        "function"_a, "out"_a.noconvert(), "n_jobs"_a);
    m.def(
        "kernel_product",
        [](const FunctionHandle<T>& f, In2C<double> coef, InOut2<double> out, int n_jobs) {
            const index m_out = static_cast<index>(coef.shape(1));
            expect(static_cast<index>(coef.shape(0)) == f.kernel->right(), "coef needs a row per right row");
            expect(static_cast<index>(out.shape(0)) == f.kernel->left() && static_cast<index>(out.shape(1)) == m_out,
                   "out must be left rows x coef columns");
            const ReleasedGil released;
            kernel_product(*f.kernel, coef.data(), m_out, out.data(), n_jobs);
        },
        "function"_a, "coef"_a.noconvert(), "out"_a.noconvert(), "n_jobs"_a);
}

template <class T>
void bind_sources(nb::module_& m) {
    m.def(
        "gram_rows",
        [](In2Rows<T> gram) {
            expect(gram.shape(0) == gram.shape(1), "the Gram matrix must be square");
            const auto n = static_cast<index>(gram.shape(0));
            return RowsHandle<T>{std::make_unique<FullGram<T>>(gram.data(), n, n)};
        },
        "gram"_a.noconvert(), nb::keep_alive<0, 1>());
    m.def(
        "function_rows",
        [](const FunctionHandle<T>& f, std::size_t budget_bytes) {
            expect(f.symmetric, "a row source needs the same rows on both sides");
            return RowsHandle<T>{std::make_unique<ComputedRows<T>>(*f.kernel, budget_bytes)};
        },
        "function"_a, "budget_bytes"_a, nb::keep_alive<0, 1>());
}

// Rows that Python computes: any kernel at all, in bounded memory.
template <class T>
RowsHandle<T> callback_rows(nb::callable function, index n, std::size_t budget_bytes) {
    expect(n >= 0 && n <= std::numeric_limits<std::int32_t>::max(), "rows are numbered by 32 bits");
    auto compute = [function, n](const std::int32_t* rows, index count, T* const* out) {
        const TakenGil gil;
        auto* copy = new std::int32_t[static_cast<std::size_t>(count)];
        std::copy(rows, rows + count, copy);
        nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
        nb::object result =
            function(nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>(copy, {static_cast<std::size_t>(count)}, owner));
        In2Rows<T> block;
        if (!nb::try_cast<In2Rows<T>>(result, block, false))
            throw std::invalid_argument("the kernel callable must return a C-contiguous matrix of the declared dtype");
        expect(static_cast<index>(block.shape(0)) == count && static_cast<index>(block.shape(1)) == n,
               "the kernel callable returned a matrix of the wrong shape");
        for (index r = 0; r < count; ++r) {
            for (index j = 0; j < n; ++j)
                expect(std::isfinite(block.data()[r * n + j]), "the kernel callable returned NaN or infinity");
            std::copy(block.data() + r * n, block.data() + (r + 1) * n, out[r]);
        }
    };
    return {std::make_unique<CachedRows<T>>(n, n, budget_bytes, compute)};
}

void bind_gram(nb::module_& m) {
    nb::class_<FunctionHandle<float>>(m, "Function32");
    nb::class_<FunctionHandle<double>>(m, "Function64");
    nb::class_<RowsHandle<float>>(m, "Rows32").def_prop_ro("capacity", [](const RowsHandle<float>& h) {
        return h.rows->capacity();
    });
    nb::class_<RowsHandle<double>>(m, "Rows64").def_prop_ro("capacity", [](const RowsHandle<double>& h) {
        return h.rows->capacity();
    });
    bind_functions<float>(m);
    bind_functions<double>(m);
    bind_sources<float>(m);
    bind_sources<double>(m);
    m.def("kernel_function", &kernel_function, "a"_a, "b"_a, "spec"_a);
    m.def(
        "callback_rows",
        [](nb::callable function, index n, bool single, std::size_t budget_bytes) -> nb::object {
            if (single) return nb::cast(callback_rows<float>(std::move(function), n, budget_bytes));
            return nb::cast(callback_rows<double>(std::move(function), n, budget_bytes));
        },
        "function"_a, "n"_a, "single"_a, "budget_bytes"_a);
}

}  // namespace mercer::bind
