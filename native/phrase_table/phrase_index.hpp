// The distinct phrases of one side of a store of phrase pairs.
//
// Pairs are dealt into buckets by a hash of the phrase, in their order; each bucket is one thread's, which compares
// what the hash finds word by word. So phrases get the same numbers on any number of threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "phrase_table/table.hpp"
#include "phrase_table/text_order.hpp"
#include "phrases/phrases.hpp"

namespace tartib {

enum class PhraseSide { source, target };

class PhraseIndex {
public:
  PhraseIndex(const PhraseBlock &block, PhraseSide side, int threads)
      : ids_(side == PhraseSide::source ? block.source_ids : block.target_ids),
        of_pair_(static_cast<size_t>(block.pair_offsets[block.sentences] - block.pair_offsets[0])) {
    std::vector<Item> items = deal(block, side, threads);
    std::vector<std::vector<Place>> found(kBuckets);
    run_tasks(threads, kBuckets, [&](int64_t b) { found[b] = number(items, b); });
    std::vector<int64_t> base(kBuckets);
    for (int64_t b = 0; b < kBuckets; ++b) {
      base[b] = static_cast<int64_t>(places_.size());
      places_.insert(places_.end(), found[b].begin(), found[b].end());
    }
    run_tasks(threads, kBuckets, [&](int64_t b) {
      for (int64_t i = bucket_begin_[b]; i < bucket_begin_[b + 1]; ++i) of_pair_[items[i].pair] += base[b];
    });
  }

  int64_t size() const { return static_cast<int64_t>(places_.size()); }
  Words words(int64_t phrase) const { return words(places_[phrase]); }
  // The phrase of each pair, until that is not needed any more.
  const std::vector<int64_t> &of_pair() const { return of_pair_; }
  void forget_pairs() { of_pair_ = {}; }

  // Numbers the phrases anew, in the order of their texts.
  void sort(const TextOrder &order, int threads) {
    std::vector<int64_t> sorted(places_.size()), rank(places_.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    const auto less = [&](int64_t a, int64_t b) { return order.less(words(a), words(b)); };
    sort_in_parts(sorted, threads, less);
    std::vector<Place> places(places_.size());
    for (size_t r = 0; r < sorted.size(); ++r) {
      places[r] = places_[sorted[r]];
      rank[sorted[r]] = static_cast<int64_t>(r);
    }
    places_ = std::move(places);
    for (int64_t &phrase : of_pair_) phrase = rank[phrase];
  }

private:
  static constexpr int64_t kBuckets = 256;
  static constexpr int64_t kChunks = 64;

  struct Place { // in the ids of the corpus
    int64_t begin;
    int32_t length;
  };
  struct Item {
    uint64_t hash;
    int64_t pair, begin;
    int32_t length;
  };

  Words words(const Place &place) const { return {ids_ + place.begin, static_cast<size_t>(place.length)}; }
  static int64_t bucket(uint64_t hash) { return static_cast<int64_t>(hash >> 56); }

  template <typename Visit>
  void for_each_pair(const PhraseBlock &block, PhraseSide side, int64_t chunk, Visit visit) const {
    const int64_t *offsets = side == PhraseSide::source ? block.source_offsets : block.target_offsets;
    for (int64_t s = block.sentences * chunk / kChunks; s < block.sentences * (chunk + 1) / kChunks; ++s)
      for (int64_t p = block.pair_offsets[s]; p < block.pair_offsets[s + 1]; ++p) {
        const PhrasePair &pair = block.pairs[p];
        const bool source = side == PhraseSide::source;
        const Place place{offsets[s] + (source ? pair.source_start : pair.target_start),
                          source ? pair.source_length : pair.target_length};
        visit(Item{words_hash(words(place)), p - block.pair_offsets[0], place.begin, place.length});
      }
  }

  // All pairs, bucket by bucket.
  std::vector<Item> deal(const PhraseBlock &block, PhraseSide side, int threads) {
    std::vector<std::vector<int64_t>> next(kChunks, std::vector<int64_t>(kBuckets));
    run_tasks(threads, kChunks, [&](int64_t chunk) {
      for_each_pair(block, side, chunk, [&](const Item &item) { ++next[chunk][bucket(item.hash)]; });
    });
    int64_t total = 0;
    for (int64_t b = 0; b < kBuckets; ++b) {
      bucket_begin_[b] = total;
      for (auto &of_chunk : next) total += std::exchange(of_chunk[b], total);
    }
    bucket_begin_[kBuckets] = total;
    std::vector<Item> items(static_cast<size_t>(total));
    run_tasks(threads, kChunks, [&](int64_t chunk) {
      for_each_pair(block, side, chunk, [&](const Item &item) { items[next[chunk][bucket(item.hash)]++] = item; });
    });
    return items;
  }

  // Numbers the phrases of a bucket from 0.
  std::vector<Place> number(const std::vector<Item> &items, int64_t b) {
    struct Slot {
      uint64_t hash;
      int64_t phrase;
    };
    const size_t mask = std::bit_ceil(static_cast<size_t>(bucket_begin_[b + 1] - bucket_begin_[b]) * 2 + 1) - 1;
    std::vector<Slot> slots(mask + 1, Slot{0, -1});
    std::vector<Place> found;
    for (int64_t i = bucket_begin_[b]; i < bucket_begin_[b + 1]; ++i) {
      const Item &item = items[i];
      const Place place{item.begin, item.length};
      size_t at = item.hash & mask;
      while (slots[at].phrase >= 0 &&
             (slots[at].hash != item.hash || !std::ranges::equal(words(found[slots[at].phrase]), words(place))))
        at = (at + 1) & mask;
      if (slots[at].phrase < 0) {
        slots[at] = {item.hash, static_cast<int64_t>(found.size())};
        found.push_back(place);
      }
      of_pair_[item.pair] = slots[at].phrase;
    }
    return found;
  }

  template <typename Less> static void sort_in_parts(std::vector<int64_t> &values, int threads, Less less) {
    const int64_t size = static_cast<int64_t>(values.size());
    const int64_t parts = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(threads)));
    const auto at = [&](int64_t part) { return values.begin() + size / parts * part + size % parts * part / parts; };
    run_tasks(threads, parts, [&](int64_t part) { std::sort(at(part), at(part + 1), less); });
    for (int64_t width = 1; width < parts; width *= 2)
      run_tasks(threads, parts / (2 * width), [&](int64_t i) {
        std::inplace_merge(at(2 * i * width), at((2 * i + 1) * width), at(2 * (i + 1) * width), less);
      });
  }

  const int32_t *ids_;
  std::vector<int64_t> of_pair_;
  std::vector<Place> places_;
  int64_t bucket_begin_[kBuckets + 1] = {};
};

} // namespace tartib
