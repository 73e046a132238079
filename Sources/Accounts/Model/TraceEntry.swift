/// The events of a requested e-mail, by the names under which the trace stores them.
package enum TraceEvent: String, Sendable, CaseIterable {
    /// The e-mail was put in the outbox.
    case queued
    /// A limit refused the request; the detail is the limit's name.
    case refused
    /// A block list or an allow list of the operator stopped the e-mail; the detail is what matched.
    case blocked
    /// The address is a review address, which gets no e-mail.
    case review
    /// The relay accepted the e-mail; the detail is its reply.
    case sent
    /// An attempt failed and another one follows; the detail is the relay's reply, or what went wrong.
    case postponed
    /// The e-mail was given up; the detail is the relay's reply, or the reason.
    case failed
    /// The e-mail was not sent, because its address is suppressed.
    case suppressed
    /// The e-mail was dropped, because the sign-in was no longer waiting.
    case moot
    /// The link was opened; the detail says whether that looks like a scanner.
    case opened
    case approved
    /// The owner of the mailbox answered that they did not make the request.
    case denied
    /// Wrong digits or wrong codes ended the request; the detail says which.
    case ended
    /// The request signed its user in; the detail is `link`, `code` or `approval`.
    case redeemed
    /// The link changed the account as its e-mail said.
    case applied
    /// A report said that the e-mail was not delivered; the detail is the status and the diagnosis.
    case bounced
    /// An operator or administrator ended the suppression of the address.
    case allowed

    /// The detail of ``opened`` for a link that probably no person opened.
    package static let scanner = "scanner"
}

/// One event of a requested e-mail, as the trace stores it.
///
/// It contains no address.
package struct TraceEntry: Sendable, Equatable {
    /// When the event happened, in milliseconds since 1970; `nil` for the time of the transaction that writes it.
    package var at: Int64?
    package var event: TraceEvent
    /// The id of the ticket of a sign-in e-mail, otherwise the e-mail's own.
    package var request: String
    /// The id of the e-mail, as in the outbox; `nil` if there is none, or the event is not about one e-mail.
    package var mail: String?
    /// The keyed hash of the recipient (``AccountFlows/suppressionKey(of:)``), on the first event of a request or of
    /// an e-mail.
    package var address: String?
    /// The UID of the user whose session asked, or who signed in.
    package var uid: String?
    package var kind: MailKind?
    /// The description of the device, for people.
    package var device: String?
    /// The label of the device's network: equal for equal networks.
    package var network: String?
    package var detail: String?
    /// How often the event happened.
    package var occurrences: Int64

    /// Makes an entry from its parts.
    package init(
        _ event: TraceEvent,
        of request: String,
        mail: String? = nil,
        address: String? = nil,
        uid: String? = nil,
        kind: MailKind? = nil,
        device: String? = nil,
        network: String? = nil,
        detail: String? = nil,
        occurrences: Int64 = 1,
        at: Int64? = nil
    ) {
        self.event = event
        self.request = request
        self.mail = mail
        self.address = address
        self.uid = uid
        self.kind = kind
        self.device = device
        self.network = network
        self.detail = detail
        self.occurrences = occurrences
        self.at = at
    }

    /// Makes an entry of an event that a device caused.
    package init(
        _ event: TraceEvent,
        of request: String,
        mail: String? = nil,
        by device: TracedDevice,
        detail: String? = nil,
        at: Int64? = nil
    ) {
        self.init(
            event,
            of: request,
            mail: mail,
            uid: device.uid,
            device: device.name,
            network: device.network,
            detail: detail,
            at: at
        )
    }
}

/// A device that asks for an e-mail or answers its link, as the trace describes it.
package struct TracedDevice: Sendable, Equatable {
    /// The UID of the user whose session asks; `nil` without one.
    package var uid: String?
    /// The description for people; `nil` if unknown.
    package var name: String?
    /// The label of the network; `nil` if unknown.
    package var network: String?

    /// Makes a description from its parts.
    package init(uid: String? = nil, name: String? = nil, network: String? = nil) {
        self.uid = uid
        self.name = name?.isEmpty == true ? nil : name
        self.network = network
    }
}

/// A link that was opened, for the trace.
package struct LinkOpening: Sendable, Equatable {
    /// The id of the link's action code.
    package let code: String
    package let device: TracedDevice
    /// Whether a program probably opened it, such as the scanner of a mail server.
    package let looksLikeScanner: Bool

    /// Makes a description from its parts.
    package init(code: String, device: TracedDevice, looksLikeScanner: Bool) {
        self.code = code
        self.device = device
        self.looksLikeScanner = looksLikeScanner
    }
}

/// A request for an e-mail with everything that happened to it, oldest first.
package struct TracedRequest: Sendable, Equatable {
    /// The id of the ticket of a sign-in e-mail, otherwise the e-mail's own.
    package let request: String
    /// The place in the trace: pages continue before it.
    package let position: Int64
    package let events: [TraceEntry]

    /// Makes a request from its parts.
    package init(request: String, position: Int64, events: [TraceEntry]) {
        self.request = request
        self.position = position
        self.events = events
    }
}

/// Whose requests the trace is searched for.
package enum TraceSubject: Sendable, Equatable {
    /// A mailbox, by the keyed hashes of its address under all secrets.
    case address([String])
    /// A user: what their sessions asked for, what signed them in, and what went to their addresses.
    case user(String, addresses: [String])
    /// One request, by its ticket or an e-mail of it.
    case request(String)
}
