// Maximum entropy, that is multinomial logistic regression in the primal: loss and gradient over all rows.
//
// Problem: minimise over w  L(w) + penalty,  L(w) = -Σ_i q_i log p(y_i | x_i),
//     p(k | x) = exp(w_k·x) / Σ_k' exp(w_k'·x)              (SVM paper eq. 5 and 6, MLR paper eq. 5 and 6),
// whose gradient is  ∂L/∂w_k = Σ_i q_i (p(k | x_i) - δ_ik) x_i  (SVM paper eq. 7, MLR paper eq. 7); no constraints.
// Symbols: q_i the weight of sample i, δ_ik = 1 where k = y_i. The penalty and the stopping rule are with the
// optimisers: models/lbfgs.hpp and src/tartib/models/lbfgs.py.
//
// Only differences of scores matter, and a row's changes to the gradient add up to 0 over the classes. So the rows are
// scored with u_k = w_k - w_K, k < K, in the usual precision of such rows, and the gradient is summed for k < K, in
// double. A feature then takes less memory (u[j * (K - 1) + k]), and memory access takes most of the time.
#pragma once

#include "models/chunks.hpp"
#include "models/lbfgs.hpp"

namespace tartib {

// Room for one number per class, no more than needed if the number of classes is known.
template <int K> using PerClass = std::array<double, K ? K : kMaxClasses>;

// Prefetches a row's numbers in w, to change them.
template <typename Rows, typename Real>
inline void prefetch_unpadded(const Rows &x, int64_t row, const Real *w, int classes) {
  const RowRange range = x.range(row);
  for (int64_t p = range.begin; p < range.end; ++p)
    __builtin_prefetch(w + static_cast<int64_t>(x.indices[p]) * classes, 1);
}

// s_k = w_k·x.
template <bool Valued, int K, typename Rows, typename Real>
inline void score_unpadded(const Rows &x, int64_t row, const Real *w, Classes<K> classes, PerClass<K> &s) {
  std::fill_n(s.begin(), static_cast<int>(classes), 0.0);
  x.template for_each<Valued>(row, [&](int64_t j, float value) {
    for (int k = 0; k < classes; ++k) s[k] += static_cast<double>(value) * static_cast<double>(w[j * classes + k]);
  });
}

// w_k += c_k x.
template <bool Valued, int K, typename Rows>
inline void add_row(const Rows &x, int64_t row, const PerClass<K> &c, Classes<K> classes, double *w) {
  x.template for_each<Valued>(row, [&](int64_t j, float value) {
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

// The rows of one chunk, a few at a time: first all scores, then all probabilities, then the gradient. So one row need
// not wait for another, and the gradient's memory is prefetched before it is needed.
template <typename Shape> class ChunkOfLoss {
  static constexpr int K = Shape::K;
  using Real = typename Shape::Real;
  static constexpr int kRows = K ? 16 : 4; // room for many classes is large

public:
  ChunkOfLoss(const Samples &x, const int32_t *y, const double *weights, Classes<K> classes, const Real *u)
      : x_(x), y_(y), weights_(weights), classes_(classes), u_(u) {}

  // Returns L of the rows and adds their gradient to `gradient`. Rows of weight 0 are skipped.
  double add(int64_t begin, int64_t end, double *gradient) {
    double loss = 0;
    for (int64_t first = begin; first < end; first += kRows) {
      const int count = static_cast<int>(std::min<int64_t>(kRows, end - first));
      for (int i = 0; i < count; ++i) score(first + i, gradient, s_[i]);
      for (int i = 0; i < count; ++i) {
        const double q = weights_ ? weights_[first + i] : 1.0;
        if (q != 0) loss += q * residuals<K>(s_[i], label_of(y_, first + i, classes_), classes_);
        if (q != 1)
          for (int k = 0; k < differences(); ++k) s_[i][k] = q != 0 ? q * s_[i][k] : 0;
      }
      for (int i = 0; i < count; ++i) add_row(first + i, s_[i], gradient);
    }
    return loss;
  }

private:
  int differences() const { return classes_ - 1; }

  // s_k = u_k·x, and 0 for the last class.
  void score(int64_t row, const double *gradient, PerClass<K> &s) {
    PerClass<K> sum;
    std::fill_n(sum.begin(), classes_, 0.0);
    x_.template for_each<Shape::Valued>(row, [&](int64_t j, float value) {
      __builtin_prefetch(gradient + j * differences(), 1);
      for (int k = 0; k < differences(); ++k)
        sum[k] += static_cast<double>(value) * static_cast<double>(u_[j * differences() + k]);
    });
    std::copy_n(sum.begin(), classes_, s.begin());
  }

  void add_row(int64_t row, const PerClass<K> &c, double *gradient) {
    PerClass<K> change;
    std::copy_n(c.begin(), differences(), change.begin());
    x_.template for_each<Shape::Valued>(row, [&](int64_t j, float value) {
      for (int k = 0; k < differences(); ++k) gradient[j * differences() + k] += static_cast<double>(value) * change[k];
    });
  }

  const Samples &x_;
  const int32_t *y_;
  const double *weights_;
  const Classes<K> classes_;
  const Real *u_;
  std::array<PerClass<K>, kRows> s_;
};

// F = L + ridge/2 ‖w‖² + lasso ‖w‖₁ of weights w = unit · v, where each feature has its own unit.
class LogLoss {
public:
  LogLoss(const Samples &x, const int32_t *y, const double *weights, int classes, std::vector<double> units,
          double ridge, double lasso, int threads)
      : x_(x), y_(y), weights_(weights), classes_(classes), units_(std::move(units)), ridge_(ridge), lasso_(lasso),
        threads_(threads), buffers_(make_buffers(x, threads, x.features() * (classes - 1))), total_(buffers_[0].size()),
        single_(x.values ? 0 : total_.size()), twice_(x.values ? total_.size() : 0) {}

  int64_t size() const { return x_.features() * classes_; }

  // Writes the gradient with respect to v, of all terms but the last, to `gradient`.
  double evaluate(const double *v, double *gradient) {
    double sum = 0;
    with_shape(classes_, x_.values != nullptr, [&](auto shape) {
      using Shape = decltype(shape);
      const Classes<Shape::K> classes{classes_};
      auto *u = differences<typename Shape::Real>();
      sum = take(v, classes, u);
      std::array<double, kMaxChunks> losses{};
      sum_over_chunks(x_, buffers_, total_.data(), [&](int64_t chunk, int64_t begin, int64_t end, double *buffer) {
        losses[chunk] = ChunkOfLoss<Shape>(x_, y_, weights_, classes, u).add(begin, end, buffer);
      });
      give(v, classes, u, gradient);
      for (const double loss : losses) sum += loss;
    });
    return sum;
  }

private:
  template <typename Real> Real *differences() {
    if constexpr (std::is_same_v<Real, float>)
      return single_.data();
    else
      return twice_.data();
  }

  // A feature's weight of the last class, rounded; those of the others are u more than that. So loss and penalty are
  // computed from the same weights, and a line search is not misled.
  template <typename Real> Real base(int64_t j, const double *v) const {
    return static_cast<Real>(units_[j] * v[(j + 1) * classes_ - 1]);
  }

  // Sets u; returns the penalty.
  template <int K, typename Real> double take(const double *v, Classes<K> classes, Real *u) const {
    const auto [squares, sizes] = sum_strips<2>(x_.features(), threads_, [&](int64_t begin, int64_t end) {
      double square = 0, size = 0;
      for (int64_t j = begin; j < end; ++j) {
        const double last = base<Real>(j, v);
        square += last * last, size += std::abs(last);
        for (int k = 0; k < classes - 1; ++k) {
          const Real more = static_cast<Real>(units_[j] * v[j * classes + k] - last);
          const double w = last + static_cast<double>(more);
          u[j * (classes - 1) + k] = more;
          square += w * w, size += std::abs(w);
        }
      }
      return std::array{square, size};
    });
    return ridge_ / 2 * squares + lasso_ * sizes;
  }

  // Computes the gradient from its sums over rows.
  template <int K, typename Real>
  void give(const double *v, Classes<K> classes, const Real *u, double *gradient) const {
    for_each_strip(x_.features(), threads_, [&](int64_t, int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j) {
        const double last = base<Real>(j, v);
        double rest = 0;
        for (int k = 0; k < classes - 1; ++k) {
          const int64_t i = j * (classes - 1) + k;
          gradient[j * classes + k] = units_[j] * (total_[i] + ridge_ * (last + static_cast<double>(u[i])));
          rest -= total_[i];
        }
        gradient[(j + 1) * classes - 1] = units_[j] * (rest + ridge_ * last);
      }
    });
  }

  const Samples &x_;
  const int32_t *y_;
  const double *weights_;
  const int classes_;
  const std::vector<double> units_;
  const double ridge_, lasso_;
  const int threads_;
  Buffers buffers_;
  std::vector<double> total_; // gradient of L for k < K
  std::vector<float> single_; // u for rows without values, else in double
  std::vector<double> twice_;
};

} // namespace tartib
