internal import Synchronization

/// The header fields of a `Request`.
///
/// The fields are read from libmicrohttpd's memory during the request, because most handlers need few of them or none.
/// They are copied before that memory is freed if the request is still referenced.
final class RequestHead: Sendable {
    private enum Source {
        case live(ConnectionHandle)
        case copied([(name: String, value: String)])
    }

    private let source: Mutex<Source>

    init(live handle: ConnectionHandle) {
        source = Mutex(.live(handle))
    }

    init(headers: [(name: String, value: String)]) {
        source = Mutex(.copied(headers))
    }

    /// Makes the fields independent of the connection.
    func detach() {
        source.withLock { source in
            if case .live(let handle) = source { source = .copied(handle.headers) }
        }
    }

    func first(_ name: String) -> String? {
        source.withLock { source in
            switch source {
            case .live(let handle): handle.header(name)
            case .copied(let headers): headers.first { RequestHead.areSame($0.name, name) }?.value
            }
        }
    }

    var all: [(name: String, value: String)] {
        source.withLock { source in
            switch source {
            case .live(let handle): handle.headers
            case .copied(let headers): headers
            }
        }
    }

    /// Compares field names, ignoring case.
    static func areSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { lowercase($0) == lowercase($1) }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
