// The hidden Markov model of one direction (Vogel, Ney and Tillmann 1996), for one sentence.
//
// Word j = 0 … J-1 of one side is emitted by position a_j = 0 … I-1 of the other, or by NULL, which leaves the position
// where it is (Och and Ney 2003):
//     p(words, a) = Π_j p(a_j | a_{j-1}) p(word_j | a_j) · p(end | a_{J-1}),
//     p(i | i') = (1 - p₀) s(i - i') / Σ_l s(l - i'),     p(NULL | i') = p₀,     p(end | i') ~ s(I - i').
// A sentence begins at position -1; a NULL in front of the first link leaves it anywhere. s, which depends on the jump
// only, is the same for all jumps beyond kFarthest.
//
// Forward-backward gives the posteriors γ_j(i) = p(a_j = i | words) and the expected number of each jump. Each step
// over j adds up scaled copies of s, which are consecutive numbers: that is what the compiler makes vector instructions
// of.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "alignment/lexicon.hpp"

namespace tartib {

constexpr int kFarthest = 100;
constexpr int kJumps = 2 * kFarthest + 1; // jump d is at d + kFarthest

inline int64_t jump_index(int64_t jump) {
  return std::clamp<int64_t>(jump, -kFarthest, kFarthest) + kFarthest;
}

using Jumps = std::array<double, kJumps>;       // s
using JumpCounts = std::array<int64_t, kJumps>; // in units of the lexicon

// Before anything is known, words come in the same order.
inline Jumps first_jumps() {
  Jumps jumps;
  for (int d = -kFarthest; d <= kFarthest; ++d) jumps[jump_index(d)] = std::exp(-std::abs(d - 1.0) / 5) + 1e-3;
  return jumps;
}

// Posteriors of one direction of a sentence, and what they are computed from; emissions and posteriors are matrices of
// words × positions.
struct Direction {
  int64_t words = 0, positions = 0;
  std::vector<float> emission, null_emission, posterior;

  void resize(int64_t word_count, int64_t position_count) {
    words = word_count;
    positions = position_count;
    emission.resize(words * positions);
    null_emission.resize(words);
    posterior.resize(words * positions);
  }
  float *row(std::vector<float> &matrix, int64_t j) const { return matrix.data() + j * positions; }

  // The posterior of NULL.
  float null_posterior(int64_t j) const {
    float links = 0;
    for (int64_t i = 0; i < positions; ++i) links += posterior[j * positions + i];
    return std::max(0.0f, 1 - links);
  }
};

// y += a x
inline void add_scaled(float a, const float *__restrict x, float *__restrict y, int64_t size) {
  for (int64_t i = 0; i < size; ++i) y[i] += a * x[i];
}

// IBM model 1: all positions are equally likely. Returns the log-likelihood.
inline double independent_posteriors(Direction &d, double null_share) {
  double log_likelihood = 0;
  const float share = static_cast<float>((1 - null_share) / static_cast<double>(d.positions));
  for (int64_t j = 0; j < d.words; ++j) {
    const float *emission = d.row(d.emission, j);
    float *posterior = d.row(d.posterior, j);
    float sum = static_cast<float>(null_share) * d.null_emission[j];
    for (int64_t i = 0; i < d.positions; ++i) sum += share * emission[i];
    for (int64_t i = 0; i < d.positions; ++i) posterior[i] = share * emission[i] / sum;
    log_likelihood += std::log(static_cast<double>(sum));
  }
  return log_likelihood;
}

class SentenceHmm {
public:
  // Fills in the posteriors, and adds the expected jumps to `counts` if there are any. Returns the log-likelihood,
  // which leaves out the end.
  double run(Direction &d, const Jumps &s, double null_share, JumpCounts *counts) {
    prepare(d, s, null_share);
    const double log_likelihood = forward(d, static_cast<float>(null_share));
    backward(d, static_cast<float>(null_share), counts != nullptr);
    if (counts) {
      const int64_t I = d.positions;
      for (int64_t k = 1; k < 2 * I; ++k) // jump k - I
        add_units((*counts)[jump_index(k - I)], to_units(static_cast<double>(jumps_[k] * found_[k])));
      for (int64_t i = 0; i < I; ++i) {
        add_units((*counts)[jump_index(i + 1)], to_units(static_cast<double>(d.posterior[i])));
        add_units((*counts)[jump_index(I - i)], to_units(static_cast<double>(d.row(d.posterior, d.words - 1)[i])));
      }
    }
    return log_likelihood;
  }

private:
  static constexpr float kNegligible = 1e-8f; // a probability that changes nothing

