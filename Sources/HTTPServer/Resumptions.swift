internal import Glibc

/// Suspended connections that one thread resumes together.
///
/// A connection that is resumed wakes its serving thread. A thread that completes many requests at once, such as those of
/// a shared commit, would wake the serving threads again and again, and each would fall asleep in between.
package final class Resumptions {
    private var connections: [(sleepers: Sleepers, handle: ConnectionHandle)] = []

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    private init() {}

    /// Runs a closure, and then resumes the connections whose requests the closure has completed on this thread.
    ///
    /// Calls must not be nested.
    package static func together(_ body: () -> Void) {
        let gathered = Resumptions()
        unsafe pthread_setspecific(key, Unmanaged.passUnretained(gathered).toOpaque())
        body()
        pthread_setspecific(key, nil)
        for (sleepers, handle) in gathered.connections { sleepers.resume(handle) }
    }

    /// Keeps a connection until the end of ``together(_:)``.
    ///
    /// - Returns: false if the thread is not in that call, so that the connection must be resumed now.
    static func keep(_ handle: ConnectionHandle, of sleepers: Sleepers) -> Bool {
        guard let pointer = unsafe pthread_getspecific(key) else { return false }
        // The object lives until the end of `together`.
        unsafe Unmanaged<Resumptions>.fromOpaque(pointer).takeUnretainedValue().connections.append((sleepers, handle))
        return true
    }
}
