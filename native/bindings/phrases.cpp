// Extraction, orientation, and the lines of Moses' extract files.
#include "bindings/phrases.hpp"

#include <mutex>

#include "phrases/extraction.hpp"
#include "phrases/moses_lines.hpp"
#include "phrases/orientation.hpp"

static std::tuple<NumpyArray<uint64_t>, NumpyArray<int64_t>>
extract_phrases(const Array<int64_t> &source_offsets, const Array<int64_t> &target_offsets,
                const Array<uint32_t> &links, const Array<int64_t> &link_offsets, int64_t max_phrase_length) {
  require(max_phrase_length >= 1 && max_phrase_length <= kMaxPhraseLength, "max_phrase_length is out of range");
  require(source_offsets.size() == target_offsets.size() && source_offsets.size() == link_offsets.size(),
          "offsets differ in length");
  const size_t unlimited = static_cast<size_t>(std::numeric_limits<int64_t>::max());
  check_offsets(source_offsets, unlimited, "source_offsets are not valid offsets");
  check_offsets(target_offsets, unlimited, "target_offsets are not valid offsets");
  check_offsets(link_offsets, links.size(), "link_offsets are not valid offsets");
  check_lengths(source_offsets);
  check_lengths(target_offsets);
  const int64_t *f = source_offsets.data(), *e = target_offsets.data(), *a = link_offsets.data();
  const std::vector<Link> link = copy_as<Link>(links);
  const size_t sentences = source_offsets.size() - 1;
  std::vector<PhrasePair> pairs;
  std::vector<int64_t> offsets(sentences + 1);
  {
    nb::gil_scoped_release release;
    SentenceExtractor extractor(static_cast<int>(max_phrase_length));
    for (size_t s = 0; s < sentences; ++s) {
      extractor.run(static_cast<int>(f[s + 1] - f[s]), static_cast<int>(e[s + 1] - e[s]), link.data() + a[s],
                    a[s + 1] - a[s], pairs);
      offsets[s + 1] = static_cast<int64_t>(pairs.size());
    }
  }
  return {to_numpy_as<uint64_t>(std::move(pairs)), to_numpy(std::move(offsets))};
}

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

void bind_phrases(nb::module_ &m) {
  m.attr("MAX_PHRASE_LENGTH") = kMaxPhraseLength;
  m.attr("MONO") = static_cast<int>(kMono);
  m.attr("SWAP") = static_cast<int>(kSwap);
  m.attr("DRIGHT") = static_cast<int>(kDRight);
  m.attr("DLEFT") = static_cast<int>(kDLeft);
  m.attr("WORD") = static_cast<int>(kWord);
  m.attr("PHRASE") = static_cast<int>(kPhrase);
  m.attr("HIER") = static_cast<int>(kHier);
  m.attr("BACKWARD") = static_cast<int>(kBackward);
  m.attr("FORWARD") = static_cast<int>(kForward);
  m.attr("FORWARD_MOSES") = static_cast<int>(kForwardMoses);
  m.def(
      "orientation_shift",
      [](unsigned model, unsigned direction) {
        require(model < kModels && direction < kDirections, "no such orientation model or direction");
        return orientation_shift(model, direction);
      },
      "model"_a, "direction"_a);

  m.def("extract_phrases", &extract_phrases, "source_offsets"_a, "target_offsets"_a, "links"_a, "link_offsets"_a,
        "max_phrase_length"_a);
  nb::class_<BoundBlock>(m, "PhraseBlock")
      .def(nb::init<Array<int32_t>, Array<int64_t>, Array<int32_t>, Array<int64_t>, Array<uint32_t>, Array<int64_t>,
                    Array<uint64_t>, Array<int64_t>>(),
           "source_ids"_a, "source_offsets"_a, "target_ids"_a, "target_offsets"_a, "links"_a, "link_offsets"_a,
           "pairs"_a, "pair_offsets"_a);
  m.def("moses_lines", &moses_lines, "source_vocabulary"_a, "target_vocabulary"_a, "block"_a, "word"_a.none(),
        "phrase"_a.none(), "hier"_a.none());
}
