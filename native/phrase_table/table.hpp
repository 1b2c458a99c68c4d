// Translations of source phrases, found by hash: the phrase table of phrase-based translation.
//
// A table is plain arrays, in memory or memory-mapped. Source phrases stand in the order of their texts, and the rows
// (phrase pairs) of each by falling p(e|f). `slots` is an open-addressing table over the source phrases: 24 bits of the
// hash and 40 bits of (phrase + 1), 0 where empty; what the hash finds is compared word by word.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/changed_data.hpp"
#include "base/hash.hpp"
#include "bitext/bitext.hpp"

namespace tartib {

using Words = std::span<const int32_t>;

inline uint64_t words_hash(Words words) {
  uint64_t h = words.size();
  for (const int32_t word : words) h = close_key(open_key(h), static_cast<uint32_t>(word));
  return mix(h);
}

struct PhraseTableArrays {
  Words source_ids, target_ids;
  std::span<const int64_t> source_offsets; // phrase p has the words [p] to [p + 1]
  std::span<const int64_t> row_offsets;    // and these rows
  std::span<const int64_t> target_offsets, link_offsets;
  std::span<const uint32_t> links;
  std::span<const float> scores;
  std::span<const uint64_t> slots;
};

// Index of the score that rows are sorted by: p(e|f) in Moses' order of the four.
inline int direct_score(int n_scores) {
  return n_scores > 2 ? 2 : 0;
}

// A table that owns its arrays; counts are as many for each row as the file has.
struct OwnedPhraseTable {
  std::vector<int32_t> source_ids, target_ids;
  std::vector<int64_t> source_offsets{0}, row_offsets{0}, target_offsets{0}, link_offsets{0};
  std::vector<uint32_t> links;
  std::vector<float> scores, counts;
  std::vector<uint64_t> slots;
  int n_scores = 4, n_counts = 0;
};

class PhraseTable {
public:
  // Refuses arrays whose sizes do not fit together, by std::invalid_argument. What is in them is checked where it is
  // used, because they belong to Python or to files mapped into memory, are large, and may change later: `ChangedData`
  // is thrown where they lead nowhere.
  PhraseTable(const PhraseTableArrays &arrays, int n_scores, int64_t source_words, int64_t target_words)
      : a_(arrays), n_scores_(n_scores), source_words_(source_words), target_words_(target_words) {
    check_shapes();
    uint64_t longest = 0; // without a sign: offsets that fall are too long as well
    for (size_t p = 1; p < a_.source_offsets.size(); ++p)
      longest = std::max(longest,
                         static_cast<uint64_t>(a_.source_offsets[p]) - static_cast<uint64_t>(a_.source_offsets[p - 1]));
    refuse(longest > kMaxSentenceLength, "source_offsets", kBadLength);
    max_source_length_ = static_cast<int>(longest);
  }

  // Reads everything, and refuses what no table has.
  void check() const {
    check_sorted(a_.source_offsets, "source_offsets");
    check_sorted(a_.target_offsets, "target_offsets");
    check_sorted(a_.row_offsets, "row_offsets");
    check_sorted(a_.link_offsets, "link_offsets");
    bool numbers = true;
    for (const float score : a_.scores) numbers &= is_score(score);
    refuse(!numbers, "scores", "contain a negative number, NaN or infinity");
    check_ids(a_.source_ids, source_words_, "source_ids");
    check_ids(a_.target_ids, target_words_, "target_ids");
    for (int64_t p = 0; p < phrases(); ++p) check_phrase(p);
    check_slots();
  }

  int64_t phrases() const { return static_cast<int64_t>(a_.source_offsets.size()) - 1; }
  int64_t rows() const { return static_cast<int64_t>(a_.target_offsets.size()) - 1; }
  int max_source_length() const { return max_source_length_; }
  int n_scores() const { return n_scores_; }
  // How many words the vocabularies have at least.
  int64_t source_words() const { return source_words_; }
  int64_t target_words() const { return target_words_; }

  // The index of a source phrase, or -1. Safe from any number of threads.
  int64_t find(const int32_t *words, int length) const {
    if (length < 1 || length > max_source_length_) return -1;
    const Words wanted(words, static_cast<size_t>(length));
    const uint64_t hash = words_hash(wanted);
    const size_t mask = a_.slots.size() - 1;
    size_t at = hash & mask;
    for (size_t tried = 0; tried <= mask; ++tried, at = (at + 1) & mask) {
      const uint64_t slot = a_.slots[at];
      if (slot == 0) return -1;
      if ((slot ^ hash) >> kIndexBits) continue;
      const int64_t phrase = static_cast<int64_t>(slot & kIndexMask) - 1;
      if (phrase < 0 || phrase >= phrases()) throw ChangedData("phrase table");
      if (std::ranges::equal(source(phrase), wanted)) return phrase;
    }
    throw ChangedData("phrase table"); // there was an empty slot
  }

  std::pair<int64_t, int64_t> options(int64_t phrase) const {
    return checked(a_.row_offsets, phrase, static_cast<size_t>(rows()));
  }
  Words source(int64_t phrase) const { return words(a_.source_ids, a_.source_offsets, phrase); }
  Words target(int64_t row) const { return words(a_.target_ids, a_.target_offsets, row); }
  const float *scores(int64_t row) const {
    const float *first = a_.scores.data() + row * n_scores_;
    if (!std::all_of(first, first + n_scores_, is_score)) throw ChangedData("phrase table");
    return first;
  }
  // Two 16-bit positions in one, source in the low half (`Link`), counted from the first words of the source phrase,
  // which has `source_length` words, and of the target phrase.
  std::span<const uint32_t> links(int64_t row, size_t source_length) const {
    const auto found = part(a_.links, a_.link_offsets, row);
    if (!within(found, source_length, target(row).size())) throw ChangedData("phrase table");
    return found;
  }
  // The source phrase that a row belongs to.
  int64_t phrase_of(int64_t row) const {
    const auto after = std::upper_bound(a_.row_offsets.begin(), a_.row_offsets.end(), row) - a_.row_offsets.begin();
    if (after < 1 || after > phrases()) throw ChangedData("phrase table");
    return after - 1;
  }

