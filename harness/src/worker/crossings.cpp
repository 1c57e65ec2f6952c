// SPDX-License-Identifier: Apache-2.0
//
// The second stage of the preflight: one export and one import of each tensor that is claimed, with
// the harness as the other side. What is lost here may be the library's fault.
#include <algorithm>

#include <dlcert/suite/spy.hpp>
#include <dlcert/suite/threads.hpp>

#include "register/profile.hpp"
#include "worker/claimed_specs.hpp"
#include "worker/tried_tensor.hpp"

namespace dlcert {

namespace {

constexpr dlcert_device unknown_device{99, 0};

bool is_on_host(const TensorSpec& spec) {
  return spec.device.type == kDLCPU;
}

// What a capsule holds, taken out of it.
Managed opened(Capsule capsule) {
  for (const Form form : {Form::versioned, Form::legacy}) {
    void* const pointer = capsule.pointer(live_name(form));
    if (pointer == nullptr) continue;
    capsule.set_name(used_name(form));
    return Managed{{form == Form::versioned ? DLCERT_VERSIONED : DLCERT_LEGACY, 0, pointer}};
  }
  throw Lost{"export_capsule: expected a capsule named dltensor or dltensor_versioned"};
}

// The versioned form if the library can be asked for it.
Managed exported(const Party& producer, const Tensor& tensor) {
  const auto ask = [&](const dlcert_request& asked) {
    return producer.offers(static_cast<Needs>(Can::export_managed))
               ? got(producer.export_managed(tensor, asked), "export_managed")
               : opened(got(producer.export_capsule(tensor, asked), "export_capsule"));
  };
  try {
    return ask(request_version(own_version.major, own_version.minor));
  } catch (const NotFormable&) {
    return ask(request());
  }
}

class Crossings {
 public:
  Crossings(const Library& library, Platform platform, const PreflightProgress& progress)
      : producer_{library.party()},
        consumer_{library.consumer()},
        platform_{platform},
        progress_{progress},
        own_{spy_library(), "dlcert"} {}

  PreflightFindings find() &&;

 private:
  bool has_role(std::uint32_t role) const { return (producer_.table().roles & role) != 0; }
  void note_call(std::string_view call, const TensorSpec& spec) const {
    progress_.call(fmt::format("{}: {}", call, to_text(spec)));
  }

  template <typename Trial>
  void try_rows(Role role, const Party& party, const Trial& trial);
  Form offered_form(Route route) const;
  bool can_be_offered(const TensorSpec& spec) const;
  void try_export(const TensorSpec& spec);
  void try_import(const TensorSpec& spec);
  void try_refusal();
  void expect_values(Role role, const Reading& reading, std::string_view after);
  void note_version(DLPackVersion version);
  void note_version_asked_for();
  void note_version_of_table();

