// Counts of phrase pairs made smaller, as Moses' `consolidate` does it (Foster, Kuhn and Johnson 2006, "Phrasetable
// smoothing for statistical machine translation").
//
// n_r is the number of distinct phrase pairs that were seen r times. c is count(f, e).
//
// Good-Turing: c becomes c·g_c for c ≤ 8, where g_r = (r+1)/r · (n_{r+1} + 0.1)/(n_r + 0.1), made to rise and to stay
// between 0.01 and 1.
//
// Kneser-Ney: c becomes c - D + D·n(f)·n(e)/n for p(e|f) as for p(f|e), where n(f) and n(e) are the numbers of distinct
// partners of the two phrases, n that of all phrase pairs, and D = D_1, D_2 or D_3 for c = 1, 2 or more:
//
//   Y = n_1/(n_1 + 2 n_2),  D_r = r - (r+1) Y n_{r+1}/n_r, between 0 and r - 0.1 (Chen and Goodman 1998)
//
// (What is taken from all pairs of f is given back by n(e)/n, with the D of the pair at hand instead of a mean one.)
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace tartib {

enum class Discounting : int { none, good_turing, kneser_ney };

class Discounts {
public:
  explicit Discounts(Discounting kind) : kind_(kind) {}

  void add(int64_t count) {
    ++distinct_;
    if (count <= kMaxCount) ++seen_[count];
  }

  void estimate() {
    discount_[0] = 0.01;
    for (int r = 1; r < kMaxCount; ++r) {
      const double g = (r + 1.0) / r * (seen_[r + 1] + 0.1) / (seen_[r] + 0.1);
      discount_[r] = std::max(std::min(g, 1.0), discount_[r - 1]);
    }
    const double y = seen_[1] / (seen_[1] + 2 * seen_[2]);
    for (int r = 1; r <= 3; ++r) {
      const double d = r - (r + 1) * y * seen_[r + 1] / seen_[r];
      taken_[r] = std::isnan(d) ? r - 0.1 : std::clamp(d, 0.0, r - 0.1); // no such counts: the most that may be taken
    }
  }

  // What count(f, e) becomes; the partners are distinct ones.
  double operator()(int64_t count, int64_t source_partners, int64_t target_partners) const {
    const double c = static_cast<double>(count);
    if (kind_ == Discounting::good_turing) return count < kMaxCount - 1 ? c * discount_[count] : c;
    if (kind_ == Discounting::none) return c;
    const double d = taken_[std::min<int64_t>(count, 3)];
    return c - d + d * static_cast<double>(source_partners) * static_cast<double>(target_partners) / distinct_;
  }

private:
  static constexpr int64_t kMaxCount = 10;

  const Discounting kind_;
  double distinct_ = 0;
  std::array<double, kMaxCount + 1> seen_{};
  std::array<double, kMaxCount> discount_{};
  std::array<double, 4> taken_{};
};

} // namespace tartib
