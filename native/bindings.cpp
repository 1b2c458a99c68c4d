// The only file that knows Python: checks every argument, releases the GIL, turns vectors into NumPy arrays.
#include <mutex>
#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "bitext.hpp"
#include "dataset.hpp"
#include "dictionary.hpp"
#include "extraction.hpp"
#include "features.hpp"
#include "moses.hpp"
#include "orientation.hpp"
#include "phrases.hpp"
#include "vocabulary.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace tartib;

template <typename T> using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T> using NumpyArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Hands a vector's memory to NumPy without a copy.
template <typename T> NumpyArray<T> to_numpy(std::vector<T> &&values) {
  auto *owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
  return NumpyArray<T>(owned->data(), {owned->size()}, owner);
}

// The same, for a struct that Python sees as one unsigned integer of its size.
template <typename T, typename Struct> NumpyArray<T> to_numpy_as(std::vector<Struct> &&values) {
  static_assert(sizeof(T) == sizeof(Struct));
  auto *owned = new std::vector<Struct>(std::move(values));
  nb::capsule owner(owned, [](void *p) noexcept { delete static_cast<std::vector<Struct> *>(p); });
  return NumpyArray<T>(owned->data(), {owned->size()}, owner);
}

static void require(bool condition, const char *message) {
  if (!condition) throw nb::value_error(message);
}

static std::string_view view(const nb::bytes &bytes) {
  return {bytes.c_str(), bytes.size()};
}

// Offsets of consecutive parts: from 0 or more, never falling, never beyond `size`.
static void check_offsets(const Array<int64_t> &offsets, size_t size, const char *message) {
  require(offsets.size() > 0 && offsets.data()[0] >= 0, message);
  for (size_t i = 1; i < offsets.size(); ++i) require(offsets.data()[i - 1] <= offsets.data()[i], message);
  require(offsets.data()[offsets.size() - 1] <= static_cast<int64_t>(size), message);
}

static void check_lengths(const Array<int64_t> &offsets) {
  for (size_t i = 1; i < offsets.size(); ++i)
    require(offsets.data()[i] - offsets.data()[i - 1] <= kMaxSentenceLength, "a sentence is too long");
}

static void check_ids(const Array<int32_t> &ids, const Vocabulary &vocabulary) {
  for (size_t i = 0; i < ids.size(); ++i)
    require(ids.data()[i] >= 0 && ids.data()[i] < vocabulary.size(), "a token id is not in the vocabulary");
}

static void check_word_ids(const Array<int32_t> &ids) {
  for (size_t i = 0; i < ids.size(); ++i) require(ids.data()[i] <= kMaxWord, "a word id is too large");
}

static int32_t intern(Vocabulary &vocabulary, const nb::bytes &word) {
  std::unique_lock lock(vocabulary.mutex());
  return vocabulary.intern(view(word));
}

static int32_t find(const Vocabulary &vocabulary, const nb::bytes &word) {
  std::shared_lock lock(vocabulary.mutex());
  return vocabulary.find(view(word));
}

static nb::bytes word_of(const Vocabulary &vocabulary, int64_t id) {
  std::shared_lock lock(vocabulary.mutex());
  if (id < 0 || id >= vocabulary.size()) throw nb::index_error("no word has this id");
  const std::string_view word = vocabulary.word(static_cast<int32_t>(id));
  return nb::bytes(word.data(), word.size());
}

static int64_t vocabulary_size(const Vocabulary &vocabulary) {
  std::shared_lock lock(vocabulary.mutex());
  return vocabulary.size();
}

static nb::bytes join_words(const Vocabulary &vocabulary) {
  std::string text;
  {
    nb::gil_scoped_release release;
    std::shared_lock lock(vocabulary.mutex());
    for (int32_t id = 0; id < vocabulary.size(); ++id) text.append(vocabulary.word(id)).push_back('\n');
  }
  return nb::bytes(text.data(), text.size());
}

