// SPDX-License-Identifier: Apache-2.0
//
// User objects: references of programs and of graphs. Source: CUDA Runtime API, "Graph Management".

#include <algorithm>
#include <climits>

#include "simulated/world.hpp"

namespace dlcert::driver::simulated {
namespace {

bool is_count(std::uint64_t count) {
  return count != 0 && count <= INT_MAX;
}

// Takes references away. False when there are not so many.
bool drop(UserReferences& from, std::uint64_t count) {
  if (from.count < count) return false;
  from.count -= count;
  if (from.count == 0) from.body.reset();
  return true;
}

}  // namespace

// NULL when nobody holds it any more: to use its handle is undefined then.
UserObjectState* World::find_user_object(UserObject object) const {
  UserObjectState* const found = user_objects_.find(static_cast<std::uintptr_t>(object));
  return found != nullptr && !found->body.expired() ? found : nullptr;
}

Status World::create_user_object(HostFunction destroy, void* data, std::uint64_t count,
                                 UserObject& out) {
  return call("create_user_object", [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    if (destroy == nullptr || !is_count(count)) return Status::invalid_value;
    auto body = std::make_shared<UserObjectBody>(*engine_, destroy, data);
    auto made = std::make_unique<UserObjectState>();
    UserObjectState& state = *made;
    state.body = body;
    out = UserObject{user_objects_.add(std::move(made))};
    state.of_program = {out, std::move(body), count};
    return Status::success;
  });
}

Status World::retain_user_object(UserObject object, std::uint64_t count) {
  return call("retain_user_object", [&](Session&) {
    UserObjectState* const found = find_user_object(object);
    if (found == nullptr || !is_count(count)) return Status::invalid_value;
    found->of_program.body = found->body.lock();
    found->of_program.count += count;
    return Status::success;
  });
}

Status World::release_user_object(UserObject object, std::uint64_t count) {
  return call("release_user_object", [&](Session&) {
    UserObjectState* const found = find_user_object(object);
    if (found == nullptr || !is_count(count)) return Status::invalid_value;
    return drop(found->of_program, count) ? Status::success : Status::invalid_value;
  });
}

Status World::retain_in_graph(Graph graph, UserObject object, std::uint64_t count, bool moves) {
  return call("retain_in_graph", [&](Session&) {
    const auto* const holder = graphs_.find(static_cast<std::uintptr_t>(graph));
    UserObjectState* const found = find_user_object(object);
    if (holder == nullptr || found == nullptr || !is_count(count)) return Status::invalid_value;
    std::shared_ptr<UserObjectBody> body = found->body.lock();
    if (moves && !drop(found->of_program, count)) return Status::invalid_value;
    std::vector<UserReferences>& held = (*holder)->objects;
    const auto known = std::ranges::find(held, object, &UserReferences::object);
    if (known != held.end())
      known->count += count;
    else
      held.push_back({object, std::move(body), count});
    return Status::success;
  });
}

Status World::release_in_graph(Graph graph, UserObject object, std::uint64_t count) {
  return call("release_in_graph", [&](Session&) {
    const auto* const holder = graphs_.find(static_cast<std::uintptr_t>(graph));
    if (holder == nullptr || !is_count(count)) return Status::invalid_value;
    std::vector<UserReferences>& held = (*holder)->objects;
    const auto known = std::ranges::find(held, object, &UserReferences::object);
    if (known == held.end() || !drop(*known, count)) return Status::invalid_value;
    if (known->count == 0) held.erase(known);
    return Status::success;
  });
}

}  // namespace dlcert::driver::simulated
