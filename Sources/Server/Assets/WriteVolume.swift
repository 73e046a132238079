internal import Accounts
internal import HTTPServer
internal import Network

/// What a call that writes documents was counted with beforehand.
struct WriteVolume: Sendable {
    /// The guest's client; `nil` for calls that are not counted.
    let client: IPAddress?
    /// Bytes that were counted.
    let bytes: Int
}

/// What came of a call that writes documents, with what it was counted with.
struct CountedDocuments: Sendable {
    let written: WrittenDocuments
    let volume: WriteVolume
}

extension Services {
    /// Refuses writes that there is no room for, and counts those of guests against their network.
    ///
    /// A token tells who is a guest: linking ends the sessions of the guest, and with them such tokens.
    ///
    /// - Throws: ``Refusal`` STORAGE_LOW, TOO_MANY_ATTEMPTS_TRY_LATER.
    func volume(_ writes: [DocumentWrite], of token: PresentedToken, _ request: Request) throws -> WriteVolume {
        let bytes = writes.reduce(0) { $0 + ($1.newBytes ?? 0) }
        // Deletions give space back.
        guard writes.contains(where: { $0.newBytes != nil }) else { return WriteVolume(client: nil, bytes: 0) }
        try storageReserve.checkDocuments()
        guard token.provider == .anonymous else { return WriteVolume(client: nil, bytes: 0) }
        let client = request.clientAddress
        try guestVolume.use(bytes, by: client, at: clock())
        return WriteVolume(client: client, bytes: bytes)
    }

    /// Counts what a merge patch stored beyond its own length.
    func count(_ counted: CountedDocuments) -> WrittenDocuments {
        let more = counted.written.bytes - counted.volume.bytes
        if let client = counted.volume.client, more > 0 { guestVolume.add(more, by: client, at: clock()) }
        return counted.written
    }
}

extension DocumentWrite {
    /// How many bytes it stores at least; `nil` for a deletion.
    fileprivate var newBytes: Int? {
        switch change {
        case .set(let content): content.utf8.count
        case .patch: 2
        case .delete: nil
        }
    }
}
