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
  uint32_t source = kNone, target = kNone;
  float count = 0, prior = 0;
  int64_t next = 0; // the count that the current pass over the text adds up
  bool empty() const { return source == kNone; }
};

class Lexicon {
public:
  Lexicon() : cells_(1) {}

  // Of candidates that are named several times, the largest weight and the largest prior hold.
  void build(const std::vector<std::vector<Candidate>> &parts) {
    size_t named = 0;
    for (const auto &part : parts) named += part.size();
    cells_.assign(named + named / 2 + 1, Cell{});
    for (const auto &part : parts)
      for (const Candidate &one : part) {
        Cell &cell = cells_[place(one.source, one.target)];
        size_ += cell.empty();
        cell.source = one.source;
        cell.target = one.target;
        cell.count = std::max(cell.count, one.weight);
        cell.prior = std::max(cell.prior, one.prior);
      }
  }

  int64_t size() const { return size_; }
  std::vector<Cell> &cells() { return cells_; }
  const std::vector<Cell> &cells() const { return cells_; }

  void prefetch(uint32_t source, uint32_t target) const { __builtin_prefetch(&cells_[first(source, target)]); }

  Cell *find(uint32_t source, uint32_t target) {
    Cell &cell = cells_[place(source, target)];
    return cell.empty() ? nullptr : &cell;
  }

  // Makes the counts of the last pass, with the priors, the current ones, and adds them to the sums, which are in
  // units.
  void settle(std::vector<int64_t> &source_sums, std::vector<int64_t> &target_sums, int threads) {
    constexpr int64_t kChunk = 1 << 16;
    const int64_t count = static_cast<int64_t>(cells_.size());
    run_tasks(threads, (count + kChunk - 1) / kChunk, [&](int64_t task) {
      for (int64_t i = task * kChunk; i < std::min(count, (task + 1) * kChunk); ++i) {
        Cell &cell = cells_[i];
        if (cell.empty()) continue;
        const int64_t units = cell.next + to_units(static_cast<double>(cell.prior));
        cell.count = static_cast<float>(static_cast<double>(units) / kCountUnit);
        cell.next = 0;
        add_units(source_sums[cell.source], units);
        add_units(target_sums[cell.target], units);
      }
    });
  }

private:
  size_t first(uint32_t source, uint32_t target) const {
    const uint64_t h = mix(static_cast<uint64_t>(source) << 32 | target);
    return static_cast<size_t>((static_cast<unsigned __int128>(h) * cells_.size()) >> 64);
  }

  // Where the cell of two words is, or would be. A third of the cells is empty, so there is an end.
  size_t place(uint32_t source, uint32_t target) const {
    size_t at = first(source, target);
    while (!cells_[at].empty() && (cells_[at].source != source || cells_[at].target != target))
      if (++at == cells_.size()) at = 0;
    return at;
  }

  std::vector<Cell> cells_;
  int64_t size_ = 0;
};

} // namespace tartib
