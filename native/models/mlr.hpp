// Multinomial logistic regression: the dual one sample at a time (MLR paper, section 3.1).
//
// Primal (eq. 6): minimise over w  ‖w‖² / (2σ²) - Σ_i q_i log p(y_i | x_i), p(k | x) ∝ exp(w_k·x), q_i the weight of
// sample i. Dual (eq. 9; its minimum is over α): minimise over α
//     D(α) = ‖w(α)‖² / (2σ²) + Σ_i q_i Σ_k α_ik log α_ik,   w_k(α) = σ² Σ_i q_i (p̃_ik - α_ik) x_i   (eq. 10),
//     subject to  Σ_k α_ik = 1  and  α_ik ≥ 0.
// Gradient (eq. 12 without terms constant over k): ∇_ik = log α_ik - w_k·x_i. Optimal where
// v_i = max_k ∇_ik - min_k ∇_ik = 0 (eq. 16). Stopping rule: v_i ≤ ε for all samples.
// We store log α, because α underflows (eq. 11 is printed with plain exponentials); α_i = p̃_i, where some log α are
// -∞, is a valid start that needs no pass over the data.
#pragma once

#include "models/dual.hpp"

namespace tartib {

template <int K, typename Real> struct MlrProblem {
  Classes<K> count;
  const int32_t *y;
  const double *weights; // nullptr: all 1
  double tau;            // σ²

  int classes() const { return count; }
  // With it the soft-max of the scores and its logarithms, for up to four classes.
  struct Found : Look {
    Float4 z = {}, p = {};
  };
  template <size_t S> Found look(int64_t row, const std::array<Real, S> &s, const Real *log_alpha) const {
    const double v = violation(row, s, log_alpha);
    if constexpr (kFour) {
      Float4 z = of_classes(s.data());
      const Float4 p = normalise(z);
      return {{v, weight(row) * -static_cast<double>(z[label_of(y, row, classes())])}, z, p};
    }
    return {{v, weight(row) * static_cast<double>(log_sum_exp(s.data(), classes()) - s[label_of(y, row, classes())])}};
  }
  double weight(int64_t row) const { return weights ? weights[row] : 1.0; }

  template <size_t S> double violation(int64_t row, const std::array<Real, S> &s, const Real *log_alpha) const {
    if (weights && weights[row] == 0) return -std::numeric_limits<double>::infinity();
    Real highest = -std::numeric_limits<Real>::infinity(), lowest = -highest;
    for (int k = 0; k < classes(); ++k) {
      const Real gradient = log_alpha[k] - s[k];
      highest = std::max(highest, gradient);
      lowest = std::min(lowest, gradient);
    }
    return static_cast<double>(highest - lowest);
  }
  // Replaces α by (1 - γ) times what it was plus γ α; returns by how much φ grows.
  double blend(int64_t row, Real *log_alpha, const Real *before, double gamma) const {
    if constexpr (kFour) {
      const Float4 old = of_classes(before), was = exp_of_four(old), g = Float4{} + static_cast<float>(gamma);
      const Float4 a = was + g * (exp_of_four(of_classes(log_alpha)) - was);
      Float4 z;
      for (int k = 0; k < 4; ++k) z[k] = log_of_one(a[k]);
      for (int k = 0; k < K; ++k) log_alpha[k] = z[k];
      return weight(row) * static_cast<double>(sum(z * a - old * was));
    }
    const double old_share = std::log1p(-gamma), new_share = std::log(gamma), old = potential(row, before);
    for (int k = 0; k < classes(); ++k) { // in log space: what underflows to -∞ would stay there for good
      const double a = old_share + static_cast<double>(before[k]), b = new_share + static_cast<double>(log_alpha[k]);
      log_alpha[k] = static_cast<Real>(std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))));
    }
    return potential(row, log_alpha) - old;
  }
  void coefficients(int64_t row, const Real *log_alpha, double *out) const {
    for (int k = 0; k < classes(); ++k)
      out[k] = tau * weight(row) * ((k == y[row] ? 1.0 : 0.0) - std::exp(static_cast<double>(log_alpha[k])));
  }
  double potential(int64_t row, const Real *log_alpha) const {
    if constexpr (kFour) {
      const Float4 z = of_classes(log_alpha);
      return weight(row) * static_cast<double>(sum(z * exp_of_four(z)));
    }
    double sum = 0;
    for (int k = 0; k < classes(); ++k) sum += negative_entropy(static_cast<double>(log_alpha[k]));
    return weight(row) * sum;
  }

