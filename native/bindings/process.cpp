// What belongs to the whole process: mapped files that get shorter, data that was changed, and its end.
#include "bindings/arrays.hpp"

#include <nanobind/stl/vector.h>

#include "base/changed_data.hpp"
#include "base/mapped_files.hpp"
#include "base/stopping.hpp"

// Raises what `tartib.storage.mapped_files.check` raises; called by Python in its main thread.
static int raise_cut(void *) {
  try {
    nb::module_::import_("tartib.storage.mapped_files").attr("check")();
    return 0;
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return -1;
}

static int64_t watch_mapping(const Array<uint8_t> &bytes, std::string path) {
  return MappedFiles::all().watch(std::bit_cast<uintptr_t>(bytes.data()), bytes.size(), std::move(path),
                                  [] { Py_AddPendingCall(&raise_cut, nullptr); });
}

void bind_process(nb::module_ &m) {
  nb::register_exception_translator([](const std::exception_ptr &caught, void *) {
    try {
      std::rethrow_exception(caught);
    } catch (const ChangedData &error) {
      const nb::object kind = nb::module_::import_("tartib.errors").attr("ChangedDataError");
      PyErr_SetString(kind.ptr(), error.what());
    }
  });
  m.def("watch_mapping", &watch_mapping, "bytes"_a, "path"_a);
  m.def("forget_mapping", [](int64_t number) { MappedFiles::all().forget(number); }, "number"_a);
  m.def("cut_files", [] { return MappedFiles::all().cut(); });
  m.def(
      "limit_stopping",
      [](double seconds) {
        require(seconds > 0 && seconds <= 3600, "seconds are out of range");
        Stopping::limit(seconds);
      },
      "seconds"_a);
  m.def("stopping_told", &Stopping::told);
  m.def("cancel_stopping", &Stopping::cancel);
}
