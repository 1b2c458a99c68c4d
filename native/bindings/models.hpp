// Rows, labels and weights from Python, and their checks.
#pragma once

#include "bindings/arrays.hpp"
#include "models/linear.hpp"

using OptionalWeights = std::optional<Array<double>>;

// Rows whose every entry was looked at once; keeps the arrays alive.
class BoundSamples {
public:
  BoundSamples(Array<int64_t> indptr, Array<int32_t> indices, std::optional<Array<float>> values, int64_t columns,
               bool intercept)
      : indptr_(indptr), indices_(indices), values_(values) {
    require(columns >= 0 && columns < std::numeric_limits<int32_t>::max(), "columns are out of range");
    require(!values || values->size() == indices.size(), "values and indices differ in length");
    nb::gil_scoped_release release;
    check_offsets(indptr, indices.size(), "indptr is not valid");
    for (size_t i = 0; i < indices.size(); ++i)
      if (indices.data()[i] < 0 || indices.data()[i] >= columns) throw std::out_of_range("a column is out of range");
    if (values)
      for (size_t i = 0; i < values->size(); ++i) require(std::isfinite(values->data()[i]), "a value is not finite");
    view_ = {indptr.data(), indices.data(), values ? values->data() : nullptr, static_cast<int64_t>(indptr.size()) - 1,
             columns,       intercept};
  }

  const Samples &view() const { return view_; }
  bool valued() const { return view_.values != nullptr; }

private:
  const Array<int64_t> indptr_;
  const Array<int32_t> indices_;
  const std::optional<Array<float>> values_;
  Samples view_;
};

inline void check_classes(int classes) {
  require(classes >= 2 && classes <= kMaxClasses, "classes are out of range");
}

inline void check_labels(const Array<int32_t> &y, int64_t rows, int classes) {
  require(static_cast<int64_t>(y.size()) == rows, "there must be one label for each row");
  for (size_t i = 0; i < y.size(); ++i) require(y.data()[i] >= 0 && y.data()[i] < classes, "a label is out of range");
}

inline void check_weights(const std::optional<Array<double>> &weights, int64_t rows) {
  if (!weights) return;
  require(static_cast<int64_t>(weights->size()) == rows, "there must be one weight for each row");
  for (size_t i = 0; i < weights->size(); ++i)
    require(std::isfinite(weights->data()[i]) && weights->data()[i] >= 0, "a weight is negative or not finite");
}

inline void check_threads(int threads) {
  require(threads >= 1 && threads <= 1024, "threads are out of range");
}

// In bindings/models_dual.cpp and bindings/models_primal.cpp.
void bind_dual(nb::module_ &m);
void bind_primal(nb::module_ &m);
