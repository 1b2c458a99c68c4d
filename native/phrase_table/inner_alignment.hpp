// Alignments inside phrase pairs, and which one stands for a pair that was extracted with several.
//
// Moses takes the most frequent one. Of equally frequent ones it takes the greatest, where an alignment is a list, word
// by word, of the positions that the word is linked to, and lists are compared as dictionaries compare words. In its
// pass for p(e|f) and lex(e|f), whose alignment the table shows, that is the list of the target words; in its pass for
// lex(f|e) that of the source words, so the two may differ.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "phrases/phrases.hpp"

namespace tartib {

class InnerAlignments {
public:
  explicit InnerAlignments(const PhraseBlock &block) : block_(block), begins_(block.sentences + 1) {
    LinksByTarget by_target;
    for (int64_t s = 0; s < block.sentences; ++s) {
      begins_[s] = static_cast<int64_t>(links_.size());
      by_target.sort(block, s);
      links_.insert(links_.end(), by_target.begin(0), by_target.end(0, block.target_words(s)));
      std::sort(links_.begin() + begins_[s], links_.end(), by_target_word);
      const auto same = [](Link a, Link b) { return a.source == b.source && a.target == b.target; };
      links_.erase(std::unique(links_.begin() + begins_[s], links_.end(), same), links_.end());
    }
    begins_[block.sentences] = static_cast<int64_t>(links_.size());
  }

  int64_t sentence_of(int64_t pair) const {
    const int64_t *begin = block_.pair_offsets, *end = begin + block_.sentences + 1;
    return std::upper_bound(begin, end, pair + begin[0]) - begin - 1;
  }
  const PhrasePair &pair(int64_t pair) const { return block_.pairs[block_.pair_offsets[0] + pair]; }

  // Links of a pair, counted from the phrases' first words, by target and then source word.
  void links(int64_t at, std::vector<Link> &out) const {
    const int64_t s = sentence_of(at);
    const PhrasePair &p = pair(at);
    const auto first = std::lower_bound(links_.begin() + begins_[s], links_.begin() + begins_[s + 1],
                                        Link{0, p.target_start}, by_target_word);
    out.clear();
    for (auto l = first; l != links_.begin() + begins_[s + 1] && l->target < p.target_start + p.target_length; ++l)
      if (l->source >= p.source_start && l->source < p.source_start + p.source_length)
        out.push_back(
            {static_cast<uint16_t>(l->source - p.source_start), static_cast<uint16_t>(l->target - p.target_start)});
  }

private:
  static bool by_target_word(Link a, Link b) {
    return a.target != b.target ? a.target < b.target : a.source < b.source;
  }

  const PhraseBlock block_;
  std::vector<int64_t> begins_;
  std::vector<Link> links_;
};

// Counts the alignments of one phrase pair.
class AlignmentVote {
public:
  void clear() { ballots_.clear(); }

  void add(int64_t pair, const std::vector<Link> &links) {
    for (Ballot &ballot : ballots_)
      if (std::ranges::equal(ballot.links, links, same)) {
        ++ballot.count;
        return;
      }
    ballots_.push_back({pair, 1, links});
  }

  // A pair that has the alignment to show, and one that has the alignment of the inverse pass.
  int64_t direct() const { return best(&AlignmentVote::by_target)->pair; }
  int64_t inverse() const { return best(&AlignmentVote::by_source)->pair; }

private:
  struct Ballot {
    int64_t pair, count;
    std::vector<Link> links;
  };
  static bool same(Link a, Link b) { return a.source == b.source && a.target == b.target; }

  // Positions from 1 of what each word is linked to, and 0 after each: compares as a list of sets does.
  static std::vector<int> listed(std::vector<std::pair<int, int>> links) {
    std::ranges::sort(links);
    std::vector<int> list;
    size_t at = 0;
    for (int word = 0; word < kMaxPhraseLength; ++word) {
      for (; at < links.size() && links[at].first == word; ++at) list.push_back(links[at].second + 1);
      list.push_back(0);
    }
    return list;
  }
  static std::vector<int> by_target(const Ballot &ballot) {
    std::vector<std::pair<int, int>> links;
    for (const Link l : ballot.links) links.push_back({l.target, l.source});
    return listed(links);
  }
  static std::vector<int> by_source(const Ballot &ballot) {
    std::vector<std::pair<int, int>> links;
    for (const Link l : ballot.links) links.push_back({l.source, l.target});
    return listed(links);
  }

  const Ballot *best(std::vector<int> (*list)(const Ballot &)) const {
    const Ballot *found = &ballots_[0];
    for (const Ballot &ballot : ballots_)
      if (ballot.count > found->count || (ballot.count == found->count && list(ballot) > list(*found))) found = &ballot;
    return found;
  }

  std::vector<Ballot> ballots_;
};

} // namespace tartib
