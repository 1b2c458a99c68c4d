// The language model while one sentence is decoded: its states as small integers, and every answer kept, because the
// same words follow the same words in very many hypotheses.
#pragma once

#include "base/interning.hpp"
#include "lm/query.hpp"

namespace tartib {

class LmCache {
public:
  struct Step {
    float score; // log10
    int32_t next;
  };

  explicit LmCache(const LanguageModel &lm) : lm_(lm) { begin_ = states_.id(lm.begin()); }

  int32_t begin() const { return begin_; }

  Step step(int32_t state, uint32_t word) {
    auto [step, known] = steps_.at(state, static_cast<int32_t>(word));
    if (!known) {
      LmState next;
      step.score = lm_.score(states_[state], word, next);
      step.next = states_.id(next);
    }
    return step;
  }

  Step phrase(int32_t state, const uint32_t *words, int64_t count) {
    Step sum{0, state};
    for (int64_t i = 0; i < count; ++i) {
      const Step one = step(sum.next, words[i]);
      sum = {sum.score + one.score, one.next};
    }
    return sum;
  }

private:
  const LanguageModel &lm_;
  Interner<LmState> states_;
  Memo<Step> steps_;
  int32_t begin_;
};

} // namespace tartib
