// Lines, tokens and UTF-8. Tokens are what spaces and tabs separate (as in Moses: no other Unicode space does); a line
// ends with \n or \r\n.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tartib {

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
  const size_t n = s.size();
  const auto at = [&](size_t i) -> unsigned { return static_cast<unsigned char>(s[i]); };
  const auto continues = [&](size_t i, unsigned low, unsigned high) { return i < n && at(i) >= low && at(i) <= high; };
  size_t i = 0;
  while (i < n) {
    const unsigned c = at(i);
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

} // namespace tartib
