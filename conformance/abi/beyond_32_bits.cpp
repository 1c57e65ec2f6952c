// SPDX-License-Identifier: Apache-2.0
//
// Tensors of which a number, or a product of numbers, does not fit into 32 bits. They lie in
// address space without memory behind it, so only tensors with few elements are read; of the others
// some elements are compared, at the ends and where pages meet.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include <dlcert/suite/trace.hpp>

#include "abi/support.hpp"
#include "registration.hpp"
#include "testbench/mapped_memory.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(beyond_32_bits)

namespace {

using testbench::MappedMemory;
using testbench::try_export;
using testbench::Wrapping;
using Axes = std::vector<std::int64_t>;

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;
constexpr std::int64_t two_to_32 = std::int64_t{1} << 32;
constexpr std::int64_t page = 4096;

struct Numbers {
  Axes shape, strides;  // no strides: row-major
  bool of_wide_items = false;
};

std::span<const Numbers> far_strides() {
  static const std::array<Numbers, 5> rows{{
      {{2, 3}, {two_to_32 + 5, 1}},      // a stride
      {{3}, {-two_to_31 - 9}},           // one that runs backwards
      {{2, 2}, {1, two_to_31 + 3}},      // one that is negative in 32 bits
      {{5}, {two_to_31 / 2 + 7}},        // an index times a stride
      {{2}, {two_to_32 / 4 + 1}, true},  // a stride in bytes
  }};
  return rows;
}

std::span<const Numbers> many_elements() {
  static const std::array<Numbers, 6> rows{{
      {{two_to_32 + 3}, {}},               // an extent
      {{2, two_to_31}, {}},                // one that is negative in 32 bits
      {{65536, 65536}, {}},                // a number of elements that is 0 there
      {{65537, 65537}, {}},                // one that is small there
      {{two_to_32 / 4 + 1}, {}, true},     // a size in bytes
      {{3, two_to_31 / 4 + 1}, {}, true},  // one that is negative there
  }};
  return rows;
}

// A vector of a type of whole bytes as the library has it, of 4 bytes or more where these are asked
// for.
TensorSpec claimed_vector(const Party& party, bool wide) {
  static constexpr std::array<dlcert_dtype, 8> dtypes{{{kDLUInt, 8, 1},
                                                       {kDLInt, 8, 1},
                                                       {kDLFloat, 32, 1},
                                                       {kDLInt, 32, 1},
                                                       {kDLUInt, 32, 1},
                                                       {kDLInt, 64, 1},
                                                       {kDLFloat, 64, 1},
                                                       {kDLUInt, 64, 1}}};
  for (const std::uint32_t flags : {0u, std::uint32_t{DLCERT_SPEC_READ_ONLY}})
    for (const dlcert_dtype dtype : dtypes) {
      TensorSpec spec = compact_spec(dtype, {2});
      spec.flags = flags;
      if ((!wide || dtype.bits >= 32) && party.can(spec)) return spec;
    }
  throw NoTensorClaimed{"a type of whole bytes"};
}

// Of this shape, and row-major.
TensorSpec reshaped(const TensorSpec& vector, const Axes& shape) {
  TensorSpec spec = compact_spec(vector.dtype, shape);
  spec.flags = vector.flags;
  return spec;
}

TensorSpec spec_of(const Party& party, const Numbers& numbers) {
  TensorSpec spec = reshaped(claimed_vector(party, numbers.of_wide_items), numbers.shape);
  if (!numbers.strides.empty()) spec.strides = numbers.strides;
  std::int64_t below = 0;
  std::int64_t above = 0;
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
    const std::int64_t reach = (spec.shape[axis] - 1) * spec.strides[axis];
    (reach < 0 ? below : above) += reach;
  }
  spec.offset = -below;
  spec.storage_size = above - below + 1;
  return spec;
}

constexpr std::int64_t few = 16;

bool has_few_elements(const TensorSpec& spec) {
  return spec.element_count() <= few;
}

