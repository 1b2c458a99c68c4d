// Linear multiclass models over sparse rows: what every solver shares.
//
// Symbols: x_i a row, w_k the weights of class k, s_ik = w_k·x_i its score. The weights of a feature lie side by side,
// padded to `S` floats (w[j * S + k]), so that one feature costs one cache line and a few vector instructions.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace tartib {

constexpr int kMaxClasses = 64;

// Stride: floats from the weights of one feature to those of the next.
constexpr int stride_of(int classes) {
  return classes <= 4 ? 4 : classes <= 8 ? 8 : classes <= 16 ? 16 : classes <= 32 ? 32 : 64;
}

// What kernels are compiled for: the number of classes if it is small (else 0, and it is known only at run time), the
// stride, and whether rows have values. Sums of a few ones are safe in single precision, and fast; rows of real numbers
// may need an optimum to ten digits, so for them everything is in double precision.
template <int Classes, int Stride, bool HasValues> struct Shape {
  static constexpr int K = Classes;
  static constexpr int S = Stride;
  static constexpr bool Valued = HasValues;
  using Real = std::conditional_t<HasValues, double, float>;
};

// Calls fn with the shape.
template <typename Fn> void with_shape(int classes, bool valued, Fn fn) {
  const auto with = [&]<int K, int S>(std::integral_constant<int, K>, std::integral_constant<int, S>) {
    if (valued)
      fn(Shape<K, S, true>{});
    else
      fn(Shape<K, S, false>{});
  };
  const auto any = std::integral_constant<int, 0>{};
  const auto four = std::integral_constant<int, 4>{};
  if (classes == 2) return with(std::integral_constant<int, 2>{}, four);
  if (classes == 3) return with(std::integral_constant<int, 3>{}, four);
  if (classes == 4) return with(four, four);
  if (classes <= 8) return with(any, std::integral_constant<int, 8>{});
  if (classes <= 16) return with(any, std::integral_constant<int, 16>{});
  if (classes <= 32) return with(any, std::integral_constant<int, 32>{});
  return with(any, std::integral_constant<int, 64>{});
}

// The number of classes, known to the compiler if it is small.
template <int K> struct Classes {
  int count;
  operator int() const { return K ? K : count; }
};

// Sparse rows in compressed form; no values means that all are 1. With an intercept, every row also has the value 1 in
// the column after the last.
struct Samples {
  const int64_t *indptr;
  const int32_t *indices;
  const float *values;
  int64_t rows;
  int64_t columns;
  bool intercept;

  int64_t features() const { return columns + (intercept ? 1 : 0); }

  // Calls fn(column, value) for each entry of a row.
  template <bool Valued, typename Fn> void for_each(int64_t row, Fn fn) const {
    for (int64_t p = indptr[row]; p < indptr[row + 1]; ++p)
      fn(static_cast<int64_t>(indices[p]), Valued ? values[p] : 1.0f);
    if (intercept) fn(columns, 1.0f);
  }

  // A = x·x.
  template <bool Valued> double norm(int64_t row) const {
    if (!Valued) return static_cast<double>(indptr[row + 1] - indptr[row] + (intercept ? 1 : 0));
    double sum = 0;
    for_each<Valued>(row, [&](int64_t, float x) { sum += static_cast<double>(x) * x; });
    return sum;
  }

  // Prefetches the weights of a row.
  template <int S, typename Weight> void prefetch(int64_t row, const Weight *w) const {
    for (int64_t p = indptr[row]; p < indptr[row + 1]; ++p)
      __builtin_prefetch(w + static_cast<int64_t>(indices[p]) * S, 1);
  }
};

// Number of rows to prefetch ahead: far enough for main memory, near enough to stay in the first-level cache.
constexpr int64_t kAhead = 4;

// Four weights at once, aligned or not: the copy is one instruction.
typedef float Float4 __attribute__((vector_size(16)));
inline Float4 load_four(const float *from) {
  Float4 four;
  std::memcpy(&four, from, sizeof four);
  return four;
}

// s_k = w_k·x for all classes.
template <int S> inline void score(const Samples &x, int64_t row, const float *w, std::array<float, S> &s) {
  Float4 sum[S / 4] = {};
  x.for_each<false>(row, [&](int64_t j, float) {
    for (int v = 0; v < S / 4; ++v) sum[v] += load_four(w + j * S + 4 * v);
  });
  for (int k = 0; k < S; ++k) s[k] = sum[k / 4][k % 4];
}

template <int S> inline void score(const Samples &x, int64_t row, const double *w, std::array<double, S> &s) {
  s.fill(0.0);
  x.for_each<true>(row, [&](int64_t j, float value) {
    for (int k = 0; k < S; ++k) s[k] += static_cast<double>(value) * w[j * S + k];
  });
}

// Scores of rows [begin, end), `classes` per row.
template <int S, typename Real>
void score_rows(const Samples &x, int64_t begin, int64_t end, const Real *w, int classes, Real *out) {
  std::array<Real, S> s;
  for (int64_t r = begin; r < end; ++r) {
    if (r + kAhead < end) x.prefetch<S>(r + kAhead, w);
    score<S>(x, r, w, s);
    std::copy_n(s.data(), classes, out + (r - begin) * classes);
  }
}

// Appends the scores of rows of ones, given by their offsets and columns; `intercepts` may be nullptr.
inline void score_columns(const std::vector<int64_t> &offsets, const std::vector<int32_t> &columns, const float *w,
                          const float *intercepts, int classes, std::vector<float> &out) {
  const int64_t stride = stride_of(classes);
  for (size_t r = 0; r + 1 < offsets.size(); ++r) {
    const size_t row = out.size();
    if (intercepts)
      out.insert(out.end(), intercepts, intercepts + classes);
    else
      out.resize(row + classes);
    for (int64_t at = offsets[r]; at < offsets[r + 1]; ++at)
      for (int k = 0; k < classes; ++k) out[row + k] += w[columns[at] * stride + k];
  }
}

// log Σ_k exp(s_k).
template <typename Real> Real log_sum_exp(const Real *s, int classes) {
  const Real top = *std::max_element(s, s + classes);
  Real sum = 0;
  for (int k = 0; k < classes; ++k) sum += std::exp(s[k] - top);
  return top + std::log(sum);
}

} // namespace tartib
