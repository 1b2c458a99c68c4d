// Learners that work on the weights themselves.
#include <mutex>

#include "bindings_samples.hpp"
#include "maxent.hpp"

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

void bind_primal(nb::module_ &m) {
  nb::class_<BoundLogLoss>(m, "LogLoss")
      .def(nb::init<std::shared_ptr<BoundSamples>, Array<int32_t>, OptionalWeights, int, int>(), "samples"_a, "y"_a,
           "weights"_a.none(), "classes"_a, "threads"_a)
      .def_prop_ro("size", &BoundLogLoss::size)
      .def("evaluate", &BoundLogLoss::evaluate, "w"_a);
}
