// Linear multiclass models over sparse rows: what every solver shares.
//
// Symbols: x_i a row, w_k the weights of class k, s_ik = w_k·x_i its score. The weights of a feature lie side by side,
// padded to `S` floats (w[j * S + k]), so that one feature costs one cache line and a few vector instructions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "dataset/rows.hpp"

namespace tartib {

constexpr int kMaxClasses = 1024;

// Stride: floats from the weights of one feature to those of the next.
constexpr int stride_of(int classes) {
  return classes <= 4 ? 4 : classes <= 8 ? 8 : (classes + 15) / 16 * 16;
}

// What kernels are compiled for: the number of classes and the stride, if they are small (else 0, and they are known
// only at run time), and whether rows have values. Sums of a few ones are safe in single precision, and fast; rows of
// real numbers may need an optimum to ten digits, so for them everything is in double precision.
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
  return with(any, any);
}

// The number of classes, known to the compiler if it is small.
template <int K> struct Classes {
  int count;
  operator int() const { return K ? K : count; }
};

// The stride, known to the compiler if it is small.
template <int S> struct Stride {
  int count;
  operator int() const { return S ? S : count; }
};
template <int S> Stride<S> stride_for(int classes) {
  return {stride_of(classes)};
}

// Room for one number per class.
constexpr int room_for(int stride) {
  return stride ? stride : kMaxClasses;
}
template <int S, typename Real> using PerStride = std::array<Real, room_for(S)>;

// Sparse rows in compressed form; no values means that all are 1. With an intercept, every row also has the value 1 in
// the column after the last.
//
// The arrays belong to Python or to files mapped into memory, and may change at any time after they were checked. So
// whatever is read from them to find a place goes through `range`, `column` or `label_of`, which never lead beyond the
// arrays: changed numbers give other weights, but no crash. What a solver has copied needs no such care (`Own`).
template <bool Own> struct BasicSamples {
  const int64_t *indptr;
  const int32_t *indices;
  const float *values;
  int64_t rows;
  int64_t columns;
  bool intercept;
  int64_t entries; // of `indices`; 0 if there are no columns

  int64_t features() const { return columns + (intercept ? 1 : 0); }

  RowRange range(int64_t row) const {
    return Own ? RowRange{indptr[row], indptr[row + 1]} : row_range(indptr, row, entries);
  }
  int64_t column(int64_t entry) const {
    const int64_t j = static_cast<uint32_t>(indices[entry]);
    return Own || j < columns ? j : 0;
  }

  // Calls fn(column, value) for each entry of a row.
  template <bool Valued, typename Fn> void for_each(RowRange range, Fn fn) const {
    for (int64_t p = range.begin; p < range.end; ++p) fn(column(p), Valued ? values[p] : 1.0f);
    if (intercept) fn(columns, 1.0f);
  }
  template <bool Valued, typename Fn> void for_each(int64_t row, Fn fn) const { for_each<Valued>(range(row), fn); }

  // A = x·x.
  template <bool Valued> double norm(int64_t row) const {
    if (!Valued) return static_cast<double>(range(row).size() + (intercept ? 1 : 0));
    double sum = 0;
    for_each<Valued>(row, [&](int64_t, float x) { sum += static_cast<double>(x) * x; });
    return sum;
  }

  // Prefetches the weights of a row; that may be anywhere.
  template <int S, typename Weight> void prefetch(int64_t row, const Weight *w, Stride<S> stride) const {
    const RowRange found = range(row);
    for (int64_t p = found.begin; p < found.end; ++p)
      __builtin_prefetch(w + static_cast<int64_t>(indices[p]) * stride, 1);
  }
};

using Samples = BasicSamples<false>;

// The class of a row, which may change as the rows may.
inline int label_of(const int32_t *y, int64_t row, int classes) {
  const int32_t label = y[row];
  return static_cast<uint32_t>(label) < static_cast<uint32_t>(classes) ? label : 0;
}

// Number of rows to prefetch ahead: far enough for main memory, near enough to stay in the first-level cache.
constexpr int64_t kAhead = 4;

// Four weights at once, aligned or not: the copy is one instruction.
typedef float Float4 __attribute__((vector_size(16)));
typedef double Double2 __attribute__((vector_size(16)));
typedef double Double4 __attribute__((vector_size(32)));
inline Float4 load_four(const float *from) {
  Float4 four;
  std::memcpy(&four, from, sizeof four);
  return four;
}

