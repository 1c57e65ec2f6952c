// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "party/act.hpp"
#include "party/python_source.hpp"
#include "spy/capsules.hpp"
#include "spy/errors.hpp"

namespace dlcert {

struct SpyProducer::State {
  State(dlcert_device reported_device, Offer* exported_offer, const Party& receiver,
        bool in_capsule)
      : device{reported_device}, offer{exported_offer}, consumer{receiver}, as_capsule{in_capsule} {
    c.struct_size = sizeof(c);
    c.context = this;
    c.dlpack_device = &answer_device;
    c.dlpack = &answer_dlpack;
  }

  static dlcert_status answer_device(void* context, dlcert_device* out, dlcert_error* error) {
    State& self = *static_cast<State*>(context);
    self.calls.push_back({.device = true});
    if (self.device_error) return report(*self.device_error, error);
    *out = self.device;
    return DLCERT_OK;
  }

  static dlcert_status answer_dlpack(void* context, const dlcert_request* request,
                                     dlcert_exported* out, dlcert_error* error) {
    State& self = *static_cast<State*>(context);
    self.calls.push_back({.request = without_text(*request)});
    if (self.dlpack_error) return report(*self.dlpack_error, error);
    if (self.knows_only_stream && has_newer_argument(*request))
      return report({DLCERT_ERROR_TYPE, 0, "TypeError", "unexpected keyword argument"}, error);
    Offer* const chosen = self.answer ? self.answer(*request) : self.standard_answer(*request);
    if (chosen == nullptr)
      return report({DLCERT_ERROR_BUFFER, 0, "BufferError", "no such export"}, error);
    return self.export_offer(*chosen, out, error);
  }

  static bool has_newer_argument(const dlcert_request& request) {
    return request.max_version.tag != DLCERT_ABSENT || request.dl_device.tag != DLCERT_ABSENT ||
           request.copy.tag != DLCERT_ABSENT;
  }

  static dlcert_request without_text(dlcert_request request) {
    for (dlcert_value* value :
         {&request.stream, &request.max_version, &request.dl_device, &request.copy})
      value->text = nullptr;
    return request;
  }

  Offer* standard_answer(const dlcert_request& request) const {
    const bool takes_versioned =
        request.max_version.tag == DLCERT_PAIR && request.max_version.first >= 1;
    if (exports != 0 || offer == nullptr) return nullptr;
    return offer->descriptor().form == Form::legacy || takes_versioned ? offer : nullptr;
  }

  dlcert_status export_offer(const Offer& chosen, dlcert_exported* out, dlcert_error* error) {
    if (as_capsule) {
      Outcome<Capsule> capsule =
          used ? used_capsule(consumer, chosen) : live_capsule(consumer, chosen);
      if (!capsule.ok()) return report(capsule.error(), error);
      out->capsule = capsule.value().give_up();
    } else {
      out->managed = chosen.managed();
    }
    ++exports;
    return DLCERT_OK;
  }

