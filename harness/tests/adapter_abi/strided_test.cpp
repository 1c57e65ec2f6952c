// SPDX-License-Identifier: Apache-2.0
//
// The base of adapters for strided host memory, with a library as small as one can be.
#include <dlpack/dlpack.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include <dlcert/adapter_strided.hpp>

namespace dlcert::adapter {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr dlcert_dtype int16{kDLInt, 16, 1};

// A spec, and what it points to.
struct Spec : dlcert_tensor_spec {
  Spec(dlcert_dtype element, Sizes extents, Sizes steps, std::int64_t first, std::int64_t size)
      : dlcert_tensor_spec{}, extents_{std::move(extents)}, steps_{std::move(steps)} {
    dtype = element;
    device = host;
    ndim = static_cast<std::int32_t>(extents_.size());
    shape = extents_.data();
    strides = steps_.data();
    offset = first;
    storage_size = size;
  }

 private:
  Sizes extents_, steps_;
};

struct Array {
  dlcert_dtype dtype{};
  Sizes shape, strides;  // in elements
  std::shared_ptr<std::byte> memory;
  std::int64_t offset = 0;  // in bytes
  bool read_only = false;
};

struct Library : StridedTensors<Array> {
  int asked = 0;

  const char* name() { return "toy"; }
  const char* version() { return "1"; }

