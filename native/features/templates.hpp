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
// On request each of these exists a second time, with the words' classes in place of the words.
//
// The codes of a pair are sorted and made unique, first those of words, then those of classes, which are not joined
// with each other. ANOVA of degree d then yields all C(n, d) subsets of either, each once; a subset is keyed by a
// 64-bit hash of its codes in order, so equal subsets have equal keys whatever pair they come from. With 200 million
// distinct subsets the chance that any two of them share a key is about one in a thousand.
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
  kOfClasses = 32,     // + the kind of the same feature of words
};

inline bool is_of_class(uint64_t code) {
  return ((code >> 2 * kWordBits) - 1) & kOfClasses; // distances count from 1
}

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

// What stands for the words of a text in features, by side and use: ids of words or of factors, or numbers of classes,
// from 0. An empty map leaves ids as they are. Ids below 0 are unknown words, which no feature can contain.
struct WordMaps {
  std::vector<int32_t> source, target, context;
};

class FeatureTemplates {
public:
  // There are no features of classes if their maps are empty.
  FeatureTemplates(PhraseTemplate phrase, int context, bool roles, bool edges, std::vector<int> degrees, WordMaps words,
                   WordMaps classes)
      : phrase_(phrase), context_(context), roles_(roles), edges_(edges), degrees_(std::move(degrees)),
        words_(std::move(words)), classes_(std::move(classes)) {}

  // Appends the base codes of a pair, sorted, each once; those of classes come last.
  void base_codes(const Occurrence &pair, std::vector<uint64_t> &codes) const {
    add_codes(pair, words_, 0, codes);
    if (!classes_.source.empty()) add_codes(pair, classes_, kOfClasses, codes);
  }

  // Appends the keys of all subsets of the wanted degrees, degree by degree, in the order of the codes: of words, and
  // then of classes.
  void keys(const uint64_t *codes, size_t size, std::vector<uint64_t> &hashes, std::vector<uint64_t> &keys) const {
    hashes.resize(size);
    for (size_t i = 0; i < size; ++i) hashes[i] = mix(codes[i]);
    const size_t before = keys.size();
    size_t count = 0;
    for_each_part(codes, size, [&](size_t begin, size_t end, int degree) {
      count = std::min(count + combinations(end - begin, degree), kMaxRowKeys + 1);
      return true;
    });
    if (count > kMaxRowKeys)
      throw std::length_error("a phrase pair has too many conjunctions: lower the degree, the context or the length");
    keys.resize(before + count);
    uint64_t *out = keys.data() + before;
    for_each_part(codes, size, [&](size_t begin, size_t end, int degree) {
      out = subsets(hashes.data() + begin, hashes.data() + end, degree, 0, out);
      return true;
    });
  }

  // The codes of the subset that stands at `position` among a row's keys.
  std::vector<uint64_t> subset_at(const uint64_t *codes, size_t size, size_t position) const {
    std::vector<uint64_t> subset;
    for_each_part(codes, size, [&](size_t begin, size_t end, int degree) {
      return !find_subset({codes + begin, codes + end}, 0, degree, position, subset);
    });
    if (subset.empty()) throw std::logic_error("no subset at this position");
    return subset;
  }

  int highest_degree() const { return degrees_.empty() ? 0 : *std::max_element(degrees_.begin(), degrees_.end()); }

private:
  // Calls visit(begin, end, degree) for the codes that are joined with each other, until it returns false.
  template <typename Visit> void for_each_part(const uint64_t *codes, size_t size, Visit visit) const {
    const size_t words = static_cast<size_t>(std::find_if(codes, codes + size, is_of_class) - codes);
    for (const int degree : degrees_)
      if (!visit(0, words, degree)) return;
    for (const int degree : degrees_)
      if (!visit(words, size, degree)) return;
  }
  static uint64_t code(uint64_t kind, uint64_t source, uint64_t target) {
    return kind << 2 * kWordBits | source << kWordBits | target;
  }
  void add_codes(const Occurrence &pair, const WordMaps &maps, uint64_t classes, std::vector<uint64_t> &codes) const {
    const auto before = static_cast<std::ptrdiff_t>(codes.size());
    const auto add_source = [&](uint64_t kind, int i) {
      if (const uint64_t f = mapped(maps.source, pair.source[i])) codes.push_back(code(kind + classes, f, 0));
    };
    const auto add_target = [&](uint64_t kind, int j) {
      if (const uint64_t e = mapped(maps.target, pair.target[j])) codes.push_back(code(kind + classes, 0, e));
    };
    switch (phrase_) {
    case PhraseTemplate::all_words:
      for (int i = 0; i < pair.length; ++i) add_source(kSourceWord, pair.start + i);
      for (int j = 0; j < pair.target_length; ++j) add_target(kTargetWord, j);
      break;
    case PhraseTemplate::boundaries:
      add_source(roles_ ? kSourceFirst : kSourceWord, pair.start);
      add_source(roles_ ? kSourceLast : kSourceWord, pair.start + pair.length - 1);
      add_target(roles_ ? kTargetFirst : kTargetWord, 0);
      add_target(roles_ ? kTargetLast : kTargetWord, pair.target_length - 1);
      break;
    case PhraseTemplate::alignments:
      for (int64_t l = 0; l < pair.link_count; ++l) {
        const uint64_t f = mapped(maps.source, pair.source[pair.link_source + pair.links[l].source]);
        const uint64_t e = mapped(maps.target, pair.target[pair.links[l].target - pair.link_target]);
        if (f > 0 && e > 0) codes.push_back(code(kLink + classes, f, e));
      }
      break;
    }
    add_context(codes, pair, maps.context, classes);
    std::sort(codes.begin() + before, codes.end());
    codes.erase(std::unique(codes.begin() + before, codes.end()), codes.end());
  }
  // Words count from 1 in a code, so that 0 can stand for no word, or for the edge.
  static uint64_t mapped(const std::vector<int32_t> &map, int32_t word) {
    if (word < 0 || (!map.empty() && word >= static_cast<int64_t>(map.size()))) return 0;
    const int64_t id = map.empty() ? word : map[word];
    return id < 0 ? 0 : static_cast<uint64_t>(id) + 1;
  }
  void add_context(std::vector<uint64_t> &codes, const Occurrence &pair, const std::vector<int32_t> &map,
                   uint64_t classes) const {
    const auto add = [&](uint64_t kind, int32_t word) {
      if (const uint64_t f = mapped(map, word)) codes.push_back(code(kind, f, 0));
    };
    for (int d = 1; d <= context_; ++d) {
      const int left = pair.start - d, right = pair.start + pair.length - 1 + d;
      const uint64_t before = kLeftContext + d + classes, after = kRightContext + d + classes;
      if (left >= 0) add(before, pair.source[left]);
      if (edges_ && left == -1) codes.push_back(code(before, 0, 0));
      if (right < pair.source_words) add(after, pair.source[right]);
      if (edges_ && right == pair.source_words) codes.push_back(code(after, 0, 0));
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
  const WordMaps words_, classes_;
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
