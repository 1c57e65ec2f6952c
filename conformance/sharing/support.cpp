// SPDX-License-Identifier: Apache-2.0
#include "sharing/support.hpp"

namespace dlcert::sharing {

using testbench::described_spec;

Tensor hand_over(Case& c, const Tensor& tensor) {
  if (!has_route(c.consumer, Route::managed)) throw NotClaimed{"import of a bare managed tensor"};
  Exported exported = export_either(c, tensor);
  auto imported = c.consumer.import_managed(exported.managed().raw());
  if (imported.ok() || c.consumer.declares(DLCERT_FAILED_IMPORT_CONSUMES)) exported.give_up();
  if (!imported.ok()) throw NotClaimed{"a tensor that both libraries have"};
  return std::move(imported).value();
}

Bytes read_all(const Party& party, const Tensor& tensor, const TensorSpec& spec) {
  const auto size = static_cast<std::size_t>(spec.element_count()) * logical_item_size(spec.dtype);
  return testbench::read_back(party, tensor, size);
}

void write_all(const Party& party, const Tensor& tensor, const Bytes& logical) {
  require(party.write(tensor, logical), "write to a writable tensor");
}

void write_exported(const Managed& managed, const Bytes& logical) {
  scatter_into(described_spec(managed), const_cast<std::byte*>(managed.first_element()), logical);
}

}  // namespace dlcert::sharing
