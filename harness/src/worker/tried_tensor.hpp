// SPDX-License-Identifier: Apache-2.0
//
// What the stages of the preflight share: steps that may be lost, and a read that is watched.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include <dlcert/suite/party.hpp>

#include "worker/misreadings.hpp"
#include "worker/preflight.hpp"

namespace dlcert {

// Ends the trial of one tensor: what was lost, in one line.
struct Lost {
  std::string why;
};

// The value of a call that is to succeed; throws Lost.
template <typename T>
T got(Outcome<T> outcome, std::string_view call) {
  if (!outcome.ok()) throw Lost{fmt::format("{}: refused: {}", call, to_text(outcome.error()))};
  return std::move(outcome).value();
}

// Makes the trial of one tensor; why it was lost, or nothing. Whatever the library throws or
// answers ends that trial alone.
template <typename Trial>
std::optional<std::string> lost_in(const Trial& trial) {
  try {
    trial();
    return std::nullopt;
  } catch (const Lost& lost) {
    return lost.why;
  } catch (const NotFormable&) {
    return "the library cannot form the call";
  } catch (const NotJudged& limit) {
    return limit.limit;
  } catch (const Failure& failure) {
    return failure.message;
  } catch (const std::exception& error) {
    return error.what();
  }
}

// Counts one tensor of a row.
void note_lost(TriedTensors& row, const TensorSpec& spec, const std::string& why);

// Reads the tensor into a buffer of which nothing was written, with room behind it that must stay
// so. Throws Lost; requires Can::read.
Reading read_back(const Party& party, const Tensor& tensor, const TensorSpec& spec,
                  const Bytes& logical);

// Throws Lost unless the reading is what was written.
void expect_right(const Reading& reading, std::string_view after);

// Throws Lost unless the description has the dtype, shape and device of the spec.
void expect_described(const Description& description, const TensorSpec& spec);

}  // namespace dlcert
