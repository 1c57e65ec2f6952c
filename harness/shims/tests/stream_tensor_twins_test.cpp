// SPDX-License-Identifier: Apache-2.0
//
// What one export of each twin does: the correct one neither races nor blocks.

#include "shim_fixture.hpp"
#include "shims/examples/stream_tensor.hpp"

namespace dlcert::shim {
namespace {

TEST_F(ShimTest, AnExportRacesAndBlocksAsItsTwinSays) {
  const stream_tensor::Stream producer{0}, consumer{0};
  stream_tensor::set_current_stream(0, producer.handle());
  const auto tensor = stream_tensor::Tensor::zeros({16}, {kDLFloat, 32, 1}, 0);
  DLManagedTensorVersioned* managed = nullptr;
  const std::vector<Call> trace =
      traced([&] { managed = tensor.export_to({std::bit_cast<std::int64_t>(consumer.handle())}); });
  const driver::SimulatedDriver::Access access{
      driver::AccessKind::read,
      {.begin = std::bit_cast<std::uintptr_t>(managed->dl_tensor.data), .run = 64}};
  ASSERT_EQ(driver_.launch("reader", as_driver_stream(consumer.handle()), {&access, 1}),
            driver::Status::success);
  const auto blocks = std::ranges::count_if(trace, [](const Call& call) { return call.waited; });
  EXPECT_EQ(driver_.take_races().size(), TWIN_RACES);
  EXPECT_EQ(blocks, TWIN_BLOCKS);
  managed->deleter(managed);
  stream_tensor::set_current_stream(0, nullptr);
}

}  // namespace
}  // namespace dlcert::shim
