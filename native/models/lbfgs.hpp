// L-BFGS and OWL-QN: the operations on whole vectors. The search itself is in src/tartib/models/lbfgs.py.
//
// Problem: minimise over x  F(x) = f(x) + Σ_i c_i |x_i|,  f convex with gradient g, c ≥ 0; no constraints.
//
// Direction: d = -H v, where v is the slope of F and H the inverse Hessian estimated from the last m pairs s = Δx,
// y = Δg. The two loops (Nocedal 1980) need products of pairs with one another and with v, and d is a linear
// combination of the pairs and v. So the loops run on scalars, and the pairs are read twice per direction instead of
// four times (Chen, Wang and Zhou 2014). Pairs are stored in single precision, because they only set the direction; x,
// g and v are in double.
//
// With c > 0 (Andrew and Gao 2007) v is the pseudo-gradient ◇F, the steepest slope of F where F has a kink; d is set
// to 0 where it does not point down v; and no step leaves the orthant of x, or of -v where x is 0: a coordinate that
// would change its sign becomes exactly 0.
//
// Sums are computed strip by strip and added in order, so they are the same for any number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "base/threads.hpp"
#include "models/linear.hpp"

namespace tartib {

constexpr int64_t kStrip = 4096;

// Calls fn(strip, begin, end) for all strips of a vector. fn must not throw.
template <typename Fn> void for_each_strip(int64_t size, int threads, Fn fn) {
  const int64_t strips = (size + kStrip - 1) / kStrip;
  const int used = static_cast<int>(std::clamp<int64_t>(strips, 1, threads));
  run_threads(used, [&](int t) {
    for (int64_t strip = strips * t / used; strip < strips * (t + 1) / used; ++strip)
      fn(strip, strip * kStrip, std::min(size, (strip + 1) * kStrip));
  });
}

// Σ over strips of the numbers that fn(begin, end) returns as an array.
template <size_t N, typename Fn> std::array<double, N> sum_strips(int64_t size, int threads, Fn fn) {
  std::vector<std::array<double, N>> parts((size + kStrip - 1) / kStrip);
  for_each_strip(size, threads, [&](int64_t strip, int64_t begin, int64_t end) { parts[strip] = fn(begin, end); });
  std::array<double, N> sums{};
  for (const auto &part : parts)
    for (size_t n = 0; n < N; ++n) sums[n] += part[n];
  return sums;
}

inline double sign(double value) {
  return static_cast<double>((value > 0) - (value < 0));
}

// ◇F: where x is 0, the slope on the side where F falls, or 0 if F falls on neither side.
inline void pseudo_gradient(int64_t size, const double *x, const double *g, const double *c, int threads, double *v) {
  for_each_strip(size, threads, [&](int64_t, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      v[i] = x[i] != 0 ? g[i] + c[i] * sign(x[i]) : sign(g[i]) * std::max(std::abs(g[i]) - c[i], 0.0);
  });
}

// Writes x + length · d to `to`, within the orthant if there are kinks; returns v·(to - x).
inline double move(int64_t size, const double *x, const double *d, double length, const double *v, bool kinks,
                   int threads, double *to) {
  return sum_strips<1>(size, threads, [&](int64_t begin, int64_t end) {
    double promise = 0;
    for (int64_t i = begin; i < end; ++i) {
      double next = x[i] + length * d[i];
      if (kinks) {
        const double side = x[i] != 0 ? x[i] : -v[i];
        if (d[i] * v[i] >= 0) next = x[i];
        if (!(next * side > 0)) next = 0;
      }
      promise += v[i] * (next - x[i]);
      to[i] = next;
    }
    return std::array{promise};
  })[0];
}

// a·b of a strip, in single precision.
inline double dot_strip(const float *a, const float *b, int64_t size) {
  Float4 sums[4] = {};
  int64_t i = 0;
  for (; i + 16 <= size; i += 16)
    for (int v = 0; v < 4; ++v) sums[v] += load_four(a + i + 4 * v) * load_four(b + i + 4 * v);
  const Float4 all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  double rest = 0;
  for (; i < size; ++i) rest += static_cast<double>(a[i]) * b[i];
  return static_cast<double>((all[0] + all[1]) + (all[2] + all[3])) + rest;
}

// The last pairs, and the directions computed from them.
class Curvature {
public:
  Curvature(int64_t size, int most, int threads)
      : size_(size), most_(most), threads_(threads), pairs_(most), along_(most * most), across_(most * most),
        parts_((size + kStrip - 1) / kStrip * 4 * most) {}

  int count() const { return count_; }
  int64_t size() const { return size_; }
  void forget() { count_ = 0, related_ = true; }

