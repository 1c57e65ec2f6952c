// SPDX-License-Identifier: Apache-2.0
//
// A runner to be killed: certifies the hostile library and keeps its results so far in the file
// that it is given.
#include <filesystem>
#include <fstream>

#include "certification.hpp"

int main(int, char** argv) {
  const std::filesystem::path results = argv[1];
  dlcert::RunOptions options = dlcert::hostile::test_options();
  options.case_seconds = 60;
  options.jobs = 2;
  const auto save = [&](const dlcert::Results& so_far) {
    std::ofstream{results.string() + ".new"} << to_json(so_far);
    std::filesystem::rename(results.string() + ".new", results);
  };
  save(dlcert::hostile::certify(options, {.progress = {}, .checkpoint = save}));
}
