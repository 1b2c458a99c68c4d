// Word classes.
#include "bindings/arrays.hpp"

#include <mutex>

#include "word_classes/exchange.hpp"

// Used by one thread at a time.
struct BoundExchange : ClassExchange {
  using ClassExchange::ClassExchange;
  mutable std::mutex mutex;
};

static BoundExchange *make_exchange(const Vocabulary &vocabulary, const Array<int32_t> &ids,
                                    const Array<int64_t> &offsets, int classes) {
  require(classes >= 1 && classes <= kMaxWordClasses, "the number of classes is out of range");
  nb::gil_scoped_release release;
  // Copies, as another thread may change the arrays after they were checked.
  const std::vector<int32_t> words = copy_of(ids);
  const std::vector<int64_t> places = copy_of(offsets);
  check_offsets(places, words.size(), "offsets are not valid offsets");
  std::shared_lock lock(vocabulary.mutex());
  check_ids(words, vocabulary);
  return new BoundExchange(words.data(), places.data(), static_cast<int64_t>(places.size()) - 1,
                           static_cast<int32_t>(vocabulary.size()), classes);
}

void bind_word_classes(nb::module_ &m) {
  m.attr("MAX_WORD_CLASSES") = kMaxWordClasses;
  nb::class_<BoundExchange>(m, "ClassExchange")
      .def(nb::new_(&make_exchange), "vocabulary"_a, "ids"_a, "offsets"_a, "classes"_a)
      .def("run_round",
           [](BoundExchange &exchange) {
             nb::gil_scoped_release release;
             const std::scoped_lock alone(exchange.mutex);
             return exchange.run_round();
           })
      .def("objective",
           [](const BoundExchange &exchange) {
             nb::gil_scoped_release release;
             const std::scoped_lock alone(exchange.mutex);
             return exchange.objective();
           })
      .def("word_term", &ClassExchange::word_term)
      .def("classes",
           [](const BoundExchange &exchange) {
             std::vector<int32_t> classes;
             {
               nb::gil_scoped_release release;
               const std::scoped_lock alone(exchange.mutex);
               classes = exchange.classes();
             }
             return to_numpy(std::move(classes));
           })
      .def("counts", [](const BoundExchange &exchange) { return to_numpy(std::vector<int64_t>(exchange.counts())); });
}
