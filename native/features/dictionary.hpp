// Which features occur often enough, found in memory that does not grow with the number of distinct ones; and their
// numbers.
//
// Two passes over the training pairs. The first adds every occurrence to one of 2^b saturating 8-bit counters, chosen
// by the key's hash: a counter is never below the true count of any key it stands for. The second counts exactly, in a
// hash table, only the keys whose counter went above the cut-off: those that will be kept, and the few that share a
// counter with others. (At the papers' scale: hundreds of millions of distinct conjunctions, but 2^30 bytes of counters
// and a table of the few millions that are frequent.) Threads count parts of the pairs and add up what they found, so
// the result does not depend on their number.
//
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

#include "features/templates.hpp"

namespace tartib {

// Open addressing by 64-bit keys; they are hashes already, so their low bits choose the slot.
class KeyTable {
public:
  struct Slot {
    uint64_t key = 0;
    int32_t value = -1;
    uint32_t count = 0;
  };

  explicit KeyTable(size_t expected = 0) { rebuild(expected); }

  size_t size() const { return size_; }
  void prefetch(uint64_t key) const { __builtin_prefetch(&slots_[key & mask_]); }

  // The value of a key, or -1.
  int32_t find(uint64_t key) const {
    for (size_t at = key & mask_;; at = (at + 1) & mask_) {
      if (slots_[at].key == key) return slots_[at].value;
      if (slots_[at].key == 0) return -1;
    }
  }
  // The slot of a key, with `value` if it is new; it holds until the next insertion.
  Slot &insert(uint64_t key, int32_t value) {
    if ((size_ + 1) * 2 > slots_.size()) rebuild(size_ * 2 + 2);
    for (size_t at = key & mask_;; at = (at + 1) & mask_) {
      if (slots_[at].key == key) return slots_[at];
      if (slots_[at].key != 0) continue;
      slots_[at] = {key, value, 0};
      ++size_;
      return slots_[at];
    }
  }
  template <typename Visit> void for_each(Visit visit) const {
    for (const Slot &slot : slots_)
      if (slot.key != 0) visit(slot);
  }

private:
  void rebuild(size_t expected) {
    size_t capacity = 16;
    while (capacity < 2 * expected) capacity *= 2;
    std::vector<Slot> old(capacity);
    old.swap(slots_);
    mask_ = capacity - 1;
    for (const Slot &slot : old) {
      if (slot.key == 0) continue;
      size_t at = slot.key & mask_;
      while (slots_[at].key != 0) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0, size_ = 0;
};

constexpr int kMaxHashBits = 31;

// From keys to column numbers: by a dictionary, which drops what it does not know, or by hashing, which keeps
// everything.
class FeatureIndex {
public:
  explicit FeatureIndex(const std::vector<uint64_t> &keys) : table_(keys.size()) {
    for (size_t i = 0; i < keys.size(); ++i)
      if (table_.insert(keys[i], static_cast<int32_t>(i)).value != static_cast<int32_t>(i))
        throw std::invalid_argument("a key occurs twice");
  }
  explicit FeatureIndex(int bits) : bits_(bits) {}

  int64_t columns() const { return bits_ > 0 ? int64_t{1} << bits_ : static_cast<int64_t>(table_.size()); }

  // Appends the columns of rows, in the order of their keys; of keys hashed to one column only the first counts.
  void append(const RowBatch &batch, std::vector<int64_t> &offsets, std::vector<int32_t> &columns) const {
    if (bits_ == 0)
      for (const uint64_t key : batch.keys) table_.prefetch(key);
    size_t k = 0;
    for (const size_t end : batch.key_ends) {
      if (bits_ > 0) append_hashed(batch.keys.data() + k, end - k, columns);
      for (; bits_ == 0 && k < end; ++k)
        if (const int32_t column = table_.find(batch.keys[k]); column >= 0) columns.push_back(column);
      k = end;
      offsets.push_back(static_cast<int64_t>(columns.size()));
    }
  }

private:
  // A small bitmap tells most rows to be free of collisions; only the others are looked at column by column.
  void append_hashed(const uint64_t *keys, size_t count, std::vector<int32_t> &columns) const {
    uint64_t seen[kBitmapWords] = {};
    bool collided = false;
    const size_t begin = columns.size();
    columns.resize(begin + count);
    for (size_t k = 0; k < count; ++k) {
      const uint32_t column = static_cast<uint32_t>(keys[k] >> (64 - bits_));
      uint64_t &word = seen[column / 64 % kBitmapWords];
      collided |= word >> (column % 64) & 1;
      word |= uint64_t{1} << (column % 64);
      columns[begin + k] = static_cast<int32_t>(column);
    }
    if (!collided) return;
    if (count > kBitmapWords) { // many columns: sorting is faster than looking at each
      std::sort(columns.begin() + static_cast<std::ptrdiff_t>(begin), columns.end());
      columns.erase(std::unique(columns.begin() + static_cast<std::ptrdiff_t>(begin), columns.end()), columns.end());
      return;
    }
    auto kept = columns.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto first = kept;
    for (auto it = first; it != columns.end(); ++it)
      if (std::find(first, kept, *it) == kept) *kept++ = *it;
    columns.erase(kept, columns.end());
  }
  static constexpr size_t kBitmapWords = 32;

  KeyTable table_;
  int bits_ = 0;
};

// First pass. A counter saturates at 255, so that adding up the sketches of several threads gives what one would have.
class FeatureSketch {
public:
  explicit FeatureSketch(int bits) : counters_(size_t{1} << bits) {}

  std::shared_mutex &mutex() const { return mutex_; }

  void add(const std::vector<uint64_t> &keys) {
    for (const uint64_t key : keys) __builtin_prefetch(&counters_[place(key)], 1);
    for (const uint64_t key : keys) {
      uint8_t &counter = counters_[place(key)];
      counter = static_cast<uint8_t>(counter + (counter < 255));
    }
  }
  void merge(const FeatureSketch &other) {
    if (other.counters_.size() != counters_.size()) throw std::invalid_argument("sketches differ in size");
    for (size_t i = 0; i < counters_.size(); ++i)
      counters_[i] = static_cast<uint8_t>(std::min(counters_[i] + other.counters_[i], 255));
  }
  void prefetch(uint64_t key) const { __builtin_prefetch(&counters_[place(key)]); }
  // Never below the key's true count, unless that is above 255.
  int at_most(uint64_t key) const { return counters_[place(key)]; }

private:
  size_t place(uint64_t key) const { return key & (counters_.size() - 1); }

  mutable std::shared_mutex mutex_;
  std::vector<uint8_t> counters_;
};

// Second pass.
class FeatureCounter {
public:
  // `width` is the most base features that one feature joins.
  FeatureCounter(std::shared_ptr<const FeatureSketch> sketch, int64_t cutoff, int width)
      : sketch_(std::move(sketch)), cutoff_(cutoff), limit_(static_cast<int>(std::min<int64_t>(cutoff, 254))),
        width_(width) {}

  std::shared_mutex &mutex() const { return mutex_; }
  const FeatureSketch &sketch() const { return *sketch_; }

  void add(const RowBatch &batch, const FeatureTemplates &templates) {
    if (templates.highest_degree() > width_) throw std::invalid_argument("the counter is too narrow");
    for (const uint64_t key : batch.keys) sketch_->prefetch(key);
    frequent_.clear();
    for (size_t k = 0; k < batch.keys.size(); ++k) {
      if (sketch_->at_most(batch.keys[k]) <= limit_) continue;
      table_.prefetch(batch.keys[k]);
      frequent_.push_back(k);
    }
    for (const size_t k : frequent_) {
      KeyTable::Slot &slot = entry(batch.keys[k]);
      if (slot.count++ == 0) put_codes(subset_of(batch, k, templates));
    }
  }

  void merge(const FeatureCounter &other) {
    if (&other == this || other.width_ != width_) throw std::invalid_argument("these counters cannot be added up");
    other.table_.for_each([&](const KeyTable::Slot &theirs) {
      KeyTable::Slot &ours = entry(theirs.key);
      const auto from = other.codes_.begin() + int64_t{theirs.value} * width_;
      if (ours.count == 0) put_codes({from, from + width_});
      ours.count += theirs.count;
    });
  }

  // What is above the cut-off: key, count and, `width` numbers a feature, its base codes (0 where there are fewer).
  void finish(std::vector<uint64_t> &keys, std::vector<int64_t> &counts, std::vector<uint64_t> &codes) const {
    table_.for_each([&](const KeyTable::Slot &slot) {
      if (slot.count <= cutoff_) return;
      keys.push_back(slot.key);
      counts.push_back(slot.count);
      const auto from = codes_.begin() + int64_t{slot.value} * width_;
      codes.insert(codes.end(), from, from + width_);
    });
  }

private:
  static std::vector<uint64_t> subset_of(const RowBatch &batch, size_t k, const FeatureTemplates &templates) {
    const auto ends = batch.key_ends.begin();
    const size_t row = static_cast<size_t>(std::upper_bound(ends, batch.key_ends.end(), k) - ends);
    const size_t first_key = row == 0 ? 0 : batch.key_ends[row - 1];
    const size_t first_code = row == 0 ? 0 : batch.code_ends[row - 1];
    return templates.subset_at(batch.codes.data() + first_code, batch.code_ends[row] - first_code, k - first_key);
  }
  KeyTable::Slot &entry(uint64_t key) {
    if (table_.size() == static_cast<size_t>(std::numeric_limits<int32_t>::max()))
      throw std::length_error("more than 2^31-1 features occur often enough: raise the cut-off");
    return table_.insert(key, static_cast<int32_t>(table_.size()));
  }
  void put_codes(const std::vector<uint64_t> &subset) {
    codes_.insert(codes_.end(), subset.begin(), subset.end());
    codes_.resize(table_.size() * static_cast<size_t>(width_));
  }

  mutable std::shared_mutex mutex_;
  const std::shared_ptr<const FeatureSketch> sketch_;
  const int64_t cutoff_;
  const int limit_, width_;
  KeyTable table_;
  std::vector<uint64_t> codes_;
  std::vector<size_t> frequent_;
};

} // namespace tartib
