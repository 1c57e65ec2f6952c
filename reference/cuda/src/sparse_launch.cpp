// SPDX-License-Identifier: Apache-2.0

#include "sparse_launch.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

#include "dlcert/driver/library_folder.hpp"
#include "dlcert/driver/select.hpp"

#include "sparse_element.hpp"

namespace dlcert::cuda {
namespace {

void run_on_host(void* data) {
  const std::unique_ptr<SparseProduct> product(static_cast<SparseProduct*>(data));
  for (std::int64_t element = 0; element < element_count(*product); ++element)
    compute_element(*product, element);
}

driver::Status launch_on_host(driver::Stream stream, const SparseProduct& product) {
  auto own = std::make_unique<SparseProduct>(product);
  const driver::Status status =
      driver::driver().launch_host_function(stream, run_on_host, own.get());
  if (status == driver::Status::success) static_cast<void>(own.release());
  return status;
}

// Stays loaded until the process ends.
SparseLaunch load_kernels(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return nullptr;
  void* const module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol =
      module == nullptr ? nullptr : ::dlsym(module, "dlcert_launch_sparse_product");
  if (symbol == nullptr)
    throw std::runtime_error(fmt::format("cannot load the sparse kernels: {}", ::dlerror()));
  return reinterpret_cast<SparseLaunch>(symbol);
}

}  // namespace

SparseLaunch sparse_launch(std::string_view driver) {
  if (driver != "cuda") return launch_on_host;
  return load_kernels(driver::library_folder() / "libdlcert_sparse_kernels_cuda.so");
}

}  // namespace dlcert::cuda
