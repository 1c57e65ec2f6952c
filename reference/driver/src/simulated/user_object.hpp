// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>

#include "simulated/engine.hpp"

namespace dlcert::driver::simulated {

/// What a program lets graphs keep alive. Its destructor is called on the driver's thread once
/// nobody holds it any more.
class UserObjectBody {
 public:
  UserObjectBody(Engine& engine, HostFunction destroy, void* data) noexcept
      : engine_{engine}, destroy_{destroy}, data_{data} {}
  ~UserObjectBody() { engine_.call_later(destroy_, data_); }
  UserObjectBody(const UserObjectBody&) = delete;
  UserObjectBody& operator=(const UserObjectBody&) = delete;

 private:
  Engine& engine_;
  HostFunction destroy_;
  void* data_;
};

/// References of one holder: of the program, or of a graph.
struct UserReferences {
  UserObject object{};
  std::shared_ptr<UserObjectBody> body = {};
  std::uint64_t count = 0;
};

/// A handle of a program, which stays one as long as anybody holds the object.
struct UserObjectState {
  std::weak_ptr<UserObjectBody> body;
  UserReferences of_program;
};

}  // namespace dlcert::driver::simulated
