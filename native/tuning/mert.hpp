// Minimum error rate training (Och, ACL 2003).
//
// On the line w + x·d the score of a row is a + x·b, with a = w·f and b = d·f, so that the best row of a sentence
// changes only where the upper envelope of these lines has a corner. Between the corners of all sentences BLEU is
// constant, so visiting them in order and updating the summed statistics at each finds the exact best x.
//
// From a starting point, the coordinates and some other directions are searched in turn until a whole round gains
// nothing.
#pragma once

#include <numeric>

#include "tuning/pool.hpp"

namespace tartib {

struct LineOptimum {
  double step, bleu;
};

// Weights, and the scores of all rows with these weights.
class MertSearch {
public:
  // Features marked in `fixed` keep their weights.
  MertSearch(const TuningPool &pool, std::vector<double> start, const std::vector<uint8_t> &fixed)
      : pool_(pool), fixed_(fixed), weights_(std::move(start)), scores_(pool.rows()), slopes_(pool.rows()) {
    for (int64_t row = 0; row < pool.rows(); ++row) scores_[row] = pool.score(row, weights_.data());
  }

  const std::vector<double> &weights() const { return weights_; }

  // The best point on a line; the step is 0 if no other point is better. `direction` must be 0 where weights are fixed.
  LineOptimum search(const double *direction) {
    for (int64_t row = 0; row < pool_.rows(); ++row) slopes_[row] = pool_.score(row, direction);
    return sweep();
  }

  // The line on which a single weight changes.
  LineOptimum search_coordinate(int64_t j) {
    for (int64_t row = 0; row < pool_.rows(); ++row) slopes_[row] = pool_.dense[row * pool_.n_dense + j];
    return sweep();
  }

  // Searches coordinates and the given directions until a round gains nothing; returns BLEU.
  double run(const double *directions, int64_t count) {
    double bleu = -1;
    for (int round = 0; round < kMaxRounds; ++round) {
      const double before = bleu;
      for (int64_t j = 0; j < pool_.n_dense; ++j) {
        if (fixed_[j]) continue;
        const LineOptimum found = search_coordinate(j);
        weights_[j] += found.step;
        bleu = take(found);
      }
      for (int64_t k = 0; k < count; ++k) {
        const double *direction = directions + k * pool_.n_dense;
        const LineOptimum found = search(direction);
        for (int64_t j = 0; j < pool_.n_dense; ++j) weights_[j] += found.step * direction[j];
        bleu = take(found);
      }
      if (bleu - before < kEnough) break;
    }
    return bleu;
  }

private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr int kMaxRounds = 100;
  static constexpr double kEnough = 1e-6;
  static constexpr double kBeyond = 0.1;  // how far to go beyond the last corner
  static constexpr double kNarrow = 1e-9; // corners closer than this differ only by rounding
  struct Corner {
    double x;
    int64_t before, after; // rows
  };

  // Updates the scores to the point found on the line searched last; returns BLEU there.
  double take(const LineOptimum &found) {
    if (found.step != 0)
      for (size_t row = 0; row < scores_.size(); ++row) scores_[row] += found.step * slopes_[row];
    return found.bleu;
  }

  // Adds the corners of a sentence's envelope; returns its best row at x = -∞.
  int64_t walk(int64_t sentence) {
    const int64_t begin = pool_.offsets[sentence], end = pool_.offsets[sentence + 1];
    int64_t first = begin;
    for (int64_t row = begin + 1; row < end; ++row)
      if (slopes_[row] < slopes_[first] || (slopes_[row] == slopes_[first] && scores_[row] > scores_[first]))
        first = row;
    double last_x = -kInfinity;
    for (int64_t here = first;;) {
      int64_t next = -1;
      double next_x = kInfinity;
      for (int64_t row = begin; row < end; ++row) {
        const double steeper = slopes_[row] - slopes_[here];
        if (!(steeper > 0)) continue;
        const double x = (scores_[here] - scores_[row]) / steeper;
        if (!(x < kInfinity)) continue; // too far away to be represented
        if (x < next_x || (x == next_x && slopes_[row] > slopes_[next])) next_x = x, next = row;
      }
      if (next < 0) return first;
      last_x = std::max(last_x, next_x);
      if (last_x == -kInfinity) {
        first = next;
      } else {
        corners_.push_back({last_x, here, next});
      }
      here = next;
    }
  }

  LineOptimum sweep() {
    corners_.clear();
    BleuSums sums{};
    for (int64_t s = 0; s < pool_.sentences; ++s) pool_.add_stats(walk(s), sums);
    std::sort(corners_.begin(), corners_.end(),
              [](const Corner &a, const Corner &b) { return a.x != b.x ? a.x < b.x : a.before < b.before; });
    LineOptimum best{0, -1};
    double here = -1;
    for (size_t i = 0; i <= corners_.size(); ++i) {
      const bool first = i == 0, last = i == corners_.size();
      const double from = first ? -kInfinity : corners_[i - 1].x, to = last ? kInfinity : corners_[i].x;
      if (first || last || to - from > kNarrow * std::max(1.0, std::abs(from))) {
        const double bleu = bleu_of(sums);
        if (from < 0 && 0 < to) here = bleu; // at a corner it is not defined which row counts
        if (bleu > best.bleu) best = {middle(from, to), bleu};
      }
      if (last) break;
      pool_.add_stats(corners_[i].before, sums, -1);
      pool_.add_stats(corners_[i].after, sums);
    }
    return best.bleu > here ? best : LineOptimum{0, here};
  }

  static double middle(double from, double to) {
    if (from == -kInfinity && to == kInfinity) return 0;
    if (from == -kInfinity) return to - kBeyond;
    return to == kInfinity ? from + kBeyond : std::midpoint(from, to);
  }

  const TuningPool &pool_;
  const std::vector<uint8_t> &fixed_;
  std::vector<double> weights_, scores_, slopes_;
  std::vector<Corner> corners_;
};

} // namespace tartib
