// Tells the thread sanitizer what it can't see of Swift's `Mutex`, and nothing else.
//
// On Linux a mutex is taken and given back by atomic instructions that are compiled into the program, which the
// sanitizer sees, until two threads meet: then the kernel does it (FUTEX_LOCK_PI, FUTEX_UNLOCK_PI), from within
// libswiftSynchronization, which isn't instrumented. What one thread wrote before it then seems to race with what the
// next one reads. These functions stand before the library's own, call them, and tell which thread followed which.
//
// Loaded by LD_PRELOAD; see `run`.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Of the sanitizer's runtime; not there in the processes that only start the tests.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

// Synchronization._MutexHandle._lockSlow(UInt32) -> ()
SWIFT void lock(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT void lock(uint32_t thread, SELF mutex) {
  static SWIFT void (*original)(uint32_t, SELF);
  if (!original) original = (SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK);
  original(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

// Synchronization._MutexHandle._tryLockSlow() -> Bool
SWIFT bool tryLock(SELF mutex) __asm__(TRY_LOCK);
SWIFT bool tryLock(SELF mutex) {
  static SWIFT bool (*original)(SELF);
  if (!original) original = (SWIFT bool (*)(SELF))dlsym(RTLD_NEXT, TRY_LOCK);
  bool isTaken = original(mutex);
  if (isTaken && __tsan_acquire) __tsan_acquire(mutex);
  return isTaken;
}

// Synchronization._MutexHandle._unlockSlow() -> ()
SWIFT void unlock(SELF mutex) __asm__(UNLOCK);
SWIFT void unlock(SELF mutex) {
  static SWIFT void (*original)(SELF);
  if (!original) original = (SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK);
  // Before: afterwards the next thread may have it.
  if (__tsan_release) __tsan_release(mutex);
  original(mutex);
}
