// Blocks of parallel text lines -> token ids, sentence offsets and alignment links.
//
// Lines are looked at in order and the first defect ends the block, so an error always names the earliest bad line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "bitext/vocabulary.hpp"

namespace tartib {

// Positions are stored in 16 bits, and extraction keeps a matrix of a sentence pair: longer is never a sentence.
constexpr int64_t kMaxSentenceLength = 4096;

enum class Defect : int {
  none,
  invalid_utf8,
  nul_byte,
  empty_line,
  reserved_token,
  malformed_link,
  link_beyond_source,
  link_beyond_target,
  missing_line,
};
enum class Side : int { source, target, alignment };

struct Link {
  uint16_t source, target;
};

struct EncodedBlock {
  std::vector<int32_t> source_ids, target_ids;
  std::vector<int64_t> source_offsets{0}, target_offsets{0}, link_offsets{0}; // of the kept sentences
  std::vector<Link> links;
  std::vector<int64_t> lines; // index in the block of each kept sentence
  int64_t lines_read = 0, too_long = 0, empty = 0;

  Defect defect = Defect::none;
  Side side = Side::source;
  int64_t defect_line = 0, defect_column = 0; // both from 0; the column counts bytes
  std::string defect_text;
};

// "3-14": two plain numbers of at most nine digits joined by a hyphen.
inline bool parse_link(std::string_view token, int64_t &i, int64_t &j) {
  const size_t hyphen = token.find('-');
  if (hyphen == token.npos) return false;
  return read_digits(token.substr(0, hyphen), i) && read_digits(token.substr(hyphen + 1), j);
}

class BlockEncoder {
public:
  BlockEncoder(Vocabulary &source, Vocabulary &target, int64_t max_sentence_length, bool skip_empty)
      : source_(source), target_(target), max_sentence_length_(max_sentence_length), skip_empty_(skip_empty) {}

  EncodedBlock run(std::string_view source, std::string_view target, const std::string_view *alignment) {
    LineReader sources(source), targets(target), links(alignment ? *alignment : "");
    while (!sources.done() || !targets.done()) {
      if (sources.done()) return fail(Defect::missing_line, Side::source, 0, "");
      if (targets.done()) return fail(Defect::missing_line, Side::target, 0, "");
      if (alignment && links.done()) return fail(Defect::missing_line, Side::alignment, 0, "");
      const std::string_view link_line = alignment ? links.next() : std::string_view{};
      if (!encode(sources.next(), targets.next(), link_line)) return std::move(out_);
      ++out_.lines_read;
    }
    return std::move(out_);
  }

private:
  bool encode(std::string_view source, std::string_view target, std::string_view links) {
    if (!split(source, Side::source, source_tokens_)) return false;
    if (!split(target, Side::target, target_tokens_)) return false;
    if (source_tokens_.empty() || target_tokens_.empty()) {
      ++out_.empty;
      return true;
    }
    const size_t links_before = out_.links.size();
    if (!parse_links(links)) return false;
    if (std::max(length(source_tokens_), length(target_tokens_)) > max_sentence_length_) {
      out_.links.resize(links_before);
      ++out_.too_long;
      return true;
    }
    intern(source_, source_tokens_, out_.source_ids, out_.source_offsets);
    intern(target_, target_tokens_, out_.target_ids, out_.target_offsets);
    out_.link_offsets.push_back(static_cast<int64_t>(out_.links.size()));
    out_.lines.push_back(out_.lines_read);
    return true;
  }

  bool split(std::string_view line, Side side, std::vector<std::string_view> &tokens) {
    tokens.clear();
    if (const size_t bad = utf8_defect(line); bad < line.size())
      return refuse(Defect::invalid_utf8, side, bad, line.substr(bad, 1));
    if (const size_t nul = line.find('\0'); nul != line.npos) return refuse(Defect::nul_byte, side, nul, "");
    bool good = true;
    for_each_token(line, [&](std::string_view token) {
      tokens.push_back(token);
      if (token == "|||") good = refuse(Defect::reserved_token, side, column(line, token), token);
      return good;
    });
    if (good && tokens.empty() && !skip_empty_) return refuse(Defect::empty_line, side, 0, "");
    return good;
  }

  bool parse_links(std::string_view line) {
    bool good = true;
    for_each_token(line, [&](std::string_view token) {
      int64_t i = 0, j = 0;
      if (!parse_link(token, i, j))
        return good = refuse(Defect::malformed_link, Side::alignment, column(line, token), token);
      if (i >= length(source_tokens_))
        return good = refuse(Defect::link_beyond_source, Side::alignment, column(line, token), token);
      if (j >= length(target_tokens_))
        return good = refuse(Defect::link_beyond_target, Side::alignment, column(line, token), token);
      // A sentence too long for 16-bit positions is dropped by the caller, so the casts never lose anything kept.
      out_.links.push_back({static_cast<uint16_t>(i), static_cast<uint16_t>(j)});
      return true;
    });
    return good;
  }

  static void intern(Vocabulary &vocabulary, const std::vector<std::string_view> &tokens, std::vector<int32_t> &ids,
                     std::vector<int64_t> &offsets) {
    for (const std::string_view token : tokens) ids.push_back(vocabulary.intern(token));
    offsets.push_back(static_cast<int64_t>(ids.size()));
  }

  static int64_t length(const std::vector<std::string_view> &tokens) { return static_cast<int64_t>(tokens.size()); }
  static size_t column(std::string_view line, std::string_view token) {
    return static_cast<size_t>(token.data() - line.data());
  }
  bool refuse(Defect defect, Side side, size_t column, std::string_view text) {
    out_.defect = defect;
    out_.side = side;
    out_.defect_line = out_.lines_read;
    out_.defect_column = static_cast<int64_t>(column);
    out_.defect_text = std::string(text.substr(0, 80));
    return false;
  }
  EncodedBlock fail(Defect defect, Side side, size_t column, std::string_view text) {
    refuse(defect, side, column, text);
    return std::move(out_);
  }

  Vocabulary &source_, &target_;
  const int64_t max_sentence_length_;
  const bool skip_empty_;
  std::vector<std::string_view> source_tokens_, target_tokens_;
  EncodedBlock out_;
};

} // namespace tartib
