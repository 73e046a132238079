internal import Server

extension FirebaseReport {
    /// Google's limit of new accounts from an address is 100 an hour; from this number on, the status warns.
    private static let manySignUps = 80

    /// Returns what a change of the phase means for users, in sentences.
    ///
    /// - Parameter phase: the new phase: `pass`, `adopt` or `off`.
    func consequence(of phase: String) -> String {
        switch phase {
        case "adopt":
            "Each session at Firebase moves here at its first contact. \(unmovedSentence) "
                + "Users who have moved cannot go back to Firebase."
        case "off":
            [
                unmovedSentence, signedOutSentence, unrefreshedSentence,
                "After 30 days in this phase the move cannot go on.",
            ].filter { !$0.isEmpty }.joined(separator: " ")
        default:
            switch movedUsers {
            case 0: "The calls of the app go to Firebase again."
            case 1: "1 user has moved and stays here. All others go to Firebase again."
            default: "\(movedUsers) users have moved and stay here. All others go to Firebase again."
            }
        }
    }

    /// The lines of `latchkey firebase status`.
    var lines: [String] {
        guard !isOver else {
            return [
                "Phase: \(phase), for more than 30 days",
                "The move cannot go on, and its records are deleted. Remove firebase from the configuration.",
            ]
        }
        var lines = [
            "Phase: \(phase)" + (adoptsSince.map { ", sessions move since \($0)" } ?? ""),
            acceptance,
            "Moved: \(Self.count(movedUsers, "user")), \(Self.count(movedSessions, "session"))",
        ]
        lines += moved.map { "  \($0.uid)  moved \($0.movedAt ?? "")" }
        if unrefreshedSessions > 0 {
            let sessions = Self.count(unrefreshedSessions, "session")
            lines.append("Moved, with Firebase's refresh token still in the browser: \(sessions)")
        }
        let guests = unmovedGuests == 0 ? "" : ", including \(Self.count(unmovedGuests, "guest"))"
        lines.append(
            "Not moved: \(Self.count(unmovedUsers, "user"))\(guests); at least \(Self.count(unmovedSessions, "session"))"
        )
        lines += unmoved.map { "  \($0.uid)  last seen \($0.seenAt ?? "never")" }
        if !returning.isEmpty { lines.append("At Firebase after they moved, so old code of the app still runs:") }
        lines += returning.map { "  \($0.uid)  \($0.refreshedThereAt ?? "")" }
        if !asked.isEmpty { lines.append("Questions to Firebase: \(Self.list(asked))") }
        if !refused.isEmpty { lines.append("Refused: \(Self.list(refused))") }
        if signUpsThisHour >= Self.manySignUps {
            lines.append(
                "Warning: \(signUpsThisHour) new accounts at Firebase in this hour. Google allows 100 from an address, "
                    + "unless you have it raised."
            )
        }
        if isPaused { lines.append("Warning: Firebase does not answer, so it is asked only now and then.") }
        return lines
    }

    /// Whether tokens of Firebase are accepted, and until when that can change.
    private var acceptance: String {
        guard let offSince, let returnsUntil else { return "Tokens of Firebase are accepted until \(exchangeUntil)." }
        return "Tokens of Firebase are refused since \(offSince). The phase adopt can come back until \(returnsUntil)."
    }

    private var unmovedSentence: String {
        switch unmovedUsers {
        case 0: "All known users have moved."
        case 1: "1 known user has not moved."
        default: "\(unmovedUsers) known users have not moved."
        }
    }

    /// What happens to users who have not moved, when their tokens are refused.
    private var signedOutSentence: String {
        switch (unmovedUsers, unmovedGuests) {
        case (0, _): ""
        case (1, 0): "This user will be signed out."
        case (1, _): "This user will be signed out, and is a guest, who cannot sign in again."
        case (_, 0): "They will be signed out."
        case (_, 1): "They will be signed out, and 1 of them is a guest, who cannot sign in again."
        default: "They will be signed out, and \(unmovedGuests) of them are guests, who cannot sign in again."
        }
    }

    private var unrefreshedSentence: String {
        switch unrefreshedSessions {
        case 0: ""
        case 1: "1 session that has moved will end too, because its browser still has Firebase's refresh token."
        default:
            "\(unrefreshedSessions) sessions that have moved will end too, because their browsers still have Firebase's "
                + "refresh token."
        }
    }

    private static func list(_ counts: [String: Int64]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    private static func count(_ count: Int64, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
