// Orientation while a translation grows: where the phrase that is added lies, seen from what was translated before.
//
// The codes are those of phrases/orientation.hpp. In the `phrase` model (and `word`, which a decoder cannot tell from
// it) the thing before is the last phrase. In the `hier` model it is the block on top of a shift-reduce stack (Galley &
// Manning 2008): a phrase that adjoins the top block is merged with it, and the new block with the next one below, as
// long as they adjoin. To the *next* phrase, `hier` asks whether the source words between are still open: they can then
// become one block with it, which begins where the next phrase does. So it belongs to the direction `next` of
// phrases/orientation.hpp, not to `next-moses`.
#pragma once

#include <cstdint>

#include "base/interning.hpp"
#include "decoder/coverage.hpp"
#include "phrases/orientation.hpp"

namespace tartib {

// Of `now`, seen from `before`, which it does not overlap. Before the sentence there is a phrase that ends at 0.
inline unsigned move_code(Span before, Span now) {
  if (now.start == before.end) return kMono;
  if (now.end == before.start) return kSwap;
  return now.start > before.end ? kDRight : kDLeft;
}

// Of `now`, seen from the phrase translated just before it, in the hier model; `covered` may or may not hold `now`.
inline unsigned move_code_to_next(Span before, Span now, const Coverage &covered) {
  if (now.start >= before.end && (now.start == before.end || !covered.test(before.end))) return kMono;
  if (now.end <= before.start && (now.end == before.start || !covered.test(before.start - 1))) return kSwap;
  return now.start > before.end ? kDRight : kDLeft;
}

// All shift-reduce stacks of a sentence, as lists that share their tails; 0 is the empty one.
class BlockStacks {
public:
  static constexpr int32_t kEmpty = 0;
  struct Step {
    int32_t stack;
    uint8_t code;
  };

  BlockStacks() { nodes_.id({-1, kBeforeSentence}); }

  Step shift(int32_t stack, Span phrase, int32_t span_index) {
    auto [step, known] = steps_.at(stack, span_index);
    if (!known) step = reduce(stack, phrase);
    return step;
  }

private:
  struct Node {
    int32_t below;
    Span block;
    bool operator==(const Node &other) const { return below == other.below && block == other.block; }
    uint64_t hash() const { return combine(combine(below, block.start), block.end); }
  };

  Step reduce(int32_t stack, Span phrase) {
    const uint8_t code = static_cast<uint8_t>(move_code(nodes_[stack].block, phrase));
    for (; stack != kEmpty; stack = nodes_[stack].below) {
      const Span top = nodes_[stack].block;
      if (top.end == phrase.start)
        phrase.start = top.start;
      else if (phrase.end == top.start)
        phrase.end = top.end;
      else
        break;
    }
    return {nodes_.id({stack, phrase}), code};
  }

  Interner<Node> nodes_;
  Memo<Step> steps_;
};

} // namespace tartib