// Elements that are looked at: all of a few, else the first and last ones, those around the borders
// of some pages, and some that are drawn.
std::vector<std::int64_t> draw_places(Draw& draw, const TensorSpec& spec) {
  const std::int64_t count = spec.element_count();
  std::vector<std::int64_t> places;
  if (has_few_elements(spec)) {
    for (std::int64_t i = 0; i < count; ++i)
      places.push_back(i);
    return places;
  }
  const std::int64_t on_page = page / static_cast<std::int64_t>(logical_item_size(spec.dtype));
  const std::int64_t last_border = (count - 1) / on_page * on_page;
  for (const std::int64_t border : {on_page, last_border / 2 / on_page * on_page, last_border})
    places.insert(places.end(), {border - 1, border});
  places.insert(places.end(), {0, 1, count - 2, count - 1});
  for (int i = 0; i < 6; ++i)
    places.push_back(draw.between(0, count - 1));
  std::ranges::sort(places);
  const auto repeated = std::unique(places.begin(), places.end());
  places.erase(repeated, places.end());
  return places;
}

// How many elements behind the first one this element, counted in row-major order, lies.
std::int64_t distance(const Axes& shape, const Axes& strides, std::int64_t element) {
  std::int64_t distance = 0;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    distance += element % shape[axis] * strides[axis];
    element /= shape[axis];
  }
  return distance;
}

// Such a tensor in the harness's memory, some elements of which are not 0, and its import.
class FarImport {
 public:
  FarImport(Case& c, const Party& party, const Numbers& numbers)
      : path_{draw_import_path(c.draw, party)},
        spec_{spec_of(party, numbers)},
        memory_{static_cast<std::uint64_t>(spec_.storage_size * item())},
        places_{draw_places(c.draw, spec_)} {
    require_claimed(party, spec_);
    if (!has_few_elements(spec_) && !shares_plain(party)) throw Declined{"copies what it imports"};
    if (has_few_elements(spec_) && reads_between(party, numbers))
      throw Declined{"reads what lies between the elements"};
    for (const std::int64_t place : places_)
      memory_.put(at(place), value(place));
    Descriptor descriptor = describe_spec(spec_, path_.form);
    offer_ = memory_.offer(descriptor, static_cast<std::uint64_t>(spec_.offset * item()));
    import_ = std::make_unique<Import>(party, *offer_, path_.route);
    if (!import_->accepted()) {
      end();
      throw Declined{"refused"};
    }
  }

  const TensorSpec& spec() const { return spec_; }
  Tensor& tensor() { return import_->tensor(); }
  const std::byte* first() const { return memory_.begin() + spec_.offset * item(); }

