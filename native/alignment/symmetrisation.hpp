// One alignment of the two that word aligners make, one in each direction.
//
// F are the links of the forward direction, where a target word has one source word or none, B those of the backward
// one; nothing here needs that, so a direction may be any set of links. All heuristics but the union begin with F and B
// and add candidates, the other links of F or B:
//
//   grow         a candidate next to a link (left, right, above, below) is added if one of its words has no link yet;
//   grow-diag    the same, and diagonal neighbours count (Koehn, Och, Marcu 2003);
//   final        then candidates are added of which a word has no link yet, first those of F, then those of B;
//   final-and    the same, if neither word has one;
//   och          a candidate is added if it is next to a link, or if neither of its words has one (Och & Ney 2003).
//
// Growing looks at the candidates again and again, in order of source and target position, until nothing is added; a
// link counts as soon as it is there. A candidate that was refused can be added later only because a neighbour came: so
// instead of passing over all of them, one keeps a queue of those to look at, by pass and place. That is
// O(n log n) for n links, of however many words: no matrix is made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "bitext/bitext.hpp"

namespace tartib {

enum class Heuristic : int { grow_diag_final_and, grow_diag_final, grow_diag, grow, och, union_, intersection };

class Symmetriser {
public:
  explicit Symmetriser(Heuristic heuristic) : heuristic_(heuristic) {}

  // Appends the links of one sentence by source and target position. The links must lie inside the sentence; they may
  // come in any order and be repeated.
  void run(int64_t source_words, int64_t target_words, const Link *forward, int64_t forward_count, const Link *backward,
           int64_t backward_count, std::vector<Link> &out) {
    gather(forward, forward_count, backward, backward_count);
    linked_.assign(links_.size(), heuristic_ == Heuristic::union_);
    if (heuristic_ != Heuristic::union_) {
      source_linked_.assign(source_words, 0);
      target_linked_.assign(target_words, 0);
      for (size_t k = 0; k < links_.size(); ++k)
        if (links_[k].directions == (kForward | kBackward)) add(k);
    }
    if (heuristic_ != Heuristic::union_ && heuristic_ != Heuristic::intersection) grow();
    if (heuristic_ == Heuristic::grow_diag_final || heuristic_ == Heuristic::grow_diag_final_and)
      for (const uint8_t direction : {kForward, kBackward}) finish(direction);
    for (size_t k = 0; k < links_.size(); ++k)
      if (linked_[k]) out.push_back(links_[k].link);
  }

private:
  static constexpr uint8_t kForward = 1, kBackward = 2;

  struct Directed {
    Link link;
    uint8_t directions;
    std::pair<uint16_t, uint16_t> place() const { return {link.source, link.target}; }
  };

  void gather(const Link *forward, int64_t forward_count, const Link *backward, int64_t backward_count) {
    links_.clear();
    for (int64_t l = 0; l < forward_count; ++l) links_.push_back({forward[l], kForward});
    for (int64_t l = 0; l < backward_count; ++l) links_.push_back({backward[l], kBackward});
    std::sort(links_.begin(), links_.end(), [](const Directed &a, const Directed &b) { return a.place() < b.place(); });
    size_t kept = 0;
    for (const Directed &next : links_) {
      if (kept > 0 && links_[kept - 1].place() == next.place())
        links_[kept - 1].directions |= next.directions;
      else
        links_[kept++] = next;
    }
    links_.resize(kept);
  }

  void add(size_t k) {
    linked_[k] = 1;
    source_linked_[links_[k].link.source] = target_linked_[links_[k].link.target] = 1;
  }
  bool source_free(size_t k) const { return !source_linked_[links_[k].link.source]; }
  bool target_free(size_t k) const { return !target_linked_[links_[k].link.target]; }

  // Calls visit(m) for all neighbours m of a link, whether they are linked or not.
  template <typename Visit> void visit_neighbours(size_t k, Visit visit) const {
    const int source = links_[k].link.source, target = links_[k].link.target;
    const bool diagonal = heuristic_ != Heuristic::grow && heuristic_ != Heuristic::och;
    for (int row = source - 1; row <= source + 1; ++row) {
      const int reach = row == source || diagonal ? 1 : 0;
      const auto before = [&](const Directed &d, int column) {
        return std::pair<int, int>(d.place()) < std::pair(row, column);
      };
      auto at = std::lower_bound(links_.begin(), links_.end(), target - reach, before);
      for (; at != links_.end() && at->link.source == row && at->link.target <= target + reach; ++at)
        if (const size_t m = static_cast<size_t>(at - links_.begin()); m != k) visit(m);
    }
  }

  bool has_neighbour(size_t k) const {
    bool found = false;
    visit_neighbours(k, [&](size_t m) { found |= linked_[m] != 0; });
    return found;
  }

  bool may_grow(size_t k) const {
    if (heuristic_ == Heuristic::och) return (source_free(k) && target_free(k)) || has_neighbour(k);
    return (source_free(k) || target_free(k)) && has_neighbour(k);
  }

  void grow() {
    using Visit = std::pair<int64_t, size_t>; // pass, place
    std::priority_queue<Visit, std::vector<Visit>, std::greater<>> queue;
    for (size_t k = 0; k < links_.size(); ++k)
      if (!linked_[k]) queue.emplace(0, k);
    while (!queue.empty()) {
      const auto [pass, k] = queue.top();
      queue.pop();
      if (linked_[k] || !may_grow(k)) continue;
      add(k);
      visit_neighbours(k, [&](size_t m) {
        if (!linked_[m]) queue.emplace(m > k ? pass : pass + 1, m);
      });
    }
  }

  void finish(uint8_t direction) {
    const bool both = heuristic_ == Heuristic::grow_diag_final_and;
    for (size_t k = 0; k < links_.size(); ++k) {
      if (linked_[k] || !(links_[k].directions & direction)) continue;
      if (both ? source_free(k) && target_free(k) : source_free(k) || target_free(k)) add(k);
    }
  }

  const Heuristic heuristic_;
  std::vector<Directed> links_; // of both directions, by place
  std::vector<uint8_t> linked_, source_linked_, target_linked_;
};

} // namespace tartib
