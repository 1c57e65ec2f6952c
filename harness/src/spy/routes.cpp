// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
#include <mutex>

#include <dlcert/suite/spy.hpp>
#include <dlcert/suite/trace.hpp>

namespace dlcert {

namespace {

Can needed_for(Route route) {
  switch (route) {
    case Route::managed:
      return Can::import_managed;
    case Route::producer:
      return Can::import_from;
    case Route::capsule:
      return Can::import_capsule;
  }
  return Can::any_import;
}

bool takes(const Party& consumer, Route route, const TensorSpec& spec, Form form) {
  const TraceAside aside;  // a trial is no part of the case that is being described
  const auto count = static_cast<std::size_t>(spec.element_count());
  const auto offer = make_offer(spec, Bytes(count * logical_item_size(spec.dtype)), form);
  try {
    Import trial{consumer, *offer, route};
    const bool accepted = trial.accepted();
    trial.finish();
    return accepted;
  } catch (const NotFormable&) {
    return false;
  }
}

std::vector<Form> try_forms(const Party& consumer, Route route) {
  std::vector<Form> taken;
  const std::optional<TensorSpec> spec = plain_spec(consumer);
  if (!spec) return taken;
  for (const Form form : {Form::versioned, Form::legacy})
    if (takes(consumer, route, *spec, form)) taken.push_back(form);
  return taken;
}

}  // namespace

std::string_view to_text(Route route) {
  switch (route) {
    case Route::managed:
      return "bare managed tensor";
    case Route::producer:
      return "object with dlpack()";
    case Route::capsule:
      return "capsule";
  }
  return "";
}

bool has_route(const Party& consumer, Route route) {
  return consumer.offers(static_cast<Needs>(needed_for(route)));
}

std::vector<Route> routes(const Party& consumer) {
  std::vector<Route> found;
  for (const Route route : {Route::managed, Route::producer, Route::capsule})
    if (has_route(consumer, route)) found.push_back(route);
  return found;
}

Route draw_route(Draw& draw, const Party& consumer) {
  return draw.one_of(routes(consumer));
}

std::vector<Form> forms(const Party& consumer, Route route) {
  // Every adapter's table lives as long as the process calls it.
  static std::mutex mutex;
  static std::map<std::pair<const dlcert_adapter*, Route>, std::vector<Form>> known;
  const auto key = std::pair{&consumer.table(), route};
  {
    const std::lock_guard lock{mutex};
    if (const auto found = known.find(key); found != known.end()) return found->second;
  }
  std::vector<Form> found = try_forms(consumer, route);
  const std::lock_guard lock{mutex};
  return known.try_emplace(key, std::move(found)).first->second;
}

Form draw_form(Draw& draw, const Party& consumer, Route route) {
  const std::vector<Form> taken = forms(consumer, route);
  return draw.one_of(taken.empty() ? std::vector{Form::versioned} : taken);
}

}  // namespace dlcert
