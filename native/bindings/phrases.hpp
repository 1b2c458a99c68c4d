// Phrase pairs in their sentences as Python holds them, for all bindings that take them.
#pragma once

#include "bindings/arrays.hpp"
#include "phrases/phrases.hpp"

// The arrays of a store's consecutive sentences, copied, so that they stay as they were checked.
class BoundBlock {
public:
  BoundBlock(const Array<int32_t> &source_ids, const Array<int64_t> &source_offsets, const Array<int32_t> &target_ids,
             const Array<int64_t> &target_offsets, const Array<uint32_t> &links, const Array<int64_t> &link_offsets,
             const Array<uint64_t> &pairs, const Array<int64_t> &pair_offsets)
      : source_ids_(copy_of(source_ids)), target_ids_(copy_of(target_ids)), links_(copy_as<Link>(links)),
        pairs_(copy_as<PhrasePair>(pairs)), source_offsets_(copy_of(source_offsets)),
        target_offsets_(copy_of(target_offsets)), link_offsets_(copy_of(link_offsets)),
        pair_offsets_(copy_of(pair_offsets)) {
    require(source_offsets_.size() == target_offsets_.size() && source_offsets_.size() == link_offsets_.size() &&
                source_offsets_.size() == pair_offsets_.size(),
            "offsets differ in length");
    check_offsets(source_offsets_, source_ids_.size(), "source_offsets are not valid offsets");
    check_offsets(target_offsets_, target_ids_.size(), "target_offsets are not valid offsets");
    check_offsets(link_offsets_, links_.size(), "link_offsets are not valid offsets");
    check_offsets(pair_offsets_, pairs_.size(), "pair_offsets are not valid offsets");
    check_lengths(source_offsets_);
    check_lengths(target_offsets_);
    for (int64_t s = 0; s < view().sentences; ++s) check_sentence(view(), s);
  }

  PhraseBlock view() const {
    return {source_ids_.data(),     target_ids_.data(),   source_offsets_.data(),
            target_offsets_.data(), link_offsets_.data(), pair_offsets_.data(),
            links_.data(),          pairs_.data(),        static_cast<int64_t>(source_offsets_.size()) - 1};
  }
  const std::vector<int32_t> &source_ids() const { return source_ids_; }
  const std::vector<int32_t> &target_ids() const { return target_ids_; }

private:
  static void check_sentence(const PhraseBlock &block, int64_t s) {
    const int source_words = block.source_words(s), target_words = block.target_words(s);
    for (int64_t l = block.link_offsets[s]; l < block.link_offsets[s + 1]; ++l)
      if (block.links[l].source >= source_words || block.links[l].target >= target_words)
        throw std::out_of_range("a link points beyond its sentence");
    for (int64_t p = block.pair_offsets[s]; p < block.pair_offsets[s + 1]; ++p) {
      const PhrasePair &pair = block.pairs[p];
      if (pair.source_start + pair.source_length > source_words ||
          pair.target_start + pair.target_length > target_words)
        throw std::out_of_range("a phrase pair reaches beyond its sentence");
      if (pair.source_length == 0 || pair.target_length == 0) throw std::out_of_range("a phrase pair is empty");
    }
  }

  const std::vector<int32_t> source_ids_, target_ids_;
  const std::vector<Link> links_;
  const std::vector<PhrasePair> pairs_;
  const std::vector<int64_t> source_offsets_, target_offsets_, link_offsets_, pair_offsets_;
};
