// Word classes by the exchange algorithm (Kneser and Ney 1993, "Improved clustering techniques for class-based
// statistical language modelling"; Martin, Liermann and Ney 1998, "Algorithms for bigram and trigram word clustering").
//
// Problem: put each word w in one class g(w) of K, so that a bigram model of classes, p(w | v) = p(w | g(w))
// p(g(w) | g(v)), makes the text as likely as it can. With relative frequencies the log-likelihood is
// F + sum_w phi(N(w)), where only F depends on the classes:
//
//   F = sum_gh phi(N(g, h)) - 2 sum_g phi(N(g)),   phi(n) = n log n, phi(0) = 0
//
//   N(g, h)     how often a word of class g stands before one of class h
//   N(g)        how many words of the text are of class g
//   L[g], R[h]  the same for a single word w: how often g stands before it, h after it, other words only
//   s           how often w stands before itself
//
// Before and after each sentence stands one boundary word, in a class of its own that nothing else enters: so each word
// has one on either side, and both sums over a row and over a column of N(g, h) are N(g).
//
// Start: the K - 1 most frequent words by themselves, all others in the last class, as Martin et al. have it (on
// bible_ar_en's Arabic it ends 6 % lower in perplexity than a start from ranks modulo K). A round takes each word out
// of its class, the most frequent first, and puts it where F becomes largest. With w taken out, putting it in k changes
// F by
//
//   sum_{g != k} [phi(N(g, k) + L[g]) - phi(N(g, k))] + sum_{h != k} [phi(N(k, h) + R[h]) - phi(N(k, h))]
//     + phi(N(k, k) + L[k] + R[k] + s) - phi(N(k, k)) - 2 [phi(N(k) + N(w)) - phi(N(k))]
//
// where only the classes that stand beside w count. A word moves only if that gains more than kGain, which is above the
// rounding of doubles; of classes that are as good but for kGain, the lowest number wins. So the result depends on the
// text alone.
//
// Stopping rule: a round that moves nothing; then no single move can improve F.
// Cost of a round: K steps for each class beside each word, at most twice the distinct bigrams of the text.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace tartib {

constexpr int kMaxWordClasses = 1000; // tables of K x K numbers
constexpr double kGain = 1e-6;

// phi(n) = n log n; small n from a table.
class EntropyTerm {
public:
  EntropyTerm() : table_(kTable) {
    for (int64_t n = 1; n < kTable; ++n) table_[n] = exact(n);
  }
  double operator()(int64_t n) const { return n < kTable ? table_[n] : exact(n); }

private:
  static constexpr int64_t kTable = 1 << 15;
  static double exact(int64_t n) { return static_cast<double>(n) * std::log(static_cast<double>(n)); }
  std::vector<double> table_;
};

// The words beside each word, and how often: those after it or those before it.
struct Neighbours {
  std::vector<int64_t> offsets;
  std::vector<int32_t> words;
  std::vector<int64_t> counts;
};

// The words after each word; the boundary is word number `words`.
inline Neighbours count_successors(const int32_t *ids, const int64_t *offsets, int64_t sentences, int32_t words) {
  const auto each_bigram = [&](auto visit) {
    for (int64_t s = 0; s < sentences; ++s) {
      if (offsets[s] == offsets[s + 1]) continue;
      int32_t before = words;
      for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) visit(std::exchange(before, ids[i]), ids[i]);
      visit(before, words);
    }
  };
  std::vector<int64_t> ends(static_cast<size_t>(words) + 2);
  each_bigram([&](int32_t left, int32_t) { ++ends[static_cast<size_t>(left) + 1]; });
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<int32_t> after(static_cast<size_t>(ends.back()));
  std::vector<int64_t> next(ends.begin(), ends.end() - 1);
  each_bigram([&](int32_t left, int32_t right) { after[static_cast<size_t>(next[left]++)] = right; });
  Neighbours found;
  found.offsets.push_back(0);
  for (int32_t w = 0; w <= words; ++w) {
    std::sort(after.begin() + ends[w], after.begin() + ends[w + 1]);
    for (int64_t i = ends[w]; i < ends[w + 1]; ++i) {
      if (i == ends[w] || after[i] != after[i - 1]) {
        found.words.push_back(after[i]);
        found.counts.push_back(0);
      }
      ++found.counts.back();
    }
    found.offsets.push_back(static_cast<int64_t>(found.words.size()));
  }
  return found;
}

// The same bigrams by their second word.
inline Neighbours transposed(const Neighbours &successors) {
  Neighbours found;
  found.offsets.assign(successors.offsets.size(), 0);
  found.words.resize(successors.words.size());
  found.counts.resize(successors.counts.size());
  for (const int32_t word : successors.words) ++found.offsets[static_cast<size_t>(word) + 1];
  std::partial_sum(found.offsets.begin(), found.offsets.end(), found.offsets.begin());
  std::vector<int64_t> next(found.offsets.begin(), found.offsets.end() - 1);
  for (size_t left = 0; left + 1 < successors.offsets.size(); ++left)
    for (int64_t i = successors.offsets[left]; i < successors.offsets[left + 1]; ++i) {
      const int64_t at = next[successors.words[i]]++;
      found.words[at] = static_cast<int32_t>(left);
      found.counts[at] = successors.counts[i];
    }
  return found;
}

