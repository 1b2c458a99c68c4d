// BLEU (Papineni et al. 2002) from statistics that add up over sentences.
//
// Statistics of a sentence: its length c; the length r of the reference closest in length (the shorter of two); and for
// n from 1 to 4 the number t_n = max(0, c - n + 1) of its n-grams and the number m_n of those that match, where each
// n-gram counts at most as often as in the reference that has it most often.
//
//   BLEU = min(1, exp(1 - r / c)) · (Π_n m_n / t_n)^¼
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <unordered_map>
#include <vector>

namespace tartib {

constexpr int kBleuOrder = 4;
constexpr int kBleuSize = 2 + 2 * kBleuOrder; // c, r, m_1 … m_4, t_1 … t_4
using BleuSums = std::array<double, kBleuSize>;

// BLEU of summed statistics, from 0 to 1. As in sacreBLEU, it is 0 if nothing matches; else the k-th m_n that is 0
// counts as 2⁻ᵏ.
inline double bleu_of(const BleuSums &sums) {
  const double length = sums[0], reference = sums[1];
  double product = 1, share = 1;
  if (!(sums[2] > 0)) return 0;
  for (int n = 0; n < kBleuOrder; ++n) {
    double matches = sums[2 + n];
    const double total = sums[2 + kBleuOrder + n];
    if (!(total > 0)) return 0;
    if (!(matches > 0)) matches = share /= 2;
    product *= matches / total;
  }
  // Roots instead of logarithms, for speed: MIRA calls this for each row in each epoch.
  const double mean = std::sqrt(std::sqrt(product));
  return length < reference ? mean * std::exp(1 - reference / length) : mean;
}

// The references of one sentence, prepared for comparison.
class BleuReferences {
public:
  // Reference i is ids[offsets[i]] … ids[offsets[i + 1]].
  BleuReferences(const int32_t *ids, const int64_t *offsets, int64_t count) {
    std::unordered_map<Gram, int32_t, Hash> counts;
    for (int64_t i = 0; i < count; ++i) {
      const int32_t *begin = ids + offsets[i], *end = ids + offsets[i + 1];
      lengths_.push_back(end - begin);
      counts.clear();
      each_gram(begin, end, [&](const Gram &gram, int) { ++counts[gram]; });
      for (const auto &[gram, times] : counts) {
        Entry &entry = most_.try_emplace(gram, Entry{static_cast<int32_t>(most_.size()), 0}).first->second;
        entry.times = std::max(entry.times, times);
      }
    }
    used_.assign(most_.size(), 0);
  }

  // Computes the statistics of a translation.
  void compare(const int32_t *begin, const int32_t *end, int32_t *stats) {
    const int64_t length = end - begin;
    std::fill(stats, stats + kBleuSize, 0);
    stats[0] = static_cast<int32_t>(length);
    stats[1] = static_cast<int32_t>(closest(length));
    for (int n = 0; n < kBleuOrder; ++n)
      stats[2 + kBleuOrder + n] = static_cast<int32_t>(std::max<int64_t>(0, length - n));
    touched_.clear();
    each_gram(begin, end, [&](const Gram &gram, int n) {
      const auto found = most_.find(gram);
      if (found == most_.end() || used_[found->second.number] == found->second.times) return;
      if (used_[found->second.number]++ == 0) touched_.push_back(found->second.number);
      ++stats[1 + n];
    });
    for (const int32_t number : touched_) used_[number] = 0;
  }

private:
  using Gram = std::array<int32_t, kBleuOrder>; // padded with kNone
  static constexpr int32_t kNone = std::numeric_limits<int32_t>::min();
  struct Hash {
    size_t operator()(const Gram &gram) const {
      uint64_t hash = 0;
      for (const int32_t id : gram) hash = (hash ^ static_cast<uint32_t>(id)) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
      return hash;
    }
  };
  struct Entry {
    int32_t number, times;
  };

  // Calls fn(gram, n).
  template <typename Fn> static void each_gram(const int32_t *begin, const int32_t *end, Fn fn) {
    for (const int32_t *start = begin; start < end; ++start) {
      Gram gram;
      gram.fill(kNone);
      for (int n = 1; n <= kBleuOrder && n <= end - start; ++n) {
        gram[n - 1] = start[n - 1];
        fn(gram, n);
      }
    }
  }

  int64_t closest(int64_t length) const {
    const auto key = [&](int64_t l) { return std::pair(std::abs(l - length), l); };
    return *std::min_element(lengths_.begin(), lengths_.end(), [&](int64_t a, int64_t b) { return key(a) < key(b); });
  }

  std::vector<int64_t> lengths_;
  std::unordered_map<Gram, Entry, Hash> most_;
  std::vector<int32_t> used_, touched_; // n-grams of the current translation that have matched
};

} // namespace tartib
