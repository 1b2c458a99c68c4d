// What all bindings share: arrays and their checks.
#pragma once

#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "bitext/bitext.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace tartib;

template <typename T> using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T> using NumpyArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Hands a vector's memory to NumPy without a copy; a struct is seen there as unsigned integers that fill it.
template <typename T, typename Struct> NumpyArray<T> to_numpy_as(std::vector<Struct> &&values) {
  static_assert(sizeof(Struct) % sizeof(T) == 0);
  auto *owned = new std::vector<Struct>(std::move(values));
  nb::capsule owner(owned, [](void *p) noexcept { delete static_cast<std::vector<Struct> *>(p); });
  return NumpyArray<T>(owned->data(), {owned->size() * (sizeof(Struct) / sizeof(T))}, owner);
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

inline void check_ids(const std::vector<int32_t> &ids, const Vocabulary &vocabulary) {
  for (size_t i = 0; i < ids.size(); ++i)
    require(ids[i] >= 0 && ids[i] < vocabulary.size(), "a token id is not in the vocabulary");
}

template <typename T> std::vector<T> copy_of(const Array<T> &array) {
  return std::vector<T>(array.data(), array.data() + array.size());
}

// Integers that stand for structs of their size, copied into such structs.
template <typename Struct, typename T> std::vector<Struct> copy_as(const Array<T> &array) {
  static_assert(sizeof(Struct) == sizeof(T) && std::is_trivially_copyable_v<Struct>);
  std::vector<Struct> structs(array.size());
  if (!structs.empty()) std::memcpy(structs.data(), array.data(), structs.size() * sizeof(Struct));
  return structs;
}

// Each in the file of its name.
void bind_bitext(nb::module_ &m);
void bind_lm(nb::module_ &m);
void bind_word_classes(nb::module_ &m);
void bind_alignment(nb::module_ &m);
void bind_phrases(nb::module_ &m);
void bind_phrase_table(nb::module_ &m);
void bind_features(nb::module_ &m);
void bind_dataset(nb::module_ &m);
void bind_models(nb::module_ &m);
void bind_reordering(nb::module_ &m);
void bind_decoder(nb::module_ &m);
void bind_tuning(nb::module_ &m);
void bind_alignment_joint(nb::module_ &m);
void bind_process(nb::module_ &m);
