// SPDX-License-Identifier: Apache-2.0
//
// Contexts, and the stack of them that each thread has. Source: CUDA Driver API, "Context
// Management" and "Primary Context Management"; CUDA Runtime API, "Interactions with the CUDA
// Driver API".

#include "simulated/world.hpp"

namespace dlcert::driver::simulated {

ContextState& World::primary(int device) {
  return contexts_.at(static_cast<std::uintptr_t>(primaries_[static_cast<std::size_t>(device)]));
}

ContextState* World::find_context(Context context) const {
  return contexts_.find(static_cast<std::uintptr_t>(context));
}

// The stack may hold contexts that have ended: their device is remembered no more.
void World::find_device(ThreadState& thread) {
  if (thread.contexts.empty()) return;
  if (const ContextState* const state = find_context(thread.contexts.back()); state != nullptr)
    thread.device = state->details.device;
}

void World::put_on_top(ThreadState& thread, Context context, bool replaces) {
  if (replaces && !thread.contexts.empty()) thread.contexts.pop_back();
  thread.contexts.push_back(context);
  find_device(thread);
}

void World::use_in_runtime(ThreadState& thread, int device) {
  primary(device).active = primary(device).of_runtime = true;
  put_on_top(thread, primaries_[static_cast<std::size_t>(device)], true);
}

bool World::was_called() {
  const Lock lock{mutex_};
  return called_;
}

// ---- the stack of a thread ----------------------------------------------------------------------

Status World::current_context(Context& out) {
  return call("current_context", [&](Session& session) {
    const std::vector<Context>& contexts = session.thread.contexts;
    out = contexts.empty() ? Context::none : contexts.back();
    return Status::success;
  });
}

Status World::set_current_context(Context context) {
  return call("set_current_context", [&](Session& session) {
    ThreadState& thread = session.thread;
    if (context == Context::none) {
      if (!thread.contexts.empty()) thread.contexts.pop_back();
      find_device(thread);
      return Status::success;
    }
    if (find_context(context) == nullptr) return Status::invalid_context;
    put_on_top(thread, context, true);
    return Status::success;
  });
}

Status World::push_context(Context context) {
  return call("push_context", [&](Session& session) {
    if (find_context(context) == nullptr) return Status::invalid_context;
    put_on_top(session.thread, context, false);
    return Status::success;
  });
}

Status World::pop_context(Context& out) {
  return call("pop_context", [&](Session& session) {
    ThreadState& thread = session.thread;
    if (thread.contexts.empty()) return Status::invalid_context;
    out = thread.contexts.back();
    thread.contexts.pop_back();
    find_device(thread);
    return Status::success;
  });
}

// ---- contexts -----------------------------------------------------------------------------------

Status World::context_details(Context context, ContextDetails& out) {
  return call("context_details", [&](Session&) {
    const ContextState* const state = find_context(context);
    if (state == nullptr || !state->active) return Status::context_is_destroyed;
    out = state->details;
    return Status::success;
  });
}

Status World::set_context_flags(Context context, unsigned int flags) {
  return call("set_context_flags", [&](Session&) {
    ContextState* const state = find_context(context);
    if (state == nullptr || !state->active) return Status::context_is_destroyed;
    state->details.flags = flags;
    return Status::success;
  });
}

Status World::create_context(int device, unsigned int flags, Context& out) {
  return call("create_context", [&](Session& session) {
    if (const Status status = known(device); status != Status::success) return status;
    const ContextDetails details{.device = device, .flags = flags, .id = next_context_id_++};
    out = static_cast<Context>(contexts_.add(
        std::make_unique<ContextState>(ContextState{.details = details, .active = true})));
    put_on_top(session.thread, out, false);
    return Status::success;
  });
}

Status World::destroy_context(Context context) {
  return call("destroy_context", [&](Session& session) {
    const ContextState* const state = find_context(context);
    if (state == nullptr || state->details.primary) return Status::invalid_context;
    for (int device = 0; device < options_.devices; ++device)
      engine_->run_device(device, session.lock);
    std::vector<Context>& own = session.thread.contexts;
    if (!own.empty() && own.back() == context) own.pop_back();
    contexts_.remove(static_cast<std::uintptr_t>(context));
    find_device(session.thread);
    return Status::success;
  });
}

// ---- primary contexts ---------------------------------------------------------------------------

Status World::retain_primary(int device, Context& out) {
  return call("retain_primary", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    ++primary(device).references;
    use(device);
    out = primaries_[static_cast<std::size_t>(device)];
    return engine_->device_error(device);
  });
}

Status World::release_primary(int device) {
  return call(on_memory("release_primary"), [&](Session& session) {
    if (const Status status = known(device); status != Status::success) return status;
    ContextState& state = primary(device);
    if (state.references == 0) return Status::invalid_context;
    if (--state.references == 0 && !state.of_runtime) end_device(session, device);
    return Status::success;
  });
}

Status World::reset_primary(int device) {
  return call("reset_primary", [&](Session& session) {
    if (const Status status = known(device); status != Status::success) return status;
    end_device(session, device);
    return Status::success;
  });
}

Status World::primary_state(int device, unsigned int& flags, bool& active) {
  return call("primary_state", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    flags = primary(device).details.flags;
    active = primary(device).active;
    return Status::success;
  });
}

Status World::set_primary_flags(int device, unsigned int flags) {
  return call("set_primary_flags", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    primary(device).details.flags = flags;
    return Status::success;
  });
}

}  // namespace dlcert::driver::simulated
