// Word alignment: symmetrisation.
#include "bindings/arrays.hpp"

#include "alignment/symmetrisation.hpp"

// Positions have 16 bits.
static constexpr int64_t kMostWords = 65535;

// A copy of the offsets of sentences, which stay as they were checked.
static std::vector<int64_t> checked_offsets(const Array<int64_t> &given, const char *message) {
  std::vector<int64_t> offsets = copy_of(given);
  check_offsets(offsets, static_cast<size_t>(std::numeric_limits<int64_t>::max()), message);
  for (size_t i = 1; i < offsets.size(); ++i)
    require(offsets[i] - offsets[i - 1] <= kMostWords, "a sentence is too long");
  return offsets;
}

// The links of one direction, copied likewise.
struct DirectedLinks {
  DirectedLinks(const Array<uint32_t> &packed, const Array<int64_t> &cuts, const std::vector<int64_t> &f,
                const std::vector<int64_t> &e)
      : links(copy_as<Link>(packed)), offsets(copy_of(cuts)) {
    require(offsets.size() == f.size(), "offsets differ in length");
    check_offsets(offsets, links.size(), "offsets of links are not valid offsets");
    for (size_t s = 0; s + 1 < f.size(); ++s)
      for (int64_t l = offsets[s]; l < offsets[s + 1]; ++l)
        if (links[l].source >= f[s + 1] - f[s] || links[l].target >= e[s + 1] - e[s])
          throw std::out_of_range("a link points beyond its sentence");
  }

  const std::vector<Link> links;
  const std::vector<int64_t> offsets;
};

static std::tuple<NumpyArray<uint32_t>, NumpyArray<int64_t>>
symmetrise(const Array<int64_t> &source_offsets, const Array<int64_t> &target_offsets, const Array<uint32_t> &forward,
           const Array<int64_t> &forward_offsets, const Array<uint32_t> &backward,
           const Array<int64_t> &backward_offsets, Heuristic heuristic) {
  const std::vector<int64_t> f = checked_offsets(source_offsets, "source_offsets are not valid offsets");
  const std::vector<int64_t> e = checked_offsets(target_offsets, "target_offsets are not valid offsets");
  require(f.size() == e.size(), "offsets differ in length");
  const size_t sentences = f.size() - 1;
  const DirectedLinks to_target(forward, forward_offsets, f, e);
  const DirectedLinks to_source(backward, backward_offsets, f, e);
  std::vector<Link> links;
  std::vector<int64_t> offsets(sentences + 1);
  {
    nb::gil_scoped_release release;
    Symmetriser symmetriser(heuristic);
    for (size_t s = 0; s < sentences; ++s) {
      const auto [first, second] = std::pair(to_target.offsets[s], to_source.offsets[s]);
      symmetriser.run(f[s + 1] - f[s], e[s + 1] - e[s], to_target.links.data() + first,
                      to_target.offsets[s + 1] - first, to_source.links.data() + second,
                      to_source.offsets[s + 1] - second, links);
      offsets[s + 1] = static_cast<int64_t>(links.size());
    }
  }
  return {to_numpy_as<uint32_t>(std::move(links)), to_numpy(std::move(offsets))};
}

void bind_alignment(nb::module_ &m) {
  nb::enum_<Heuristic>(m, "Heuristic")
      .value("GROW_DIAG_FINAL_AND", Heuristic::grow_diag_final_and)
      .value("GROW_DIAG_FINAL", Heuristic::grow_diag_final)
      .value("GROW_DIAG", Heuristic::grow_diag)
      .value("GROW", Heuristic::grow)
      .value("OCH", Heuristic::och)
      .value("UNION", Heuristic::union_)
      .value("INTERSECTION", Heuristic::intersection);
  m.def("symmetrise", &symmetrise, "source_offsets"_a, "target_offsets"_a, "forward"_a, "forward_offsets"_a,
        "backward"_a, "backward_offsets"_a, "heuristic"_a);
}
