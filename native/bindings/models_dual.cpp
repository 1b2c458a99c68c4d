// Solvers that work on the dual, one sample at a time.
#include "bindings/models.hpp"

#include <mutex>

#include "models/mlr.hpp"
#include "models/svm.hpp"

using AlphaArray = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>; // float, or double where rows have values

static void check_epsilon(double epsilon) {
  require(epsilon >= 0 && std::isfinite(epsilon), "epsilon is out of range");
}

// A solver with the arrays that it works on.
class BoundDual {
public:
  template <typename MakeStep>
  BoundDual(std::shared_ptr<BoundSamples> samples, Array<int32_t> y, std::optional<Array<double>> weights, int classes,
            AlphaArray alpha, double epsilon, bool shrink, int threads, MakeStep make_step)
      : samples_(samples), y_(y), weights_(weights), alpha_(alpha) {
    check_classes(classes);
    const Samples &x = samples->view();
    check_labels(y, x.rows, classes);
    check_weights(weights, x.rows);
    require(static_cast<int64_t>(alpha.size()) == x.rows * classes, "alpha has the wrong size");
    require(samples->valued() ? alpha.dtype() == nb::dtype<double>() : alpha.dtype() == nb::dtype<float>(),
            "alpha has the wrong precision");
    check_epsilon(epsilon);
    require(threads >= 1 && threads <= 1024, "threads are out of range");
    with_shape(classes, samples->valued(), [&](auto shape) {
      using Real = typename decltype(shape)::Real;
      const Real *start = static_cast<const Real *>(alpha.data());
      require(std::none_of(start, start + alpha.size(), [](Real a) { return std::isnan(a); }), "alpha contains NaN");
      const auto step = make_step(Real{}, Classes<shape.K>{classes}, y.data(), weights ? weights->data() : nullptr);
      solver_ = std::make_unique<BlockDualSolver<decltype(shape), std::decay_t<decltype(step)>>>(
          x, step, static_cast<Real *>(alpha.data()), epsilon, shrink, threads);
    });
  }

  // Calls fn(solver) while nobody else uses it, without the GIL.
  template <typename Fn> auto with(Fn fn) {
    nb::gil_scoped_release release;
    std::scoped_lock lock(mutex_);
    return fn(*solver_);
  }
  bool valued() const { return samples_->valued(); }
  int64_t rows() const { return samples_->view().rows; }
  int64_t blocks() const { return (rows() + kBlockRows - 1) / kBlockRows; }

private:
  const std::shared_ptr<BoundSamples> samples_;
  const Array<int32_t> y_;
  const std::optional<Array<double>> weights_;
  const AlphaArray alpha_;
  std::unique_ptr<DualSolver> solver_;
  std::mutex mutex_;
};

static std::shared_ptr<BoundDual> svm_solver(std::shared_ptr<BoundSamples> samples, Array<int32_t> y,
                                             OptionalWeights weights, int classes, AlphaArray alpha, double C,
                                             double epsilon, bool shrink, int threads) {
  require(C > 0 && std::isfinite(C), "C is out of range");
  return std::make_shared<BoundDual>(
      samples, y, weights, classes, alpha, epsilon, shrink, threads,
      [&]<typename Real, int K>(Real, Classes<K> count, const int32_t *labels, const double *w) {
        return SvmStep<K, Real>{count, labels, w, C};
      });
}

static std::shared_ptr<BoundDual> mlr_solver(std::shared_ptr<BoundSamples> samples, Array<int32_t> y,
                                             OptionalWeights weights, int classes, AlphaArray alpha, double variance,
                                             bool exponentiated, double share, double epsilon, bool shrink,
                                             int threads) {
  require(variance > 0 && std::isfinite(variance), "the variance is out of range");
  require(share >= 0 && share < 1, "the share is out of range");
  const auto make = [&](auto make_step) {
    return std::make_shared<BoundDual>(samples, y, weights, classes, alpha, epsilon, shrink, threads, make_step);
  };
  if (exponentiated)
    return make([&]<typename Real, int K>(Real, Classes<K> count, const int32_t *labels, const double *w) {
      return ExponentiatedGradientStep<K, Real>{{count, labels, w, variance}};
    });
  return make([&]<typename Real, int K>(Real, Classes<K> count, const int32_t *labels, const double *w) {
    return CoordinateStep<K, Real>{{count, labels, w, variance}, share};
  });
}

