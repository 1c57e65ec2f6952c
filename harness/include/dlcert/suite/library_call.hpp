// SPDX-License-Identifier: Apache-2.0
//
// Calls of the adapter ABI by views of a Party, such as those of gpu_party.hpp. Checks do not
// include this header.
//
//   return call<std::int64_t>("device_index", &Group::device_index, device,
//                             Flag{"optional", true});
//
// This statement
// - writes "library.device_index(cuda:1, optional=true)" to the running trace;
// - throws NotFormable if the library lacks the function;
// - makes the call and writes its answer to the trace;
// - returns the answer or the library's error.
//
// crossing() and shown() define how an argument is passed to the C function and how the trace shows
// it. `Answer` defines which outputs of the C function make a result.
// harness/src/party/library_call.cpp implements everything that is not a template.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <dlcert/adapter_functions.hpp>
#include <dlcert/suite/check.hpp>
#include <dlcert/suite/table.hpp>
#include <dlcert/suite/trace.hpp>

namespace dlcert {

// Returns the text of a stream or a measurement: "stream 7 of device 1 (type 1, handle 0x10)", "37
// percent".
std::string to_text(const dlcert_runtime_stream& stream);
std::string to_text(const dlcert_measurement& measurement);

namespace library_call {

// ---- arguments ----

// A flag, shown as "optional=true".
struct Flag {
  const char* name;
  bool set;
};
// A number, shown as 0x10.
struct Hexadecimal {
  std::uint64_t value;
};
// A text, shown in quotation marks: "sm_90".
struct Quoted {
  const char* text;
};

// Returns the C argument for an argument.
inline const dlcert_value* crossing(const dlcert_value& value) {
  return &value;
}
inline std::int32_t crossing(const Flag& flag) {
  return flag.set ? 1 : 0;
}
inline std::uint64_t crossing(const Hexadecimal& number) {
  return number.value;
}
inline const char* crossing(const Quoted& quoted) {
  return quoted.text;
}
template <typename T>
T crossing(const T& number_or_pointer) {
  return number_or_pointer;
}

// Returns the text of an argument in the trace.
std::string shown(const dlcert_value& value);
std::string shown(const Flag& flag);
std::string shown(const Hexadecimal& number);
std::string shown(const Quoted& quoted);
std::string shown(const char* text);
std::string shown(std::int64_t number);
std::string shown(const dlcert_runtime_stream* stream);  // NULL: "none"

// ---- answers ----

// The outputs of a call with result R: pass() calls the C function with them, text() returns their
// text in the trace or nothing, and take() returns the result. It stays at its address during the
// call.
template <typename R>
struct Answer {
  R out{};
  template <typename Function>
  dlcert_status pass(const Function& function) {
    if constexpr (requires { out.struct_size; }) out.struct_size = sizeof(R);
    return function(&out);
  }
  std::optional<std::string> text() const {
    if constexpr (requires { out.struct_size; })
      return std::nullopt;
    else
      return to_text(out);
  }
  R take(const Party&, std::string_view) { return out; }
};

template <>
struct Answer<std::monostate> {
  template <typename Function>
  static dlcert_status pass(const Function& function) {
    return function();
  }
  static std::optional<std::string> text() { return std::nullopt; }
  static std::monostate take(const Party&, std::string_view) { return {}; }
};

template <>
struct Answer<bool> {
  std::int32_t out = 0;
  template <typename Function>
  dlcert_status pass(const Function& function) {
    return function(&out);
  }
  std::optional<std::string> text() const { return to_text(out != 0); }
  bool take(const Party&, std::string_view) const { return out != 0; }
};

// A handle of the vendor's runtime.
template <>
struct Answer<std::uint64_t> {
  std::uint64_t out = 0;
  template <typename Function>
  dlcert_status pass(const Function& function) {
    return function(&out);
  }
  std::optional<std::string> text() const { return shown(Hexadecimal{out}); }
  std::uint64_t take(const Party&, std::string_view) const { return out; }
};

// Fails the case if `object`, from a call that succeeded, is NULL.
void expect_object(const void* object, std::string_view function);

// Collects the texts that a function lists.
struct TextList {
  std::vector<std::string> texts = {};
  dlcert_text_list list{this, &add};

