// Vocabularies, and text as ids.
#include "bindings/arrays.hpp"

#include <mutex>

#include "bitext/lines.hpp"

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
  require(&source_vocabulary != &target_vocabulary, "source and target need separate vocabularies");
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
  result["defect"] = block.defect;
  result["side"] = static_cast<int>(block.side);
  result["defect_line"] = block.defect_line;
  result["defect_column"] = block.defect_column;
  result["defect_text"] = nb::bytes(block.defect_text.data(), block.defect_text.size());
  result["too_long"] = block.too_long;
  result["empty"] = block.empty;
  result["lines_read"] = block.lines_read;
  result["source_ids"] = to_numpy(std::move(block.source_ids));
  result["target_ids"] = to_numpy(std::move(block.target_ids));
  result["source_offsets"] = to_numpy(std::move(block.source_offsets));
  result["target_offsets"] = to_numpy(std::move(block.target_offsets));
  result["links"] = to_numpy_as<uint32_t>(std::move(block.links));
  result["link_offsets"] = to_numpy(std::move(block.link_offsets));
  result["lines"] = to_numpy(std::move(block.lines));
  return result;
}

// Ids, lengths of lines, and what is wrong with the line after them.
static std::tuple<NumpyArray<int32_t>, NumpyArray<int64_t>, std::string> encode_text(Vocabulary &vocabulary,
                                                                                     const nb::bytes &lines) {
  EncodedLines found;
  {
    const std::string_view text = view(lines);
    nb::gil_scoped_release release;
    std::unique_lock lock(vocabulary.mutex());
    found = encode_lines(vocabulary, text);
  }
  return {to_numpy(std::move(found.ids)), to_numpy(std::move(found.lengths)), std::string(found.problem)};
}

void bind_bitext(nb::module_ &m) {
  nb::enum_<Defect>(m, "TextDefect")
      .value("NONE", Defect::none)
      .value("INVALID_UTF8", Defect::invalid_utf8)
      .value("NUL_BYTE", Defect::nul_byte)
      .value("EMPTY_LINE", Defect::empty_line)
      .value("RESERVED_TOKEN", Defect::reserved_token)
      .value("MALFORMED_LINK", Defect::malformed_link)
      .value("LINK_BEYOND_SOURCE", Defect::link_beyond_source)
      .value("LINK_BEYOND_TARGET", Defect::link_beyond_target)
      .value("MISSING_LINE", Defect::missing_line);
  nb::class_<Vocabulary>(m, "Vocabulary")
      .def(nb::init<>())
      .def("__len__", &vocabulary_size)
      .def("intern", &intern, "word"_a)
      .def("find", &find, "word"_a)
      .def("word", &word_of, "id"_a)
      .def("add_lines", &add_lines, "lines"_a)
      .def("join", &join_words);

  m.attr("MAX_SENTENCE_LENGTH") = kMaxSentenceLength;
  m.def("encode_lines", &encode_text, "vocabulary"_a, "lines"_a);
  m.def("encode_block", &encode_block, "source_vocabulary"_a, "target_vocabulary"_a, "source"_a, "target"_a,
        "alignment"_a.none(), "max_sentence_length"_a, "skip_empty"_a);
}
