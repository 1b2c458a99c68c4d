// Learners that work on the weights themselves.
#include <mutex>

#include "bayes.hpp"
#include "bindings_samples.hpp"
#include "sgd.hpp"

// Rows with labels, checked once, and the buffers of a loss; keeps the arrays alive.
class BoundLogLoss {
public:
  BoundLogLoss(std::shared_ptr<BoundSamples> samples, Array<int32_t> y, OptionalWeights weights, int classes,
               int threads)
      : samples_(samples), y_(y), weights_(weights), classes_(classes) {
    check_classes(classes);
    check_threads(threads);
    check_labels(y, samples->view().rows, classes);
    check_weights(weights, samples->view().rows);
    nb::gil_scoped_release release;
    buffers_ = make_buffers(samples->view(), threads, size());
  }

  int64_t size() const { return samples_->view().features() * classes_; }

  std::tuple<double, NumpyArray<double>> evaluate(const Array<double> &w) {
    require(static_cast<int64_t>(w.size()) == size(), "weights are of another size");
    std::vector<double> gradient;
    double loss;
    {
      nb::gil_scoped_release release;
      std::scoped_lock lock(mutex_);
      gradient.resize(size());
      loss = log_loss(samples_->view(), y_.data(), weights_ ? weights_->data() : nullptr, classes_, w.data(), buffers_,
                      gradient.data());
    }
    return {loss, to_numpy(std::move(gradient))};
  }

private:
  const std::shared_ptr<BoundSamples> samples_;
  const Array<int32_t> y_;
  const OptionalWeights weights_;
  const int classes_;
  Buffers buffers_;
  std::mutex mutex_;
};

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
    require(static_cast<int64_t>(start.size()) == x.features() * classes, "weights are of another size");
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
      .def(nb::init<std::shared_ptr<BoundSamples>, Array<int32_t>, OptionalWeights, int, int>(), "samples"_a, "y"_a,
           "weights"_a.none(), "classes"_a, "threads"_a)
      .def_prop_ro("size", &BoundLogLoss::size)
      .def("evaluate", &BoundLogLoss::evaluate, "w"_a);
}