  dlcert_producer c{};
  dlcert_device device;
  Offer* offer;
  const Party& consumer;
  bool as_capsule;
  bool knows_only_stream = false;
  bool used = false;
  std::optional<Error> device_error, dlpack_error;
  std::function<Offer*(const dlcert_request&)> answer;
  std::vector<Call> calls;
  int exports = 0;
};

namespace {

std::string error_arguments(const Error& error) {
  return fmt::format("{}, {}", error.kind, c_literal(error.message.c_str()));
}

// Traces a change to the producer `c`.
// `python` makes the step of a program from the producer's name.
template <typename Python>
void trace_change(const dlcert_producer& c, std::string_view text, std::string_view call,
                  const Python& python, const std::string& arguments = {}) {
  const Act act{[&] {
    const std::string name = trace_name(&c);
    ActText change{fmt::format("{} {}", name, text),
                   fmt::format("{}({}{}{})", call, name, arguments.empty() ? "" : ", ", arguments)};
    change.python = python(name);
    return acts::without_outcome(std::move(change));
  }};
}

// Has the class of the only producer another method.
auto python_method(std::string_view method, std::string code) {
  return [=](const std::string&) {
    return python::own(fmt::format("Producer.{} = {}", method, code));
  };
}

auto python_raising(std::string_view method, const Error& error) {
  return python_method(method,
                       fmt::format("raising({}, {})", python::quoted(python::exception_name(error)),
                                   python::quoted(error.message)));
}

auto python_without(std::string_view method) {
  return [=](const std::string&) { return python::own(fmt::format("del Producer.{}", method)); };
}

}  // namespace

SpyProducer::SpyProducer(dlcert_device device, Offer* offer, const Party& consumer, bool as_capsule)
    : state_{std::make_unique<State>(device, offer, consumer, as_capsule)} {
  Act act{[&] {
    const std::string managed = offer == nullptr ? "nothing" : offer->trace_name();
    return acts::without_outcome(
        {fmt::format("object on {}, dlpack() returns {}{}", to_text(device), managed,
                     as_capsule ? " in a capsule" : ""),
         fmt::format("producer({}, {}, {})", device.type, device.id,
                     offer == nullptr ? "(dlcert_managed){0}" : managed),
         "dlcert_producer*", "p",
         python::own(fmt::format("Producer({}, {})", python::tuple(device),
                                 offer == nullptr ? "None" : managed))});
  }};
  act.named(&state_->c);
  if (as_capsule)
    trace_change(
        state_->c, "makes capsules", "producer_in_capsules",
        [](const std::string&) { return python::nothing(); }, std::string{consumer.label()});
}

SpyProducer::~SpyProducer() = default;

void SpyProducer::raise_from_device(Error error) {
  trace_change(state_->c, fmt::format("raises {} from dlpack_device()", to_text(error)),
               "producer_raises_from_device", python_raising("__dlpack_device__", error),
               error_arguments(error));
  state_->device_error = std::move(error);
}

void SpyProducer::raise_from_dlpack(Error error) {
  trace_change(state_->c, fmt::format("raises {} from dlpack()", to_text(error)),
               "producer_raises_from_dlpack", python_raising("__dlpack__", error),
               error_arguments(error));
  state_->dlpack_error = std::move(error);
}

void SpyProducer::without_device() {
  trace_change(state_->c, "has no dlpack_device()", "producer_without_device",
               python_without("__dlpack_device__"));
  state_->c.dlpack_device = nullptr;
}

void SpyProducer::without_dlpack() {
  trace_change(state_->c, "has no dlpack()", "producer_without_dlpack",
               python_without("__dlpack__"));
  state_->c.dlpack = nullptr;
}

void SpyProducer::knows_only_stream() {
  trace_change(state_->c, "accepts only the argument stream", "producer_knows_only_stream",
               python_method("__dlpack__", "lambda self, stream=None: new_capsule(self.managed)"));
  state_->knows_only_stream = true;
}

void SpyProducer::gives_used_capsules() {
  trace_change(state_->c, "returns its capsule with the used name", "producer_gives_used_capsules",
               python_method("__dlpack__", "lambda self, **_: used_capsule(self.managed)"));
  state_->used = true;
}

void SpyProducer::answer(std::function<Offer*(const dlcert_request&)> answer, Answers answers) {
  // A program's own producer knows one answer, and would accuse a right library.
  if (python::described() && answers == Answers::by_request)
    trace()->event({}, to_line({.kind = ProgramStep::Kind::otherwise,
                                .code = "an object whose export depends on what it is asked for"}));
  if (python::described() && answers == Answers::with_copies) {
    const std::string name = trace_name(&state_->c);
    ProgramStep step = python::own(fmt::format("ArrayProducer({0}.device, {0}.managed)", name));
    step.name = name;
    trace()->event({}, to_line(step));
  }
  state_->answer = std::move(answer);
}

void SpyProducer::refuses_copies() {
  if (python::described())
    trace()->event(
        {}, to_line(python::own(fmt::format("{}.refuses_copies = True", trace_name(&state_->c)))));
}

const dlcert_producer& SpyProducer::c() const {
  return state_->c;
}

const std::vector<SpyProducer::Call>& SpyProducer::calls() const {
  return state_->calls;
}

int SpyProducer::exports() const {
  return state_->exports;
}

}  // namespace dlcert
