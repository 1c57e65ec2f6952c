// SPDX-License-Identifier: Apache-2.0
//
// What the module for GPUs publishes: its names, the error of missing memory, and what stands in
// for types that the build lacks.

#include "registration.hpp"
#include "testbench/python.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(published_names)

namespace {

// The module is one of the library's, whatever its role: PyTorch's own adapter is a producer.
constexpr Needs in_python = Needs{} | Can::python;

std::string text_of(const Case& c, const std::string& expression) {
  return require(Python{c.producer}.evaluate(expression), expression);
}

bool holds(const Case& c, const std::string& expression) {
  return text_of(c, expression) == "True";
}

void require_module(const Case& c) {
  if (!holds(c, "hasattr(library, 'cuda')")) throw NotClaimed{"a module for GPUs"};
}

DLCERT_CHECK(listed_names_are_there,
             producer_check("runtime.public-names", "every name that the module lists is there",
                            in_python, 1)) {
  require_module(c);
  expect(holds(c, "len(library.cuda.__all__) > 0"), "__all__ of the module: expected names");
  expect_equal("listed names that are not there", "[]",
               text_of(c,
                       "[name for name, there in zip(library.cuda.__all__, map(hasattr, "
                       "[library.cuda] * len(library.cuda.__all__), library.cuda.__all__)) if "
                       "not there]"));
}

DLCERT_CHECK(out_of_memory_error_is_published,
             producer_check("runtime.oom-alias",
                            "the module's OutOfMemoryError is the library's own type", in_python,
                            1)) {
  require_module(c);
  expect(holds(c, "issubclass(library.cuda.OutOfMemoryError, RuntimeError)"),
         "OutOfMemoryError of the module: expected a RuntimeError");
  const std::string core =
      text_of(c,
              "next((type for type in (getattr(library, 'OutOfMemoryError', None), "
              "getattr(getattr(library, '_C', None), '_OutOfMemoryError', None), "
              "getattr(getattr(library, '_C', None), 'OutOfMemoryError', None)) if type), None)");
  expect_equal("OutOfMemoryError of the module", core, text_of(c, "library.cuda.OutOfMemoryError"));
}

DLCERT_CHECK(placeholder_cannot_be_made,
             if_touched(producer_check("runtime.dummy-properties",
                                       "without GPU support the type of device properties is there "
                                       "and cannot be made",
                                       in_python, 1))) {
  require_module(c);
  if (holds(c, "library.cuda.is_available() or hasattr(library._C, '_CudaDeviceProperties')"))
    throw Declined{"the build supports GPUs"};
  c.touched();
  const auto made = Python{c.producer}.evaluate("library.cuda._CudaDeviceProperties()");
  expect(!made.ok(), "_CudaDeviceProperties(): expected RuntimeError but found {}",
         made.ok() ? "an object" : "");
  expect_equal("error of _CudaDeviceProperties()", "RuntimeError",
               std::string{error_kind_name(made.error().kind)});
}

}  // namespace
}  // namespace dlcert::runtime
