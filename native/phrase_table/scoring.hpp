// From extracted phrase pairs to a phrase table with the four scores of Moses (Koehn, Och and Marcu 2003):
//
//   p(f|e) = count(f, e) / count(e)      lex(f|e) = Π over words f of the mean of w(f|e) over the words e linked to f
//   p(e|f) = count(f, e) / count(f)      lex(e|f) likewise, with w(e|f)
//
// where a word without links is translated by NULL (see phrase_table/lexical_table.hpp,
// phrase_table/inner_alignment.hpp, phrase_table/discounting.hpp). Work is cut into ranges of source phrases, whose
// number depends on the data only.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/threads.hpp"
#include "phrase_table/discounting.hpp"
#include "phrase_table/inner_alignment.hpp"
#include "phrase_table/lexical_table.hpp"
#include "phrase_table/phrase_index.hpp"
#include "phrase_table/significance.hpp"

namespace tartib {

struct ScoringOptions {
  Discounting discounting = Discounting::none;
  int64_t min_count = 1;    // of a pair
  int64_t limit = 0;        // of the translations of a source phrase; 0: none
  bool significant = false; // whether the next one counts
  double significance = 0;  // the least -log p, if `relative` more than log N
  bool relative = false;
};

class PhraseScorer {
public:
  // `all`: sentences without phrase pairs are part of the corpus too.
  PhraseScorer(const PhraseBlock &block, const LexicalTable &lexical, const TextOrder &source_order,
               const TextOrder &target_order, bool all, int threads)
      : block_(block), lexical_(lexical), source_order_(source_order), target_order_(target_order), threads_(threads),
        alignments_(block) {
    for (int64_t s = 0; s < block.sentences; ++s)
      if (all || block.pair_offsets[s] < block.pair_offsets[s + 1]) sentences_.push_back(s);
  }

  void index_sources() {
    sources_ = std::make_unique<PhraseIndex>(block_, PhraseSide::source, threads_);
    sources_->sort(source_order_, threads_);
  }
  void index_targets() { targets_ = std::make_unique<PhraseIndex>(block_, PhraseSide::target, threads_); }

  // Finds the distinct phrase pairs, their counts and alignments.
  void group() {
    sort_pairs();
    std::vector<std::vector<Draft>> found(kTasks);
    rows_of_.assign(static_cast<size_t>(sources_->size()) + 1, 0);
    run_tasks(threads_, kTasks, [&](int64_t task) { found[task] = group_range(task); });
    for (size_t f = 1; f < rows_of_.size(); ++f) rows_of_[f] += rows_of_[f - 1];
    drafts_.reserve(static_cast<size_t>(rows_of_.back()));
    target_counts_.assign(static_cast<size_t>(targets_->size()), 0);
    target_partners_.assign(static_cast<size_t>(targets_->size()), 0);
    for (auto &part : found) {
      for (const Draft &draft : part) {
        target_counts_[draft.target] += draft.count;
        ++target_partners_[draft.target];
      }
      drafts_.insert(drafts_.end(), part.begin(), part.end());
      part = {};
    }
    pairs_ = {};
    sources_->forget_pairs();
    targets_->forget_pairs();
  }

  OwnedPhraseTable score(const ScoringOptions &options) {
    Discounts discounts(options.discounting);
    for (const Draft &draft : drafts_) discounts.add(draft.count);
    discounts.estimate();
    const Significance significance(*this, options);
    std::vector<OwnedPhraseTable> parts(kTasks);
    run_tasks(threads_, kTasks, [&](int64_t task) {
      Range range(*this, options, discounts, significance);
      parts[task] = range.run(range_begin(task), range_begin(task + 1));
    });
    return join(parts);
  }

private:
  static constexpr int64_t kTasks = 256;
  static constexpr double kEpsilon = 0.001; // how far beside log N, where pairs seen but once stand

  struct Draft {
    int64_t target, count;
    int64_t direct, inverse; // pairs with the alignments to take
  };

  // Whether rows pass the test; nothing is counted when they need not.
  class Significance {
  public:
    Significance(const PhraseScorer &scorer, const ScoringOptions &options) : on_(options.significant) {
      if (!on_) return;
      const PhraseBlock &block = scorer.block_;
      std::unique_ptr<Occurrences> found[2];
      run_tasks(scorer.threads_, 2, [&](int64_t side) {
        found[side] = side == 0 ? std::make_unique<Occurrences>(*scorer.sources_, block.source_ids,
                                                                block.source_offsets, scorer.sentences_)
                                : std::make_unique<Occurrences>(*scorer.targets_, block.target_ids,
                                                                block.target_offsets, scorer.sentences_);
      });
      sources_ = std::move(found[0]);
      targets_ = std::move(found[1]);
      const int64_t all = static_cast<int64_t>(scorer.sentences_.size());
      test_ = std::make_unique<FisherTest>(all);
      least_ = options.relative ? std::log(static_cast<double>(all)) + options.significance * kEpsilon
                                : options.significance;
    }

