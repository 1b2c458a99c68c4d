// Word alignment of both directions at once, which are trained to agree (Liang, Taskar and Klein 2006).
//
// Two hidden Markov models (alignment/hmm.hpp), one for each direction, share their lexicon (alignment/lexicon.hpp).
// E-step: each gives the posteriors of links, p(a_j = i | f, e) and p(a_i = j | f, e). The expected count of a link is
// their product,
//     q_ij = p(a_j = i | f, e) p(a_i = j | f, e),
// so that only what both directions believe is learnt. Jumps and NULL are counted by each direction alone.
// M-step: the counts become the parameters.
// The first passes have no jumps (IBM model 1). What they believe is not yet to be relied on, and the product would
// take it too seriously: they count √q_ij. Before the first pass, the association of words stands for their counts.
// Links: target word i chooses, if its value is large enough, the source word
//     argmax_j p(a_i = j | f, e)^¾ p(a_j = i | f, e)^¼,
// and source word j the target word with exponents exchanged; what the two sides choose is symmetrised. Where one word
// of one side stands for several of the other ("his book" in Arabic), those are sure of it, but it can be sure of one
// only, so that the others may stay without a link. They can be attached afterwards to argmax_j p(a_i = j | f, e), what
// their own direction alone believes in most.
//
// The result is the same for any number of threads: posteriors do not depend on them, counts are whole numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "alignment/candidates.hpp"
#include "alignment/hmm.hpp"
#include "alignment/lexicon.hpp"
#include "alignment/text.hpp"

namespace tartib {

constexpr double kNullShare = 0.15;      // p₀
constexpr double kSmoothing = 1e-3;      // a: the parameter of the Dirichlet priors of words
constexpr double kJumpSmoothing = 10;    // and of jumps
constexpr double kFirstSmoothing = 1e-7; // beside the association of words
constexpr double kFirstNull = 1e-2;      // p(word | NULL) before it is counted
constexpr float kLeastCount = 1e-5f;     // less is not counted; in long sentences there is a lower limit
constexpr int64_t kMostLinks = 1 << 20;  // pairs of sentences with more possible links are not trained on

// What a pass has seen: tokens and log-likelihoods of both directions.
struct Likelihood {
  int64_t source_tokens = 0, target_tokens = 0;
  double backward = 0, forward = 0; // of the source words given the target words, and the reverse
};

// For each word of one side a position of the other, -1 if none, and how probable that is.
struct BestPositions {
  std::vector<int32_t> positions;
  std::vector<float> probabilities;

  explicit BestPositions(int64_t words) : positions(words, -1), probabilities(words) {}

  void offer(int64_t word, int64_t position, float probability) {
    if (!(probability > probabilities[word])) return;
    positions[word] = static_cast<int32_t>(position);
    probabilities[word] = probability;
  }
};

// What the words of one side believe in most: links, which both directions count for, and by their own one alone.
struct BestLinks {
  BestPositions links, own;

  explicit BestLinks(int64_t words) : links(words), own(words) {}
};

// Words that one side has: what only that side's parameters are.
struct WordParameters {
  std::vector<double> counts;      // c(word), over all cells
  std::vector<double> null_counts; // how often NULL was the word's counterpart
  std::vector<float> inverse;      // 1 / (c(word) + a times the number of words on the other side)
  std::vector<float> null;         // p(word | NULL)
};

class JointAligner {
public:
  JointAligner(uint32_t source_words, uint32_t target_words) : source_null_(source_words), target_null_(target_words) {
    lexicon_.build({}, source_words);
    begin(source_, source_words);
    begin(target_, target_words);
  }

  uint32_t source_words() const { return static_cast<uint32_t>(source_.counts.size()); }
  uint32_t target_words() const { return static_cast<uint32_t>(target_.counts.size()); }
  const Lexicon &lexicon() const { return lexicon_; }
  const WordParameters &source() const { return source_; }
  const WordParameters &target() const { return target_; }
  const Jumps &jumps(bool forward) const { return forward ? forward_jumps_ : backward_jumps_; }

  // Sets the candidates: those of a text, and those with priors.
  void find_candidates(const ParallelText &text, int64_t width, std::vector<Candidate> priors, int threads) {
    auto parts = CandidateFinder(text, width, threads).find();
    parts.push_back(std::move(priors));
    lexicon_.build(parts, source_words());
  }

