// Learners that work on the weights themselves.
#include "bindings/models.hpp"

#include <mutex>

#include "models/bayes.hpp"
#include "models/sgd.hpp"

using Output = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static void check_size(size_t size, int64_t expected) {
  require(static_cast<int64_t>(size) == expected, "vectors differ in length");
}

// A loss with the arrays that it sums over.
class BoundLogLoss {
public:
  BoundLogLoss(std::shared_ptr<BoundSamples> samples, Array<int32_t> y, OptionalWeights weights, int classes,
               const Array<double> &units, double ridge, double lasso, int threads)
      : samples_(samples), y_(y), weights_(weights) {
    const Samples &x = samples->view();
    check_classes(classes);
    check_threads(threads);
    check_labels(y, x.rows, classes);
    check_weights(weights, x.rows);
    require(static_cast<int64_t>(units.size()) == x.features(), "there must be one unit for each feature");
    for (const double strength : {ridge, lasso})
      require(std::isfinite(strength) && strength >= 0, "the penalty is out of range");
    nb::gil_scoped_release release;
    loss_ = std::make_unique<LogLoss>(x, y.data(), weights ? weights->data() : nullptr, classes, copy_of(units), ridge,
                                      lasso, threads);
  }

  int64_t size() const { return loss_->size(); }

  double evaluate(const Array<double> &v, const Output &gradient) {
    require(static_cast<int64_t>(v.size()) == size(), "weights have the wrong size");
    check_size(gradient.size(), size());
    nb::gil_scoped_release release;
    std::scoped_lock lock(mutex_);
    return loss_->evaluate(v.data(), gradient.data());
  }

private:
  const std::shared_ptr<BoundSamples> samples_;
  const Array<int32_t> y_;
  const OptionalWeights weights_;
  std::unique_ptr<LogLoss> loss_;
  std::mutex mutex_;
};

// What is known of a function's curvature, for one thread at a time.
class BoundCurvature {
public:
  BoundCurvature(int64_t size, int history, int threads) : curvature_(checked(size, history, threads)) {}

  int count() {
    nb::gil_scoped_release release;
    std::scoped_lock lock(mutex_);
    return curvature_.count();
  }

  void forget() {
    nb::gil_scoped_release release;
    std::scoped_lock lock(mutex_);
    curvature_.forget();
  }

  void learn(const Array<double> &x, const Array<double> &next_x, const Array<double> &g, const Array<double> &next_g) {
    for (const auto *vector : {&x, &next_x, &g, &next_g}) check_size(vector->size(), curvature_.size());
    nb::gil_scoped_release release;
    std::scoped_lock lock(mutex_);
    curvature_.learn(x.data(), next_x.data(), g.data(), next_g.data());
  }

  void direction(const Array<double> &slope, const Output &out) {
    check_size(slope.size(), curvature_.size());
    check_size(out.size(), curvature_.size());
    nb::gil_scoped_release release;
    std::scoped_lock lock(mutex_);
    curvature_.direction(slope.data(), out.data());
  }

private:
  static Curvature checked(int64_t size, int history, int threads) {
    require(size >= 0 && size <= int64_t{1} << 40, "the size is out of range");
    require(history >= 1 && history <= 1024, "the history is out of range");
    check_threads(threads);
    return Curvature(size, history, threads);
  }

  Curvature curvature_;
  std::mutex mutex_;
};

static void bound_pseudo_gradient(const Array<double> &x, const Array<double> &gradient, const Array<double> &strength,
                                  const Output &out, int threads) {
  check_threads(threads);
  const auto size = static_cast<int64_t>(x.size());
  for (const size_t other : {gradient.size(), strength.size(), out.size()}) check_size(other, size);
  nb::gil_scoped_release release;
  pseudo_gradient(size, x.data(), gradient.data(), strength.data(), threads, out.data());
}

static double bound_move(const Array<double> &x, const Array<double> &direction, double length,
                         const Array<double> &slope, bool kinks, const Output &out, int threads) {
  check_threads(threads);
  const auto size = static_cast<int64_t>(x.size());
  for (const size_t other : {direction.size(), slope.size(), out.size()}) check_size(other, size);
  nb::gil_scoped_release release;
  return move(size, x.data(), direction.data(), length, slope.data(), kinks, threads, out.data());
}

