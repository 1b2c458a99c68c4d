// Phrase pairs as the text lines of Moses' `extract`, `extract.inv` and `extract.o`.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "extraction.hpp"
#include "vocabulary.hpp"

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

  void add(const int32_t *source_ids, const int32_t *target_ids, const Link *links, int64_t link_count,
           int target_words, const PhrasePair *pairs, int64_t pair_count, MosesLines &out) {
    sort_links(links, link_count, target_words);
    for (int64_t p = 0; p < pair_count; ++p) {
      const PhrasePair &pair = pairs[p];
      source_text_.clear();
      target_text_.clear();
      append_words(source_text_, source_, source_ids + pair.source_start, pair.source_length);
      append_words(target_text_, target_, target_ids + pair.target_start, pair.target_length);
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

  // Within a target word links keep the order of the alignment file, as in Moses.
  void sort_links(const Link *links, int64_t count, int target_words) {
    row_begin_.assign(target_words + 1, 0);
    for (int64_t l = 0; l < count; ++l) ++row_begin_[links[l].target + 1];
    for (int e = 0; e < target_words; ++e) row_begin_[e + 1] += row_begin_[e];
    row_next_.assign(row_begin_.begin(), row_begin_.end() - 1);
    sorted_.resize(count);
    for (int64_t l = 0; l < count; ++l) sorted_[row_next_[links[l].target]++] = links[l];
  }

  static void append_words(std::string &text, const Vocabulary &vocabulary, const int32_t *ids, int count) {
    for (int w = 0; w < count; ++w) text.append(vocabulary.word(ids[w])).push_back(' ');
    text.append("||| ");
  }

  void append_links(const PhrasePair &pair, MosesLines &out) {
    for (int64_t l = row_begin_[pair.target_start]; l < row_begin_[pair.target_start + pair.target_length]; ++l) {
      const int f = sorted_[l].source - pair.source_start, e = sorted_[l].target - pair.target_start;
      append_link(out.direct, f, e);
      append_link(out.inverse, e, f);
    }
    out.direct.back() = '\n'; // in place of the last separating space
    out.inverse.back() = '\n';
  }

  static void append_link(std::string &text, int left, int right) {
    char buffer[24];
    char *end = std::to_chars(buffer, buffer + 11, left).ptr;
    *end++ = '-';
    end = std::to_chars(end, end + 11, right).ptr;
    *end++ = ' ';
    text.append(buffer, end);
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
    text.append((*names_[model])[pair.orientations >> orientation_shift(model, kPrevious) & 3]).push_back(' ');
    text.append((*names_[model])[pair.orientations >> orientation_shift(model, kNext) & 3]);
  }

  const Vocabulary &source_, &target_;
  const std::array<const OrientationNames *, kModels> names_;
  std::vector<int64_t> row_begin_, row_next_;
  std::vector<Link> sorted_;
  std::string source_text_, target_text_;
};

} // namespace tartib
