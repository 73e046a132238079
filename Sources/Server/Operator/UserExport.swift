internal import AccountDatabase
internal import Accounts
internal import Database
internal import FoundationEssentials
internal import JSON

/// All data of one user as a JSON object, in pieces, without secrets and without other users' data (docs/user-data.md has
/// the schema).
struct UserExport {
    /// The value of the member `format`, which changes with the meaning of the members.
    static let format = "latchkey-user-1"
    /// The maximum number of documents that are in memory at a time, and of the bytes of their contents.
    private static let pageSize = (documents: 500, bytes: 1 << 20)
    /// The number of audit entries that are in memory at a time.
    private static let auditPage: Int64 = 500
    /// The number of requests for e-mails that are in memory at a time.
    private static let tracePage = 100

    let uid: String
    let flows: AccountFlows
    let transaction: Transaction

    /// Writes the object.
    ///
    /// - Parameter write: writes the next piece.
    /// - Returns: whether there is such a user; otherwise nothing was written.
    /// - Throws: what `write` throws, or the error that keeps the database from being read.
    func write(_ write: ([UInt8]) throws -> Void) throws -> Bool {
        guard let overview = try flows.overview(ofUser: uid, in: transaction) else { return false }
        var json = JSONWriter(capacity: 4096)
        json.beginObject()
        json.member("format", Self.format)
        json.member("exportedAt", Timestamp.rfc3339(milliseconds: transaction.now))
        json.members(exporting: overview)
        writeStanding(of: overview.user, to: &json)
        try writeMerges(to: &json)
        json.endObject()
        try write(Array(json.bytes.dropLast()))
        try writeTrace(of: overview.user, write)
        try writeAudit(write)
        try writeRows(write)
        try writeDocuments(write)
        try write([UInt8]("}\n".utf8))
        return true
    }

    /// Writes what an administrator or an operator has done to the account.
    private func writeStanding(of user: User, to json: inout JSONWriter) {
        json.beginObject("standing")
        json.member("disabledAt", user.disabledAt.map(Timestamp.rfc3339))
        json.member("contestedAt", user.contest.map { Timestamp.rfc3339(milliseconds: $0.since) })
        json.member("tokensValidSince", Timestamp.rfc3339(milliseconds: user.validSince * 1000))
        json.endObject()
    }

    private func writeMerges(to json: inout JSONWriter) throws {
        json.beginArray("merges")
        for merge in try transaction.merges(of: uid) {
            json.beginObject()
            json.member("guest", merge.uid)
            json.member("into", merge.targetUID)
            json.member("state", merge.state.rawValue)
            if let report = merge.report { json.member("report", rawJSON: report.utf8) }
            json.endObject()
        }
        json.endArray()
    }

    /// Writes what happened to the e-mails that the user's sessions asked for and that went to the user's addresses, the
    /// newest request first.
    ///
    /// Devices and networks are those of the user's own sessions: strangers may have asked for e-mails to the user's
    /// address, or the user for e-mails to a stranger's. What became of the latter is the stranger's.
    private func writeTrace(of user: User, _ write: ([UInt8]) throws -> Void) throws {
        // An address that was never proven may be a stranger's.
        let own = user.emailVerifiedAt == nil ? [] : try user.email.map(flows.traceKeys) ?? []
        let subject = TraceSubject.user(user.uid, addresses: own)
        try write([UInt8](",\"mailTrace\":[".utf8))
        var separator = Separator()
        var before: Int64?
        repeat {
            let found = try transaction.traces(of: subject, before: before, limit: Self.tracePage)
            for request in found { try write(separator.next(piece(request, own: own))) }
            before = found.count == Self.tracePage ? found.last?.position : nil
        } while before != nil
        try write([UInt8]("]".utf8))
    }

