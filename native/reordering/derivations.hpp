// Derivations of a sentence pair: which of its phrase pairs a decoder could have made it of, drawn at random.
//
// A sentence pair has J source words, I target words and phrase pairs p = (source span, target span), each with a
// weight. A derivation cuts the target side into spans [i, j) and gives each of them one of the phrase pairs with that
// target span, such that no two source spans overlap. Many derivations lead to the same text, and how they are weighed
// decides which steps a model will learn from.
//
// Weights. A derivation of a training sentence must not profit from phrases that were extracted from that sentence
// only: the longest of them always fit. So counts leave the sentence out (leave-one-out; Wuebker, Mauser & Ney 2010):
// with c the count in all sentences minus the one in this sentence,
//
//   log θ(f, e) = ½ (log c(f,e)/c(f) + log c(f,e)/c(e))    if c(f,e) > 0
//               = −unseen · (|f| + |e|)                    otherwise                                                (1)
//
// The price of unseen words is the same in one long pair as in several short ones. Neither a power of the frequencies
// nor a price for each step made a difference to what models learn from bible_ar_en.
//
// Which words move together. Phrase pairs with the same target span have the same links, and differ in the source
// words without link at their edges. So first only the target side is cut, by the best pair of each span:
//
//   W(i, j) = max_p log θ_p                         over the phrase pairs p with target span [i, j)
//   F(0) = 0,  F(j) = log( Σ_i exp(F(i) + W(i, j)) + exp(F(j−1) − skipped) )                                        (2)
//
// where F(j) sums over all cuts of the first j words, and a word that is in no pair may be skipped. A cut is drawn
// from the end: given that a span ends at j, it begins at i with probability exp(F(i) + W(i, j) − F(j)).
//
// Who takes the words without link. The spans that were cut are put in the order of their source words, k = 1 … K, and
// one of the pairs of each is drawn. Pair p of span k begins at b(p) and ends at t(p) in the source:
//
//   A_k(p) = log θ_p + log Σ_{q of span k−1, t(q) ≤ b(p)} exp(A_{k−1}(q) − uncovered · (b(p) − t(q)))               (3)
//
// from one q at the beginning of the sentence with A_0 = 0, t = 0, and drawn from the end, p of span K with
// log-weight A_K(p) − uncovered · (J − t(p)) first. So (2) and (3) are exact in themselves; only that W knows nothing
// of its neighbours' source words is not. The narrowest pair of a span overlaps with none of another one, so there is
// always a way; in stores from which it was removed, a span none of whose pairs fits is left out.
//
// Time: O(n log n) for n pairs (to sort them), and then for each derivation the spans that end where it is cut.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "base/hash.hpp"
#include "phrases/phrases.hpp"

namespace tartib {

constexpr int64_t kMostDerivations = 1000; // of a sentence
constexpr double kHighestPrice = 1e6;

// In nats.
struct DerivationPrices {
  double unseen, skipped, uncovered;
};

// Of each phrase pair, for its pair, source and target side: key, and how often it occurs in the text that is counted.
struct CountedKeys {
  const uint64_t *keys[3];
  const int32_t *counts[3];
};

// Numbers from 0 to 1, the same for a sentence wherever it is looked at.
class SentenceRandom {
public:
  SentenceRandom(uint64_t seed, uint64_t sentence) : state_(mix(mix(seed + kStep) + sentence)) {}
  double next() { return static_cast<double>(mix(state_ += kStep) >> 11) * 0x1.0p-53; }

private:
  static constexpr uint64_t kStep = 0x9E3779B97F4A7C15ull;
  uint64_t state_;
};

// Things to choose from, with the logarithms of their weights.
class LogWeights {
public:
  void clear() { logs_.clear(); }
  void add(double log) { logs_.push_back(log); }
  double total() const {
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const double log : logs_) most = std::max(most, log);
    if (!std::isfinite(most)) return most;
    for (const double log : logs_) sum += std::exp(log - most);
    return most + std::log(sum);
  }
  size_t draw(SentenceRandom &random) const {
    const double all = total();
    double left = random.next();
    size_t possible = logs_.size() - 1; // rounding may leave something at the end
    for (size_t i = 0; i < logs_.size(); ++i) {
      if (!std::isfinite(logs_[i])) continue;
      possible = i;
      if ((left -= std::exp(logs_[i] - all)) < 0) break;
    }
    return possible;
  }

private:
  std::vector<double> logs_;
};

class DerivationSampler {
public:
  explicit DerivationSampler(const DerivationPrices &prices) : prices_(prices) {}

  // Adds to `uses` of each pair of the sentence how often it is a step of so many derivations. `counted` tells whether
  // the sentence is part of the text that is counted.
  void run(const PhraseBlock &block, int64_t sentence, const CountedKeys &known, bool counted, int64_t samples,
           SentenceRandom random, int32_t *uses) {
    first_ = block.pair_offsets[sentence];
    pairs_ = block.pairs + first_;
    count_ = block.pair_offsets[sentence + 1] - first_;
    source_words_ = block.source_words(sentence);
    if (count_ == 0) return;
    weigh(known, counted);
    find_spans(block.target_words(sentence));
    sum_forward();
    for (int64_t k = 0; k < samples; ++k) {
      draw_cut(random);
      draw_pairs(random, uses + first_);
    }
  }

private:
  struct Span {
    int begin, end;      // target words
    int64_t first, last; // its pairs in by_span_
    int source;          // where the narrowest of them begins
    double weight;       // W
  };
  struct State { // a pair of a span in (3)
    int64_t pair;
    int end;
    double log; // A
  };

