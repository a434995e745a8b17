// NumPy arrays as the bindings take them: never converted, shapes checked, results owned by Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "mercer/rows.hpp"

namespace mercer::bind {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using In1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using In2C = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out1 = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Out2 = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

inline void expect(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

template <class T>
Matrix<T> matrix(const In2<T>& x) {
    return {x.data(), static_cast<index>(x.shape(0)), static_cast<index>(x.shape(1)), x.stride(0), x.stride(1)};
}

// A fresh row-major array with the values of `from`, freed when Python is done with it.
template <class T>
Out2<T> owned(const std::vector<T>& from, size_t rows, size_t cols) {
    auto* data = new T[from.size()];
    std::copy(from.begin(), from.end(), data);
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Out2<T>(data, {rows, cols}, owner);
}

template <class T>
Out1<T> line(const std::vector<T>& from) {
    auto* data = new T[from.size() + 1];
    std::copy(from.begin(), from.end(), data);
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Out1<T>(data, {from.size()}, owner);
}

inline void expect_classes(const In1<std::int32_t>& classes, index n_rows, index n_classes) {
    expect(static_cast<index>(classes.shape(0)) == n_rows, "classes must have one entry per row");
    for (size_t i = 0; i < classes.shape(0); ++i)
        expect(classes.data()[i] >= 0 && classes.data()[i] < n_classes, "class code out of range");
}

}  // namespace mercer::bind
