/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that fills memory while it has a lock of its own, as allocators do, and a caller that
 * waits for it. */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <semaphore.h>

#define API __attribute__((visibility("default")))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t has_lock, is_waited_for;

API void prepare(void);
API int fill_with_lock(void* memory, cudaStream_t stream);
API void wait_for_lock(void);

void prepare(void) {
  sem_init(&has_lock, 0, 0);
  sem_init(&is_waited_for, 0, 0);
}

int fill_with_lock(void* memory, cudaStream_t stream) {
  pthread_mutex_lock(&mutex);
  sem_post(&has_lock);
  sem_wait(&is_waited_for);
  const int status = (int)cudaMemsetAsync(memory, 7, 64, stream);
  pthread_mutex_unlock(&mutex);
  return status;
}

void wait_for_lock(void) {
  sem_wait(&has_lock);
  sem_post(&is_waited_for);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
