// SPDX-License-Identifier: Apache-2.0
//
// Graphs that captures have made, their executables and memory pools.

#include <vector>

#include "shims/cuda_driver/driver_shim.hpp"

namespace {

using dlcert::driver::GraphNode;
using dlcert::driver::NodeInfo;
using dlcert::driver::Pool;
using dlcert::driver::PoolAccess;
using dlcert::driver::PoolAttribute;

constexpr unsigned long long known_flags =
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

Pool pool_of(CUmemoryPool pool) {
  return std::bit_cast<Pool>(pool);
}

}  // namespace

// ---- graphs -------------------------------------------------------------------------------------

extern "C" CUresult cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph,
                                                unsigned long long flags) {
  return run_in_context_for<GraphExec>(out, [&](SimulatedDriver& driver, GraphExec& executable) {
    if ((flags & ~known_flags) != 0) return Status::invalid_value;
    return driver.instantiate_with(std::bit_cast<Graph>(graph),
                                   flags & ~std::uint64_t{CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD},
                                   executable);
  });
}

extern "C" CUresult cuGraphDestroy(CUgraph graph) {
  return run(
      [&](SimulatedDriver& driver) { return driver.destroy_graph(std::bit_cast<Graph>(graph)); });
}

extern "C" CUresult cuGraphExecDestroy(CUgraphExec graph) {
  return run([&](SimulatedDriver& driver) {
    return driver.destroy_graph_exec(std::bit_cast<GraphExec>(graph));
  });
}

extern "C" CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* out, size_t* count) {
  return run([&](SimulatedDriver& driver) {
    std::vector<NodeInfo> found;
    if (count == nullptr) return Status::invalid_value;
    const Status status = driver.graph_nodes(std::bit_cast<Graph>(graph), found);
    if (status != Status::success) return status;
    if (out != nullptr)
      for (std::size_t index = 0; index < *count; ++index)
        out[index] = index < found.size() ? native<CUgraphNode>(found[index].node) : nullptr;
    if (out == nullptr || *count > found.size()) *count = found.size();
    return Status::success;
  });
}

// ---- pools --------------------------------------------------------------------------------------

extern "C" CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* out, CUdevice device) {
  return run_for<Pool>(
      out, [&](SimulatedDriver& driver, Pool& pool) { return driver.default_pool(device, pool); });
}

extern "C" CUresult cuDeviceGetMemPool(CUmemoryPool* out, CUdevice device) {
  return run_for<Pool>(
      out, [&](SimulatedDriver& driver, Pool& pool) { return driver.current_pool(device, pool); });
}

extern "C" CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return run(
      [&](SimulatedDriver& driver) { return driver.set_current_pool(device, pool_of(pool)); });
}

extern "C" CUresult cuMemPoolCreate(CUmemoryPool* out, const CUmemPoolProps* of) {
  return run_for<Pool>(out, [&](SimulatedDriver& driver, Pool& pool) {
    static std::atomic_flag reported;
    if (of == nullptr) return Status::invalid_value;
    const bool of_device = number_of(of->allocType) == CU_MEM_ALLOCATION_TYPE_PINNED &&
                           number_of(of->location.type) == CU_MEM_LOCATION_TYPE_DEVICE;
    if (!of_device || number_of(of->handleTypes) != CU_MEM_HANDLE_TYPE_NONE)
      return dlcert::shim::note_limit(
          "a memory pool that is not of a device, or is for other processes", reported);
    return driver.create_pool(of->location.id, of->maxSize, pool);
  });
}

extern "C" CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return run([&](SimulatedDriver& driver) { return driver.destroy_pool(pool_of(pool)); });
}

extern "C" CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t kept) {
  return run([&](SimulatedDriver& driver) { return driver.trim_pool(pool_of(pool), kept); });
}

namespace {

bool is_int(int attribute) {
  return attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

}  // namespace

extern "C" CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                          void* value) {
  return run([&](SimulatedDriver& driver) {
    const int number = number_of(attribute);
    if (value == nullptr) return Status::invalid_value;
    std::uint64_t wanted = 0;
    if (is_int(number))
      wanted = *static_cast<const int*>(value) != 0 ? 1 : 0;
    else
      wanted = *static_cast<const cuuint64_t*>(value);
    return driver.set_pool_attribute(pool_of(pool), static_cast<PoolAttribute>(number), wanted);
  });
}

extern "C" CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                          void* value) {
  return run([&](SimulatedDriver& driver) {
    const int number = number_of(attribute);
    std::uint64_t found = 0;
    if (value == nullptr) return Status::invalid_value;
    const Status status =
        driver.pool_attribute(pool_of(pool), static_cast<PoolAttribute>(number), found);
    if (status != Status::success) return status;
    if (is_int(number))
      *static_cast<int*>(value) = static_cast<int>(found);
    else
      *static_cast<cuuint64_t*>(value) = found;
    return Status::success;
  });
}

extern "C" CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* given,
                                       size_t count) {
  return run([&](SimulatedDriver& driver) {
    if (given == nullptr && count != 0) return Status::invalid_value;
    for (std::size_t index = 0; index < count; ++index) {
      if (number_of(given[index].location.type) != CU_MEM_LOCATION_TYPE_DEVICE)
        return Status::invalid_value;
      const Status status =
          driver.set_pool_access(pool_of(pool), given[index].location.id,
                                 static_cast<PoolAccess>(number_of(given[index].flags)));
      if (status != Status::success) return status;
    }
    return Status::success;
  });
}

extern "C" CUresult cuMemPoolGetAccess(CUmemAccess_flags* out, CUmemoryPool pool,
                                       CUmemLocation* location) {
  return run_for<PoolAccess>(out, [&](SimulatedDriver& driver, PoolAccess& access) {
    if (location == nullptr || number_of(location->type) != CU_MEM_LOCATION_TYPE_DEVICE)
      return Status::invalid_value;
    return driver.pool_access(pool_of(pool), location->id, access);
  });
}
