// What each span of a sentence may become: the phrases that the table has for it, the best of them by themselves.
//
// By itself an option has the weighted scores that do not depend on its neighbours (`isolated`: those of the table,
// word, phrase and unknown-word penalties), and an estimate of the whole, with the language model starting from
// nothing. The best by estimate are kept for each source phrase; a word that the table does not know alone stands for
// itself. A sentence may come with translations of its own for some spans (`ForcedTranslations`), as Moses' XML input:
// what is given with probability p scores log(p), the same share of it for each score of the table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "decoder/coverage.hpp"
#include "lm/query.hpp"
#include "phrase_table/table.hpp"

namespace tartib {

constexpr float kLog10 = 2.302585092994046f;
constexpr double kLowestScore = -100.0; // of a zero probability, and of an unknown word, as in Moses

struct OptionWeights {
  std::vector<double> scores; // of the phrase table
  double lm, word, phrase, unknown;
};

// Translations that come with a sentence, in the order of their spans, which are equal or do not overlap.
struct ForcedTranslations {
  std::vector<Span> spans;
  std::vector<double> logs; // of their probabilities
  std::vector<int32_t> target_ids;
  std::vector<uint32_t> lm_words;
  std::vector<int64_t> target_offsets{0};
  bool exclusive = true; // no other option has a word of their spans

  int32_t size() const { return static_cast<int32_t>(spans.size()); }
  std::span<const int32_t> target(int32_t i) const {
    return {target_ids.data() + target_offsets[i], target_ids.data() + target_offsets[i + 1]};
  }
  const uint32_t *lm_target(int32_t i) const { return lm_words.data() + target_offsets[i]; }
  std::vector<uint8_t> covered(int32_t words) const {
    std::vector<uint8_t> found(static_cast<size_t>(words), 0);
    for (const Span &span : spans) std::fill(found.begin() + span.start, found.begin() + span.end, uint8_t{1});
    return found;
  }
};

// The options of one sentence, by span, and within a span by falling estimate.
struct TranslationOptions {
  struct Group {
    Span span;
    int32_t begin, end; // of its options
  };
  int32_t words = 0; // of the source
  std::vector<Group> groups;
  std::vector<int64_t> rows;  // of the phrase table; -1 for what it does not have
  std::vector<int32_t> given; // which forced translation; -1 for others
  std::vector<int32_t> group_of;
  std::vector<float> isolated, estimate;
  std::vector<int32_t> target_ids; // negative for words that the table does not have
  std::vector<uint32_t> lm_words;
  std::vector<int64_t> target_offsets{0};
  std::vector<uint32_t> links; // inner alignments
  std::vector<int64_t> link_offsets{0};

  int64_t size() const { return static_cast<int64_t>(rows.size()); }
  Span span(int64_t option) const { return groups[group_of[option]].span; }
  int64_t target_length(int64_t option) const { return target_offsets[option + 1] - target_offsets[option]; }
};

// Finds options; what it found for a source phrase it keeps, so that the threads of a decoder share it.
class OptionFinder {
public:
  // `lm_of_target` has the language model's id of each word of the table.
  OptionFinder(const PhraseTable &table, const LanguageModel &lm, std::vector<uint32_t> lm_of_target,
               OptionWeights weights, int64_t limit, bool drop_unknown)
      : table_(table), lm_(lm), lm_of_target_(std::move(lm_of_target)), weights_(std::move(weights)), limit_(limit),
        drop_unknown_(drop_unknown) {}

  const LanguageModel &lm() const { return lm_; }

