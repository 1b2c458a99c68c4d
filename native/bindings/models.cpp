// Rows, and the scores that linear models give them.
#include "bindings/models.hpp"

#include "models/dual.hpp"

// Rows without values are scored in single precision, the others in double.
template <typename Real>
static NumpyArray<Real> score_bound_rows(const BoundSamples &samples, int64_t begin, int64_t end,
                                         const Array<Real> &weights, int classes) {
  const Samples &x = samples.view();
  check_classes(classes);
  require(samples.valued() == std::is_same_v<Real, double>, "weights have the wrong precision");
  require(begin >= 0 && begin <= end && end <= x.rows, "rows are out of range");
  require(static_cast<int64_t>(weights.size()) == x.features() * stride_of(classes), "weights have the wrong size");
  std::vector<Real> scores;
  {
    nb::gil_scoped_release release;
    scores.resize((end - begin) * classes);
    with_shape(classes, samples.valued(), [&](auto shape) {
      if constexpr (std::is_same_v<typename decltype(shape)::Real, Real>)
        score_rows<shape.S>(x, begin, end, weights.data(), classes, scores.data());
    });
  }
  return to_numpy(std::move(scores));
}

void bind_models(nb::module_ &m) {
  m.attr("MAX_CLASSES") = kMaxClasses;
  m.attr("LANES") = kLanes;
  m.attr("BLOCK_ROWS") = kBlockRows;
  m.def(
      "stride_of",
      [](int classes) {
        check_classes(classes);
        return stride_of(classes);
      },
      "classes"_a);
  nb::class_<BoundSamples>(m, "Samples")
      .def(nb::init<Array<int64_t>, Array<int32_t>, std::optional<Array<float>>, int64_t, bool>(), "indptr"_a,
           "indices"_a, "values"_a.none(), "columns"_a, "intercept"_a)
      .def("check", &BoundSamples::check);
  m.def("score_rows", &score_bound_rows<float>, "samples"_a, "begin"_a, "end"_a, "weights"_a.noconvert(), "classes"_a);
  m.def("score_rows", &score_bound_rows<double>, "samples"_a, "begin"_a, "end"_a, "weights"_a.noconvert(), "classes"_a);
  bind_dual(m);
  bind_primal(m);
}