  // Sets everything that training would: the model is one that was saved.
  void restore(std::vector<Candidate> cells, WordParameters source, WordParameters target, const Jumps &forward,
               const Jumps &backward) {
    lexicon_.build({std::move(cells)}, source_words());
    source_ = std::move(source);
    target_ = std::move(target);
    forward_jumps_ = forward;
    backward_jumps_ = backward;
    finish(source_, target_words());
    finish(target_, source_words());
    smoothing_ = kSmoothing;
  }

  // E-step for sentences [begin, end).
  Likelihood count(const ParallelText &text, int64_t begin, int64_t end, bool with_jumps, int threads) {
    std::vector<Likelihood> parts((end - begin + kTask - 1) / kTask);
    run_tasks(threads, static_cast<int64_t>(parts.size()), [&](int64_t task) {
      Worker worker;
      const int64_t first = begin + task * kTask, last = std::min(end, first + kTask);
      for (int64_t s = first; s < last; ++s) count_sentence(text, s, with_jumps, worker, parts[task]);
      for (int d = 0; with_jumps && d < kJumps; ++d) {
        add_units(forward_counts_[d], worker.forward_jumps[d]);
        add_units(backward_counts_[d], worker.backward_jumps[d]);
      }
    });
    Likelihood total;
    for (const Likelihood &part : parts) {
      total.source_tokens += part.source_tokens;
      total.target_tokens += part.target_tokens;
      total.forward += part.forward;
      total.backward += part.backward;
    }
    return total;
  }

  // M-step.
  void maximise(bool with_jumps, int threads) {
    std::vector<int64_t> source_sums(source_words()), target_sums(target_words());
    lexicon_.settle(source_sums, target_sums, threads);
    take(source_sums, source_null_, source_);
    take(target_sums, target_null_, target_);
    finish(source_, target_words());
    finish(target_, source_words());
    smoothing_ = kSmoothing;
    if (with_jumps) {
      take_jumps(forward_counts_, forward_jumps_);
      take_jumps(backward_counts_, backward_jumps_);
    }
  }

  // The links of sentences [begin, end) that are believed in most: for each target word the source word (forward), for
  // each source word the target word (backward). How probable a link is, is the geometric mean of its two posteriors,
  // where that of the word's own direction counts three times; less than `least` is no link. What words believe in by
  // their own direction has no limit.
  std::pair<BestLinks, BestLinks> align(const ParallelText &text, int64_t begin, int64_t end, float least,
                                        int threads) {
    const int64_t f = text.source.begin(begin), e = text.target.begin(begin);
    BestLinks forward(text.target.begin(end) - e), backward(text.source.begin(end) - f);
    run_tasks(threads, (end - begin + kTask - 1) / kTask, [&](int64_t task) {
      Worker worker;
      const int64_t first = begin + task * kTask, last = std::min(end, first + kTask);
      for (int64_t s = first; s < last; ++s) {
        const Best to_source{forward, text.target.begin(s) - e, least};
        const Best to_target{backward, text.source.begin(s) - f, least};
        if (is_long(text, s))
          align_long(text, s, to_source, to_target);
        else if (fill(text, s, worker))
          align_sentence(worker, to_source, to_target);
      }
    });
    return {std::move(forward), std::move(backward)};
  }

  // The posteriors of one sentence, which is not long.
  std::pair<Direction, Direction> posteriors(const ParallelText &text, int64_t s) {
    Worker worker;
    if (fill(text, s, worker)) run(worker, nullptr, nullptr);
    return {std::move(worker.forward), std::move(worker.backward)};
  }

private:
  static constexpr int64_t kTask = 128; // sentences

  struct Worker {
    std::vector<uint32_t> source, target;
    std::vector<int64_t> cells; // source × target
    Direction forward, backward;
    SentenceHmm hmm;
    JumpCounts forward_jumps{}, backward_jumps{};
  };

  // Those of one sentence, whose words begin at `first`.
  struct Best {
    BestLinks &all;
    int64_t first;
    float least;
    void offer(int64_t word, int64_t position, float probability, float own) const {
      if (probability >= least) all.links.offer(first + word, position, probability);
      all.own.offer(first + word, position, own);
    }
  };

