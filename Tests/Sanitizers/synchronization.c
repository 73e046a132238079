// Tells the thread sanitizer of the locks that it cannot see; loaded before everything else (LD_PRELOAD) by Scripts/test-swift.
//
// A contended Mutex of Swift is taken and given inside libswiftSynchronization and the kernel, and a DispatchSemaphore counts
// inside libdispatch; neither is instrumented. Without a word about it each would be reported as a race of what it protects.
// Suppressions could silence that, but only together with every real race in a closure under some lock.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// The sanitizer's own; absent in other processes that load this.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

static void acquire(void *address) {
    if (__tsan_acquire) __tsan_acquire(address);
}

static void release(void *address) {
    if (__tsan_release) __tsan_release(address);
}

static void *original(_Atomic(void *) *known, const char *name) {
    void *function = atomic_load(known);
    if (!function) atomic_store(known, function = dlsym(RTLD_NEXT, name));
    return function;
}

#define ORIGINAL(name) static _Atomic(void *) known; function next = (function)original(&known, name)
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Synchronization._MutexHandle: the fast paths are atomics in our own, instrumented code, on the same address.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lockSlow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void lockSlow(uint32_t thread, SELF) {
    typedef SWIFT void (*function)(uint32_t, SELF);
    ORIGINAL(LOCK);
    next(thread, self);
    acquire(self);
}

SWIFT bool tryLockSlow(SELF) __asm__(TRY);
SWIFT bool tryLockSlow(SELF) {
    typedef SWIFT bool (*function)(SELF);
    ORIGINAL(TRY);
    bool isLocked = next(self);
    if (isLocked) acquire(self);
    return isLocked;
}

SWIFT void unlockSlow(SELF) __asm__(UNLOCK);
SWIFT void unlockSlow(SELF) {
    typedef SWIFT void (*function)(SELF);
    ORIGINAL(UNLOCK);
    release(self);
    next(self);
}

// dispatch/semaphore.h
intptr_t dispatch_semaphore_signal(void *semaphore) {
    typedef intptr_t (*function)(void *);
    ORIGINAL("dispatch_semaphore_signal");
    release(semaphore);
    return next(semaphore);
}

intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
    typedef intptr_t (*function)(void *, uint64_t);
    ORIGINAL("dispatch_semaphore_wait");
    intptr_t result = next(semaphore, timeout);
    if (result == 0) acquire(semaphore);
    return result;
}
