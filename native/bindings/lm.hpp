// The language model as Python holds it, for all bindings that take one.
#pragma once

#include "bindings/arrays.hpp"
#include "lm/query.hpp"

// Checks what queries rest on and keeps the array; Python keeps the vocabulary (see bindings/lm.cpp).
class BoundLanguageModel : public LanguageModel {
public:
  // `table` holds Ngrams of four numbers each.
  BoundLanguageModel(const Vocabulary &vocabulary, Array<uint32_t> table, int64_t words, int64_t reach, int order)
      : LanguageModel(checked(vocabulary, table, words, reach, order)), table_(std::move(table)) {}

  const Ngram *ngrams() const { return ngrams_of(table_); }
  uint32_t table_size() const { return static_cast<uint32_t>(table_.size() / 4); }

private:
  // The memory is NumPy's or a mapped file's, and no C++ code sees it as anything but n-grams.
  static const Ngram *ngrams_of(const Array<uint32_t> &table) {
    return static_cast<const Ngram *>(static_cast<const void *>(table.data()));
  }
  static LanguageModel checked(const Vocabulary &vocabulary, const Array<uint32_t> &table, int64_t words, int64_t reach,
                               int order) {
    const int64_t size = static_cast<int64_t>(table.size() / 4);
    require(table.size() % 4 == 0 && size < kNoNgram, "the table of n-grams has the wrong size");
    require(std::bit_cast<uintptr_t>(table.data()) % alignof(Ngram) == 0, "the table of n-grams is not aligned");
    require(order >= 1 && order <= kMaxOrder, "the order is out of range");
    require(words >= 1 && words < size, "the number of words is out of range");
    require(reach >= 0 && reach < size - words, "the reach is out of range");
    {
      std::shared_lock lock(vocabulary.mutex());
      require(words == vocabulary.size(), "the vocabulary has the wrong number of words");
      for (const char *mark : {"<unk>", "<s>", "</s>"})
        require(vocabulary.find(mark) >= 0, "the vocabulary lacks <unk>, <s> or </s>");
    }
    return LanguageModel(vocabulary, ngrams_of(table), static_cast<uint32_t>(words),
                         static_cast<uint32_t>(size - words), static_cast<uint32_t>(reach), order);
  }

  const Array<uint32_t> table_;
};
