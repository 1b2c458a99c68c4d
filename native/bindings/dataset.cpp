// Sparse rows with labels.
#include "bindings/arrays.hpp"
#include "dataset/rows.hpp"
#include "dataset/svmlight.hpp"

static SparseRows checked_rows(const Array<int64_t> &indptr, const Array<int32_t> &indices,
                               const std::optional<Array<float>> &values, const Array<int32_t> &labels) {
  check_offsets(indptr, indices.size(), "indptr is not valid");
  require(labels.size() + 1 == indptr.size(), "there must be one label for each row");
  require(!values || values->size() == indices.size(), "values and indices differ in length");
  return {indptr.data(),
          indices.data(),
          values ? values->data() : nullptr,
          labels.data(),
          static_cast<int64_t>(labels.size()),
          static_cast<int64_t>(indices.size())};
}

static std::tuple<NumpyArray<int64_t>, NumpyArray<double>>
collapse_rows(const Array<int64_t> &indptr, const Array<int32_t> &indices, const std::optional<Array<float>> &values,
              const Array<int32_t> &labels, const std::optional<Array<double>> &weights) {
  const SparseRows rows = checked_rows(indptr, indices, values, labels);
  require(!weights || weights->size() == labels.size(), "there must be one weight for each row");
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
  result["defect"] = rows.defect;
  result["defect_line"] = rows.defect_line;
  result["defect_text"] = nb::bytes(rows.defect_text.data(), rows.defect_text.size());
  result["labels"] = to_numpy(std::move(rows.labels));
  result["indptr"] = to_numpy(std::move(rows.indptr));
  result["indices"] = to_numpy(std::move(rows.indices));
  result["values"] = to_numpy(std::move(rows.values));
  return result;
}

void bind_dataset(nb::module_ &m) {
  nb::enum_<SvmlightDefect>(m, "SvmlightDefect")
      .value("NONE", SvmlightDefect::none)
      .value("LABEL", SvmlightDefect::label)
      .value("INDEX", SvmlightDefect::index)
      .value("VALUE", SvmlightDefect::value)
      .value("ORDER", SvmlightDefect::order);
  m.def("collapse_rows", &collapse_rows, "indptr"_a, "indices"_a, "values"_a.none(), "labels"_a, "weights"_a.none());
  m.def("write_svmlight", &write_svmlight, "indptr"_a, "indices"_a, "values"_a.none(), "labels"_a, "base"_a);
  m.def("read_svmlight", &read_svmlight, "text"_a);
}
