internal import Accounts
internal import HTTPServer
internal import Network

/// The bytes that were counted against the limit of a guest's network before the guest's call wrote documents.
struct WriteVolume: Sendable {
    /// The address of the guest's client, whose network the bytes count for; `nil` for calls that are not counted:
    /// those of other users, and those that only delete.
    let client: IPAddress?
    /// The counted bytes; 0 without a client.
    let bytes: Int
}

/// The result of a document write, with its counted volume.
struct CountedDocuments: Sendable {
    let written: WrittenDocuments
    let volume: WriteVolume
}

extension Services {
    /// Refuses a call that does more than delete while disk space is low, and counts the bytes of a guest's call
    /// against the network of the guest's client.
    ///
    /// The token tells whether the user is a guest: linking ends the sessions of the guest, and thereby such tokens.
    ///
    /// - Returns: the counted bytes; 0 without a client if the call only deletes, or if the user is not a guest.
    /// - Throws: ``Refusal`` STORAGE_LOW, TOO_MANY_ATTEMPTS_TRY_LATER.
    func volume(_ writes: [DocumentWrite], of token: PresentedToken, _ request: Request) throws -> WriteVolume {
        let bytes = writes.reduce(0) { $0 + ($1.newBytes ?? 0) }
        // Deletions free space.
        guard writes.contains(where: { $0.newBytes != nil }) else { return WriteVolume(client: nil, bytes: 0) }
        try storageReserve.checkDocuments()
        guard token.provider == .anonymous else { return WriteVolume(client: nil, bytes: 0) }
        let client = request.clientAddress
        try limiters.guestVolume.use(bytes, by: client, at: clock())
        return WriteVolume(client: client, bytes: bytes)
    }

    /// Counts the bytes of a guest's call that were not counted before it, because the size of a patched document is
    /// known only afterwards.
    ///
    /// Counts them even beyond the limit. Does nothing for calls without a client, and if there are no more bytes.
    func countFurtherBytes(of counted: CountedDocuments) {
        let more = counted.written.bytes - counted.volume.bytes
        if let client = counted.volume.client, more > 0 { limiters.guestVolume.add(more, by: client, at: clock()) }
    }
}

extension DocumentWrite {
    /// The number of bytes that the write stores at least: 2, an empty object, for a merge patch; `nil` for a deletion.
    fileprivate var newBytes: Int? {
        switch change {
        case .set(let content): content.utf8.count
        case .patch: 2
        case .delete: nil
        }
    }
}
