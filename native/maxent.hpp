// Maximum entropy, that is multinomial logistic regression in the primal: loss and gradient over all rows.
//
// Problem: minimise over w  L(w) + penalty,  L(w) = -Σ_i q_i log p(y_i | x_i),
//     p(k | x) = exp(w_k·x) / Σ_k' exp(w_k'·x)              (SVM paper eq. 5 and 6, MLR paper eq. 5 and 6),
// whose gradient is  ∂L/∂w_k = Σ_i q_i (p(k | x_i) - δ_ik) x_i  (SVM paper eq. 7, MLR paper eq. 7); no constraints.
// Symbols: q_i the weight of sample i, δ_ik = 1 where k = y_i. The penalty and the stopping rule are with the
// optimisers: L-BFGS for ‖w‖²/(2σ²), and OWL-QN (Andrew and Gao 2007) for ‖w‖₁/σ, in src/tartib/models.
//
// Weights lie unpadded here (w[j * K + k], double precision): optimisers read them more often than this kernel.
#pragma once

#include "chunks.hpp"

namespace tartib {

// Room for the numbers of all classes, no more than needed where their number is known.
template <int K> using PerClass = std::array<double, K ? K : kMaxClasses>;

// Asks for the weights of a row before they are needed, to write them or only to read.
template <bool Write> inline void prefetch_unpadded(const Samples &x, int64_t row, const double *w, int classes) {
  for (int64_t p = x.indptr[row]; p < x.indptr[row + 1]; ++p)
    __builtin_prefetch(w + static_cast<int64_t>(x.indices[p]) * classes, Write);
}

// s_k = w_k·x.
template <bool Valued, int K>
inline void score_unpadded(const Samples &x, int64_t row, const double *w, Classes<K> classes, PerClass<K> &s) {
  s.fill(0.0);
  x.for_each<Valued>(row, [&](int64_t j, float value) {
    for (int k = 0; k < classes; ++k) s[k] += static_cast<double>(value) * w[j * classes + k];
  });
}

// w_k += c_k x.
template <bool Valued, int K>
inline void add_row(const Samples &x, int64_t row, const PerClass<K> &c, Classes<K> classes, double *w) {
  x.for_each<Valued>(row, [&](int64_t j, float value) {
    for (int k = 0; k < classes; ++k) w[j * classes + k] += static_cast<double>(value) * c[k];
  });
}

// Turns scores into p(k | x) - δ_k, and returns -log p(y | x).
template <int K> inline double residuals(PerClass<K> &s, int32_t y, Classes<K> classes) {
  const double own = s[y], top = *std::max_element(s.begin(), s.begin() + classes);
  double sum = 0;
  for (int k = 0; k < classes; ++k) sum += s[k] = std::exp(s[k] - top);
  const double share = 1 / sum;
  for (int k = 0; k < classes; ++k) s[k] *= share;
  s[y] -= 1;
  return std::log(sum) + (top - own);
}

// L over the rows of one chunk; their gradient is added to `gradient`. What weighs nothing is not looked at.
template <bool Valued, int K>
double add_log_loss(const Samples &x, const int32_t *y, const double *weights, const double *w, Classes<K> classes,
                    int64_t begin, int64_t end, double *gradient) {
  PerClass<K> s;
  double loss = 0;
  for (int64_t r = begin; r < end; ++r) {
    if (r + kAhead < end) {
      prefetch_unpadded<false>(x, r + kAhead, w, classes);
      prefetch_unpadded<true>(x, r + kAhead, gradient, classes);
    }
    const double q = weights ? weights[r] : 1.0;
    if (q == 0) continue;
    score_unpadded<Valued, K>(x, r, w, classes, s);
    loss += q * residuals<K>(s, y[r], classes);
    if (q != 1)
      for (int k = 0; k < classes; ++k) s[k] *= q;
    add_row<Valued, K>(x, r, s, classes, gradient);
  }
  return loss;
}

// L(w); its gradient is left in `gradient`.
inline double log_loss(const Samples &x, const int32_t *y, const double *weights, int classes, const double *w,
                       Buffers &buffers, double *gradient) {
  std::array<double, kMaxChunks> losses{};
  with_shape(classes, x.values != nullptr, [&](auto shape) {
    const Classes<shape.K> count{classes};
    sum_over_chunks(x, buffers, gradient, [&](int64_t chunk, int64_t begin, int64_t end, double *buffer) {
      losses[chunk] = add_log_loss<shape.Valued, shape.K>(x, y, weights, w, count, begin, end, buffer);
    });
  });
  double sum = 0;
  for (const double loss : losses) sum += loss;
  return sum;
}

} // namespace tartib
