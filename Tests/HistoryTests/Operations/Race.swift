import Accounts
import Tokens

extension OperationMix {
    /// Operations of few kinds that all concern one user, one ticket and one address, so that they meet.
    struct Race: Sendable {
        let kinds: [Kind]
        let focus: Focus

        /// Kinds that decide on the same rows, from the table of isolation in docs/architecture.md.
        private static let rivals: [[Kind]] = [
            [refresh, signOut, endOfSession, update, changeByAdministrator],
            [refresh, merge, deletion, signInsRecorded],
            [documentWrite, merge, deletion, documentList],
            [documentWrite, signOut, endOfSession, cleanUp, changeByAdministrator],
            [linkRequest, linkRequest, resend, denial],
            [linkRequest, erasure, signInsRecorded],
            [linkRedemption, linkRedemption, redemptionInApp, approval],
            [linkRedemption, denial, resend, mailSent],
            [linkRedemption, update, changeByAdministrator, revocation],
            [linkRedemption, revocation, refresh],
            [linkRedemption, deletion, merge, provider],
            [linkRedemption, linkRedemption, provider, creation, changeByAdministrator],
            [linkRedemption, linkRedemption, revocation],
            [linkRedemption, linkByAdministrator, administrators],
            [signInsRecorded, signInsRecorded, endOfSession, linkRedemption, refresh],
            [signInsRecorded, deletion, erasure, update],
            [signUp, cleanUpSwitched, cleanUp],
            [signUp, signUp, cleanUpSwitched, cleanUp],
            [provider, provider, update],
            [customToken, creation, deletion],
            [keyedSignUp, deletion, cleanUp],
            [username, merge, deletion],
            [code, update, codeRequest, changeByAdministrator],
        ]

        /// Returns the race of some operations that run at once, or `nil` if they are of all kinds and about anything.
        ///
        /// - Parameters:
        ///   - mix: the mix, with what clients know now.
        ///   - place: the number of the first operation.
        init?(of mix: OperationMix, _ place: Int) {
            var numbers = SeededNumbers(mix.seed, -9000 - place)
            guard numbers.chance(80) else { return nil }
            let drawn = numbers.chance(80) ? numbers.pick(Self.rivals) : nil
            kinds = drawn ?? (0..<2).compactMap { _ in numbers.pick(OperationMix.kinds) }
            focus = Focus(mix.known, place, &numbers)
        }
    }
}

/// What all operations of a race concern.
struct Focus: Sendable {
    let uid: String?
    let ticket: KnownTicket?
    let code: ActionCode?
    let email: String
    let chosenUID: String?
    /// The beginning of the ids of persons at identity providers; `nil` for those of all operations.
    let subjects: String?

    init(_ known: Known, _ place: Int, _ numbers: inout SeededNumbers) {
        ticket = known.ticket(&numbers, for: nil)
        let owner = ticket.flatMap { known.owner(of: $0.ticket.email) }
        uid = numbers.chance(70) ? owner ?? known.uid(&numbers) : known.uid(&numbers)
        code = known.code(&numbers)
        // No user has a new address, UID or provider id yet, so several operations compete to be the first.
        let new = numbers.chance(40) ? "new-\(place)" : nil
        email =
            (numbers.chance(60) ? ticket?.ticket.email : nil) ?? new.map { "\($0)@example.com" }
            ?? numbers.pick(OperationMix.emails) ?? ""
        chosenUID = new
        subjects = new
    }
}
