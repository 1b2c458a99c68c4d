// ARPA files: read line by line into a list of n-grams, and written.
//
// Models that were pruned elsewhere may list a n-gram without the n-grams that it begins or ends with. These are added,
// with the probability that backing off gives them and a back-off of 0, so that every query finds what is listed.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "bitext/vocabulary.hpp"
#include "lm/table.hpp"
#include "lm/text.hpp"

namespace tartib {

constexpr float kUnlistedUnknown = -100; // log10 p of unknown words where a file has no <unk>, as KenLM has it
constexpr float kSmallest = -99;         // for log10 p of minus infinity

// A growing list of n-grams with an index from (parent, first word) to them.
class NgramListBuilder {
public:
  NgramListBuilder() : slots_(1 << 12, kNoNgram) {}

  uint32_t words = 0; // how many n-grams at the front are words; fixed before longer ones come
  std::vector<int64_t> counts;

  void add_word(float log10_p, float backoff) {
    list_.push_back({kNoNgram, words++, log10_p, backoff == 0 ? kNoExtension : backoff});
  }
  // Adds n words of text; false where they are there already.
  bool add(const uint32_t *text, int n, float log10_p, float backoff) {
    const size_t before = list_.size();
    insert(text, n, &log10_p, backoff);
    return list_.size() > before;
  }
  size_t size() const { return list_.size(); }
  std::vector<Ngram> take() {
    std::vector<uint32_t>().swap(slots_);
    return std::move(list_);
  }

private:
  uint32_t insert(const uint32_t *text, int n, const float *log10_p, float backoff) {
    if (n == 1) return text[0];
    const uint32_t parent = insert(text + 1, n - 1, nullptr, 0);
    if (const uint32_t known = slots_[slot_of(parent, text[0])]; known != kNoNgram) return known;
    const uint32_t context = insert(text, n - 1, nullptr, 0);
    float &after = list_[context].backoff;
    const float p = log10_p ? *log10_p : after + list_[parent].log10_p;
    if (!has_extension(after)) after = 0;
    if (list_.size() >= kNoNgram - 1) throw std::length_error("too many n-grams");
    const uint32_t index = static_cast<uint32_t>(list_.size());
    list_.push_back({parent, text[0], p, backoff == 0 ? kNoExtension : backoff});
    ++counts[n - 1];
    slots_[slot_of(parent, text[0])] = index;
    if (list_.size() * 2 > slots_.size()) grow();
    return index;
  }

  size_t slot_of(uint32_t parent, uint32_t word) const {
    const size_t mask = slots_.size() - 1;
    const uint64_t h = NgramPlaces::join(NgramPlaces::join(0, parent), word);
    for (size_t at = (h >> 16) & mask;; at = (at + 1) & mask) {
      const uint32_t i = slots_[at];
      if (i == kNoNgram || (list_[i].word == word && list_[i].parent == parent)) return at;
    }
  }
  void grow() {
    slots_.assign(slots_.size() * 2, kNoNgram);
    for (size_t i = words; i < list_.size(); ++i)
      slots_[slot_of(list_[i].parent, list_[i].word)] = static_cast<uint32_t>(i);
  }

  std::vector<Ngram> list_;
  std::vector<uint32_t> slots_;
};

class ArpaReader {
public:
  explicit ArpaReader(Vocabulary &vocabulary) : vocabulary_(vocabulary) {}
  Vocabulary &vocabulary() { return vocabulary_; }

  // Takes more of the file, cut anywhere; says what is wrong with its first bad line.
  std::optional<LineDefect> feed(std::string_view text) {
    while (!defect_) {
      const size_t end = text.find('\n');
      if (end == text.npos) break;
      if (rest_.empty()) {
        read(text.substr(0, end));
      } else {
        rest_.append(text.substr(0, end));
        read(rest_);
        rest_.clear();
      }
      text.remove_prefix(end + 1);
    }
    if (!defect_) rest_.append(text);
    return defect_;
  }

  // The file has ended.
  std::optional<LineDefect> finish() {
    if (!defect_ && !rest_.empty()) read(std::exchange(rest_, {}));
    if (!defect_ && section_ == kBefore) refuse("no line \\data\\, so this is not an ARPA file");
    if (!defect_ && section_ != kAfter) refuse("the file ends without the line \\end\\: it was cut short");
    return defect_;
  }

