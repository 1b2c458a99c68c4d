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
    place_rows(source_words);
    linked_.assign(links_.size(), heuristic_ == Heuristic::union_);
    source_linked_.assign(source_words, 0);
    target_linked_.assign(target_words, 0);
    if (heuristic_ != Heuristic::union_) {
      for (size_t k = 0; k < links_.size(); ++k)
        if (links_[k].directions == (kForward | kBackward)) add(k);
      if (heuristic_ != Heuristic::intersection) grow();
    }
    if (heuristic_ == Heuristic::grow_diag_final || heuristic_ == Heuristic::grow_diag_final_and)
      for (const uint8_t direction : {kForward, kBackward}) finish(direction);
    for (size_t k = 0; k < links_.size(); ++k)
      if (linked_[k]) out.push_back({links_[k].source(), links_[k].target()});
  }

private:
  static constexpr uint8_t kForward = 1, kBackward = 2;

  struct Directed {
    uint32_t place; // source, then target: one number, because sorting is most of the work
    uint8_t directions;

    Directed(const Link &link, uint8_t directions)
        : place(uint32_t{link.source} << 16 | link.target), directions(directions) {}
    uint16_t source() const { return static_cast<uint16_t>(place >> 16); }
    uint16_t target() const { return static_cast<uint16_t>(place); }
  };

  void gather(const Link *forward, int64_t forward_count, const Link *backward, int64_t backward_count) {
    links_.clear();
    for (int64_t l = 0; l < forward_count; ++l) links_.emplace_back(forward[l], kForward);
    for (int64_t l = 0; l < backward_count; ++l) links_.emplace_back(backward[l], kBackward);
    std::sort(links_.begin(), links_.end(), [](const Directed &a, const Directed &b) { return a.place < b.place; });
    auto last = links_.begin();
    for (const Directed &next : links_) {
      if (last != links_.begin() && (last - 1)->place == next.place)
        (last - 1)->directions |= next.directions;
      else
        *last++ = next;
    }
    links_.erase(last, links_.end());
  }

  // A margin of one row on each side: source word i has the links from row_begin_[i + 1] to row_begin_[i + 2].
  void place_rows(int64_t source_words) {
    row_begin_.assign(source_words + 3, 0);
    for (const Directed &link : links_) ++row_begin_[link.source() + 2];
    for (size_t row = 1; row < row_begin_.size(); ++row) row_begin_[row] += row_begin_[row - 1];
  }

  void add(size_t k) {
    linked_[k] = 1;
    source_linked_[links_[k].source()] = target_linked_[links_[k].target()] = 1;
  }
  bool source_free(size_t k) const { return !source_linked_[links_[k].source()]; }
  bool target_free(size_t k) const { return !target_linked_[links_[k].target()]; }

  // Calls visit(m) for all neighbours m of a link, whether they are linked or not.
  template <typename Visit> void visit_neighbours(size_t k, Visit visit) const {
    const int source = links_[k].source(), target = links_[k].target();
    const bool diagonal = heuristic_ != Heuristic::grow && heuristic_ != Heuristic::och;
    for (int row = source - 1; row <= source + 1; ++row) {
      const int reach = row == source || diagonal ? 1 : 0;
      const auto end = links_.begin() + row_begin_[row + 2];
      auto at = std::lower_bound(links_.begin() + row_begin_[row + 1], end, target - reach,
                                 [](const Directed &link, int column) { return link.target() < column; });
      for (; at != end && at->target() <= target + reach; ++at)
        if (const size_t m = static_cast<size_t>(at - links_.begin()); m != k) visit(m);
    }
  }

  bool has_neighbour(size_t k) const {
    bool found = false;
    visit_neighbours(k, [&](size_t m) { found |= linked_[m] != 0; });
    return found;
  }

  bool may_grow(size_t k) const {
    if (linked_[k]) return false;
    if (heuristic_ == Heuristic::och) return (source_free(k) && target_free(k)) || has_neighbour(k);
    return (source_free(k) || target_free(k)) && has_neighbour(k);
  }

  void grow() {
    using Visit = std::pair<int64_t, size_t>; // pass, place
    std::priority_queue<Visit, std::vector<Visit>, std::greater<>> queue;
    const auto look_at = [&](int64_t pass, size_t k) {
      if (!may_grow(k)) return;
      add(k);
      visit_neighbours(k, [&](size_t m) {
        // The first pass comes to all that follow by itself.
        if (!linked_[m] && (m < k || pass > 0)) queue.emplace(m < k ? pass + 1 : pass, m);
      });
    };
    for (size_t k = 0; k < links_.size(); ++k) look_at(0, k);
    while (!queue.empty()) {
      const auto [pass, k] = queue.top();
      queue.pop();
      look_at(pass, k);
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
  std::vector<int64_t> row_begin_;
  std::vector<uint8_t> linked_, source_linked_, target_linked_;
};

} // namespace tartib
