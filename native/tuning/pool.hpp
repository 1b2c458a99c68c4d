// The n-best lists that weights are tuned on.
//
// Row i is a translation: its BLEU statistics and its features f_i, some dense, some sparse. Sentence s has the rows
// from offsets[s] to offsets[s + 1]. The score of a row is w·f_i, with the dense weights before the sparse ones.
#pragma once

#include <bit>

#include "tuning/bleu.hpp"

namespace tartib {

struct TuningPool {
  const int64_t *offsets;
  int64_t sentences;
  const int32_t *stats; // kBleuSize per row
  const float *dense;   // n_dense per row
  int64_t n_dense;
  const int64_t *indptr; // sparse features of row i: from indptr[i] to indptr[i + 1]
  const int32_t *indices;
  const float *values;
  int64_t n_sparse;

  int64_t features() const { return n_dense + n_sparse; }
  int64_t rows() const { return offsets[sentences]; }

  // Calls fn(feature, value).
  template <typename Fn> void each(int64_t row, Fn fn) const {
    for (int64_t j = 0; j < n_dense; ++j) fn(j, static_cast<double>(dense[row * n_dense + j]));
    for (int64_t k = indptr[row]; k < indptr[row + 1]; ++k) fn(n_dense + indices[k], static_cast<double>(values[k]));
  }

  double score(int64_t row, const double *weights) const {
    double sum = 0;
    each(row, [&](int64_t j, double value) { sum += weights[j] * value; });
    return sum;
  }

  // The row of a sentence with the highest score, the first one in case of ties.
  int64_t best(int64_t sentence, const double *weights) const {
    int64_t best = offsets[sentence];
    double highest = -std::numeric_limits<double>::infinity();
    for (int64_t row = offsets[sentence]; row < offsets[sentence + 1]; ++row)
      if (const double found = score(row, weights); found > highest) highest = found, best = row;
    return best;
  }

  void add_stats(int64_t row, BleuSums &sums, double times = 1) const {
    for (int k = 0; k < kBleuSize; ++k) sums[k] += times * stats[row * kBleuSize + k];
  }

  // BLEU of the best rows.
  double bleu(const double *weights) const {
    BleuSums sums{};
    for (int64_t s = 0; s < sentences; ++s) add_stats(best(s, weights), sums);
    return bleu_of(sums);
  }
};

// A hash of everything in a row, to recognise equal rows.
inline uint64_t row_key(const TuningPool &pool, int64_t sentence, int64_t row) {
  uint64_t key = 0x9E3779B97F4A7C15u;
  const auto add = [&](uint64_t value) {
    key = (key ^ value) * 0xBF58476D1CE4E5B9u;
    key ^= key >> 32;
  };
  add(static_cast<uint64_t>(sentence));
  for (int k = 0; k < kBleuSize; ++k) add(static_cast<uint32_t>(pool.stats[row * kBleuSize + k]));
  pool.each(row, [&](int64_t j, double value) {
    add(static_cast<uint64_t>(j));
    add(std::bit_cast<uint64_t>(value == 0 ? 0.0 : value)); // -0 is 0
  });
  return key;
}

} // namespace tartib