  void prepare(const Direction &d, const Jumps &s, double null_share) {
    const int64_t I = d.positions;
    jumps_.resize(2 * I + 1);
    reversed_.resize(2 * I + 1);
    for (int64_t k = 0; k <= 2 * I; ++k) {
      jumps_[k] = static_cast<float>(s[jump_index(k - I)]);
      reversed_[2 * I - k] = jumps_[k];
    }
    // Σ_l s(l - i') is a sum of I consecutive numbers.
    norm_.resize(I);
    double sum = 0;
    for (int64_t l = 0; l < I; ++l) sum += static_cast<double>(jumps_[I + 1 + l]);
    begin_ = static_cast<float>((1 - null_share) / sum);
    for (int64_t i = 0; i < I; ++i) {
      sum += static_cast<double>(jumps_[I - i]) - static_cast<double>(jumps_[2 * I - i]);
      norm_[i] = static_cast<float>((1 - null_share) / sum);
    }
    link_.resize(d.words * I);
    at_.resize(d.words * I);
    scale_.resize(d.words);
    next_.resize(I);
    after_.resize(I);
    found_.assign(2 * I + 1, 0);
  }

  // link_[j] is the probability that word j comes from position i, at_[j] that the position is i, which it also is
  // where NULL left it there; both given the words up to j.
  double forward(const Direction &d, float null_share) {
    const int64_t I = d.positions;
    double log_likelihood = 0;
    for (int64_t j = 0; j < d.words; ++j) {
      const float *emission = d.emission.data() + j * I;
      float *link = link_.data() + j * I, *at = at_.data() + j * I;
      const float null = null_share * d.null_emission[j];
      if (j == 0) {
        for (int64_t i = 0; i < I; ++i) {
          link[i] = begin_ * jumps_[I + 1 + i] * emission[i];
          at[i] = link[i] + null / static_cast<float>(I);
        }
      } else {
        const float *before = at - I;
        std::fill(link, link + I, 0.0f);
        for (int64_t from = 0; from < I; ++from)
          if (before[from] > kNegligible) add_scaled(before[from] * norm_[from], jumps_.data() + I - from, link, I);
        for (int64_t i = 0; i < I; ++i) {
          link[i] *= emission[i];
          at[i] = link[i] + before[i] * null;
        }
      }
      float sum = 0;
      for (int64_t i = 0; i < I; ++i) sum += at[i];
      if (!(sum > 1e-37f)) { // the words cannot come from here, as far as single precision can tell
        std::fill(link, link + I, 0.5f / static_cast<float>(I));
        std::fill(at, at + I, 1.0f / static_cast<float>(I));
        sum = 1;
        scale_[j] = 0;
      } else {
        scale_[j] = 1 / sum;
        for (int64_t i = 0; i < I; ++i) link[i] *= scale_[j];
        for (int64_t i = 0; i < I; ++i) at[i] *= scale_[j];
      }
      log_likelihood += std::log(static_cast<double>(sum));
    }
    return log_likelihood;
  }

  // after_[i] is the probability of the words after j given the position, as a multiple of what it is on average.
  void backward(Direction &d, float null_share, bool count) {
    const int64_t I = d.positions;
    const float *last = at_.data() + (d.words - 1) * I;
    float sum = 0;
    for (int64_t i = 0; i < I; ++i) {
      after_[i] = norm_[i] * jumps_[2 * I - i];
      sum += last[i] * after_[i];
    }
    for (int64_t i = 0; i < I; ++i) after_[i] /= sum;
    for (int64_t j = d.words - 1; j >= 0; --j) {
      const float *link = link_.data() + j * I;
      float *posterior = d.row(d.posterior, j);
      for (int64_t i = 0; i < I; ++i) posterior[i] = link[i] * after_[i];
      if (j == 0) return;
      const float *emission = d.emission.data() + j * I, *before = at_.data() + (j - 1) * I;
      if (scale_[j] == 0) { // the chain was broken
        std::fill(after_.begin(), after_.end(), 1.0f);
        continue;
      }
      for (int64_t i = 0; i < I; ++i) next_[i] = emission[i] * after_[i] * scale_[j];
      if (count)
        for (int64_t from = 0; from < I; ++from)
          if (before[from] > kNegligible) add_scaled(before[from] * norm_[from], next_.data(), &found_[I - from], I);
      const float null = null_share * d.null_emission[j] * scale_[j];
      for (int64_t i = 0; i < I; ++i) after_[i] *= null;
      links_after_.assign(I, 0.0f);
      for (int64_t to = 0; to < I; ++to) add_scaled(next_[to], reversed_.data() + I - to, links_after_.data(), I);
      for (int64_t i = 0; i < I; ++i) after_[i] += norm_[i] * links_after_[i];
    }
  }

  std::vector<float> jumps_, reversed_; // s(k - I) and s(I - k) at k
  std::vector<float> norm_, link_, at_, scale_, next_, after_, links_after_, found_;
  float begin_ = 0;
};

} // namespace tartib