// Adds one word a line; returns the first line, from 0, that is not a new word in UTF-8, or -1.
static int64_t add_lines(Vocabulary &vocabulary, const nb::bytes &lines) {
  const std::string_view text = view(lines);
  nb::gil_scoped_release release;
  std::unique_lock lock(vocabulary.mutex());
  int64_t line = 0;
  for (size_t begin = 0, end; begin < text.size(); begin = end + 1, ++line) {
    end = std::min(text.find('\n', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const int64_t size = vocabulary.size();
    if (word.empty() || end == text.size() || utf8_defect(word) < word.size() || vocabulary.intern(word) != size)
      return line;
  }
  return -1;
}

static nb::dict encode_block(Vocabulary &source_vocabulary, Vocabulary &target_vocabulary, const nb::bytes &source,
                             const nb::bytes &target, std::optional<nb::bytes> alignment, int64_t max_length,
                             bool skip_empty) {
  require(&source_vocabulary != &target_vocabulary, "source and target need a vocabulary each");
  require(max_length >= 1 && max_length <= kMaxSentenceLength, "max_length is out of range");
  const std::string_view source_text = view(source), target_text = view(target);
  const std::string_view links_text = alignment ? view(*alignment) : std::string_view{};
  EncodedBlock block;
  {
    nb::gil_scoped_release release;
    std::scoped_lock lock(source_vocabulary.mutex(), target_vocabulary.mutex());
    BlockEncoder encoder(source_vocabulary, target_vocabulary, max_length, skip_empty);
    block = encoder.run(source_text, target_text, alignment ? &links_text : nullptr);
  }
  nb::dict result;
  result["defect"] = static_cast<int>(block.defect);
  result["side"] = static_cast<int>(block.side);
  result["defect_line"] = block.defect_line;
  result["defect_column"] = block.defect_column;
  result["defect_text"] = nb::bytes(block.defect_text.data(), block.defect_text.size());
  result["too_long"] = block.too_long;
  result["empty"] = block.empty;
  result["lines_read"] = block.lines_read;
  result["source_ids"] = to_numpy(std::move(block.source_ids));
  result["target_ids"] = to_numpy(std::move(block.target_ids));
  result["source_ends"] = to_numpy(std::move(block.source_ends));
  result["target_ends"] = to_numpy(std::move(block.target_ends));
  result["links"] = to_numpy_as<uint32_t>(std::move(block.links));
  result["link_ends"] = to_numpy(std::move(block.link_ends));
  result["lines"] = to_numpy(std::move(block.lines));
  return result;
}

static std::tuple<NumpyArray<uint64_t>, NumpyArray<int64_t>>
extract_phrases(const Array<int64_t> &source_offsets, const Array<int64_t> &target_offsets,
                const Array<uint32_t> &links, const Array<int64_t> &link_offsets, int64_t max_length) {
  require(max_length >= 1 && max_length <= 255, "max_length is out of range");
  require(source_offsets.size() == target_offsets.size() && source_offsets.size() == link_offsets.size(),
          "offsets differ in length");
  const size_t unlimited = static_cast<size_t>(std::numeric_limits<int64_t>::max());
  check_offsets(source_offsets, unlimited, "source_offsets are damaged");
  check_offsets(target_offsets, unlimited, "target_offsets are damaged");
  check_offsets(link_offsets, links.size(), "link_offsets are damaged");
  check_lengths(source_offsets);
  check_lengths(target_offsets);
  const int64_t *f = source_offsets.data(), *e = target_offsets.data(), *a = link_offsets.data();
  const Link *link = reinterpret_cast<const Link *>(links.data());
  const size_t sentences = source_offsets.size() - 1;
  std::vector<PhrasePair> pairs;
  std::vector<int64_t> ends(sentences);
  {
    nb::gil_scoped_release release;
    SentenceExtractor extractor(static_cast<int>(max_length));
    for (size_t s = 0; s < sentences; ++s) {
      extractor.run(static_cast<int>(f[s + 1] - f[s]), static_cast<int>(e[s + 1] - e[s]), link + a[s], a[s + 1] - a[s],
                    pairs);
      ends[s] = static_cast<int64_t>(pairs.size());
    }
  }
  return {to_numpy_as<uint64_t>(std::move(pairs)), to_numpy(std::move(ends))};
}

// The arrays of a store's consecutive sentences, checked once and kept alive.
class BoundBlock {
public:
  BoundBlock(Array<int32_t> source_ids, Array<int64_t> source_offsets, Array<int32_t> target_ids,
             Array<int64_t> target_offsets, Array<uint32_t> links, Array<int64_t> link_offsets, Array<uint64_t> pairs,
             Array<int64_t> pair_offsets)
      : source_ids_(source_ids), target_ids_(target_ids), links_(links), pairs_(pairs), source_offsets_(source_offsets),
        target_offsets_(target_offsets), link_offsets_(link_offsets), pair_offsets_(pair_offsets) {
    require(source_offsets.size() == target_offsets.size() && source_offsets.size() == link_offsets.size() &&
                source_offsets.size() == pair_offsets.size(),
            "offsets differ in length");
    check_offsets(source_offsets, source_ids.size(), "source_offsets are damaged");
    check_offsets(target_offsets, target_ids.size(), "target_offsets are damaged");
    check_offsets(link_offsets, links.size(), "link_offsets are damaged");
    check_offsets(pair_offsets, pairs.size(), "pair_offsets are damaged");
    check_lengths(source_offsets);
    check_lengths(target_offsets);
    nb::gil_scoped_release release;
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
  const Array<int32_t> &source_ids() const { return source_ids_; }
  const Array<int32_t> &target_ids() const { return target_ids_; }

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

  const Array<int32_t> source_ids_, target_ids_;
  const Array<uint32_t> links_;
  const Array<uint64_t> pairs_;
  const Array<int64_t> source_offsets_, target_offsets_, link_offsets_, pair_offsets_;
};

using Names = std::optional<OrientationNames>;

static std::tuple<nb::bytes, nb::bytes, nb::bytes> moses_lines(const Vocabulary &source_vocabulary,
                                                               const Vocabulary &target_vocabulary,
                                                               const BoundBlock &block, const Names &word,
                                                               const Names &phrase, const Names &hier) {
  MosesLines lines;
  {
    nb::gil_scoped_release release;
    std::shared_lock source_lock(source_vocabulary.mutex());
    std::shared_lock target_lock(target_vocabulary.mutex(), std::defer_lock);
    if (&source_vocabulary != &target_vocabulary) target_lock.lock();
    check_ids(block.source_ids(), source_vocabulary);
    check_ids(block.target_ids(), target_vocabulary);
    MosesWriter writer(source_vocabulary, target_vocabulary,
                       {word ? &*word : nullptr, phrase ? &*phrase : nullptr, hier ? &*hier : nullptr});
    for (int64_t s = 0; s < block.view().sentences; ++s) writer.add(block.view(), s, lines);
  }
  return {nb::bytes(lines.direct.data(), lines.direct.size()), nb::bytes(lines.inverse.data(), lines.inverse.size()),
          nb::bytes(lines.orientation.data(), lines.orientation.size())};
}

// What to read features from: a kind of phrase template, context words, and maps from word ids to the ids of factors.
static FeatureTemplates make_templates(int phrase, int context, bool roles, const Array<int64_t> &degrees,
                                       const Array<int32_t> &source_map, const Array<int32_t> &target_map,
                                       const Array<int32_t> &context_map) {
  require(phrase >= 0 && phrase <= static_cast<int>(PhraseTemplate::alignments), "no such phrase template");
  require(context >= 0 && context <= kMaxContext, "context is out of range");
  std::vector<int> wanted;
  for (size_t i = 0; i < degrees.size(); ++i) {
    require(degrees.data()[i] >= 1 && degrees.data()[i] <= kMaxDegree, "degrees are out of range");
    wanted.push_back(static_cast<int>(degrees.data()[i]));
  }
  require(!wanted.empty(), "degrees are missing");
  const auto checked = [](const Array<int32_t> &map) {
    for (size_t i = 0; i < map.size(); ++i) require(map.data()[i] <= kMaxWord, "a mapped id is too large");
    return std::vector<int32_t>(map.data(), map.data() + map.size());
  };
  return FeatureTemplates(static_cast<PhraseTemplate>(phrase), context, roles, std::move(wanted), checked(source_map),
                          checked(target_map), checked(context_map));
}

// Calls visit(batch) for the rows of a block, without the GIL.
template <typename Visit>
static void for_each_batch(const FeatureTemplates &templates, const BoundBlock &block, Visit visit) {
  check_word_ids(block.source_ids());
  check_word_ids(block.target_ids());
  nb::gil_scoped_release release;
  RowBatcher batcher(templates, visit);
  for_each_occurrence(block.view(), [&](const Occurrence &pair) { batcher.add(pair); });
  batcher.flush();
}

using Rows = std::tuple<NumpyArray<int64_t>, NumpyArray<int32_t>>; // where each row ends, columns

static Rows encode_rows(const FeatureTemplates &templates, const FeatureIndex &index, const BoundBlock &block) {
  std::vector<int64_t> ends;
  std::vector<int32_t> columns;
  for_each_batch(templates, block, [&](const RowBatch &batch) { index.append(batch, ends, columns); });
  return {to_numpy(std::move(ends)), to_numpy(std::move(columns))};
}

// Base codes of every pair, for people who want to see them.
static std::tuple<NumpyArray<int64_t>, NumpyArray<uint64_t>> base_codes(const FeatureTemplates &templates,
                                                                        const BoundBlock &block) {
  std::vector<int64_t> ends;
  std::vector<uint64_t> codes;
  for_each_batch(templates, block, [&](const RowBatch &batch) {
    for (const size_t end : batch.code_ends) ends.push_back(static_cast<int64_t>(codes.size() + end));
    codes.insert(codes.end(), batch.codes.begin(), batch.codes.end());
  });
  return {to_numpy(std::move(ends)), to_numpy(std::move(codes))};
}

// Phrase pairs that are not in a corpus: spans of one source sentence with target phrases and links counted from both.
static Rows encode_candidates(const FeatureTemplates &templates, const FeatureIndex &index,
                              const Array<int32_t> &source, const Array<int64_t> &starts, const Array<int64_t> &lengths,
                              const Array<int32_t> &target_ids, const Array<int64_t> &target_offsets,
                              const Array<uint32_t> &links, const Array<int64_t> &link_offsets) {
  require(starts.size() == lengths.size() && starts.size() + 1 == target_offsets.size() &&
              starts.size() + 1 == link_offsets.size(),
          "candidates differ in number");
  require(source.size() <= kMaxSentenceLength, "the sentence is too long");
  check_offsets(target_offsets, target_ids.size(), "target_offsets are damaged");
  check_offsets(link_offsets, links.size(), "link_offsets are damaged");
  check_lengths(target_offsets);
  check_word_ids(source);
  check_word_ids(target_ids);
  const Link *link = reinterpret_cast<const Link *>(links.data());
  const int64_t words = static_cast<int64_t>(source.size());
  std::vector<int64_t> ends;
  std::vector<int32_t> columns;
  {
    nb::gil_scoped_release release;
    RowBatcher batcher(templates, [&](const RowBatch &batch) { index.append(batch, ends, columns); });
    for (size_t c = 0; c < starts.size(); ++c) {
      const int64_t start = starts.data()[c], length = lengths.data()[c];
      const int64_t target_length = target_offsets.data()[c + 1] - target_offsets.data()[c];
      if (start < 0 || length < 1 || start > words || length > words - start || target_length < 1)
        throw std::out_of_range("a candidate reaches beyond its sentence, or is empty");
      const Link *first = link + link_offsets.data()[c], *last = link + link_offsets.data()[c + 1];
      for (const Link *l = first; l != last; ++l)
        if (l->source >= length || l->target >= target_length)
          throw std::out_of_range("a link points beyond its candidate");
      batcher.add({source.data(), static_cast<int>(words), static_cast<int>(start), static_cast<int>(length),
                   target_ids.data() + target_offsets.data()[c], static_cast<int>(target_length), first, last - first,
                   static_cast<int>(start), 0});
    }
    batcher.flush();
  }
  return {to_numpy(std::move(ends)), to_numpy(std::move(columns))};
}

static std::tuple<NumpyArray<uint64_t>, NumpyArray<int64_t>, NumpyArray<uint64_t>>
counted(const FeatureCounter &counter) {
  std::vector<uint64_t> keys, codes;
  std::vector<int64_t> counts;
  counter.finish(keys, counts, codes);
  return {to_numpy(std::move(keys)), to_numpy(std::move(counts)), to_numpy(std::move(codes))};
}

static SparseRows checked_rows(const Array<int64_t> &indptr, const Array<int32_t> &indices,
                               const std::optional<Array<float>> &values, const Array<int32_t> &labels) {
  check_offsets(indptr, indices.size(), "indptr is damaged");
  require(labels.size() + 1 == indptr.size(), "labels and rows differ in number");
  require(!values || values->size() == indices.size(), "values and indices differ in number");
  return {indptr.data(), indices.data(), values ? values->data() : nullptr, labels.data(),
          static_cast<int64_t>(labels.size())};
}

static std::tuple<NumpyArray<int64_t>, NumpyArray<double>>
collapse_rows(const Array<int64_t> &indptr, const Array<int32_t> &indices, const std::optional<Array<float>> &values,
              const Array<int32_t> &labels, const std::optional<Array<double>> &weights) {
  const SparseRows rows = checked_rows(indptr, indices, values, labels);
  require(!weights || weights->size() == labels.size(), "weights and rows differ in number");
  std::vector<int64_t> first;
  std::vector<double> total;
  {
    nb::gil_scoped_release release;
    RowCollapser(rows).run(weights ? weights->data() : nullptr, first, total);
  }
  return {to_numpy(std::move(first)), to_numpy(std::move(total))};
}

static nb::bytes write_svmlight(const Array<int64_t> &indptr, const Array<int32_t> &indices,
                                const std::optional<Array<float>> &values, const Array<int32_t> &labels, int base) {
  const SparseRows rows = checked_rows(indptr, indices, values, labels);
  std::string text;
  {
    nb::gil_scoped_release release;
    text = svmlight_lines(rows, 0, rows.rows, base);
  }
  return nb::bytes(text.data(), text.size());
}

static nb::dict read_svmlight(const nb::bytes &text) {
  const std::string_view lines = view(text);
  SvmlightRows rows;
  {
    nb::gil_scoped_release release;
    rows = SvmlightReader().run(lines);
  }
  nb::dict result;
  result["defect"] = static_cast<int>(rows.defect);
  result["defect_line"] = rows.defect_line;
  result["defect_text"] = nb::bytes(rows.defect_text.data(), rows.defect_text.size());
  result["labels"] = to_numpy(std::move(rows.labels));
  result["ends"] = to_numpy(std::move(rows.ends));
  result["indices"] = to_numpy(std::move(rows.indices));
  result["values"] = to_numpy(std::move(rows.values));
  return result;
}

NB_MODULE(_native, m) {
  m.doc() = "Tartib's native core. Use it through the modules of the package.";

  nb::class_<Vocabulary>(m, "Vocabulary")
      .def(nb::init<>())
      .def("__len__", &vocabulary_size)
      .def("intern", &intern, "word"_a)
      .def("find", &find, "word"_a)
      .def("word", &word_of, "id"_a)
      .def("add_lines", &add_lines, "lines"_a)
      .def("join", &join_words);

  m.attr("MAX_SENTENCE_LENGTH") = kMaxSentenceLength;
  m.def("encode_block", &encode_block, "source_vocabulary"_a, "target_vocabulary"_a, "source"_a, "target"_a,
        "alignment"_a.none(), "max_length"_a, "skip_empty"_a);

  m.attr("MONO") = static_cast<int>(kMono);
  m.attr("SWAP") = static_cast<int>(kSwap);
  m.attr("DRIGHT") = static_cast<int>(kDRight);
  m.attr("DLEFT") = static_cast<int>(kDLeft);
  m.attr("WORD") = static_cast<int>(kWord);
  m.attr("PHRASE") = static_cast<int>(kPhrase);
  m.attr("HIER") = static_cast<int>(kHier);
  m.attr("PREVIOUS") = static_cast<int>(kPrevious);
  m.attr("NEXT") = static_cast<int>(kNext);
  m.def("orientation_shift", [](unsigned model, unsigned direction) {
    require(model < kModels && direction < 2, "no such orientation model or direction");
    return orientation_shift(model, direction);
  });

  m.def("extract_phrases", &extract_phrases, "source_offsets"_a, "target_offsets"_a, "links"_a, "link_offsets"_a,
        "max_length"_a);
  nb::class_<BoundBlock>(m, "PhraseBlock")
      .def(nb::init<Array<int32_t>, Array<int64_t>, Array<int32_t>, Array<int64_t>, Array<uint32_t>, Array<int64_t>,
                    Array<uint64_t>, Array<int64_t>>(),
           "source_ids"_a, "source_offsets"_a, "target_ids"_a, "target_offsets"_a, "links"_a, "link_offsets"_a,
           "pairs"_a, "pair_offsets"_a);
  m.def("moses_lines", &moses_lines, "source_vocabulary"_a, "target_vocabulary"_a, "block"_a, "word"_a.none(),
        "phrase"_a.none(), "hier"_a.none());

  m.attr("MAX_CONTEXT") = kMaxContext;
  m.attr("MAX_DEGREE") = kMaxDegree;
  nb::class_<FeatureTemplates>(m, "FeatureTemplates")
      .def_static("make", &make_templates, "phrase"_a, "context"_a, "roles"_a, "degrees"_a, "source_map"_a,
                  "target_map"_a, "context_map"_a);
  nb::class_<FeatureIndex>(m, "FeatureIndex")
      .def_static("of_keys",
                  [](const Array<uint64_t> &keys) {
                    require(keys.size() < static_cast<size_t>(std::numeric_limits<int32_t>::max()), "too many keys");
                    for (size_t i = 0; i < keys.size(); ++i) require(keys.data()[i] != 0, "0 is not a key");
                    return FeatureIndex(std::vector<uint64_t>(keys.data(), keys.data() + keys.size()));
                  })
      .def_static("hashed", [](int bits) {
        require(bits >= 1 && bits <= 31, "hash_bits is out of range");
        return FeatureIndex(bits);
      });
  nb::class_<FeatureSketch>(m, "FeatureSketch")
      .def_static("make",
                  [](int bits) {
                    require(bits >= 1 && bits <= 40, "bits are out of range");
                    return std::make_shared<FeatureSketch>(bits);
                  })
      .def("add",
           [](FeatureSketch &sketch, const FeatureTemplates &templates, const BoundBlock &block) {
             for_each_batch(templates, block, [&](const RowBatch &batch) { sketch.add(batch.keys); });
           })
      .def("merge", &FeatureSketch::merge, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<FeatureCounter>(m, "FeatureCounter")
      .def_static("make",
                  [](std::shared_ptr<FeatureSketch> sketch, int64_t cutoff, int width) {
                    require(cutoff >= 0, "the cut-off is below 0");
                    require(width >= 1 && width <= kMaxDegree, "width is out of range");
                    return new FeatureCounter(std::move(sketch), cutoff, width);
                  })
      .def("add",
           [](FeatureCounter &counter, const FeatureTemplates &templates, const BoundBlock &block) {
             for_each_batch(templates, block, [&](const RowBatch &batch) { counter.add(batch, templates); });
           })
      .def("merge", &FeatureCounter::merge, nb::call_guard<nb::gil_scoped_release>())
      .def("finish", &counted);
  m.def("base_codes", &base_codes, "templates"_a, "block"_a);
  m.def("encode_rows", &encode_rows, "templates"_a, "index"_a, "block"_a);
  m.def("encode_candidates", &encode_candidates, "templates"_a, "index"_a, "source"_a, "starts"_a, "lengths"_a,
        "target_ids"_a, "target_offsets"_a, "links"_a, "link_offsets"_a);

  m.def("collapse_rows", &collapse_rows, "indptr"_a, "indices"_a, "values"_a.none(), "labels"_a, "weights"_a.none());
  m.def("write_svmlight", &write_svmlight, "indptr"_a, "indices"_a, "values"_a.none(), "labels"_a, "base"_a);
  m.def("read_svmlight", &read_svmlight, "text"_a);
}
