import Accounts
import Database
import Tokens

extension OperationMix {
    /// Operations of few kinds that all concern one user, one ticket and one address, so that they meet.
    struct Race: Sendable {
        let kinds: [Kind]
        let focus: Focus

        private struct Rivals: ExpressibleByArrayLiteral {
            let kinds: [Kind]
            let heldTable: SQL?

            init(_ kinds: [Kind], heldTable: SQL?) {
                self.kinds = kinds
                self.heldTable = heldTable
            }

            init(arrayLiteral kinds: Kind...) { self.init(kinds, heldTable: nil) }
        }

        /// Kinds that decide on the same rows, from the table of isolation in docs/architecture.md.
        private static let rivals: [Rivals] = [
            [refresh, signOut, endOfSession, update, changeByAdministrator],
            [refresh, merge, deletion, signInsRecorded],
            [documentWrite, merge, deletion, documentList],
            [documentWrite, signOut, endOfSession, cleanUp, changeByAdministrator],
            [linkRequest, linkRequest, resend, denial],
            [linkRequest, erasure, signInsRecorded],
            [linkRedemption, linkRedemption, redemptionInApp, approval],
            [linkRedemption, redemptionInApp],
            [linkRedemption, denial, resend, mailSent],
            [linkRedemption, update, changeByAdministrator, revocation],
            [linkRedemption, revocation, refresh],
            [linkRedemption, deletion, merge, provider],
            [linkRedemption, linkRedemption, provider, creation, changeByAdministrator],
            [linkRedemption, linkRedemption, revocation],
            [linkRedemption, linkByAdministrator, administrators],
            [signInsRecorded, signInsRecorded, endOfSession, linkRedemption, refresh],
            [signInsRecorded, deletion, erasure, update],
            // No row that a sign-up waits for exists before its first change.
            Rivals([signUp, cleanUpSwitched, cleanUp], heldTable: "sessions"),
            Rivals([signUp, cleanUpSwitched, cleanUp, cleanUp], heldTable: "sessions"),
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
            kinds = drawn?.kinds ?? (0..<2).compactMap { _ in numbers.pick(OperationMix.kinds) }
            focus = Focus(mix.known, place, heldTable: drawn?.heldTable, &numbers)
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

    /// A table that others may not change for moments, so that transactions wait between their changes; `nil` for none.
    let heldTable: SQL?

    init(_ known: Known, _ place: Int, heldTable: SQL?, _ numbers: inout SeededNumbers) {
        self.heldTable = heldTable
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
