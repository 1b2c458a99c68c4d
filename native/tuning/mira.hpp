// K-best batch MIRA (Cherry and Foster, NAACL 2012).
//
// Sentences are visited in a given order. Let B(i) be the BLEU of row i added to a background of recent choices, times
// the length of the references. For each sentence
//
//   hope = argmax_i w·f_i + B(i),   fear = argmax_i w·f_i - B(i),   loss = B(hope) - B(fear) - w·(f_hope - f_fear)
//
// and w_j moves by min(C, loss / Σ r_j d_j²) · r_j d_j, d = f_hope - f_fear, if the loss is positive. The rate r_j of a
// feature is 1, or less if there are many like it, or 0 if its weight is fixed. The background is the sum of the hopes'
// statistics, which decays by a factor per sentence. The result of an epoch is the mean of all w so far; the epoch with
// the best BLEU on the n-best lists is kept, the last of them if several are equal.
#pragma once

#include "tuning/pool.hpp"

namespace tartib {

class Mira {
public:
  Mira(const TuningPool &pool, std::vector<double> start, std::vector<double> rates, double c, double decay)
      : pool_(pool), rates_(std::move(rates)), c_(c), decay_(decay), weights_(std::move(start)),
        weighted_moves_(weights_.size()), difference_(weights_.size()) {
    lately_.fill(1);
  }

  // Visits each sentence of `order` once.
  void run_epoch(const int64_t *order, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      if (pool_.offsets[order[i]] < pool_.offsets[order[i] + 1]) visit(order[i]);
      ++visits_;
    }
  }

  // The mean of the weights after each visit.
  std::vector<double> mean() const {
    std::vector<double> mean = weights_;
    if (visits_ > 0)
      for (size_t j = 0; j < mean.size(); ++j) mean[j] -= weighted_moves_[j] / static_cast<double>(visits_);
    return mean;
  }

private:
  struct Choice {
    int64_t row = -1;
    double rank = -std::numeric_limits<double>::infinity(), score = 0, bleu = 0;

    void offer(int64_t other, double other_rank, double other_score, double other_bleu) {
      if (other_rank > rank) *this = {other, other_rank, other_score, other_bleu};
    }
  };

  double bleu(int64_t row) const {
    BleuSums sums = lately_;
    pool_.add_stats(row, sums);
    return bleu_of(sums) * sums[1];
  }

  void visit(int64_t sentence) {
    Choice hope, fear;
    for (int64_t row = pool_.offsets[sentence]; row < pool_.offsets[sentence + 1]; ++row) {
      const double score = pool_.score(row, weights_.data()), good = bleu(row);
      hope.offer(row, score + good, score, good);
      fear.offer(row, score - good, score, good);
    }
    if (hope.row < 0) return; // no row has a valid score
    const double loss = hope.bleu - fear.bleu - (hope.score - fear.score);
    if (hope.bleu > fear.bleu && loss > 0) move(hope.row, fear.row, loss);
    for (double &sum : lately_) sum *= decay_;
    pool_.add_stats(hope.row, lately_);
  }

  void move(int64_t hope, int64_t fear, double loss) {
    touched_.clear();
    const auto add = [&](int64_t row, double times) {
      pool_.each(row, [&](int64_t j, double value) {
        if (rates_[j] == 0) return;
        difference_[j] += times * value;
        touched_.push_back(j);
      });
    };
    add(hope, 1);
    add(fear, -1);
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    double norm = 0;
    for (const int64_t j : touched_) norm += rates_[j] * difference_[j] * difference_[j];
    const double length = norm > 0 ? std::min(c_, loss / norm) : 0;
    for (const int64_t j : touched_) {
      const double moved = length * rates_[j] * difference_[j];
      weights_[j] += moved;
      weighted_moves_[j] += static_cast<double>(visits_) * moved; // not part of earlier means
      difference_[j] = 0;
    }
  }

  const TuningPool &pool_;
  const std::vector<double> rates_;
  const double c_, decay_;
  std::vector<double> weights_, weighted_moves_, difference_;
  std::vector<int64_t> touched_;
  BleuSums lately_;
  int64_t visits_ = 0;
};

} // namespace tartib