  // `source` has the table's source ids, negative for words it does not have. If the words stand for themselves,
  // `as_target` has the table's target ids, different negative ones for different words that it does not have, and
  // `lm_of_source` the language model's.
  TranslationOptions find(const int32_t *source, const int32_t *as_target, const uint32_t *lm_of_source, int32_t words,
                          const ForcedTranslations &forced) {
    TranslationOptions options;
    options.words = words;
    const std::vector<uint8_t> is_forced = forced.covered(words);
    int32_t next = 0; // of the forced translations
    for (int32_t start = 0; start < words; ++start) {
      const int32_t longest = std::min<int32_t>(table_.max_source_length(), words - start);
      bool free = true; // for what is not forced
      for (int32_t length = 1; length <= std::max(longest, 1) || starts_at(forced, next, start); ++length) {
        free = free && !(forced.exclusive && is_forced[start + length - 1]);
        const Span span{start, start + length};
        const int64_t phrase = length <= longest ? table_.find(source + start, length) : -1;
        const int32_t begin = static_cast<int32_t>(options.size()), first = next;
        while (next < forced.size() && forced.spans[next].start == start && forced.spans[next].end == span.end) ++next;
        if (next > first)
          add(with_forced(free ? phrase : -1, phrase, forced, first, next), forced, length, options);
        else if (free && phrase >= 0)
          add(best_of(phrase), forced, length, options);
        if (length == 1 && free && options.size() == begin) add_unknown(as_target[start], lm_of_source[start], options);
        const int32_t end = static_cast<int32_t>(options.size());
        if (end == begin) continue;
        options.group_of.resize(end, static_cast<int32_t>(options.groups.size()));
        options.groups.push_back({span, begin, end});
      }
    }
    return options;
  }

private:
  struct Entry {
    int64_t row;
    int32_t given; // -1 for the table's own
    float isolated, estimate;
  };

  static bool starts_at(const ForcedTranslations &forced, int32_t next, int32_t start) {
    return next < forced.size() && forced.spans[next].start == start;
  }

  // The entries of `competing`, -1 for none, and those of forced translations [first, last), which all stand for
  // `phrase`.
  std::vector<Entry> with_forced(int64_t competing, int64_t phrase, const ForcedTranslations &forced, int32_t first,
                                 int32_t last) {
    std::vector<Entry> entries;
    if (competing >= 0) entries = best_of(competing);
    for (int32_t i = first; i < last; ++i) entries.push_back(forced_entry(phrase, forced, i));
    const auto better = [](const Entry &a, const Entry &b) { return a.estimate > b.estimate; };
    std::stable_sort(entries.begin(), entries.end(), better);
    return entries;
  }

  Entry forced_entry(int64_t phrase, const ForcedTranslations &forced, int32_t i) const {
    const auto target = forced.target(i);
    const int64_t count = static_cast<int64_t>(target.size());
    double isolated = penalties(count);
    for (const double weight : weights_.scores)
      isolated += weight * forced.logs[i] / static_cast<double>(weights_.scores.size());
    const double estimate = isolated + estimated_lm(forced.lm_target(i), count);
    return {row_of(phrase, target), i, finite(isolated), finite(estimate)};
  }

  // The row of a phrase that has this target, or -1: reordering tables know it by that.
  int64_t row_of(int64_t phrase, std::span<const int32_t> target) const {
    if (phrase < 0) return -1;
    const auto [begin, end] = table_.options(phrase);
    for (int64_t row = begin; row < end; ++row)
      if (std::ranges::equal(table_.target(row), target)) return row;
    return -1;
  }

  void add(const std::vector<Entry> &entries, const ForcedTranslations &forced, int32_t length,
           TranslationOptions &options) const {
    for (const Entry &entry : entries) {
      options.rows.push_back(entry.row);
      options.given.push_back(entry.given);
      options.isolated.push_back(entry.isolated);
      options.estimate.push_back(entry.estimate);
      if (entry.given >= 0) {
        const auto target = forced.target(entry.given);
        options.target_ids.insert(options.target_ids.end(), target.begin(), target.end());
        const uint32_t *lm_words = forced.lm_target(entry.given);
        options.lm_words.insert(options.lm_words.end(), lm_words, lm_words + target.size());
      } else {
        for (const int32_t word : table_.target(entry.row)) {
          options.target_ids.push_back(word);
          options.lm_words.push_back(lm_of(word));
        }
      }
      options.target_offsets.push_back(static_cast<int64_t>(options.target_ids.size()));
      add_links(entry.row, length, options);
    }
  }

