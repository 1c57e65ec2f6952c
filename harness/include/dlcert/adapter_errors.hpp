// SPDX-License-Identifier: Apache-2.0
//
// How the methods of an adapter class report errors (adapter.hpp): they throw Refused or
// NotFormable. What else they throw is a refusal as well: std::bad_alloc of the kind
// DLCERT_ERROR_MEMORY, std::invalid_argument DLCERT_ERROR_VALUE, std::out_of_range
// DLCERT_ERROR_INDEX, another std::exception DLCERT_ERROR_RUNTIME, anything else
// DLCERT_ERROR_OTHER.
#pragma once

#include <dlcert/adapter.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace dlcert::adapter {

// Thrown by a method whose library refused with an error of this kind.
class Refused : public std::exception {
 public:
  // `type` is the library's own name of the error. Both texts are copied, and cut off where they
  // are longer than dlcert_error holds. For an error with the vendor's `code`, take error() of
  // this, set the code, and make another from that.
  Refused(dlcert_error_kind kind, std::string_view message, std::string_view type = {});
  // An error with all its members, such as that of a dlcert_producer's method, to be passed on
  // unchanged.
  explicit Refused(const dlcert_error& error) : error_{error} {}

  const dlcert_error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message; }

 private:
  dlcert_error error_{};
};

// Thrown by a method whose library cannot form the request: DLCERT_NOT_FORMABLE. The case is then
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
  const std::uint32_t size = error.struct_size;
  error = refused.error();
  error.struct_size = size;
  return DLCERT_REFUSED;
}

// The status of the exception in flight, and its error; standard exceptions have the kinds that
// Python gives their namesakes.
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

// Runs `action`; what it throws goes to `error`. The usual exception is not thrown again for it.
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

}  // namespace dlcert::adapter
