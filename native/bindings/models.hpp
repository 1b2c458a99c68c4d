// Rows, labels and weights from Python, and their checks.
#pragma once

#include "bindings/arrays.hpp"
#include "models/linear.hpp"

using OptionalWeights = std::optional<Array<double>>;

// Rows whose every entry was looked at; keeps the arrays alive. Python may change them later: kernels read them with
// care (models/linear.hpp), and `check` looks again.
class BoundSamples {
public:
  BoundSamples(Array<int64_t> indptr, Array<int32_t> indices, std::optional<Array<float>> values, int64_t columns,
               bool intercept)
      : indptr_(indptr), indices_(indices), values_(values) {
    require(columns >= 0 && columns < std::numeric_limits<int32_t>::max(), "columns are out of range");
    require(!values || values->size() == indices.size(), "values and indices differ in length");
    view_ = {indptr.data(),
             indices.data(),
             values ? values->data() : nullptr,
             static_cast<int64_t>(indptr.size()) - 1,
             columns,
             intercept,
             columns > 0 ? static_cast<int64_t>(indices.size()) : 0};
    check();
  }

  void check() const {
    nb::gil_scoped_release release;
    check_offsets(indptr_, indices_.size(), "indptr is not valid");
    bool inside = true, finite = true; // without a branch, so that many are compared at once
    for (size_t i = 0; i < indices_.size(); ++i)
      inside &= static_cast<uint32_t>(indices_.data()[i]) < static_cast<uint32_t>(view_.columns);
    if (!inside) throw std::out_of_range("a column is out of range");
    if (values_)
      for (size_t i = 0; i < values_->size(); ++i) finite &= std::isfinite(values_->data()[i]);
    require(finite, "a value is not finite");
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
