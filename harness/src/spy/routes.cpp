// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

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

// What is known of a form, from trials. One refusal may have a passing reason, such as a shortage
// of memory, so that none is believed for good: the trial is repeated, ever less often.
struct Tried {
  bool taken = false;
  unsigned refusals = 0;
  unsigned believed = 0;  // how many more calls the last refusal answers
};

constexpr unsigned longest_belief = 63;

// By the table, which lives as long as the process calls it, the role, whose claims decide what is
// tried, and the route.
using KnownKey = std::tuple<const dlcert_adapter*, bool, Route, Form>;

std::mutex known_mutex;
std::map<KnownKey, Tried> known_forms;

std::optional<bool> known_to_take(const KnownKey& key) {
  const std::lock_guard lock{known_mutex};
  Tried& tried = known_forms[key];
  if (tried.taken) return true;
  if (tried.believed == 0) return std::nullopt;
  --tried.believed;
  return false;
}

void note_trial(const KnownKey& key, bool taken) {
  const std::lock_guard lock{known_mutex};
  Tried& tried = known_forms[key];
  tried.taken |= taken;
  if (taken) return;
  tried.believed = std::min((1u << std::min(tried.refusals, 31u)) - 1, longest_belief);
  ++tried.refusals;
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
  std::vector<Form> taken;
  std::optional<TensorSpec> spec;
  for (const Form form : {Form::versioned, Form::legacy}) {
    const KnownKey key{&consumer.table(), consumer.is_consuming(), route, form};
    std::optional<bool> takes_it = known_to_take(key);
    if (!takes_it) {
      if (!spec) spec = plain_spec(consumer);
      if (!spec) break;
      takes_it = takes(consumer, route, *spec, form);
      note_trial(key, *takes_it);
    }
    if (*takes_it) taken.push_back(form);
  }
  return taken;
}

Form draw_form(Draw& draw, const Party& consumer, Route route) {
  const std::vector<Form> taken = forms(consumer, route);
  return draw.one_of(taken.empty() ? std::vector{Form::versioned} : taken);
}

}  // namespace dlcert