  // The table's; without a row, a single word is linked with all.
  void add_links(int64_t row, int32_t length, TranslationOptions &options) const {
    const int64_t words = options.target_offsets.back() - *(options.target_offsets.end() - 2);
    if (row >= 0) {
      const auto links = table_.links(row, static_cast<size_t>(length));
      options.links.insert(options.links.end(), links.begin(), links.end());
    } else if (length == 1 || words == 1) {
      for (uint32_t i = 0; i < static_cast<uint32_t>(length); ++i)
        for (uint32_t j = 0; j < static_cast<uint32_t>(words); ++j) options.links.push_back(i | j << 16);
    }
    options.link_offsets.push_back(static_cast<int64_t>(options.links.size()));
  }

  void add_unknown(int32_t target_id, uint32_t lm_word, TranslationOptions &options) {
    if (!drop_unknown_) {
      options.target_ids.push_back(target_id);
      options.lm_words.push_back(lm_word);
      options.links.push_back(0); // the word with itself
    }
    options.link_offsets.push_back(static_cast<int64_t>(options.links.size()));
    const int64_t begin = options.target_offsets.back(), end = static_cast<int64_t>(options.target_ids.size());
    const double isolated = weights_.unknown * kLowestScore + penalties(end - begin);
    options.rows.push_back(-1);
    options.given.push_back(-1);
    options.isolated.push_back(finite(isolated));
    options.estimate.push_back(finite(isolated + estimated_lm(options.lm_words.data() + begin, end - begin)));
    options.target_offsets.push_back(end);
  }

  const std::vector<Entry> &best_of(int64_t phrase) {
    {
      std::shared_lock lock(mutex_);
      if (const auto found = known_.find(phrase); found != known_.end()) return found->second;
    }
    std::vector<Entry> entries;
    const auto [begin, end] = table_.options(phrase);
    for (int64_t row = begin; row < end; ++row) entries.push_back(entry_of(row));
    const auto better = [](const Entry &a, const Entry &b) {
      return a.estimate != b.estimate ? a.estimate > b.estimate : a.row < b.row;
    };
    std::sort(entries.begin(), entries.end(), better);
    if (limit_ > 0 && static_cast<int64_t>(entries.size()) > limit_) entries.resize(limit_);
    entries.shrink_to_fit();
    std::unique_lock lock(mutex_); // references into the map stay good when it grows
    return known_.try_emplace(phrase, std::move(entries)).first->second;
  }

  Entry entry_of(int64_t row) const {
    const auto target = table_.target(row);
    double isolated = penalties(static_cast<int64_t>(target.size()));
    const float *scores = table_.scores(row);
    for (size_t k = 0; k < weights_.scores.size(); ++k) isolated += weights_.scores[k] * log_score(scores[k]);
    std::vector<uint32_t> words;
    for (const int32_t word : target) words.push_back(lm_of(word));
    const double estimate = isolated + estimated_lm(words.data(), static_cast<int64_t>(words.size()));
    return {row, -1, finite(isolated), finite(estimate)};
  }

  uint32_t lm_of(int32_t word) const {
    if (static_cast<uint32_t>(word) >= lm_of_target_.size()) throw ChangedData("phrase table");
    return lm_of_target_[static_cast<size_t>(word)];
  }

  // Damaged models may give anything, but what is sorted must be a number.
  static float finite(double score) {
    constexpr double kMost = 1e28;
    return static_cast<float>(std::abs(score) < kMost ? score : -kMost);
  }

  double penalties(int64_t words) const { return weights_.phrase - weights_.word * static_cast<double>(words); }

  double estimated_lm(const uint32_t *words, int64_t count) const {
    LmState state = lm_.none(), next;
    double sum = 0;
    for (int64_t i = 0; i < count; ++i, state = next) sum += lm_.score(state, words[i], next);
    return weights_.lm * kLog10 * sum;
  }

public:
  static double log_score(float probability) {
    return probability > 0 ? std::max(std::log(static_cast<double>(probability)), kLowestScore) : kLowestScore;
  }

private:
  const PhraseTable &table_;
  const LanguageModel &lm_;
  const std::vector<uint32_t> lm_of_target_;
  const OptionWeights weights_;
  const int64_t limit_;
  const bool drop_unknown_;
  std::shared_mutex mutex_;
  std::unordered_map<int64_t, std::vector<Entry>> known_;
};

} // namespace tartib
