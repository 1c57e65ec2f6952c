// SPDX-License-Identifier: Apache-2.0
//
// What a described case did as Python, for the program that shows it without dlcert: expressions of
// harness/src/standalone/python_program.hpp.
#pragma once

#include <dlcert/adapter.h>

#include <optional>
#include <string>
#include <string_view>

#include <dlcert/suite/party.hpp>

namespace dlcert::python {

// A case is being described, and its program will be in Python.
bool described();

// What the adapter says of DLCERT_PYTHON_*; empty where it has no such source. `spec` is of
// DLCERT_PYTHON_CREATE and DLCERT_PYTHON_DEVICE, `logical` of the first of these alone.
std::string source(const dlcert_adapter& table, std::int32_t what, const TensorSpec* spec = nullptr,
                   const Bytes* logical = nullptr);

// The adapter's expression, or one that imports a tensor of the program's own; empty where neither
// makes it.
std::string create(const dlcert_adapter& table, const TensorSpec& spec, const Bytes& logical);

// The logical bytes of the tensor that has this name, in hex.
std::string read(const dlcert_adapter& table, std::string_view name);

// The question for that, "ask(<expression>)" of the tensor of that name; "pass" without a name.
std::string ask(std::string_view name);

// How the library describes it, as "saw(<expression>, <what it gives now>)"; empty where it has no
// such attributes.
std::string described(const dlcert_adapter& table, dlcert_tensor* tensor, std::string_view name);

// What an expression of group 9 gives now, as such a call; `x` is the tensor of that name.
std::string with_x(std::string_view expression, std::string_view name);

// "\"text\"", b"..." and bytes.fromhex("00ff").
std::string quoted(std::string_view text);
std::string bytes(const Bytes& logical);

// "stream=None, max_version=(1, 3)".
std::string arguments(const dlcert_request& request);
// "from_dlpack(p1, copy=True)"; empty where the adapter does not say what the library calls a
// device.
std::string import_from(const dlcert_adapter& table, const dlcert_producer& producer,
                        const dlcert_import_request& request);

// "[2, 3]"; "None" for none.
std::string list(const std::optional<std::vector<std::int64_t>>& values);

// The name of a built-in exception like this one.
std::string exception_name(const Error& error);

}  // namespace dlcert::python
