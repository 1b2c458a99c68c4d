// Interpolated modified Kneser-Ney estimation (Chen and Goodman 1998), with the conventions of KenLM's lmplz
// (Heafield et al. 2013, "Scalable modified Kneser-Ney language model estimation").
//
//   p(w | c) = (a(c w) - D(a(c w))) / A(c)  +  gamma(c) p(w | c without its first word)
//   gamma(c) = (sum over kept c w of D(a(c w))  +  sum over pruned c w of a(c w)) / A(c),   A(c) = sum over w of a(c w)
//
// a is the adjusted count: how often the n-gram occurs if it is of the highest order or begins with <s>, else how many
// different words come before it. D takes one value each for a = 1, 2 and 3 or more. The words themselves are
// interpolated with the uniform distribution over all words but <s>, which only is a context; <unk> has a = 0.
// An n-gram is pruned if it occurs no more often than its order's threshold; words are not. Thresholds never fall from
// one order to the next, so that of an n-gram that is kept all parts are kept.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "lm/sorted_text.hpp"
#include "lm/table.hpp"

namespace tartib {

using OrderDiscounts = std::array<double, 4>; // [0] is 0, then for counts of 1, 2 and 3 or more

class LmEstimator {
public:
  LmEstimator(std::vector<uint32_t> &&ids, uint32_t words, int order, int threads)
      : text_(std::make_unique<SortedText>(std::move(ids), words, order, threads)), words_(words), order_(order),
        threads_(threads), cuts_(text_->cuts(threads)) {}

  int order() const { return order_; }
  // The order that is counted last, and that whose probabilities are known: count(n) and estimate(n) take turns.
  int counted() const { return counted_; }
  int estimated() const { return static_cast<int>(counts_.size()); }

  // Of the order that is counted last.
  uint32_t threshold() const { return threshold_; }
  bool finished() const { return list_.empty(); }

  // Finds the n-grams of the next order; returns how many have an adjusted count of 0, 1, 2, 3 and 4.
  std::array<int64_t, 5> count(uint32_t threshold) {
    ++counted_;
    threshold_ = threshold;
    counted_ == 1 ? count_words() : count_longer();
    if (counted_ == order_) text_.reset();
    std::array<int64_t, 5> numbers{};
    for (const Group &group : groups_)
      if (group.count < numbers.size()) ++numbers[group.count];
    return numbers;
  }

  void estimate(const OrderDiscounts &discounts) {
    discounts_ = discounts;
    counted_ == 1 ? estimate_words() : estimate_longer();
  }

  // After the highest order; takes the n-grams away.
  NgramTable finish() {
    std::vector<Group>().swap(groups_);
    std::vector<double>().swap(probabilities_);
    std::vector<uint32_t>().swap(indices_);
    return place_ngrams(std::move(list_), words_, counts_);
  }

private:
  struct Group {              // an n-gram of the order at hand
    uint32_t parent, context; // among those of the order before: without the first word, without the last
    uint32_t word, count;     // the first word; the adjusted count
    bool pruned;
  };
  struct Sums { // over the n-grams with the same context; fewer than there are words in the text
    uint32_t total = 0, pruned = 0;
    std::array<uint32_t, 4> kinds{}; // how many are kept with a count of 1, 2, 3 or more
  };

  static size_t kind(uint32_t count) { return std::min<uint32_t>(count, 3); }

  void count_words() {
    groups_.resize(words_);
    for_parts(words_, threads_, [&](int64_t begin, int64_t end, int) {
      for (uint32_t w = static_cast<uint32_t>(begin); w < end; ++w) {
        uint32_t count = order_ == 1 ? text_->begin(w + 1) - text_->begin(w) : 0;
        if (order_ > 1)
          for (uint32_t r = text_->begin(w); r < text_->begin(w + 1); ++r) count += text_->shared(r) < 2;
        groups_[w] = {kNoNgram, 0, w, w == kBeginWord ? 0 : count, false};
      }
    });
  }

  void count_longer() {
    const int n = counted_;
    std::vector<int64_t> firsts(cuts_.size()); // where each part's n-grams go
    run_threads(threads_, [&](int t) {
      for (int64_t r = cuts_[t]; r < cuts_[t + 1]; ++r) firsts[t + 1] += text_->length(r) >= n && text_->shared(r) < n;
    });
    std::partial_sum(firsts.begin(), firsts.end(), firsts.begin());
    groups_.resize(firsts.back());
    // For words, the order before, a place's n-gram is its word.
    const std::vector<uint32_t> before = std::move(ending_);
    const uint32_t *suffixes = n == 2 ? text_->ids().data() : before.data();
    ending_ = std::vector<uint32_t>(n < order_ ? text_->size() : 0);
    run_threads(threads_, [&](int t) { fill_groups(cuts_[t], cuts_[t + 1], firsts[t], suffixes); });
  }