  static void offer(int64_t j, int64_t i, float forward, float backward, const Best &to_source, const Best &to_target) {
    const float mean = std::sqrt(forward * backward);
    to_source.offer(i, j, std::sqrt(forward * mean), forward);
    to_target.offer(j, i, std::sqrt(backward * mean), backward);
  }

  static void begin(WordParameters &side, uint32_t words) {
    side.counts.assign(words, 0);
    side.null_counts.assign(words, 0);
    side.inverse.assign(words, 1);
    side.null.assign(words, static_cast<float>(kFirstNull));
  }

  static void take(const std::vector<int64_t> &sums, std::vector<int64_t> &null, WordParameters &side) {
    for (size_t word = 0; word < sums.size(); ++word) {
      side.counts[word] = static_cast<double>(sums[word]) / kCountUnit;
      side.null_counts[word] = static_cast<double>(std::exchange(null[word], 0)) / kCountUnit;
    }
  }

  static void finish(WordParameters &side, uint32_t others) {
    const double words = static_cast<double>(side.counts.size());
    double nulls = kSmoothing * words;
    for (const double count : side.null_counts) nulls += count;
    side.inverse.resize(side.counts.size());
    side.null.resize(side.counts.size());
    for (size_t word = 0; word < side.counts.size(); ++word) {
      side.inverse[word] = static_cast<float>(1 / (side.counts[word] + kSmoothing * static_cast<double>(others)));
      side.null[word] = static_cast<float>((side.null_counts[word] + kSmoothing) / nulls);
    }
  }

  static void take_jumps(JumpCounts &counts, Jumps &jumps) {
    double sum = 0;
    for (int d = 0; d < kJumps; ++d) sum += jumps[d] = static_cast<double>(counts[d]) / kCountUnit + kJumpSmoothing;
    for (double &jump : jumps) jump /= sum;
    counts.fill(0);
  }

  static bool is_long(const ParallelText &text, int64_t s) {
    return text.source.length(s) * text.target.length(s) > kMostLinks;
  }

  // p(e | f) and p(f | e).
  std::pair<float, float> probabilities(int64_t cell, uint32_t f, uint32_t e) const {
    const float count = lexicon_.count(cell) + static_cast<float>(smoothing_);
    return {count * source_.inverse[f], count * target_.inverse[e]};
  }

  // Looks up all words of a sentence; false if a side is empty.
  bool fill(const ParallelText &text, int64_t s, Worker &worker) {
    const int64_t J = text.source.length(s), I = text.target.length(s);
    if (J == 0 || I == 0) return false;
    worker.source.resize(J);
    worker.target.resize(I);
    for (int64_t j = 0; j < J; ++j) worker.source[j] = text.source.word(text.source.begin(s) + j);
    for (int64_t i = 0; i < I; ++i) worker.target[i] = text.target.word(text.target.begin(s) + i);
    worker.cells.resize(J * I);
    worker.forward.resize(I, J);
    worker.backward.resize(J, I);
    const auto prefetch = [&](int64_t j) { // in time for the row after this one
      const Lexicon::Row row = lexicon_.row(worker.source[j]);
      for (int64_t i = 0; i < I; ++i) row.prefetch(worker.target[i]);
    };
    prefetch(0);
    for (int64_t j = 0; j < J; ++j) {
      const uint32_t f = worker.source[j];
      const Lexicon::Row row = lexicon_.row(f);
      if (j + 1 < J) prefetch(j + 1);
      for (int64_t i = 0; i < I; ++i) {
        const int64_t cell = worker.cells[j * I + i] = row.find(worker.target[i]);
        std::tie(worker.forward.emission[i * J + j], worker.backward.emission[j * I + i]) =
            probabilities(cell, f, worker.target[i]);
      }
    }
    for (int64_t i = 0; i < I; ++i) worker.forward.null_emission[i] = target_.null[worker.target[i]];
    for (int64_t j = 0; j < J; ++j) worker.backward.null_emission[j] = source_.null[worker.source[j]];
    return true;
  }

