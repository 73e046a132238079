/// SHA-256 (FIPS 180-4) of many messages with a common prefix, which is hashed once.
///
/// For proof of work on public text. It does not protect its input, so do not use it for secrets.
struct SHA256 {
    private static let blockLength = 64
    private static let initial = SIMD8<UInt32>(
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19
    )
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]

    /// The state after the complete blocks so far.
    private var state = Self.initial
    /// The bytes that do not fill a block yet.
    private var rest: [UInt8] = []
    private var length: UInt64 = 0
    private let constants = Self.constants

    /// Appends bytes to the prefix that all the messages share.
    mutating func append(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            rest.append(byte)
            length &+= 1
            guard rest.count == Self.blockLength else { continue }
            state = compressed(rest[...], state)
            rest.removeAll(keepingCapacity: true)
        }
    }

    /// Returns the digest of the prefix and a message's own suffix, as eight words.
    func digest(appending end: some Collection<UInt8>) -> SIMD8<UInt32> {
        let bits = (length &+ UInt64(end.count)) &* 8
        var padded = rest
        padded.reserveCapacity(2 * Self.blockLength)
        padded += end
        padded.append(0x80)
        while padded.count % Self.blockLength != Self.blockLength - 8 { padded.append(0) }
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        var state = state
        for start in stride(from: 0, to: padded.count, by: Self.blockLength) {
            state = compressed(padded[start..<(start + Self.blockLength)], state)
        }
        return state
    }

    /// Returns a state after one more block (FIPS 180-4, 6.2.2).
    private func compressed(_ block: ArraySlice<UInt8>, _ state: SIMD8<UInt32>) -> SIMD8<UInt32> {
        var words = SIMD16<UInt32>()
        var place = block.startIndex
        for index in 0..<16 {
            words[index] =
                UInt32(block[place]) << 24 | UInt32(block[place + 1]) << 16
                | UInt32(block[place + 2]) << 8 | UInt32(block[place + 3])
            place += 4
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for round in stride(from: 0, to: 64, by: 16) {
            for index in 0..<16 {
                if round > 0 {
                    // The schedule goes round in sixteen words, since none reaches further back.
                    let (early, late) = (words[(index + 1) & 15], words[(index + 14) & 15])
                    let first = Self.rotate(early, 7) ^ Self.rotate(early, 18) ^ early &>> 3
                    let second = Self.rotate(late, 17) ^ Self.rotate(late, 19) ^ late &>> 10
                    words[index] = words[index] &+ first &+ words[(index + 9) & 15] &+ second
                }
                let mixed = Self.rotate(e, 6) ^ Self.rotate(e, 11) ^ Self.rotate(e, 25)
                let first = h &+ mixed &+ (e & f ^ ~e & g) &+ constants[round + index] &+ words[index]
                let turned = Self.rotate(a, 2) ^ Self.rotate(a, 13) ^ Self.rotate(a, 22)
                let second = turned &+ (a & b ^ a & c ^ b & c)
                (h, g, f, e) = (g, f, e, d &+ first)
                (d, c, b, a) = (c, b, a, first &+ second)
            }
        }
        return state &+ SIMD8(a, b, c, d, e, f, g, h)
    }

    private static func rotate(_ word: UInt32, _ bits: UInt32) -> UInt32 { word &>> bits | word &<< (32 &- bits) }
}
