// NumPy arrays as the bindings take them: never converted, shapes checked, results owned by Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "gil.hpp"
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
using InOut1 = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out1 = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Out2 = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

inline void expect(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

constexpr index kMostCodes = 1 << 24;  // classes, or levels of a column: tables of them must fit in memory

// rows * cols, or std::bad_alloc beyond what any memory holds.
inline std::size_t cells(std::size_t rows, std::size_t cols) {
    constexpr std::size_t most = std::size_t(1) << 36;
    if (cols > 0 && rows > most / cols) throw std::bad_alloc();
    return rows * cols;
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

// Struct arguments are dataclasses or dicts of Python, read once by name. Arrays are never converted, numbers are.
inline nb::object member(nb::handle from, const char* name) {
    if (nb::isinstance<nb::dict>(from)) {
        const auto dict = nb::borrow<nb::dict>(from);
        return dict.contains(name) ? nb::object(dict[name]) : nb::none();
    }
    return nb::getattr(from, name, nb::none());
}

template <class A>
A field(nb::handle from, const char* name) {
    A out;
    const nb::object value = member(from, name);
    if (value.is_none() || !nb::try_cast<A>(value, out, std::is_arithmetic_v<A>))
        throw std::invalid_argument(std::string("'") + name + "' is absent or of the wrong type or shape");
    return out;
}

template <class A>
std::optional<A> optional_field(nb::handle from, const char* name) {
    if (member(from, name).is_none()) return std::nullopt;
    return field<A>(from, name);
}

template <class A>
auto data_or_null(const std::optional<A>& array) {
    return array ? array->data() : nullptr;
}

inline void expect_classes(const In1<std::int32_t>& classes, index n_rows, index n_classes) {
    expect(n_classes > 0 && n_classes <= kMostCodes, "n_classes must be positive, and at most 2^24");
    expect(static_cast<index>(classes.shape(0)) == n_rows, "classes must have one entry per row");
    for (size_t i = 0; i < classes.shape(0); ++i)
        expect(classes.data()[i] >= 0 && classes.data()[i] < n_classes, "class code out of range");
}

}  // namespace mercer::bind
