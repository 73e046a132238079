internal import Tokens

extension AccountFlows {
    /// Redeems the links of several calls that present no session, like ``redeemSignInLink(_:in:)``, in one transaction
    /// that waits for no other.
    ///
    /// - Returns: the outcome of each call, in order; `nil` for a call that must go alone: another transaction or an
    ///   earlier call uses its ticket or address, it counts a wrong address, or more than the ticket and its owner
    ///   change or decide.
    package func redeemSignInLinks(
        _ redemptions: [SignInLinkRedemption],
        in store: some AccountStore
    ) throws -> [Result<Decision<SignedIn>, any Error>?] {
        guard policy.emailLinkSignIn else { return redemptions.map { _ in .failure(Refusal.emailSignInIsOff) } }
        let links = try store.lockedLinks(redemptions.map { (code: $0.code.id.text, email: $0.email.canonical) })
        var tickets: Set<String> = [], addresses: Set<String> = []
        return try store.gathering {
            try zip(redemptions, links).map { redemption, link in
                guard redemption.code.purpose == .emailSignIn else { return .failure(Refusal(.invalidOobCode)) }
                switch link {
                case .missing: return .failure(Refusal(.invalidOobCode))
                case .busy: return nil
                case .locked(let ticket, let owner):
                    let isFirst = tickets.insert(ticket.id).inserted && addresses.insert(ticket.email).inserted
                    guard isFirst else { return nil }
                    do {
                        return try redeem(ticket, owner, redemption, in: store).map { .success(.done($0)) }
                    } catch let refusal as Refusal {
                        return .failure(refusal)
                    }
                }
            }
        }
    }

    /// Redeems one of several links.
    ///
    /// - Returns: the outcome; `nil` for a call that must go alone, for which nothing was written.
    /// - Throws: ``Refusal``, and then nothing was written either.
    private func redeem(
        _ ticket: Ticket,
        _ owner: OwnerOfAddress,
        _ redemption: SignInLinkRedemption,
        in store: some AccountStore
    ) throws -> SignedIn? {
        try check(ticket, redeemedBy: redemption.code, at: store.now)
        guard redemption.email.canonical == ticket.email else { return nil }
        var signedIn: SignedIn
        switch owner {
        case .busy: return nil
        case .missing:
            signedIn = try create(ticket.email, uid: redemption.uid, opening: redemption.opening, in: store)
        case .locked(let user, let identities):
            guard !needsMoreThanOwner(ticket, user, in: store) else { return nil }
            signedIn = try enter(accountOf: user, with: identities, opening: redemption.opening, in: store)
        }
        signedIn.redeemed = RedeemedTicket(id: ticket.id, way: .link)
        try spend(ticket, by: redemption.code.id.text, presentedSID: nil, signedIn: signedIn, in: store)
        return signedIn
    }

    /// Whether a sign-in of an owner changes or decides on more than the owner's row: a takeover, an administrator's
    /// link, or a revocation that is later than the transaction.
    private func needsMoreThanOwner(_ ticket: Ticket, _ owner: User, in store: some AccountStore) -> Bool {
        owner.isUnclaimed || ticket.mintedAt != nil || store.isBefore(revocation: owner.validSince)
    }
}