    bool passes(int64_t source, int64_t target) const {
      if (!on_) return true;
      const auto f = sources_->of(source), e = targets_->of(target);
      return (*test_)(count_shared(f, e), static_cast<int64_t>(f.size()), static_cast<int64_t>(e.size())) >= least_;
    }

  private:
    const bool on_;
    double least_ = 0;
    std::unique_ptr<Occurrences> sources_, targets_;
    std::unique_ptr<FisherTest> test_;
  };

  // Makes the rows of a range of source phrases.
  class Range {
  public:
    Range(const PhraseScorer &scorer, const ScoringOptions &options, const Discounts &discounts,
          const Significance &significance)
        : scorer_(scorer), options_(options), discounts_(discounts), significance_(significance) {}

    OwnedPhraseTable run(int64_t begin, int64_t end) {
      out_.n_counts = 3;
      for (int64_t f = begin; f < end; ++f) add_phrase(f);
      return std::move(out_);
    }

  private:
    struct Row {
      const Draft *draft;
      double given_source, given_target; // p(e|f), p(f|e)
    };

    void add_phrase(int64_t f) {
      const Draft *begin = scorer_.drafts_.data() + scorer_.rows_of_[f];
      const Draft *end = scorer_.drafts_.data() + scorer_.rows_of_[f + 1];
      int64_t count = 0;
      for (const Draft *d = begin; d != end; ++d) count += d->count;
      rows_.clear();
      for (const Draft *d = begin; d != end; ++d) {
        if (d->count < options_.min_count || !significance_.passes(f, d->target)) continue;
        const double adjusted = discounts_(d->count, end - begin, scorer_.target_partners_[d->target]);
        rows_.push_back({d, adjusted / static_cast<double>(count),
                         adjusted / static_cast<double>(scorer_.target_counts_[d->target])});
      }
      if (rows_.empty()) return;
      sort_rows();
      const Words words = scorer_.sources_->words(f);
      out_.source_ids.insert(out_.source_ids.end(), words.begin(), words.end());
      out_.source_offsets.push_back(static_cast<int64_t>(out_.source_ids.size()));
      for (const Row &row : rows_) add_row(row, words, count);
      out_.row_offsets.push_back(static_cast<int64_t>(out_.target_offsets.size()) - 1);
    }

    void sort_rows() {
      std::ranges::sort(rows_, [&](const Row &a, const Row &b) {
        const float pa = static_cast<float>(a.given_source), pb = static_cast<float>(b.given_source);
        if (pa != pb) return pa > pb;
        return scorer_.target_order_.less(scorer_.targets_->words(a.draft->target),
                                          scorer_.targets_->words(b.draft->target));
      });
      if (options_.limit > 0 && static_cast<int64_t>(rows_.size()) > options_.limit)
        rows_.resize(static_cast<size_t>(options_.limit));
    }

    void add_row(const Row &row, Words source, int64_t count) {
      const Draft &draft = *row.draft;
      const Words target = scorer_.targets_->words(draft.target);
      out_.target_ids.insert(out_.target_ids.end(), target.begin(), target.end());
      out_.target_offsets.push_back(static_cast<int64_t>(out_.target_ids.size()));
      scorer_.alignments_.links(draft.inverse, links_);
      const double inverse = source_weight(source, target);
      if (draft.inverse != draft.direct) scorer_.alignments_.links(draft.direct, links_);
      for (const double score : {row.given_target, inverse, row.given_source, target_weight(source, target)})
        out_.scores.push_back(static_cast<float>(score));
      for (const Link link : links_) out_.links.push_back(std::bit_cast<uint32_t>(link));
      out_.link_offsets.push_back(static_cast<int64_t>(out_.links.size()));
      for (const int64_t number : {scorer_.target_counts_[draft.target], count, draft.count})
        out_.counts.push_back(static_cast<float>(number));
    }

    // lex(e|f) and lex(f|e) with the links at hand.
    double target_weight(Words source, Words target) {
      return weight(
          target,
          [&](size_t e, auto add) {
            for (const Link l : links_)
              if (l.target == e) add(scorer_.lexical_.target_given_source(source[l.source], target[e]));
          },
          [&](int32_t word) { return scorer_.lexical_.target_given_source(kNullWord, word); });
    }
    double source_weight(Words source, Words target) {
      return weight(
          source,
          [&](size_t f, auto add) {
            for (const Link l : links_)
              if (l.source == f) add(scorer_.lexical_.source_given_target(source[f], target[l.target]));
          },
          [&](int32_t word) { return scorer_.lexical_.source_given_target(word, kNullWord); });
    }
    template <typename Each, typename Null> static double weight(Words words, Each each, Null by_null) {
      double product = 1;
      for (size_t w = 0; w < words.size(); ++w) {
        double sum = 0;
        int links = 0;
        each(w, [&](double probability) {
          sum += probability;
          ++links;
        });
        product *= links ? sum / links : by_null(words[w]);
      }
      return product;
    }

