// N-grams in a list -> the hash table of lm/query.hpp.
#pragma once

#include <stdexcept>
#include <utility>
#include <vector>

#include "lm/query.hpp"

namespace tartib {

struct NgramTable {
  std::vector<Ngram> ngrams; // the words, then the places
  uint32_t reach = 0;        // how far the farthest n-gram is from where its search begins
  std::vector<int64_t> counts;
};

// A list where each n-gram's parent is an index of an earlier one, and the first `words` are the words in the order of
// their ids. Places depend on the list only.
inline NgramTable place_ngrams(std::vector<Ngram> &&list, uint32_t words, std::vector<int64_t> counts) {
  const uint64_t longer = list.size() - words, places = longer + longer / 2 + 1;
  if (words + places >= kNoNgram) throw std::length_error("a language model holds at most 2.8 billion n-grams");
  NgramTable table{std::vector<Ngram>(words + places, Ngram{kNoNgram, kNoNgram, 0, kNoExtension}), 0,
                   std::move(counts)};
  const NgramPlaces layout{words, static_cast<uint32_t>(places)};
  std::vector<uint64_t> hashes(list.size());
  std::vector<uint32_t> placed(list.size());
  for (uint32_t i = 0; i < list.size(); ++i) {
    const Ngram &ngram = list[i];
    const bool is_word = i < words;
    hashes[i] = NgramPlaces::join(is_word ? 0 : hashes[ngram.parent], ngram.word);
    uint32_t place = is_word ? i : layout.first(hashes[i]), tried = 0;
    for (; !is_word && table.ngrams[place].word != kNoNgram; ++tried) place = layout.next(place);
    table.reach = std::max(table.reach, tried);
    placed[i] = place;
    table.ngrams[place] = {is_word ? kNoNgram : placed[ngram.parent], ngram.word, ngram.log10_p, ngram.backoff};
  }
  std::vector<Ngram>().swap(list);
  return table;
}

// The order of the n-gram in each place, 0 where there is none. Throws where a damaged table's parents lead nowhere.
inline std::vector<uint8_t> ngram_orders(const Ngram *ngrams, uint32_t words, uint32_t size, int order) {
  std::vector<uint8_t> orders(size, 1);
  for (uint32_t place = words; place < size; ++place) {
    if (ngrams[place].word == kNoNgram) {
      orders[place] = 0;
      continue;
    }
    uint8_t length = 1;
    for (uint32_t at = place; at >= words; at = ngrams[at].parent, ++length)
      if (at >= size || length >= order || ngrams[at].word >= words)
        throw std::out_of_range("the table of n-grams is damaged");
    orders[place] = length;
  }
  return orders;
}

} // namespace tartib