protected:
  // Up to four classes of single precision are computed as one vector. Those after the last class are kNone below the
  // highest: too little to count, but not so little that products become subnormal numbers, which take ten times as
  // long.
  static constexpr bool kFour = std::is_same_v<Real, float> && K > 0 && K <= 4;
  static constexpr float kNone = -40;

  static Float4 of_classes(const float *from) {
    Float4 four = {};
    for (int k = 0; k < K; ++k) four[k] = std::max(from[k], kLowest);
    const float none = highest(four) + kNone;
    for (int k = K; k < 4; ++k) four[k] = none;
    return four;
  }
  static float highest(Float4 four) {
    float most = four[0];
    for (int k = 1; k < K; ++k) most = std::max(most, four[k]);
    return most;
  }
  static float lowest(Float4 four) { return -highest(-four); }
  static float sum(Float4 four) { return (four[0] + four[1]) + (four[2] + four[3]); }
  // Subtracts log Σ exp z_k from z; returns α.
  static Float4 normalise(Float4 &z) {
    const float top = highest(z);
    const Float4 above = z - top;
    const Float4 a = exp_of_four(above);
    const float total = sum(a);
    z = above - log_of_one(total);
    z = z < kLowest ? Float4{} + kLowest : z;
    return a * (1 / total);
  }

  static double negative_entropy(double log_a) {
    return std::isfinite(log_a) ? log_a * std::exp(log_a) : 0.0; // 0 log 0 = 0
  }

  // What an update starts from: log α, α, and α log α with 0 log 0 = 0.
  template <size_t S> struct Before {
    std::array<double, S> z, a;
    double entropy = 0;
  };
  template <size_t S> void read(const Real *log_alpha, Before<S> &before) const {
    for (int k = 0; k < classes(); ++k) {
      before.z[k] = static_cast<double>(log_alpha[k]);
      before.a[k] = std::exp(before.z[k]);
      before.entropy += before.a[k] > 0 ? before.z[k] * before.a[k] : 0.0;
    }
  }

  // Replaces α by `a`, with `z` = log a.
  template <size_t S>
  void replace(int64_t row, const Before<S> &before, const double *z, const double *a, Real *log_alpha,
               Change<static_cast<int>(S), Real> &change) const {
    const double q = weight(row);
    double entropy = 0;
    for (int k = 0; k < classes(); ++k) {
      change.weight[k] = static_cast<Real>(-tau * q * (a[k] - before.a[k]));
      entropy += z[k] * a[k];
      log_alpha[k] = static_cast<Real>(z[k]);
    }
    change.gain = q * (entropy - before.entropy);
  }
};

// Algorithm 1 of the MLR paper, lines 10 to 18: exponentiated gradient with a step η that is halved until D falls.
template <int K, typename Real> struct ExponentiatedGradientStep : MlrProblem<K, Real> {
  using Base = MlrProblem<K, Real>;
  using Base::classes, Base::tau, Base::weight;
  static constexpr int kMaxTrials = 10;

  template <size_t S>
  void update(int64_t row, double A, const std::array<Real, S> &s, Real *log_alpha,
              Change<static_cast<int>(S), Real> &change, const typename Base::Found &) const {
    typename Base::template Before<S> before;
    Base::read(log_alpha, before);
    std::array<double, S> z, a;
    const double c = tau * weight(row) * A;
    double eta = 0.5;
    for (int trial = 0; trial < kMaxTrials; ++trial, eta *= 0.5) {
      for (int k = 0; k < classes(); ++k) // eq. 11 in log space
        z[k] = (1 - eta) * before.z[k] + eta * static_cast<double>(s[k]);
      const double shift = log_sum_exp(z.data(), classes());
      double difference = -before.entropy; // eq. 13, divided by q_i
      for (int k = 0; k < classes(); ++k) {
        z[k] -= shift;
        a[k] = std::exp(z[k]);
        const double moved = a[k] - before.a[k];
        difference += z[k] * a[k] + moved * (c / 2 * moved - static_cast<double>(s[k]));
      }
      if (difference <= 0) return Base::replace(row, before, z.data(), a.data(), log_alpha, change);
    }
  }
};