  bool has(dlcert_dtype dtype) override {
    ++asked;
    if (dtype.code == kDLComplex) throw std::invalid_argument{"no such elements"};
    return dtype.code == kDLInt && dtype.lanes == 1;
  }
  bool has_layout(const dlcert_tensor_spec& spec) override { return !reversed(spec); }
  std::uint32_t flags() override { return DLCERT_SPEC_READ_ONLY | DLCERT_SPEC_BYTE_STRIDES; }
  Array make(const dlcert_tensor_spec& spec) override {
    return {spec.dtype,
            shape_of(spec),
            in_elements(byte_strides_of(spec), element_bytes(spec.dtype)),
            host_memory(storage_bytes(spec)),
            offset_bytes(spec),
            (spec.flags & DLCERT_SPEC_READ_ONLY) != 0};
  }
  dlcert_description describe(Array& array) override {
    return described(array.dtype, host, array.shape, array.strides,
                     array.memory.get() + array.offset,
                     array.read_only ? DLCERT_DESCRIPTION_READ_ONLY : 0);
  }
};

std::vector<std::byte> rising(std::size_t bytes) {
  std::vector<std::byte> logical(bytes);
  std::uint8_t next = 1;
  std::ranges::generate(logical, [&] { return std::byte{next++}; });
  return logical;
}

std::vector<std::byte> read_back(Library& library, Array& array, std::size_t bytes) {
  std::vector<std::byte> logical(bytes);
  library.read(array, logical);
  return logical;
}

TEST(StridedTensors, HoldTheBytesThatTheyWereMadeOfInWhateverLayout) {
  const Spec specs[] = {
      {int16, {}, {}, 1, 2},                    // a scalar behind another
      {int16, {2, 3}, {3, 1}, 0, 6},            // compact
      {int16, {2, 3}, {1, 2}, 0, 6},            // column-major
      {int16, {2, 3}, {-8, 2}, 9, 16},          // reversed and stepped
      {int16, {2, 1, 3}, {4, 77, 1}, 1, 8},     // padded rows, an axis without neighbours
      {{kDLInt, 64, 2}, {2, 2}, {1, 2}, 3, 8},  // of 16 bytes
      {int16, {2, 0, 3}, {3, 3, 1}, 0, 0},      // empty
  };
  Library library;
  for (const Spec& spec : specs) {
    const auto count = std::accumulate(spec.shape, spec.shape + spec.ndim,
                                       element_bytes(spec.dtype), std::multiplies<>{});
    const std::vector<std::byte> logical = rising(static_cast<std::size_t>(count));
    Array array = library.create(spec, logical);
    EXPECT_EQ(read_back(library, array, logical.size()), logical);
    std::vector<std::byte> others = logical;
    std::ranges::reverse(others);
    library.write(array, others);
    EXPECT_EQ(read_back(library, array, logical.size()), others);
  }
}

TEST(StridedTensors, PutElementsWhereTheSpecSays) {
  Library library;
  const Spec spec{int16, {2, 2}, {1, 3}, 1, 6};
  const Array array = library.create(spec, rising(8));
  const std::byte* const memory = array.memory.get();
  EXPECT_EQ(memory[2], std::byte{1});   // (0, 0) at element 1
  EXPECT_EQ(memory[8], std::byte{3});   // (0, 1) at element 4
  EXPECT_EQ(memory[4], std::byte{5});   // (1, 0) at element 2
  EXPECT_EQ(memory[10], std::byte{7});  // (1, 1) at element 5
}

TEST(StridedTensors, AreFieldsOfPackedRecords) {
  Library library;
  Spec spec{int16, {3}, {5}, 1, 16};
  spec.flags = DLCERT_SPEC_BYTE_STRIDES;
  const Array array = library.create(spec, rising(6));
  EXPECT_EQ(array.memory.get()[1], std::byte{1});
  EXPECT_EQ(array.memory.get()[6], std::byte{3});
  EXPECT_EQ(array.memory.get()[12], std::byte{6});
  EXPECT_TRUE(array.strides.empty());  // no number of elements
}

TEST(StridedTensors, AreRowMajorWhereTheLibraryTellsNoStrides) {
  Library library;
  Array array = library.create(Spec{int16, {2, 3}, {3, 1}, 0, 6}, rising(12));
  array.strides.clear();
  EXPECT_EQ(library.describe(array).strides, nullptr);
  EXPECT_EQ(read_back(library, array, 12), rising(12));
}

TEST(StridedTensors, AreNotWrittenToWhereTheyAreReadOnly) {
  Library library;
  Spec spec{int16, {2}, {1}, 0, 2};
  spec.flags = DLCERT_SPEC_READ_ONLY;
  Array array = library.create(spec, rising(4));
  EXPECT_THROW(library.write(array, rising(4)), std::invalid_argument);
  EXPECT_EQ(read_back(library, array, 4), rising(4));
}

TEST(StridedTensors, TakeNoOtherNumberOfBytes) {
  Library library;
  Array array = library.create(Spec{int16, {2}, {1}, 0, 2}, rising(4));
  std::vector<std::byte> logical(6);
  EXPECT_THROW(library.read(array, logical), std::invalid_argument);
  logical.resize(3);
  EXPECT_THROW(library.read(array, logical), std::invalid_argument);
}

TEST(StridedTensors, ClaimWhatTheLibraryHas) {
  Library library;
  const Spec plain{int16, {2, 3}, {1, 2}, 0, 6};
  EXPECT_TRUE(library.can(plain));
  EXPECT_TRUE(library.can_import(plain));
  EXPECT_FALSE(library.can(Spec{int16, {2}, {-1}, 1, 2}));
  EXPECT_FALSE(library.can(Spec{{kDLFloat, 32, 1}, {2}, {1}, 0, 2}));
  Spec other = plain;
  other.state = DLCERT_STATE_SPARSE;
  EXPECT_FALSE(library.can(other));
  other = plain;
  other.flags = DLCERT_SPEC_SUBBYTE_PADDED;
  EXPECT_FALSE(library.can(other));
  other = plain;
  other.device.type = kDLCUDA;
  EXPECT_FALSE(library.can(other));
}

TEST(StridedTensors, AskForADtypeOnceAndTakeAnErrorForANo) {
  Library library;
  const Spec complex{{kDLComplex, 64, 1}, {2}, {1}, 0, 2};
  EXPECT_FALSE(library.can(complex));
  EXPECT_FALSE(library.can_import(complex));
  EXPECT_EQ(library.asked, 1);
}

TEST(StridedTensors, TellTheDlpackHeaderThatStandsBeforeThem) {
  EXPECT_EQ(Library{}.cxx_facts()->major_version, DLPACK_MAJOR_VERSION);
}

TEST(CompactAtOffset, IsACompactTensorThatBeginsAnywhere) {
  const Spec shifted{int16, {2, 3}, {3, 1}, 5, 11};
  EXPECT_FALSE(compact(shifted));
  EXPECT_TRUE(compact_at_offset(shifted));
  EXPECT_FALSE(compact_at_offset(Spec{int16, {2, 3}, {1, 2}, 5, 11}));
}

TEST(DtypeTable, HasTheLibrarysWordsForDtypes) {
  const DtypeTable<char> types{{kDLInt, 16, 's'}, {kDLFloat, 32, 'f', 4}};
  EXPECT_EQ(*types.own(int16), 's');
  EXPECT_EQ(types.own({kDLFloat, 32, 1}), nullptr);
  EXPECT_EQ(types.dtype('f').lanes, 4);
  EXPECT_THROW(types.dtype('x'), std::invalid_argument);
}

class RequestedForm : public testing::Test {
 protected:
  RequestedForm() { request_.struct_size = sizeof request_; }
  static dlcert_value pair(std::int64_t first) { return {DLCERT_PAIR, 0, first, 0, 0, nullptr}; }