// Four floats or two doubles, as many as are computed at once.
template <typename Real> using Pack = std::conditional_t<std::is_same_v<Real, float>, Float4, Double2>;
// As many numbers in double precision.
template <typename Real> using WidePack = std::conditional_t<std::is_same_v<Real, float>, Double4, Double2>;
template <typename Real> constexpr int kPack = sizeof(Pack<Real>) / sizeof(Real);
template <typename Real> Pack<Real> load_pack(const Real *from) {
  Pack<Real> pack;
  std::memcpy(&pack, from, sizeof pack);
  return pack;
}

// s_k = w_k·x for all classes.
template <int S, typename Real>
inline void score(const Samples &x, int64_t row, const Real *w, Stride<S> stride, PerStride<S, Real> &s) {
  constexpr bool valued = std::is_same_v<Real, double>;
  if constexpr (S == 0) {
    std::fill_n(s.begin(), static_cast<int>(stride), Real{0});
    x.for_each<valued>(row, [&](int64_t j, float value) {
      const Real *wj = w + j * stride;
      for (int k = 0; k < stride; ++k) s[k] += static_cast<Real>(value) * wj[k];
    });
  } else {
    constexpr int P = kPack<Real>;
    Pack<Real> sum[S / P] = {};
    x.for_each<valued>(row, [&](int64_t j, float value) {
      for (int v = 0; v < S / P; ++v) {
        const Pack<Real> weights = load_pack(w + j * S + P * v);
        sum[v] += valued ? static_cast<Real>(value) * weights : weights;
      }
    });
    for (int k = 0; k < S; ++k) s[k] = sum[k / P][k % P];
  }
}

// Scores of rows [begin, end), `classes` per row.
template <int S, typename Real>
void score_rows(const Samples &x, int64_t begin, int64_t end, const Real *w, int classes, Real *out) {
  const Stride<S> stride = stride_for<S>(classes);
  PerStride<S, Real> s;
  for (int64_t r = begin; r < end; ++r) {
    if (r + kAhead < end) x.prefetch<S>(r + kAhead, w, stride);
    score<S>(x, r, w, stride, s);
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

// exp of four numbers, to about seven digits: 2^n times a polynomial of the rest. Below kLowest, where exp is hardly
// more than 0, it is that of kLowest; above 88 it is that of 88. The least single-precision number of full speed is
// exp(-87.3), so what is multiplied with exp(kLowest) may still be a good deal less than 1.
constexpr float kLowest = -80;
typedef int32_t Int4 __attribute__((vector_size(16)));
[[gnu::always_inline]] inline Float4 exp_of_four(Float4 x) {
  constexpr float magic = 12582912; // adding it rounds to a whole number, in the last bits of the sum
  x = x < kLowest ? Float4{} + kLowest : x;
  x = x > 88.0f ? Float4{} + 88.0f : x;
  const Float4 shifted = x * 1.44269504f + magic, whole = shifted - magic;
  const Float4 f = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  Float4 p = f * (1.0f / 5040) + 1.0f / 720;
  p = p * f + 1.0f / 120;
  p = p * f + 1.0f / 24;
  p = p * f + 1.0f / 6;
  p = p * f + 0.5f;
  p = p * f + 1.0f;
  p = p * f + 1.0f;
  Int4 bits, n;
  std::memcpy(&bits, &p, sizeof bits);
  std::memcpy(&n, &shifted, sizeof n);
  bits += n << 23;
  std::memcpy(&p, &bits, sizeof p);
  return p;
}

// log of a positive number, to about seven digits: x = 2^n m with m near 1, log m = 2 artanh((m - 1) / (m + 1)).
[[gnu::always_inline]] inline float log_of_one(float x) {
  const int32_t bits = std::bit_cast<int32_t>(x);
  const int32_t n = (bits - 0x3f3504f3) >> 23; // so that m is between √½ and √2
  const float m = std::bit_cast<float>(bits - n * (1 << 23));
  const float u = (m - 1) / (m + 1), v = u * u;
  const float tail = v * (2.0f / 3 + v * (2.0f / 5 + v * (2.0f / 7 + v * (2.0f / 9))));
  return static_cast<float>(n) * 0.693147181f + (2 * u + u * tail);
}

} // namespace tartib
