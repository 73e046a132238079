package import Tokens

/// What has become of the request that a sign-in link belongs to.
///
/// The raw values are those of the API.
package enum SignInLinkState: String, Sendable {
    /// The link works, and the sign-in was not approved yet.
    case waiting
    /// The sign-in was approved on the link's page; the device that asked has not collected it yet.
    case approved
    /// The request was redeemed, by a link, its code or its approval.
    case used
    /// The request was stopped by a denial, by wrong digits or by wrong codes.
    case ended
    /// The link has expired, and its page offers a new e-mail.
    case expired
}

/// What the holder of a sign-in link learns of its request without using the link.
package struct SignInLinkDescription: Sendable, Equatable {
    /// The ticket's id, which is public.
    package let requestID: String
    /// The address that the link signs in, such as `a***@example.com`.
    package let maskedEmail: String
    /// The name of the device that asked; `nil` if the request did not reveal it.
    package let device: String?
    /// The approximate location of the device that asked; `nil` if no proxy provided it.
    package let place: String?
    /// When the sign-in was requested, in milliseconds since 1970.
    package let requestedAt: Int64
    package let state: SignInLinkState
    /// The language of the e-mail and its pages.
    package let locale: String
}

extension AccountFlows {
    /// Describes the request of a sign-in link, for an app that did not ask for the link.
    ///
    /// Writes nothing, and reads the ticket only.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE if there is no such sign-in link, or a new e-mail replaced it.
    package func describe(_ code: ActionCode, in store: some AccountStore) throws -> SignInLinkDescription {
        guard let ticket = try signInTicket(of: code, in: store) else { throw Refusal(.invalidOobCode) }
        return SignInLinkDescription(
            requestID: ticket.id,
            maskedEmail: EmailAddress.masked(ticket.email),
            device: ticket.asking.name.isEmpty ? nil : ticket.asking.name,
            place: ticket.asking.place,
            requestedAt: ticket.createdAt,
            state: state(of: code, of: ticket, at: store.now),
            locale: ticket.asking.locale
        )
    }

    /// Returns the state of a sign-in link.
    ///
    /// - Parameters:
    ///   - code: the link's code.
    ///   - ticket: the ticket that the link belongs to.
    ///   - now: milliseconds since 1970.
    func state(of code: ActionCode, of ticket: Ticket, at now: Int64) -> SignInLinkState {
        switch ticket.state {
        case .spent: .used
        case .ended: .ended
        case .open: isExpired(code, of: ticket, at: now) ? .expired : .waiting
        case .approved: isExpired(code, of: ticket, at: now) ? .expired : .approved
        }
    }
}
