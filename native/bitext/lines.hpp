// Lines of one side -> word ids.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "bitext/vocabulary.hpp"

namespace tartib {

struct EncodedLines {
  std::vector<int32_t> ids;
  std::vector<int64_t> lengths; // of the lines, in words
  std::string_view problem;     // of the line after them; empty where all is well
};

// Words that are new to the vocabulary get ids.
inline EncodedLines encode_lines(Vocabulary &vocabulary, std::string_view text) {
  EncodedLines found;
  for (LineReader lines(text); !lines.done();) {
    const std::string_view line = lines.next();
    if (utf8_defect(line) < line.size()) found.problem = "not UTF-8";
    if (line.find('\0') != line.npos) found.problem = "a NUL byte";
    if (!found.problem.empty()) return found;
    const size_t before = found.ids.size();
    for_each_token(line, [&](std::string_view token) {
      found.ids.push_back(vocabulary.intern(token));
      return true;
    });
    found.lengths.push_back(static_cast<int64_t>(found.ids.size() - before));
  }
  return found;
}

} // namespace tartib
