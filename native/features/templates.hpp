// Sparse features of phrase pairs: base features by template, their conjunctions by ANOVA mapping (SVM paper
// section 6.2, Tables 2 and 3; MLR paper section 4, Table 1).
//
// A base feature is an exact 64-bit code: what it is (8 bits), a source word (28 bits) and a target word (28 bits).
//
//   all words    f:w, e:w for every word of the two phrases
//   boundaries   the first and last word of each; told apart by role on request
//   alignments   f:w & e:v for every link inside the pair
//   context      the source words around the phrase, told apart by side and distance; on request the sentence's edge
//                is a word of its own (in MLR Table 1 there is nothing beyond it)
//
// The codes of a pair are sorted and made unique. ANOVA of degree d then yields all C(n, d) subsets, each once; a
// subset is keyed by a 64-bit hash of its codes in order, so equal subsets have equal keys whatever pair they come
// from. With 200 million distinct subsets the chance that any two of them share a key is about one in a thousand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/hash.hpp"
#include "phrases/phrases.hpp"

namespace tartib {

constexpr int kMaxDegree = 4;
constexpr int kMaxContext = 32;
constexpr size_t kMaxRowKeys = size_t{1} << 20; // a long phrase in a high degree would fill any memory
constexpr int kWordBits = 28;
constexpr int32_t kMaxWord = (1 << kWordBits) - 2;

enum class PhraseTemplate : int { all_words, boundaries, alignments };

// The kinds of base features; a context word's kind adds its distance.
enum FeatureKind : uint64_t {
  kSourceWord = 1,
  kTargetWord,
  kSourceFirst,
  kSourceLast,
  kTargetFirst,
  kTargetLast,
  kLink,
  kLeftContext = 64,   // + distance
  kRightContext = 128, // + distance
};

// A phrase pair where it stands.
struct Occurrence {
  const int32_t *source; // the whole source sentence
  int source_words;
  int start, length;     // the source phrase in it
  const int32_t *target; // the target phrase alone
  int target_length;
  const Link *links; // inside the pair
  int64_t link_count;
  int link_source; // where in the sentence the links' source positions count from
  int link_target; // where in the target phrase's sentence their target positions do
};

class FeatureTemplates {
public:
  // An id is looked up in the map of its side and use; an empty map leaves it as it is. Ids below 0 are unknown words,
  // which no feature can contain.
  FeatureTemplates(PhraseTemplate phrase, int context, bool roles, bool edges, std::vector<int> degrees,
                   std::vector<int32_t> source_map, std::vector<int32_t> target_map, std::vector<int32_t> context_map)
      : phrase_(phrase), context_(context), roles_(roles), edges_(edges), degrees_(std::move(degrees)),
        source_map_(std::move(source_map)), target_map_(std::move(target_map)), context_map_(std::move(context_map)) {}

  // Appends the base codes of a pair, sorted, each once.
  void base_codes(const Occurrence &pair, std::vector<uint64_t> &codes) const {
    const auto before = static_cast<std::ptrdiff_t>(codes.size());
    switch (phrase_) {
    case PhraseTemplate::all_words:
      for (int i = 0; i < pair.length; ++i) add(codes, kSourceWord, source_map_, pair.source[pair.start + i]);
      for (int j = 0; j < pair.target_length; ++j) add(codes, kTargetWord, target_map_, pair.target[j]);
      break;
    case PhraseTemplate::boundaries:
      add(codes, roles_ ? kSourceFirst : kSourceWord, source_map_, pair.source[pair.start]);
      add(codes, roles_ ? kSourceLast : kSourceWord, source_map_, pair.source[pair.start + pair.length - 1]);
      add(codes, roles_ ? kTargetFirst : kTargetWord, target_map_, pair.target[0]);
      add(codes, roles_ ? kTargetLast : kTargetWord, target_map_, pair.target[pair.target_length - 1]);
      break;
    case PhraseTemplate::alignments:
      for (int64_t l = 0; l < pair.link_count; ++l) add_link(codes, pair, pair.links[l]);
      break;
    }
    add_context(codes, pair);
    std::sort(codes.begin() + before, codes.end());
    codes.erase(std::unique(codes.begin() + before, codes.end()), codes.end());
  }

  // Appends the keys of all subsets of the wanted degrees, degree by degree, in the order of the codes.
  void keys(const uint64_t *codes, size_t size, std::vector<uint64_t> &hashes, std::vector<uint64_t> &keys) const {
    hashes.resize(size);
    for (size_t i = 0; i < size; ++i) hashes[i] = mix(codes[i]);
    const size_t before = keys.size();
    size_t count = 0;
    for (const int degree : degrees_) count = std::min(count + combinations(size, degree), kMaxRowKeys + 1);
    if (count > kMaxRowKeys)
      throw std::length_error("a phrase pair has too many conjunctions: lower the degree, the context or the length");
    keys.resize(before + count);
    uint64_t *out = keys.data() + before;
    for (const int degree : degrees_) out = subsets(hashes.data(), hashes.data() + hashes.size(), degree, 0, out);
  }

  // The codes of the subset that stands at `position` among a row's keys.
  std::vector<uint64_t> subset_at(const uint64_t *codes_begin, const uint64_t *codes_end, size_t position) const {
    const std::vector<uint64_t> codes(codes_begin, codes_end);
    std::vector<uint64_t> subset;
    for (const int degree : degrees_)
      if (find_subset(codes, 0, degree, position, subset)) return subset;
    throw std::logic_error("no subset at this position");
  }

