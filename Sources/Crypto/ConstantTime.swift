internal import COpenSSL

/// Compares bytes in a time that depends only on their count.
///
/// Different counts are unequal.
package func constantTimeEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBufferPointer { left in
        unsafe right.withUnsafeBufferPointer { right in
            unsafe left.isEmpty || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}

/// Compares bytes in a time that depends only on their count.
///
/// Different counts are unequal.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    constantTimeEqual(left.span, right.span)
}

/// Compares secrets in a time that depends only on their count.
///
/// Different counts are unequal.
package func constantTimeEqual(_ left: SecureBytes, _ right: SecureBytes) -> Bool {
    left.withSpan { left in right.withSpan { right in constantTimeEqual(left, right) } }
}

/// Overwrites and empties an array that held a secret, in a way that the compiler may not remove.
///
/// - Warning: Other copies of the array, if any, remain.
package func wipe(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
    }
    bytes.removeAll()
}