  // The slots of given source phrases, all different.
  static std::vector<uint64_t> make_slots(Words source_ids, std::span<const int64_t> source_offsets) {
    const size_t phrases = source_offsets.size() - 1;
    if (phrases >= kIndexMask) throw std::length_error("a phrase table holds at most 2^40-2 source phrases");
    std::vector<uint64_t> slots(std::bit_ceil(phrases + phrases / 2 + 1));
    const size_t mask = slots.size() - 1;
    for (size_t p = 0; p < phrases; ++p) {
      const uint64_t hash = words_hash(part(source_ids, source_offsets, static_cast<int64_t>(p)));
      size_t at = hash & mask;
      while (slots[at] != 0) at = (at + 1) & mask;
      slots[at] = (hash & ~kIndexMask) | (p + 1);
    }
    return slots;
  }

private:
  static constexpr int kIndexBits = 40;
  static constexpr uint64_t kIndexMask = (uint64_t{1} << kIndexBits) - 1;
  static constexpr const char *kBadOffsets = "are not valid offsets";
  static constexpr const char *kBadLength = "contain an empty phrase or one that is too long";

  static bool is_length(size_t words) { return words >= 1 && words <= kMaxSentenceLength; }
  static bool is_score(float score) { return std::isfinite(score) && score >= 0; }
  static bool within(std::span<const uint32_t> links, size_t source_length, size_t target_length) {
    return std::ranges::all_of(links, [&](uint32_t link) {
      const Link l = std::bit_cast<Link>(link);
      return l.source < source_length && l.target < target_length;
    });
  }

  static Words words(Words ids, std::span<const int64_t> offsets, int64_t at) {
    const Words found = part(ids, offsets, at);
    if (!is_length(found.size())) throw ChangedData("phrase table");
    return found;
  }
  template <typename T>
  static std::span<const T> part(std::span<const T> values, std::span<const int64_t> offsets, int64_t at) {
    const auto [begin, end] = checked(offsets, at, values.size());
    return values.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  }
  static std::pair<int64_t, int64_t> checked(std::span<const int64_t> offsets, int64_t at, size_t size) {
    const auto begin = static_cast<uint64_t>(offsets[at]), end = static_cast<uint64_t>(offsets[at + 1]);
    if (begin > end || end > size) throw ChangedData("phrase table");
    return {static_cast<int64_t>(begin), static_cast<int64_t>(end)};
  }

  static void refuse(bool bad, const char *name, const char *problem) {
    if (bad) throw std::invalid_argument(std::string(name) + " " + problem);
  }
  static void check_ends(std::span<const int64_t> offsets, size_t size, const char *name) {
    refuse(offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<int64_t>(size), name, kBadOffsets);
  }
  static void check_sorted(std::span<const int64_t> offsets, const char *name) {
    refuse(!std::ranges::is_sorted(offsets), name, kBadOffsets);
  }
  static void check_ids(Words ids, int64_t words, const char *name) {
    bool good = true;
    for (const int32_t id : ids) good &= id >= 0 && id < words;
    refuse(!good, name, "refer to unknown word ids");
  }

  void check_shapes() const {
    check_ends(a_.source_offsets, a_.source_ids.size(), "source_offsets");
    check_ends(a_.target_offsets, a_.target_ids.size(), "target_offsets");
    check_ends(a_.row_offsets, a_.target_offsets.size() - 1, "row_offsets");
    check_ends(a_.link_offsets, a_.links.size(), "link_offsets");
    refuse(a_.row_offsets.size() != a_.source_offsets.size(), "row_offsets",
           "do not match the number of source phrases");
    refuse(a_.link_offsets.size() != a_.target_offsets.size(), "link_offsets", "do not match the number of rows");
    refuse(n_scores_ < 1, "n_scores", "must be 1 or more");
    refuse(a_.scores.size() % n_scores_ != 0 || static_cast<int64_t>(a_.scores.size() / n_scores_) != rows(), "scores",
           "do not match the number of rows");
    refuse(!std::has_single_bit(a_.slots.size()), "slots", "must be a power of two in number");
  }

  void check_phrase(int64_t p) const {
    const Words source = part(a_.source_ids, a_.source_offsets, p);
    refuse(!is_length(source.size()), "source_offsets", kBadLength);
    const auto [begin, end] = options(p);
    for (int64_t row = begin; row < end; ++row) {
      const Words target = part(a_.target_ids, a_.target_offsets, row);
      refuse(!is_length(target.size()), "target_offsets", kBadLength);
      const auto links = part(a_.links, a_.link_offsets, row);
      refuse(!within(links, source.size(), target.size()), "links", "point beyond their phrases");
    }
  }

  void check_slots() const {
    bool empty = false, good = true;
    for (const uint64_t slot : a_.slots) {
      empty |= slot == 0;
      good &= static_cast<int64_t>(slot & kIndexMask) <= phrases() && (slot == 0 || (slot & kIndexMask) != 0);
    }
    refuse(!empty || !good, "slots", "refer to phrases that do not exist");
  }

  const PhraseTableArrays a_;
  const int n_scores_;
  const int64_t source_words_, target_words_;
  int max_source_length_ = 0;
};

} // namespace tartib
