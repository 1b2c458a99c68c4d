// Keys of the lexicalised reordering model.
#include "bindings/phrases.hpp"

#include <mutex>

#include "dataset/rows.hpp"
#include "reordering/derivations.hpp"
#include "reordering/lexicalised.hpp"

// A 64-bit hash of the letters of each word, in the order of the ids.
static NumpyArray<uint64_t> word_hashes(const Vocabulary &vocabulary) {
  std::vector<uint64_t> hashes;
  {
    nb::gil_scoped_release release;
    std::shared_lock lock(vocabulary.mutex());
    hashes.resize(static_cast<size_t>(vocabulary.size()));
    for (size_t id = 0; id < hashes.size(); ++id)
      hashes[id] = mix(Vocabulary::hash(vocabulary.word(static_cast<int32_t>(id))));
  }
  return to_numpy(std::move(hashes));
}

static KeySides checked_sides(int sides) {
  require(sides >= kSourceSide && sides <= kBothSides, "no such sides");
  return static_cast<KeySides>(sides);
}

template <typename Ids> static void check_hashed(const Ids &ids, const Array<uint64_t> &hashes) {
  for (size_t i = 0; i < ids.size(); ++i)
    require(ids.data()[i] < 0 || static_cast<size_t>(ids.data()[i]) < hashes.size(), "a word has no hash");
}

static NumpyArray<uint64_t> block_keys_of(const BoundBlock &block, const Array<uint64_t> &source_hashes,
                                          const Array<uint64_t> &target_hashes, int sides) {
  const KeySides wanted = checked_sides(sides);
  const PhraseBlock pairs = block.view();
  std::vector<uint64_t> keys(static_cast<size_t>(pairs.pair_offsets[pairs.sentences] - pairs.pair_offsets[0]));
  {
    nb::gil_scoped_release release;
    check_hashed(block.source_ids(), source_hashes);
    check_hashed(block.target_ids(), target_hashes);
    block_keys(pairs, WordHashes{source_hashes.data()}, WordHashes{target_hashes.data()}, wanted, keys.data());
  }
  return to_numpy(std::move(keys));
}

// Phrase pairs that are not in a corpus: spans of one source sentence with target phrases.
static NumpyArray<uint64_t> candidate_keys(const Array<uint64_t> &source_hashes, const Array<uint64_t> &target_hashes,
                                           int sides, const Array<int32_t> &source, const Array<int64_t> &starts,
                                           const Array<int64_t> &lengths, const Array<int32_t> &target_ids,
                                           const Array<int64_t> &target_offsets) {
  const KeySides wanted = checked_sides(sides);
  require(starts.size() == lengths.size() && starts.size() + 1 == target_offsets.size(),
          "the arrays of candidates differ in length");
  check_offsets(target_offsets, target_ids.size(), "target_offsets are not valid offsets");
  check_hashed(source, source_hashes);
  check_hashed(target_ids, target_hashes);
  const int64_t words = static_cast<int64_t>(source.size());
  std::vector<uint64_t> keys(starts.size());
  {
    nb::gil_scoped_release release;
    for (size_t c = 0; c < keys.size(); ++c) {
      const int64_t start = starts.data()[c], length = lengths.data()[c], first = target_offsets.data()[c];
      const int64_t target_length = target_offsets.data()[c + 1] - first;
      if (start < 0 || length < 1 || start > words || length > words - start || target_length < 1)
        throw std::out_of_range("a candidate reaches beyond its sentence, or is empty");
      keys[c] = pair_key(WordHashes{source_hashes.data()}, WordHashes{target_hashes.data()}, source.data() + start,
                         length, target_ids.data() + first, target_length, wanted);
    }
  }
  return to_numpy(std::move(keys));
}

static NumpyArray<uint64_t> row_keys(const Array<int64_t> &indptr, const Array<int32_t> &indices,
                                     const std::optional<Array<float>> &values) {
  check_offsets(indptr, indices.size(), "indptr is not valid");
  require(!values || values->size() == indices.size(), "values and indices differ in length");
  std::vector<uint64_t> keys(indptr.size() - 1);
  {
    nb::gil_scoped_release release;
    for (size_t r = 0; r < keys.size(); ++r) {
      const RowRange range = row_range(indptr.data(), static_cast<int64_t>(r), static_cast<int64_t>(indices.size()));
      keys[r] = row_key(indices.data() + range.begin, values ? values->data() + range.begin : nullptr, range.size());
    }
  }
  return to_numpy(std::move(keys));
}