    const PhraseScorer &scorer_;
    const ScoringOptions &options_;
    const Discounts &discounts_;
    const Significance &significance_;
    std::vector<Row> rows_;
    std::vector<Link> links_;
    OwnedPhraseTable out_;
  };

  int64_t range_begin(int64_t task) const {
    const int64_t pairs = pair_begins_.back();
    const int64_t at = pairs / kTasks * task + pairs % kTasks * task / kTasks;
    if (task == kTasks) return sources_->size();
    return std::lower_bound(pair_begins_.begin(), pair_begins_.end() - 1, at) - pair_begins_.begin();
  }

  // Pairs by source phrase, and of each in the order of the store.
  void sort_pairs() {
    const std::vector<int64_t> &of_pair = sources_->of_pair();
    pair_begins_.assign(static_cast<size_t>(sources_->size()) + 1, 0);
    for (const int64_t f : of_pair) ++pair_begins_[f + 1];
    for (size_t f = 1; f < pair_begins_.size(); ++f) pair_begins_[f] += pair_begins_[f - 1];
    std::vector<int64_t> next(pair_begins_.begin(), pair_begins_.end() - 1);
    pairs_.resize(of_pair.size());
    for (size_t p = 0; p < of_pair.size(); ++p) pairs_[next[of_pair[p]]++] = static_cast<int64_t>(p);
  }

  std::vector<Draft> group_range(int64_t task) {
    const std::vector<int64_t> &targets = targets_->of_pair();
    std::vector<Draft> drafts;
    std::vector<Link> links;
    AlignmentVote vote;
    for (int64_t f = range_begin(task); f < range_begin(task + 1); ++f) {
      const auto begin = pairs_.begin() + pair_begins_[f], end = pairs_.begin() + pair_begins_[f + 1];
      std::sort(begin, end,
                [&](int64_t a, int64_t b) { return targets[a] != targets[b] ? targets[a] < targets[b] : a < b; });
      for (auto first = begin, last = begin; first != end; first = last) {
        while (last != end && targets[*last] == targets[*first]) ++last;
        Draft draft{targets[*first], last - first, *first, *first};
        if (last - first > 1) {
          vote.clear();
          for (auto pair = first; pair != last; ++pair) {
            alignments_.links(*pair, links);
            vote.add(*pair, links);
          }
          draft.direct = vote.direct();
          draft.inverse = vote.inverse();
        }
        drafts.push_back(draft);
        ++rows_of_[f + 1];
      }
    }
    return drafts;
  }

  static OwnedPhraseTable join(std::vector<OwnedPhraseTable> &parts) {
    OwnedPhraseTable out;
    out.n_counts = 3;
    const auto values = [&](auto member) {
      size_t size = 0;
      for (const auto &part : parts) size += (part.*member).size();
      (out.*member).reserve(size);
      for (auto &part : parts) {
        (out.*member).insert((out.*member).end(), (part.*member).begin(), (part.*member).end());
        part.*member = {};
      }
    };
    const auto offsets = [&](auto member) {
      size_t size = 1;
      for (const auto &part : parts) size += (part.*member).size() - 1;
      (out.*member).reserve(size);
      for (auto &part : parts) {
        const int64_t base = (out.*member).back();
        for (size_t i = 1; i < (part.*member).size(); ++i) (out.*member).push_back(base + (part.*member)[i]);
        part.*member = {};
      }
    };
    values(&OwnedPhraseTable::source_ids);
    values(&OwnedPhraseTable::target_ids);
    values(&OwnedPhraseTable::links);
    values(&OwnedPhraseTable::scores);
    values(&OwnedPhraseTable::counts);
    offsets(&OwnedPhraseTable::source_offsets);
    offsets(&OwnedPhraseTable::row_offsets);
    offsets(&OwnedPhraseTable::target_offsets);
    offsets(&OwnedPhraseTable::link_offsets);
    out.slots = PhraseTable::make_slots(out.source_ids, out.source_offsets);
    return out;
  }

  const PhraseBlock block_;
  const LexicalTable &lexical_;
  const TextOrder &source_order_, &target_order_;
  const int threads_;
  const InnerAlignments alignments_;
  std::vector<int64_t> sentences_; // that the corpus has
  std::unique_ptr<PhraseIndex> sources_, targets_;
  std::vector<int64_t> pairs_, pair_begins_; // pairs by source phrase
  std::vector<Draft> drafts_;
  std::vector<int64_t> rows_of_; // source phrase f has the drafts from [f] to [f + 1]
  std::vector<int64_t> target_counts_, target_partners_;
};

} // namespace tartib
