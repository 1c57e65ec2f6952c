// SPDX-License-Identifier: Apache-2.0
//
// The data pointer is an address wherever there are elements, in every export: byte_offset leads on
// from there and is no address itself.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "abi/support.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(data_address)

namespace {

using testbench::export_or_skip;
using testbench::require_accepted;

constexpr SpecBounds with_elements{.shape = {.empty = false}, .read_only = true};

// Whether there is memory at the address, readable or not.
bool is_mapped(const void* address) {
  const auto page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(address) / page_size * page_size;
  unsigned char resident = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the page of an address
  return mincore(reinterpret_cast<void*>(start), page_size, &resident) == 0;
}

void expect_address(const Managed& exported) {
  const DLTensor& tensor = exported.tensor();
  expect_field(
      exported, tensor.data != nullptr, "exported.dl_tensor.data != NULL",
      "data of a tensor with elements: expected an address but found NULL and byte_offset {:#x}",
      tensor.byte_offset);
  expect(is_mapped(tensor.data),
         "data of a tensor with elements: expected an address of the host but found {} and "
         "byte_offset {:#x}",
         tensor.data, tensor.byte_offset);
}

dlcert_request draw_any_request(Draw& draw) {
  dlcert_request asked = request_for(draw_form(draw));
  if (draw.flip()) asked.copy = boolean(true);
  return asked;
}

// By the drawn request, or by the plainest one if the library cannot form the drawn one.
Exported export_by_some_request(Case& c, const Tensor& tensor, const char* what) {
  const dlcert_request drawn = draw_any_request(c.draw);
  try {
    return export_or_skip(c, tensor, drawn, what);
  } catch (const NotFormable&) {
    return export_or_skip(c, tensor, request_for(Form::legacy), what);
  }
}

DLCERT_CHECK(data_of_every_export_is_an_address,
             producer_check("abi.data.device-address",
                            "data is an address in exports of views, of copies and of what is "
                            "read-only or padded",
                            exporting)) {
  const TensorSpec spec = draw_claimed(c, with_elements);
  const Tensor tensor = create(c, spec, draw_logical(c.draw, spec));
  const Exported out = export_by_some_request(c, tensor, "this export");
  expect_address(out.managed());
}

// Its storage is described from elsewhere: with an offset, or from the last element.
DLCERT_CHECK(data_of_an_import_is_an_address,
             producer_check("abi.data.device-address",
                            "data is an address in exports of imported tensors",
                            exporting | Can::any_import)) {
  const ImportPath path = draw_import_path(c.draw, c.producer.consuming());
  const TensorSpec spec =
      draw_spec(c.draw, c.producer.consuming(), {.shape = {.empty = false}, .padded = false});
  const Bytes logical = draw_logical(c.draw, spec);
  const auto offer = make_offer(spec, logical, path.form, c.draw.flip());
  Import import{c.producer, *offer, path.route};
  require_accepted(import, c.producer, *offer);
  {
    const Exported out = export_by_some_request(c, import.tensor(), "export of an import");
    expect_address(out.managed());
  }
  import.finish();
  expect_deleted_once(*offer);
}

}  // namespace
}  // namespace dlcert::abi