  const Party& producer_;
  const Party& consumer_;
  Platform platform_;
  const PreflightProgress& progress_;
  Party own_;
  PreflightFindings findings_;
  std::optional<DLPackVersion> newest_;  // of what it exports and asks for
};

PreflightFindings Crossings::find() && {
  if (has_role(DLCERT_PRODUCER))
    try_rows(Role::producer, producer_, [this](const TensorSpec& spec) { try_export(spec); });
  if (producer_.offers(static_cast<Needs>(Can::exchange_table))) note_version_of_table();
  if (has_role(DLCERT_CONSUMER)) {
    note_version_asked_for();
    try_rows(Role::consumer, consumer_, [this](const TensorSpec& spec) { try_import(spec); });
    if (platform_ != Platform::rocm && has_route(consumer_, Route::managed)) try_refusal();
  }
  if (newest_) findings_.dlpack = known_spec_at_most(*newest_);
  return std::move(findings_);
}

void Crossings::note_version(DLPackVersion version) {
  const auto key = [](DLPackVersion one) { return std::pair{one.major, one.minor}; };
  if (!newest_ || key(*newest_) < key(version)) newest_ = version;
}

// Who publishes a table knows a version that has one, whatever the table says.
void Crossings::note_version_of_table() {
  progress_.call("exchange_table");
  auto table = producer_.exchange_table();
  const bool readable = table.ok() && table.value() != nullptr;
  const DLPackVersion version = readable ? table.value()->header.version : own_version;
  note_version(version.major == own_version.major ? version : own_version);
}

// One that takes versioned tensors but asks for no version may know the newest.
void Crossings::note_version_asked_for() {
  const Route route = routes(consumer_).front();
  std::optional<DLPackVersion> asked;
  if (consumer_.offers(static_cast<Needs>(Can::import_from))) {
    progress_.call("import from an object that exports nothing");
    SpyProducer producer{{kDLCPU, 0}, nullptr, consumer_, false};
    producer.answer([&](const dlcert_request& request) -> Offer* {
      if (request.max_version.tag == DLCERT_PAIR)
        asked = DLPackVersion{static_cast<std::uint32_t>(request.max_version.first),
                              static_cast<std::uint32_t>(request.max_version.second)};
      return nullptr;
    });
    static_cast<void>(lost_in([&] { consumer_.import_from(producer.c(), import_request()); }));
  }
  const std::vector<Form> taken = forms(consumer_, route);
  const bool takes_versions = std::ranges::count(taken, Form::versioned) != 0;
  if (asked)
    note_version(*asked);
  else if (!taken.empty())
    note_version(takes_versions ? own_version : DLPackVersion{0, 8});
}

template <typename Trial>
void Crossings::try_rows(Role role, const Party& party, const Trial& trial) {
  for (const TriedDevice& device : tried_devices(platform_))
    for (const std::string_view layout : tried_layouts()) {
      progress_.row(findings_);
      TriedTensors row{role, std::string{device.name}, std::string{layout}};
      for (const TensorSpec& spec : specs_of(layout, device.device, party)) {
        note_call("can", spec);
        if (!party.can(spec)) continue;
        ++row.claimed;
        if (role == Role::consumer && !can_be_offered(spec)) {
          ++row.untried;
          continue;
        }
        const auto lost = lost_in([&] { trial(spec); });
        if (lost)
          note_lost(row, spec, *lost);
        else
          ++row.crossed;
      }
      if (row.claimed != 0) findings_.tried.push_back(std::move(row));
    }
}

// Versioned where the consumer took neither form: what it refuses is what there is to be told.
Form Crossings::offered_form(Route route) const {
  const std::vector<Form> taken = forms(consumer_, route);
  return taken.empty() ? Form::versioned : taken.front();
}

// The harness's memory is on the host, and only the versioned form has flags.
bool Crossings::can_be_offered(const TensorSpec& spec) const {
  const bool flagged = spec.padded() || spec.read_only();
  return is_on_host(spec) &&
         (!flagged || offered_form(routes(consumer_).front()) == Form::versioned);
}

void Crossings::expect_values(Role role, const Reading& reading, std::string_view after) {
  if (reading.found != reading.logical)
    findings_.wrong_values.try_emplace(
        std::string{to_text(role)},
        fmt::format("{}: expected {} but found {}", to_text(reading.spec), to_text(reading.logical),
                    to_text(reading.found)));
  expect_right(reading, after);
}

void Crossings::try_export(const TensorSpec& spec) {
  const Bytes logical = tried_values(spec);
  note_call("create", spec);
  const Tensor tensor = got(producer_.create(spec, logical), "create");
  note_call("export", spec);
  Managed managed = exported(producer_, tensor);
  note_version(managed.versioned() ? managed.version() : DLPackVersion{0, 8});
  if (!is_on_host(spec)) return;
  note_call("read the exported tensor", spec);
  const Tensor copy = got(own_.import_managed(managed.raw()), "dlcert's import");
  managed.give_up();
  expect_described(got(own_.describe(copy), "describe"), spec);
  expect_values(Role::producer, read_back(own_, copy, spec, logical), "the export");
}

void Crossings::try_import(const TensorSpec& spec) {
  const Bytes logical = tried_values(spec);
  const Route route = routes(consumer_).front();
  const auto offer = make_offer(spec, logical, offered_form(route));
  note_call("import", spec);
  Import import{consumer_, *offer, route};
  if (!import.accepted()) {
    const bool taken_anyway = route == Route::managed && offer->deleter_calls() > 0;
    throw Lost{fmt::format("import: refused: {}{}", to_text(import.error()),
                           taken_anyway ? ", and the tensor was deleted" : "")};
  }
  note_call("describe", spec);
  expect_described(got(consumer_.describe(import.tensor()), "describe"), spec);
  if (consumer_.offers(static_cast<Needs>(Can::read))) {
    note_call("read", spec);
    expect_values(Role::consumer, read_back(consumer_, import.tensor(), spec, logical), "import");
  }
  note_call("release", spec);
  import.finish();
  await([&] { return offer->deleter_calls() != 0; });
  if (offer->deleter_calls() != 1)
    throw Lost{fmt::format("release: expected one call of the deleter but found {}",
                           offer->deleter_calls())};
}

// Of an import that no library takes, who owns the tensor behind it?
void Crossings::try_refusal() {
  TensorSpec spec = compact_spec({2, 32, 1}, {2});
  spec.device = unknown_device;
  const auto offer = make_offer(spec, tried_values(spec), offered_form(Route::managed));
  note_call("import that the library must refuse", spec);
  const auto lost = lost_in([&] {
    Import import{consumer_, *offer, Route::managed};
    if (import.accepted()) return;
    const bool deleted = offer->deleter_calls() > 0;
    const bool declared = consumer_.declares(DLCERT_FAILED_IMPORT_CONSUMES);
    if (deleted && !declared)
      findings_.hints.emplace_back(
          "import_managed deletes a tensor that it refuses, but the adapter does not declare "
          "DLCERT_FAILED_IMPORT_CONSUMES");
    if (!deleted && declared)
      findings_.hints.emplace_back(
          "import_managed does not delete a tensor that it refuses, but the adapter declares "
          "DLCERT_FAILED_IMPORT_CONSUMES");
  });
  if (lost) findings_.hints.push_back("an import that every library must refuse: " + *lost);
}

}  // namespace

PreflightFindings try_crossings(const Library& library, Platform platform,
                                const PreflightProgress& progress) {
  return Crossings{library, platform, progress}.find();
}

}  // namespace dlcert
