/* SPDX-License-Identifier: Apache-2.0
 *
 * races HOW...: fills memory on one stream and copies it on another, in functions whose names a
 * report has to show. HOW: "race", "ordered" (an event between them), "twice" (the race of two
 * callers), "again" (the same race three times), "forks" (in a child that ends by _exit), "kernel"
 * (a launch), "missing" (a call without a model), "fails" (ends with 3), "crashes", "waits" (for a
 * signal). */
#include <cuda_runtime_api.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void fills(void* memory, cudaStream_t stream);
void copies(void* memory, cudaStream_t stream);
void copies_elsewhere(void* memory, cudaStream_t stream);

static void expect(cudaError_t status) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "error %d\n", (int)status);
  exit(1);
}

__attribute__((noinline)) void fills(void* memory, cudaStream_t stream) {
  expect(cudaMemsetAsync(memory, 7, 64, stream));
}

__attribute__((noinline)) void copies(void* memory, cudaStream_t stream) {
  static char host[64];
  expect(cudaMemcpyAsync(host, memory, 64, cudaMemcpyDeviceToHost, stream));
}

__attribute__((noinline)) void copies_elsewhere(void* memory, cudaStream_t stream) {
  copies(memory, stream);
  fflush(stdout); /* no tail call */
}

static void run(const char* how) {
  cudaStream_t first = NULL, second = NULL;
  cudaEvent_t event = NULL;
  void* memory = NULL;
  expect(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  expect(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  expect(cudaEventCreate(&event));
  expect(cudaMalloc(&memory, 64));
  const int times = strcmp(how, "again") == 0 ? 3 : 1;
  for (int i = 0; i < times; ++i) {
    fills(memory, first);
    if (strcmp(how, "ordered") == 0) {
      expect(cudaEventRecord(event, first));
      expect(cudaStreamWaitEvent(second, event, 0));
    }
    copies(memory, second);
    expect(cudaDeviceSynchronize());
  }
  if (strcmp(how, "twice") == 0) {
    fills(memory, first);
    copies_elsewhere(memory, second);
  }
  expect(cudaDeviceSynchronize());
}

static void act(const char* how) {
  if (strcmp(how, "forks") == 0) {
    if (fork() == 0) {
      run("race");
      _exit(0);
    }
    wait(NULL);
  } else if (strcmp(how, "missing") == 0) {
    cudaArray_t array = NULL;
    const struct cudaChannelFormatDesc format = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
    (void)cudaMallocArray(&array, &format, 8, 8, 0);
  } else if (strcmp(how, "fails") == 0) {
    exit(3);
  } else if (strcmp(how, "crashes") == 0) {
    raise(SIGSEGV);
  } else if (strcmp(how, "waits") == 0) {
    puts("waiting");
    fflush(stdout);
    pause();
  } else {
    run(how);
  }
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    act(argv[i]);
  return 0;
}
