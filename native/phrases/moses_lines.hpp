// Phrase pairs as the text lines of Moses' `extract`, `extract.inv` and `extract.o`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.hpp"
#include "bitext/vocabulary.hpp"
#include "phrases/orientation.hpp"
#include "phrases/phrases.hpp"

namespace tartib {

// The names of the four orientation codes in one model's class set; no names: the model's field stays empty.
using OrientationNames = std::array<std::string, 4>;

struct MosesLines {
  std::string direct, inverse, orientation;
};

class MosesWriter {
public:
  MosesWriter(const Vocabulary &source, const Vocabulary &target,
              const std::array<const OrientationNames *, kModels> &names)
      : source_(source), target_(target), names_(names) {}

  void add(const PhraseBlock &block, int64_t sentence, MosesLines &out) {
    links_.sort(block, sentence);
    const int32_t *source = block.source_ids + block.source_offsets[sentence];
    const int32_t *target = block.target_ids + block.target_offsets[sentence];
    for (int64_t p = block.pair_offsets[sentence]; p < block.pair_offsets[sentence + 1]; ++p) {
      const PhrasePair &pair = block.pairs[p];
      source_text_.clear();
      target_text_.clear();
      append_words(source_text_, source_, source + pair.source_start, pair.source_length);
      append_words(target_text_, target_, target + pair.target_start, pair.target_length);
      out.direct.append(source_text_).append(target_text_);
      out.inverse.append(target_text_).append(source_text_);
      append_links(pair, out);
      if (has_orientation()) {
        out.orientation.append(source_text_).append(target_text_);
        append_orientations(pair, out.orientation);
      }
    }
  }

private:
  bool has_orientation() const { return names_[kWord] || has_phrase_fields(); }
  bool has_phrase_fields() const { return names_[kPhrase] || names_[kHier]; }

  static void append_words(std::string &text, const Vocabulary &vocabulary, const int32_t *ids, int count) {
    for (int w = 0; w < count; ++w) text.append(vocabulary.word(ids[w])).push_back(' ');
    text.append("||| ");
  }

  void append_links(const PhrasePair &pair, MosesLines &out) {
    const Link *end = links_.end(pair.target_start, pair.target_length);
    for (const Link *l = links_.begin(pair.target_start); l != end; ++l) {
      const int f = l->source - pair.source_start, e = l->target - pair.target_start;
      append_link(out.direct, f, e);
      append_link(out.inverse, e, f);
    }
    out.direct.back() = '\n'; // in place of the last separating space
    out.inverse.back() = '\n';
  }

  static void append_link(std::string &text, int left, int right) {
    append_number(text, left);
    text.push_back('-');
    append_number(text, right);
    text.push_back(' ');
  }

  // "word | phrase | hier"; a run of the word model alone has no bars.
  void append_orientations(const PhrasePair &pair, std::string &text) const {
    append_field(pair, kWord, text);
    if (has_phrase_fields()) {
      text.append(" | ");
      append_field(pair, kPhrase, text);
      text.append(" | ");
      append_field(pair, kHier, text);
    }
    text.push_back('\n');
  }
  void append_field(const PhrasePair &pair, unsigned model, std::string &text) const {
    if (!names_[model]) return;
    text.append((*names_[model])[pair.orientations >> orientation_shift(model, kBackward) & 3]).push_back(' ');
    text.append((*names_[model])[pair.orientations >> orientation_shift(model, kForwardMoses) & 3]);
  }

  const Vocabulary &source_, &target_;
  const std::array<const OrientationNames *, kModels> names_;
  LinksByTarget links_;
  std::string source_text_, target_text_;
};

} // namespace tartib
