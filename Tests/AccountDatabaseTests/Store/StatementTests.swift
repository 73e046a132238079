import Accounts
import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Testing
import Tokens

@testable import AccountDatabase
@testable import Database

@Suite("Store's statements")
struct StatementTests {
    /// One call of each of the store's methods.
    private static let calls: [(method: String, call: @Sendable (Transaction) throws -> Void)] = [
        ("user(_:)", { _ = try $0.user("u") }),
        ("installationGauges(since:)", { _ = try $0.installationGauges(since: 1) }),
        ("mailGauges(upTo:)", { _ = try $0.mailGauges(upTo: 1) }),
        ("user(email:)", { _ = try $0.user(email: "e") }),
        ("insert(_:) User", { try $0.insert(Example.user) }),
        (
            "insertGuests(_:)",
            { transaction in
                let users = try (0..<2).map { _ in User(anonymous: try TokenID.random().text, at: 1) }
                try transaction.insertGuests(
                    try users.map { user in
                        let opening = SessionOpening(sid: try TokenID.random().text, rotates: true)
                        return (user, Session(opening, uid: user.uid, provider: .anonymous, at: 1))
                    }
                )
            }
        ),
        ("update(_:) User", { try $0.update(Example.user) }),
        ("touchUser(_:)", { try $0.touchUser("u") }),
        ("lockedOwner(of:redeeming:)", { _ = try $0.lockedOwner(of: "e", redeeming: "c") }),
        ("lockedTicket(ofCode:)", { _ = try $0.lockedTicket(ofCode: "c") }),
        (
            "lockedLinks(_:)",
            { transaction in
                guard transaction.dialect == .postgreSQL else { return }
                let found = try transaction.lockedLinks([(code: "c", email: "e"), (code: "d", email: "f")])
                #expect(found.count == 2)
            }
        ),
        ("lockTicket(_:ifApproved:)", { for isOnly in [false, true] { try $0.lockTicket("t", ifApproved: isOnly) } }),
        ("assignPrefetchedUsers(to:)", { $0.assignPrefetchedUsers(to: Example.ticket) }),
        ("prefetchUsers(ofTicket:)", { try $0.prefetchUsers(ofTicket: "t") }),
        ("lockedSessionAndUser(_:for:)", { _ = try $0.lockedSessionAndUser("s", for: .refresh) }),
        (
            "exchange(_:by:)",
            { transaction in
                // SQLite has nothing to exchange together.
                guard transaction.dialect == .postgreSQL else { return }
                let tokens = try (1...2).map { RefreshToken(session: try TokenID.random(), generation: $0) }
                let rules = RefreshRules(sessionLife: 1, earliestAuthTime: nil, grace: 1, recordedLife: 1)
                let found = try transaction.exchange(tokens, by: rules)
                #expect(found.count == 2)
            }
        ),
        ("lockGuests()", { try $0.lockGuests() }),
        ("excludeRequests(forAddresses:)", { try $0.excludeRequests(forAddresses: ["a", "b"]) }),
        ("requireAbsence(ofCounters:)", { try $0.requireAbsence(ofCounters: ["a", "b"]) }),
        ("lockUsers(_:)", { try $0.lockUsers(["u", "v"]) }),
        ("renewUsers(_:)", { try $0.renewUsers(["u", "v"]) }),
        ("deleteUser(_:mergedInto:)", { try $0.deleteUser("u", mergedInto: "v") }),
        ("formerUser(_:)", { _ = try $0.formerUser("u") }),
        ("forgetFormerUser(_:)", { try $0.forgetFormerUser("u") }),
        ("userCount()", { _ = try $0.userCount() }),
        ("users(after:limit:)", { _ = try $0.users(after: "u", limit: 2) }),
        (
            "users(_:after:limit:)",
            { transaction in
                for filter in [nil] + UserSearch.Filter.allCases {
                    for text in ["", "ada"] {
                        guard let search = UserSearch(text, filter: filter) else { continue }
                        _ = try transaction.users(search, after: nil, limit: 9)
                    }
                }
            }
        ),
        ("presentUsers(among:)", { _ = try $0.presentUsers(among: ["u", "v"]) }),
        ("formerUsers(among:)", { _ = try $0.formerUsers(among: ["u", "v"]) }),
        ("owners(ofEmails:)", { _ = try $0.owners(ofEmails: ["e", "f"]) }),
        ("owners(ofSubjects:at:)", { _ = try $0.owners(ofSubjects: ["s", "t"], at: "p") }),
        ("identities(ofUsersAfter:through:)", { _ = try $0.identities(ofUsersAfter: "u", through: "v") }),
        ("usernames(ofUsersAfter:through:)", { _ = try $0.usernames(ofUsersAfter: "u", through: "v") }),
        ("endSessions(of:begunBefore:reason:)", { try $0.endSessions(of: "u", begunBefore: 1, reason: .revoked) }),
        ("identities(ofOwnerOf:)", { _ = try $0.identities(ofOwnerOf: "a@example.com") }),
        ("identities(of:)", { _ = try $0.identities(of: "u") }),
        ("deleteIdentity(of:provider:)", { try $0.deleteIdentity(of: "u", provider: "p") }),
        ("linkedIdentities(of:)", { _ = try $0.linkedIdentities(of: "u") }),
        ("deleteIdentity(_:)", { try $0.deleteIdentity(Example.linkedIdentity.identity) }),
        ("restore(_:)", { try $0.restore(Example.linkedIdentity) }),
        ("insert(_:) MethodChange", { try $0.insert(Example.methodChange) }),
        ("methodChanges(of:)", { _ = try $0.methodChanges(of: "u") }),
        ("forgetRemovals(of:)", { try $0.forgetRemovals(of: Example.linkedIdentity.identity) }),
        ("deleteIdentities(of:)", { try $0.deleteIdentities(of: "u") }),
        ("deleteIdentities(of:linkedSince:)", { try $0.deleteIdentities(of: "u", linkedSince: 1) }),
        ("identity(_:at:)", { _ = try $0.identity("s", at: "p") }),
        ("identity(email:)", { _ = try $0.identity(email: "e") }),
        ("spendToken(_:until:)", { _ = try $0.spendToken("d", until: 1) }),
        ("sessionsAndUsers(_:)", { _ = try $0.sessionsAndUsers(["s", #"t",\{}'"#]) }),
        ("identities(ofUsers:)", { _ = try $0.identities(ofUsers: ["u", "v"]) }),
        ("usernames(ofUsers:)", { _ = try $0.usernames(ofUsers: ["u", "v"]) }),
        ("sessionAndUser(_:)", { _ = try $0.sessionAndUser("s") }),
        ("insert(_:) Session", { try $0.insert(Example.session) }),
        ("browserSession(_:)", { _ = try $0.browserSession("b") }),
        ("insert(_:) BrowserSession", { try $0.insert(Example.browserSession) }),
        ("extendBrowserSession(_:to:)", { try $0.extendBrowserSession("b", to: 1) }),
        ("deleteBrowserSession(_:)", { try $0.deleteBrowserSession("b") }),
        ("consoleSession(_:)", { _ = try $0.consoleSession("c") }),
        (
            "insert(_:) ConsoleSession",
            { try $0.insert(ConsoleSession(id: "c", name: "n", openedAt: nil, createdAt: 1, expiresAt: 2)) }
        ),
        ("extendConsoleSession(_:to:)", { try $0.extendConsoleSession("c", to: 1) }),
        ("deleteConsoleSession(_:)", { try $0.deleteConsoleSession("c") }),
        ("listedDocuments(of:after:limit:)", { _ = try $0.listedDocuments(of: "u", after: nil, limit: 9) }),
        ("merges(about:limit:)", { _ = try $0.merges(about: "u", limit: 9) }),
        ("waitingMails(limit:)", { _ = try $0.waitingMails(limit: 9) }),
        ("failedMails(limit:)", { _ = try $0.failedMails(limit: 9) }),
        ("update(_:) Session", { try $0.update(Example.session) }),
        ("endSession(_:of:reason:)", { try $0.endSession("s", of: "u", reason: .signedOut) }),
        ("endSessions(of:except:reason:)", { try $0.endSessions(of: "u", except: "s", reason: .signedOut) }),
        (
            "purgeSessions(after:rows:sessionLife:)",
            { _ = try $0.purgeSessions(after: 0, rows: 1, sessionLife: 1 << 60) }
        ),
        ("deleteSessions(of:)", { try $0.deleteSessions(of: "u") }),
        ("sessions(of:limit:)", { _ = try $0.sessions(of: "u", limit: 9) }),
        (
            "users(among:withMoreSessionsThan:)",
            { _ = try $0.users(among: ["u", "v"], withMoreSessionsThan: 9) }
        ),
        ("endSessions(of:beyond:reason:)", { _ = try $0.endSessions(of: "u", beyond: 9, reason: .limit) }),
        ("ticket(_:)", { _ = try $0.ticket("t") }),
        ("ticket(ofCode:)", { _ = try $0.ticket(ofCode: "c") }),
        ("openTickets(of:limit:)", { _ = try $0.openTickets(of: "e", limit: 9) }),
        ("waitingTickets(_:)", { _ = try $0.waitingTickets(["t", "u"]) }),
        ("insert(_:) Ticket", { try $0.insert(Example.ticket) }),
        ("update(_:from:)", { _ = try $0.update(Example.ticket, from: .open) }),
        ("storeRedemption(of:from:)", { try $0.storeRedemption(of: Example.ticket, from: .open) }),
        (
            "gathering<T>(_:)",
            { transaction in
                guard transaction.dialect == .postgreSQL else { return }
                var user = Example.user
                user.anonymousSince = nil
                try transaction.gathering {
                    for number in 0..<2 {
                        (user.uid, user.email) = ("gathered-\(number)", nil)
                        try transaction.insert(user)
                        try transaction.audit(.userCreated, uid: user.uid, detail: nil, by: .server)
                        var session = Example.session
                        (session.sid, session.uid) = (user.uid, user.uid)
                        try transaction.insert(session)
                    }
                }
            }
        ),
        ("record(_:ofMailFor:endingAfter:)", { try $0.record(.sent, ofMailFor: "t", endingAfter: 1) }),
        ("actionCode(_:)", { _ = try $0.actionCode("c") }),
        ("insert(_:) StoredActionCode", { try $0.insert(Example.actionCode) }),
        ("useActionCode(_:)", { _ = try $0.useActionCode("c") }),
        ("takeoverTime(of:)", { _ = try $0.takeoverTime(of: "u") }),
        ("endActionCodes(of:)", { try $0.endActionCodes(of: "u") }),
        (
            "endActionCodes(of:for:)",
            { try $0.endActionCodes(of: "u", for: [.verifyAndChangeEmail, .revertMethodChange]) }
        ),
        (
            "endActionCodes(of:exceptThoseBefore:andNoticesTo:)",
            { try $0.endActionCodes(of: "u", exceptThoseBefore: 1, andNoticesTo: "e") }
        ),
        ("endActionCodes(of:sparing:)", { try $0.endActionCodes(of: "u", sparing: .recoverEmail) }),
        ("endActionCodes(of:madeBy:)", { try $0.endActionCodes(of: "u", madeBy: 1) }),
        ("usableActionCodes(limit:)", { _ = try $0.usableActionCodes(limit: 1) }),
        ("dropWaitingMails()", { try $0.dropWaitingMails() }),
        ("hasLeasedMail()", { _ = try $0.hasLeasedMail() }),
        ("listeningSessions(_:)", { _ = try $0.listeningSessions(["a", "b", "c"]) }),
        (
            "changes(after:limit:enoughBytes:)",
            {
                let places = (0..<3).map { ChangePlace(uid: "u", number: Int64($0)) }
                _ = try $0.changes(after: places, limit: 2, enoughBytes: 3)
            }
        ),
        ("queue(_:rank:payload:)", { try $0.queue(Example.mail, rank: Example.rank, payload: "p") }),
        ("mails(before:upTo:)", { _ = try $0.mails(before: Example.mail.id, upTo: 2) }),
        (
            "waitingMails(upTo:takingOver:)",
            {
                _ = try $0.waitingMails(upTo: 1, takingOver: false)
                _ = try $0.waitingMails(upTo: 1, takingOver: true)
            }
        ),
        ("wakePostponedMails(limit:)", { try $0.wakePostponedMails(limit: 1) }),
        (
            "leaseMails(_:limit:worker:milliseconds:takingOver:)",
            {
                _ = try $0.leaseMails(.known, limit: 1, worker: "w", milliseconds: 1, takingOver: false)
                _ = try $0.leaseMails(.known, limit: 1, worker: "w", milliseconds: 1, takingOver: true)
            }
        ),
        ("suppress(_:for:)", { try $0.suppress("h", for: 1) }),
        ("suppressions(among:)", { _ = try $0.suppressions(among: ["h", "i"]) }),
        ("recordTrial(of:)", { try $0.recordTrial(of: "h") }),
        ("trace(_:) TraceEntry", { try $0.trace(Example.traceEntry) }),
        ("trace(_:) LinkOpening", { try $0.trace(Example.linkOpening) }),
        (
            "traceOfMails(_:)",
            { for count in 1...2 { try $0.traceOfMails(Array(repeating: Example.traceEntry, count: count)) } }
        ),
        (
            "traceOfUsers(_:)",
            { for count in 1...2 { try $0.traceOfUsers(Array(repeating: Example.traceEntry, count: count)) } }
        ),
        ("traces(of:before:limit:)", { _ = try $0.traces(of: .user("u", addresses: ["h"]), before: 9, limit: 2) }),
        ("deleteTraces(of:)", { _ = try $0.deleteTraces(of: .user("u", addresses: ["h"])) }),
        ("queuedTrace(ofMail:)", { _ = try $0.queuedTrace(ofMail: "m") }),
        ("purgeTraces(limit:life:)", { _ = try $0.purgeTraces(limit: 2, life: 1) }),
        ("endSuppression(of:)", { try $0.endSuppression(of: "h") }),
        ("endSuppression(ofMail:)", { _ = try $0.endSuppression(ofMail: "m") }),
        ("countUse(_:in:)", { try $0.countUse("t", in: 1) }),
        ("waitingPayload(of:)", { _ = try $0.waitingPayload(of: "m") }),
        ("renewMails(_:worker:milliseconds:)", { _ = try $0.renewMails([1, 2], worker: "w", milliseconds: 1) }),
        ("finishMail(_:worker:as:reason:mailbox:)", { _ = try $0.finishMail(1, worker: "w", as: .sent, reason: nil) }),
        ("finishSentMails(_:worker:)", { _ = try $0.finishSentMails([1, 2, 3], worker: "w") }),
        (
            "record(_:ofMailsFor:endingAfter:)",
            { try $0.record(.sent, ofMailsFor: ["t", "u", "v"], endingAfter: 1) }
        ),
        (
            "postponeMail(_:worker:by:isCounted:reason:)",
            { try $0.postponeMail(1, worker: "w", by: 1, isCounted: true, reason: nil) }
        ),
        ("replaceMail(_:worker:payload:)", { try $0.replaceMail(1, worker: "w", payload: "p") }),
        ("retryMail(_:)", { _ = try $0.retryMail("m") }),
        ("outbox(_:limit:after:)", { _ = try $0.outbox(nil, limit: 1, after: "m") }),
        ("outboxEntry(_:)", { _ = try $0.outboxEntry("m") }),
        ("forEachAttempt(_:)", { try $0.forEachAttempt { _ in true } }),
        ("waitingPayloads()", { _ = try $0.waitingPayloads() }),
        ("put(_:) StoredMerge", { try $0.put(Example.merge) }),
        ("merge(_:)", { _ = try $0.merge("m") }),
        ("committedMerge(of:)", { _ = try $0.committedMerge(of: "u") }),
        ("documentCounts(of:)", { _ = try $0.documentCounts(of: "u") }),
        ("documentConflicts(of:with:)", { _ = try $0.documentConflicts(of: "u", with: "v") }),
        ("documentContent(row:)", { _ = try? $0.documentContent(row: 1) }),
        ("setDocumentContent(row:to:)", { try $0.setDocumentContent(row: 1, to: "{}") }),
        ("renameDocument(row:to:)", { try $0.renameDocument(row: 1, to: "n") }),
        ("hasDocument(_:in:of:)", { _ = try $0.hasDocument("n", in: "c", of: ["u", "v"]) }),
        ("deleteDocuments(rows:of:)", { try $0.deleteDocuments(rows: [1, 2], of: "u") }),
        (
            "moveDocuments(from:to:noting:)",
            {
                try $0.execute(
                    """
                    INSERT INTO documents (uid, collection, name, content, bytes, version, created_at, updated_at)
                    VALUES ('uid-1', 'c', 'n', '{}', 2, 1, 0, 0)
                    """
                )
                try $0.moveDocuments(from: "uid-1", to: "uid-1", noting: 9)
            }
        ),
        ("moveUsername(from:to:)", { _ = try $0.moveUsername(from: "u", to: "v") }),
        ("queue(_:) HookMessage", { try $0.queue(Example.hookMessage) }),
        ("recordQuestion(_:)", { try $0.recordQuestion(Example.hookMessage) }),
        ("finishQuestions(of:)", { _ = try $0.finishQuestions(of: "m") }),
        ("hasDueMessage(to:)", { _ = try $0.hasDueMessage(to: "h") }),
        (
            "leaseMessages(to:limit:worker:milliseconds:takingOver:)",
            {
                _ = try $0.leaseMessages(to: "h", limit: 1, worker: "w", milliseconds: 1, takingOver: false)
                _ = try $0.leaseMessages(to: "h", limit: 1, worker: "w", milliseconds: 1, takingOver: true)
            }
        ),
        ("renewMessages(_:worker:milliseconds:)", { _ = try $0.renewMessages([1, 2], worker: "w", milliseconds: 1) }),
        ("finishMessage(_:worker:as:reason:)", { try $0.finishMessage(1, worker: "w", as: .delivered, reason: nil) }),
        (
            "postponeMessage(_:worker:by:isCounted:reason:)",
            { try $0.postponeMessage(1, worker: "w", by: 1, isCounted: true, reason: nil) }
        ),
        ("retryMessage(_:)", { _ = try $0.retryMessage("m") }),
        ("hasHookMessage(_:)", { _ = try $0.hasHookMessage("m") }),
        ("hookMessages(_:limit:after:)", { _ = try $0.hookMessages(nil, limit: 1, after: "d") }),
        ("purgeHookMessages(limit:)", { _ = try $0.purgeHookMessages(limit: 1) }),
        ("prepareMerge(_:of:into:lease:)", { try $0.prepareMerge("m", of: "u", into: "t", lease: 1) }),
        ("cancelMerge(_:reason:)", { _ = try $0.cancelMerge("m", reason: "r") }),
        ("abandonedMerges(limit:)", { _ = try $0.abandonedMerges(limit: 1) }),
        ("document(_:of:)", { _ = try $0.document(Example.document.name, of: "u") }),
        ("documentState(_:of:)", { _ = try $0.documentState(Example.document.name, of: "u") }),
        (
            "documents(of:in:after:limit:maximumBytes:)",
            {
                _ = try $0.documents(of: "u", in: nil, after: nil, limit: 2, maximumBytes: 1)
                _ = try $0.documents(of: "u", in: "c", after: nil, limit: 2, maximumBytes: 1)
            }
        ),
        (
            "count(_:of:)",
            {
                let user = User(anonymous: "counted", at: 1)
                try $0.insert(user)
                _ = try $0.count(DocumentChanges(count: 1), of: user.uid)
            }
        ),
        ("put(_:of:)", { try $0.put(Example.document, of: "counted") }),
        ("deleteDocument(_:of:number:)", { try $0.deleteDocument(Example.document.name, of: "counted", number: 2) }),
        ("deleteChanges(of:through:)", { try $0.deleteChanges(of: "counted", through: 1) }),
        ("count(_:in:)", { _ = try $0.count("n", in: 1000) }),
        ("used(_:in:)", { _ = try $0.used("n", in: 1000) }),
        (
            "raise<Answers>(_:of:unlessKnown:since:beside:)",
            {
                let uses = [CounterUse("n", windowStart: 1), CounterUse("o", windowStart: 1, amount: .oneOfStranger)]
                _ = try $0.raise(uses, of: "a", unlessKnown: "k", since: 1) { _ in }
            }
        ),
        (
            "raise<Answers>(_:since:beside:)",
            { transaction in
                guard transaction.dialect == .postgreSQL else { return }
                let uses = [CounterUse("n", windowStart: 1), CounterUse("o", windowStart: 1, amount: .oneOfStranger)]
                let rises = ["k", "l"].map { CounterRise(uses, of: "a", by: $0) }
                let (raised, _) = try transaction.raise(rises, since: 1) { _ in }
                #expect(raised.known.isEmpty && Set(raised.used.keys) == ["n", "o"])
            }
        ),
        ("giveBack(_:)", { try $0.giveBack(["n": 1, "o": 2]) }),
        ("raise(_:)", { _ = try $0.raise(CounterUse("n", windowStart: 1)) }),
        ("counters(_:)", { _ = try $0.counters(["n", "o"]) }),
        ("restart(_:ifBegunBy:)", { try $0.restart("n", ifBegunBy: 1) }),
        (
            "recordKnownClients(_:)",
            { for count in 1...2 { try $0.recordKnownClients(Array(repeating: Example.knownClient, count: count)) } }
        ),
        ("deleteKnownClients(ofAddresses:)", { try $0.deleteKnownClients(ofAddresses: ["a", "b"]) }),
        ("setting(_:)", { _ = try $0.setting("s") }),
        ("set(_:to:)", { try $0.set("s", to: "v") }),
        ("removeSetting(_:)", { try $0.removeSetting("s") }),
        ("username(of:)", { _ = try $0.username(of: "u") }),
        ("holder(of:)", { _ = try $0.holder(of: Example.username) }),
        ("put(_:) Identity", { try $0.put(Identity(uid: "uid-1", provider: "p", subject: "s")) }),
        ("setUsername(_:of:)", { try $0.setUsername(Example.username, of: "uid-1") }),
        ("releaseUsername(of:)", { try $0.releaseUsername(of: "u") }),
        ("takeLease(_:worker:for:)", { _ = try $0.takeLease(.cleanUp, worker: "w", for: 1) }),
        ("endLease(_:worker:)", { try $0.endLease(.cleanUp, worker: "w") }),
        ("isLeaseFree(_:for:)", { _ = try $0.isLeaseFree(.purge, for: "w") }),
        ("position(of:)", { _ = try $0.position(of: .purge) }),
        ("recordPosition(_:of:worker:)", { try $0.recordPosition(1, of: .purge, worker: "w") }),
        ("needsSweep()", { _ = try $0.needsSweep() }),
        ("dueGuests(limit:)", { _ = try $0.dueGuests(limit: 2) }),
        (
            "scheduleGuests(createdBy:for:limit:)",
            { _ = try $0.scheduleGuests(createdBy: 1, for: 2, limit: 3) }
        ),
        ("postponeCleanup(of:to:)", { try $0.postponeCleanup(of: [1], to: 2) }),
        ("postponeCleanup(of:toLastUsePlus:)", { try $0.postponeCleanup(of: [1], toLastUsePlus: 2) }),
        ("deleteGuests(_:)", { _ = try $0.deleteGuests([Example.dueGuest]) }),
        (
            "countGuests(_:)",
            { transaction in
                for which in [GuestCount.Which.all, .unscheduled(after: 1, by: 2), .scheduled, .due(by: 1)] {
                    var count = GuestCount(which)
                    count.unusedSince = 1
                    count.excludesBusy = true
                    count.excludesBlocked = true
                    _ = try transaction.countGuests(count)
                }
            }
        ),
        ("countBlockedGuests()", { _ = try $0.countBlockedGuests() }),
        ("blockedGuests(limit:)", { _ = try $0.blockedGuests(limit: 1) }),
        ("hasGuests(moreThan:)", { _ = try $0.hasGuests(moreThan: 1) }),
        ("countExchangedSessions(of:)", { _ = try $0.countExchangedSessions(of: "u") }),
        ("adoptedSession(of:authTime:)", { _ = try $0.adoptedSession(of: "u", authTime: 1) }),
        ("adoptedSession(ofToken:)", { _ = try $0.adoptedSession(ofToken: ["d", "e"]) }),
        ("insertAdoptedSession(_:of:authTime:)", { _ = try $0.insertAdoptedSession("s", of: "u", authTime: 1) }),
        ("insertAdoptedToken(_:sid:uid:)", { try $0.insertAdoptedToken("d", sid: "s", uid: "u") }),
        ("firebaseUser(_:)", { _ = try $0.firebaseUser("u") }),
        ("hasSession(_:)", { _ = try $0.hasSession("u") }),
        ("recordFirebaseChange(of:endsSessions:)", { try $0.recordFirebaseChange(of: "u", endsSessions: true) }),
        ("recordFirebaseMove(of:isGuest:)", { try $0.recordFirebaseMove(of: "u", isGuest: true) }),
        (
            "recordFirebaseSightings(_:)",
            { try $0.recordFirebaseSightings([FirebaseSighting(uid: "u", isGuest: nil, at: 1)]) }
        ),
        ("recordFirebaseRefreshes(_:)", { try $0.recordFirebaseRefreshes([(uid: "u", at: 1)]) }),
        ("addFirebaseCount(_:by:)", { try $0.addFirebaseCount("c", by: 1) }),
        ("raiseFirebaseCount(_:to:)", { try $0.raiseFirebaseCount("c", to: 1) }),
        ("firebaseCounts()", { _ = try $0.firebaseCounts() }),
        ("firebaseTotals()", { _ = try $0.firebaseTotals() }),
        ("countAdoptedSessionsWithToken()", { _ = try $0.countAdoptedSessionsWithToken() }),
        ("movedFirebaseUsers(limit:)", { _ = try $0.movedFirebaseUsers(limit: 9) }),
        ("unmovedFirebaseUsers(limit:)", { _ = try $0.unmovedFirebaseUsers(limit: 9) }),
        ("returningFirebaseUsers(limit:)", { _ = try $0.returningFirebaseUsers(limit: 9) }),
        ("administratorList()", { _ = try $0.administratorList() }),
        ("setAdministratorList(_:)", { try $0.setAdministratorList(AdministratorList(stored: "u")) }),
        ("signingKeys()", { _ = try $0.signingKeys() }),
        ("insert(_:) StoredSigningKey", { try $0.insert(Example.signingKey) }),
        ("retireSigningKey(_:at:)", { try $0.retireSigningKey("k", at: 1) }),
        (
            "keepSigningKey(_:untilCookiesEnd:)",
            { try $0.keepSigningKey("k", untilCookiesEnd: 1) }
        ),
        ("resealSigningKey(_:privateKey:)", { try $0.resealSigningKey("k", privateKey: "p") }),
        ("requireSerializable(for:)", { try $0.requireSerializable(for: .merge) }),
        ("isBefore(revocation:)", { _ = $0.isBefore(revocation: 1) }),
        ("requireTime(ofRevocation:)", { try $0.requireTime(ofRevocation: 1) }),
        ("audit(_:uid:detail:by:)", { try $0.audit(.userCreated, uid: "u", detail: nil, by: .server) }),
        (
            "audit(_:uid:detail:by:atMostEvery:)",
            { try $0.audit(.userCreated, uid: "u", detail: "d", by: .server, atMostEvery: 1) }
        ),
        ("countOwned(by:)", { _ = try $0.countOwned(by: "u") }),
        (
            "eraseMails(_:ofTicketsTo:mailboxes:)",
            { _ = try $0.eraseMails(["m"], ofTicketsTo: ["a"], mailboxes: ["b"]) }
        ),
        ("eraseSignInLinks(of:addresses:)", { _ = try $0.eraseSignInLinks(of: "u", addresses: ["a"]) }),
        ("eraseOtherLinks(of:addresses:)", { _ = try $0.eraseOtherLinks(of: "u", addresses: ["a"]) }),
        ("eraseTickets(of:addresses:)", { _ = try $0.eraseTickets(of: "u", addresses: ["a"]) }),
        ("eraseMerges(of:)", { _ = try $0.eraseMerges(of: "u") }),
        ("eraseKnownClients(ofAddresses:)", { _ = try $0.eraseKnownClients(ofAddresses: ["a"]) }),
        ("eraseSuppression(of:)", { _ = try $0.eraseSuppression(of: "m") }),
        ("eraseCounters(_:)", { _ = try $0.eraseCounters([.beginning("a"), .between("b:", ending: "c")]) }),
        ("merges(of:)", { _ = try $0.merges(of: "u") }),
        ("auditEntries(_:before:limit:)", { _ = try $0.auditEntries(Example.auditFilter, before: 9, limit: 1) }),
        ("auditEntries(_:after:limit:)", { _ = try $0.auditEntries(Example.auditFilter, after: 9, limit: 1) }),
        ("purge(limit:auditLife:mailDelay:)", { _ = try $0.purge(limit: 1, auditLife: 1, mailDelay: 1) }),
        ("wipe(butSettings:)", { try $0.wipe(butSettings: ["s"]) }),
    ]

    /// Methods that may scan tables: lists for operators, tables with few rows, and the purge of tables without an
    /// index on age.
    private static let mayScan: Set<String> = [
        "outbox(_:limit:after:)", "waitingMails(limit:)", "failedMails(limit:)", "hookMessages(_:limit:after:)",
        "purgeHookMessages(limit:)", "waitingPayloads()", "signingKeys()",
        "purge(limit:auditLife:mailDelay:)", "purgeTraces(limit:life:)", "userCount()",
        "purgeSessions(after:rows:sessionLife:)",
        // Parts of an erasure or an export of one user, in tables that keep rows for a few days.
        "eraseMails(_:ofTicketsTo:mailboxes:)", "eraseSignInLinks(of:addresses:)",
        "eraseOtherLinks(of:addresses:)", "eraseTickets(of:addresses:)",
        "eraseMerges(of:)", "merges(of:)",
        // Helpers of development mode, which apply to all rows.
        "usableActionCodes(limit:)", "dropWaitingMails()", "wipe(butSettings:)",
        // Methods that scan the schema, which is short.
        "dueGuests(limit:)", "countBlockedGuests()", "blockedGuests(limit:)", "countGuests(_:)",
        // Reads a limited number of rows.
        "hasGuests(moreThan:)", "mailGauges(upTo:)",
        // Counts the whole installation, once a minute.
        "installationGauges(since:)",
        // A move from Firebase: lists and counts for the operator.
        "firebaseCounts()", "firebaseTotals()", "countAdoptedSessionsWithToken()", "movedFirebaseUsers(limit:)",
        "unmovedFirebaseUsers(limit:)", "returningFirebaseUsers(limit:)",
    ]

    /// Returns every method's statements with SQLite's query plans.
    private static func plans() throws -> [(method: String, plan: [String])] {
        let fresh = try Fresh.store()
        defer { fresh.remove() }
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: fresh.path), as: .writer)
        defer { connection.close() }
        return try calls.map { method, call in
            let recorder = Recorder(connection)
            let transaction = Transaction(recorder, now: moment)
            try call(transaction)
            let plan = try recorder.statements.flatMap { statement in
                try transaction.all("EXPLAIN QUERY PLAN " + statement) { row in try row.text(3) }
            }
            return (method, plan)
        }
    }

    @Test(.sqlite) func `every method runs on the schema as it is, and none but a few look at every row`() throws {
        let plans = try Self.plans()
        #expect(plans.count == Self.calls.count)
        for (method, plan) in plans where !Self.mayScan.contains(method) {
            // Scans of rows that the statement has already found are not table scans.
            let found = plan.compactMap { line in
                ["MATERIALIZE ", "CO-ROUTINE "].first(where: line.hasPrefix).map { "SCAN \(line.dropFirst($0.count))" }
            }
            let scans = plan.filter {
                $0.hasPrefix("SCAN") && !$0.contains("CONSTANT ROW") && !$0.hasPrefix("SCAN (subquery")
                    && !found.contains($0)
            }
            #expect(scans.isEmpty, "\(method): \(plan)")
        }
    }

    @Test(.postgreSQL, arguments: [true, false])
    func `every method runs on PostgreSQL, too, prepared and not`(isPrepared: Bool) async throws {
        let fresh = try FreshPostgreSQL(migrations: Migration.embedded()) { $0.prepares = isPrepared }
        defer { fresh.remove() }
        let database = fresh.database
        for (method, call) in Self.calls {
            do {
                try await database.write { try call($0) }
                // With the row locks of READ COMMITTED.
                if method.hasPrefix("locked") { try await database.write(isolation: .readCommitted) { try call($0) } }
            } catch {
                Issue.record("\(method): \(error)")
            }
        }
    }

    @Test(arguments: [
        ("needsSweep()", "users_guests (cleanup_at<?)"), ("dueGuests(limit:)", "users_guests (cleanup_at<?)"),
        ("dueGuests(limit:)", "tickets_asking_uid (asking_uid=?)"),
        ("scheduleGuests(createdBy:for:limit:)", "users_guests (cleanup_at=?)"),
        ("countGuests(_:)", "users_guests (cleanup_at<?)"),
        ("deleteGuests(_:)", "sessions_user_number (user_number=?)"),
        ("presentUsers(among:)", "(uid=?)"), ("formerUsers(among:)", "(uid=?)"),
        ("owners(ofEmails:)", "users_email (email=?)"), ("owners(ofSubjects:at:)", "(provider=? AND subject=?)"),
        ("listedDocuments(of:after:limit:)", "(uid=? AND (collection,name)>(?,?))"),
        ("merges(about:limit:)", "merges_target (target_uid=?)"), ("merges(about:limit:)", "merges_uid (uid=?)"),
        ("consoleSession(_:)", "console_sessions_session (session=?)"),
        ("username(of:)", "(uid=?)"), ("holder(of:)", "(canonical=?)"),
        ("formerUser(_:)", "(uid=?)"),
        ("users(after:limit:)", "(uid>?)"), ("users(_:after:limit:)", "users_permanent (created_at<?)"),
        ("users(_:after:limit:)", "users_disabled (disabled_at>? AND disabled_at<?)"),
        ("users(_:after:limit:)", "users_contested (contested_at>? AND contested_at<?)"),
        ("users(_:after:limit:)", "users_email (email>? AND email<?)"),
        ("users(_:after:limit:)", "(canonical>? AND canonical<?)"),
        ("users(_:after:limit:)", "identities_subject (subject>? AND subject<?)"),
        ("user(_:)", "(uid=?)"), ("user(email:)", "users_email (email=?)"), ("sessionAndUser(_:)", "(uid=?)"),
        ("sessionAndUser(_:)", "(sid=?)"), ("ticket(_:)", "(ticket=?)"),
        ("ticket(ofCode:)", "(code=?)"), ("ticket(ofCode:)", "(ticket=?)"),
        ("lockedTicket(ofCode:)", "(code=?)"), ("lockedOwner(of:redeeming:)", "users_email (email=?)"),
        ("identities(ofOwnerOf:)", "users_email (email=?)"), ("identities(ofOwnerOf:)", "(uid=?)"),
        ("actionCode(_:)", "(code=?)"), ("useActionCode(_:)", "(code=?)"),
        ("waitingMails(upTo:takingOver:)", "outbox_rank (rank>? AND rank<?)"),
        ("waitingMails(upTo:takingOver:)", "outbox_postponed (due_at<?)"),
        ("wakePostponedMails(limit:)", "outbox_postponed (due_at<?)"),
        ("hasDueMessage(to:)", "webhook_deliveries_due (hook=? AND due_at<?)"),
        ("renewMessages(_:worker:milliseconds:)", "INTEGER PRIMARY KEY (rowid=?)"),
        ("leaseMessages(to:limit:worker:milliseconds:takingOver:)", "webhook_deliveries_due (hook=? AND due_at<?)"),
        ("finishQuestions(of:)", "webhook_deliveries_merge (merge=?)"),
        ("abandonedMerges(limit:)", "merges_preparing (leased_until<?)"),
        ("takeoverTime(of:)", "action_codes_uid (uid=?)"),
        ("endActionCodes(of:)", "action_codes_uid (uid=?)"),
        ("endActionCodes(of:for:)", "action_codes_uid (uid=?)"),
        ("endActionCodes(of:exceptThoseBefore:andNoticesTo:)", "action_codes_uid (uid=?)"),
        ("linkedIdentities(of:)", "(uid=?)"), ("methodChanges(of:)", "(uid=?)"), ("forgetRemovals(of:)", "(uid=?"),
        ("deleteIdentity(_:)", "(uid=?"),
        ("endActionCodes(of:sparing:)", "action_codes_uid (uid=?)"),
        ("endActionCodes(of:madeBy:)", "action_codes_uid (uid=?)"), ("hasLeasedMail()", "outbox_due (due_at>?)"),
        ("renewMails(_:worker:milliseconds:)", "INTEGER PRIMARY KEY (rowid=?)"),
        ("leaseMails(_:limit:worker:milliseconds:takingOver:)", "outbox_rank (rank>? AND rank<?)"),
        ("mails(before:upTo:)", "outbox_rank (rank>? AND rank<?)"),
        ("suppressions(among:)", "(mailbox=?)"),
        ("traces(of:before:limit:)", "mail_trace_address (address=?)"),
        ("traces(of:before:limit:)", "mail_trace_uid (uid=?)"),
        ("traces(of:before:limit:)", "mail_trace_user (user_number=?)"),
        ("auditEntries(_:before:limit:)", "audit_log_uid (uid=?"),
        ("auditEntries(_:before:limit:)", "audit_log_user (user_number=?"),
        ("audit(_:uid:detail:by:atMostEvery:)", "audit_log_user (user_number=?"),
        ("forgetFormerUser(_:)", "audit_log_user (user_number=?"),
        ("forgetFormerUser(_:)", "mail_trace_user (user_number=?"),
        ("deleteTraces(of:)", "mail_trace_request (request=?)"),
        ("queuedTrace(ofMail:)", "mail_trace_mail (mail=?)"),
        ("trace(_:) LinkOpening", "mail_trace_request (request=?)"), ("traceOfUsers(_:)", "(uid=?)"),
        ("browserSession(_:)", "(session=?)"), ("extendBrowserSession(_:to:)", "(session=?)"),
        ("deleteBrowserSession(_:)", "(session=?)"),
        ("listeningSessions(_:)", "(sid=?)"), ("listeningSessions(_:)", "INTEGER PRIMARY KEY (rowid=?)"),
        ("changes(after:limit:enoughBytes:)", "(uid=? AND number>? AND number<?)"),
        ("changes(after:limit:enoughBytes:)", "(uid=? AND collection=? AND name=?)"),
        ("document(_:of:)", "(uid=? AND collection=? AND name=?)"),
        ("documentState(_:of:)", "(uid=? AND collection=? AND name=?)"),
        ("documents(of:in:after:limit:maximumBytes:)", "(uid=? AND (collection,name)>(?,?))"),
        ("documents(of:in:after:limit:maximumBytes:)", "(uid=? AND collection=? AND name>?)"),
        ("deleteChanges(of:through:)", "(uid=? AND number<?)"),
        ("deleteDocument(_:of:number:)", "(uid=? AND collection=? AND name=?)"),
        ("endSessions(of:except:reason:)", "sessions_user_number (user_number=?)"),
        ("endSessions(of:begunBefore:reason:)", "sessions_user_number (user_number=?)"),
        ("sessions(of:limit:)", "sessions_user_number (user_number=?)"),
        ("users(among:withMoreSessionsThan:)", "sessions_user_number (user_number=?)"),
        ("endSessions(of:beyond:reason:)", "sessions_user_number (user_number=?)"),
        ("identities(ofUsersAfter:through:)", "(uid>? AND uid<?)"),
        ("usernames(ofUsersAfter:through:)", "(uid>? AND uid<?)"),
        ("countExchangedSessions(of:)", "sessions_user_number (user_number=?)"),
        ("adoptedSession(of:authTime:)", "(uid=? AND auth_time=?)"), ("adoptedSession(ofToken:)", "(digest=?)"),
        ("firebaseUser(_:)", "(uid=?)"), ("hasSession(_:)", "sessions_user_number (user_number=?)"),
        ("deleteSessions(of:)", "sessions_user_number (user_number=?)"), ("used(_:in:)", "(name=?)"),
        ("raise<Answers>(_:of:unlessKnown:since:beside:)", "(address=? AND client=?)"), ("counters(_:)", "(name=?)"),
        ("deleteKnownClients(ofAddresses:)", "(address=?)"),
        ("openTickets(of:limit:)", "tickets_email (email=?)"), ("waitingTickets(_:)", "(ticket=?)"),
    ])
    func `a hot look-up uses its index`(method: String, index: String) throws {
        let plan = try #require(try Self.plans().first { $0.method == method }?.plan)
        #expect(plan.contains { $0.hasPrefix("SEARCH") && $0.contains(index) }, "\(plan)")
    }

    @Test(
        .sqlite,
        arguments: ["leaseMails(_:limit:worker:milliseconds:takingOver:)", "waitingMails(upTo:takingOver:)"]
    )
    func `what takes mails sorts nothing`(method: String) throws {
        let plan = try #require(try Self.plans().first { $0.method == method }?.plan)
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    @Test func `the plans are of every method in the store's files`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/AccountDatabase/Store").standardizedFileURL
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count > 10)
        var declared: [String: Int] = [:]
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            for part in text.components(separatedBy: "package func ").dropFirst() {
                declared[String(part.prefix { $0 != "(" }), default: 0] += 1
            }
        }
        var called: [String: Int] = [:]
        for (method, _) in Self.calls { called[String(method.prefix { $0 != "(" }), default: 0] += 1 }
        // Only what differs: the dictionaries are long.
        let differences = Set(declared.keys).union(called.keys).filter { declared[$0] != called[$0] }
        #expect(differences.isEmpty)
    }
}

