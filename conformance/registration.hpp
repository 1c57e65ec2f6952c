// SPDX-License-Identifier: Apache-2.0
//
// How a check is written: its requirement, its sentence and its body stand in one place, and what
// writes the check registers it.
//
//   DLCERT_CHECK(deleter_is_called_once,
//                consumer_check("lifetime.deleter.exactly-once",
//                               "the deleter is called once, when the last handle is gone",
//                               importing)) {
//     ...  // one case; `c` is the Case
//   }
//
// A body may be checked under several sentences: DLCERT_CHECK takes any number of heads. A file of
// checks is a family, which says DLCERT_FAMILY(name) once; suite.cpp names every family.
//
// Nothing is dropped silently. A family that suite.cpp names and nobody has is a link error, and a
// file with checks that suite.cpp does not name makes all_checks() throw.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>

namespace dlcert {

// ---- heads: what a check is about, without its body ---------------------------------------------

// A check of a library that makes and exports tensors, or takes them. `needs` is what it must offer
// to be checked. With `rows`, a table: case i is row i.
Check producer_check(std::string_view requirement, std::string_view sentence, Needs needs,
                     std::size_t rows = 0);
Check consumer_check(std::string_view requirement, std::string_view sentence, Needs needs,
                     std::size_t rows = 0);

// The same check, of a library that must offer more.
Check also_needing(Check check, Can more);

// The check, once for a producer and once for a consumer. Its body asks for Case::subject().
std::vector<Check> in_both_roles(const Check& check);

// The check, on the devices of one vendor.
Check on_cuda(Check check);
Check on_rocm(Check check);
// Once on those of each vendor: the sentences end with "on CUDA" and "on ROCm".
std::vector<Check> on_both_vendors(const Check& check);

// The check, whose cases take a tensor of the tested library on a device (Check::device_tensors).
Check with_device_tensors(Check check);
// The check, of which some cases take no tensor of the tested library (Check::without_tensors).
Check also_without_tensors(Check check);

// The twins of checks that are written for the host and speak of any tensor: the same on the
// devices of each vendor.
std::vector<Check> twins_on_devices(const Check& check);
std::vector<Check> twins_on_devices(std::span<const Check> checks);

// The check, of what the library says of itself (Check::fact).
Check fact_check(Check check);
std::vector<Check> fact_checks(std::vector<Check> checks);

// The check, whose body says by Case::touched() in which cases its rule was touched; one in so many
// must.
Check if_touched(Check check, std::uint16_t one_in = usual_share);
std::vector<Check> if_touched(std::vector<Check> checks, std::uint16_t one_in = usual_share);

// ---- registration -------------------------------------------------------------------------------

// Checks of a family that register themselves: one for each DLCERT_CHECK, at namespace scope.
class Registration {
 public:
  using Add = void (*)(Suite&);  // adds the checks

  // `file` and `add` have static storage. Not from two threads: this runs before main.
  Registration(std::string_view file, Add add) noexcept;
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration() = default;

 private:
  friend Suite suite_of(std::span<const std::string_view> files);

  std::string_view file_;
  Add add_;
  // In the order in which they were made. Mutable: it is set when the next one is made.
  mutable const Registration* next_ = nullptr;
};

// The checks of these files, file by file, in the order in which they stand there. Throws
// std::logic_error when a file has none, or when checks are registered in another file.
Suite suite_of(std::span<const std::string_view> files);

// What DLCERT_CHECK gives to its heads.
struct Body {
  std::string_view name;  // static storage
  void (*run)(Case&);
};

// Gives the body to the heads, and adds them.
void add_checks(Suite& suite, Body body, Check head);
void add_checks(Suite& suite, Body body, std::span<const Check> heads);
template <typename... Heads>
requires(sizeof...(Heads) > 1) void add_checks(Suite& suite, Body body, const Heads&... heads) {
  (add_checks(suite, body, heads), ...);
}

// The checks with this body, and their twins with the other.
template <typename... Heads>
void add_checks_and_twins(Suite& suite, Body body, void (*on_a_device)(Case&),
                          const Heads&... heads) {
  (add_checks(suite, body, heads), ...);
  (add_checks(suite, Body{body.name, on_a_device}, twins_on_devices(heads)), ...);
}

}  // namespace dlcert

// Opens the family `name` in the namespace of its area.
#define DLCERT_FAMILY(name)             \
  std::string_view family_of_##name();  \
  std::string_view family_of_##name() { \
    return __FILE__;                    \
  }

// A check with its body, whose parameter is `Case& c`. The heads are expressions of Check or of
// std::vector<Check>.
#define DLCERT_CHECK(body, ...)                                   \
  static void body(::dlcert::Case& c);                            \
  static const ::dlcert::Registration registration_of_##body{     \
      __FILE__, [](::dlcert::Suite& suite) {                      \
        ::dlcert::add_checks(suite, {#body, &body}, __VA_ARGS__); \
      }};                                                         \
  static void body([[maybe_unused]] ::dlcert::Case& c)

// The same, and once more on the devices of each vendor: what generators/ draws then lies on one,
// and the body reads and writes it by testbench/placed.hpp, which the file includes. For rules of
// any tensor.
#define DLCERT_CHECK_ALSO_ON_DEVICES(body, ...)                                                \
  static void body(::dlcert::Case& c);                                                         \
  static const ::dlcert::Registration registration_of_##body{                                  \
      __FILE__, [](::dlcert::Suite& suite) {                                                   \
        ::dlcert::add_checks_and_twins(suite, {#body, &body},                                  \
                                       &::dlcert::testbench::on_a_device<&body>, __VA_ARGS__); \
      }};                                                                                      \
  static void body([[maybe_unused]] ::dlcert::Case& c)
