// SPDX-License-Identifier: Apache-2.0
//
// How the classes of gpu_party.hpp call a function of the adapter ABI; checks do not include this.
//
//   return call<std::int64_t>("device_index", &Group::device_index, device, Flag{"optional",
//   true});
//
// tells the running trace "library.device_index(cuda:1, optional=true)", ends the case as not
// formable where the party lacks the function, makes the call, tells the trace the answer, and
// returns it or the library's error. `Argument` below says how an argument crosses the ABI and what
// the trace shows of it; `Answer`, which outputs of the C function make a result.
// What is not a template is implemented in harness/src/party/gpu_call.cpp.
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

// "stream 7 of device 1 (type 1, handle 0x10)", "37 percent".
std::string to_text(const dlcert_runtime_stream& stream);
std::string to_text(const dlcert_measurement& measurement);

namespace gpu_call {

// ---- arguments ----

// Shown as "optional=true".
struct Flag {
  const char* name;
  bool set;
};
// Shown as 0x10.
struct Hexadecimal {
  std::uint64_t value;
};
// Shown as "sm_90", in quotation marks.
struct Quoted {
  const char* text;
};

// What crosses the ABI for an argument, and what the trace shows of it.
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

std::string shown(const dlcert_value& value);
std::string shown(const Flag& flag);
std::string shown(const Hexadecimal& number);
std::string shown(const Quoted& quoted);
std::string shown(const char* text);
std::string shown(std::int64_t number);
std::string shown(const dlcert_runtime_stream* stream);  // NULL: "none"

// ---- answers ----

// A result R: pass() gives the C function its outputs, text() is what the trace shows of them, or
// nothing, and take() is the result. Lives in place for the duration of the call.
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

// Fails the case where a call that succeeded gave NULL.
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

// The only text of a list; any other number of them fails the case.
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

// A reference to an answer, for its text.
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

}  // namespace gpu_call

// A group of functions of a party, the base of the classes of gpu_party.hpp. The party must outlive
// it.
class GpuGroup {
 protected:
  explicit GpuGroup(const Party& party) : party_{&party} {}
  const Party& party() const { return *party_; }
  void* self() const { return party_->table().self; }

  // Calls `function` of the group, whose name is `name`. R and `arguments`: see above.
  template <typename R, typename Group, typename... C, typename... Arguments>
  Outcome<R> call(std::string_view name, dlcert_status (*Group::*function)(void*, C...),
                  const Arguments&... arguments) const {
    return call_as<R>(described() ? with_arguments(name, {gpu_call::shown(arguments)...}) : "",
                      name, function, gpu_call::crossing(arguments)...);
  }

  // The same, for a call that the trace shows as `text`, with the C arguments as they are.
  template <typename R, typename Group, typename... C, typename... Arguments>
  Outcome<R> call_as(const std::string& text, std::string_view name,
                     dlcert_status (*Group::*function)(void*, C...),
                     const Arguments&... arguments) const {
    gpu_call::Answer<R> answer;
    const Group* const group = group_of(party_->table(), adapter::Functions<Group>::member);
    const auto invoke = [&](dlcert_error* error) {
      return answer.pass([&](auto*... outputs) {
        return (group->*function)(self(), arguments..., outputs..., error);
      });
    };
    auto error =
        make(text, offered(group, function), gpu_call::Invoke{invoke}, gpu_call::Tell{answer});
    if (error) return *std::move(error);
    return answer.take(*party_, name);
  }

  // Announces the call, makes it where it is there, and tells the answer; the library's error when
  // it refused. Throws NotFormable, and what ended the case inside the call.
  std::optional<Error> make(const std::string& text, bool there, gpu_call::Invoke invoke,
                            gpu_call::Tell tell) const;

  // Whether texts of calls are wanted.
  static bool described() { return trace() != nullptr; }

 private:
  static std::string with_arguments(std::string_view name,
                                    std::initializer_list<std::string> arguments);

  const Party* party_;
};

}  // namespace dlcert
