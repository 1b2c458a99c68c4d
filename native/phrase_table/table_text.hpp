// Phrase tables as text, in Moses' format:
//
//   source ||| target ||| scores ||| alignment ||| counts ||| sparse features ||| properties
//
// Only the first three fields must be there, and those after the counts are skipped.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "bitext/vocabulary.hpp"
#include "phrase_table/table.hpp"
#include "phrase_table/text_order.hpp"

namespace tartib {

struct TextDefect {
  int64_t line; // from 0
  std::string problem;
};

// Splits a line at the bars: visit(field, token) for each token until it returns false.
template <typename Visit> void for_each_field_token(std::string_view line, Visit visit) {
  int field = 0;
  for_each_token(line, [&](std::string_view token) {
    if (token != "|||") return visit(field, token);
    ++field;
    return true;
  });
}

inline std::string quoted(std::string_view token) {
  return "'" + std::string(token.substr(0, 80)) + "'";
}

inline std::optional<std::string> text_problem(std::string_view line) {
  if (const size_t bad = utf8_defect(line); bad < line.size()) return "byte " + to_text(bad + 1) + " is not UTF-8";
  if (line.find('\0') != line.npos) return "has a NUL byte";
  return std::nullopt;
}

// What is shared by readers that reject a line and say why.
class LineByLine {
protected:
  // Calls read(line) for whole lines; stops at the first that is refused.
  template <typename Read> std::optional<TextDefect> read_lines(std::string_view text, Read read) {
    LineReader lines(text);
    for (int64_t line = 0; !lines.done(); ++line)
      if (!read(lines.next())) return TextDefect{line, problem_};
    return std::nullopt;
  }

  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

private:
  std::string problem_;
};

// Reads lines in any order and gives them sorted.
class PhraseTableReader : private LineByLine {
public:
  PhraseTableReader(Vocabulary &source, Vocabulary &target) : source_(source), target_(target) {}

  // Reads whole lines; stops at the first defect.
  std::optional<TextDefect> add(std::string_view text) {
    return read_lines(text, [&](std::string_view line) { return read(line); });
  }

  // The rows, sorted.
  OwnedPhraseTable finish() const {
    const TextOrder source_order(source_), target_order(target_);
    std::vector<int64_t> order(rows_.target_offsets.size() - 1);
    std::iota(order.begin(), order.end(), 0);
    const int direct = direct_score(n_scores_);
    std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
      const Words sa = source(a), sb = source(b);
      if (source_order.less(sa, sb)) return true;
      if (source_order.less(sb, sa)) return false;
      const float pa = rows_.scores[a * n_scores_ + direct], pb = rows_.scores[b * n_scores_ + direct];
      return pa != pb ? pa > pb : target_order.less(target(a), target(b));
    });
    OwnedPhraseTable out;
    out.n_scores = std::max(n_scores_, 1);
    out.n_counts = std::max(n_counts_, 0);
    for (const int64_t row : order) append(out, row);
    out.row_offsets.push_back(static_cast<int64_t>(out.target_offsets.size()) - 1);
    if (order.empty()) out.row_offsets.pop_back();
    out.slots = PhraseTable::make_slots(out.source_ids, out.source_offsets);
    return out;
  }