  int highest_degree() const { return degrees_.empty() ? 0 : *std::max_element(degrees_.begin(), degrees_.end()); }

private:
  static uint64_t code(uint64_t kind, uint64_t source, uint64_t target) {
    return kind << 2 * kWordBits | source << kWordBits | target;
  }
  // Words count from 1 in a code, so that 0 can stand for no word, or for the edge.
  static int64_t mapped(const std::vector<int32_t> &map, int32_t word) {
    if (word < 0) return 0;
    if (map.empty()) return static_cast<int64_t>(word) + 1;
    return word < static_cast<int64_t>(map.size()) ? static_cast<int64_t>(map[word]) + 1 : 0;
  }
  static void add(std::vector<uint64_t> &codes, uint64_t kind, const std::vector<int32_t> &map, int32_t word) {
    const int64_t id = mapped(map, word);
    if (id <= 0) return;
    const bool is_target = kind == kTargetWord || kind == kTargetFirst || kind == kTargetLast;
    codes.push_back(is_target ? code(kind, 0, id) : code(kind, id, 0));
  }
  void add_link(std::vector<uint64_t> &codes, const Occurrence &pair, Link link) const {
    const int64_t f = mapped(source_map_, pair.source[pair.link_source + link.source]);
    const int64_t e = mapped(target_map_, pair.target[link.target - pair.link_target]);
    if (f > 0 && e > 0) codes.push_back(code(kLink, f, e));
  }
  void add_context(std::vector<uint64_t> &codes, const Occurrence &pair) const {
    for (int d = 1; d <= context_; ++d) {
      const int left = pair.start - d, right = pair.start + pair.length - 1 + d;
      if (left >= 0) add(codes, kLeftContext + d, context_map_, pair.source[left]);
      if (edges_ && left == -1) codes.push_back(code(kLeftContext + d, 0, 0));
      if (right < pair.source_words) add(codes, kRightContext + d, context_map_, pair.source[right]);
      if (edges_ && right == pair.source_words) codes.push_back(code(kRightContext + d, 0, 0));
    }
  }

  static size_t combinations(size_t n, int degree) {
    size_t ways = 1;
    for (int d = 0; d < degree; ++d) ways = n < static_cast<size_t>(d) ? 0 : ways * (n - d) / (d + 1);
    return ways;
  }
  static uint64_t *subsets(const uint64_t *hash, const uint64_t *end, int degree, uint64_t key, uint64_t *out) {
    const uint64_t opened = open_key(key);
    if (degree == 1) {
      for (; hash != end; ++hash) *out++ = close_key(opened, *hash);
      return out;
    }
    for (; hash != end; ++hash) out = subsets(hash + 1, end, degree - 1, close_key(opened, *hash), out);
    return out;
  }
  static bool find_subset(const std::vector<uint64_t> &codes, size_t from, int degree, size_t &position,
                          std::vector<uint64_t> &subset) {
    for (size_t i = from; i < codes.size(); ++i) {
      const size_t beginning_here = combinations(codes.size() - i - 1, degree - 1);
      if (position >= beginning_here) {
        position -= beginning_here;
        continue;
      }
      subset.push_back(codes[i]);
      return degree == 1 || find_subset(codes, i + 1, degree - 1, position, subset);
    }
    return false;
  }

  const PhraseTemplate phrase_;
  const int context_;
  const bool roles_, edges_;
  const std::vector<int> degrees_;
  const std::vector<int32_t> source_map_, target_map_, context_map_;
};

// The features of some hundred keys' worth of phrase pairs: enough for the memory to answer many questions at once.
struct RowBatch {
  std::vector<uint64_t> keys, codes;
  std::vector<size_t> key_ends, code_ends; // one entry a row

  void clear() {
    keys.clear();
    codes.clear();
    key_ends.clear();
    code_ends.clear();
  }
};

// Collects rows and calls visit(batch) whenever there are enough of them, and for the rest when it goes.
template <typename Visit> class RowBatcher {
public:
  RowBatcher(const FeatureTemplates &templates, Visit visit) : templates_(templates), visit_(visit) {}

  void add(const Occurrence &pair) {
    const size_t before = batch_.codes.size();
    templates_.base_codes(pair, batch_.codes);
    templates_.keys(batch_.codes.data() + before, batch_.codes.size() - before, hashes_, batch_.keys);
    batch_.key_ends.push_back(batch_.keys.size());
    batch_.code_ends.push_back(batch_.codes.size());
    if (batch_.keys.size() >= kBatchKeys) flush();
  }
  void flush() {
    visit_(static_cast<const RowBatch &>(batch_));
    batch_.clear();
  }

private:
  static constexpr size_t kBatchKeys = 512;

  const FeatureTemplates &templates_;
  Visit visit_;
  std::vector<uint64_t> hashes_;
  RowBatch batch_;
};

template <typename Visit> void for_each_occurrence(const PhraseBlock &block, Visit visit) {
  LinksByTarget links;
  for (int64_t s = 0; s < block.sentences; ++s) {
    if (block.pair_offsets[s] == block.pair_offsets[s + 1]) continue;
    links.sort(block, s);
    for (int64_t p = block.pair_offsets[s]; p < block.pair_offsets[s + 1]; ++p) {
      const PhrasePair &pair = block.pairs[p];
      const Link *first = links.begin(pair.target_start), *last = links.end(pair.target_start, pair.target_length);
      visit(Occurrence{block.source_ids + block.source_offsets[s], block.source_words(s), pair.source_start,
                       pair.source_length, block.target_ids + block.target_offsets[s] + pair.target_start,
                       pair.target_length, first, last - first, 0, pair.target_start});
    }
  }
}

} // namespace tartib
