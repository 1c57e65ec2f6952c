// SPDX-License-Identifier: Apache-2.0
#include "side_by_side.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dlcert {
namespace {

TEST(SideBySide, TellsTheResultOfEachPiece) {
  std::set<std::pair<std::size_t, std::string>> told;
  side_by_side(
      20, [](std::size_t piece) { return std::string(piece * 10'000, 'x'); },
      [&](std::size_t piece, const std::string& text) {
        told.emplace(piece, std::to_string(text.size() / 10'000));
      });
  EXPECT_EQ(told.size(), 20u);
  for (const auto& [piece, size] : told)
    EXPECT_EQ(std::to_string(piece), size);
}

TEST(SideBySide, KeepsWhatAPieceDoesToItsProcessFromTheOthers) {
  std::set<std::string> told;
  side_by_side(
      4,
      [](std::size_t) {
        const std::string before = getenv("DLCERT_PIECE") == nullptr ? "unset" : "set";
        setenv("DLCERT_PIECE", "set", 1);
        return before;
      },
      [&](std::size_t, const std::string& text) { told.insert(text); });
  EXPECT_EQ(told, std::set<std::string>{"unset"});
  EXPECT_EQ(getenv("DLCERT_PIECE"), nullptr);
}

TEST(SideBySide, DoesNotWaitForOnePieceBeforeItStartsAnother) {
  std::vector<std::size_t> order;
  side_by_side(
      2,
      [](std::size_t piece) {
        std::this_thread::sleep_for(std::chrono::milliseconds{piece == 0 ? 500 : 0});
        return std::string{};
      },
      [&](std::size_t piece, const std::string&) { order.push_back(piece); });
  EXPECT_EQ(order, (std::vector<std::size_t>{1, 0}));
}

std::string thrown_by(const std::function<std::string(std::size_t)>& work) {
  try {
    side_by_side(3, work, [](std::size_t, const std::string&) {});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(SideBySide, ThrowsWhatAPieceThrows) {
  EXPECT_EQ(thrown_by([](std::size_t piece) -> std::string {
              if (piece == 1) throw std::runtime_error{"no such module"};
              return {};
            }),
            "no such module");
}

TEST(SideBySide, TakesNoPieceForDoneThatEndedItsProcess) {
  EXPECT_EQ(thrown_by([](std::size_t) -> std::string { ::abort(); }), "ended by SIGABRT");
}

}  // namespace
}  // namespace dlcert