  // Of a few elements.
  Bytes logical() const {
    Bytes all;
    for (const std::int64_t place : places_) {
      const Bytes one = value(place);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

  // Whether strides, as somebody says them, lead from the first element to where all lie.
  bool lead_there(const Axes& strides) const {
    for (std::size_t axis = 0; axis < spec_.shape.size(); ++axis)
      if (spec_.shape[axis] != 1 && strides[axis] != spec_.strides[axis]) return false;
    return true;
  }
  void expect_strides(const Axes& found) const {
    if (!lead_there(found)) fail_equal("strides", to_text(spec_.strides), to_text(found));
  }

  // Whether the library, as it says itself, has taken the tensor for what it is.
  bool is_right(const Description& said) const {
    if (said.shape != spec_.shape) return false;
    if (said.data != first()) return has_few_elements(spec_);
    return !said.strides || lead_there(*said.strides);
  }

  // What a descriptor says leads to the elements.
  void expect_described(const Managed& exported) const {
    const TensorSpec found = described_spec(exported);
    expect_dtype(exported, spec_.dtype);
    expect_shape(exported, spec_.shape);
    const std::byte* const start = exported.first_element();
    if (has_few_elements(spec_) && start != first()) return expect_gathered(exported, logical());
    if (testbench::says_copied(exported)) throw Declined{"exports a copy"};
    expect_equal("address of the first element", first(), start);
    expect_strides(found.strides);
    for (const std::int64_t place : places_) {
      const std::byte* const element = start + distance(found.shape, found.strides, place) * item();
      expect_equal("element", value(place), Bytes(element, element + item()));
    }
  }

  // Releases it. The deleter must have run once.
  void end() {
    import_->finish();
    expect_deleted_once(*offer_);
  }

 private:
  std::int64_t item() const { return static_cast<std::int64_t>(logical_item_size(spec_.dtype)); }
  std::uint64_t at(std::int64_t place) const {
    const std::int64_t elements = spec_.offset + distance(spec_.shape, spec_.strides, place);
    return static_cast<std::uint64_t>(elements * item());
  }
  // Different of neighbours, and never 0.
  Bytes value(std::int64_t place) const {
    Bytes bytes{static_cast<std::byte>(place % 251 + 1)};
    bytes.resize(static_cast<std::size_t>(item()), std::byte{0x2a});
    return bytes;
  }

  // Whether a plain tensor is imported without a copy: memory for a copy of these there is none.
  bool shares_plain(const Party& party) const {
    const TensorSpec plain = reshaped(spec_, {2});
    const auto offer = make_offer(plain, Bytes(static_cast<std::size_t>(2 * item())), path_.form);
    Import import{party, *offer, path_.route};
    return import.accepted() &&
           require(party.describe(import.tensor()), "description of an imported tensor").data ==
               offer->first_element();
  }

  // Whether it reads what lies between few elements as well, as a copy of all that they span does:
  // no rule forbids that, and memory for it there is none. Seen where they lie nearer together.
  bool reads_between(const Party& party, Numbers numbers) const {
    const TraceAside aside;
    for (std::int64_t& stride : numbers.strides)
      if (std::abs(stride) > page) stride /= 256;
    const TensorSpec nearer = spec_of(party, numbers);
    const MappedMemory memory{static_cast<std::uint64_t>(nearer.storage_size * item())};
    const auto offer = memory.offer(describe_spec(nearer, path_.form),
                                    static_cast<std::uint64_t>(nearer.offset * item()));
    const Import import{party, *offer, path_.route};
    return memory.touched() > memory.size() / 2;
  }

  ImportPath path_;
  TensorSpec spec_;
  MappedMemory memory_;
  std::vector<std::int64_t> places_;
  std::unique_ptr<Offer> offer_;
  std::unique_ptr<Import> import_;
};

// ---- consumers ----------------------------------------------------------------------------------

// What it says of the tensor is what came.
void expect_said(const Case& c, FarImport& import) {
  const Description said =
      require(c.consumer.describe(import.tensor()), "description of an imported tensor");
  expect_equal("dtype", import.spec().dtype, said.dtype);
  expect_equal("shape", import.spec().shape, said.shape);
  if (!has_few_elements(import.spec()))
    expect_equal("address of the first element", import.first(), said.data);
  if (said.data != import.first()) return;
  if (said.strides) import.expect_strides(*said.strides);
  if (said.storage_begin == nullptr) return;
  const std::uint64_t needed = static_cast<std::uint64_t>(import.spec().storage_size) *
                               logical_item_size(import.spec().dtype);
  owned_by("abi.data.size-formula", [&] {
    expect(said.storage_bytes >= needed, "bytes of its storage: expected {} or more but found {}",
           needed, said.storage_bytes);
  });
}

DLCERT_CHECK(strides_beyond_32_bits_are_imported,
             if_touched(consumer_check(
                 "abi.strides.element-units",
                 "strides beyond 32 bits, in elements or in bytes, are refused or lead to the "
                 "elements",
                 importing, far_strides().size()))) {
  FarImport import{c, c.consumer, far_strides()[c.row]};
  c.touched();
  expect_said(c, import);
  expect_holds(c.consumer, import.tensor(), import.spec(), import.logical());
  import.end();
}

DLCERT_CHECK(sizes_beyond_32_bits_are_imported,
             if_touched(consumer_check("abi.data.size-formula",
                                       "extents, and sizes in elements or bytes, beyond 32 bits "
                                       "are refused or kept",
                                       importing, many_elements().size()))) {
  FarImport import{c, c.consumer, many_elements()[c.row]};
  if (!c.consumer.describe(import.tensor()).ok()) throw Declined{"cannot be asked what it took"};
  c.touched();
  expect_said(c, import);
  import.end();
}

// A library that imports a tensor must report its size; it may refuse one that it cannot hold.
DLCERT_CHECK(sizes_that_are_taken_can_be_asked_for,
             if_touched(consumer_check("abi.shape.overflow-rejected",
                                       "a tensor whose extents or size do not fit the library's "
                                       "types is refused",
                                       importing, many_elements().size()))) {
  FarImport import{c, c.consumer, many_elements()[c.row]};
  c.touched();
  const auto said = c.consumer.describe(import.tensor());
  expect(said.ok(), "import of shape {}: expected a refusal, or a description, but found {}",
         to_text(import.spec().shape), said.ok() ? "" : to_text(said.error()));
  import.end();
}

// ---- producers, of what they have imported ------------------------------------------------------

constexpr Needs passing_on = Can::any_import | Can::describe | Can::reads_back;

// That is a rule of consumers: producers are not accused of it.
constexpr std::string_view wrong_import = "does not import it right";

Description described(const Case& c, const Tensor& imported) {
  auto said = c.producer.describe(imported);
  if (!said.ok()) throw Declined{wrong_import};
  return std::move(said).value();
}

// In a drawn form, or in the other one where the library's interface cannot ask for that.
Exported pass_on(Case& c, const Tensor& imported) {
  const Wrapping wrapping = testbench::draw_wrapping(c);
  const bool legacy_first = c.draw.flip();
  for (const bool legacy : {legacy_first, !legacy_first}) {
    auto exported = try_export(wrapping, c.producer, imported,
                               request_for(legacy ? Form::legacy : Form::versioned));
    if (!exported) continue;
    if (!exported->ok()) throw Declined{"does not export what it imported"};
    return std::move(*exported).value();
  }
  throw NotFormable{};
}

void expect_passed_on(Case& c, const Numbers& numbers) {
  FarImport import{c, c.producer, numbers};
  if (!import.is_right(described(c, import.tensor()))) throw Declined{wrong_import};
  {
    const Exported exported = pass_on(c, import.tensor());
    import.expect_described(exported.managed());
  }
  c.touched();
  import.end();
}

DLCERT_CHECK(strides_beyond_32_bits_are_exported,
             if_touched(producer_check(
                 "abi.strides.element-units",
                 "strides beyond 32 bits, of an import, are exported as they are, or not at all",
                 passing_on, far_strides().size()))) {
  expect_passed_on(c, far_strides()[c.row]);
}

DLCERT_CHECK(sizes_beyond_32_bits_are_exported,
             if_touched(producer_check("abi.data.size-formula",
                                       "extents, and sizes in elements or bytes, beyond 32 bits, "
                                       "of an import, are exported as they are, or not at all",
                                       passing_on, many_elements().size()))) {
  expect_passed_on(c, many_elements()[c.row]);
}

DLCERT_CHECK(byte_offsets_beyond_32_bits_are_exported,
             if_touched(producer_check("abi.data.byte-offset-meaning",
                                       "an import whose first element lies beyond 32 bits behind "
                                       "data is exported with its elements, or not at all",
                                       passing_on, both_forms.size()))) {
  const TensorSpec spec = reshaped(claimed_vector(c.producer, false), {4});
  const Bytes logical = draw_logical(c.draw, spec);
  const std::uint64_t byte_offset = static_cast<std::uint64_t>(two_to_32) + 64;
  const MappedMemory memory{byte_offset + logical.size()};
  memory.put(byte_offset, logical);
  const ImportPath path = draw_import_path(c.draw, c.producer.consuming(), both_forms[c.row]);
  Descriptor descriptor = describe_spec(spec, path.form);
  descriptor.byte_offset = byte_offset;
  const auto offer = memory.offer(descriptor, 0);
  Import import{c.producer, *offer, path.route};
  if (!import.accepted()) throw Declined{"refused"};
  const Description own = described(c, import.tensor());
  const bool right = own.data == offer->first_element() ||
                     testbench::read_back(c.producer, import.tensor(), logical.size()) == logical;
  if (!right) throw Declined{wrong_import};
  const Exported exported = pass_on(c, import.tensor());
  c.touched();
  expect_gathered(exported.managed(), logical);  // of a copy too, whether it says so or not
}

// ---- producers, without memory ------------------------------------------------------------------

// A library that claims every shape may still have a limit beyond 32 bits.
Tensor made_or_declined(Case& c, const TensorSpec& spec) {
  try {
    auto tensor = c.producer.create(spec, {});
    if (tensor.ok()) return std::move(tensor).value();
  } catch (const NotJudged&) {
    // There is no such tensor, no matter if the library raised or its adapter.
  }
  throw Declined{"makes no such tensor"};
}

// No element, whatever the other extents are.
DLCERT_CHECK(extents_of_empty_exports_are_kept,
             if_touched(producer_check("abi.shape.extent-array",
                                       "extents beyond 32 bits of a tensor without elements are "
                                       "exported as they are",
                                       exporting, 3))) {
  static const std::array<Axes, 3> shapes{Axes{two_to_32 + 3, 0}, Axes{0, two_to_31},
                                          Axes{two_to_31 + 1, 0, two_to_32}};
  const TensorSpec spec = reshaped(claimed_vector(c.producer, false), shapes[c.row]);
  require_claimed(c.producer, spec);
  const Tensor tensor = made_or_declined(c, spec);
  const Exported exported = testbench::export_either(c, tensor);
  c.touched();
  expect_shape(exported.managed(), spec.shape);
}

}  // namespace
}  // namespace dlcert::abi