  // Equation 1.
  void weigh(const CountedKeys &known, bool counted) {
    for (int level = 0; level < 3; ++level) {
      counts_[level].assign(known.counts[level] + first_, known.counts[level] + first_ + count_);
      if (counted) leave_out(known.keys[level] + first_, counts_[level]);
    }
    weights_.resize(static_cast<size_t>(count_));
    for (int64_t p = 0; p < count_; ++p) {
      const double both = counts_[0][p];
      const double source = std::max(counts_[0][p], counts_[1][p]), target = std::max(counts_[0][p], counts_[2][p]);
      weights_[p] = both > 0 ? std::log(both) - (std::log(source) + std::log(target)) / 2
                             : -prices_.unseen * (pairs_[p].source_length + pairs_[p].target_length);
    }
  }
  void leave_out(const uint64_t *keys, std::vector<int32_t> &counts) {
    own_.assign(keys, keys + count_);
    std::sort(own_.begin(), own_.end());
    for (int64_t p = 0; p < count_; ++p) {
      const auto here = std::equal_range(own_.begin(), own_.end(), keys[p]);
      counts[p] = static_cast<int32_t>(std::max<int64_t>(0, counts[p] - (here.second - here.first)));
    }
  }

  // The target spans by their end, and W of each.
  void find_spans(int target_words) {
    const auto begin = [&](int64_t p) { return int{pairs_[p].target_start}; };
    const auto end = [&](int64_t p) { return pairs_[p].target_start + pairs_[p].target_length; };
    by_span_.resize(static_cast<size_t>(count_));
    std::iota(by_span_.begin(), by_span_.end(), 0);
    std::sort(by_span_.begin(), by_span_.end(), [&](int64_t p, int64_t q) {
      return end(p) != end(q) ? end(p) < end(q) : begin(p) != begin(q) ? begin(p) < begin(q) : p < q;
    });
    spans_.clear();
    for (int64_t at = 0; at < count_; ++at) {
      const int64_t p = by_span_[at];
      const double weight = weights_[p];
      if (spans_.empty() || spans_.back().begin != begin(p) || spans_.back().end != end(p))
        spans_.push_back({begin(p), end(p), at, at, pairs_[p].source_start, weight});
      Span &span = spans_.back();
      span.last = at + 1;
      span.source = std::max(span.source, int{pairs_[p].source_start});
      span.weight = std::max(span.weight, weight);
    }
    ending_.assign(target_words + 2, 0);
    for (const Span &span : spans_) ++ending_[span.end + 1];
    std::partial_sum(ending_.begin(), ending_.end(), ending_.begin());
  }

  // The ways to end at target word `end`, in the order of equation 2: the spans, and a skipped word.
  void weigh_ends(int end) {
    choices_.clear();
    for (int64_t s = ending_[end]; s < ending_[end + 1]; ++s) choices_.add(sums_[spans_[s].begin] + spans_[s].weight);
    choices_.add(sums_[end - 1] - prices_.skipped);
  }
  void sum_forward() {
    const int target_words = static_cast<int>(ending_.size()) - 2;
    sums_.assign(target_words + 1, 0.0);
    for (int end = 1; end <= target_words; ++end) {
      weigh_ends(end);
      sums_[end] = choices_.total();
    }
  }
  void draw_cut(SentenceRandom &random) {
    cut_.clear();
    for (int end = static_cast<int>(sums_.size()) - 1; end > 0;) {
      weigh_ends(end);
      const int64_t s = ending_[end] + static_cast<int64_t>(choices_.draw(random));
      const bool skipped = s == ending_[end + 1];
      if (!skipped) cut_.push_back(s);
      end = skipped ? end - 1 : spans_[s].begin;
    }
  }

  // The ways to come to source word `begin` from the pairs of a span, in the order of equation 3.
  void weigh_states(const std::vector<State> &states, int begin) {
    choices_.clear();
    for (const State &state : states)
      choices_.add(state.end <= begin ? state.log - prices_.uncovered * (begin - state.end)
                                      : -std::numeric_limits<double>::infinity());
  }
  void draw_pairs(SentenceRandom &random, int32_t *uses) {
    std::sort(cut_.begin(), cut_.end(), [&](int64_t s, int64_t t) {
      return spans_[s].source != spans_[t].source ? spans_[s].source < spans_[t].source : s < t;
    });
    layers_.resize(std::max(layers_.size(), cut_.size() + 1));
    layers_[0].assign(1, State{-1, 0, 0.0});
    size_t last = 0;
    for (const int64_t s : cut_) {
      std::vector<State> &layer = layers_[last + 1];
      layer.clear();
      for (int64_t at = spans_[s].first; at < spans_[s].last; ++at) {
        const int64_t p = by_span_[at];
        weigh_states(layers_[last], pairs_[p].source_start);
        const double log = weights_[p] + choices_.total();
        if (std::isfinite(log)) layer.push_back({p, pairs_[p].source_start + pairs_[p].source_length, log});
      }
      if (!layer.empty()) ++last;
    }
    for (int begin = source_words_; last > 0; --last) {
      weigh_states(layers_[last], begin);
      const int64_t p = layers_[last][choices_.draw(random)].pair;
      ++uses[p];
      begin = pairs_[p].source_start;
    }
  }

  const DerivationPrices prices_;
  const PhrasePair *pairs_ = nullptr;
  int64_t first_ = 0, count_ = 0;
  int source_words_ = 0;
  std::vector<uint64_t> own_;
  std::vector<int32_t> counts_[3];
  std::vector<int64_t> by_span_, ending_, cut_;
  std::vector<double> weights_, sums_; // log θ; F
  std::vector<Span> spans_;
  std::vector<std::vector<State>> layers_;
  LogWeights choices_;
};

} // namespace tartib