    private func piece(_ request: TracedRequest, own: [String]) -> [UInt8] {
        let isOwn = request.events.contains { event in event.address.map(own.contains) ?? false }
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("request", request.request)
        json.beginArray("events")
        for event in request.events where isOwn || event.uid == uid {
            json.beginObject()
            json.member("at", event.at.map(Timestamp.rfc3339))
            json.member("event", event.event.rawValue)
            json.member("mail", event.mail)
            json.member("kind", event.kind?.rawValue)
            if event.uid == uid {
                json.member("device", event.device)
                json.member("network", event.network)
            }
            json.member("detail", event.detail)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// Writes the audit log's entries about the user, the newest first, without the names of actors, reasons, and details
    /// that may name another user.
    private func writeAudit(_ write: ([UInt8]) throws -> Void) throws {
        var filter = AuditFilter()
        filter.uid = uid
        try write([UInt8](",\"audit\":[".utf8))
        var separator = Separator()
        var before: Int64?
        repeat {
            let page = try flows.auditPage(filter, before: before, limit: Self.auditPage, in: transaction)
            for entry in page.entries {
                var json = JSONWriter(capacity: 256)
                json.beginObject()
                json.member("at", Timestamp.rfc3339(milliseconds: entry.at))
                json.member("event", entry.event)
                if entry.event != AuditEvent.emailChanged.rawValue { json.member("detail", entry.detail) }
                json.member("actor", entry.actor.kind.rawValue)
                json.endObject()
                try write(separator.next(json.bytes))
            }
            before = page.next
        } while before != nil
        try write([UInt8]("]".utf8))
    }

    /// Writes the rows of the operator's tables, by table.
    private func writeRows(_ write: ([UInt8]) throws -> Void) throws {
        try write([UInt8](",\"tables\":{".utf8))
        var current: String?
        try transaction.readRows(of: uid) { table, row in
            var piece: [UInt8] = []
            if table != current {
                piece += [UInt8]((current == nil ? "" : "],").utf8)
                piece += JSONValue.string(table).serialized() + [UInt8](":[".utf8)
                current = table
            } else {
                piece.append(UInt8(ascii: ","))
            }
            var json = JSONWriter(capacity: 512)
            json.beginObject()
            for (column, value) in row { json.member(column, exporting: value) }
            json.endObject()
            try write(piece + json.bytes)
        }
        try write([UInt8]((current == nil ? "}" : "]}").utf8))
    }

    private func writeDocuments(_ write: ([UInt8]) throws -> Void) throws {
        try write([UInt8](",\"documents\":[".utf8))
        var last: DocumentName?, hasMore = true
        while hasMore {
            let page = try transaction.documents(
                of: uid,
                in: nil,
                after: last,
                limit: Self.pageSize.documents,
                maximumBytes: Self.pageSize.bytes
            )
            try write(AccountExport.piece(page.documents, isFirst: last == nil))
            (last, hasMore) = (page.documents.last?.name ?? last, page.hasMore && !page.documents.isEmpty)
        }
        try write([UInt8]("]".utf8))
    }
}

/// The commas between the elements of an array that is written in pieces.
private struct Separator {
    private var isFirst = true

    /// Returns the next element, with the comma before it.
    mutating func next(_ element: [UInt8]) -> [UInt8] {
        defer { isFirst = false }
        return isFirst ? element : [UInt8(ascii: ",")] + element
    }
}

extension JSONWriter {
    /// Writes a value of the operator's tables; real numbers that JSON cannot express become text.
    fileprivate mutating func member(_ name: String, exporting value: ExportedValue) {
        switch value {
        case .null, .otherUser: memberNull(name)
        case .integer(let integer): member(name, integer)
        case .real(let real):
            if real.isFinite { member(name, rawJSON: "\(real)".utf8) } else { member(name, "\(real)") }
        case .text(let text): member(name, text)
        case .bytes(let bytes): member(name, Data(bytes).base64EncodedString())
        case .base64(let text): member(name, text)
        case .json(let text): member(name, rawJSON: text.utf8)
        }
    }
}
