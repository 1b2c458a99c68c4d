// Small integers for things that are compared often, and results that are asked for again, while a sentence lasts.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/hash.hpp"

namespace tartib {

// Numbers values in order of first appearance. A Key has hash() and ==.
template <typename Key> class Interner {
public:
  Interner() : slots_(64, -1) {}

  int64_t size() const { return static_cast<int64_t>(keys_.size()); }
  const Key &operator[](int32_t id) const { return keys_[id]; }
  Key &operator[](int32_t id) { return keys_[id]; }

  int32_t id(const Key &key) {
    size_t at = slot_of(key);
    if (slots_[at] >= 0) return slots_[at];
    if ((keys_.size() + 1) * 2 > slots_.size()) {
      grow();
      at = slot_of(key);
    }
    slots_[at] = static_cast<int32_t>(keys_.size());
    keys_.push_back(key);
    return slots_[at];
  }

private:
  size_t slot_of(const Key &key) const {
    const size_t mask = slots_.size() - 1;
    size_t at = key.hash() & mask;
    while (slots_[at] >= 0 && !(keys_[slots_[at]] == key)) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, -1);
    for (size_t id = 0; id < keys_.size(); ++id) slots_[slot_of(keys_[id])] = static_cast<int32_t>(id);
  }

  std::vector<Key> keys_;
  std::vector<int32_t> slots_;
};

// Values by two non-negative numbers below 2^31.
template <typename Value> class Memo {
public:
  Memo() : slots_(256) {}

  // The value of a pair, and whether it was there; a new one is for the caller to fill before the next call.
  std::pair<Value &, bool> at(int32_t a, int32_t b) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    const uint64_t key = (static_cast<uint64_t>(a) << 32 | static_cast<uint32_t>(b)) + 1;
    Slot &slot = slots_[slot_of(key)];
    if (slot.key == key) return {slot.value, true};
    slot.key = key;
    ++size_;
    return {slot.value, false};
  }

private:
  struct Slot {
    uint64_t key = 0;
    Value value;
  };
  size_t slot_of(uint64_t key) const {
    const size_t mask = slots_.size() - 1;
    size_t at = combine(0, key) & mask;
    while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (Slot &slot : old)
      if (slot.key != 0) slots_[slot_of(slot.key)] = slot;
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

} // namespace tartib