private:
  template <typename T>
  static std::span<const T> part(const std::vector<T> &values, const std::vector<int64_t> &offsets, int64_t row) {
    return std::span<const T>(values).subspan(static_cast<size_t>(offsets[row]),
                                              static_cast<size_t>(offsets[row + 1] - offsets[row]));
  }
  Words source(int64_t row) const { return part(rows_.source_ids, rows_.source_offsets, row); }
  Words target(int64_t row) const { return part(rows_.target_ids, rows_.target_offsets, row); }

  template <typename T> static void extend(std::vector<T> &to, std::span<const T> values) {
    to.insert(to.end(), values.begin(), values.end());
  }

  void append(OwnedPhraseTable &out, int64_t row) const {
    const size_t last = out.source_offsets.size() - 2;
    if (out.source_offsets.size() == 1 ||
        !std::ranges::equal(part(out.source_ids, out.source_offsets, static_cast<int64_t>(last)), source(row))) {
      if (out.source_offsets.size() > 1) out.row_offsets.push_back(static_cast<int64_t>(out.target_offsets.size()) - 1);
      extend(out.source_ids, source(row));
      out.source_offsets.push_back(static_cast<int64_t>(out.source_ids.size()));
    }
    extend(out.target_ids, target(row));
    extend(out.links, part(rows_.links, rows_.link_offsets, row));
    out.target_offsets.push_back(static_cast<int64_t>(out.target_ids.size()));
    out.link_offsets.push_back(static_cast<int64_t>(out.links.size()));
    const auto numbers = [row](const std::vector<float> &values, int each) {
      return std::span<const float>(values).subspan(static_cast<size_t>(row * each), static_cast<size_t>(each));
    };
    extend(out.scores, numbers(rows_.scores, out.n_scores));
    extend(out.counts, numbers(rows_.counts, out.n_counts));
  }

  bool read(std::string_view line) {
    if (const auto problem = text_problem(line)) return refuse(*problem);
    const size_t scores = rows_.scores.size(), counts = rows_.counts.size();
    bool good = true;
    for_each_field_token(line, [&](int field, std::string_view token) { return good = read(field, token); });
    if (!good) return false;
    const size_t source_length = rows_.source_ids.size() - static_cast<size_t>(rows_.source_offsets.back());
    const size_t target_length = rows_.target_ids.size() - static_cast<size_t>(rows_.target_offsets.back());
    if (source_length == 0) return refuse("has no source phrase");
    if (target_length == 0) return refuse("has no target phrase");
    if (std::max(source_length, target_length) > kMaxSentenceLength) return refuse("has a phrase that is too long");
    if (!check_links(source_length, target_length)) return false;
    if (!check_number(n_scores_, rows_.scores.size() - scores, "scores")) return false;
    if (n_scores_ == 0) return refuse("has no scores");
    if (!check_number(n_counts_, rows_.counts.size() - counts, "counts")) return false;
    rows_.source_offsets.push_back(static_cast<int64_t>(rows_.source_ids.size()));
    rows_.target_offsets.push_back(static_cast<int64_t>(rows_.target_ids.size()));
    rows_.link_offsets.push_back(static_cast<int64_t>(rows_.links.size()));
    return true;
  }

  bool read(int field, std::string_view token) {
    switch (field) {
    case 0:
      rows_.source_ids.push_back(source_.intern(token));
      return true;
    case 1:
      rows_.target_ids.push_back(target_.intern(token));
      return true;
    case 2:
      return read_number_into(rows_.scores, token, "a score");
    case 3:
      return read_link(token);
    case 4:
      return read_number_into(rows_.counts, token, "a count");
    default:
      return true;
    }
  }

  bool read_number_into(std::vector<float> &values, std::string_view token, const char *what) {
    double value = 0;
    if (!read_number(token, value) || value < 0) return refuse(quoted(token) + " is not " + what);
    values.push_back(static_cast<float>(value));
    return std::isfinite(values.back()) || refuse(quoted(token) + " is too large");
  }

  bool read_link(std::string_view token) {
    int64_t i = 0, j = 0;
    if (!parse_link(token, i, j)) return refuse(quoted(token) + " is not a link such as 0-1");
    if (std::max(i, j) >= kMaxSentenceLength) return refuse("the link " + quoted(token) + " points beyond its phrases");
    rows_.links.push_back(std::bit_cast<uint32_t>(Link{static_cast<uint16_t>(i), static_cast<uint16_t>(j)}));
    return true;
  }

  bool check_links(size_t source_length, size_t target_length) {
    for (size_t l = static_cast<size_t>(rows_.link_offsets.back()); l < rows_.links.size(); ++l) {
      const Link link = std::bit_cast<Link>(rows_.links[l]);
      if (link.source >= source_length || link.target >= target_length)
        return refuse("the link '" + to_text(link.source) + "-" + to_text(link.target) + "' points beyond its phrases");
    }
    return true;
  }

  bool check_number(int &known, size_t found, const char *what) {
    if (known < 0) known = static_cast<int>(found);
    return static_cast<size_t>(known) == found ||
           refuse("has " + to_text(found) + " " + what + ", but the lines before have " + to_text(known));
  }

  Vocabulary &source_, &target_;
  OwnedPhraseTable rows_; // one source phrase a row, and no slots
  int n_scores_ = -1, n_counts_ = -1;
};

// Lines of the rows of some source phrases. Numbers have six digits, as C++ streams write them.
class PhraseTableWriter {
  static constexpr int kDigits = 6;

public:
  PhraseTableWriter(const PhraseTable &table, std::span<const float> counts, int n_counts, const Vocabulary &source,
                    const Vocabulary &target)
      : table_(table), counts_(counts), n_counts_(n_counts), source_(source), target_(target) {}

