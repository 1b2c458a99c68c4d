// A phrase table as Python holds it, for the files that take one as an argument.
#pragma once

#include "bindings/arrays.hpp"
#include "phrase_table/table.hpp"

template <typename T> std::span<const T> span_of(const Array<T> &array) {
  return {array.data(), array.size()};
}

// Keeps the arrays alive that the table looks at.
class BoundPhraseTable {
public:
  BoundPhraseTable(Array<int32_t> source_ids, Array<int64_t> source_offsets, Array<int64_t> row_offsets,
                   Array<int32_t> target_ids, Array<int64_t> target_offsets, Array<uint32_t> links,
                   Array<int64_t> link_offsets, Array<float> scores, Array<uint64_t> slots, int n_scores,
                   int64_t source_words, int64_t target_words)
      : source_ids_(source_ids), target_ids_(target_ids), source_offsets_(source_offsets), row_offsets_(row_offsets),
        target_offsets_(target_offsets), link_offsets_(link_offsets), links_(links), scores_(scores), slots_(slots),
        table_({span_of(source_ids_), span_of(target_ids_), span_of(source_offsets_), span_of(row_offsets_),
                span_of(target_offsets_), span_of(link_offsets_), span_of(links_), span_of(scores_), span_of(slots_)},
               n_scores, source_words, target_words) {}

  const PhraseTable &view() const { return table_; }

private:
  const Array<int32_t> source_ids_, target_ids_;
  const Array<int64_t> source_offsets_, row_offsets_, target_offsets_, link_offsets_;
  const Array<uint32_t> links_;
  const Array<float> scores_;
  const Array<uint64_t> slots_;
  const PhraseTable table_;
};
