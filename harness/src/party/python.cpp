// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <utility>

#include <dlcert/suite/evidence.hpp>
#include <dlcert/suite/library_call.hpp>
#include <dlcert/suite/python_party.hpp>
#include <dlcert/suite/threads.hpp>

#include "party/bodies.hpp"
#include "party/calls.hpp"
#include "party/python_source.hpp"

namespace dlcert {

namespace {

// An expression as its user would write it, with what x is.
std::string shown(std::string_view library, const std::string& x, const std::string& expression) {
  return fmt::format("{} with x = {}: {}", library, x, expression);
}

std::string name_of(const dlcert_tensor* tensor) {
  return tensor == nullptr ? "None" : trace_name(tensor);
}

// A call whose result has a name, but which the stand-alone program does not make.
ActText named_comment(std::string text, std::string_view type, std::string_view prefix) {
  ActText act = comment(std::move(text));
  act.type = type;
  act.prefix = prefix;
  return act;
}

std::string shown(const PythonObject& object) {
  std::string text = trace_name(&object.producer);
  if (object.table != nullptr) text += " with an exchange table";
  if (!object.class_body.empty())
    text += fmt::format(" of a class with {}", c_literal(object.class_body.c_str()));
  return text;
}

}  // namespace

PythonReference::~PythonReference() {
  if (object_ == nullptr) return;
  across([&] {
    party_->table().python->drop_object(party_->table().self, object_);
    return 0;
  });
}

namespace {

// The library's array of the tensor, which always is one.
PythonReference object_of(const Party& producer, const Tensor& tensor) {
  demand(producer.offers(), Can::python_objects, "object_of");
  Act act{
      [&] { return comment(fmt::format("{} makes an array of the tensor", producer.label())); }};
  void* object = nullptr;
  refusal_at_most(act, "object_of", [&](dlcert_error* raw) {
    return producer.table().python->object_of(producer.table().self, tensor.handle(), &object, raw);
  });
  expect_made(object, "object_of");
  return PythonReference{producer, object};
}

// From here on a program's from_dlpack is this library's.
void tell_imports(const Party& library) {
  TraceSink* const sink = trace();
  if (sink == nullptr || !python::described()) return;
  std::istringstream lines{python::source(library.table(), DLCERT_PYTHON_IMPORTS)};
  for (std::string line; std::getline(lines, line);)
    sink->event({}, to_line({.kind = ProgramStep::Kind::imports, .code = line}));
}

}  // namespace

Outcome<Tensor> import_of_object(const Party& consumer, const Party& producer, const Tensor& tensor,
                                 const dlcert_import_request& request) {
  demand(consumer.offers(), Can::python_objects, "import_any");
  const PythonReference object = [&] {
    const TraceAside aside;
    return object_of(producer, tensor);
  }();
  tell_imports(consumer);
  Act act{[&] {
    const std::string name = trace_name(tensor.handle());
    ActText text = named_comment(fmt::format("{}.from_dlpack({})", consumer.label(), name),
                                 "dlcert_tensor*", "t");
    text.python = python::call(fmt::format("from_dlpack({})", name));
    return text;
  }};
  auto imported = made<Tensor, dlcert_tensor>(
      consumer, act, "import_any", [&](dlcert_tensor** out, dlcert_error* error) {
        return consumer.table().python->import_any(consumer.table().self, object.get(), &request,
                                                   out, error);
      });
  if (imported.ok()) {
    imported.value().set_imported();
    note_shown(Role::producer, Shown::handed_over);
    note_shown(Role::consumer, Shown::handed_over);
  }
  return imported;
}

Python::Python(const Party& party) : party_{party} {
  demand(party.offers(), Can::python, "the python group");
}

Outcome<std::string> Python::evaluate(dlcert_tensor* tensor, const std::string& expression) const {
  Act act{[&] {
    ActText text = comment(shown(party_.label(), name_of(tensor), expression));
    text.python =
        python::question(fmt::format("str({})", python::with_x(expression, name_of(tensor))));
    return text;
  }};
  library_call::TextList out;
  const auto error = refusal(act, [&](dlcert_error* raw) {
    return group().evaluate(self(), tensor, expression.c_str(), &out.list, raw);
  });
  if (error) return *error;
  expect_equal("texts of an expression", std::size_t{1}, out.texts.size());
  act.answered([&] { return out.texts.front(); },
               [&] { return python::quoted(out.texts.front()); });
  return std::move(out.texts.front());
}

Outcome<std::string> Python::evaluate(const Tensor& tensor, const std::string& expression) const {
  return evaluate(tensor.handle(), expression);
}

Outcome<std::string> Python::evaluate(const std::string& expression) const {
  return evaluate(nullptr, expression);
}

Outcome<Capsule> Python::capsule_of(const Tensor& tensor, const std::string& expression) const {
  Act act{[&] {
    ActText text = named_comment(shown(party_.label(), name_of(tensor.handle()), expression),
                                 "dlcert_capsule*", "c");
    text.python = python::call(python::with_x(expression, name_of(tensor.handle())));
    return text;
  }};
  auto capsule = made<Capsule, dlcert_capsule>(
      party_, act, "evaluate_capsule",
      CallKey{party_, "evaluate_capsule"}.with(tensor).with(expression),
      [&](dlcert_capsule** out, dlcert_error* error) {
        return group().evaluate_capsule(self(), tensor.handle(), expression.c_str(), out, error);
      });
  if (capsule.ok()) note_shown(Role::producer, Shown::handed_over);
  return capsule;
}

namespace {

// A program makes the object from its producer. Returns the variable that holds it.
std::string tell_object(const PythonObject& object) {
  const std::string producer = trace_name(&object.producer);
  TraceSink* const sink = trace();
  if (sink == nullptr || !python::described() || object.class_body.empty()) return producer;
  const auto tell = [&](std::string code) {
    sink->event({}, to_line(python::own(std::move(code))));
  };
  tell("class Object(Producer):");
  tell("    dlpack = Producer.__dlpack__");
  tell("    dlpack_device = Producer.__dlpack_device__");
  std::istringstream body{object.class_body};
  for (std::string line; std::getline(body, line);)
    tell("    " + line);
  const std::string name = new_trace_name("object");
  tell(fmt::format("{} = Object({}.device, {}.managed)", name, producer, producer));
  return name;
}

}  // namespace

Outcome<Tensor> Python::import_object(const PythonObject& object,
                                      const std::string& expression) const {
  const std::string name = tell_object(object);
  Act act{[&] {
    ActText text =
        named_comment(shown(party_.label(), shown(object), expression), "dlcert_tensor*", "t");
    if (object.table == nullptr) text.python = python::call(python::with_x(expression, name));
    return text;
  }};
  const dlcert_python_object raw{
      .struct_size = sizeof(raw),
      .reserved = 0,
      .producer = &object.producer,
      .table = object.table,
      .class_body = object.class_body.empty() ? nullptr : object.class_body.c_str()};
  auto tensor = made<Tensor, dlcert_tensor>(
      party_, act, "import_object",
      CallKey{party_, "import_object"}.with(expression).with(object.class_body),
      [&](dlcert_tensor** out, dlcert_error* error) {
        return group().import_object(self(), &raw, expression.c_str(), out, error);
      });
  if (tensor.ok()) {
    tensor.value().set_imported();
    note_shown(Role::consumer, Shown::handed_over);
  }
  return tensor;
}

const dlcert_producer* Python::producer_of(void* py_object) const {
  return across([&] { return group().producer_of(self(), py_object); });
}

Outcome<bool> Python::run(std::int32_t how, const std::function<void()>& body) const {
  Act act{[&] {
    return comment(fmt::format(
        "{}: the interpreter's lock is taken{}", party_.label(),
        (how & DLCERT_PYTHON_ERROR_IN_FLIGHT) != 0 ? " while a ValueError is in flight" : ""));
  }};
  BodyInside inside{body};
  std::int32_t kept = 0;
  const auto error = refusal(act, [&](dlcert_error* raw) {
    return group().run(self(), how, &BodyInside::call, &inside, &kept, raw);
  });
  if (inside.thrown) std::rethrow_exception(inside.thrown);
  if (error) return *error;
  expect_equal("runs of the body of run", 1, inside.runs);
  act.answered([&] {
    return fmt::format("{}: the lock is given back{}", party_.label(),
                       kept != 0 ? "" : "; the error is gone");
  });
  return kept != 0;
}

std::vector<std::string> Python::take_unraisable() const {
  library_call::TextList out;
  across([&] {
    group().unraisable(self(), &out.list);
    return 0;
  });
  return std::move(out.texts);
}

void Python::collect(bool all) const {
  const char* const call = all ? "__import__('gc').collect()" : "__import__('gc').collect(0)";
  library_call::TextList out;
  dlcert_error error{};
  error.struct_size = sizeof error;
  across([&] { return group().evaluate(self(), nullptr, call, &out.list, &error); });
}

Outcome<std::monostate> Python::finalize() const {
  collect_nothing();
  Act act{[&] { return comment(fmt::format("{}: Py_FinalizeEx()", party_.label())); }};
  const auto error = refusal(act, [&](dlcert_error* raw) { return group().finalize(self(), raw); });
  if (error) return *error;
  return std::monostate{};
}

}  // namespace dlcert
