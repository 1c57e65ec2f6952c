// SPDX-License-Identifier: Apache-2.0
//
// The libraries that are compared, each with the same round trip: export a tensor of 4 x 4 float32
// that exists already, import what was exported, look at it, drop it.

#pragma once

#include <benchmark/benchmark.h>

#include <type_traits>

#include "dlcert/tensor/export.hpp"
#include "dlcert/tensor/import.hpp"

#include "floor.hpp"

#ifdef DLCERT_BENCH_TVM_FFI
#include <tvm/ffi/container/tensor.h>
#endif
#ifdef DLCERT_BENCH_ATEN
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>
#endif

namespace dlcert::bench {

/// By hand, and without any check.
class Floor {
 public:
  static constexpr const char* name = "Floor";

  Floor() : tensor_{new floor::Storage, {4, 4}, {4, 1}} {
    tensor_.storage->data = static_cast<float*>(std::calloc(16, sizeof(float)));
  }
  Floor(const Floor&) = delete;
  Floor& operator=(const Floor&) = delete;
  ~Floor() { floor::drop(tensor_.storage); }

  void round_trip() {
    const floor::View view(floor::export_tensor(tensor_));
    benchmark::DoNotOptimize(view.data);
  }

 private:
  floor::Tensor tensor_;
};

/// The reference; the import validates and borrows.
class Reference {
 public:
  static constexpr const char* name = "Reference";

  void round_trip() {
    const reference::Imported imported =
        reference::importer.borrow(reference::exporter.versioned(tensor_));
    benchmark::DoNotOptimize(imported.validated.tensor);
  }

 private:
  reference::Tensor tensor_ =
      reference::Tensor::zeros(reference::Dtype::described(kDLFloat, 32), {4, 4});
};

/// The reference; the import validates and makes a tensor of which there may be views.
class SharedReference {
 public:
  static constexpr const char* name = "SharedReference";

  void round_trip() {
    const reference::Tensor imported =
        reference::importer.import(reference::exporter.versioned(tensor_));
    benchmark::DoNotOptimize(imported.first_element());
  }

 private:
  reference::Tensor tensor_ =
      reference::Tensor::zeros(reference::Dtype::described(kDLFloat, 32), {4, 4});
};

#ifdef DLCERT_BENCH_TVM_FFI
class TvmFfi {
 public:
  static constexpr const char* name = "TvmFfi";

  void round_trip() {
    const tvm::ffi::Tensor imported =
        tvm::ffi::Tensor::FromDLPackVersioned(tensor_.ToDLPackVersioned());
    benchmark::DoNotOptimize(imported.GetDLTensorPtr());
  }

 private:
  struct Heap {
    void AllocData(DLTensor* tensor) {
      tensor->data = std::calloc(1, tvm::ffi::GetDataSize(*tensor));
    }
    void FreeData(DLTensor* tensor) { std::free(tensor->data); }
  };

  tvm::ffi::Tensor tensor_ =
      tvm::ffi::Tensor::FromNDAlloc(Heap(), {4, 4}, DLDataType{kDLFloat, 32, 1}, {kDLCPU, 0});
};
#endif

#ifdef DLCERT_BENCH_ATEN
class Aten {
 public:
  static constexpr const char* name = "Aten";

  void round_trip() {
    const at::Tensor imported = at::fromDLPack(at::toDLPack(tensor_));
    benchmark::DoNotOptimize(imported.unsafeGetTensorImpl());
  }

 private:
  at::Tensor tensor_ = at::zeros({4, 4});
};
#endif

/// Calls `visit` with a default-constructible value of each subject that this build has.
template <class Visit>
void for_each_subject(Visit visit) {
  visit(std::type_identity<Floor>());
  visit(std::type_identity<Reference>());
  visit(std::type_identity<SharedReference>());
#ifdef DLCERT_BENCH_TVM_FFI
  visit(std::type_identity<TvmFfi>());
#endif
#ifdef DLCERT_BENCH_ATEN
  visit(std::type_identity<Aten>());
#endif
}

}  // namespace dlcert::bench
