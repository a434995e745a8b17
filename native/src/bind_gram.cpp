#include <nanobind/stl/string.h>

#include "interrupt.hpp"
#include "kernel_source.hpp"
#include "mercer/compressed_kernel.hpp"

namespace mercer::bind {

template <class T>
void bind_functions(nb::module_& m) {
    m.def(
        "dense_kernel",
        [](In2Rows<T> a, In2Rows<T> b, int kind, double gamma, double coef0, double degree) {
            expect(a.shape(1) == b.shape(1), "both sides need the same columns");
            const auto n_a = static_cast<index>(a.shape(0)), n_b = static_cast<index>(b.shape(0));
            const KernelSpec spec = kernel_spec(kind, gamma, coef0, degree);
            FunctionHandle<T> handle;
            handle.symmetric = a.data() == b.data() && n_a == n_b;
            handle.kernel = kernel_of_dense(a.data(), n_a, b.data(), n_b, static_cast<index>(a.shape(1)), spec);
            return handle;
        },
        "a"_a.noconvert(), "b"_a.noconvert(), "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, nb::keep_alive<0, 1>(),
        nb::keep_alive<0, 2>());
    m.def(
        "csr_kernel",
        [](In1<T> va, In1<std::int32_t> ca, In1<std::int64_t> sa, In1<T> vb, In1<std::int32_t> cb, In1<std::int64_t> sb,
           index d, int kind, double gamma, double coef0, double degree) {
            const CsrView<T> a = csr_view(va, ca, sa, d), b = csr_view(vb, cb, sb, d);
            FunctionHandle<T> handle;
            handle.symmetric = a.values == b.values && a.starts == b.starts && a.n == b.n;
            handle.kernel = std::make_unique<CsrKernel<T>>(a, b, kernel_spec(kind, gamma, coef0, degree));
            return handle;
        },
        "va"_a.noconvert(), "ca"_a.noconvert(), "sa"_a.noconvert(), "vb"_a.noconvert(), "cb"_a.noconvert(),
        "sb"_a.noconvert(), "d"_a, "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, nb::keep_alive<0, 1>(),
        nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>(), nb::keep_alive<0, 5>(),
        nb::keep_alive<0, 6>());
    m.def(
        "gram_into",
        [](const FunctionHandle<T>& f, InOut2<T> out, int n_jobs) {
            const index n_a = f.kernel->left(), n_b = f.kernel->right();
            expect(static_cast<index>(out.shape(0)) == n_a && static_cast<index>(out.shape(1)) == n_b,
                   "out must be left rows x right rows");
            nb::gil_scoped_release release;
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
            nb::gil_scoped_release release;
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
        [](const FunctionHandle<T>& f, std::size_t budget_bytes, int n_jobs) {
            expect(f.symmetric, "a row source needs the same rows on both sides");
            const index n = f.kernel->left();
            return RowsHandle<T>{std::make_unique<CachedRows<T>>(n, n, budget_bytes, whole_rows(*f.kernel, n_jobs))};
        },
        "function"_a, "budget_bytes"_a, "n_jobs"_a, nb::keep_alive<0, 1>());
}

// Rows that Python computes: any kernel at all, in bounded memory.
template <class T>
RowsHandle<T> callback_rows(nb::callable function, index n, std::size_t budget_bytes) {
    expect(n >= 0 && n <= std::numeric_limits<std::int32_t>::max(), "rows are numbered by 32 bits");
    auto compute = [function, n](const std::int32_t* rows, index count, T* const* out) {
        nb::gil_scoped_acquire acquire;
        auto* copy = new std::int32_t[static_cast<std::size_t>(count)];
        std::copy(rows, rows + count, copy);
        nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
        nb::object result = function(nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>(copy, {static_cast<std::size_t>(count)}, owner));
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
    nb::class_<RowsHandle<float>>(m, "Rows32").def_prop_ro("capacity", [](const RowsHandle<float>& h) { return h.rows->capacity(); });
    nb::class_<RowsHandle<double>>(m, "Rows64").def_prop_ro("capacity", [](const RowsHandle<double>& h) { return h.rows->capacity(); });
    bind_functions<float>(m);
    bind_functions<double>(m);
    bind_sources<float>(m);
    bind_sources<double>(m);
    m.def("callback_rows32", &callback_rows<float>, "function"_a, "n"_a, "budget_bytes"_a);
    m.def("callback_rows64", &callback_rows<double>, "function"_a, "n"_a, "budget_bytes"_a);
}

}  // namespace mercer::bind
