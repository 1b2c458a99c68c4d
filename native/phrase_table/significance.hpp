// How surely two phrases belong together: Fisher's exact test on the sentence pairs that they occur in (Johnson,
// Martin, Foster and Kuhn 2007, "Improving translation quality by discarding most of the phrasetable").
//
// Of N sentence pairs, C(f) have the source phrase, C(e) the target phrase, C(f, e) both. If the two were independent,
// both together would be in k of them with the hypergeometric probability
//
//   h(k) = (C(f) over k) (N - C(f) over C(e) - k) / (N over C(e))
//
// and the p-value is Σ h(k) for k ≥ C(f, e).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "phrase_table/phrase_index.hpp"

namespace tartib {

class FisherTest {
public:
  explicit FisherTest(int64_t sentences) : log_factorial_(static_cast<size_t>(sentences) + 1) {
    for (size_t n = 1; n < log_factorial_.size(); ++n)
      log_factorial_[n] = log_factorial_[n - 1] + std::log(static_cast<double>(n));
  }

  // -log of the p-value; the counts must be possible ones.
  double operator()(int64_t both, int64_t source, int64_t target) const {
    const int64_t all = static_cast<int64_t>(log_factorial_.size()) - 1;
    const double first = choose(source, both) + choose(all - source, target - both) - choose(all, target);
    double sum = 1, term = 1; // in units of the first term, so that nothing is too small
    for (int64_t k = both; k < std::min(source, target) && term > 1e-17 * sum; ++k) {
      term *= static_cast<double>(source - k) / static_cast<double>(k + 1) * static_cast<double>(target - k) /
              static_cast<double>(all - source - target + k + 1);
      sum += term;
    }
    return std::max(0.0, -first - std::log(sum));
  }

private:
  double choose(int64_t n, int64_t k) const { return log_factorial_[n] - log_factorial_[k] - log_factorial_[n - k]; }

  std::vector<double> log_factorial_;
};

// The sentences that each phrase of an index occurs in, whether or not it was extracted there.
class Occurrences {
public:
  Occurrences(const PhraseIndex &index, const int32_t *ids, const int64_t *offsets,
              const std::vector<int64_t> &sentences)
      : index_(index), begins_(static_cast<size_t>(index.size()) + 1) {
    if (sentences.size() > std::numeric_limits<int32_t>::max())
      throw std::length_error("significance is for at most 2^31-1 sentence pairs");
    make_slots();
    const auto scan = [&](auto visit) {
      std::vector<int64_t> last(static_cast<size_t>(index_.size()), -1);
      for (size_t s = 0; s < sentences.size(); ++s) {
        const Words sentence(ids + offsets[sentences[s]],
                             static_cast<size_t>(offsets[sentences[s] + 1] - offsets[sentences[s]]));
        for_each_phrase(sentence, [&](int64_t phrase) {
          if (std::exchange(last[phrase], static_cast<int64_t>(s)) != static_cast<int64_t>(s))
            visit(phrase, static_cast<int32_t>(s));
        });
      }
    };
    scan([&](int64_t phrase, int32_t) { ++begins_[phrase + 1]; });
    for (size_t p = 1; p < begins_.size(); ++p) begins_[p] += begins_[p - 1];
    sentences_.resize(static_cast<size_t>(begins_.back()));
    std::vector<int64_t> next(begins_.begin(), begins_.end() - 1);
    scan([&](int64_t phrase, int32_t sentence) { sentences_[next[phrase]++] = sentence; });
    slots_ = {};
  }

  std::span<const int32_t> of(int64_t phrase) const {
    return {sentences_.data() + begins_[phrase], static_cast<size_t>(begins_[phrase + 1] - begins_[phrase])};
  }

private:
  void make_slots() {
    slots_.assign(std::bit_ceil(static_cast<size_t>(index_.size()) * 2 + 1), -1);
    for (int64_t phrase = 0; phrase < index_.size(); ++phrase) {
      longest_ = std::max(longest_, index_.words(phrase).size());
      size_t at = words_hash(index_.words(phrase)) & (slots_.size() - 1);
      while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = phrase;
    }
  }

  template <typename Visit> void for_each_phrase(Words sentence, Visit visit) const {
    for (size_t begin = 0; begin < sentence.size(); ++begin)
      for (size_t length = 1; length <= std::min(longest_, sentence.size() - begin); ++length)
        if (const int64_t phrase = find(sentence.subspan(begin, length)); phrase >= 0) visit(phrase);
  }

  int64_t find(Words words) const {
    size_t at = words_hash(words) & (slots_.size() - 1);
    while (slots_[at] >= 0 && !std::ranges::equal(index_.words(slots_[at]), words)) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  const PhraseIndex &index_;
  size_t longest_ = 0;
  std::vector<int64_t> slots_, begins_;
  std::vector<int32_t> sentences_;
};

// How many sentences two rising lists share: each of the shorter one is searched in what is left of the longer one.
inline int64_t count_shared(std::span<const int32_t> a, std::span<const int32_t> b) {
  if (a.size() > b.size()) std::swap(a, b);
  int64_t shared = 0;
  auto from = b.begin();
  for (const int32_t sentence : a) {
    from = std::lower_bound(from, b.end(), sentence);
    if (from == b.end()) break;
    shared += *from == sentence;
  }
  return shared;
}

} // namespace tartib
