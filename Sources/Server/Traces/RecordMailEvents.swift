internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Mail

/// `POST /v1/projects/{project}/mail:events`: records that e-mails were not delivered, as a provider of e-mail reports
/// it to the operator's own program.
///
/// Only the administrator's key may call it. An event counts only with the Message-ID of an e-mail of this server.
struct RecordMailEvents: WritingEndpoint {
    /// The maximum number of events of a call.
    private static let mostEvents = 1000

    struct Input: Sendable {
        /// The events in order; `nil` for one whose Message-ID is not of this server.
        let bounces: [Bounce?]
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        guard try services.checkAdministrator(call, changing: true).kind == .key else {
            throw services.insufficientPermission(
                "Only the administrator's key may report e-mail events.",
                call.request
            )
        }
        let body = try RequestBody(call.request)
        try body.refuseUnknown(besides: ["events"])
        guard let events = try body.objects("events"), !events.isEmpty, events.count <= Self.mostEvents else {
            throw RequestError.schema("/events must be an array of 1 to \(Self.mostEvents) objects")
        }
        return Input(bounces: try events.map(bounce))
    }

    private func bounce(_ event: RequestBody) throws -> Bounce? {
        try event.refuseUnknown(besides: ["type", "messageId", "status", "recipient", "detail"])
        guard try event.string("type") == "failed" else { throw RequestError.schema("/events/type must be \"failed\"") }
        guard let text = try event.nonEmptyString("messageId", limit: 998) else {
            throw RequestError.schema("/events/messageId must be the Message-ID of the e-mail")
        }
        guard let status = try event.nonEmptyString("status", limit: 11), DeliveryReport.isStatus(status) else {
            throw RequestError.schema("/events/status must be a status such as \"5.1.1\"")
        }
        let recipient = try event.nonEmptyString("recipient", limit: 320)
        if let recipient, (try? EmailAddress(parsing: recipient)) == nil {
            throw RequestError.schema("/events/recipient must be an e-mail address")
        }
        let detail = try event.nonEmptyString("detail", limit: 1000)
        guard let id = MessageID(parsing: text), try services.flows.isMessageProof(id.proof, of: id.mail) else {
            return nil
        }
        return services.flows.bounce(id.mail, status, [recipient].compactMap(\.self), detail)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> [BounceOutcome] {
        try input.bounces.map { bounce in
            try bounce.map { try services.flows.record($0, in: transaction) } ?? .unknown
        }
    }

    func committed(_ outcomes: [BounceOutcome], of call: CallContext) {
        let counts = Dictionary(grouping: outcomes) { $0 }.mapValues { JSONValue.number(JSONNumber(Int64($0.count))) }
        services.logger(
            "mail.events",
            ("traced", counts[.traced] ?? 0),
            ("suppressed", counts[.suppressed] ?? 0),
            ("repeated", counts[.repeated] ?? 0),
            ("unknown", counts[.unknown] ?? 0)
        )
    }

    func render(_ outcomes: [BounceOutcome]) throws -> Response {
        var json = JSONWriter(capacity: 32 + 32 * outcomes.count)
        json.beginObject()
        json.beginArray("events")
        for outcome in outcomes {
            json.beginObject()
            json.member("outcome", outcome.rawValue)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return .json(json.bytes)
    }
}