// Keys out of order give wrong answers but no crash: the search never leaves its range.
static NumpyArray<int64_t> find_keys(const Array<uint64_t> &keys, const Array<uint64_t> &wanted) {
  std::vector<int64_t> found(wanted.size());
  {
    nb::gil_scoped_release release;
    KeySearch(keys.data(), static_cast<int64_t>(keys.size()))
        .run(wanted.data(), static_cast<int64_t>(wanted.size()), found.data());
  }
  return to_numpy(std::move(found));
}

static std::tuple<NumpyArray<uint64_t>, NumpyArray<int64_t>> unique_keys_of(const Array<uint64_t> &keys) {
  std::vector<uint64_t> unique;
  std::vector<int64_t> inverse;
  {
    nb::gil_scoped_release release;
    unique_keys(keys.data(), static_cast<int64_t>(keys.size()), unique, inverse);
  }
  return {to_numpy(std::move(unique)), to_numpy(std::move(inverse))};
}

// Keys and counts are of the pair, its source and its target side; the prices are those of DerivationPrices.
static NumpyArray<int32_t> derivation_uses(const BoundBlock &block, const std::array<Array<uint64_t>, 3> &keys,
                                           const std::array<Array<int32_t>, 3> &counts, const Array<uint8_t> &counted,
                                           int64_t first_sentence, int64_t samples, uint64_t seed,
                                           const std::array<double, 3> &prices) {
  const PhraseBlock pairs = block.view();
  const size_t count = static_cast<size_t>(pairs.pair_offsets[pairs.sentences]);
  require(pairs.pair_offsets[0] == 0, "pair_offsets must begin with 0");
  require(counted.size() == static_cast<size_t>(pairs.sentences), "there must be one mark for each sentence");
  require(samples >= 1 && samples <= kMostDerivations, "the number of derivations is out of range");
  for (const double price : prices) require(price >= 0 && price <= kHighestPrice, "a price is out of range");
  CountedKeys known;
  for (size_t level = 0; level < 3; ++level) {
    require(keys[level].size() == count && counts[level].size() == count,
            "there must be a key and a count for each phrase pair");
    known.keys[level] = keys[level].data();
    known.counts[level] = counts[level].data();
  }
  std::vector<int32_t> uses(count);
  {
    nb::gil_scoped_release release;
    DerivationSampler sampler({prices[0], prices[1], prices[2]});
    for (int64_t s = 0; s < pairs.sentences; ++s) {
      const SentenceRandom random(seed, static_cast<uint64_t>(first_sentence) + s);
      sampler.run(pairs, s, known, counted.data()[s] != 0, samples, random, uses.data());
    }
  }
  return to_numpy(std::move(uses));
}

void bind_reordering(nb::module_ &m) {
  m.attr("SOURCE_SIDE") = static_cast<int>(kSourceSide);
  m.attr("TARGET_SIDE") = static_cast<int>(kTargetSide);
  m.attr("BOTH_SIDES") = static_cast<int>(kBothSides);
  m.def("word_hashes", &word_hashes, "vocabulary"_a);
  m.def("block_keys", &block_keys_of, "block"_a, "source_hashes"_a, "target_hashes"_a, "sides"_a);
  m.def("candidate_keys", &candidate_keys, "source_hashes"_a, "target_hashes"_a, "sides"_a, "source"_a, "starts"_a,
        "lengths"_a, "target_ids"_a, "target_offsets"_a);
  m.def("row_keys", &row_keys, "indptr"_a, "indices"_a, "values"_a.none());
  m.def("unique_keys", &unique_keys_of, "keys"_a);
  m.def("find_keys", &find_keys, "keys"_a, "wanted"_a);
  m.attr("MOST_DERIVATIONS") = kMostDerivations;
  m.def("derivation_uses", &derivation_uses, "block"_a, "keys"_a, "counts"_a, "counted"_a, "first_sentence"_a,
        "samples"_a, "seed"_a, "prices"_a);
}
