// The places of a text in the order of the words that end there: w[i], then w[i-1], w[i-2], … back to <s>.
//
// All n-grams of all orders are runs of this one order, an n-gram beside those with the same last words; so the number
// of different words before an n-gram is a number of steps in its run.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "lm/query.hpp"
#include "lm/text.hpp"

namespace tartib {

// Calls fn(begin, end, t) for consecutive parts of [0, size), one a thread. fn must not throw.
template <typename Fn> void for_parts(int64_t size, int threads, Fn fn) {
  const int64_t parts = std::clamp<int64_t>(size / 4096, 1, threads);
  run_threads(static_cast<int>(parts), [&](int t) { fn(size * t / parts, size * (t + 1) / parts, t); });
}

class SortedText {
public:
  // Ids below `words`; every line begins with <s> and ends with </s>.
  SortedText(std::vector<uint32_t> &&ids, uint32_t words, int order, int threads)
      : ids_(std::move(ids)), order_(order), begins_(static_cast<size_t>(words) + 1) {
    if (ids_.size() >= kNoNgram) throw std::length_error("a text may have at most 4 billion words");
    for (const uint32_t id : ids_) ++begins_[id + 1];
    for (uint32_t w = 0; w < words; ++w) begins_[w + 1] += begins_[w];
    places_.resize(ids_.size());
    steps_.resize(ids_.size());
    std::vector<uint32_t> next(begins_.begin(), begins_.end() - 1);
    for (uint32_t i = 0; i < ids_.size(); ++i) places_[next[ids_[i]]++] = i;
    sort_runs(threads);
  }

  int64_t size() const { return static_cast<int64_t>(ids_.size()); }
  const std::vector<uint32_t> &ids() const { return ids_; }
  // The run of places with this word: from begin(w) to begin(w + 1).
  uint32_t begin(uint32_t word) const { return begins_[word]; }
  uint32_t place(int64_t rank) const { return places_[rank]; }
  // How many last words this place shares with the one before it in the order, at most the model's order.
  int shared(int64_t rank) const { return steps_[rank] & 15; }
  // How many words there are back to <s>, at most the model's order.
  int length(int64_t rank) const { return steps_[rank] >> 4; }

  // Cuts the order into parts for threads, never inside of a bigram.
  std::vector<int64_t> cuts(int parts) const {
    std::vector<int64_t> cuts{0};
    for (int p = 1; p < parts; ++p) {
      int64_t cut = std::max(cuts.back(), size() * p / parts);
      while (cut < size() && shared(cut) >= 2) ++cut;
      cuts.push_back(cut);
    }
    cuts.push_back(size());
    return cuts;
  }

private:
  struct Keyed {
    uint64_t key; // the two words before
    uint32_t place;
  };

  void sort_runs(int threads) {
    const uint32_t words = static_cast<uint32_t>(begins_.size() - 1);
    size_t longest = 0;
    for (uint32_t w = 0; w < words; ++w)
      if (w != kBeginWord) longest = std::max<size_t>(longest, begins_[w + 1] - begins_[w]);
    std::vector<std::vector<Keyed>> scratch(threads, std::vector<Keyed>(longest));
    std::atomic<uint32_t> next = 0;
    constexpr uint32_t kBatch = 64;
    run_threads(threads, [&](int t) {
      for (uint32_t from; (from = next.fetch_add(kBatch)) < words;)
        for (uint32_t w = from; w < std::min(from + kBatch, words); ++w) {
          if (w != kBeginWord) sort_run(begins_[w], begins_[w + 1], scratch[t].data());
          note_steps(begins_[w], begins_[w + 1]);
        }
    });
  }

  void sort_run(uint32_t begin, uint32_t end, Keyed *keyed) {
    for (uint32_t r = begin; r < end; ++r) {
      const uint32_t i = places_[r], one = ids_[i - 1], two = one == kBeginWord ? 0 : ids_[i - 2];
      keyed[r - begin] = {static_cast<uint64_t>(one) << 32 | two, i};
    }
    std::sort(keyed, keyed + (end - begin), [&](const Keyed &a, const Keyed &b) {
      return a.key != b.key ? a.key < b.key : before(a.place, b.place);
    });
    for (uint32_t r = begin; r < end; ++r) places_[r] = keyed[r - begin].place;
  }

  bool before(uint32_t a, uint32_t b) const {
    for (int k = 0; k < order_; ++k, --a, --b) {
      if (ids_[a] != ids_[b]) return ids_[a] < ids_[b];
      if (ids_[a] == kBeginWord) break;
    }
    return false;
  }

  void note_steps(uint32_t begin, uint32_t end) {
    for (uint32_t r = begin; r < end; ++r) {
      const uint32_t *at = ids_.data() + places_[r], *previous = r > begin ? ids_.data() + places_[r - 1] : at;
      int length = 1, shared = 0;
      while (length < order_ && at[1 - length] != kBeginWord) ++length;
      if (r > begin)
        while (shared < length && at[-shared] == previous[-shared]) ++shared;
      steps_[r] = static_cast<uint8_t>(length << 4 | shared);
    }
  }

  const std::vector<uint32_t> ids_;
  const int order_;
  std::vector<uint32_t> begins_, places_;
  std::vector<uint8_t> steps_;
};

} // namespace tartib