  // Once, after a file without defects.
  NgramTable table() {
    if (section_ != kAfter || defect_ || std::exchange(taken_, true)) throw std::logic_error("no complete ARPA file");
    const uint32_t words = list_.words;
    std::vector<int64_t> counts = list_.counts;
    return place_ngrams(list_.take(), words, std::move(counts));
  }
  int64_t listed() const { return total_listed_; }

private:
  enum { kBefore = -2, kHead = -1, kBetween = 0, kAfter = 100 }; // else the order whose n-grams are being read

  void read(std::string_view line) {
    ++line_;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    split(line);
    if (section_ == kAfter || fields_.empty()) return;
    if (section_ == kBefore) {
      if (fields_.size() == 1 && fields_[0] == "\\data\\") section_ = kHead;
    } else if (fields_[0].front() == '\\' && fields_.size() == 1) {
      open_section(fields_[0]);
    } else if (section_ == kHead) {
      read_count(line);
    } else if (section_ > 0) {
      read_ngram();
    } else {
      refuse("text outside the lists of n-grams");
    }
  }

  void split(std::string_view line) {
    fields_.clear();
    for_each_token(line, [&](std::string_view token) {
      fields_.push_back(token);
      return fields_.size() < kMaxOrder + 4;
    });
  }

  void read_count(std::string_view line) {
    const std::string_view text = line.substr(static_cast<size_t>(fields_[0].data() - line.data()));
    const size_t equals = text.find('=');
    double order = 0, count = 0;
    const auto trim = [](std::string_view s) {
      const size_t first = s.find_first_not_of(" \t"), last = s.find_last_not_of(" \t");
      return first == s.npos ? std::string_view{} : s.substr(first, last - first + 1);
    };
    if (!text.starts_with("ngram ") || equals == text.npos || !read_number(trim(text.substr(6, equals - 6)), order) ||
        !read_number(trim(text.substr(equals + 1)), count) || !(count >= 0 && count < kNoNgram))
      return refuse("not a line such as 'ngram 1=1000'");
    if (order != static_cast<double>(announced_.size() + 1)) return refuse("the orders must be 1, 2, 3, … in turn");
    if (order > kMaxOrder) return refuse("models above order " + to_text(kMaxOrder) + " are not supported");
    announced_.push_back(static_cast<int64_t>(count));
  }

  void open_section(std::string_view name) {
    if (section_ > 0 && !close_section()) return;
    const int next = last_section_ + 1, order = static_cast<int>(announced_.size());
    if (order == 0) return refuse("no counts such as 'ngram 1=1000' before this line");
    if (name == "\\end\\") {
      if (last_section_ < order) return refuse("the " + to_text(next) + "-grams are missing");
      section_ = kAfter;
    } else if (name != "\\" + to_text(next) + "-grams:" || next > order) {
      refuse("expected the line " + (next > order ? "\\end\\" : "\\" + to_text(next) + "-grams:"));
    } else {
      section_ = last_section_ = next;
      list_.counts.resize(order);
      listed_ = 0;
    }
  }

  bool close_section() {
    const std::string what = to_text(section_) + "-grams";
    if (listed_ != announced_[section_ - 1])
      refuse(to_text(listed_) + " " + what + " are listed, but \\data\\ says " + to_text(announced_[section_ - 1]));
    else if (section_ == 1)
      close_words();
    section_ = kBetween;
    return !defect_;
  }

  void close_words() {
    for (const char *mark : {"<s>", "</s>"})
      if (vocabulary_.find(mark) < 0) refuse(std::string("the 1-grams lack ") + mark);
    if (vocabulary_.find("<unk>") < 0) {
      vocabulary_.intern("<unk>");
      list_.add_word(kUnlistedUnknown, 0);
    }
    list_.counts[0] = list_.words;
  }

