// SPDX-License-Identifier: Apache-2.0
//
// What an export refers to while somebody holds it, whatever becomes of its source.
#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/freed_memory.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(exported_memory)

namespace {

using testbench::described_spec;
using testbench::expect_gathered;
using testbench::FreedMemoryReuse;
using testbench::gather_exported;

// Everything that a managed tensor says, and what it points to.
class Snapshot {
 public:
  explicit Snapshot(const Managed& managed)
      : tensor_{managed.tensor()},
        spec_{described_spec(managed)},
        logical_{gather_exported(managed)} {}

  void expect_unchanged(const Managed& managed) const {
    const DLTensor& now = managed.tensor();
    expect(tensor_.data == now.data && tensor_.byte_offset == now.byte_offset,
           "data of an export: expected it unmoved but found another address");
    expect(tensor_.shape == now.shape && tensor_.strides == now.strides,
           "shape and strides of an export: expected them unmoved but found other addresses");
    const TensorSpec spec = described_spec(managed);
    expect_equal("dtype", spec_.dtype, spec.dtype);
    expect_equal("shape", spec_.shape, spec.shape);
    expect_equal("strides", spec_.strides, spec.strides);
    expect_gathered(managed, logical_);
  }

 private:
  DLTensor tensor_;
  TensorSpec spec_;
  Bytes logical_;
};

DLCERT_CHECK(export_outlives_its_source,
             producer_check("lifetime.memory-valid-until-deleter",
                            "data, shape and strides stay as they are when the source is gone",
                            exporting)) {
  Source source = draw_source(c, {.read_only = true});
  const Exported exported = export_either(c, source.tensor);
  const Snapshot before{exported.managed()};
  source.tensor.release();
  const FreedMemoryReuse reuse{c, source};
  before.expect_unchanged(exported.managed());
}

// The text speaks of no reasonable destructor. Without a signal of release, memory is only safe if
// it never goes away.
DLCERT_CHECK(missing_deleter_means_immortal_memory,
             if_touched(producer_check(
                 "lifetime.deleter.may-be-null",
                 "an export without deleter is on memory that never goes away", exporting))) {
  Source source = draw_source(c, {.read_only = true});
  const Exported exported = export_either(c, source.tensor);
  if (exported.managed().has_deleter()) throw Declined{"has a deleter"};
  c.touched();
  c.observe("has no deleter");
  const Snapshot before{exported.managed()};
  source.tensor.release();
  const FreedMemoryReuse reuse{c, source};
  before.expect_unchanged(exported.managed());
}

}  // namespace
}  // namespace dlcert::lifetime
