internal import Glibc

/// The text of a statement as the key of a cache, hashed and compared as bytes.
///
/// The text is that of ``SQL``, with marks for binds, so that a statement can be found without rendering it for the
/// engine.
struct StatementText: Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    static func == (first: StatementText, second: StatementText) -> Bool {
        guard first.bytes.count == second.bytes.count else { return false }
        return unsafe first.bytes.withUnsafeBytes { first in
            unsafe second.bytes.withUnsafeBytes { second in
                guard let one = first.baseAddress, let other = second.baseAddress else { return true }
                return unsafe memcmp(one, other, first.count) == 0
            }
        }
    }

    /// Hashes the length and the end, where statements differ.
    ///
    /// Hashing a whole text takes longer than comparing it once.
    func hash(into hasher: inout Hasher) {
        hasher.combine(bytes.count)
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.suffix(64)))
        }
    }
}
