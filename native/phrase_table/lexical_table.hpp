// How words translate each other in an aligned bitext, as Moses counts it: each link once, and each word without a link
// as one that NULL translates.
//
//   w(e|f) = count(f, e) / Σ_e' count(f, e')        w(f|e) = count(f, e) / Σ_f' count(f', e)
//
// (Koehn, Och and Marcu 2003, section 4.4).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "phrases/phrases.hpp"

namespace tartib {

constexpr int32_t kNullWord = -1;

class LexicalTable {
public:
  // `all`: also sentences without phrase pairs.
  LexicalTable(const PhraseBlock &block, int64_t source_words, int64_t target_words, bool all)
      : begins_(source_words + 2), source_totals_(source_words + 1), target_totals_(target_words + 1) {
    std::vector<uint64_t> keys;
    for (int64_t s = 0; s < block.sentences; ++s)
      if (all || block.pair_offsets[s] < block.pair_offsets[s + 1]) add_sentence(block, s, keys);
    std::ranges::sort(keys);
    for (size_t i = 0, end; i < keys.size(); i = end) {
      for (end = i; end < keys.size() && keys[end] == keys[i];) ++end;
      add_entry(static_cast<int32_t>(keys[i] >> 32) - 1, static_cast<int32_t>(keys[i] & 0xFFFFFFFF) - 1,
                static_cast<int64_t>(end - i));
    }
    for (size_t f = 1; f < begins_.size(); ++f) begins_[f] += begins_[f - 1];
  }

  // w(e|f) and w(f|e); 1 for words that were never seen together, as in Moses.
  double target_given_source(int32_t f, int32_t e) const {
    const int64_t seen = count(f, e);
    return seen ? static_cast<double>(seen) / static_cast<double>(source_totals_[f + 1]) : 1.0;
  }
  double source_given_target(int32_t f, int32_t e) const {
    const int64_t seen = count(f, e);
    return seen ? static_cast<double>(seen) / static_cast<double>(target_totals_[e + 1]) : 1.0;
  }

  int64_t source_words() const { return static_cast<int64_t>(source_totals_.size()) - 1; }
  int64_t target_words() const { return static_cast<int64_t>(target_totals_.size()) - 1; }
  // Entries by source word, NULL (-1) first, and then by target word.
  const std::vector<int32_t> &sources() const { return sources_; }
  const std::vector<int32_t> &targets() const { return targets_; }
  const std::vector<int64_t> &counts() const { return counts_; }

private:
  static uint64_t key(int32_t f, int32_t e) {
    return static_cast<uint64_t>(f + 1) << 32 | static_cast<uint64_t>(e + 1);
  }

  void add_sentence(const PhraseBlock &block, int64_t s, std::vector<uint64_t> &keys) {
    const int32_t *source = block.source_ids + block.source_offsets[s];
    const int32_t *target = block.target_ids + block.target_offsets[s];
    source_linked_.assign(block.source_words(s), false);
    target_linked_.assign(block.target_words(s), false);
    for (int64_t l = block.link_offsets[s]; l < block.link_offsets[s + 1]; ++l) {
      const Link link = block.links[l];
      source_linked_[link.source] = target_linked_[link.target] = true;
      keys.push_back(key(source[link.source], target[link.target]));
    }
    for (size_t f = 0; f < source_linked_.size(); ++f)
      if (!source_linked_[f]) keys.push_back(key(source[f], kNullWord));
    for (size_t e = 0; e < target_linked_.size(); ++e)
      if (!target_linked_[e]) keys.push_back(key(kNullWord, target[e]));
  }

  void add_entry(int32_t f, int32_t e, int64_t count) {
    sources_.push_back(f);
    targets_.push_back(e);
    counts_.push_back(count);
    ++begins_[f + 2];
    source_totals_[f + 1] += count;
    target_totals_[e + 1] += count;
  }

  int64_t count(int32_t f, int32_t e) const {
    const auto begin = targets_.begin() + begins_[f + 1], end = targets_.begin() + begins_[f + 2];
    const auto found = std::lower_bound(begin, end, e);
    return found != end && *found == e ? counts_[found - targets_.begin()] : 0;
  }

  std::vector<int64_t> begins_; // word f has the entries from [f + 1] to [f + 2]
  std::vector<int64_t> source_totals_, target_totals_;
  std::vector<int32_t> sources_, targets_;
  std::vector<int64_t> counts_;
  std::vector<bool> source_linked_, target_linked_; // of the sentence at hand
};

} // namespace tartib
