// Multinomial logistic regression by stochastic gradient descent.
//
// Problem: minimise over w  P(w) / N = λ/2 ‖w‖² - 1/N Σ_i q_i log p(y_i | x_i),  λ = 1 / (σ² N),  N = Σ_i q_i
// (MLR paper eq. 6, divided by N); no constraints. One sample at a time takes the step (eq. 8)
//     w_k ← (1 - η_t λ) w_k - η_t (p(k | x_i) - δ_ik) x_i,    η_t = η_0 / (1 + η_0 λ t)   (Bottou 2010, 2012),
// where t counts the steps. w is stored as scale · v, so that scaling it costs nothing and a step touches only the
// row's columns. A sample of weight q stands for q equal samples: it takes as few steps as is safe, worth q in total.
// Stopping rule: none here; an epoch is one call, and Python decides how many there are.
//
// Each sample needs the weights from the sample before, so this runs in one thread. The next row may be anywhere in
// memory, and waiting for it takes longer than the step. So rows are copied a batch ahead, where many waits overlap.
#pragma once

#include "models/maxent.hpp"

namespace tartib {

class SgdSolver {
public:
  SgdSolver(const Samples &x, const int32_t *y, const double *weights, int classes, std::vector<double> start,
            double steps)
      : x_(x), y_(y), weights_(weights), classes_(classes), v_(std::move(start)), steps_(steps) {}

  // Visits the rows [begin, begin + length) of each run; returns the sum of their losses, each before its step.
  // Neighbouring rows are often alike (phrase pairs of one sentence), and visiting them one after another would pull
  // the weights back and forth. So kGroup runs take turns, one row each.
  double run(const int64_t *begins, int64_t count, int64_t length, double eta0, double lambda) {
    const Visits visits{begins, count, length};
    double loss = 0;
    with_shape(classes_, x_.values != nullptr, [&](auto shape) {
      for (int64_t first = 0; first < count * length; first += kBatchRows) {
        fetch<shape.Valued>(visits, first);
        loss += visit_batch<shape.Valued, shape.K>(eta0, lambda);
      }
    });
    return loss;
  }

  double steps() const { return steps_; }

  std::vector<double> weights() const {
    std::vector<double> w(v_);
    for (double &value : w) value *= scale_;
    return w;
  }

private:
  static constexpr int64_t kGroup = 1 << 15;
  static constexpr int64_t kBatchRows = 1024;
  static constexpr double kSmallestScale = 1e-9;
  static constexpr double kMostSteps = 1024;

  // The rows of the runs, in the order in which they are visited.
  struct Visits {
    const int64_t *begins;
    int64_t count, length;

    int64_t row(int64_t place) const {
      if (length == 1) return begins[place];
      const int64_t group = place / (kGroup * length), first = group * kGroup;
      const int64_t runs = std::min(kGroup, count - first), within = place - first * length;
      return begins[first + within % runs] + within / runs;
    }
  };

  using CopiedRows = BasicSamples<true>;

  // Copies of rows, with their labels and weights.
  struct Batch {
    std::array<int64_t, kBatchRows + 1> offsets{};
    std::array<int32_t, kBatchRows> labels;
    std::array<double, kBatchRows> weights;
    std::vector<int32_t> columns;
    std::vector<float> values;
    int64_t rows = 0;
  };

  // Copies the rows to visit, from `first` on.
  template <bool Valued> void fetch(const Visits &visits, int64_t first) {
    const int64_t end = std::min(first + kBatchRows, visits.count * visits.length);
    std::array<int64_t, kBatchRows> from;
    Batch &to = batch_;
    to.rows = 0;
    for (int64_t place = first; place < end; ++place) {
      const int64_t row = visits.row(place);
      if (row >= x_.rows || (weights_ && weights_[row] == 0)) continue; // a run may extend beyond the end
      const RowRange range = x_.range(row);
      from[to.rows] = range.begin;
      to.labels[to.rows] = label_of(y_, row, classes_);
      to.weights[to.rows] = weights_ ? weights_[row] : 1.0;
      to.offsets[to.rows + 1] = to.offsets[to.rows] + range.size();
      ++to.rows;
    }
    to.columns.resize(to.offsets[to.rows]);
    if (Valued) to.values.resize(to.columns.size());
    for (int64_t r = 0; r < to.rows; ++r) {
      const int64_t size = to.offsets[r + 1] - to.offsets[r];
      int32_t *columns = to.columns.data() + to.offsets[r];
      for (int64_t i = 0; i < size; ++i) columns[i] = static_cast<int32_t>(x_.column(from[r] + i));
      if (Valued) std::copy_n(x_.values + from[r], size, to.values.data() + to.offsets[r]);
    }
  }

  template <bool Valued, int K> double visit_batch(double eta0, double lambda) {
    const CopiedRows x{batch_.offsets.data(),
                       batch_.columns.data(),
                       Valued ? batch_.values.data() : nullptr,
                       batch_.rows,
                       x_.columns,
                       x_.intercept,
                       batch_.offsets[batch_.rows]};
    double loss = 0;
    for (int64_t r = 0; r < x.rows; ++r) {
      if (r + kAhead < x.rows) prefetch_unpadded(x, r + kAhead, v_.data(), classes_);
      loss += visit<Valued, K>(x, r, batch_.labels[r], batch_.weights[r], eta0, lambda);
    }
    return loss;
  }

  // Half of ‖x‖² bounds the curvature of the loss, so a step of η q ‖x‖² ≤ 2 cannot overshoot much.
  static double pieces(double q, double eta, double norm) {
    return q <= 1 ? 1.0 : std::clamp(std::ceil(std::min(q, q * eta * norm / 2)), 1.0, kMostSteps);
  }

  template <bool Valued, int K>
  double visit(const CopiedRows &x, int64_t row, int32_t y, double q, double eta0, double lambda) {
    const Classes<K> classes{classes_};
    const double first = eta0 / (1 + eta0 * lambda * (steps_ + 1));
    const double times = weights_ ? pieces(q, first, x.template norm<Valued>(row)) : 1.0, part = q / times;
    PerClass<K> s;
    double loss = 0;
    for (double step = 0; step < times; ++step) {
      steps_ += part;
      const double eta = eta0 / (1 + eta0 * lambda * std::max(steps_, 1.0));
      score_unpadded<Valued, K>(x, row, v_.data(), classes, s);
      for (int k = 0; k < classes; ++k) s[k] *= scale_;
      const double found = residuals<K>(s, y, classes);
      if (step == 0) loss = q * found;
      scale_ *= part == 1 ? 1 - eta * lambda : std::pow(1 - eta * lambda, part);
      if (!(scale_ > kSmallestScale)) rescale();
      for (int k = 0; k < classes; ++k) s[k] *= -eta * part / scale_;
      add_row<Valued, K>(x, row, s, classes, v_.data());
    }
    return loss;
  }

  void rescale() {
    for (double &value : v_) value *= scale_;
    scale_ = 1;
  }

  const Samples &x_;
  const int32_t *y_;
  const double *weights_;
  const int classes_;
  std::vector<double> v_;
  double scale_ = 1;
  double steps_; // t
  Batch batch_;
};

} // namespace tartib
