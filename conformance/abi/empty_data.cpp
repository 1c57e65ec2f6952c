// SPDX-License-Identifier: Apache-2.0
//
// Tensors without elements.

#include "abi/support.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(empty_data)

namespace {

TensorSpec draw_empty(Case& c) {
  TensorSpec spec = draw_empty_spec(c.draw, c.subject());
  require_claimed(c.subject(), spec);
  return spec;
}

DLCERT_CHECK(empty_exports_have_no_data,
             producer_check("abi.data.zero-size-null",
                            "a tensor without elements is exported with null data", exporting)) {
  const ExportedSource exported = export_spec(c, draw_empty(c));
  const Managed& managed = exported.managed();
  in_fields(
      managed,
      [&] {
        expect_equal("data of a tensor without elements", static_cast<void*>(nullptr),
                     managed.tensor().data);
      },
      "exported.dl_tensor.data == NULL");
}

ImportedOffer offer_empty(Case& c, const TensorSpec& spec, Descriptor::Data data) {
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  Descriptor descriptor = describe_spec(spec, path.form);
  descriptor.data = data;
  return ImportedOffer{c, path.route, descriptor, Bytes{}};
}

void expect_empty_import(Case& c, Descriptor::Data data) {
  const TensorSpec spec = draw_empty(c);
  ImportedOffer imported = offer_empty(c, spec, data);
  imported.expect_accepted();
  imported.expect_holds(spec, Bytes{});
  imported.expect_one_deletion();
}

DLCERT_CHECK(null_data_is_accepted,
             consumer_check("abi.data.zero-size-null",
                            "the consumer accepts null data of a tensor without elements",
                            importing)) {
  expect_empty_import(c, Descriptor::Data::null);
}
DLCERT_CHECK(null_data_is_not_touched,
             if_touched(consumer_check(
                 "abi.data.zero-size-accepted",
                 "the consumer takes null data for no elements, or refuses it", importing))) {
  const TensorSpec spec = draw_empty(c);
  ImportedOffer imported = offer_empty(c, spec, Descriptor::Data::null);
  expect_right_if_accepted(c, imported, spec, Bytes{});
}
DLCERT_CHECK(unmapped_data_is_not_touched,
             consumer_check("abi.data.zero-size-accepted",
                            "the consumer does not touch the data of a tensor without elements",
                            importing)) {
  expect_empty_import(c, Descriptor::Data::unmapped);
}

}  // namespace
}  // namespace dlcert::abi
