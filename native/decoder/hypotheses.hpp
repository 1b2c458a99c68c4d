// Partial translations, in stacks by the number of source words that they cover.
//
// Two hypotheses are in the same state if no feature can tell their futures apart; then only the better one goes on,
// and the other is kept as another way into that state (for n-best lists and search graphs) or forgotten. A stack keeps
// the best `limit` states (histogram pruning) that are not worse than the best one by more than `threshold`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/hash.hpp"

namespace tartib {

struct HypothesisState {
  int32_t coverage, lm, last, blocks, forward;
  bool operator==(const HypothesisState &) const = default;
  uint64_t hash() const {
    const auto pair = [](int32_t a, int32_t b) { return static_cast<uint64_t>(a) << 32 | static_cast<uint32_t>(b); };
    return combine(combine(combine(0, pair(coverage, lm)), pair(last, blocks)), forward);
  }
};

struct Hypothesis {
  double score;    // of what is translated
  double priority; // the score with the estimate for the rest
  HypothesisState state;
  int32_t parent; // the best hypothesis of the state before, by its number in the graph
  int32_t option;
  int32_t arcs; // the first of the worse hypotheses in the same state, or -1
};

class HypothesisStack {
public:
  HypothesisStack(int64_t limit, double threshold, bool keep_arcs)
      : limit_(limit), threshold_(threshold), keep_arcs_(keep_arcs), slots_(64, -1) {}

  // What has a lower priority than this will not be kept.
  double floor() const { return floor_; }

  void add(const Hypothesis &hypothesis) {
    if (!(hypothesis.priority >= floor_)) return; // nor is NaN, which damaged models may give
    const size_t at = slot_of(hypothesis.state);
    if (slots_[at] >= 0) {
      recombine(best_[slots_[at]], hypothesis);
      return;
    }
    slots_[at] = static_cast<int32_t>(best_.size());
    best_.push_back(hypothesis);
    raise_floor(hypothesis.priority);
    if (limit_ > 0 && static_cast<int64_t>(best_.size()) >= 2 * limit_)
      prune();
    else if (best_.size() * 2 > slots_.size())
      rebuild(slots_.size() * 2);
  }

  // Moves what is kept to the end of `graph`, best first, each followed by its at most `max_arcs` best arcs; returns
  // the numbers of the former.
  std::vector<int32_t> finish(std::vector<Hypothesis> &graph, size_t max_arcs) {
    prune();
    std::erase_if(best_, [&](const Hypothesis &h) { return h.priority < floor_; });
    std::sort(best_.begin(), best_.end(), better);
    std::vector<int32_t> kept;
    std::vector<Hypothesis> arcs;
    for (const Hypothesis &hypothesis : best_) {
      arcs.clear();
      for (int32_t arc = hypothesis.arcs; arc >= 0; arc = others_[arc].arcs) arcs.push_back(others_[arc]);
      std::sort(arcs.begin(), arcs.end(), better);
      if (arcs.size() > max_arcs) arcs.resize(max_arcs);
      kept.push_back(static_cast<int32_t>(graph.size()));
      graph.push_back(hypothesis);
      graph.insert(graph.end(), arcs.begin(), arcs.end());
      for (size_t i = kept.back(); i < graph.size(); ++i)
        graph[i].arcs = i + 1 < graph.size() ? static_cast<int32_t>(i + 1) : -1;
    }
    *this = HypothesisStack(limit_, threshold_, keep_arcs_);
    return kept;
  }

private:
  static bool better(const Hypothesis &a, const Hypothesis &b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    return a.parent != b.parent ? a.parent < b.parent : a.option < b.option;
  }

  void recombine(Hypothesis &old, const Hypothesis &other) {
    const int32_t arcs = old.arcs;
    Hypothesis worse = other;
    if (better(other, old)) {
      worse = old;
      old = other;
      raise_floor(old.priority);
    }
    old.arcs = arcs;
    if (!keep_arcs_) return;
    old.arcs = static_cast<int32_t>(others_.size());
    worse.arcs = arcs;
    others_.push_back(worse);
  }

  void raise_floor(double priority) { floor_ = std::max(floor_, priority + threshold_); }

  void prune() {
    if (limit_ > 0 && static_cast<int64_t>(best_.size()) > limit_) {
      std::nth_element(best_.begin(), best_.begin() + limit_ - 1, best_.end(), better);
      best_.resize(limit_);
      floor_ = std::max(floor_, best_.back().priority);
    }
    rebuild(slots_.size());
  }

  void rebuild(size_t slots) {
    slots_.assign(slots, -1);
    for (size_t i = 0; i < best_.size(); ++i) slots_[slot_of(best_[i].state)] = static_cast<int32_t>(i);
  }

  size_t slot_of(const HypothesisState &state) const {
    const size_t mask = slots_.size() - 1;
    size_t at = state.hash() & mask;
    while (slots_[at] >= 0 && !(best_[slots_[at]].state == state)) at = (at + 1) & mask;
    return at;
  }

  int64_t limit_;
  double threshold_; // a logarithm, not above 0
  bool keep_arcs_;
  double floor_ = -std::numeric_limits<double>::infinity();
  std::vector<Hypothesis> best_, others_;
  std::vector<int32_t> slots_;
};

} // namespace tartib
