// SPDX-License-Identifier: Apache-2.0
//
// The errors of an adapter class (adapter.hpp). Methods report them by throwing Refused or
// NotFormable. Any other exception is a refusal too, of this kind:
//
//   std::bad_alloc          DLCERT_ERROR_MEMORY
//   std::invalid_argument   DLCERT_ERROR_VALUE
//   std::out_of_range       DLCERT_ERROR_INDEX
//   std::exception          DLCERT_ERROR_RUNTIME
//   anything else           DLCERT_ERROR_OTHER
#pragma once

#include <dlcert/adapter.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace dlcert::adapter {

// Thrown by a method if the library refused with an error.
class Refused : public std::exception {
 public:
  // Copies both texts and cuts off what exceeds the capacity of dlcert_error. `type` is the
  // library's own name of the error. To report a vendor's error number, copy error(), set `code` in
  // the copy, and construct another Refused from it.
  Refused(dlcert_error_kind kind, std::string_view message, std::string_view type = {});
  // Copies an error with all its members, such as the error of a dlcert_producer that must be
  // passed on unchanged.
  explicit Refused(const dlcert_error& error) : error_{error} {}

  // Tells the cause: the error that this one was raised from. Copies the text.
  void set_cause(dlcert_error_kind kind, std::string_view message);
  // Tells that there is none. An error whose cause nobody sets leaves it open.
  void set_no_cause() { error_.cause = DLCERT_CAUSE_NONE; }

  const dlcert_error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message; }

 private:
  dlcert_error error_{};
};

// Thrown by a method if the library cannot form the call (DLCERT_NOT_FORMABLE). The case is then
// not applicable.
class NotFormable : public std::exception {
 public:
  const char* what() const noexcept override { return "the library cannot form this request"; }
};

namespace detail {

inline void copy_text(char* to, std::size_t capacity, std::string_view text) {
  const std::size_t size = text.size() < capacity ? text.size() : capacity - 1;
  text.copy(to, size);
  to[size] = '\0';
}

inline void fill(dlcert_error& error, dlcert_error_kind kind, std::string_view type,
                 std::string_view message) {
  error.kind = kind;
  error.code = 0;
  copy_text(error.type, sizeof error.type, type);
  copy_text(error.message, sizeof error.message, message);
}

inline dlcert_status pass_on(const Refused& refused, dlcert_error& error) noexcept {
  // The caller may have been compiled with a shorter struct.
  const std::uint32_t size = error.struct_size;
  std::memcpy(&error, &refused.error(), size < sizeof error ? size : sizeof error);
  error.struct_size = size;
  return DLCERT_REFUSED;
}

// Fills `error` from the exception that is being handled, and returns its status. Standard
// exceptions get the kind that has their name in Python.
inline dlcert_status classify(dlcert_error& error) noexcept {
  try {
    throw;
  } catch (const NotFormable&) {
    return DLCERT_NOT_FORMABLE;
  } catch (const Refused& refused) {
    return pass_on(refused, error);
  } catch (const std::bad_alloc& e) {
    fill(error, DLCERT_ERROR_MEMORY, "std::bad_alloc", e.what());
  } catch (const std::invalid_argument& e) {
    fill(error, DLCERT_ERROR_VALUE, "std::invalid_argument", e.what());
  } catch (const std::out_of_range& e) {
    fill(error, DLCERT_ERROR_INDEX, "std::out_of_range", e.what());
  } catch (const std::exception& e) {
    fill(error, DLCERT_ERROR_RUNTIME, "std::exception", e.what());
  } catch (...) {
    fill(error, DLCERT_ERROR_OTHER, "", "an exception of unknown type");
  }
  return DLCERT_REFUSED;
}

// Runs `action` and returns DLCERT_OK, or fills `error` from its exception and returns that status.
// The separate handler for Refused, the usual exception, avoids throwing it a second time.
template <typename Action>
dlcert_status guarded(dlcert_error* error, Action&& action) noexcept {
  try {
    std::forward<Action>(action)();
    return DLCERT_OK;
  } catch (const Refused& refused) {
    return pass_on(refused, *error);
  } catch (...) {
    return classify(*error);
  }
}

}  // namespace detail

inline Refused::Refused(dlcert_error_kind kind, std::string_view message, std::string_view type) {
  error_.struct_size = sizeof error_;
  detail::fill(error_, kind, type, message);
}

inline void Refused::set_cause(dlcert_error_kind kind, std::string_view message) {
  error_.cause = DLCERT_CAUSE_TOLD;
  error_.cause_kind = kind;
  detail::copy_text(error_.cause_message, sizeof error_.cause_message, message);
}

}  // namespace dlcert::adapter
