// Bayesian naive Bayes: counts of features in classes.
//
// Model: a row of class k is a bag of features drawn from p(j | k), whose prior is a symmetric Dirichlet distribution
// (Alrajeh and Niranjan 2014b). The posterior predictive probability of a feature is
//     p(j | k) = (N_jk + α) / (Σ_j N_jk + α J),
// with N_jk = Σ_i q_i δ_ik x_ij the count of feature j in class k, J the number of features, q_i the weight of sample i
// and δ_ik = 1 where k = y_i. This kernel counts in one pass over the rows, so there is no stopping rule.
#pragma once

#include "models/chunks.hpp"

namespace tartib {

// Writes N_jk to `counts`, classes side by side, including the intercept's column; or, with `presence`, the weighted
// number of rows of class k in which j occurs (x_ij ≠ 0).
inline void count_features(const Samples &x, const int32_t *y, const double *weights, int classes, bool presence,
                           Buffers &buffers, double *counts) {
  const auto count = [&]<bool Valued>(std::bool_constant<Valued>) {
    sum_over_chunks(x, buffers, counts, [&](int64_t, int64_t begin, int64_t end, double *buffer) {
      for (int64_t r = begin; r < end; ++r) {
        const double q = weights ? weights[r] : 1.0;
        double *mine = buffer + label_of(y, r, classes);
        x.for_each<Valued>(r, [&](int64_t j, float value) {
          mine[j * classes] += presence ? (value != 0 ? q : 0.0) : q * static_cast<double>(value);
        });
      }
    });
  };
  if (x.values)
    count(std::true_type{});
  else
    count(std::false_type{});
}

} // namespace tartib