  void fill_groups(int64_t begin, int64_t end, int64_t next, const uint32_t *suffixes) {
    const int n = counted_;
    uint32_t occurrences = 0;
    for (int64_t r = begin; r < end; ++r) {
      if (text_->length(r) < n) continue;
      const uint32_t place = text_->place(r), first = text_->ids()[place - (n - 1)];
      if (text_->shared(r) < n) {
        groups_[next++] = {suffixes[place], suffixes[place - 1], first, 0, false};
        occurrences = 0;
      }
      Group &group = groups_[next - 1];
      const bool as_it_occurs = n == order_ || first == kBeginWord;
      group.count += as_it_occurs || text_->shared(r) <= n;
      group.pruned = ++occurrences <= threshold_;
      if (n < order_) ending_[place] = static_cast<uint32_t>(next - 1);
    }
  }

  void estimate_words() {
    Sums sums;
    for (const Group &group : groups_) add_to(sums, group);
    const double lowest = gamma(sums) / std::max(1.0, words_ - 1.0); // of the uniform distribution
    list_.resize(words_);
    probabilities_.resize(words_);
    indices_.resize(words_);
    for (uint32_t w = 0; w < words_; ++w) {
      probabilities_[w] = w == kBeginWord ? 1 : discounted(groups_[w], sums) + lowest;
      list_[w] = {kNoNgram, w, logarithm(probabilities_[w]), kNoExtension};
      indices_[w] = w;
    }
    counts_.push_back(words_);
  }

  void estimate_longer() {
    std::vector<Sums> sums = sum_contexts();
    for_parts(static_cast<int64_t>(sums.size()), threads_, [&](int64_t begin, int64_t end, int) {
      for (int64_t c = begin; c < end; ++c)
        if (sums[c].total > sums[c].pruned) list_[indices_[c]].backoff = logarithm(gamma(sums[c])) + 0.0f;
    });
    const std::vector<uint32_t> parents = std::move(indices_);
    const std::vector<double> lower = std::move(probabilities_);
    const int64_t kept = number_kept();
    probabilities_ = std::vector<double>(groups_.size());
    for_parts(static_cast<int64_t>(groups_.size()), threads_, [&](int64_t begin, int64_t end, int) {
      for (int64_t g = begin; g < end; ++g) {
        const Group &group = groups_[g];
        if (group.pruned) continue;
        const Sums &context = sums[group.context];
        probabilities_[g] = discounted(group, context) + gamma(context) * lower[group.parent];
        list_[indices_[g]] = {parents[group.parent], group.word, logarithm(probabilities_[g]), kNoExtension};
      }
    });
    counts_.push_back(kept);
  }

  // Integers, so that the order in which threads add does not matter.
  std::vector<Sums> sum_contexts() {
    std::vector<Sums> sums(indices_.size());
    for_parts(static_cast<int64_t>(groups_.size()), threads_, [&](int64_t begin, int64_t end, int) {
      for (int64_t g = begin; g < end; ++g) {
        const Group &group = groups_[g];
        Sums &sum = sums[group.context];
        add_atomically(sum.total, group.count);
        group.pruned ? add_atomically(sum.pruned, group.count) : add_atomically(sum.kinds[kind(group.count)], 1);
      }
    });
    return sums;
  }

  void add_atomically(uint32_t &sum, uint32_t value) const {
    if (threads_ == 1)
      sum += value;
    else
      __atomic_fetch_add(&sum, value, __ATOMIC_RELAXED);
  }

  // Gives each n-gram that is kept its place at the end of the list.
  int64_t number_kept() {
    indices_ = std::vector<uint32_t>(groups_.size(), kNoNgram);
    const size_t first = list_.size();
    size_t next = first;
    if (first + groups_.size() >= kNoNgram) throw std::length_error("too many n-grams");
    for (size_t g = 0; g < groups_.size(); ++g)
      if (!groups_[g].pruned) indices_[g] = static_cast<uint32_t>(next++);
    list_.reserve(next); // not twice as much as is needed
    list_.resize(next);
    return static_cast<int64_t>(next - first);
  }

  static void add_to(Sums &sums, const Group &group) {
    sums.total += group.count;
    if (group.count > 0) ++sums.kinds[kind(group.count)];
  }
  double gamma(const Sums &sums) const {
    double mass = sums.pruned;
    for (size_t k = 1; k < sums.kinds.size(); ++k) mass += discounts_[k] * sums.kinds[k];
    return mass / std::max(1u, sums.total);
  }
  double discounted(const Group &group, const Sums &context) const {
    return (group.count - discounts_[kind(group.count)]) / std::max(1u, context.total);
  }
  static float logarithm(double p) { return p > 0 ? static_cast<float>(std::log10(p)) : -99.0f; }

  std::unique_ptr<const SortedText> text_; // until all orders are counted
  uint32_t words_;
  int order_, threads_;
  std::vector<int64_t> cuts_;
  int counted_ = 0;
  uint32_t threshold_ = 0;
  OrderDiscounts discounts_{};
  std::vector<Group> groups_;
  std::vector<uint32_t> ending_;      // the n-gram of the order at hand that ends in each place of the text
  std::vector<uint32_t> indices_;     // where each n-gram of the order at hand is in the list
  std::vector<double> probabilities_; // theirs
  std::vector<Ngram> list_;
  std::vector<int64_t> counts_;
};

} // namespace tartib