class ClassExchange {
public:
  // Ids are from 0 to words - 1; those that do not occur have class -1.
  ClassExchange(const int32_t *ids, const int64_t *offsets, int64_t sentences, int32_t words, int classes)
      : after_(count_successors(ids, offsets, sentences, words)), before_(transposed(after_)), classes_(classes),
        side_(static_cast<size_t>(classes) + 1), class_of_(static_cast<size_t>(words) + 1, -1),
        count_(static_cast<size_t>(words)), pairs_(side_ * side_), pairs_by_second_(side_ * side_), sizes_(side_),
        left_(side_), right_(side_), gains_(static_cast<size_t>(classes)) {
    for (int32_t w = 0; w < words; ++w) {
      for (int64_t i = after_.offsets[w]; i < after_.offsets[w + 1]; ++i) count_[w] += after_.counts[i];
      if (count_[w] > 0) by_frequency_.push_back(w);
    }
    std::stable_sort(by_frequency_.begin(), by_frequency_.end(),
                     [&](int32_t a, int32_t b) { return count_[a] > count_[b]; });
    for (size_t rank = 0; rank < by_frequency_.size(); ++rank)
      class_of_[by_frequency_[rank]] = static_cast<int32_t>(std::min(rank, static_cast<size_t>(classes) - 1));
    class_of_[words] = classes;
    for (size_t w = 0; w < class_of_.size(); ++w)
      for (int64_t i = after_.offsets[w]; i < after_.offsets[w + 1]; ++i) {
        add_pairs(class_of_[w], class_of_[after_.words[i]], after_.counts[i]);
        sizes_[class_of_[w]] += after_.counts[i];
      }
  }

  // Moves each word once; returns how many went to another class.
  int64_t run_round() {
    int64_t moved = 0;
    for (const int32_t word : by_frequency_) {
      const int32_t from = class_of_[word];
      look_around(word);
      put(word, from, -1);
      const int32_t to = best_class(word, from);
      put(word, to, 1);
      class_of_[word] = to;
      moved += to != from;
    }
    return moved;
  }

  // F, from the counts of classes.
  double objective() const {
    double sum = 0;
    for (const int64_t n : pairs_) sum += phi_(n);
    for (const int64_t n : sizes_) sum -= 2 * phi_(n);
    return sum;
  }

  // What the log-likelihood has beside F: of words, and of the boundary.
  double word_term() const {
    double sum = 0;
    for (const int64_t n : count_) sum += phi_(n);
    return sum + phi_(sizes_.back());
  }

  std::vector<int32_t> classes() const { return {class_of_.begin(), class_of_.end() - 1}; }
  const std::vector<int64_t> &counts() const { return count_; }

private:
  void add_pairs(size_t first, size_t second, int64_t count) {
    pairs_[first * side_ + second] += count;
    pairs_by_second_[second * side_ + first] += count;
  }

  // Fills L, R and s for a word.
  void look_around(int32_t word) {
    for (const int32_t g : left_classes_) left_[g] = 0;
    for (const int32_t h : right_classes_) right_[h] = 0;
    left_classes_.clear();
    right_classes_.clear();
    itself_ = 0;
    const auto sum = [&](const Neighbours &beside, std::vector<int64_t> &counts, std::vector<int32_t> &found) {
      for (int64_t i = beside.offsets[word]; i < beside.offsets[word + 1]; ++i) {
        if (beside.words[i] == word) {
          itself_ = beside.counts[i];
          continue;
        }
        int64_t &count = counts[class_of_[beside.words[i]]];
        if (count == 0) found.push_back(class_of_[beside.words[i]]);
        count += beside.counts[i];
      }
    };
    sum(before_, left_, left_classes_);
    sum(after_, right_, right_classes_);
  }

  // Adds a word to the counts of a class, or takes it out.
  void put(int32_t word, int32_t k, int64_t sign) {
    for (const int32_t g : left_classes_) add_pairs(g, k, sign * left_[g]);
    for (const int32_t h : right_classes_) add_pairs(k, h, sign * right_[h]);
    add_pairs(k, k, sign * itself_);
    sizes_[k] += sign * count_[word];
  }

  // Where a word that is in no class should go.
  int32_t best_class(int32_t word, int32_t from) {
    std::fill(gains_.begin(), gains_.end(), 0.0);
    for (const int32_t g : left_classes_) add_gains(pairs_, g, left_[g]);
    for (const int32_t h : right_classes_) add_gains(pairs_by_second_, h, right_[h]);
    for (int32_t k = 0; k < classes_; ++k) {
      const int64_t both = pairs_[k * side_ + k];
      gains_[k] += phi_(both + left_[k] + right_[k] + itself_) - phi_(both + left_[k]) - phi_(both + right_[k]) +
                   phi_(both) - 2 * (phi_(sizes_[k] + count_[word]) - phi_(sizes_[k]));
    }
    const double best = *std::max_element(gains_.begin(), gains_.end());
    if (gains_[from] >= best - 2 * kGain) return from;
    const auto good = [&](double gain) { return gain >= best - kGain; };
    return static_cast<int32_t>(std::find_if(gains_.begin(), gains_.end(), good) - gains_.begin());
  }
  // For all k at once, with k = g as if it were like the others.
  void add_gains(const std::vector<int64_t> &pairs, int32_t g, int64_t count) {
    const int64_t *row = pairs.data() + static_cast<size_t>(g) * side_;
    for (int32_t k = 0; k < classes_; ++k) gains_[k] += phi_(row[k] + count) - phi_(row[k]);
  }

  const EntropyTerm phi_;
  const Neighbours after_, before_;
  const int32_t classes_;
  const size_t side_;             // classes and the boundary's
  std::vector<int32_t> class_of_; // of words and the boundary
  std::vector<int64_t> count_;
  std::vector<int32_t> by_frequency_;
  std::vector<int64_t> pairs_, pairs_by_second_, sizes_; // N(g, h) by rows, by columns; N(g)
  std::vector<int64_t> left_, right_;                    // L, R
  std::vector<int32_t> left_classes_, right_classes_;    // where they are not 0
  int64_t itself_ = 0;                                   // s
  std::vector<double> gains_;
};

} // namespace tartib
