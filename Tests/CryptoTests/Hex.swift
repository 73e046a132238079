/// Parses the hexadecimal text of published vectors, skipping all other characters.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func ascii(_ text: String) -> [UInt8] {
    Array(text.utf8)
}

func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
}

/// Returns every copy of `bytes` with exactly one bit changed.
func oneBitChanged(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.indices.flatMap { index in
        (0..<8).map { bit in
            var changed = bytes
            changed[index] ^= 1 << bit
            return changed
        }
    }
}
