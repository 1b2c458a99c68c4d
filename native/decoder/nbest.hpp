// The best ways through a search graph, in order, and what they are made of.
//
// A path is the best path that differs from an earlier one in exactly one hypothesis, which is replaced by the next
// worse one in the same state, and goes on from there by best parents. So a queue of such changes gives the exact order
// of all paths, at a cost of the length of a path each.
#pragma once

#include <queue>
#include <string>
#include <unordered_set>

#include "decoder/search.hpp"

namespace tartib {

struct Path {
  double total;
  std::vector<int32_t> steps; // options, in the order of the target
};

class PathFinder {
public:
  PathFinder(const std::vector<Hypothesis> &graph, const TranslationOptions &options)
      : graph_(graph), options_(options) {}

  static constexpr int64_t kTries = 50;

  // The `count` best paths to `last` and to the hypotheses in its state; with `distinct`, of different words, as far as
  // kTries paths for each that is asked for show them.
  std::vector<Path> find(int32_t last, int64_t count, bool distinct) {
    std::vector<Path> found;
    std::unordered_set<std::u32string> texts;
    queue_.push({graph_[last].score, -1, 0, last});
    for (int64_t tries = 0; !queue_.empty() && static_cast<int64_t>(found.size()) < count; ++tries) {
      if (tries / kTries >= count) break;
      const Change change = queue_.top();
      queue_.pop();
      walk(change);
      Path path{change.total, steps_of(paths_.back())};
      if (!distinct || texts.insert(text_of(path)).second) found.push_back(std::move(path));
    }
    return found;
  }

private:
  struct Change {
    double total;
    int32_t of;    // path that is changed; -1 for the first
    int32_t place; // in it, from the end of the sentence
    int32_t by;    // hypothesis
    bool operator<(const Change &other) const {
      return total != other.total ? total < other.total : std::tie(of, place) > std::tie(other.of, other.place);
    }
  };

  // Makes the path of a change, and the changes that it leads to.
  void walk(const Change &change) {
    std::vector<int32_t> path;
    if (change.of >= 0) path.assign(paths_[change.of].begin(), paths_[change.of].begin() + change.place);
    for (int32_t h = change.by; h >= 0 && graph_[h].option >= 0; h = graph_[h].parent) path.push_back(h);
    const int32_t number = static_cast<int32_t>(paths_.size());
    for (int32_t place = change.place; place < static_cast<int32_t>(path.size()); ++place) {
      const Hypothesis &h = graph_[path[place]];
      if (h.arcs < 0) continue;
      // Never better than what it changes, not even by rounding.
      const double total = std::min(change.total, change.total + graph_[h.arcs].score - h.score);
      queue_.push({total, number, place, h.arcs});
    }
    paths_.push_back(std::move(path));
  }

  std::vector<int32_t> steps_of(const std::vector<int32_t> &path) const {
    std::vector<int32_t> steps;
    for (auto h = path.rbegin(); h != path.rend(); ++h) steps.push_back(graph_[*h].option);
    return steps;
  }

  // Word ids, as a string because strings have a hash.
  std::u32string text_of(const Path &path) const {
    std::u32string text;
    for (const int32_t o : path.steps)
      for (int64_t w = options_.target_offsets[o]; w < options_.target_offsets[o + 1]; ++w)
        text.push_back(static_cast<char32_t>(options_.target_ids[w]));
    return text;
  }

  const std::vector<Hypothesis> &graph_;
  const TranslationOptions &options_;
  std::priority_queue<Change> queue_;
  std::vector<std::vector<int32_t>> paths_;
};

// What each step of a path adds, found from nothing but the steps, so that it can be held against the search's own
// sums.
inline void add_steps(const Path &path, const TranslationOptions &options, const LanguageModel &lm,
                      StepFeatures &found) {
  BlockStacks blocks;
  int32_t stack = BlockStacks::kEmpty;
  Span last = kBeforeSentence;
  Coverage covered;
  LmState state = lm.begin(), next;
  for (const int32_t o : path.steps) {
    const Span span = options.span(o);
    const auto step = blocks.shift(stack, span, options.group_of[o]);
    double log10 = 0;
    for (int64_t i = options.target_offsets[o]; i < options.target_offsets[o + 1]; ++i, state = next)
      log10 += lm.score(state, options.lm_words[i], next);
    if (o == path.steps.back()) log10 += lm.score(state, lm.end_word(), next);
    found.add(log10, last, span, step.code, covered);
    stack = step.stack;
    last = span;
    covered = covered.with(span);
  }
}

} // namespace tartib
