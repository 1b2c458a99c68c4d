// Multiclass SVM of Crammer and Singer, one sample at a time (SVM paper, section 6).
//
// Problem (eq. 8, whose second term is printed without the k of α_ik): minimise over α
//     D(α) = ½ Σ_k ‖w_k‖² + Σ_i Σ_k (1 - δ_ik) α_ik,   w_k = Σ_i α_ik x_i,   δ_ik = 1 where k = y_i and else 0,
//     subject to  α_ik ≤ C_i δ_ik  and  Σ_k α_ik = 0   (the latter is missing in the print of eq. 9).
// C_i is C times the weight of sample i, so a weight acts as that many copies.
//
// Gradient (eq. 10): G_k = w_k·x_i + 1 - δ_ik. Optimal where v_i = max_k G_k - min_{k: α_ik < C_i δ_ik} G_k = 0
// (eq. 12). Stopping rule: v_i ≤ ε for all samples. Primal: ½ ‖w‖² + Σ_i C_i max_k(G_k - G_y).
#pragma once

#include "models/dual.hpp"

namespace tartib {

template <int K, typename Real> struct SvmStep {
  Classes<K> count;
  const int32_t *y;
  const double *weights; // nullptr: all 1
  double C;
  static constexpr double tau = 1;
  // Values this close to their bound count as at the bound: rounding must not keep a class in the set of eq. 12.
  static constexpr double kSnap = std::is_same_v<Real, double> ? 1e-13 : 1e-6;

  int classes() const { return count; }

  int label(int64_t row) const { return label_of(y, row, classes()); }

  // The bound in the precision of α, so that "at the bound" is an equality.
  Real bound(int64_t row) const { return static_cast<Real>(weights ? C * weights[row] : C); }

  template <size_t S> void gradient(int64_t row, const std::array<Real, S> &s, Real *G) const {
    for (int k = 0; k < classes(); ++k) G[k] = s[k] + 1;
    G[label(row)] -= 1;
  }

  template <size_t S> double violation(int64_t row, const std::array<Real, S> &s, const Real *alpha) const {
    Real G[S];
    gradient(row, s, G);
    const Real C_i = bound(row);
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    Real highest = -infinity, lowest = infinity;
    for (int k = 0; k < classes(); ++k) {
      highest = std::max(highest, G[k]);
      lowest = std::min(lowest, alpha[k] < (k == label(row) ? C_i : Real{0}) ? G[k] : infinity);
    }
    return static_cast<double>(highest - lowest); // -∞ where C_i = 0: there is nothing to optimise
  }

  // Algorithm 1: minimises ½ A Σ_k α_k² + Σ_k B_k α_k for one sample.
  template <size_t S>
  void update(int64_t row, double A, const std::array<Real, S> &s, Real *alpha,
              Change<static_cast<int>(S), Real> &change) const {
    Real G[S];
    gradient(row, s, G);
    const double C_i = static_cast<double>(bound(row));
    const int yi = label(row);
    std::array<double, S> B, D;
    if (A > 0) {
      for (int k = 0; k < classes(); ++k) D[k] = B[k] = static_cast<double>(G[k]) - A * static_cast<double>(alpha[k]);
      D[yi] += A * C_i;
      const double beta = threshold(D.data(), A * C_i);
      for (int k = 0; k < classes(); ++k) {
        const double most = k == yi ? C_i : 0.0, best = (beta - B[k]) / A;
        D[k] = best > most - kSnap * C_i ? most : best;
      }
    } else { // an empty row changes no weights: the optimum is at the bound C_i
      for (int k = 0; k < classes(); ++k) D[k] = k == yi ? C_i : -C_i / (classes() - 1);
    }
    for (int k = 0; k < classes(); ++k) {
      const Real before = alpha[k];
      alpha[k] = static_cast<Real>(D[k]);
      change.weight[k] = alpha[k] - before;
      if (k != yi) change.gain += static_cast<double>(alpha[k]) - static_cast<double>(before);
    }
  }

  void blend(Real *alpha, const Real *before, double gamma) const {
    for (int k = 0; k < classes(); ++k)
      alpha[k] = static_cast<Real>(before[k] + gamma * (static_cast<double>(alpha[k]) - before[k]));
  }
  void coefficients(int64_t, const Real *alpha, double *out) const { std::copy_n(alpha, classes(), out); }
  template <size_t S> double loss(int64_t row, const std::array<Real, S> &s) const {
    Real G[S];
    gradient(row, s, G);
    return static_cast<double>(bound(row)) * static_cast<double>(*std::max_element(G, G + classes()) - G[label(row)]);
  }
  double potential(int64_t row, const Real *alpha) const {
    double sum = 0;
    for (int k = 0; k < classes(); ++k)
      if (k != label(row)) sum += static_cast<double>(alpha[k]);
    return sum;
  }

private:
  // Lines 2 to 7 of Algorithm 1: its loop finds the largest of these quotients. Sorts D.
  double threshold(double *D, double AC) const {
    sort_falling(D);
    double sum = D[0] - AC, beta = sum;
    for (int r = 2; r <= classes(); ++r) {
      sum += D[r - 1];
      beta = std::max(beta, sum / r);
    }
    return beta;
  }
  // A few classes are compared without branches, which could not be predicted.
  void sort_falling(double *D) const {
    if (K == 0) { // NaN, which weights that grow to infinity lead to, has no place in an order
      std::replace_if(
          D, D + classes(), [](double d) { return std::isnan(d); }, -std::numeric_limits<double>::infinity());
      return std::sort(D, D + classes(), std::greater<>());
    }
    for (int last = K - 1; last > 0; --last)
      for (int k = 0; k < last; ++k) {
        const double a = D[k], b = D[k + 1];
        D[k] = std::max(a, b);
        D[k + 1] = std::min(a, b);
      }
  }
};

} // namespace tartib