  void add(int64_t phrase, std::string &out) const {
    const auto [begin, end] = table_.options(phrase);
    for (int64_t row = begin; row < end; ++row) {
      const Words source = table_.source(phrase);
      append_words(source_, source, out);
      append_words(target_, table_.target(row), out);
      append_numbers(table_.scores(row), table_.n_scores(), out);
      out.append("||| ");
      for (const uint32_t link : table_.links(row, source.size())) append_link(std::bit_cast<Link>(link), out);
      out.append("||| ");
      append_numbers(counts_.data() + row * n_counts_, n_counts_, out);
      out.append("||| |||\n");
    }
  }

private:
  static void append_words(const Vocabulary &vocabulary, Words words, std::string &out) {
    for (const int32_t word : words) {
      if (word < 0 || word >= vocabulary.size()) throw ChangedData("phrase table");
      out.append(vocabulary.word(word)).push_back(' ');
    }
    out.append("||| ");
  }
  static void append_numbers(const float *values, int count, std::string &out) {
    for (int i = 0; i < count; ++i) {
      append_number(out, values[i], kDigits);
      out.push_back(' ');
    }
  }
  static void append_link(Link link, std::string &out) {
    append_number(out, link.source);
    out.push_back('-');
    append_number(out, link.target);
    out.push_back(' ');
  }

  const PhraseTable &table_;
  const std::span<const float> counts_;
  const int n_counts_;
  const Vocabulary &source_, &target_;
};

// Moses' reordering table bound to a phrase table: `f ||| e ||| p …`, or `f ||| p …` for all rows of f.
class ReorderingTableReader : private LineByLine {
public:
  ReorderingTableReader(const PhraseTable &table, const Vocabulary &source, const Vocabulary &target)
      : table_(table), source_(source), target_(target) {}

  std::optional<TextDefect> add(std::string_view text) {
    return read_lines(text, [&](std::string_view line) { return read(line); });
  }

  int columns() const { return std::max(columns_, 0); }
  // The probabilities of all rows, not a number where the file has none; the next line read begins a new table.
  std::vector<float> finish() {
    if (columns_ < 0) return {};
    columns_ = -1;
    fields_ = 0;
    return std::exchange(values_, {});
  }

private:
  bool read(std::string_view line) {
    if (const auto problem = text_problem(line)) return refuse(*problem);
    if (fields_ == 0 && !find_fields(line)) return false;
    words_[0].clear();
    words_[1].clear();
    numbers_.clear();
    bool good = true;
    int last = 0;
    for_each_field_token(line, [&](int field, std::string_view token) {
      last = field;
      return good = read(field, token);
    });
    if (!good) return false;
    if (last != fields_ - 1) return refuse("has a different number of fields from the first line");
    if (words_[0].empty() || (fields_ == 3 && words_[1].empty())) return refuse("has an empty phrase");
    if (columns_ < 0) open(numbers_.size());
    if (numbers_.size() != static_cast<size_t>(columns_))
      return refuse("has " + to_text(numbers_.size()) + " probabilities, but the lines before have " +
                    to_text(columns_));
    place();
    return true;
  }

  bool find_fields(std::string_view line) {
    int fields = 1;
    for_each_field_token(line, [&](int field, std::string_view) {
      fields = field + 1;
      return true;
    });
    if (fields != 2 && fields != 3) return refuse("is neither 'f ||| e ||| p …' nor 'f ||| p …'");
    fields_ = fields;
    return true;
  }

  bool read(int field, std::string_view token) {
    if (field + 1 < fields_) {
      words_[field].push_back((field == 0 ? source_ : target_).find(token));
      return true;
    }
    double value = 0;
    if (!read_number(token, value) || value < 0 || value > 1) return refuse(quoted(token) + " is not a probability");
    numbers_.push_back(static_cast<float>(value));
    return true;
  }

  void open(size_t columns) {
    columns_ = static_cast<int>(columns);
    values_.assign(static_cast<size_t>(table_.rows()) * columns, std::nanf(""));
  }

  void place() {
    const int64_t phrase = table_.find(words_[0].data(), static_cast<int>(words_[0].size()));
    if (phrase < 0) return;
    const auto [begin, end] = table_.options(phrase);
    for (int64_t row = begin; row < end; ++row)
      if (fields_ == 2 || std::ranges::equal(table_.target(row), words_[1]))
        std::ranges::copy(numbers_, values_.begin() + row * columns_);
  }

  const PhraseTable &table_;
  const Vocabulary &source_, &target_;
  int fields_ = 0, columns_ = -1;
  std::vector<int32_t> words_[2];
  std::vector<float> numbers_, values_;
};

} // namespace tartib