// Stochastic gradient descent with the arrays that it works on.
class BoundSgd {
public:
  BoundSgd(std::shared_ptr<BoundSamples> samples, Array<int32_t> y, OptionalWeights weights, int classes,
           const Array<double> &start, double steps)
      : samples_(samples), y_(y), weights_(weights) {
    const Samples &x = samples->view();
    check_classes(classes);
    check_labels(y, x.rows, classes);
    check_weights(weights, x.rows);
    require(static_cast<int64_t>(start.size()) == x.features() * classes, "weights have the wrong size");
    require(std::isfinite(steps) && steps >= 0, "steps are out of range");
    solver_ =
        std::make_unique<SgdSolver>(x, y.data(), weights ? weights->data() : nullptr, classes, copy_of(start), steps);
  }

  double run(const Array<int64_t> &begins, int64_t length, double eta0, double lambda) {
    const int64_t rows = samples_->view().rows;
    for (size_t i = 0; i < begins.size(); ++i)
      require(begins.data()[i] >= 0 && begins.data()[i] < rows, "a row is out of range");
    require(length >= 1 && length <= rows, "the length is out of range");
    require(std::isfinite(eta0) && eta0 > 0, "eta0 is out of range");
    require(std::isfinite(lambda) && lambda >= 0, "lambda is out of range");
    nb::gil_scoped_release release;
    std::scoped_lock lock(mutex_);
    return solver_->run(begins.data(), static_cast<int64_t>(begins.size()), length, eta0, lambda);
  }

  double steps() {
    nb::gil_scoped_release release;
    std::scoped_lock lock(mutex_);
    return solver_->steps();
  }

  NumpyArray<double> weights() {
    std::vector<double> w;
    {
      nb::gil_scoped_release release;
      std::scoped_lock lock(mutex_);
      w = solver_->weights();
    }
    return to_numpy(std::move(w));
  }

private:
  const std::shared_ptr<BoundSamples> samples_;
  const Array<int32_t> y_;
  const OptionalWeights weights_;
  std::unique_ptr<SgdSolver> solver_;
  std::mutex mutex_;
};

static NumpyArray<double> count_bound_features(const BoundSamples &samples, const Array<int32_t> &y,
                                               const OptionalWeights &weights, int classes, bool presence,
                                               int threads) {
  const Samples &x = samples.view();
  require(classes >= 1 && classes <= kMaxClasses, "classes are out of range");
  check_threads(threads);
  check_labels(y, x.rows, classes);
  check_weights(weights, x.rows);
  std::vector<double> counts;
  {
    nb::gil_scoped_release release;
    counts.resize(x.features() * classes);
    Buffers buffers = make_buffers(x, threads, static_cast<int64_t>(counts.size()));
    count_features(x, y.data(), weights ? weights->data() : nullptr, classes, presence, buffers, counts.data());
  }
  return to_numpy(std::move(counts));
}

void bind_primal(nb::module_ &m) {
  m.def("count_features", &count_bound_features, "samples"_a, "y"_a, "weights"_a.none(), "classes"_a, "presence"_a,
        "threads"_a);
  nb::class_<BoundSgd>(m, "SgdSolver")
      .def(nb::init<std::shared_ptr<BoundSamples>, Array<int32_t>, OptionalWeights, int, Array<double>, double>(),
           "samples"_a, "y"_a, "weights"_a.none(), "classes"_a, "start"_a, "steps"_a)
      .def_prop_ro("steps", &BoundSgd::steps)
      .def("run", &BoundSgd::run, "begins"_a, "length"_a, "eta0"_a, "lam"_a)
      .def("weights", &BoundSgd::weights);
  nb::class_<BoundLogLoss>(m, "LogLoss")
      .def(nb::init<std::shared_ptr<BoundSamples>, Array<int32_t>, OptionalWeights, int, Array<double>, double, double,
                    int>(),
           "samples"_a, "y"_a, "weights"_a.none(), "classes"_a, "units"_a, "ridge"_a, "lasso"_a, "threads"_a)
      .def_prop_ro("size", &BoundLogLoss::size)
      .def("evaluate", &BoundLogLoss::evaluate, "v"_a, "gradient"_a.noconvert());
  nb::class_<BoundCurvature>(m, "Curvature")
      .def(nb::init<int64_t, int, int>(), "size"_a, "history"_a, "threads"_a)
      .def("__len__", &BoundCurvature::count)
      .def("forget", &BoundCurvature::forget)
      .def("learn", &BoundCurvature::learn, "x"_a, "next_x"_a, "gradient"_a, "next_gradient"_a)
      .def("direction", &BoundCurvature::direction, "slope"_a, "out"_a.noconvert());
  m.def("pseudo_gradient", &bound_pseudo_gradient, "x"_a, "gradient"_a, "strength"_a, "out"_a.noconvert(), "threads"_a);
  m.def("move", &bound_move, "x"_a, "direction"_a, "length"_a, "slope"_a, "kinks"_a, "out"_a.noconvert(), "threads"_a);
}
