// SPDX-License-Identifier: Apache-2.0
//
// The rules of order, taken literally and without any thought of speed: every operation is a node,
// every rule an edge, and what happens before what is whatever a path leads to. Shares nothing with
// the simulated driver.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace dlcert::driver {

class OrderOracle {
 public:
  using Node = std::size_t;
  using StreamKey = int;  // chosen by the caller, one per stream

  struct StreamRule {
    int device = 0;
    bool legacy = false;
    bool blocking = false;
  };

  // Which of the host's threads does what follows. Each knows only what it has waited for.
  void act_as(int thread) { thread_ = thread; }

  void add_stream(StreamKey key, StreamRule rule) { streams_[key].rule = rule; }

  // An operation on a stream, after all that the rules put before it.
  Node submit(StreamKey key) {
    const Node node = add_node();
    StreamNodes& stream = streams_.at(key);
    if (!stream.nodes.empty()) edge(stream.nodes.back(), node);
    for (const Node waited : stream.waits)
      edge(waited, node);
    stream.waits.clear();
    for (const auto& [other, its] : streams_) {
      const bool related =
          other != key && its.rule.device == stream.rule.device &&
          ((stream.rule.legacy && its.rule.blocking) || (stream.rule.blocking && its.rule.legacy));
      if (related)
        for (const Node earlier : its.nodes)
          edge(earlier, node);
    }
    stream.nodes.push_back(node);
    edge(host(), node);
    return node;
  }

  // The next operation of the stream comes after `node`.
  void wait(StreamKey key, Node node) { streams_.at(key).waits.push_back(node); }

  // The host has waited for `node`, or for everything of a stream; then it does a step of its own.
  void host_waits(Node node) { host_follows({node}); }
  void host_waits_for_stream(StreamKey key) { host_follows(everything_of(key)); }
  void host_waits_for_device(int device) {
    std::vector<Node> nodes;
    for (const auto& [key, its] : streams_)
      if (its.rule.device == device) nodes.insert(nodes.end(), its.nodes.begin(), its.nodes.end());
    host_follows(nodes);
  }
  Node host_step() {
    host_follows({});
    return host();
  }

  // What a stream consists of when somebody asks whether it is idle.
  std::vector<Node> everything_of(StreamKey key) const {
    const StreamNodes& stream = streams_.at(key);
    std::vector<Node> nodes = stream.nodes;
    if (stream.rule.legacy)
      for (const auto& [other, its] : streams_)
        if (its.rule.blocking && its.rule.device == stream.rule.device)
          nodes.insert(nodes.end(), its.nodes.begin(), its.nodes.end());
    return nodes;
  }

  bool is_before(Node first, Node second) const {
    std::vector<Node> open{second};
    std::vector<bool> seen(before_.size());
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      if (node == first) return true;
      if (seen[node]) continue;
      seen[node] = true;
      open.insert(open.end(), before_[node].begin(), before_[node].end());
    }
    return false;
  }

 private:
  struct StreamNodes {
    StreamRule rule;
    std::vector<Node> nodes;
    std::vector<Node> waits;
  };

  Node add_node() {
    before_.emplace_back();
    return before_.size() - 1;
  }
  void edge(Node first, Node second) { before_[second].push_back(first); }
  void host_follows(const std::vector<Node>& nodes) {
    const Node node = add_node();
    edge(host(), node);
    for (const Node each : nodes)
      edge(each, node);
    host() = node;
  }
  Node& host() { return hosts_[thread_]; }

  std::vector<std::vector<Node>> before_ = {{}};  // node 0: the beginning of every thread
  std::map<int, Node> hosts_;                     // the last of each thread
  int thread_ = 0;
  std::map<StreamKey, StreamNodes> streams_;
};

}  // namespace dlcert::driver
