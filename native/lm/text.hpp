// Lines of text -> word ids with <s> before and </s> after each line, for the estimation of language models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "bitext/vocabulary.hpp"

namespace tartib {

constexpr uint32_t kUnknownWord = 0, kBeginWord = 1, kEndWord = 2; // <unk>, <s>, </s> where a model is estimated

// What is wrong with a line; lines count from 1.
struct LineDefect {
  int64_t line;
  std::string problem;
};

class LmText {
public:
  // Takes an empty vocabulary.
  LmText(Vocabulary &vocabulary, bool skip_symbols) : vocabulary_(vocabulary), skip_symbols_(skip_symbols) {
    for (const char *mark : {"<unk>", "<s>", "</s>"}) vocabulary.intern(mark);
  }

  // Takes a block of whole lines, and says what is wrong with its first bad line.
  std::optional<LineDefect> add(std::string_view block) {
    for (LineReader lines(block); !lines.done() && !defect_;) {
      ++lines_;
      add_line(lines.next());
    }
    return defect_;
  }

  int64_t lines() const { return lines_; }
  int64_t skipped() const { return skipped_; }
  std::vector<uint32_t> &ids() { return ids_; }
  Vocabulary &vocabulary() { return vocabulary_; }

private:
  void add_line(std::string_view line) {
    if (utf8_defect(line) < line.size()) defect_ = {lines_, "not UTF-8"};
    if (line.find('\0') != line.npos) defect_ = {lines_, "a NUL byte"};
    if (defect_) return;
    ids_.push_back(kBeginWord);
    for_each_token(line, [&](std::string_view token) {
      const uint32_t id = static_cast<uint32_t>(vocabulary_.intern(token));
      if (id > kEndWord)
        ids_.push_back(id);
      else if (skip_symbols_)
        ++skipped_;
      else
        defect_ = {lines_, "the symbol " + std::string(token) + " is used as a word in the text"};
      return !defect_;
    });
    ids_.push_back(kEndWord);
  }

  Vocabulary &vocabulary_;
  const bool skip_symbols_;
  std::vector<uint32_t> ids_;
  std::optional<LineDefect> defect_;
  int64_t lines_ = 0, skipped_ = 0;
};

} // namespace tartib
