// Words <-> int32 ids, numbered in order of first appearance.
//
// An open-addressing table of (hash tag, id) beside one arena of bytes: 16 bytes and its own letters a word,
// so a million words need about 30 MB. Readers share the lock, interning takes it alone.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <shared_mutex>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace tartib {

class Vocabulary {
public:
  Vocabulary() : slots_(1024) {}

  std::shared_mutex &mutex() const { return mutex_; }

  int64_t size() const { return static_cast<int64_t>(ends_.size()); }

  std::string_view word(int32_t id) const {
    const int64_t begin = id == 0 ? 0 : ends_[id - 1];
    return {bytes_.data() + begin, static_cast<size_t>(ends_[id] - begin)};
  }

  // The id of a known word, -1 for any other.
  int32_t find(std::string_view word) const { return slots_[slot_of(word, hash(word))].id; }

  int32_t intern(std::string_view word) {
    const uint64_t h = hash(word);
    Slot &slot = slots_[slot_of(word, h)];
    if (slot.id >= 0) return slot.id;
    if (size() == std::numeric_limits<int32_t>::max())
      throw std::length_error("a vocabulary holds at most 2^31-1 words");
    const int32_t id = static_cast<int32_t>(size());
    bytes_.insert(bytes_.end(), word.begin(), word.end());
    ends_.push_back(static_cast<int64_t>(bytes_.size()));
    slot = {tag(h), id};
    if (static_cast<size_t>(size()) * 2 > slots_.size()) grow();
    return id;
  }

  // Eight bytes at a time, multiply and fold; the tail is padded with zeros and told apart by the length. Saved models
  // rest on it (see reordering/lexicalised.hpp).
  static uint64_t hash(std::string_view word) {
    uint64_t h = word.size() * 0x9E3779B97F4A7C15ull;
    const char *p = word.data();
    size_t left = word.size();
    for (; left >= 8; left -= 8, p += 8) h = fold(h, load(p, 8));
    if (left > 0) h = fold(h, load(p, left));
    return h ^ (h >> 29);
  }

private:
  struct Slot {
    uint32_t tag = 0;
    int32_t id = -1;
  };

  static uint64_t load(const char *p, size_t n) {
    uint64_t value = 0;
    std::memcpy(&value, p, n);
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
    return value;
  }
  static uint64_t fold(uint64_t h, uint64_t value) {
    h = (h ^ value) * 0xD6E8FEB86659FD93ull;
    return h ^ (h >> 32);
  }
  static uint32_t tag(uint64_t h) { return static_cast<uint32_t>(h >> 32); }

  // Where the word is, or the empty slot where it would go.
  size_t slot_of(std::string_view word, uint64_t h) const {
    const size_t mask = slots_.size() - 1;
    for (size_t at = h & mask;; at = (at + 1) & mask) {
      const Slot &slot = slots_[at];
      if (slot.id < 0 || (slot.tag == tag(h) && this->word(slot.id) == word)) return at;
    }
  }

  void grow() {
    slots_.assign(slots_.size() * 2, Slot{});
    for (int32_t id = 0; id < size(); ++id) {
      const uint64_t h = hash(word(id));
      slots_[slot_of(word(id), h)] = {tag(h), id};
    }
  }

  mutable std::shared_mutex mutex_;
  std::vector<char> bytes_;
  std::vector<int64_t> ends_;
  std::vector<Slot> slots_;
};

} // namespace tartib
