// SPDX-License-Identifier: Apache-2.0
//
// Texts that are too long, no text, or more than text.
#include <cstring>
#include <string>
#include <thread>

#include "hostile.hpp"

namespace hostile {
namespace {

const dlcert_host* the_host = nullptr;

dlcert_status keep_the_host(const dlcert_host& host, dlcert_error&) {
  the_host = &host;
  return DLCERT_OK;
}

void warn(const char* category, const char* text) {
  the_host->warn(the_host->context, category, text);
}

std::int64_t warn_in_control_bytes(std::int64_t extent) {
  static int warnings = 0;
  if (++warnings > 20) return extent;
  warn("\x01\x02", (std::to_string(warnings) + std::string(8 * 1024, '\x03')).c_str());
  return extent;
}

std::int64_t warn_at_length(std::int64_t extent) {
  warn("UserWarning", std::string(2 << 20, 'x').c_str());
  return extent;
}

std::int64_t warn_often(std::int64_t extent) {
  for (int i = 0; i < 1000; ++i)
    warn("UserWarning", std::to_string(i).c_str());
  return extent;
}

std::int64_t warn_of_nothing(std::int64_t extent) {
  warn(nullptr, nullptr);
  return extent;
}

std::int64_t warn_from_a_thread(std::int64_t extent) {
  std::thread{[] { warn("UserWarning", "\xff\xfe"); }}.join();
  return extent;
}

// Fills the text of an error with `with`, as often as it fits, and leaves out its end.
dlcert_status refuse_with(bool provoking, dlcert_error& error, std::string_view with) {
  if (!provoking) return DLCERT_OK;
  for (std::size_t i = 0; i < sizeof(error.message); ++i)
    error.message[i] = with[i % with.size()];
  for (std::size_t i = 0; i < sizeof(error.type); ++i)
    error.type[i] = with[i % with.size()];
  return DLCERT_REFUSED;
}

template <const char* name>
void be_called(dlcert_adapter& table, dlcert_tensor_group&) {
  table.name = name;
}

const char* of_ten_thousand_characters() {
  static const std::string text(10'000, 'x');
  return text.c_str();
}

constexpr char control_bytes[] = "host\x1b]0;certified\aile\r\x02";
constexpr char no_utf_8[] = "host\xff\xc0\x80ile";
constexpr char bidirectional[] =
    "host\xe2\x80\xae"
    "ile\xe2\x81\xa6";
constexpr char markup[] = "<testcase name=\"]]>\"/>``` # Certified | --> {} %n";

}  // namespace

Variants texts() {
  return {
      {"named-in-control-bytes", {.on_table = be_called<control_bytes>}},
      {"named-in-no-utf-8", {.on_table = be_called<no_utf_8>}},
      {"named-bidirectionally", {.on_table = be_called<bidirectional>}},
      {"named-in-markup", {.on_table = be_called<markup>}},
      {"long-name",
       {.on_table = [](dlcert_adapter& table,
                       dlcert_tensor_group&) { table.name = of_ten_thousand_characters(); }}},
      {"long-version",
       {.on_table = [](dlcert_adapter& table,
                       dlcert_tensor_group&) { table.version = of_ten_thousand_characters(); }}},
      {"version-of-two-lines",
       {.on_table = [](dlcert_adapter& table,
                       dlcert_tensor_group&) { table.version = "1.0\ncertified: hostile 1.0"; }}},
      {"endless-error",
       {.on_create = [](bool provoking, dlcert_tensor*&,
                        dlcert_error& error) { return refuse_with(provoking, error, "x"); }}},
      {"error-in-control-bytes",
       {.on_create =
            [](bool provoking, dlcert_tensor*&, dlcert_error& error) {
              return refuse_with(provoking, error, "\x1b[2J\r\n\x01");
            }}},
      {"error-in-no-utf-8",
       {.on_create =
            [](bool provoking, dlcert_tensor*&, dlcert_error& error) {
              return refuse_with(provoking, error, "\xff\xed\xa0\x80");
            }}},
      {"error-of-statements",
       {.on_create =
            [](bool provoking, dlcert_tensor*&, dlcert_error& error) {
              return refuse_with(provoking, error, "\n\tabort();");
            }}},
      {"error-of-no-size",
       {.on_create = [](bool, dlcert_tensor*&, dlcert_error& error) -> dlcert_status {
         error.struct_size = 0;
         error.kind = -1;
         return DLCERT_OK;
       }}},
      {"warn-in-control-bytes", {.on_open = keep_the_host, .on_provoke = warn_in_control_bytes}},
      {"warn-at-length", {.on_open = keep_the_host, .on_provoke = warn_at_length}},
      {"warn-at-length-in-a-case", {.on_open = keep_the_host, .on_isolated = warn_at_length}},
      {"warn-often", {.on_open = keep_the_host, .on_provoke = warn_often}},
      {"warn-of-nothing", {.on_open = keep_the_host, .on_provoke = warn_of_nothing}},
      {"warn-from-a-thread", {.on_open = keep_the_host, .on_provoke = warn_from_a_thread}},
  };
}

}  // namespace hostile