// Blocks are visited at most once a call, because lanes of one call must not share rows.
static void check_blocks(const Array<int64_t> &blocks, int64_t count) {
  std::vector<bool> seen(count);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const int64_t block = blocks.data()[i];
    require(block >= 0 && block < count && !seen[block], "a block is out of range or named twice");
    seen[block] = true;
  }
}

void bind_dual(nb::module_ &m) {
  nb::class_<EpochStats>(m, "EpochStats")
      .def_ro("visited", &EpochStats::visited)
      .def_ro("updated", &EpochStats::updated)
      .def_ro("shrunk", &EpochStats::shrunk)
      .def_ro("rounds", &EpochStats::rounds)
      .def_ro("damped", &EpochStats::damped)
      .def_ro("gamma", &EpochStats::gamma)
      .def_ro("loss", &EpochStats::loss)
      .def_ro("worst", &EpochStats::worst);
  nb::class_<CheckStats>(m, "CheckStats")
      .def_ro("violators", &CheckStats::violators)
      .def_ro("worst", &CheckStats::worst)
      .def_ro("loss", &CheckStats::loss)
      .def_ro("norm", &CheckStats::norm)
      .def_ro("potential", &CheckStats::potential);
  nb::class_<BoundDual>(m, "DualSolver")
      .def_static("svm", &svm_solver, "samples"_a, "y"_a, "weights"_a.none(), "classes"_a, "alpha"_a.noconvert(), "C"_a,
                  "epsilon"_a, "shrink"_a, "threads"_a)
      .def_static("mlr", &mlr_solver, "samples"_a, "y"_a, "weights"_a.none(), "classes"_a, "alpha"_a.noconvert(),
                  "variance"_a, "exponentiated"_a, "share"_a, "epsilon"_a, "shrink"_a, "threads"_a)
      .def_prop_ro("blocks", &BoundDual::blocks)
      .def(
          "run",
          [](BoundDual &self, const Array<int64_t> &blocks, int64_t length) {
            require(length >= 1, "the length is out of range");
            check_blocks(blocks, self.blocks());
            const int64_t count = static_cast<int64_t>(blocks.size());
            return self.with([&](DualSolver &s) { return s.run(blocks.data(), count, std::min(length, count + 1)); });
          },
          "blocks"_a, "length"_a = 1)
      .def(
          "run_rows",
          [](BoundDual &self, const Array<int64_t> &rows) {
            const int64_t count = static_cast<int64_t>(rows.size());
            for (int64_t i = 0; i < count; ++i)
              require(rows.data()[i] >= 0 && rows.data()[i] < self.rows(), "a row is out of range");
            return self.with([&](DualSolver &s) { return s.run_rows(rows.data(), count); });
          },
          "rows"_a)
      .def(
          "check",
          [](BoundDual &self, int64_t begin, int64_t end, bool averaged) {
            require(begin >= 0 && begin <= end && end <= self.rows(), "rows are out of range");
            return self.with([&](DualSolver &s) { return s.check(begin, end, averaged); });
          },
          "begin"_a, "end"_a, "averaged"_a = false)
      .def(
          "set_least_cores",
          [](BoundDual &self, double cores) {
            require(cores >= 0, "cores are out of range");
            self.with([&](DualSolver &s) { s.set_least_cores(cores); });
          },
          "cores"_a)
      .def(
          "set_epsilon",
          [](BoundDual &self, double epsilon) {
            check_epsilon(epsilon);
            self.with([&](DualSolver &s) { s.set_epsilon(epsilon); });
          },
          "epsilon"_a)
      .def(
          "sum_weights", [](BoundDual &self, bool anew) { self.with([&](DualSolver &s) { s.sum_weights(anew); }); },
          "anew"_a = false)
      .def("activate", [](BoundDual &self) { self.with([](DualSolver &s) { s.activate(); }); })
      .def("refresh", [](BoundDual &self) { self.with([](DualSolver &s) { s.refresh(); }); })
      .def_prop_ro("norm", [](BoundDual &self) { return self.with([](DualSolver &s) { return s.norm(); }); })
      .def_prop_ro("potential", [](BoundDual &self) { return self.with([](DualSolver &s) { return s.potential(); }); })
      .def(
          "weights",
          [](BoundDual &self, bool averaged) -> nb::object {
            std::vector<float> single;
            std::vector<double> twice;
            self.with([&](DualSolver &s) { s.copy_weights(averaged, single, twice); });
            return self.valued() ? nb::cast(to_numpy(std::move(twice))) : nb::cast(to_numpy(std::move(single)));
          },
          "averaged"_a = false);
}
