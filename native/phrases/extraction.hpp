// Phrase pairs consistent with a word alignment, with their orientations.
//
// A pair of spans ([startF, endF], [startE, endE]) is extracted when at least one link lies inside it, no link leaves
// it (Och & Ney 2004), and both spans hold at most `max_phrase_length` words. Unaligned source words at the edges of
// the smallest such source span may be added; unaligned target words come with the target span. Pairs are given in
// Moses' order: by startE, endE, startF downwards, endF upwards.
//
// One sentence costs O(J^2 + I*J) for J target and I source words, plus the unaligned words around each span, plus its
// output: for each startE the source range
// that the target span covers only grows, and with it the rows that range is linked to. The span is consistent exactly
// while those rows lie inside it, and once one lies before startE no longer span can be.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "phrases/orientation.hpp"
#include "phrases/phrases.hpp"

namespace tartib {

class SentenceExtractor {
public:
  explicit SentenceExtractor(int max_phrase_length) : max_phrase_length_(max_phrase_length) {}

  void run(int source_words, int target_words, const Link *links, int64_t link_count, std::vector<PhrasePair> &out) {
    I_ = source_words;
    J_ = target_words;
    place_links(links, link_count);
    find_spans();
    find_extents();
    for (const Span &span : spans_) emit(span, out);
  }

private:
  static constexpr int kNowhereLow = std::numeric_limits<int>::max() / 2;
  static constexpr int kNowhereHigh = -kNowhereLow;
  static constexpr RowExtent kNoExtent = {{kNowhereLow, kNowhereLow, kNowhereLow},
                                          {kNowhereHigh, kNowhereHigh, kNowhereHigh}};

  struct Range { // first > last: empty
    int first = kNowhereLow, last = kNowhereHigh;
    void cover(int at) {
      first = std::min(first, at);
      last = std::max(last, at);
    }
  };
  struct Span { // a target span and the smallest source span of its links
    int startE, endE, minF, maxF;
  };
  // Links, and corners of the phrase pairs that end in a row, or of those that begin there. There is a margin of one on
  // each side, for the corners before and after the sentence.
  struct Corners {
    std::vector<uint8_t> cells;
    std::vector<RowExtent> extents;
    std::vector<Span> smallest; // of the row's spans, which lie within each other; none: maxF < minF
    int64_t width = 0;

    void reset(int rows, int columns) {
      width = columns + 2;
      cells.assign(static_cast<size_t>(width) * static_cast<size_t>(rows + 2), 0);
      extents.assign(static_cast<size_t>(rows + 2), kNoExtent);
      smallest.assign(static_cast<size_t>(rows), Span{0, 0, 0, -1});
      row(-1)[-1] = kLinked;
      row(rows)[columns] = kLinked;
    }
    uint8_t *row(int e) { return cells.data() + (e + 1) * width + 1; }
    RowExtent &extent(int e) { return extents[static_cast<size_t>(e + 1)]; }
  };

  void place_links(const Link *links, int64_t count) {
    ending_.reset(J_, I_);
    beginning_.reset(J_, I_);
    row_links_.assign(J_, Range{});
    column_links_.assign(I_, Range{});
    for (int64_t l = 0; l < count; ++l) {
      const int f = links[l].source, e = links[l].target;
      if (f >= I_ || e >= J_) throw std::out_of_range("a link points beyond its sentence");
      ending_.row(e)[f] = beginning_.row(e)[f] = kLinked;
      row_links_[e].cover(f);
      column_links_[f].cover(e);
    }
    // How far an edge at f may move outwards over unaligned words.
    free_start_.resize(I_);
    free_end_.resize(I_);
    for (int f = 0; f < I_; ++f) free_start_[f] = f > 0 && !aligned(f - 1) ? free_start_[f - 1] : f;
    for (int f = I_ - 1; f >= 0; --f) free_end_[f] = f + 1 < I_ && !aligned(f + 1) ? free_end_[f + 1] : f;
  }

  bool aligned(int f) const { return column_links_[f].first <= column_links_[f].last; }

  void find_spans() {
    spans_.clear();
    for (int startE = 0; startE < J_; ++startE) {
      Range source, target; // what the span's rows cover, and what those columns cover in turn
      for (int endE = startE; endE < J_; ++endE) {
        grow(source, target, row_links_[endE]);
        if (target.first < startE) break;
        if (source.first <= source.last && target.last <= endE) mark(Span{startE, endE, source.first, source.last});
      }
    }
  }