  // Adds a step, replacing the oldest if there are m already; ignores it if F has no positive curvature along it.
  void learn(const double *x, const double *next_x, const double *g, const double *next_g) {
    if (!related_) relate(nullptr);
    if (count_ == most_) first_ = (first_ + 1) % most_, --count_;
    Pair &pair = pairs_[slot(count_)];
    if (!pair.s) {
      pair.s = std::make_unique_for_overwrite<float[]>(size_);
      pair.y = std::make_unique_for_overwrite<float[]>(size_);
    }
    const auto [along, across] = sum_strips<2>(size_, threads_, [&](int64_t begin, int64_t end) {
      float *s = pair.s.get() + begin, *y = pair.y.get() + begin;
      for (int64_t i = begin; i < end; ++i) s[i - begin] = static_cast<float>(next_x[i] - x[i]);
      for (int64_t i = begin; i < end; ++i) y[i - begin] = static_cast<float>(next_g[i] - g[i]);
      return std::array<double, 2>{dot_strip(s, y, end - begin), dot_strip(y, y, end - begin)};
    });
    if (!(along > std::numeric_limits<double>::epsilon() * across) || !std::isfinite(along + across)) return;
    ++count_;
    related_ = false;
  }

  // Writes -H v to d.
  void direction(const double *v, double *d) {
    relate(v);
    const double scale = solve();
    for_each_strip(size_, threads_, [&](int64_t, int64_t begin, int64_t end) {
      std::array<float, kStrip> sum;
      for (int64_t i = begin; i < end; ++i) sum[i - begin] = static_cast<float>(-scale * v[i]);
      for (int p = 0; p < count_; ++p) {
        const Pair &pair = pairs_[slot(p)];
        const float of_s = static_cast<float>(-pair.beta), of_y = static_cast<float>(scale * pair.alpha);
        const float *s = pair.s.get() + begin, *y = pair.y.get() + begin;
        for (int64_t i = 0; i < end - begin; ++i) sum[i] += of_s * s[i] + of_y * y[i];
      }
      for (int64_t i = begin; i < end; ++i) d[i] = static_cast<double>(sum[i - begin]);
    });
  }

private:
  struct Pair {
    std::unique_ptr<float[]> s, y;
    double sv, yv;      // products with v
    double alpha, beta; // coefficients of y and s in the two loops
  };

  int slot(int place) const { return (first_ + place) % most_; }              // place 0 is the oldest
  double &along(int p, int q) { return along_[slot(p) * most_ + slot(q)]; }   // s_p·y_q, q not older than p
  double &across(int p, int q) { return across_[slot(p) * most_ + slot(q)]; } // y_p·y_q

  // Products of all pairs with the newest y, if it has none yet, and with v.
  void relate(const double *v) {
    const int64_t strips = (size_ + kStrip - 1) / kStrip;
    for_each_strip(size_, threads_, [&](int64_t strip, int64_t begin, int64_t end) {
      std::array<float, kStrip> slope;
      if (v) std::transform(v + begin, v + end, slope.begin(), [](double value) { return static_cast<float>(value); });
      for (int p = 0; p < count_; ++p) {
        const float *s = pairs_[slot(p)].s.get() + begin, *y = pairs_[slot(p)].y.get() + begin;
        double *part = &parts_[(strip * most_ + p) * 4];
        if (v) part[0] = dot_strip(s, slope.data(), end - begin), part[1] = dot_strip(y, slope.data(), end - begin);
        if (related_) continue;
        const float *newest = pairs_[slot(count_ - 1)].y.get() + begin;
        part[2] = dot_strip(s, newest, end - begin), part[3] = dot_strip(y, newest, end - begin);
      }
    });
    for (int p = 0; p < count_; ++p) {
      std::array<double, 4> sums{};
      for (int64_t strip = 0; strip < strips; ++strip)
        for (int n = 0; n < 4; ++n) sums[n] += parts_[(strip * most_ + p) * 4 + n];
      pairs_[slot(p)].sv = sums[0], pairs_[slot(p)].yv = sums[1];
      if (related_) continue;
      along(p, count_ - 1) = sums[2];
      across(p, count_ - 1) = across(count_ - 1, p) = sums[3];
    }
    related_ = true;
  }

  // The two loops: H v = scale · (v - Σ alpha y) + Σ beta s; returns the scale.
  double solve() {
    if (count_ == 0) return 1;
    const double scale = along(count_ - 1, count_ - 1) / across(count_ - 1, count_ - 1);
    for (int p = count_ - 1; p >= 0; --p) {
      double product = pairs_[slot(p)].sv;
      for (int q = p + 1; q < count_; ++q) product -= pairs_[slot(q)].alpha * along(p, q);
      pairs_[slot(p)].alpha = product / along(p, p);
    }
    for (int p = 0; p < count_; ++p) {
      double product = pairs_[slot(p)].yv;
      for (int q = 0; q < count_; ++q) product -= pairs_[slot(q)].alpha * across(p, q);
      product *= scale;
      for (int q = 0; q < p; ++q) product += pairs_[slot(q)].beta * along(q, p);
      pairs_[slot(p)].beta = pairs_[slot(p)].alpha - product / along(p, p);
    }
    return scale;
  }

  const int64_t size_;
  const int most_, threads_;
  int first_ = 0, count_ = 0;
  bool related_ = true; // whether the products of the newest pair are computed
  std::vector<Pair> pairs_;
  std::vector<double> along_, across_;
  std::vector<double> parts_; // sums of strips
};

} // namespace tartib
