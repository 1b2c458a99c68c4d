// How often words were translations of one another: the parameters that both directions of the aligner share.
//
//     p(e | f) = (c(f, e) + a) / (c(f) + a |E|),     p(f | e) = (c(f, e) + a) / (c(e) + a |F|)
//
// c are expected counts, c(f) and c(e) their sums, a the parameter of a sparse Dirichlet prior. Only candidates, pairs
// of words that may be translations, have a cell; for all others c is 0. The sums are over cells.
//
// Counts are whole numbers of 2^-20, so that they are the same in whatever order threads add them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/hash.hpp"
#include "base/large_pages.hpp"
#include "base/threads.hpp"

namespace tartib {

constexpr double kCountUnit = 1 << 20;

inline int64_t to_units(double count) {
  return std::llround(count * kCountUnit);
}

inline void add_units(int64_t &sum, int64_t units) {
  std::atomic_ref<int64_t>(sum).fetch_add(units, std::memory_order_relaxed);
}

struct Candidate {
  uint32_t source, target;
  float weight; // stands for the count until there is one
  float prior;  // added to each count
};

struct Cell {
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t target = kNone;
  float count = 0;
  bool empty() const { return target == kNone; }
};

constexpr int64_t kNoCell = -1;

// A hash table for each source word, so that the words of a sentence are looked for in few places of the memory.
class Lexicon {
public:
  // Of candidates that are named several times, the largest weight and the largest prior hold.
  void build(const std::vector<std::vector<Candidate>> &parts, uint32_t source_words) {
    std::vector<int64_t> named(source_words);
    bool with_priors = false;
    for (const auto &part : parts)
      for (const Candidate &one : part) {
        ++named[one.source];
        with_priors |= one.prior > 0;
      }
    begins_.assign(source_words + size_t{1}, 0);
    for (uint32_t f = 0; f < source_words; ++f)
      begins_[f + 1] = begins_[f] + (named[f] == 0 ? 0 : named[f] + named[f] / 2 + 1);
    cells_.assign(begins_.back(), Cell{});
    next_.assign(begins_.back(), 0);
    priors_.assign(with_priors ? begins_.back() : 0, 0);
    size_ = 0;
    for (const auto &part : parts)
      for (const Candidate &one : part) {
        const int64_t at = row(one.source).place(one.target);
        Cell &cell = cells_[at];
        size_ += cell.empty();
        cell.target = one.target;
        cell.count = std::max(cell.count, one.weight);
        if (with_priors) priors_[at] = std::max(priors_[at], one.prior);
      }
  }

  int64_t size() const { return size_; }

  // The cells of one source word.
  struct Row {
    Cell *cells;
    int64_t begin, size;

    int64_t first(uint32_t target) const {
      return static_cast<int64_t>((static_cast<unsigned __int128>(mix(target)) * static_cast<uint64_t>(size)) >> 64);
    }
    void prefetch(uint32_t target) const { __builtin_prefetch(cells + begin + first(target)); }

    // Where the cell is, or would be. A third of the cells is empty, so there is an end.
    int64_t place(uint32_t target) const {
      int64_t at = first(target);
      while (!cells[begin + at].empty() && cells[begin + at].target != target)
        if (++at == size) at = 0;
      return begin + at;
    }
    int64_t find(uint32_t target) const {
      if (size == 0) return kNoCell;
      const int64_t at = place(target);
      return cells[at].empty() ? kNoCell : at;
    }
  };

  Row row(uint32_t source) { return {cells_.data(), begins_[source], begins_[source + 1] - begins_[source]}; }

  float count(int64_t cell) const { return cell == kNoCell ? 0 : cells_[cell].count; }
  void add(int64_t cell, double count) { add_units(next_[cell], to_units(count)); }

  // Calls fn(source, cell) for all cells that are not empty.
  template <typename Fn> void for_each(Fn fn) const {
    for (uint32_t f = 0; f + size_t{1} < begins_.size(); ++f)
      for (int64_t at = begins_[f]; at < begins_[f + 1]; ++at)
        if (!cells_[at].empty()) fn(f, cells_[at]);
  }

  // Makes the counts of the last pass, with the priors, the current ones, and adds them to the sums, which are in
  // units.
  void settle(std::vector<int64_t> &source_sums, std::vector<int64_t> &target_sums, int threads) {
    constexpr int64_t kWords = 256;
    const int64_t words = static_cast<int64_t>(begins_.size()) - 1;
    run_tasks(threads, (words + kWords - 1) / kWords, [&](int64_t task) {
      for (int64_t f = task * kWords; f < std::min(words, (task + 1) * kWords); ++f)
        for (int64_t at = begins_[f]; at < begins_[f + 1]; ++at) {
          Cell &cell = cells_[at];
          if (cell.empty()) continue;
          const int64_t units = next_[at] + (priors_.empty() ? 0 : to_units(static_cast<double>(priors_[at])));
          cell.count = static_cast<float>(static_cast<double>(units) / kCountUnit);
          next_[at] = 0;
          source_sums[f] += units;
          if (units > 0) add_units(target_sums[cell.target], units);
        }
    });
  }

private:
  std::vector<int64_t> begins_; // of the rows; the last one's end
  std::vector<Cell, LargePages<Cell>> cells_;
  std::vector<int64_t, LargePages<int64_t>> next_; // beside the cells: the counts that the current pass adds up
  std::vector<float> priors_;                      // beside the cells, if there are any
  int64_t size_ = 0;
};

} // namespace tartib
