// Multinomial logistic regression by stochastic gradient descent.
//
// Problem: minimise over w  P(w) / N = λ/2 ‖w‖² - 1/N Σ_i q_i log p(y_i | x_i),  λ = 1 / (σ² N),  N = Σ_i q_i
// (MLR paper eq. 6, divided by N); no constraints. One sample at a time takes the step (eq. 8)
//     w_k ← (1 - η_t λ) w_k - η_t (p(k | x_i) - δ_ik) x_i,    η_t = η_0 / (1 + η_0 λ t)   (Bottou 2010, 2012),
// where t counts the steps. w is kept as scale · v, so that its shrinking costs nothing and a step touches the row's
// columns only. A sample of weight q stands for q equal ones in a row: as few steps as are safe, of q together.
// Stopping rule: none here; an epoch is one call, and Python decides how many there are.
//
// One sample needs the weights that the last one left, so this runs in one thread.
#pragma once

#include "maxent.hpp"

namespace tartib {

class SgdSolver {
public:
  SgdSolver(const Samples &x, const int32_t *y, const double *weights, int classes, std::vector<double> start,
            double steps)
      : x_(x), y_(y), weights_(weights), classes_(classes), v_(std::move(start)), steps_(steps) {}

  // Visits the rows [begin, begin + length) of each run; returns Σ of their losses, each before its step. Rows that lie
  // together are often alike (phrase pairs of one sentence), and one after another would pull the weights about: so
  // kGroup runs take turns, a row each.
  double run(const int64_t *begins, int64_t count, int64_t length, double eta0, double lambda) {
    double loss = 0;
    with_shape(classes_, x_.values != nullptr, [&](auto shape) {
      for (int64_t group = 0; group < count; group += kGroup)
        for (int64_t offset = 0; offset < length; ++offset)
          for (int64_t b = group, end = std::min(group + kGroup, count); b < end; ++b) {
            if (b + 4 * kAhead < end) prefetch_offsets(begins[b + 4 * kAhead] + offset);
            if (b + 2 * kAhead < end) prefetch_columns(begins[b + 2 * kAhead] + offset);
            if (b + kAhead < end) prefetch_weights(begins[b + kAhead] + offset);
            if (begins[b] + offset < x_.rows) loss += visit<shape.Valued, shape.K>(begins[b] + offset, eta0, lambda);
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
  static constexpr double kSmallestScale = 1e-9;
  static constexpr double kMostSteps = 1024;

  // What a row needs is asked for in three steps, each of which needs the one before.
  void prefetch_offsets(int64_t row) const { __builtin_prefetch(x_.indptr + std::min(row, x_.rows)); }
  void prefetch_columns(int64_t row) const {
    if (row >= x_.rows) return;
    __builtin_prefetch(x_.indices + x_.indptr[row]);
    __builtin_prefetch(y_ + row);
  }
  void prefetch_weights(int64_t row) const {
    if (row < x_.rows) prefetch_unpadded(x_, row, v_.data(), classes_);
  }

  // Half of ‖x‖² bounds the curvature of the loss, so a step of η q ‖x‖² ≤ 2 cannot overshoot much.
  static double pieces(double q, double eta, double norm) {
    return q <= 1 ? 1.0 : std::clamp(std::ceil(std::min(q, q * eta * norm / 2)), 1.0, kMostSteps);
  }

  template <bool Valued, int K> double visit(int64_t row, double eta0, double lambda) {
    const Classes<K> classes{classes_};
    const double q = weights_ ? weights_[row] : 1.0;
    if (q == 0) return 0;
    const double first = eta0 / (1 + eta0 * lambda * (steps_ + 1));
    const double times = weights_ ? pieces(q, first, x_.template norm<Valued>(row)) : 1.0, part = q / times;
    PerClass<K> s;
    double loss = 0;
    for (double step = 0; step < times; ++step) {
      steps_ += part;
      const double eta = eta0 / (1 + eta0 * lambda * std::max(steps_, 1.0));
      score_unpadded<Valued, K>(x_, row, v_.data(), classes, s);
      for (int k = 0; k < classes; ++k) s[k] *= scale_;
      const double found = residuals<K>(s, y_[row], classes);
      if (step == 0) loss = q * found;
      scale_ *= part == 1 ? 1 - eta * lambda : std::pow(1 - eta * lambda, part);
      if (!(scale_ > kSmallestScale)) rescale();
      for (int k = 0; k < classes; ++k) s[k] *= -eta * part / scale_;
      add_row<Valued, K>(x_, row, s, classes, v_.data());
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
};

} // namespace tartib