  void grow(Range &source, Range &target, const Range &added) {
    if (added.first > added.last) return;
    const Range before = source;
    source.first = std::min(source.first, added.first);
    source.last = std::max(source.last, added.last);
    const auto visit = [&](int from, int to) {
      for (int f = from; f <= to; ++f) {
        target.first = std::min(target.first, column_links_[f].first);
        target.last = std::max(target.last, column_links_[f].last);
      }
    };
    if (before.first > before.last) return visit(source.first, source.last);
    visit(source.first, before.first - 1);
    visit(before.last + 1, source.last);
  }

  // Corners of every pair of source spans that goes with this target span.
  void mark(const Span &s) {
    Span &first = beginning_.smallest[s.startE];
    if (first.maxF < first.minF) first = s;
    ending_.smallest[s.endE] = s;
    uint8_t *end = ending_.row(s.endE), *begin = beginning_.row(s.startE);
    const auto add = [&](int from, int to, uint8_t flags) {
      for (int f = from; f <= to; ++f) end[f] |= flags, begin[f] |= flags;
    };
    add(s.maxF, free_end_[s.maxF], kRightCornerAny);
    add(free_start_[s.minF], s.minF, kLeftCornerAny);
    if (!within(s)) return;
    spans_.push_back(s);
    add(s.maxF, last_end(s, s.minF), kRightCornerWithin);
    add(first_start(s), s.minF, kLeftCornerWithin);
  }

  bool within(const Span &s) const {
    return s.endE - s.startE < max_phrase_length_ && s.maxF - s.minF < max_phrase_length_;
  }
  int first_start(const Span &s) const { return std::max(free_start_[s.minF], s.maxF - max_phrase_length_ + 1); }
  int last_end(const Span &s, int startF) const { return std::min(free_end_[s.maxF], startF + max_phrase_length_ - 1); }

  void find_extents() {
    for (int e = 0; e < J_; ++e) {
      for (Corners *corners : {&ending_, &beginning_}) {
        RowExtent &extent = corners->extent(e);
        extent.leftmost[kWord] = row_links_[e].first;
        extent.rightmost[kWord] = row_links_[e].last;
        const Span &s = corners->smallest[e];
        if (s.maxF < s.minF) continue;
        for (unsigned model = within(s) ? kPhrase : kHier; model <= kHier; ++model) {
          extent.leftmost[model] = s.maxF;
          extent.rightmost[model] = s.minF;
        }
      }
      // The positions that are left out (phrases/orientation.hpp).
      RowExtent &ending = ending_.extent(e), &beginning = beginning_.extent(e);
      for (unsigned model : {kPhrase, kHier}) {
        if (ending.rightmost[model] == I_ - 1) ending.rightmost[model] = last_left_corner(ending_.row(e), model);
        if (beginning.leftmost[model] == 0) beginning.leftmost[model] = first_right_corner(beginning_.row(e), model);
      }
    }
  }
  int first_right_corner(const uint8_t *cells, unsigned model) const {
    for (int f = 1; f < I_; ++f)
      if (cells[f] & kRightCorner[model]) return f;
    return kNowhereLow;
  }
  int last_left_corner(const uint8_t *cells, unsigned model) const {
    for (int f = I_ - 2; f >= 0; --f)
      if (cells[f] & kLeftCorner[model]) return f;
    return kNowhereHigh;
  }

  void emit(const Span &s, std::vector<PhrasePair> &out) {
    const uint8_t *before = ending_.row(s.startE - 1), *after = beginning_.row(s.endE + 1);
    const uint8_t *after_moses = ending_.row(s.endE + 1);
    const RowExtent &extent_before = ending_.extent(s.startE - 1), &extent_after = beginning_.extent(s.endE + 1);
    const RowExtent &extent_moses = ending_.extent(s.endE + 1);
    for (int startF = s.minF; startF >= first_start(s); --startF)
      for (int endF = s.maxF; endF <= last_end(s, startF); ++endF) {
        const Neighbourhood backward{before[startF - 1], before[endF + 1], startF, endF, extent_before};
        const Neighbourhood forward{after[startF - 1], after[endF + 1], startF, endF, extent_after};
        const Neighbourhood moses{after_moses[startF - 1], after_moses[endF + 1], startF, endF, extent_moses};
        out.push_back({static_cast<uint16_t>(startF), static_cast<uint16_t>(s.startE),
                       static_cast<uint8_t>(endF - startF + 1), static_cast<uint8_t>(s.endE - s.startE + 1),
                       static_cast<uint16_t>(orientations(kBackward, backward) | orientations(kForward, forward) |
                                             orientations(kForwardMoses, moses))});
      }
  }

  const int max_phrase_length_;
  int I_ = 0, J_ = 0;
  Corners ending_, beginning_;
  std::vector<Range> row_links_, column_links_;
  std::vector<int> free_start_, free_end_;
  std::vector<Span> spans_;
};

} // namespace tartib