/// Records every statement that a transaction runs.
private final class Recorder: TransactionEngine {
    private let engine: SQLiteConnection
    private(set) var statements: [SQL] = []

    init(_ engine: SQLiteConnection) {
        self.engine = engine
    }

    var dialect: Dialect { engine.dialect }
    var context: AnyObject? { engine.context }
    var health: DatabaseHealth { engine.health }
    func unresolvedConstraint() -> DatabaseError? { engine.unresolvedConstraint() }

    func open(_ sql: SQL) throws(DatabaseError) -> any StatementCursor {
        statements.append(sql)
        return try engine.open(sql)
    }

    func queue(_ sql: SQL) throws(DatabaseError) { _ = try attempt(sql) }

    func attempt(_ sql: SQL) throws(DatabaseError) -> Int {
        statements.append(sql)
        return try engine.attempt(sql)
    }

    func deferForeignKeys() throws(DatabaseError) { try engine.deferForeignKeys() }
    func attach(_ path: String, as name: String) throws(DatabaseError) { try engine.attach(path, as: name) }
    func setSavepoint() throws(DatabaseError) { try engine.setSavepoint() }
    func rollBackToSavepoint() throws(DatabaseError) { try engine.rollBackToSavepoint() }
    func releaseSavepoint() throws(DatabaseError) { try engine.releaseSavepoint() }
}
