// Matrices, kernel functions and row sources as Python objects.
#pragma once

#include "array.hpp"
#include "mercer/coordinate.hpp"
#include "mercer/kernel_rows.hpp"

namespace mercer::bind {

template <class T>
using In2Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A dense matrix, held while native code reads it.
template <class T>
struct DenseMatrix {
    In2Rows<T> x;
    DenseRows<T> rows;

    static std::shared_ptr<DenseMatrix> of(nb::handle from) {
        auto held = std::make_shared<DenseMatrix>();
        if (from.is_none() || !nb::try_cast<In2Rows<T>>(from, held->x, false)) return nullptr;
        held->rows = {held->x.data(), static_cast<index>(held->x.shape(0)), static_cast<index>(held->x.shape(1))};
        return held;
    }
};

// A CSR matrix from values, columns, starts and n_columns (mercer._core.gram.Csr), checked once.
template <class T>
struct SparseMatrix {
    In1<T> values;
    In1<std::int32_t> columns;
    In1<std::int64_t> starts;
    SparseRows<T> rows{CsrView<T>{nullptr, nullptr, nullptr, 0, 0}};

    static std::shared_ptr<SparseMatrix> of(nb::handle from) {
        auto held = std::make_shared<SparseMatrix>();
        const nb::object values = member(from, "values");
        if (values.is_none() || !nb::try_cast<In1<T>>(values, held->values, false)) return nullptr;
        held->columns = field<In1<std::int32_t>>(from, "columns");
        held->starts = field<In1<std::int64_t>>(from, "starts");
        held->rows = SparseRows<T>(held->view(field<std::int64_t>(from, "n_columns")));
        return held;
    }

private:
    CsrView<T> view(index d) const {
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
};

// body(matrix) with the matrix as it is: dense or sparse, float or double.
template <class Body>
auto with_matrix(nb::handle x, Body body) {
    if (const auto dense = DenseMatrix<double>::of(x)) return body(dense);
    if (const auto dense = DenseMatrix<float>::of(x)) return body(dense);
    if (const auto sparse = SparseMatrix<double>::of(x)) return body(sparse);
    if (const auto sparse = SparseMatrix<float>::of(x)) return body(sparse);
    throw std::invalid_argument(
        "a matrix is a C-contiguous array, or values, columns, starts and n_columns of CSR, of float32 or float64");
}

template <class T>
struct FunctionHandle {
    std::unique_ptr<KernelFunction<T>> kernel;
    bool symmetric = false;
    std::shared_ptr<void> left, right;  // the arrays behind the pointers
};

template <class T>
struct RowsHandle {
    std::unique_ptr<KernelRows<T>> rows;
};

}  // namespace mercer::bind
