// Sparse rows with labels, and equal ones made one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/hash.hpp"

namespace tartib {

// Where the entries of a row are.
struct RowRange {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

// Offsets may change at any time after they were checked, because they belong to Python or to a file mapped into
// memory. A range that reaches beyond the `entries` is empty.
inline RowRange row_range(const int64_t *indptr, int64_t row, int64_t entries) {
  const auto begin = static_cast<uint64_t>(indptr[row]), end = static_cast<uint64_t>(indptr[row + 1]);
  if (begin > end || end > static_cast<uint64_t>(entries)) return {0, 0};
  return {static_cast<int64_t>(begin), static_cast<int64_t>(end)};
}

// Rows in compressed form; no values means that all are 1.
struct SparseRows {
  const int64_t *indptr;
  const int32_t *indices;
  const float *values;
  const int32_t *labels;
  int64_t rows;
  int64_t entries;

  RowRange range(int64_t r) const { return row_range(indptr, r, entries); }
};

// Finds rows with the same columns, values and label: for each distinct one its first row and how much it weighs.
class RowCollapser {
public:
  explicit RowCollapser(const SparseRows &rows) : rows_(rows), slots_(1024, -1) {}

  void run(const double *weights, std::vector<int64_t> &first, std::vector<double> &total) {
    for (int64_t r = 0; r < rows_.rows; ++r) {
      if (2 * (first.size() + 1) > slots_.size()) grow(first);
      const int64_t distinct = static_cast<int64_t>(first.size());
      int64_t &slot = slots_[find(r, first)];
      if (slot < 0) {
        slot = distinct;
        first.push_back(r);
        total.push_back(0);
      }
      total[slot] += weights ? weights[r] : 1.0;
    }
  }

private:
  uint64_t hash(int64_t r) const {
    const RowRange range = rows_.range(r);
    uint64_t h = mix(static_cast<uint64_t>(rows_.labels[r]) << 32 | static_cast<uint64_t>(range.size()));
    for (int64_t k = range.begin; k < range.end; ++k)
      h = close_key(open_key(h), static_cast<uint64_t>(static_cast<uint32_t>(rows_.indices[k])));
    return mix(h);
  }
  bool equal(int64_t a, int64_t b) const {
    const RowRange of_a = rows_.range(a), of_b = rows_.range(b);
    if (rows_.labels[a] != rows_.labels[b] || of_a.size() != of_b.size()) return false;
    const auto same = [&](const auto *items) {
      return std::equal(items + of_a.begin, items + of_a.end, items + of_b.begin);
    };
    return same(rows_.indices) && (!rows_.values || same(rows_.values));
  }
  size_t find(int64_t r, const std::vector<int64_t> &first) const {
    const size_t mask = slots_.size() - 1;
    size_t at = hash(r) & mask;
    while (slots_[at] >= 0 && !equal(first[slots_[at]], r)) at = (at + 1) & mask;
    return at;
  }
  void grow(const std::vector<int64_t> &first) {
    slots_.assign(slots_.size() * 2, -1);
    for (size_t d = 0; d < first.size(); ++d) slots_[find(first[d], first)] = static_cast<int64_t>(d);
  }

  const SparseRows rows_;
  std::vector<int64_t> slots_;
};

} // namespace tartib