  // Computes the posteriors of both directions, and returns their log-likelihoods.
  std::pair<double, double> run(Worker &worker, JumpCounts *forward, JumpCounts *backward) const {
    return {worker.hmm.run(worker.forward, forward_jumps_, kNullShare, forward),
            worker.hmm.run(worker.backward, backward_jumps_, kNullShare, backward)};
  }

  void count_sentence(const ParallelText &text, int64_t s, bool with_jumps, Worker &worker, Likelihood &likelihood) {
    if (is_long(text, s) || !fill(text, s, worker)) return;
    Direction &forward = worker.forward, &backward = worker.backward;
    const auto [of_target, of_source] = with_jumps ? run(worker, &worker.forward_jumps, &worker.backward_jumps)
                                                   : std::pair{independent_posteriors(forward, kNullShare),
                                                               independent_posteriors(backward, kNullShare)};
    likelihood.forward += of_target;
    likelihood.backward += of_source;
    const int64_t J = backward.words, I = forward.words;
    likelihood.source_tokens += J;
    likelihood.target_tokens += I;
    const float least = std::min(kLeastCount, 0.1f / static_cast<float>(I * J));
    for (int64_t j = 0; j < J; ++j)
      for (int64_t i = 0; i < I; ++i) {
        const float product = forward.posterior[i * J + j] * backward.posterior[j * I + i];
        const int64_t cell = worker.cells[j * I + i];
        if (cell != kNoCell && product > least)
          lexicon_.add(cell, static_cast<double>(with_jumps ? product : std::sqrt(product)));
      }
    for (int64_t j = 0; j < J; ++j)
      add_units(source_null_[worker.source[j]], to_units(static_cast<double>(backward.null_posterior(j))));
    for (int64_t i = 0; i < I; ++i)
      add_units(target_null_[worker.target[i]], to_units(static_cast<double>(forward.null_posterior(i))));
  }

  void align_sentence(Worker &worker, const Best &to_source, const Best &to_target) {
    const Direction &forward = worker.forward, &backward = worker.backward;
    run(worker, nullptr, nullptr);
    const int64_t J = backward.words, I = forward.words;
    for (int64_t j = 0; j < J; ++j)
      for (int64_t i = 0; i < I; ++i)
        offer(j, i, forward.posterior[i * J + j], backward.posterior[j * I + i], to_source, to_target);
  }

  // The same by IBM model 1, in memory that grows with the length of the sentences only.
  void align_long(const ParallelText &text, int64_t s, const Best &to_source, const Best &to_target) {
    const int64_t J = text.source.length(s), I = text.target.length(s);
    const auto source = [&](int64_t j) { return text.source.word(text.source.begin(s) + j); };
    const auto target = [&](int64_t i) { return text.target.word(text.target.begin(s) + i); };
    const double null_to_links = kNullShare / (1 - kNullShare);
    std::vector<double> forward_sums(I), backward_sums(J);
    for (int64_t i = 0; i < I; ++i)
      forward_sums[i] = null_to_links * static_cast<double>(J) * static_cast<double>(target_.null[target(i)]);
    for (int64_t j = 0; j < J; ++j)
      backward_sums[j] = null_to_links * static_cast<double>(I) * static_cast<double>(source_.null[source(j)]);
    const auto for_all = [&](auto fn) {
      for (int64_t j = 0; j < J; ++j)
        for (int64_t i = 0; i < I; ++i) {
          const auto [forward, backward] = probabilities(lexicon_.row(source(j)).find(target(i)), source(j), target(i));
          fn(j, i, static_cast<double>(forward), static_cast<double>(backward));
        }
    };
    for_all([&](int64_t j, int64_t i, double forward, double backward) {
      forward_sums[i] += forward;
      backward_sums[j] += backward;
    });
    for_all([&](int64_t j, int64_t i, double forward, double backward) {
      offer(j, i, static_cast<float>(forward / forward_sums[i]), static_cast<float>(backward / backward_sums[j]),
            to_source, to_target);
    });
  }

  Lexicon lexicon_;
  WordParameters source_, target_;
  std::vector<int64_t> source_null_, target_null_; // counts of the current pass, in units
  Jumps forward_jumps_ = first_jumps(), backward_jumps_ = first_jumps();
  JumpCounts forward_counts_{}, backward_counts_{};
  double smoothing_ = kFirstSmoothing;
};

} // namespace tartib
