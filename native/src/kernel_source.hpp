// Kernel functions and row sources as Python objects.
#pragma once

#include "array.hpp"
#include "mercer/kernel_rows.hpp"

namespace mercer::bind {

template <class T>
using In2Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The arrays behind the pointers are kept alive by nb::keep_alive on the factories.
template <class T>
struct FunctionHandle {
    std::unique_ptr<KernelFunction<T>> kernel;
    bool symmetric = false;
};

template <class T>
struct RowsHandle {
    std::unique_ptr<KernelRows<T>> rows;
};

inline KernelSpec kernel_spec(int kind, double gamma, double coef0, double degree) {
    expect(kind >= 0 && kind <= 5, "unknown kernel");
    return {static_cast<KernelKind>(kind), gamma, coef0, degree};
}

template <class T>
CsrView<T> csr_view(const In1<T>& values, const In1<std::int32_t>& columns, const In1<std::int64_t>& starts, index d) {
    const index n = static_cast<index>(starts.shape(0)) - 1, nnz = static_cast<index>(values.shape(0));
    expect(n >= 0, "CSR needs at least one row pointer");
    expect(d >= 0 && d <= INT32_MAX, "columns are numbered by 32 bits");
    expect(static_cast<index>(columns.shape(0)) == nnz, "CSR values and columns differ in length");
    expect(starts.data()[0] == 0 && starts.data()[n] == nnz, "CSR row pointers do not span the values");
    for (index i = 0; i < n; ++i) expect(starts.data()[i] <= starts.data()[i + 1], "CSR row pointers decrease");
    for (index s = 0; s < nnz; ++s)
        expect(columns.data()[s] >= 0 && columns.data()[s] < d, "CSR column out of range");
    return {values.data(), columns.data(), starts.data(), n, d};
}

}  // namespace mercer::bind
