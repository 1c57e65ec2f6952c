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
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <dlcert/adapter_functions.hpp>
#include <dlcert/suite/check.hpp>
#include <dlcert/suite/table.hpp>

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

// A result R: outputs() are the C function's, text() is what the trace shows of them, or nothing,
// and take() is the result. Lives in place for the duration of the call.
template <typename R>
struct Answer {
  R out{};
  auto outputs() {
    if constexpr (requires { out.struct_size; }) out.struct_size = sizeof(R);
    return std::tuple{&out};
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
  static std::tuple<> outputs() { return {}; }
  static std::optional<std::string> text() { return std::nullopt; }
  static std::monostate take(const Party&, std::string_view) { return {}; }
};

template <>
struct Answer<bool> {
  std::int32_t out = 0;
  auto outputs() { return std::tuple{&out}; }
  std::optional<std::string> text() const { return to_text(out != 0); }
  bool take(const Party&, std::string_view) const { return out != 0; }
};

// A handle of the vendor's runtime.
template <>
struct Answer<std::uint64_t> {
  std::uint64_t out = 0;
  auto outputs() { return std::tuple{&out}; }
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
  auto outputs() { return std::tuple{&std::as_const(out.list)}; }
  std::optional<std::string> text() const;
  std::vector<std::string> take(const Party&, std::string_view) { return std::move(out.texts); }
};

template <>
struct Answer<std::optional<std::vector<std::string>>> {
  Answer<std::vector<std::string>> list = {};
  std::int32_t known = 0;
  auto outputs() { return std::tuple_cat(list.outputs(), std::tuple{&known}); }
  std::optional<std::string> text() const;
  std::optional<std::vector<std::string>> take(const Party&, std::string_view);
};

// The only text of a list; any other number of them fails the case.
template <>
struct Answer<std::string> {
  TextList out = {};
  auto outputs() { return std::tuple{&std::as_const(out.list)}; }
  std::optional<std::string> text() const;
  std::string take(const Party&, std::string_view function);
};

template <>
struct Answer<std::vector<std::int64_t>> {
  std::vector<std::int64_t> numbers = {};
  dlcert_number_list list{this, &add};
  auto outputs() { return std::tuple{&std::as_const(list)}; }
  std::optional<std::string> text() const { return to_text(numbers); }
  std::vector<std::int64_t> take(const Party&, std::string_view) { return std::move(numbers); }

  static void add(void* context, std::int64_t number) {
    static_cast<Answer*>(context)->numbers.push_back(number);
  }
};

}  // namespace gpu_call

// ---- calls ----

// A group of functions of a party. The party must outlive it.
class GpuGroup {
 protected:
  explicit GpuGroup(const Party& party) : party_{&party} {}
  const Party& party() const { return *party_; }
  void* self() const { return party_->table().self; }

  // Calls `function` of the group, whose name is `name`. R and `arguments`: see above.
  template <typename R, typename Group, typename... C, typename... Arguments>
  Outcome<R> call(std::string_view name, dlcert_status (*Group::*function)(void*, C...),
                  const Arguments&... arguments) const {
    const auto text = [&] {
      std::vector<std::string> all{gpu_call::shown(arguments)...};
      return with_arguments(name, all);
    };
    return call_as<R>(name, text, function, gpu_call::crossing(arguments)...);
  }

  // The same, for a call that the trace shows as `text()` says, with the C arguments as they are.
  template <typename R, typename Text, typename Group, typename... C, typename... Arguments>
  Outcome<R> call_as(std::string_view name, const Text& text,
                     dlcert_status (*Group::*function)(void*, C...),
                     const Arguments&... arguments) const {
    gpu_call::Answer<R> answer;
    const Group* const group = group_of(party_->table(), adapter::Functions<Group>::member);
    const auto invoke = [&](dlcert_error* error) {
      return std::apply(
          [&](auto... outputs) {
            return (group->*function)(self(), arguments..., outputs..., error);
          },
          answer.outputs());
    };
    std::optional<Error> error = make(std::cref(text), offered(group, function), std::cref(invoke),
                                      [&] { return answer.text(); });
    if (error) return *std::move(error);
    return answer.take(*party_, name);
  }

  // Announces the call, makes it where it is there, and tells the answer; the library's error when
  // it refused. Throws NotFormable, and what ended the case inside the call.
  std::optional<Error> make(const std::function<std::string()>& text, bool there,
                            const std::function<dlcert_status(dlcert_error*)>& invoke,
                            const std::function<std::optional<std::string>()>& answer) const;

 private:
  static std::string with_arguments(std::string_view name,
                                    const std::vector<std::string>& arguments);

  const Party* party_;
};

}  // namespace dlcert
