// SPDX-License-Identifier: Apache-2.0
#include "capsules.hpp"

#include <dlpack/dlpack.h>

#include <cstring>
#include <string_view>
#include <vector>

namespace dlcert::python {

namespace {

constexpr const char* legacy_name = "dltensor";
constexpr const char* versioned_name = "dltensor_versioned";
constexpr const char* used_legacy_name = "used_dltensor";
constexpr const char* used_versioned_name = "used_dltensor_versioned";

void destroy(PyObject* capsule) {
  const ErrorKept kept;
  auto* const destructor =
      reinterpret_cast<dlcert_capsule_destructor>(py.PyCapsule_GetContext(capsule));
  const char* const name = py.PyCapsule_GetName(capsule);
  void* const pointer = py.PyCapsule_GetPointer(capsule, name);
  py.PyErr_Clear();
  if (destructor == nullptr) return;
  const Unlocked unlocked;
  destructor(pointer, name);
}

template <typename Managed>
void call_deleter(void* pointer) {
  auto* const managed = static_cast<Managed*>(pointer);
  if (managed->deleter != nullptr) managed->deleter(managed);
}

void delete_unless_used(void* pointer, const char* name) {
  if (name == nullptr) return;
  if (std::strcmp(name, legacy_name) == 0) call_deleter<DLManagedTensor>(pointer);
  if (std::strcmp(name, versioned_name) == 0) call_deleter<DLManagedTensorVersioned>(pointer);
}

// The elements of a tensor on the host, in the order of their indices.
class Elements {
 public:
  explicit Elements(const DLTensor& tensor)
      : tensor_{tensor},
        size_{static_cast<std::size_t>((tensor.dtype.bits * tensor.dtype.lanes + 7) / 8)},
        strides_(static_cast<std::size_t>(tensor.ndim)) {
    std::int64_t compact = 1;
    for (std::int32_t axis = tensor.ndim; axis-- > 0;) {
      const auto at = static_cast<std::size_t>(axis);
      strides_[at] = tensor.strides == nullptr ? compact : tensor.strides[axis];
      compact *= tensor.shape[axis];
    }
    count_ = static_cast<std::size_t>(compact);
  }

  std::size_t bytes() const { return count_ * size_; }

  void copy_to(std::byte* out) const {
    if (count_ == 0) return;
    const auto* const first = static_cast<const std::byte*>(tensor_.data) + tensor_.byte_offset;
    std::vector<std::int64_t> index(strides_.size());
    for (std::size_t element = 0; element < count_; ++element, out += size_) {
      std::int64_t at = 0;
      for (std::size_t axis = 0; axis < index.size(); ++axis)
        at += index[axis] * strides_[axis];
      std::memcpy(out, first + at * static_cast<std::int64_t>(size_), size_);
      for (std::size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < tensor_.shape[axis]) break;
        index[axis] = 0;
      }
    }
  }

 private:
  const DLTensor& tensor_;
  std::size_t size_;
  std::vector<std::int64_t> strides_;
  std::size_t count_ = 0;
};

Ref bytes_of(const DLTensor& tensor) {
  if (tensor.device.device_type != kDLCPU || tensor.dtype.bits % 8 != 0) {
    py.PyErr_SetString(*py.PyExc_NotImplementedError,
                       "this adapter needs its own read(): the tensor is not on the host, or its "
                       "elements are not whole bytes");
    throw Raised{};
  }
  const Elements elements{tensor};
  Ref bytes =
      made(py.PyBytes_FromStringAndSize(nullptr, static_cast<std::ptrdiff_t>(elements.bytes())));
  char* out = nullptr;
  std::ptrdiff_t size = 0;
  done(py.PyBytes_AsStringAndSize(bytes.get(), &out, &size));
  elements.copy_to(reinterpret_cast<std::byte*>(out));
  return bytes;
}

template <typename Managed>
Ref consume(PyObject* capsule, const char* name, const char* used_name) {
  auto* const managed = static_cast<Managed*>(py.PyCapsule_GetPointer(capsule, name));
  if (managed == nullptr) throw Raised{};
  Ref bytes = bytes_of(managed->dl_tensor);
  done(py.PyCapsule_SetName(capsule, used_name));
  call_deleter<Managed>(managed);
  return bytes;
}

}  // namespace

Ref new_capsule(void* pointer, const char* name, dlcert_capsule_destructor destructor) {
  Ref capsule = made(py.PyCapsule_New(pointer, name, &destroy));
  done(py.PyCapsule_SetContext(capsule.get(), reinterpret_cast<void*>(destructor)));
  return capsule;
}

Ref owning_capsule(const dlcert_managed& managed) {
  return new_capsule(managed.pointer,
                     managed.form == DLCERT_VERSIONED ? versioned_name : legacy_name,
                     &delete_unless_used);
}

Ref logical_bytes(PyObject* capsule) {
  if (py.PyCapsule_IsValid(capsule, versioned_name) != 0)
    return consume<DLManagedTensorVersioned>(capsule, versioned_name, used_versioned_name);
  return consume<DLManagedTensor>(capsule, legacy_name, used_legacy_name);
}

}  // namespace dlcert::python
