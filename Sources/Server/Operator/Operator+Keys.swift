internal import AccountDatabase
internal import Accounts
internal import Database
internal import Tokens

/// The signing keys.
extension Operator {
    /// Returns the published signing keys with their states.
    package func keys() throws -> [SigningKeyReport] {
        try store.database.readNow { transaction in
            let keys = try transaction.signingKeys()
            let signer = keys.last { $0.signsFrom <= transaction.now }?.kid
            return keys.map { SigningKeyReport($0, isSigning: $0.kid == signer) }
        }
    }

    /// Makes a new signing key, which signs tokens from a later time on, and schedules the retirement of the others.
    ///
    /// - Parameter algorithm: `ES256`, `EdDSA` or `RS256`; `nil` for the configured one.
    /// - Returns: the new key.
    /// - Throws: ``SigningKeys/Failure`` for another algorithm, or the error of the database.
    package func rotateKeys(algorithm: String?) throws -> SigningKeyReport {
        let keys = SigningKeys(secrets: store.secrets)
        let name = algorithm ?? configuration.signingAlgorithm
        return try store.database.writeNow { [flows] transaction in
            let key = try keys.rotate(algorithm: name, in: transaction)
            try flows.audit(.keyRotated, detail: key.kid, in: transaction)
            return SigningKeyReport(key, isSigning: false)
        }
    }

    /// Encrypts the signing keys, and the value that checks the secret at the start, again with the newest secret.
    ///
    /// Waiting e-mails stay as they are, because they are short-lived.
    ///
    /// - Returns: the number of keys that were encrypted with an older secret, and of e-mails that still are.
    package func resealKeys() throws -> ResealReport {
        let keys = SigningKeys(secrets: store.secrets)
        let sealer = Sealer(store.secrets)
        return try store.database.writeNow { [store, flows] transaction in
            let count = try keys.reseal(in: transaction)
            try store.resealCheck(in: transaction)
            try flows.audit(.keysResealed, detail: "\(count)", in: transaction)
            let mails = try transaction.waitingPayloads().count { mail in
                try !sealer.isSealedByNewest(mail.payload, table: "outbox", column: "payload", row: mail.mail)
            }
            return ResealReport(keys: count, waitingMails: mails)
        }
    }
}
