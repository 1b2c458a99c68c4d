// Hashes that several topics share. Saved encoders, phrase tables and lexicalised models rest on the first three:
// changing one makes saved files useless.
#pragma once

#include <cstdint>

namespace tartib {

inline uint64_t mix(uint64_t h) {
  h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93ull;
  h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93ull;
  return h ^ (h >> 32);
}

// The key of a sequence and one more code after it, in two steps: the first is the same for every code that may follow.
// Zero marks an empty slot elsewhere, so it is never a key.
inline uint64_t open_key(uint64_t sequence) {
  const uint64_t h = (sequence + 0x9E3779B97F4A7C15ull) * 0x9FB21C651E98DF25ull;
  return h ^ (h >> 35);
}
inline uint64_t close_key(uint64_t opened, uint64_t code_hash) {
  const uint64_t h = (opened + code_hash) * 0xD6E8FEB86659FD93ull;
  return (h ^ (h >> 32)) | (h == 0);
}

// For tables in memory: fast, and good enough in the low bits.
inline uint64_t combine(uint64_t h, uint64_t value) {
  h = (h ^ value) * 0x9E3779B97F4A7C15ull;
  return h ^ (h >> 32);
}

} // namespace tartib
