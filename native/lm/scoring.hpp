// Scores of whole sentences, by the queries of lm/query.hpp.
#pragma once

#include <shared_mutex>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "lm/query.hpp"

namespace tartib {

// Scores words one after another.
class SentenceScorer {
public:
  SentenceScorer(const LanguageModel &model, bool begin)
      : model_(model), states_{begin ? model.begin() : model.none(), {}} {}

  float add(uint32_t word) {
    const float log10_p = model_.score(states_[now_], word, states_[1 - now_], matched_);
    now_ = 1 - now_;
    return log10_p;
  }
  int matched() const { return matched_; }
  const LmState &state() const { return states_[now_]; }

private:
  const LanguageModel &model_;
  LmState states_[2]; // of the words so far, and of those before the last one
  int now_ = 0, matched_ = 0;
};

struct LineScores {
  std::vector<double> totals, unknown_totals; // log10 p of the whole line, and what unknown words have of it
  std::vector<int64_t> tokens, unknown;       // words with </s>; those that are not in the model
};

// A block of lines, each between <s> and </s>.
inline LineScores score_lines(const LanguageModel &model, std::string_view text) {
  LineScores out;
  std::shared_lock lock(model.vocabulary().mutex());
  for (LineReader lines(text); !lines.done();) {
    double total = 0, unknown_total = 0;
    int64_t tokens = 0, unknown = 0;
    SentenceScorer scorer(model, true);
    const auto add = [&](uint32_t word) {
      const float log10_p = scorer.add(word);
      total += log10_p;
      ++tokens;
      if (word != model.unknown()) return;
      unknown_total += log10_p;
      ++unknown;
    };
    for_each_token(lines.next(), [&](std::string_view token) {
      add(model.find_locked(token));
      return true;
    });
    add(model.end_word());
    out.totals.push_back(total);
    out.unknown_totals.push_back(unknown_total);
    out.tokens.push_back(tokens);
    out.unknown.push_back(unknown);
  }
  return out;
}

} // namespace tartib
