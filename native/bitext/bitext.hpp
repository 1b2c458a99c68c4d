// Blocks of parallel text lines -> token ids, sentence offsets and alignment links.
//
// Tokens are what spaces and tabs separate (as in Moses: no other Unicode space does), a line ends with \n or \r\n.
// Lines are looked at in order and the first defect ends the block, so an error always names the earliest bad line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  std::vector<int64_t> source_ends, target_ends, link_ends; // one entry per kept sentence
  std::vector<Link> links;
  std::vector<int64_t> lines; // index in the block of each kept sentence
  int64_t lines_read = 0, too_long = 0, empty = 0;

  Defect defect = Defect::none;
  Side side = Side::source;
  int64_t defect_line = 0, defect_column = 0; // both from 0; the column counts bytes
  std::string defect_text;
};

class LineReader {
public:
  explicit LineReader(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  std::string_view next() {
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }

private:
  std::string_view rest_;
};

// Index of the first byte that is not part of well-formed UTF-8 (RFC 3629), or size().
inline size_t utf8_defect(std::string_view s) {
  const auto *p = reinterpret_cast<const unsigned char *>(s.data());
  const size_t n = s.size();
  const auto continues = [&](size_t i, unsigned low, unsigned high) { return i < n && p[i] >= low && p[i] <= high; };
  size_t i = 0;
  while (i < n) {
    const unsigned c = p[i];
    if (c < 0x80) {
      i += 1;
    } else if (c >= 0xC2 && c <= 0xDF) {
      if (!continues(i + 1, 0x80, 0xBF)) return i;
      i += 2;
    } else if (c >= 0xE0 && c <= 0xEF) {
      const unsigned low = c == 0xE0 ? 0xA0 : 0x80, high = c == 0xED ? 0x9F : 0xBF;
      if (!continues(i + 1, low, high) || !continues(i + 2, 0x80, 0xBF)) return i;
      i += 3;
    } else if (c >= 0xF0 && c <= 0xF4) {
      const unsigned low = c == 0xF0 ? 0x90 : 0x80, high = c == 0xF4 ? 0x8F : 0xBF;
      if (!continues(i + 1, low, high) || !continues(i + 2, 0x80, 0xBF) || !continues(i + 3, 0x80, 0xBF)) return i;
      i += 4;
    } else {
      return i;
    }
  }
  return n;
}

// Calls visit(token) for each token until it returns false.
template <typename Visit> void for_each_token(std::string_view line, Visit visit) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  for (size_t i = 0; i < line.size();) {
    if (is_space(line[i])) {
      ++i;
      continue;
    }
    size_t end = i + 1;
    while (end < line.size() && !is_space(line[end])) ++end;
    if (!visit(line.substr(i, end - i))) return;
    i = end;
  }
}

inline bool parse_number(std::string_view digits, int64_t &value) {
  if (digits.empty() || digits.size() > 9) return false;
  value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + (c - '0');
  }
  return true;
}

// "3-14": two plain numbers of at most nine digits joined by a hyphen.
inline bool parse_link(std::string_view token, int64_t &i, int64_t &j) {
  const size_t hyphen = token.find('-');
  if (hyphen == token.npos) return false;
  return parse_number(token.substr(0, hyphen), i) && parse_number(token.substr(hyphen + 1), j);
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
    intern(source_, source_tokens_, out_.source_ids, out_.source_ends);
    intern(target_, target_tokens_, out_.target_ids, out_.target_ends);
    out_.link_ends.push_back(static_cast<int64_t>(out_.links.size()));
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
                     std::vector<int64_t> &ends) {
    for (const std::string_view token : tokens) ids.push_back(vocabulary.intern(token));
    ends.push_back(static_cast<int64_t>(ids.size()));
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
