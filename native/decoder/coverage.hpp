// Which source words of a sentence are translated.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/hash.hpp"

namespace tartib {

constexpr int kMaxDecodedWords = 256; // longer sentences are cut before they come here

// Source words [start, end).
struct Span {
  int32_t start, end;
  int32_t length() const { return end - start; }
  bool operator==(const Span &) const = default;
};
constexpr Span kBeforeSentence{-1, 0};

class Coverage {
public:
  bool operator==(const Coverage &) const = default;
  uint64_t hash() const {
    uint64_t h = 0;
    for (const uint64_t part : bits_) h = combine(h, part);
    return h;
  }
  bool test(int32_t i) const { return i >= 0 && i < kMaxDecodedWords && (bits_[i / 64] >> (i % 64) & 1); }
  bool overlaps(Span span) const {
    for (int32_t i = span.start; i < span.end; ++i)
      if (test(i)) return true;
    return false;
  }
  Coverage with(Span span) const {
    Coverage result = *this;
    for (int32_t i = span.start; i < span.end; ++i) result.bits_[i / 64] |= uint64_t{1} << (i % 64);
    return result;
  }
  // The first word at or after `from` that is not covered; up to kMaxDecodedWords.
  int32_t next_gap(int32_t from) const {
    for (int32_t part = from / 64; part < kParts; ++part) {
      const uint64_t below = part == from / 64 ? (uint64_t{1} << (from % 64)) - 1 : 0;
      if (const uint64_t open = ~(bits_[part] | below)) return part * 64 + std::countr_zero(open);
    }
    return kMaxDecodedWords;
  }
  // The first word at or after `from` that is covered; up to kMaxDecodedWords.
  int32_t next_covered(int32_t from) const {
    for (int32_t part = from / 64; part < kParts; ++part) {
      const uint64_t below = part == from / 64 ? (uint64_t{1} << (from % 64)) - 1 : 0;
      if (const uint64_t found = bits_[part] & ~below) return part * 64 + std::countr_zero(found);
    }
    return kMaxDecodedWords;
  }

private:
  static constexpr int kParts = kMaxDecodedWords / 64;
  std::array<uint64_t, kParts> bits_{};
};

} // namespace tartib
