// SPDX-License-Identifier: Apache-2.0
//
// What a described case did, as steps of the program in Python that shows it without dlcert. They
// use the parts of harness/src/standalone/parts.py.
#pragma once

#include <dlcert/adapter.h>

#include <optional>
#include <string>
#include <string_view>

#include <dlcert/suite/party.hpp>
#include <dlcert/suite/program_step.hpp>

namespace dlcert::python {

// A case is being described, and its program will be in Python.
bool described();

// What the adapter says of DLCERT_PYTHON_*; empty where it has no such source. adapter_python.h
// says which of them have a `spec` and bytes.
std::string source(const dlcert_adapter& table, std::int32_t what, const TensorSpec* spec = nullptr,
                   const Bytes* bytes = nullptr);

// Steps of the program. `reference` is empty if the reference is called alike.
ProgramStep call(std::string code, std::string reference = {});
ProgramStep question(std::string code, std::string reference = {});
ProgramStep own(std::string code);
ProgramStep nothing();
ProgramStep missing();

// Makes a tensor: by the adapter's expression, or by an import of a tensor of the program's own;
// missing if neither makes it.
ProgramStep create(const dlcert_adapter& table, const TensorSpec& spec, const Bytes& logical);

// Overwrites the elements of the tensor that has this name; missing if the adapter does not say
// how.
ProgramStep write(const dlcert_adapter& table, std::string_view name, const Bytes& logical);

// Makes a stream the current one of a device; missing if the adapter does not say how.
ProgramStep with_stream(const dlcert_adapter& table, dlcert_device device, std::uint64_t stream);

// Asks for the logical bytes of the tensor that has this name, in hex.
ProgramStep read(const dlcert_adapter& table, std::string_view name);

// An expression of group 9, in which `x` is the tensor of that name.
std::string with_x(std::string_view expression, std::string_view name);

// "\"text\"", b"..." and bytes.fromhex("00ff").
std::string quoted(std::string_view text);
std::string bytes(const Bytes& logical);

// "stream=None, max_version=(1, 3)".
std::string arguments(const dlcert_request& request);
// Calls "from_dlpack(producer1, copy=True)"; missing if the adapter does not say what the library
// calls a device.
ProgramStep import_from(const dlcert_adapter& table, const dlcert_producer& producer,
                        const dlcert_import_request& request);

// "(1, 0)" and "(2, 32, 1)".
std::string tuple(dlcert_device device);
std::string tuple(dlcert_dtype dtype);
// "[2, 3]"; "None" for none.
std::string list(const std::optional<std::vector<std::int64_t>>& values);

// The name of a built-in exception like this one.
std::string exception_name(const Error& error);

}  // namespace dlcert::python
