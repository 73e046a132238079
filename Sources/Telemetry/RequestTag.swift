internal import Glibc
internal import Synchronization

/// Tells a request from all others, in its response and in the log.
///
/// The tag of the request that a thread works for is known to the thread (``current``), so that no function needs a
/// parameter for it. Work that continues on another thread takes the tag along: ``run(_:)``.
package struct RequestTag: Sendable, BitwiseCopyable {
    private let number: UInt64
    /// The trace id of a trusted proxy's `traceparent`; 0 for none.
    private var trace: (UInt64, UInt64) = (0, 0)

    /// Makes a tag.
    ///
    /// - Parameters:
    ///   - seed: a random number of the server.
    ///   - request: a number that no other request of the server has.
    package init(seed: UInt64, request: UInt64) {
        // A bijection (splitmix64), so that tags of one server differ, and those of different servers hardly ever meet.
        var mixed = seed &+ request &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        number = mixed ^ (mixed >> 31)
    }

    /// The value of `X-Request-Id`: 13 letters and digits.
    package var id: String {
        // Crockford's base 32. A string of up to 15 bytes needs no memory of its own.
        let digits: StaticString = "0123456789abcdefghjkmnpqrstvwxyz"
        return unsafe String(unsafeUninitializedCapacity: 13) { buffer in
            var rest = number
            for position in stride(from: 12, through: 0, by: -1) {
                unsafe buffer[position] = unsafe digits.utf8Start[Int(rest & 31)]
                rest >>= 5
            }
            return 13
        }
    }

    /// The trace id that a trusted proxy sent with the request, as 32 hexadecimal digits; `nil` without one.
    package var traceID: String? {
        guard trace != (0, 0) else { return nil }
        return Self.hexadecimal(trace.0) + Self.hexadecimal(trace.1)
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    /// Takes over the trace id of a `traceparent`, if the text is one (W3C Trace Context, section 3.2).
    package mutating func follow(_ traceparent: String) {
        let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
        func isHexadecimal(_ part: Substring, _ count: Int) -> Bool {
            part.utf8.count == count
                && part.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
        guard parts.count >= 4, isHexadecimal(parts[0], 2), parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            isHexadecimal(parts[1], 32), isHexadecimal(parts[2], 16), isHexadecimal(parts[3], 2),
            !parts[2].allSatisfy({ $0 == "0" }),
            let high = UInt64(parts[1].prefix(16), radix: 16), let low = UInt64(parts[1].suffix(16), radix: 16)
        else { return }
        trace = (high, low)
    }

    /// The tag of the request that this thread or task works for; `nil` outside of requests.
    package static var current: RequestTag? {
        guard let pointer = unsafe pthread_getspecific(key) else { return ofTask }
        return unsafe pointer.load(as: RequestTag.self)
    }

    /// The tag of the request that this task works for.
    @TaskLocal
    private static var ofTask: RequestTag?

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    /// Runs a closure as work for this request.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let earlier = unsafe pthread_getspecific(Self.key)
        // The thread has the address only while the closure runs.
        return try unsafe withUnsafePointer(to: self) { pointer in
            unsafe pthread_setspecific(Self.key, pointer)
            defer { unsafe pthread_setspecific(Self.key, earlier) }
            return try body()
        }
    }

    /// Runs a closure as work for a request, if there is one.
    package static func run<Result>(_ tag: RequestTag?, _ body: () throws -> Result) rethrows -> Result {
        guard let tag else { return try body() }
        return try tag.run(body)
    }

    /// Runs asynchronous work for a request, if there is one.
    package static func run<Result>(_ tag: RequestTag?, _ work: () async throws -> Result) async rethrows -> Result {
        try await $ofTask.withValue(tag, operation: work)
    }
}
