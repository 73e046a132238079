import Testing

@testable import Server
@testable import latchkey

/// What the commands of a move from Firebase say to the operator.
@Suite("Texts of a move from Firebase") struct FirebaseReportTests {
    private func report(
        moved: Int64 = 0,
        unrefreshed: Int64 = 0,
        unmoved: Int64 = 0,
        guests: Int64 = 0,
        signUps: Int64 = 0,
        isOff: Bool = false,
        isOver: Bool = false
    ) -> FirebaseReport {
        FirebaseReport(
            phase: isOff || isOver ? "off" : "adopt",
            adoptsSince: "2027-01-01T00:00:00Z",
            offSince: isOff || isOver ? "2027-01-20T00:00:00Z" : nil,
            returnsUntil: isOff || isOver ? "2027-02-19T00:00:00Z" : nil,
            isOver: isOver,
            exchangeUntil: "2027-01-31T00:00:00Z",
            movedUsers: moved,
            movedSessions: moved,
            unrefreshedSessions: unrefreshed,
            unmovedUsers: unmoved,
            unmovedGuests: guests,
            unmovedSessions: unmoved,
            moved: [],
            unmoved: [],
            returning: [],
            asked: [:],
            refused: [:],
            signUpsThisHour: signUps,
            isPaused: false
        )
    }

    @Test func `a change to adopt says that there is no way back, and how many users are to move`() {
        for (count, sentence) in [
            (0, "All known users have moved."), (1, "1 known user has not moved."),
            (2, "2 known users have not moved."),
        ] as [(Int64, String)] {
            let text = report(unmoved: count).consequence(of: "adopt")
            #expect(text.contains(sentence) && text.contains("cannot go back"), "\(text)")
        }
    }

    @Test func `a change to off says who is signed out, in singular and plural`() {
        let none = report(moved: 1).consequence(of: "off")
        #expect(none == "All known users have moved. After 30 days in this phase the move cannot go on.")
        let one = report(unrefreshed: 1, unmoved: 1, guests: 1).consequence(of: "off")
        #expect(one.contains("1 known user has not moved. This user will be signed out, and is a guest, who cannot"))
        #expect(one.contains("1 session that has moved will end too, because its browser still has"))
        let many = report(unrefreshed: 2, unmoved: 3, guests: 2).consequence(of: "off")
        #expect(many.contains("3 known users have not moved. They will be signed out, and 2 of them are guests, who"))
        #expect(many.contains("2 sessions that have moved will end too, because their browsers still have"))
        #expect(report(unmoved: 3, guests: 1).consequence(of: "off").contains("1 of them is a guest"))
    }

    @Test func `the status says until when tokens are accepted, or that they are refused`() {
        #expect(report().lines[1] == "Tokens of Firebase are accepted until 2027-01-31T00:00:00Z.")
        let refused = report(isOff: true).lines[1]
        #expect(refused.contains("refused since 2027-01-20T00:00:00Z"))
        #expect(refused.contains("until 2027-02-19T00:00:00Z"))
    }

    @Test func `a change to pass says how many users stay, in singular and plural`() {
        #expect(report().consequence(of: "pass") == "The calls of the app go to Firebase again.")
        #expect(report(moved: 1).consequence(of: "pass").hasPrefix("1 user has moved and stays here."))
        #expect(report(moved: 2).consequence(of: "pass").hasPrefix("2 users have moved and stay here."))
    }

    @Test func `the status counts in singular and plural, and warns at 80 sign-ups`() {
        let one = report(moved: 1, unrefreshed: 1, unmoved: 1, guests: 1, signUps: 79).lines.joined(separator: "\n")
        #expect(one.contains("Moved: 1 user, 1 session\n") && one.contains("in the browser: 1 session\n"))
        #expect(one.contains("Not moved: 1 user, including 1 guest; at least 1 session") && !one.contains("Warning"))
        let two = report(moved: 2, unmoved: 2, guests: 0, signUps: 80).lines.joined(separator: "\n")
        #expect(two.contains("Moved: 2 users, 2 sessions\n") && !two.contains("in the browser"))
        #expect(two.contains("Not moved: 2 users; at least 2 sessions"))
        #expect(two.contains("Warning: 80 new accounts at Firebase in this hour. Google allows 100"))
    }

    @Test func `a move that is over shows no counts`() {
        let text = report(unmoved: 9, isOver: true).lines.joined(separator: "\n")
        #expect(text.contains("cannot go on") && !text.contains("9"))
    }
}