  static void add(void* context, const char* text, std::uint64_t size) {
    static_cast<TextList*>(context)->texts.emplace_back(text, size);
  }
};

template <>
struct Answer<std::vector<std::string>> {
  TextList out = {};
  template <typename Function>
  dlcert_status pass(const Function& function) {
    return function(&std::as_const(out.list));
  }
  std::optional<std::string> text() const;
  std::vector<std::string> take(const Party&, std::string_view) { return std::move(out.texts); }
};

template <>
struct Answer<std::optional<std::vector<std::string>>> {
  Answer<std::vector<std::string>> list = {};
  std::int32_t known = 0;
  template <typename Function>
  dlcert_status pass(const Function& function) {
    return function(&std::as_const(list.out.list), &known);
  }
  std::optional<std::string> text() const;
  std::optional<std::vector<std::string>> take(const Party&, std::string_view);
};

// The single text of a list. Any other number of texts fails the case.
template <>
struct Answer<std::string> {
  TextList out = {};
  template <typename Function>
  dlcert_status pass(const Function& function) {
    return function(&std::as_const(out.list));
  }
  std::optional<std::string> text() const;
  std::string take(const Party&, std::string_view function);
};

template <>
struct Answer<std::vector<std::int64_t>> {
  std::vector<std::int64_t> numbers = {};
  dlcert_number_list list{this, &add};
  template <typename Function>
  dlcert_status pass(const Function& function) {
    return function(&std::as_const(list));
  }
  std::optional<std::string> text() const { return to_text(numbers); }
  std::vector<std::int64_t> take(const Party&, std::string_view) { return std::move(numbers); }

  static void add(void* context, std::int64_t number) {
    static_cast<Answer*>(context)->numbers.push_back(number);
  }
};

// ---- calls ----

// A reference to the function object that makes a call.
class Invoke {
 public:
  template <typename Function>
  explicit Invoke(const Function& function)
      : function_{&function}, run_{[](const void* self, dlcert_error* error) {
          return (*static_cast<const Function*>(self))(error);
        }} {}
  dlcert_status operator()(dlcert_error* error) const { return run_(function_, error); }

 private:
  const void* function_;
  dlcert_status (*run_)(const void*, dlcert_error*);
};

// A reference to an answer, which returns the answer's text.
class Tell {
 public:
  template <typename R>
  explicit Tell(const R& answer) : answer_{&answer}, text_{&text_of<R>} {}
  std::optional<std::string> operator()() const { return text_(answer_); }

 private:
  template <typename R>
  static std::optional<std::string> text_of(const void* answer) {
    return static_cast<const R*>(answer)->text();
  }
  const void* answer_;
  std::optional<std::string> (*text_)(const void*);
};

}  // namespace library_call

// The base of a view: a group of functions of a Party, which must outlive
// this object.
class FunctionGroup {
 protected:
  explicit FunctionGroup(const Party& party) : party_{&party} {}
  const Party& party() const { return *party_; }
  void* self() const { return party_->table().self; }

  // Calls `function`, a member of the group named `name`. See the comment at the top for R and
  // `arguments`.
  template <typename R, typename Group, typename... C, typename... Arguments>
  Outcome<R> call(std::string_view name, dlcert_status (*Group::*function)(void*, C...),
                  const Arguments&... arguments) const {
    return call_as<R>(described() ? with_arguments(name, {library_call::shown(arguments)...}) : "",
                      name, function, library_call::crossing(arguments)...);
  }

  // Does the same with C arguments that are passed unchanged. `text` is the call's text in the
  // trace.
  template <typename R, typename Group, typename... C, typename... Arguments>
  Outcome<R> call_as(const std::string& text, std::string_view name,
                     dlcert_status (*Group::*function)(void*, C...),
                     const Arguments&... arguments) const {
    library_call::Answer<R> answer;
    const Group* const group = group_of(party_->table(), adapter::Functions<Group>::member);
    const auto invoke = [&](dlcert_error* error) {
      return answer.pass([&](auto*... outputs) {
        return (group->*function)(self(), arguments..., outputs..., error);
      });
    };
    auto error = make(text, offered(group, function), library_call::Invoke{invoke},
                      library_call::Tell{answer});
    if (error) return *std::move(error);
    return answer.take(*party_, name);
  }

  // Traces and makes the call, if it is `there`, and traces its answer. Returns the library's error
  // if it refused. Throws NotFormable if the call is not `there` or cannot be formed, and any
  // exception that ended the case inside the call.
  std::optional<Error> make(const std::string& text, bool there, library_call::Invoke invoke,
                            library_call::Tell tell) const;

  // Returns whether a trace needs the texts of calls.
  static bool described() { return trace() != nullptr; }

 private:
  static std::string with_arguments(std::string_view name,
                                    std::initializer_list<std::string> arguments);

  const Party* party_;
};

}  // namespace dlcert
