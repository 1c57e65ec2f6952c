// SPDX-License-Identifier: Apache-2.0
//
// Libraries of kernels that a program loads. Source: CUDA Runtime API, "Library Management".

#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

class Libraries : public ShimTest {
 protected:
  static cudaLibrary_t load() {
    cudaLibrary_t library = nullptr;
    EXPECT_EQ(cudaLibraryLoadData(&library, "code", nullptr, nullptr, 0, nullptr, nullptr, 0),
              cudaSuccess);
    return library;
  }
  static cudaError_t load_file(const char* path) {
    cudaLibrary_t library = nullptr;
    return cudaLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0);
  }
  static cudaKernel_t kernel(cudaLibrary_t library, const char* name) {
    cudaKernel_t found = nullptr;
    EXPECT_EQ(cudaLibraryGetKernel(&found, library, name), cudaSuccess);
    return found;
  }
  static cudaError_t launch(cudaKernel_t kernel, cudaStream_t stream) {
    return cudaLaunchKernel(kernel, dim3(1), dim3(1), nullptr, 0, stream);
  }
};

TEST_F(Libraries, AKernelIsLaunchedByItsHandle) {
  const cudaKernel_t add = kernel(load(), "add");
  const cudaStream_t stream = new_stream();
  EXPECT_EQ(launch(add, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  const char* name = nullptr;
  EXPECT_EQ(cudaFuncGetName(&name, add), cudaSuccess);
  EXPECT_STREQ(name, "add");
}

TEST_F(Libraries, ANameIsOneKernelOfEachLibrary) {
  const cudaLibrary_t first = load(), second = load();
  EXPECT_EQ(kernel(first, "add"), kernel(first, "add"));
  EXPECT_NE(kernel(first, "add"), kernel(first, "scale"));
  EXPECT_NE(kernel(first, "add"), kernel(second, "add"));
}

TEST_F(Libraries, AKernelEndsWithItsLibrary) {
  const cudaLibrary_t library = load();
  const cudaKernel_t add = kernel(library, "add");
  EXPECT_EQ(cudaLibraryUnload(library), cudaSuccess);
  EXPECT_EQ(launch(add, nullptr), cudaErrorInvalidDeviceFunction);
  cudaKernel_t found = nullptr;
  EXPECT_EQ(cudaLibraryGetKernel(&found, library, "add"), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLibraryUnload(library), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLibraryUnload(nullptr), cudaErrorInvalidValue);
}

TEST_F(Libraries, ALibraryIsReadFromAFile) {
  EXPECT_EQ(load_file("/proc/self/exe"), cudaSuccess);
  EXPECT_EQ(load_file("/no/such/library.cubin"), cudaErrorFileNotFound);
  EXPECT_EQ(load_file(nullptr), cudaErrorInvalidValue);
}

TEST_F(Libraries, NoDeviceHereHasUnifiedFunctions) {
  void* function = nullptr;
  EXPECT_EQ(cudaLibraryGetUnifiedFunction(&function, load(), "add"), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaLibraryGetUnifiedFunction(&function, nullptr, "add"),
            cudaErrorInvalidResourceHandle);
}

// Only the code says which there are.
TEST_F(Libraries, ItsVariablesAndTheNumberOfItsKernelsAreRefused) {
  static_cast<void>(driver_.take_limits());
  const cudaLibrary_t library = load();
  void* address = nullptr;
  unsigned int count = 0;
  EXPECT_EQ(cudaLibraryGetGlobal(&address, nullptr, library, "sum"), cudaErrorNotSupported);
  EXPECT_EQ(cudaLibraryGetManaged(&address, nullptr, library, "sum"), cudaErrorNotSupported);
  EXPECT_EQ(cudaLibraryGetKernelCount(&count, library), cudaErrorNotSupported);
  EXPECT_EQ(driver_.take_limits().size(), 3u);
}

}  // namespace
}  // namespace dlcert::shim
