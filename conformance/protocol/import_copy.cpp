// SPDX-License-Identifier: Apache-2.0
//
// What from_dlpack makes of its own arguments, device and copy.

#include "protocol/support.hpp"
#include "registration.hpp"
#include "testbench/errors.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(import_copy)

namespace {

using testbench::kind_is;
using testbench::touched_if;

dlcert_import_request asking_copy(bool copy) {
  dlcert_import_request request = import_request();
  request.copy = boolean(copy);
  return request;
}

dlcert_import_request asking_cpu() {
  dlcert_import_request request = import_request();
  request.device = pair(cpu.type, cpu.id);
  return request;
}

struct Exchange {
  TensorSpec spec;
  Bytes logical;
  HonestProducer producer;

  explicit Exchange(Case& c, dlcert_device device = place())
      : spec{draw_simple_spec(c.draw, c.consumer)},
        logical{draw_logical(c.draw, spec)},
        producer{c, spec, logical, device} {}
};

// A plain tensor. Refusing copy=True is for the policy to judge.
Tensor import_copy(Case& c, HonestProducer& producer) {
  auto imported = c.consumer.import_from(producer.c(), asking_copy(true));
  if (imported.ok()) return std::move(imported).value();
  expect(c.settings.policy("copy-true-unsupported") == "optional",
         "import with copy=True: expected success but found {}", to_text(imported.error()));
  throw Declined{"copy=True is refused"};
}

DLCERT_CHECK(copy_does_not_see_the_source,
             consumer_check("protocol.from.copy-forwarded",
                            "a copy does not see writes to its source", importing_objects)) {
  Exchange exchange{c};
  Tensor copy = import_copy(c, exchange.producer);
  Offer& source = exchange.producer.original();
  if (source.deleter_calls() == 0)
    source.set_logical(different_logical(exchange.spec, exchange.logical));
  expect_equal("elements of the copy", exchange.logical,
               read_imported(c.consumer, copy, exchange.spec));
  copy.release();
  exchange.producer.expect_all_released();
}

DLCERT_CHECK(source_does_not_see_the_copy,
             consumer_check("protocol.from.copy-forwarded",
                            "the source does not see writes to the copy",
                            importing_objects | Can::write)) {
  Exchange exchange{c};
  if (exchange.spec.read_only()) throw NotClaimed{"writable tensors"};
  const Tensor copy = import_copy(c, exchange.producer);
  Offer& source = exchange.producer.original();
  if (source.deleter_calls() != 0) throw Declined{"the source was given back"};
  if (!c.consumer.write(copy, different_logical(exchange.spec, exchange.logical)).ok())
    throw Declined{"the copy cannot be written to"};
  expect_equal("elements of the source", exchange.logical, source.logical());
}

DLCERT_CHECK_ALSO_ON_DEVICES(producer_that_copied_is_not_asked_again,
                             if_touched(consumer_check("protocol.from.asks-once",
                                                       "a producer that copied is not asked again",
                                                       importing_objects))) {
  Exchange exchange{c};
  const Tensor copy = import_copy(c, exchange.producer);
  if (!exchange.producer.asked_to_copy()) return c.declined("copied by the consumer");
  c.touched();
  std::size_t requests = 0;
  for (const SpyProducer::Call& call : exchange.producer.calls())
    requests += call.device ? 0 : 1;
  expect_equal("dlpack calls", std::size_t{1}, requests);
}

// A consumer may ask for the tensor as it is then, and copy it by itself.
void expect_own_copy(Case& c, Exchange& exchange, Tensor& tensor) {
  Offer& source = exchange.producer.original();
  if (source.deleter_calls() == 0)
    source.set_logical(different_logical(exchange.spec, exchange.logical));
  expect(read_imported(c.consumer, tensor, exchange.spec) == exchange.logical,
         "import from a producer that refuses to copy: expected its BufferError or a copy but "
         "found other elements");
  c.observe("copied by the consumer");
  tensor.release();
  exchange.producer.expect_all_released();
}

DLCERT_CHECK(refusal_to_copy_reaches_the_caller,
             if_touched(consumer_check("protocol.from.copy-forwarded",
                                       "a producer's refusal to copy reaches the caller",
                                       importing_objects))) {
  Exchange exchange{c};
  exchange.producer.refuse_copies();
  auto imported = c.consumer.import_from(exchange.producer.c(), asking_copy(true));
  if (!exchange.producer.asked_to_copy()) return c.declined("the producer is not asked to copy");
  c.touched();
  if (imported.ok()) return expect_own_copy(c, exchange, imported.value());
  exchange.producer.expect_buffer_error(c.consumer, imported.error());
}

DLCERT_CHECK(no_copy_shares_the_source,
             consumer_check("protocol.from.copy-forwarded", "copy=False shares the source's memory",
                            importing_objects)) {
  Exchange exchange{c};
  auto imported = c.consumer.import_from(exchange.producer.c(), asking_copy(false));
  if (!imported.ok()) throw Declined{"copy=False is refused"};
  c.minor([&] { expect_equal("copies", std::size_t{0}, exchange.producer.copies()); });
  const Bytes changed = different_logical(exchange.spec, exchange.logical);
  expect_equal("deleter calls", 0, exchange.producer.original().deleter_calls());
  exchange.producer.original().set_logical(changed);
  expect_equal("elements", changed, read_imported(c.consumer, imported.value(), exchange.spec));
  imported.value().release();
  exchange.producer.expect_all_released();
}

DLCERT_CHECK(default_imports_the_values,
             consumer_check("protocol.from.copy-forwarded",
                            "without a copy request the values are imported", importing_objects)) {
  Exchange exchange{c};
  dlcert_import_request asked = import_request();
  if (c.draw.flip()) asked.copy = none();
  Tensor tensor =
      require(c.consumer.import_from(exchange.producer.c(), asked), "import of a claimed tensor");
  expect_holds(c.consumer, tensor, exchange.spec, exchange.logical);
  tensor.release();
  exchange.producer.expect_all_released();
}

// Asks for a tensor of another device on the CPU without a copy.
Outcome<Tensor> import_without_copy(Case& c, Exchange& exchange) {
  dlcert_import_request asked = asking_cpu();
  asked.copy = boolean(false);
  return c.consumer.import_from(exchange.producer.c(), asked);
}

void expect_not_copied(const Outcome<Tensor>& imported, dlcert_device elsewhere) {
  expect_refusal(!imported.ok(),
                 "import from {} to the CPU with copy=False: expected a refusal but found success",
                 to_text(elsewhere));
}

// The control: imports such a tensor to the CPU where it may be copied. If that is refused too, the
// case is declined.
bool touched_if_copied(Case& c, const Exchange& exchange, dlcert_device elsewhere) {
  const HonestProducer again{c, exchange.spec, exchange.logical, elsewhere};
  const bool copied = c.consumer.import_from(again.c(), asking_cpu()).ok();
  testbench::touched_if(c, copied, "an import to the CPU is refused without copy=False too");
  return copied;
}

// The kind of the error is protocol.from.copy-false-error.
DLCERT_CHECK(nothing_is_copied_from_another_device,
             if_touched(consumer_check("protocol.from.copy-forwarded",
                                       "copy=False copies nothing from another device",
                                       importing_objects))) {
  const dlcert_device elsewhere = foreign_device(c.consumer);
  Exchange exchange{c, elsewhere};
  expect_not_copied(import_without_copy(c, exchange), elsewhere);
  exchange.producer.expect_all_released();
  touched_if_copied(c, exchange, elsewhere);
}

// ValueError is for data that a copy could bring: of what cannot be imported at all, the error is
// protocol.from.unsupported-device.
DLCERT_CHECK(impossible_without_copy_is_refused,
             if_touched(consumer_check("protocol.from.copy-false-error",
                                       "copy=False is refused where the device needs a copy",
                                       importing_objects))) {
  const dlcert_device elsewhere = foreign_device(c.consumer);
  Exchange exchange{c, elsewhere};
  const auto imported = import_without_copy(c, exchange);
  owned_by("protocol.from.copy-forwarded", [&] { expect_not_copied(imported, elsewhere); });
  exchange.producer.expect_all_released();
  if (!touched_if_copied(c, exchange, elsewhere)) return;
  const bool buffer = kind_is(c.consumer, imported.error(), DLCERT_ERROR_BUFFER);
  const bool value = kind_is(c.consumer, imported.error(), DLCERT_ERROR_VALUE);
  c.observe(buffer ? "BufferError" : value ? "ValueError" : "another error");
  const auto policy = c.settings.policy("copy-false-error-kind");
  owned_by(exchange.producer.owners_of_error(), [&] {
    const bool right = (buffer && policy != "value") || (value && policy != "buffer");
    if (!right)
      fail(fmt::format(
               "error: expected BufferError or ValueError, as the policy has it, but found {}",
               to_text(imported.error())),
           {.by = Judgement::By::kind,
            .expected = policy == "value"    ? "ValueError"
                        : policy == "buffer" ? "BufferError"
                                             : "BufferError, ValueError"});
  });
}

// A consumer that is asked for the CPU asks its producer for that, or for other memory that the
// host can read.
void expect_cpu_asked(const HonestProducer& producer) {
  for (const SpyProducer::Call& call : producer.calls()) {
    const dlcert_value& asked = call.request.dl_device;
    if (call.device || asked.tag <= DLCERT_NONE) continue;
    const bool for_the_host = asked.tag == DLCERT_PAIR && asked.second == cpu.id &&
                              (asked.first == cpu.type ||
                               host_accessible({static_cast<std::int32_t>(asked.first), cpu.id}));
    expect(for_the_host, "dl_device: expected ({}, {}) but found {}", cpu.type, cpu.id,
           to_text(asked));
  }
}

// Returns whether the consumer supports such imports at all: it imports a tensor that is on the
// CPU already.
bool imports_host_memory_to_cpu(Case& c) {
  Exchange plain{c, cpu};
  const bool accepted = c.consumer.import_from(plain.producer.c(), asking_cpu()).ok();
  plain.producer.expect_all_released();
  return accepted;
}

DLCERT_CHECK(import_to_cpu_is_readable,
             if_touched(consumer_check("protocol.from.device-cpu",
                                       "an import to the CPU has the source's values",
                                       importing_objects))) {
  Exchange exchange{c, c.draw.flip() ? foreign_device(c.consumer) : cpu};
  auto imported = c.consumer.import_from(exchange.producer.c(), asking_cpu());
  c.minor([&] { expect_cpu_asked(exchange.producer); });
  if (imported.ok()) {
    c.observe("imported");
    c.touched();
    expect_holds(c.consumer, imported.value(), exchange.spec, exchange.logical);
    imported.value().release();
  } else {
    c.declined("refused");
    expect(c.settings.policy("dldevice-cpu-mandate") == "optional",
           "import to the CPU: expected success but found {}", to_text(imported.error()));
    if (!imports_host_memory_to_cpu(c))
      exchange.producer.expect_buffer_error(c.consumer, imported.error());
  }
  exchange.producer.expect_all_released();
}

}  // namespace
}  // namespace dlcert::protocol
