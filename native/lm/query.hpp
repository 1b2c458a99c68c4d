// Queries of a back-off n-gram model: log10 p(word | the words before it).
//
//   p(w | c) = p of the listed n-gram c w, or else back-off(c) p(w | c without its first word)
//
// One table of 16-byte n-grams. The words themselves come first, at their ids; after them comes an open-addressing hash
// table of all longer n-grams. An n-gram names its first word and, as `parent`, the place of the n-gram that is left
// without it, so a match is exact, and the words of an n-gram can be read off. Where an n-gram is depends on its words
// only: the places of all lengths are known, and fetched, before the first of them has been looked at. (The hashed form
// and the minimised states are those of Heafield 2011, "KenLM: faster and smaller language model queries".)
//
// A table may come from a damaged file: parents are compared, never followed, and no search goes beyond `reach` places.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string_view>

#include "bitext/vocabulary.hpp"

namespace tartib {

constexpr int kMaxOrder = 6;
constexpr uint32_t kNoNgram = 0xFFFFFFFFu; // the word of an empty place, and the place of what is not there

struct Ngram {
  uint32_t parent, word; // the place of the n-gram without its first word; the first word
  float log10_p, backoff;
};
static_assert(sizeof(Ngram) == 16);

// A back-off of -0 says that no longer n-gram begins with this one, +0 that one does.
constexpr float kNoExtension = -0.0f;
inline bool has_extension(float backoff) {
  return std::bit_cast<uint32_t>(backoff) != std::bit_cast<uint32_t>(kNoExtension);
}

// The words before the next one, latest first, that can still matter to any score: equal states have equal futures.
struct LmState {
  uint32_t words[kMaxOrder - 1];
  float backoffs[kMaxOrder - 1]; // [i] is that of the latest i+1 words
  uint8_t length = 0;

  bool operator==(const LmState &other) const {
    return length == other.length && std::equal(words, words + length, other.words);
  }
  uint64_t hash() const {
    uint64_t h = length;
    for (int i = 0; i < length; ++i) {
      h = (h ^ words[i]) * 0xD6E8FEB86659FD93ull;
      h ^= h >> 32;
    }
    return h;
  }
};

// Where n-grams go in a table of `words` words and `places` places after them. The hash takes words from the last to
// the first; saved models rest on it.
struct NgramPlaces {
  uint32_t words, places;

  static uint64_t join(uint64_t h, uint32_t word) {
    h = (h + word + 1) * 0xD6E8FEB86659FD93ull;
    return h ^ (h >> 29);
  }
  uint32_t first(uint64_t h) const {
    return words + static_cast<uint32_t>(((h * 0x9E3779B97F4A7C15ull) >> 32) * places >> 32);
  }
  uint32_t next(uint32_t place) const { return place + 1 == words + places ? words : place + 1; }
};

// Views over arrays that the caller keeps alive. Queries change nothing and may run on any number of threads.
class LanguageModel {
public:
  // The vocabulary has at least the `words` words, with <unk>, <s> and </s> among them; reach < places.
  LanguageModel(const Vocabulary &vocabulary, const Ngram *ngrams, uint32_t words, uint32_t places, uint32_t reach,
                int order)
      : vocabulary_(&vocabulary), ngrams_(ngrams), layout_{words, places}, reach_(reach), order_(order) {
    std::shared_lock lock(vocabulary.mutex());
    unknown_ = known("<unk>", 0);
    begin_word_ = known("<s>", unknown_);
    end_word_ = known("</s>", unknown_);
  }

  int order() const { return order_; }
  int64_t size() const { return layout_.words; }
  uint32_t unknown() const { return unknown_; }
  uint32_t begin_word() const { return begin_word_; }
  uint32_t end_word() const { return end_word_; }

  // The id of a word, unknown() for a word that is not in the model.
  uint32_t find(std::string_view word) const {
    std::shared_lock lock(vocabulary_->mutex());
    return find_locked(word);
  }
  // For callers that look up many words while they hold the lock of vocabulary().
  uint32_t find_locked(std::string_view word) const { return known(word, unknown_); }
  const Vocabulary &vocabulary() const { return *vocabulary_; }

  // After <s>.
  LmState begin() const {
    LmState state;
    enter(state, 0, begin_word_, ngrams_[begin_word_].backoff);
    return state;
  }
  // No context at all.
  LmState none() const { return {}; }

  // log10 p(word | from) for word < size(); `to` must be another object than `from`.
  float score(const LmState &from, uint32_t word, LmState &to) const {
    int matched;
    return score(from, word, to, matched);
  }

  // Also returns the length of the n-gram that was used, `word` included.
  float score(const LmState &from, uint32_t word, LmState &to, int &matched) const {
    uint32_t places[kMaxOrder - 1];
    uint64_t h = NgramPlaces::join(0, word);
    for (int i = 0; i < from.length; ++i) {
      h = NgramPlaces::join(h, from.words[i]);
      places[i] = layout_.first(h);
      __builtin_prefetch(ngrams_ + places[i]);
    }
    to.length = 0;
    float log10_p = ngrams_[word].log10_p;
    enter(to, 0, word, ngrams_[word].backoff);
    uint32_t parent = word;
    for (matched = 1; matched <= from.length; ++matched) {
      parent = search(places[matched - 1], parent, from.words[matched - 1]);
      if (parent == kNoNgram) break;
      log10_p = ngrams_[parent].log10_p;
      enter(to, matched, from.words[matched - 1], ngrams_[parent].backoff);
    }
    for (int i = matched - 1; i < from.length; ++i) log10_p += from.backoffs[i];
    return log10_p;
  }

private:
  uint32_t known(std::string_view word, uint32_t otherwise) const {
    const int32_t id = vocabulary_->find(word);
    return id >= 0 && static_cast<uint32_t>(id) < layout_.words ? static_cast<uint32_t>(id) : otherwise;
  }

  void enter(LmState &state, int i, uint32_t word, float backoff) const {
    if (i + 1 >= order_) return;
    state.words[i] = word;
    state.backoffs[i] = backoff;
    if (has_extension(backoff)) state.length = static_cast<uint8_t>(i + 1);
  }

  uint32_t search(uint32_t place, uint32_t parent, uint32_t word) const {
    for (uint32_t tried = 0; tried <= reach_; ++tried, place = layout_.next(place)) {
      const Ngram &ngram = ngrams_[place];
      if (ngram.word == word && ngram.parent == parent) return place;
      if (ngram.word == kNoNgram) break;
    }
    return kNoNgram;
  }

  const Vocabulary *vocabulary_;
  const Ngram *ngrams_;
  NgramPlaces layout_;
  uint32_t reach_;
  int order_;
  uint32_t unknown_, begin_word_, end_word_;
};

} // namespace tartib
