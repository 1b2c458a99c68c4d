// Phrase pairs in their sentences, as the arrays of a store have them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "bitext/bitext.hpp"

namespace tartib {

// A place in a sentence pair, with all orientations (see phrases/orientation.hpp).
struct PhrasePair {
  uint16_t source_start, target_start;
  uint8_t source_length, target_length;
  uint16_t orientations;
};
static_assert(sizeof(PhrasePair) == 8);
constexpr int kMaxPhraseLength = std::numeric_limits<uint8_t>::max();

// Phrase pairs of consecutive sentences, as the arrays of a store have them. The code that makes one has checked it.
struct PhraseBlock {
  const int32_t *source_ids, *target_ids;
  const int64_t *source_offsets, *target_offsets, *link_offsets, *pair_offsets;
  const Link *links;
  const PhrasePair *pairs;
  int64_t sentences;

  int source_words(int64_t s) const { return static_cast<int>(source_offsets[s + 1] - source_offsets[s]); }
  int target_words(int64_t s) const { return static_cast<int>(target_offsets[s + 1] - target_offsets[s]); }
};

// The links of a sentence by target word; within one, in the order of the alignment.
class LinksByTarget {
public:
  void sort(const PhraseBlock &block, int64_t sentence) {
    const Link *begin = block.links + block.link_offsets[sentence],
               *end = block.links + block.link_offsets[sentence + 1];
    const int target_words = block.target_words(sentence);
    row_begin_.assign(target_words + 1, 0);
    for (const Link *l = begin; l != end; ++l) ++row_begin_[l->target + 1];
    for (int e = 0; e < target_words; ++e) row_begin_[e + 1] += row_begin_[e];
    row_next_.assign(row_begin_.begin(), row_begin_.end() - 1);
    sorted_.resize(static_cast<size_t>(end - begin));
    for (const Link *l = begin; l != end; ++l) sorted_[row_next_[l->target]++] = *l;
  }
  // Links of target words [start, start + length): those inside a pair, since none may leave it.
  const Link *begin(int start) const { return sorted_.data() + row_begin_[start]; }
  const Link *end(int start, int length) const { return sorted_.data() + row_begin_[start + length]; }

private:
  std::vector<int64_t> row_begin_, row_next_;
  std::vector<Link> sorted_;
};

} // namespace tartib
