// SPDX-License-Identifier: Apache-2.0
//
// What producers hand out: exports by whichever function a library has, read as a consumer that
// follows the standard to the letter would.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/recording.hpp>
#include <dlcert/suite/spy.hpp>

#include "generators/specs.hpp"

namespace dlcert::testbench {

// ---- capsules -----------------------------------------------------------------------------------

// The managed tensor inside a capsule, which keeps owning it, by the capsule's name; empty unless
// that is a live name.
std::optional<dlcert_managed> managed_inside(const Capsule& capsule);

// Calls the deleter, where there is one.
void call_deleter(dlcert_managed managed);

// ---- reading ------------------------------------------------------------------------------------

// A managed tensor that somebody else owns.
class Borrowed {
 public:
  explicit Borrowed(dlcert_managed raw) : managed_{raw} {}
  ~Borrowed() { managed_.give_up(); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  const Managed& operator*() const { return managed_; }
  const Managed* operator->() const { return &managed_; }

 private:
  Managed managed_;
};

// The tensor that a descriptor describes: null strides are row-major.
TensorSpec described_spec(const Managed& managed);
// The logical bytes of the tensor that a descriptor describes.
Bytes gather_exported(const Managed& managed);
// Returns whether these are those bytes; false if the descriptor describes none.
bool gathers(const Managed& managed, const Bytes& logical);
dlcert_device device_of(const Managed& managed);
bool says_copied(const Managed& managed);  // the IS_COPIED flag
// Returns whether this export must have the flag if it is a copy. The Python protocol demands it of
// versioned tensors. The header, which binds other producers, only defines the flag.
bool copy_needs_flag(const Party& producer, const Managed& managed);
// Changes a bit of the first element, and traces the change. There must be an element.
void change_first_element(const Managed& managed);

// Runs `assertion`, whose failure can be seen in the elements where these are not `logical`.
template <typename Assertion>
void in_elements(const Managed& managed, const Bytes& logical, const Assertion& assertion) {
  try {
    assertion();
  } catch (Failure& failure) {
    if (failure.recording.empty() && !gathers(managed, logical))
      failure.recording = recorded_elements(managed.raw(), logical);
    throw;
  }
}

// What follows fails, with a recording of the struct (suite/recording.hpp), unless the descriptor
// has this dtype; this device; this shape.
void expect_dtype(const Managed& managed, dlcert_dtype dtype, std::string_view what = "dtype");
void expect_device(const Managed& managed, dlcert_device device, std::string_view what = "device");
// The major version of a versioned tensor, which abi.version.producer-fills is about.
void expect_major_1(const Managed& managed);
void expect_index_0(const Managed& managed);  // of the device
void expect_shape(const Managed& managed, const std::vector<std::int64_t>& shape,
                  std::string_view what = "shape");
// Unless the elements of the tensor that it describes are `logical`.
void expect_gathered(const Managed& managed, const Bytes& logical,
                     std::string_view what = "elements");
// The same, which is evidence of the producer (suite/evidence.hpp).
void expect_elements(const Managed& managed, const Bytes& logical);
// Unless it is about `spec` and its elements are `logical`, which is evidence too.
void expect_describes(const Managed& managed, const TensorSpec& spec, const Bytes& logical);

// ---- exporting ----------------------------------------------------------------------------------

// A tensor of the producer and what it holds.
struct Source {
  TensorSpec spec;
  Bytes logical;
  Tensor tensor;
};

// Creates a tensor of the producer like `spec`, which it claims: that must succeed.
Source make_source(Case& c, TensorSpec spec);
Source draw_source(Case& c, const SpecBounds& bounds = {});
// A tensor that DLPack cannot describe where the library has such a one, else any.
Source draw_hardly_exportable(Case& c);

// Compact, writable and unpadded: every library that has such a tensor can export it, in either
// form.
bool plain(const TensorSpec& spec);

// What a producer handed out: a managed tensor or a capsule around one. Given back when this dies.
class Exported {
 public:
  explicit Exported(Managed managed) : managed_{std::move(managed)} {}
  Exported(Capsule capsule, dlcert_managed inside)
      : capsule_{std::move(capsule)}, managed_{inside} {}
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;
  Exported(Exported&&) noexcept = default;
  Exported& operator=(Exported&&) = delete;
  ~Exported() { release(); }

  // Returns whether code of the library runs when this is given back: a deleter, or a capsule's
  // destructor.
  bool has_release() const { return capsule_ || managed_.has_deleter(); }

  const Managed& managed() const { return managed_; }
  void release();            // consumed, then the deleter runs; does nothing the second time
  dlcert_managed give_up();  // consumed: the caller owns it now, the capsule has its used name

 private:
  Capsule capsule_;
  Managed managed_;
};

// What a library exports: a managed tensor as such, or in a capsule.
enum class Wrapping : std::uint8_t { bare, capsule };
std::vector<Wrapping> wrappings(const Party& producer);  // not claimed when there is none
Wrapping draw_wrapping(Case& c);                         // one of the producer's
Outcome<Exported> export_by(Wrapping wrapping, const Party& producer, const Tensor& tensor,
                            const dlcert_request& request);

// Returns whether the producer's function for capsules takes max_version. Tries it once for each
// producer.
bool can_ask_for_version(const Party& producer);

// The outcome of export_by(); empty where the library's interface cannot form the request.
std::optional<Outcome<Exported>> try_export(Wrapping wrapping, const Party& producer,
                                            const Tensor& tensor, const dlcert_request& request);

// The control of checks that a refusal satisfies: whether the producer exports a plain tensor that
// it claims by this function in this form. Tried once per producer.
bool exports_plain(const Party& producer, Wrapping wrapping, Form form);

// The rule was met by a refusal where the control holds; otherwise the case is declined, for the
// producer refuses to export plain tensors too, or ends as not claimed where it claims none. For
// checks with Check::says_touched.
void touched_if_exports_plain(Case& c, Wrapping wrapping, Form form);

// Exports by a function that the producer has, drawn where it has both. A capsule without a live
// name fails the case.
Outcome<Exported> export_tensor(Case& c, const Tensor& tensor, const dlcert_request& request);

// An export whose refusal is not judged: it ends the case as not claimed. `what` has static
// storage.
Exported export_or_skip(Case& c, const Tensor& tensor, const dlcert_request& request,
                        std::string_view what);

// Legacy: nothing is given. Versioned: max_version is dlcert's own version.
dlcert_request request_for(Form form);

// Exports a claimed tensor in a drawn form, or in the other one where the library refuses or cannot
// ask for that. One of them must work.
Exported export_either(Case& c, const Tensor& tensor);

}  // namespace dlcert::testbench