  dlcert_request request_{};
};

TEST_F(RequestedForm, IsLegacyUnlessAVersionOfOneOrMoreIsGiven) {
  EXPECT_EQ(requested_form(request_), DLCERT_LEGACY);
  request_.max_version.tag = DLCERT_NONE;
  EXPECT_EQ(requested_form(request_), DLCERT_LEGACY);
  request_.max_version = pair(0);
  EXPECT_EQ(requested_form(request_), DLCERT_LEGACY);
  request_.max_version = pair(1);
  EXPECT_EQ(requested_form(request_), DLCERT_VERSIONED);
}

TEST_F(RequestedForm, IsNotFormableWithWhatTheFunctionsDoNotTake) {
  request_.max_version = {DLCERT_INT, 0, 1, 0, 0, nullptr};
  EXPECT_THROW(requested_form(request_), NotFormable);
  request_.max_version = pair(1);
  for (dlcert_value dlcert_request::*argument :
       {&dlcert_request::stream, &dlcert_request::dl_device, &dlcert_request::copy}) {
    dlcert_request request = request_;
    request.*argument = {DLCERT_BOOL, 0, 1, 0, 0, nullptr};
    EXPECT_THROW(requested_form(request), NotFormable);
    (request.*argument).tag = DLCERT_NONE;
    EXPECT_EQ(requested_form(request), DLCERT_VERSIONED);
  }
}

TEST_F(RequestedForm, TakesACopyOfTheVersionedFormAlone) {
  request_.copy = {DLCERT_BOOL, 0, 1, 0, 0, nullptr};
  EXPECT_TRUE(requested_copy(request_));
  EXPECT_THROW(requested_form(request_, true), NotFormable);
  request_.max_version = pair(1);
  EXPECT_EQ(requested_form(request_, true), DLCERT_VERSIONED);
}

TEST(ManagedTensors, PassWithTheirFormAndAreTakenInNoOther) {
  DLManagedTensor legacy{};
  DLManagedTensorVersioned versioned{};
  EXPECT_EQ(exported(&legacy).form, DLCERT_LEGACY);
  EXPECT_EQ(exported(&versioned).form, DLCERT_VERSIONED);
  EXPECT_EQ(imported<DLManagedTensor>(exported(&legacy)), &legacy);
  EXPECT_EQ(imported<DLManagedTensorVersioned>(exported(&versioned)), &versioned);
  EXPECT_THROW(imported<DLManagedTensor>(exported(&versioned)), NotFormable);
}

}  // namespace
}  // namespace dlcert::adapter
