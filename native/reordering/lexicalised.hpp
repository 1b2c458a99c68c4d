// Keys of what the lexicalised reordering model counts (SVM paper section 4, eq. 4): 64-bit hashes of phrases by their
// letters, so that they are the same in every corpus, and of sparse rows; and the search for keys among sorted ones.
//
// The chance that any two of n distinct phrase pairs share a key is about n^2 / 2^65: one in a thousand for 200
// million. Models are saved with their keys, so changing a hash here makes saved models useless.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "phrases/phrases.hpp"

namespace tartib {

// Which sides of a phrase pair make its key.
enum KeySides : int { kSourceSide = 1, kTargetSide = 2, kBothSides = 3 };

constexpr uint64_t kUnknownWordHash = 0x2545F4914F6CDD1Dull; // stands for words that have no letters here

// Hashes of a side's words; an id below 0 is an unknown word, any other must be in the table.
struct WordHashes {
  const uint64_t *of_id;

  uint64_t at(int32_t id) const { return id < 0 ? kUnknownWordHash : of_id[id]; }
};

inline uint64_t phrase_key(const WordHashes &words, const int32_t *ids, int64_t count, KeySides side) {
  uint64_t key = static_cast<uint64_t>(count) << 2 | side;
  for (int64_t w = 0; w < count; ++w) key = close_key(open_key(key), words.at(ids[w]));
  return key;
}

inline uint64_t pair_key(const WordHashes &source_words, const WordHashes &target_words, const int32_t *source,
                         int64_t source_length, const int32_t *target, int64_t target_length, KeySides sides) {
  if (sides == kTargetSide) return phrase_key(target_words, target, target_length, kTargetSide);
  const uint64_t key = phrase_key(source_words, source, source_length, kSourceSide);
  if (sides == kSourceSide) return key;
  return close_key(open_key(key), phrase_key(target_words, target, target_length, kTargetSide));
}

inline void block_keys(const PhraseBlock &block, const WordHashes &source_words, const WordHashes &target_words,
                       KeySides sides, uint64_t *keys) {
  for (int64_t s = 0; s < block.sentences; ++s) {
    const int32_t *source = block.source_ids + block.source_offsets[s];
    const int32_t *target = block.target_ids + block.target_offsets[s];
    for (int64_t p = block.pair_offsets[s]; p < block.pair_offsets[s + 1]; ++p) {
      const PhrasePair &pair = block.pairs[p];
      *keys++ = pair_key(source_words, target_words, source + pair.source_start, pair.source_length,
                         target + pair.target_start, pair.target_length, sides);
    }
  }
}

// A key of the set of (column, value) whose value is not 0; the order of the columns does not matter.
inline uint64_t row_key(const int32_t *columns, const float *values, int64_t count) {
  uint64_t sum = 0;
  for (int64_t k = 0; k < count; ++k) {
    const float value = values ? values[k] : 1.0f;
    if (value == 0.0f) continue;
    sum += mix(static_cast<uint64_t>(static_cast<uint32_t>(columns[k])) << 32 | std::bit_cast<uint32_t>(value));
  }
  return mix(sum + 0x9E3779B97F4A7C15ull);
}

// The highest bits of keys as numbers of buckets, about as many as asked for. Keys are hashes, so they spread evenly;
// keys that do not only cost time.
struct KeyBuckets {
  explicit KeyBuckets(int64_t wanted) : bits(std::clamp(static_cast<int>(std::bit_width(uint64_t(wanted))), 1, 40)) {}

  size_t count() const { return size_t{1} << bits; }
  size_t of(uint64_t key) const { return key >> (64 - bits); }

  int bits;
};

// Finds keys among rising ones. For many at once an index by the highest bits is made first, and the memory of the
// next ones is on its way while one is looked for; a few are found by halving.
class KeySearch {
public:
  KeySearch(const uint64_t *keys, int64_t size) : keys_(keys), size_(size), buckets_(size / kBucketKeys) {}

  // Where each key stands, or -1.
  void run(const uint64_t *wanted, int64_t count, int64_t *found) const {
    if (count < size_ / kWorthAnIndex) {
      for (int64_t q = 0; q < count; ++q) found[q] = find(wanted[q], 0, size_);
      return;
    }
    const std::vector<int64_t> begin = index();
    for (int64_t q = 0; q < count; ++q) {
      if (q + 2 * kAhead < count) __builtin_prefetch(&begin[buckets_.of(wanted[q + 2 * kAhead])]);
      if (q + kAhead < count) __builtin_prefetch(keys_ + begin[buckets_.of(wanted[q + kAhead])]);
      const size_t bucket = buckets_.of(wanted[q]);
      found[q] = find(wanted[q], begin[bucket], begin[bucket + 1]);
    }
  }

private:
  static constexpr int64_t kWorthAnIndex = 16, kAhead = 16, kBucketKeys = 4;

  // Where each bucket begins. Counted, so that keys that do not rise as promised lead to wrong answers and nothing
  // worse.
  std::vector<int64_t> index() const {
    std::vector<int64_t> begin(buckets_.count() + 1);
    for (int64_t i = 0; i < size_; ++i) ++begin[buckets_.of(keys_[i]) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    return begin;
  }
  int64_t find(uint64_t key, int64_t low, int64_t high) const {
    const uint64_t *end = keys_ + high, *place = std::lower_bound(keys_ + low, end, key);
    return place != end && *place == key ? place - keys_ : -1;
  }

  const uint64_t *keys_;
  const int64_t size_;
  const KeyBuckets buckets_;
};

// The distinct keys, rising, and which of them each key is. Keys are dealt out to buckets that the processor's cache
// can hold, and sorted there.
inline void unique_keys(const uint64_t *keys, int64_t count, std::vector<uint64_t> &unique,
                        std::vector<int64_t> &inverse) {
  constexpr int64_t kBucketKeys = 512, kMostBuckets = 1 << 16;
  const KeyBuckets buckets(std::min(count / kBucketKeys, kMostBuckets));
  std::vector<int64_t> place(buckets.count() + 1);
  for (int64_t i = 0; i < count; ++i) ++place[buckets.of(keys[i]) + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<std::pair<uint64_t, int64_t>> dealt(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) dealt[place[buckets.of(keys[i])]++] = {keys[i], i};
  inverse.resize(static_cast<size_t>(count));
  int64_t begin = 0;
  for (size_t bucket = 0; bucket < buckets.count(); ++bucket) {
    const int64_t end = place[bucket]; // dealing moved each bucket's place to its end
    std::sort(dealt.begin() + begin, dealt.begin() + end);
    for (; begin < end; ++begin) {
      if (unique.empty() || unique.back() != dealt[begin].first) unique.push_back(dealt[begin].first);
      inverse[dealt[begin].second] = static_cast<int64_t>(unique.size()) - 1;
    }
  }
}

} // namespace tartib
