// The files named bindings are the only ones that know Python: they check every argument, release the GIL and turn
// vectors into NumPy arrays. This one has text, extraction and the module itself.
#include "bindings/arrays.hpp"

#include <mutex>

#include "bitext/bitext.hpp"
#include "phrases/extraction.hpp"
#include "phrases/moses_lines.hpp"
#include "phrases/orientation.hpp"

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
                             const nb::bytes &target, std::optional<nb::bytes> alignment, int64_t max_sentence_length,
                             bool skip_empty) {
  require(&source_vocabulary != &target_vocabulary, "source and target need a vocabulary each");
  require(max_sentence_length >= 1 && max_sentence_length <= kMaxSentenceLength, "max_sentence_length is out of range");
  const std::string_view source_text = view(source), target_text = view(target);
  const std::string_view links_text = alignment ? view(*alignment) : std::string_view{};
  EncodedBlock block;
  {
    nb::gil_scoped_release release;
    std::scoped_lock lock(source_vocabulary.mutex(), target_vocabulary.mutex());
    BlockEncoder encoder(source_vocabulary, target_vocabulary, max_sentence_length, skip_empty);
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
                const Array<uint32_t> &links, const Array<int64_t> &link_offsets, int64_t max_phrase_length) {
  require(max_phrase_length >= 1 && max_phrase_length <= 255, "max_phrase_length is out of range");
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
    SentenceExtractor extractor(static_cast<int>(max_phrase_length));
    for (size_t s = 0; s < sentences; ++s) {
      extractor.run(static_cast<int>(f[s + 1] - f[s]), static_cast<int>(e[s + 1] - e[s]), link + a[s], a[s + 1] - a[s],
                    pairs);
      ends[s] = static_cast<int64_t>(pairs.size());
    }
  }
  return {to_numpy_as<uint64_t>(std::move(pairs)), to_numpy(std::move(ends))};
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
        "alignment"_a.none(), "max_sentence_length"_a, "skip_empty"_a);

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
  m.def("orientation_shift", [](unsigned model, unsigned direction) {
    require(model < kModels && direction < kDirections, "no such orientation model or direction");
    return orientation_shift(model, direction);
  });

  m.def("extract_phrases", &extract_phrases, "source_offsets"_a, "target_offsets"_a, "links"_a, "link_offsets"_a,
        "max_phrase_length"_a);
  nb::class_<BoundBlock>(m, "PhraseBlock")
      .def(nb::init<Array<int32_t>, Array<int64_t>, Array<int32_t>, Array<int64_t>, Array<uint32_t>, Array<int64_t>,
                    Array<uint64_t>, Array<int64_t>>(),
           "source_ids"_a, "source_offsets"_a, "target_ids"_a, "target_offsets"_a, "links"_a, "link_offsets"_a,
           "pairs"_a, "pair_offsets"_a);
  m.def("moses_lines", &moses_lines, "source_vocabulary"_a, "target_vocabulary"_a, "block"_a, "word"_a.none(),
        "phrase"_a.none(), "hier"_a.none());

  bind_features(m);
  bind_models(m);
  bind_solvers(m);
  bind_primal(m);
  bind_phrase_table(m);
  bind_lm(m);
  bind_decoder(m);
  bind_tuning(m);
}
