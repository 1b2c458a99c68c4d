// Features and their dictionary.
#include "bindings/phrases.hpp"

#include <mutex>

#include <nanobind/stl/vector.h>

#include "features/dictionary.hpp"
#include "models/linear.hpp"

static WordMaps checked_maps(const Array<int32_t> &source, const Array<int32_t> &target,
                             const Array<int32_t> &context) {
  const auto checked = [](const Array<int32_t> &map) {
    for (size_t i = 0; i < map.size(); ++i) require(map.data()[i] <= kMaxWord, "a mapped id is too large");
    return copy_of(map);
  };
  return {checked(source), checked(target), checked(context)};
}

// What to read features from: a kind of phrase template, context words, and maps from word ids to the ids of factors
// and to classes.
static FeatureTemplates make_templates(PhraseTemplate phrase, int context, bool roles, bool edges,
                                       const Array<int64_t> &degrees, const Array<int32_t> &source_map,
                                       const Array<int32_t> &target_map, const Array<int32_t> &context_map,
                                       const Array<int32_t> &source_classes, const Array<int32_t> &target_classes,
                                       const Array<int32_t> &context_classes) {
  require(context >= 0 && context <= kMaxContext, "context is out of range");
  std::vector<int> wanted;
  for (size_t i = 0; i < degrees.size(); ++i) {
    require(degrees.data()[i] >= 1 && degrees.data()[i] <= kMaxDegree, "degrees are out of range");
    require(i == 0 || degrees.data()[i - 1] < degrees.data()[i], "degrees must rise");
    wanted.push_back(static_cast<int>(degrees.data()[i]));
  }
  require(!wanted.empty(), "degrees are missing");
  require(source_classes.size() > 0 ? target_classes.size() > 0 && context_classes.size() > 0
                                    : target_classes.size() == 0 && context_classes.size() == 0,
          "all words have classes, or none");
  return FeatureTemplates(phrase, context, roles, edges, std::move(wanted),
                          checked_maps(source_map, target_map, context_map),
                          checked_maps(source_classes, target_classes, context_classes));
}

// Adds up the counts of two threads, while nobody else looks at either.
template <typename Counts> static void merge_exclusively(Counts &counts, const Counts &other) {
  require(&counts != &other, "these counters cannot be added up");
  nb::gil_scoped_release release;
  std::scoped_lock lock(counts.mutex(), other.mutex());
  counts.merge(other);
}

