// The short way in and out of a prediction: numbers read where Python keeps them, and an array made by numpy
// itself. For one row nanobind's arrays took 0.9 of 3.2 us.
#pragma once
#include <nanobind/nanobind.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bind/bind.hpp"

namespace bough {

// How numpy's arrays and their types begin: its C interface reads them where they stand, so this is part of
// what it promises extensions. Asked for as a buffer, an array took 0.1 us.
struct ArrayHead {
    PyObject_HEAD;
    char* data;
    int n_axes;
    const Py_ssize_t *shape, *strides;  // in bytes
    PyObject* base;
    const struct ArrayType* type;
    int flags;

    static constexpr int kAligned = 0x100;
    static ArrayHead& of(nanobind::handle array) { return *reinterpret_cast<ArrayHead*>(array.ptr()); }
};
struct ArrayType {
    PyObject_HEAD;
    PyTypeObject* scalar;
    char kind, letter, byte_order, reserved;
    int number;

    static constexpr int kDouble = 12;
    static constexpr char kOwnOrder = std::endian::native == std::endian::little ? '<' : '>';
    bool is_double() const { return number == kDouble && (byte_order == '=' || byte_order == kOwnOrder); }
};

// The rows of a float64 array, or of a list of lists of floats and ints; nothing if the data is anything else
// or may be wrong, which only the long way can name. Exact types: numpy's own subclasses mean something by
// it.
class PlainRows {
  public:
    PlainRows(nanobind::handle data, nanobind::handle array_type, size_t n_columns) : n_columns_(n_columns) {
        if (reinterpret_cast<PyObject*>(Py_TYPE(data.ptr())) == array_type.ptr()) {
            read_array(ArrayHead::of(data));
        } else if (PyList_CheckExact(data.ptr())) {
            read_list(data.ptr());
        }
        if (n_rows_ > 0 && !all_finite(matrix())) n_rows_ = 0;
    }
    PlainRows(const PlainRows&) = delete;
    PlainRows& operator=(const PlainRows&) = delete;

    int64_t size() const { return n_rows_; }  // 0: go the long way
    std::vector<ColumnView> columns() const { return columns_of(matrix()); }

  private:
    static constexpr double kExact = 9007199254740992.0;  // 2^53: from here on float64 lacks whole numbers

    void read_array(const ArrayHead& array) {
        constexpr auto kSize = static_cast<Py_ssize_t>(sizeof(double));
        if (array.n_axes != 2 || !array.type->is_double() || !(array.flags & ArrayHead::kAligned) ||
            array.shape[1] != static_cast<Py_ssize_t>(n_columns_) || array.strides[0] % kSize != 0 ||
            array.strides[1] % kSize != 0)
            return;
        first_ = reinterpret_cast<const double*>(array.data);
        by_row_ = array.strides[0] / kSize;
        by_column_ = array.strides[1] / kSize;
        n_rows_ = array.shape[0];
    }
    void read_list(PyObject* rows) {
        const Py_ssize_t n = PyList_GET_SIZE(rows), width = static_cast<Py_ssize_t>(n_columns_);
        for (Py_ssize_t r = 0; r < n; ++r) {
            PyObject* const row = PyList_GET_ITEM(rows, r);
            if (!PyList_CheckExact(row) || PyList_GET_SIZE(row) != width) return;
            if (r == 0) copy_.reserve(static_cast<size_t>(n) * n_columns_);  // not for a list of other things
            for (Py_ssize_t j = 0; j < width; ++j)
                if (!take(PyList_GET_ITEM(row, j))) return;
        }
        first_ = copy_.data();
        by_row_ = static_cast<int64_t>(n_columns_);
        n_rows_ = n;
    }
    bool take(PyObject* number) {
        if (PyFloat_CheckExact(number)) {
            copy_.push_back(PyFloat_AS_DOUBLE(number));
        } else if (PyLong_CheckExact(number)) {
            copy_.push_back(PyLong_AsDouble(number));
            if (copy_.back() == -1.0 && PyErr_Occurred()) {
                PyErr_Clear();
                return false;
            }
        } else {
            return false;
        }
        return !(std::fabs(copy_.back()) >= kExact);
    }
    MatrixView matrix() const {
        return {first_, n_rows_, static_cast<int64_t>(n_columns_), by_row_, by_column_};
    }

    std::vector<double> copy_;
    const double* first_ = nullptr;
    int64_t n_rows_ = 0, by_row_ = 0, by_column_ = 1;
    size_t n_columns_;
};

}  // namespace bough
