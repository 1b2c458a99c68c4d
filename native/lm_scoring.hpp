// Scores of whole sentences, by the queries of lm.hpp.
#pragma once

#include <utility>
#include <vector>

#include "bitext.hpp"
#include "lm.hpp"

namespace tartib {

// Scores words one after another; `unknown` are those that the model has not.
class SentenceScorer {
public:
  SentenceScorer(const LanguageModel &model, bool begin)
      : model_(model), state_(begin ? model.begin() : model.none()) {}

  float add(uint32_t word) {
    LmState next;
    const float log10_p = model_.score(state_, word, next, matched_);
    state_ = next;
    return log10_p;
  }
  int matched() const { return matched_; }
  const LmState &state() const { return state_; }

private:
  const LanguageModel &model_;
  LmState state_;
  int matched_ = 0;
};

struct LineScores {
  std::vector<double> totals, unknown_totals; // log10 p of the whole line, and what unknown words have of it
  std::vector<int64_t> tokens, unknown;       // words with </s>; those that the model has not
};

// A block of lines, each between <s> and </s>.
inline LineScores score_lines(const LanguageModel &model, std::string_view text) {
  LineScores out;
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
      add(model.find(token));
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