  void read_ngram() {
    const size_t n = section_;
    double log10_p = 0, backoff = 0;
    if (fields_.size() != n + 1 && fields_.size() != n + 2)
      return refuse("expected a number, " + to_text(n) + " words and perhaps a back-off");
    if (!read_number_or_infinity(fields_[0], log10_p)) return refuse("not a number: '" + std::string(fields_[0]) + "'");
    if (log10_p > 0) return refuse("a log probability cannot be above 0: " + std::string(fields_[0]));
    constexpr double kMost = std::numeric_limits<float>::max();
    if (fields_.size() == n + 2 && (!read_number_or_infinity(fields_[n + 1], backoff) || std::abs(backoff) > kMost))
      return refuse("not a back-off: '" + std::string(fields_[n + 1]) + "'");
    const float p = log10_p < -kMost ? kSmallest : static_cast<float>(log10_p);
    // The longest n-grams are no contexts, whatever back-off a file may give them.
    const float weight = n == announced_.size() ? 0 : static_cast<float>(backoff);
    ++listed_;
    ++total_listed_;
    n == 1 ? add_word(p, weight) : add_longer(p, weight);
  }

  void add_word(float log10_p, float backoff) {
    const std::string_view word = fields_[1] == "<UNK>" ? "<unk>" : fields_[1];
    if (utf8_defect(word) < word.size()) return refuse("a word is not UTF-8");
    if (vocabulary_.intern(word) != static_cast<int32_t>(list_.words))
      return refuse("the word '" + std::string(word) + "' is listed twice");
    list_.add_word(log10_p, backoff);
  }

  void add_longer(float log10_p, float backoff) {
    uint32_t words[kMaxOrder];
    for (int i = 0; i < section_; ++i) {
      const int32_t id = vocabulary_.find(fields_[i + 1] == "<UNK>" ? "<unk>" : fields_[i + 1]);
      if (id < 0 || static_cast<uint32_t>(id) >= list_.words)
        return refuse("the word '" + std::string(fields_[i + 1]) + "' is not among the 1-grams");
      words[i] = static_cast<uint32_t>(id);
    }
    if (!list_.add(words, section_, log10_p, backoff)) refuse("this n-gram is listed twice");
  }

  void refuse(std::string problem) {
    if (!defect_) defect_ = LineDefect{line_, std::move(problem)};
  }

  Vocabulary &vocabulary_;
  NgramListBuilder list_;
  std::vector<int64_t> announced_;
  std::vector<std::string_view> fields_;
  std::string rest_;
  std::optional<LineDefect> defect_;
  int section_ = kBefore, last_section_ = 0;
  bool taken_ = false;
  int64_t line_ = 0, listed_ = 0, total_listed_ = 0;
};

// Lines of n-grams: log10 p, the words, and the back-off of those that are not of the highest order.
class ArpaWriter {
public:
  ArpaWriter(const Vocabulary &vocabulary, const Ngram *ngrams, uint32_t words, uint32_t size, int order)
      : vocabulary_(vocabulary), ngrams_(ngrams), words_(words), size_(size), order_(order) {}

  // `n` is the order of the n-gram in this place; throws if it is not.
  void add(uint32_t place, int n, std::string &out) const {
    const Ngram &ngram = ngrams_[place];
    append_shortest(out, without_sign_of_zero(std::min(
                             0.0f, ngram.log10_p))); // back-offs of a bad model may lift an added n-gram above 0
    uint32_t at = place;
    for (int i = 1; i <= n; ++i) {
      const bool last = at < words_;
      if (at >= size_ || last != (i == n)) throw std::out_of_range("the table of n-grams is damaged");
      const Ngram part = ngrams_[at]; // read once, as a file may change
      const uint32_t word = last ? at : part.word;
      if (word >= words_) throw std::out_of_range("the table of n-grams is damaged");
      out.push_back(i == 1 ? '\t' : ' ');
      out.append(vocabulary_.word(static_cast<int32_t>(word)));
      at = part.parent;
    }
    if (n < order_) {
      out.push_back('\t');
      append_shortest(out, without_sign_of_zero(ngram.backoff));
    }
    out.push_back('\n');
  }

private:
  // -0 has a meaning in the table only.
  static float without_sign_of_zero(float value) { return value == 0 ? 0.0f : value; }

  const Vocabulary &vocabulary_;
  const Ngram *ngrams_;
  const uint32_t words_, size_;
  const int order_;
};

} // namespace tartib
