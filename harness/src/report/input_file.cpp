// SPDX-License-Identifier: Apache-2.0
#include "report/input_file.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "register/text.hpp"
#include "report/atomic_file.hpp"

namespace dlcert {

std::string read_input(const std::filesystem::path& path, std::size_t most) {
  const auto refuse = [&path](const std::string& why) {
    throw std::runtime_error{fmt::format("cannot read '{}': {}", one_line(path.string()), why)};
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (exists(status) && !is_regular_file(status)) refuse("it is not a regular file");
  if (const auto bytes = std::filesystem::file_size(path, error); !error && bytes > most)
    refuse(fmt::format("expected at most {} bytes but found {}", most, bytes));
  return read_file(path);
}

}  // namespace dlcert