template <typename Ids> static void check_word_ids(const Ids &ids) {
  for (size_t i = 0; i < ids.size(); ++i) require(ids.data()[i] <= kMaxWord, "a word id is too large");
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

using Rows = std::tuple<NumpyArray<int64_t>, NumpyArray<int32_t>>; // offsets, columns

static Rows encode_rows(const FeatureTemplates &templates, const FeatureIndex &index, const BoundBlock &block) {
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> columns;
  for_each_batch(templates, block, [&](const RowBatch &batch) { index.append(batch, offsets, columns); });
  return {to_numpy(std::move(offsets)), to_numpy(std::move(columns))};
}

// Base codes of every pair, to show them to people.
static std::tuple<NumpyArray<int64_t>, NumpyArray<uint64_t>> base_codes(const FeatureTemplates &templates,
                                                                        const BoundBlock &block) {
  std::vector<int64_t> offsets{0};
  std::vector<uint64_t> codes;
  for_each_batch(templates, block, [&](const RowBatch &batch) {
    for (const size_t end : batch.code_ends) offsets.push_back(static_cast<int64_t>(codes.size() + end));
    codes.insert(codes.end(), batch.codes.begin(), batch.codes.end());
  });
  return {to_numpy(std::move(offsets)), to_numpy(std::move(codes))};
}

// Phrase pairs that are not in a corpus: spans of one source sentence with target phrases and links counted from both.
struct CandidateArrays {
  const Array<int32_t> &source;
  const Array<int64_t> &starts, &lengths;
  const Array<int32_t> &target_ids;
  const Array<int64_t> &target_offsets;
  const Array<uint32_t> &links;
  const Array<int64_t> &link_offsets;

  void check() const {
    require(starts.size() == lengths.size() && starts.size() + 1 == target_offsets.size() &&
                starts.size() + 1 == link_offsets.size(),
            "the arrays of candidates differ in length");
    require(source.size() <= kMaxSentenceLength, "the sentence is too long");
    check_offsets(target_offsets, target_ids.size(), "target_offsets are not valid offsets");
    check_offsets(link_offsets, links.size(), "link_offsets are not valid offsets");
    check_lengths(target_offsets);
    check_word_ids(source);
    check_word_ids(target_ids);
  }

  // Calls visit(batch) for all of them; without the GIL, after check().
  template <typename Visit> void for_each_batch(const FeatureTemplates &templates, Visit visit) const {
    const std::vector<Link> copied = copy_as<Link>(links);
    const Link *link = copied.data();
    const int64_t words = static_cast<int64_t>(source.size());
    RowBatcher batcher(templates, visit);
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
};

static Rows encode_candidates(const FeatureTemplates &templates, const FeatureIndex &index,
                              const Array<int32_t> &source, const Array<int64_t> &starts, const Array<int64_t> &lengths,
                              const Array<int32_t> &target_ids, const Array<int64_t> &target_offsets,
                              const Array<uint32_t> &links, const Array<int64_t> &link_offsets) {
  const CandidateArrays pairs{source, starts, lengths, target_ids, target_offsets, links, link_offsets};
  pairs.check();
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> columns;
  {
    nb::gil_scoped_release release;
    pairs.for_each_batch(templates, [&](const RowBatch &batch) { index.append(batch, offsets, columns); });
  }
  return {to_numpy(std::move(offsets)), to_numpy(std::move(columns))};
}

// The scores of linear models, each with weights of its own for the same columns and classes, and maybe intercepts
// after them; no row is kept.
static std::vector<NumpyArray<float>> score_candidates(const FeatureTemplates &templates, const FeatureIndex &index,
                                                       const Array<int32_t> &source, const Array<int64_t> &starts,
                                                       const Array<int64_t> &lengths, const Array<int32_t> &target_ids,
                                                       const Array<int64_t> &target_offsets,
                                                       const Array<uint32_t> &links, const Array<int64_t> &link_offsets,
                                                       const std::vector<Array<float>> &weights, int classes) {
  const CandidateArrays pairs{source, starts, lengths, target_ids, target_offsets, links, link_offsets};
  pairs.check();
  require(classes >= 2 && classes <= kMaxClasses, "classes are out of range");
  const int64_t stride = stride_of(classes), weighted = index.columns() * stride;
  for (const Array<float> &w : weights) {
    const int64_t size = static_cast<int64_t>(w.size());
    require(size == weighted || size == weighted + stride, "weights have the wrong size");
  }
  std::vector<std::vector<float>> scores(weights.size());
  {
    nb::gil_scoped_release release;
    std::vector<int64_t> offsets;
    std::vector<int32_t> columns;
    pairs.for_each_batch(templates, [&](const RowBatch &batch) {
      offsets.assign(1, 0);
      columns.clear();
      index.append(batch, offsets, columns);
      for (size_t m = 0; m < weights.size(); ++m)
        score_columns(offsets, columns, weights[m].data(),
                      static_cast<int64_t>(weights[m].size()) > weighted ? weights[m].data() + weighted : nullptr,
                      classes, scores[m]);
    });
  }
  std::vector<NumpyArray<float>> result;
  for (std::vector<float> &values : scores) result.push_back(to_numpy(std::move(values)));
  return result;
}

static std::tuple<NumpyArray<uint64_t>, NumpyArray<int64_t>, NumpyArray<uint64_t>>
counted(const FeatureCounter &counter) {
  std::vector<uint64_t> keys, codes;
  std::vector<int64_t> counts;
  {
    nb::gil_scoped_release release;
    std::shared_lock lock(counter.mutex());
    counter.finish(keys, counts, codes);
  }
  return {to_numpy(std::move(keys)), to_numpy(std::move(counts)), to_numpy(std::move(codes))};
}

void bind_features(nb::module_ &m) {
  m.attr("MAX_CONTEXT") = kMaxContext;
  m.attr("MAX_DEGREE") = kMaxDegree;
  m.attr("MAX_HASH_BITS") = kMaxHashBits;
  m.attr("MAX_WORD") = kMaxWord;
  m.attr("WORD_BITS") = kWordBits;
  nb::enum_<PhraseTemplate>(m, "PhraseTemplate")
      .value("ALL_WORDS", PhraseTemplate::all_words)
      .value("BOUNDARIES", PhraseTemplate::boundaries)
      .value("ALIGNMENTS", PhraseTemplate::alignments);
  nb::enum_<FeatureKind>(m, "FeatureKind", nb::is_arithmetic())
      .value("SOURCE_WORD", kSourceWord)
      .value("TARGET_WORD", kTargetWord)
      .value("SOURCE_FIRST", kSourceFirst)
      .value("SOURCE_LAST", kSourceLast)
      .value("TARGET_FIRST", kTargetFirst)
      .value("TARGET_LAST", kTargetLast)
      .value("LINK", kLink)
      .value("LEFT_CONTEXT", kLeftContext)
      .value("RIGHT_CONTEXT", kRightContext)
      .value("OF_CLASSES", kOfClasses);
  nb::class_<FeatureTemplates>(m, "FeatureTemplates")
      .def_static("make", &make_templates, "phrase"_a, "context"_a, "roles"_a, "edges"_a, "degrees"_a, "source_map"_a,
                  "target_map"_a, "context_map"_a, "source_classes"_a, "target_classes"_a, "context_classes"_a);
  nb::class_<FeatureIndex>(m, "FeatureIndex")
      .def_static(
          "of_keys",
          [](const Array<uint64_t> &keys) {
            require(keys.size() < static_cast<size_t>(std::numeric_limits<int32_t>::max()), "too many keys");
            for (size_t i = 0; i < keys.size(); ++i) require(keys.data()[i] != 0, "0 is not a key");
            return FeatureIndex(copy_of(keys));
          },
          "keys"_a)
      .def_static(
          "hashed",
          [](int bits) {
            require(bits >= 1 && bits <= kMaxHashBits, "hash_bits is out of range");
            return FeatureIndex(bits);
          },
          "bits"_a);
  nb::class_<FeatureSketch>(m, "FeatureSketch")
      .def_static(
          "make",
          [](int bits) {
            require(bits >= 1 && bits <= 40, "bits are out of range");
            return std::make_shared<FeatureSketch>(bits);
          },
          "bits"_a)
      .def(
          "add",
          [](FeatureSketch &sketch, const FeatureTemplates &templates, const BoundBlock &block) {
            for_each_batch(templates, block, [&](const RowBatch &batch) {
              std::unique_lock lock(sketch.mutex());
              sketch.add(batch.keys);
            });
          },
          "templates"_a, "block"_a)
      .def("merge", &merge_exclusively<FeatureSketch>, "other"_a);
  nb::class_<FeatureCounter>(m, "FeatureCounter")
      .def_static(
          "make",
          [](std::shared_ptr<FeatureSketch> sketch, int64_t cutoff, int width) {
            require(cutoff >= 0, "the cut-off is below 0");
            require(width >= 1 && width <= kMaxDegree, "width is out of range");
            return new FeatureCounter(std::move(sketch), cutoff, width);
          },
          "sketch"_a, "cutoff"_a, "width"_a)
      .def(
          "add",
          [](FeatureCounter &counter, const FeatureTemplates &templates, const BoundBlock &block) {
            for_each_batch(templates, block, [&](const RowBatch &batch) {
              std::shared_lock sketch_lock(counter.sketch().mutex());
              std::unique_lock lock(counter.mutex());
              counter.add(batch, templates);
            });
          },
          "templates"_a, "block"_a)
      .def("merge", &merge_exclusively<FeatureCounter>, "other"_a)
      .def("finish", &counted);
  m.def("base_codes", &base_codes, "templates"_a, "block"_a);
  m.def("encode_rows", &encode_rows, "templates"_a, "index"_a, "block"_a);
  m.def("encode_candidates", &encode_candidates, "templates"_a, "index"_a, "source"_a, "starts"_a, "lengths"_a,
        "target_ids"_a, "target_offsets"_a, "links"_a, "link_offsets"_a);
  m.def("score_candidates", &score_candidates, "templates"_a, "index"_a, "source"_a, "starts"_a, "lengths"_a,
        "target_ids"_a, "target_offsets"_a, "links"_a, "link_offsets"_a, "weights"_a, "classes"_a);
}
