package import Crypto

/// Encrypts values that the database must store but not reveal, such as the private parts of signing keys and queued
/// e-mails.
///
/// Encryption is AES-256-GCM and binds a value to its place: a value sealed for one table, column and row opens nowhere
/// else. Text form: version 1, key id 1, nonce 12, ciphertext, tag 16, as base64url.
package struct Sealer: Sendable {
    private static let version: UInt8 = 1
    private static let headerLength = 2

    private let secrets: ServerSecrets

    /// Creates a sealer that seals under the newest secret and opens under all of them.
    package init(_ secrets: ServerSecrets) {
        self.secrets = secrets
    }

    /// Seals bytes for one place in the database.
    ///
    /// - Throws: `SealError.library` only when OpenSSL fails.
    package func seal(_ bytes: [UInt8], table: String, column: String, row: String) throws(SealError) -> String {
        let header = [Self.version, secrets.newest.keyID]
        do {
            let place = Self.place(header, table, column, row)
            let sealed = try AESGCM.seal(bytes, key: secrets.newest.sealing, associatedData: place)
            return Base64URL.encode(header + sealed)
        } catch {
            throw .library(error)
        }
    }

    /// Seals secret bytes for one place in the database, and wipes the copy that this needs.
    ///
    /// - Throws: `SealError.library` only when OpenSSL fails.
    package func seal(_ secret: SecureBytes, table: String, column: String, row: String) throws(SealError) -> String {
        var bytes = secret.unwipedCopy()
        defer { wipe(&bytes) }
        return try seal(bytes, table: table, column: column, row: row)
    }

    /// Opens a text that was sealed for this place, under any of the secrets.
    ///
    /// - Throws: `SealError`.
    package func open(_ text: String, table: String, column: String, row: String) throws(SealError) -> [UInt8] {
        let bytes = try Self.decoded(text)
        let candidates = secrets.candidates(keyID: bytes[1])
        guard !candidates.isEmpty else { throw .unknownKey(bytes[1]) }
        let place = Self.place(Array(bytes.prefix(Self.headerLength)), table, column, row)
        for secret in candidates {
            if let opened = try Self.open(bytes, place, secret) { return opened }
        }
        throw .forged
    }

    /// Opens a text that was sealed for this place into memory that is wiped after its last use.
    ///
    /// - Throws: `SealError`.
    package func openSecret(
        _ text: String,
        table: String,
        column: String,
        row: String
    ) throws(SealError) -> SecureBytes {
        var bytes = try open(text, table: table, column: column, row: row)
        defer { wipe(&bytes) }
        return SecureBytes(bytes)
    }

    /// Whether a text that was sealed for this place opens under the newest secret; if not, it must be resealed before
    /// older secrets are removed.
    ///
    /// Opens the text to find out: its key ID alone does not tell, because two secrets may share it.
    ///
    /// - Throws: `SealError.malformed`, or `.library` when OpenSSL fails.
    package func isSealedByNewest(
        _ text: String,
        table: String,
        column: String,
        row: String
    ) throws(SealError) -> Bool {
        let bytes = try Self.decoded(text)
        guard bytes[1] == secrets.newest.keyID else { return false }
        let place = Self.place(Array(bytes.prefix(Self.headerLength)), table, column, row)
        return try Self.open(bytes, place, secrets.newest) != nil
    }

    private static func decoded(_ text: String) throws(SealError) -> [UInt8] {
        guard let bytes = Base64URL.decode(text), bytes.first == version,
            bytes.count >= headerLength + AESGCM.nonceLength + AESGCM.tagLength
        else { throw .malformed }
        return bytes
    }

    private static func open(
        _ bytes: [UInt8],
        _ place: [UInt8],
        _ secret: ServerSecret
    ) throws(SealError) -> [UInt8]? {
        do {
            return try AESGCM.open(Array(bytes[headerLength...]), key: secret.sealing, associatedData: place)
        } catch  where error.kind == .authenticationFailed {
            return nil
        } catch {
            throw .library(error)
        }
    }

    /// Returns the associated data: the header and the place, each part with its length, so that different places
    /// differ.
    private static func place(_ header: [UInt8], _ table: String, _ column: String, _ row: String) -> [UInt8] {
        var place = header
        place.append(lengthPrefixed: table)
        place.append(lengthPrefixed: column)
        place.append(lengthPrefixed: row)
        return place
    }
}
