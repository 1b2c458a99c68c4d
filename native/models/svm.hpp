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

  template <size_t S> Look look(int64_t row, const std::array<Real, S> &s, const Real *alpha) const {
    const Real C_i = bound(row), score_of_label = s[label(row)]; // G_y = s_y
    const auto [highest, lowest] = extremes(row, s, alpha, C_i);
    // The violation is -∞ where C_i = 0: there is nothing to optimise.
    return {static_cast<double>(highest - lowest),
            static_cast<double>(C_i) * static_cast<double>(highest - score_of_label)};
  }

  // Algorithm 1: minimises ½ A Σ_k α_k² + Σ_k B_k α_k for one sample.
  template <size_t S>
  void update(int64_t row, double A, const std::array<Real, S> &s, Real *alpha,
              Change<static_cast<int>(S), Real> &change, const Look &) const {
    Real G[S];
    gradient(row, s, G);
    const double C_i = static_cast<double>(bound(row));
    const int yi = label(row);
    std::array<double, S> B, D;
    if (A > 0) {
      for (int k = 0; k < classes(); ++k) D[k] = B[k] = static_cast<double>(G[k]) - A * static_cast<double>(alpha[k]);
      D[yi] += A * C_i;
      const double beta = threshold(D.data(), A * C_i), inverse = 1 / A; // one division instead of K
      for (int k = 0; k < classes(); ++k) {
        const double most = k == yi ? C_i : 0.0, best = (beta - B[k]) * inverse;
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

  // Replaces α by (1 - γ) times what it was plus γ α; returns by how much φ grows.
  double blend(int64_t row, Real *alpha, const Real *before, double gamma) const {
    for (int k = 0; k < classes(); ++k)
      alpha[k] = static_cast<Real>(before[k] + gamma * (static_cast<double>(alpha[k]) - before[k]));
    return potential(row, alpha) - potential(row, before);
  }
  void coefficients(int64_t, const Real *alpha, double *out) const { std::copy_n(alpha, classes(), out); }
  double potential(int64_t row, const Real *alpha) const {
    double sum = 0;
    for (int k = 0; k < classes(); ++k)
      if (k != label(row)) sum += static_cast<double>(alpha[k]);
    return sum;
  }

private:
  // max_k G_k, and min G_k over the classes whose α is below its bound.
  struct Extremes {
    Real highest, lowest;
  };
  template <size_t S> Extremes extremes(int64_t row, const std::array<Real, S> &s, const Real *alpha, Real C_i) const {
    if constexpr (kFour) return extremes_of_four(row, s.data(), alpha, C_i);
    Real G[S];
    gradient(row, s, G);
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    Extremes found{-infinity, infinity};
    for (int k = 0; k < classes(); ++k) {
      found.highest = std::max(found.highest, G[k]);
      found.lowest = std::min(found.lowest, alpha[k] < (k == label(row) ? C_i : Real{0}) ? G[k] : infinity);
    }
    return found;
  }

  // Up to four classes of single precision are computed as one vector, without branches.
  static constexpr bool kFour = std::is_same_v<Real, float> && K > 0 && K <= 4;
  Extremes extremes_of_four(int64_t row, const float *s, const float *alpha, float C_i) const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const Int4 number = {0, 1, 2, 3}, is_label = number == label(row), is_class = number < K;
    const Float4 zero = {};
    Float4 a = zero;
    for (int k = 0; k < K; ++k) a[k] = alpha[k];
    const Float4 G = load_four(s) + (is_label ? zero : zero + 1);
    const Int4 below = is_class & (a < (is_label ? zero + C_i : zero));
    const Float4 high = is_class ? G : zero - infinity, low = below ? G : zero + infinity;
    return {std::max(std::max(high[0], high[1]), std::max(high[2], high[3])),
            std::min(std::min(low[0], low[1]), std::min(low[2], low[3]))};
  }

  // Lines 2 to 7 of Algorithm 1: its loop finds the largest of these quotients. Sorts D.
  double threshold(double *D, double AC) const {
    sort_falling(D);
    double sum = D[0] - AC, beta = sum;
    for (int r = 2; r <= classes(); ++r) {
      sum += D[r - 1];
      beta = std::max(beta, sum * (1.0 / r));
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