// The dual coordinate step (Yu, Huang, Lin 2011): the best α_i while all others are fixed, which is where
//     log α_k + c α_k = t_k + λ,   t_k = s_k + c α_k(before),   c = σ² q_i A,   Σ_k α_k = 1.
// Newton's method on z = log α with λ eliminated: no α can become 0 or leave the simplex.
template <int K, typename Real> struct CoordinateStep : MlrProblem<K, Real> {
  using Base = MlrProblem<K, Real>;
  using Base::classes, Base::tau, Base::weight;
  static constexpr int kMaxNewton = 20;
  double share; // of its violation that a sample may keep

  template <size_t S>
  void update(int64_t row, double A, const std::array<Real, S> &s, Real *log_alpha,
              Change<static_cast<int>(S), Real> &change, const typename Base::Found &found) const {
    const bool fresh = !std::isfinite(found.violation); // never changed before, some log α are -∞
    const double tolerance = std::max(share * (fresh ? 0.1 : found.violation), 1e-12);
    if constexpr (Base::kFour)
      return update_four(row, static_cast<float>(A), s, log_alpha, change, static_cast<float>(tolerance), found);
    typename Base::template Before<S> before;
    Base::read(log_alpha, before);
    std::array<double, S> z, a, t, r;
    const double c = tau * weight(row) * A;
    for (int k = 0; k < classes(); ++k) t[k] = static_cast<double>(s[k]) + c * before.a[k];
    start(before, s, fresh, z.data(), a.data());
    for (int step = 0; step < kMaxNewton; ++step) {
      double highest = -std::numeric_limits<double>::infinity(), lowest = -highest, above = 0, below = 0;
      for (int k = 0; k < classes(); ++k) {
        r[k] = t[k] - z[k] - c * a[k];
        highest = std::max(highest, r[k]);
        lowest = std::min(lowest, r[k]);
        const double slope = a[k] / (1 + c * a[k]);
        above += slope * r[k];
        below += slope;
      }
      if (highest - lowest <= tolerance) break;
      const double lambda = -above / below;
      for (int k = 0; k < classes(); ++k) z[k] = std::min(0.0, z[k] + (r[k] + lambda) / (1 + c * a[k]));
      normalise(z.data(), a.data());
    }
    Base::replace(row, before, z.data(), a.data(), log_alpha, change);
  }

private:
  // The same for up to four classes in single precision.
  template <size_t S>
  void update_four(int64_t row, float A, const std::array<float, S> &s, float *log_alpha,
                   Change<static_cast<int>(S), float> &change, float tolerance,
                   const typename Base::Found &found) const {
    const float q = static_cast<float>(weight(row)), c = static_cast<float>(tau) * q * A;
    const Float4 old = Base::of_classes(log_alpha), before = exp_of_four(old), scores = Base::of_classes(s.data());
    const Float4 t = scores + c * before;
    // Of α and the soft-max of the scores the second is the nearer one to the solution if c is small.
    const bool near = c < 1 || !std::isfinite(found.violation);
    Float4 z = near ? found.z : old, a = near ? found.p : before;
    tolerance = std::max(tolerance, 1e-5f);
    for (int step = 0; step < kMaxNewton; ++step) {
      const Float4 r = t - z - c * a, scale = 1 / (1 + c * a), slope = a * scale;
      const float spread = Base::highest(r) - Base::lowest(r);
      if (spread <= tolerance) break;
      const float lambda = -Base::sum(slope * r) / Base::sum(slope);
      z += (r + lambda) * scale;
      z = z > 0 ? Float4{} : z; // else a class that is far too low could leave the others next to nothing
      a = Base::normalise(z);
      if (c / 2 * spread * spread <= tolerance) break; // about what is left: no need to compute it
    }
    const Float4 moved = a - before;
    for (int k = 0; k < K; ++k) {
      change.weight[k] = -static_cast<float>(tau) * q * moved[k];
      log_alpha[k] = z[k];
    }
    change.gain = static_cast<double>(q * Base::sum(z * a - old * before));
  }
  // Starts from α or, if it has never changed, from the soft-max of the scores.
  template <size_t S>
  void start(const typename Base::template Before<S> &before, const std::array<Real, S> &s, bool fresh, double *z,
             double *a) const {
    if (!fresh) {
      std::copy_n(before.z.data(), classes(), z);
      std::copy_n(before.a.data(), classes(), a);
    } else {
      std::copy_n(s.data(), classes(), z);
      normalise(z, a);
    }
  }
  void normalise(double *z, double *a) const {
    double sum = 0;
    const double top = *std::max_element(z, z + classes());
    for (int k = 0; k < classes(); ++k) sum += a[k] = std::exp(z[k] - top);
    const double shift = top + std::log(sum), scale = 1 / sum;
    for (int k = 0; k < classes(); ++k) {
      z[k] -= shift;
      a[k] *= scale;
    }
  }
};

} // namespace tartib
