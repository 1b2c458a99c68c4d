// What the files that know Python share: arrays and their checks, blocks of phrase pairs.
#pragma once

#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "bitext/vocabulary.hpp"
#include "features/features.hpp"
#include "phrases/phrases.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace tartib;

template <typename T> using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T> using NumpyArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Hands a vector's memory to NumPy without a copy; a struct is seen there as one unsigned integer of its size.
template <typename T, typename Struct> NumpyArray<T> to_numpy_as(std::vector<Struct> &&values) {
  static_assert(sizeof(T) == sizeof(Struct));
  auto *owned = new std::vector<Struct>(std::move(values));
  nb::capsule owner(owned, [](void *p) noexcept { delete static_cast<std::vector<Struct> *>(p); });
  return NumpyArray<T>(owned->data(), {owned->size()}, owner);
}

template <typename T> NumpyArray<T> to_numpy(std::vector<T> &&values) {
  return to_numpy_as<T>(std::move(values));
}

inline void require(bool condition, const char *message) {
  if (!condition) throw nb::value_error(message);
}

inline std::string_view view(const nb::bytes &bytes) {
  return {bytes.c_str(), bytes.size()};
}

// Offsets of consecutive parts: from 0 or more, never falling, never beyond `size`.
template <typename Offsets> void check_offsets(const Offsets &offsets, size_t size, const char *message) {
  require(offsets.size() > 0 && offsets.data()[0] >= 0, message);
  for (size_t i = 1; i < offsets.size(); ++i) require(offsets.data()[i - 1] <= offsets.data()[i], message);
  require(offsets.data()[offsets.size() - 1] <= static_cast<int64_t>(size), message);
}

template <typename Offsets> void check_lengths(const Offsets &offsets) {
  for (size_t i = 1; i < offsets.size(); ++i)
    require(offsets.data()[i] - offsets.data()[i - 1] <= kMaxSentenceLength, "a sentence is too long");
}

template <typename Ids> void check_word_ids(const Ids &ids) {
  for (size_t i = 0; i < ids.size(); ++i) require(ids.data()[i] <= kMaxWord, "a word id is too large");
}

inline void check_ids(const std::vector<int32_t> &ids, const Vocabulary &vocabulary) {
  for (size_t i = 0; i < ids.size(); ++i)
    require(ids[i] >= 0 && ids[i] < vocabulary.size(), "a token id is not in the vocabulary");
}

template <typename T> std::vector<T> copy_of(const Array<T> &array) {
  return std::vector<T>(array.data(), array.data() + array.size());
}

// The arrays of a store's consecutive sentences, copied, so that they stay as they were checked.
class BoundBlock {
public:
  BoundBlock(const Array<int32_t> &source_ids, const Array<int64_t> &source_offsets, const Array<int32_t> &target_ids,
             const Array<int64_t> &target_offsets, const Array<uint32_t> &links, const Array<int64_t> &link_offsets,
             const Array<uint64_t> &pairs, const Array<int64_t> &pair_offsets)
      : source_ids_(copy_of(source_ids)), target_ids_(copy_of(target_ids)), links_(copy_of(links)),
        pairs_(copy_of(pairs)), source_offsets_(copy_of(source_offsets)), target_offsets_(copy_of(target_offsets)),
        link_offsets_(copy_of(link_offsets)), pair_offsets_(copy_of(pair_offsets)) {
    require(source_offsets_.size() == target_offsets_.size() && source_offsets_.size() == link_offsets_.size() &&
                source_offsets_.size() == pair_offsets_.size(),
            "offsets differ in length");
    check_offsets(source_offsets_, source_ids_.size(), "source_offsets are damaged");
    check_offsets(target_offsets_, target_ids_.size(), "target_offsets are damaged");
    check_offsets(link_offsets_, links_.size(), "link_offsets are damaged");
    check_offsets(pair_offsets_, pairs_.size(), "pair_offsets are damaged");
    check_lengths(source_offsets_);
    check_lengths(target_offsets_);
    for (int64_t s = 0; s < view().sentences; ++s) check_sentence(view(), s);
  }

  PhraseBlock view() const {
    return {source_ids_.data(),
            target_ids_.data(),
            source_offsets_.data(),
            target_offsets_.data(),
            link_offsets_.data(),
            pair_offsets_.data(),
            reinterpret_cast<const Link *>(links_.data()),
            reinterpret_cast<const PhrasePair *>(pairs_.data()),
            static_cast<int64_t>(source_offsets_.size()) - 1};
  }
  const std::vector<int32_t> &source_ids() const { return source_ids_; }
  const std::vector<int32_t> &target_ids() const { return target_ids_; }

private:
  static void check_sentence(const PhraseBlock &block, int64_t s) {
    const int source_words = block.source_words(s), target_words = block.target_words(s);
    for (int64_t l = block.link_offsets[s]; l < block.link_offsets[s + 1]; ++l)
      if (block.links[l].source >= source_words || block.links[l].target >= target_words)
        throw std::out_of_range("a link points beyond its sentence");
    for (int64_t p = block.pair_offsets[s]; p < block.pair_offsets[s + 1]; ++p) {
      const PhrasePair &pair = block.pairs[p];
      if (pair.source_start + pair.source_length > source_words ||
          pair.target_start + pair.target_length > target_words)
        throw std::out_of_range("a phrase pair reaches beyond its sentence");
      if (pair.source_length == 0 || pair.target_length == 0) throw std::out_of_range("a phrase pair is empty");
    }
  }

  const std::vector<int32_t> source_ids_, target_ids_;
  const std::vector<uint32_t> links_;
  const std::vector<uint64_t> pairs_;
  const std::vector<int64_t> source_offsets_, target_offsets_, link_offsets_, pair_offsets_;
};

// In bindings/features.cpp and bindings/models.cpp.
void bind_features(nb::module_ &m);
void bind_models(nb::module_ &m);

// In bindings/solvers.cpp and bindings/primal.cpp.
void bind_solvers(nb::module_ &m);
void bind_primal(nb::module_ &m);

// In bindings/phrase_table.cpp.
void bind_phrase_table(nb::module_ &m);

// In bindings/lm.cpp.
void bind_lm(nb::module_ &m);

// In bindings/decoder.cpp.
void bind_decoder(nb::module_ &m);

// In bindings/tuning.cpp.
void bind_tuning(nb::module_ &m);
