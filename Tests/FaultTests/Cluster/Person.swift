import JSON
import Testing

/// A person with several devices, each using any node that answers, who does everything that an app may ask for.
///
/// Remembers what was acknowledged, and what may have happened because an answer got lost. What a node refuses with 503
/// must not have happened, unless the node says that it does not know.
actor Person {
    /// The person's account on the server.
    private struct Account {
        let email: String
        let uid: String
        var idToken: String
        var documents: KnownDocuments
    }

    private let name: String
    private let cluster: Cluster
    /// Whether connections are kept; an idle one may be closed just before it is used again.
    private let keepsConnections: Bool
    private var account: Account?
    private var accounts = 0
    private var letters = 0
    private var writes = 0
    /// Links that were used or tried.
    private var links: Set<String> = []
    private var callers: [UInt16: Caller] = [:]

    /// The known outcome of deleted users.
    private(set) var merged: [String: String] = [:]
    private(set) var deleted: Set<String> = []
    private(set) var days = 0

    init(_ name: String, of cluster: Cluster, keepsConnections: Bool = true) {
        self.keepsConnections = keepsConnections
        self.name = name
        self.cluster = cluster
    }

    /// Lives day after day.
    func live(until isOver: Shared<Bool>) async throws {
        repeat {
            try await day()
            days += 1
        } while !isOver.value
    }

    // MARK: A day

    private func day() async throws {
        let guest = try await signUp()
        var documents = KnownDocuments()
        for number in 0..<Int.random(in: 1...3) {
            let document = "guest-\(days)-\(number)"
            let outcome = await write(document, 0, as: guest.idToken)
            expectDoneIfAnswered(outcome, "a guest's write")
            documents.learn(document, 0, from: outcome)
        }
        if account == nil {
            try await becomePermanent(guest, documents)
        } else {
            try await giveUp(guest, documents)
        }
        try await useAccount()
        if Int.random(in: 0..<6) == 0 { try await deleteAccount() }
    }

    private func signUp() async throws -> Guest {
        let (reply, _) = try await insist("a sign-up") { try await $0.call("signUp") }
        guard reply.status == 200, let uid = reply["localId"], let idToken = reply["idToken"],
            let refreshToken = reply["refreshToken"]
        else { throw Unexpected(reply) }
        return Guest(uid: uid, idToken: idToken, refreshToken: refreshToken)
    }

    /// Links an address, with the same redemption on two nodes at once.
    private func becomePermanent(_ guest: Guest, _ documents: KnownDocuments) async throws {
        accounts += 1
        let email = "\(name)-\(accounts)@example.org"
        let code = try await link(to: email, asking: guest)
        async let first = insist("a redemption") { try await $0.redeem(code, email: email, for: guest) }
        async let second = insist("a redemption") { try await $0.redeem(code, email: email, for: guest) }
        let replies = try await [first.reply, second.reply]
        for reply in replies {
            #expect(reply.status == 200 && reply["localId"] == guest.uid, "a redemption answered \(reply.text)")
        }
        guard let idToken = replies[0]["idToken"] else { throw Unexpected(replies[0]) }
        account = Account(email: email, uid: guest.uid, idToken: idToken, documents: documents)
    }

    /// Merges the guest into the account, while the guest keeps writing and may be deleted on other nodes.
    private func giveUp(_ guest: Guest, _ documents: KnownDocuments) async throws {
        guard let account else { return }
        let byLink = Bool.random(), isDeleted = Int.random(in: 0..<3) == 0
        let code = byLink ? try await link(to: account.email, asking: guest) : nil
        let late = "late-\(days)"
        async let writing = write(late, 1, as: guest.idToken)
        async let deleting = isDeleted ? ask { try await $0.delete(guest) } : nil
        async let merging = insist("a merge") { caller in
            if let code { return try await caller.merge(guest, by: code, email: account.email) }
            return try await caller.merge(guest, into: account.idToken)
        }
        let (written, deletion, reply) = try await (writing, deleting, merging.reply)
        guard reply.status == 200 else {
            // Only because the guest no longer exists.
            let isGone = ["USER_NOT_FOUND", "TOKEN_EXPIRED"].contains(reply.code)
            #expect(
                isGone && (deletion?.isDone == true || deletion?.isUnknown == true),
                "a merge answered \(reply.text)"
            )
            deleted.insert(guest.uid)
            return
        }
        #expect(reply["localId"] == account.uid)
        #expect(deletion?.isDone != true, "a guest was merged and deleted")
        merged[guest.uid] = account.uid
        var documents = documents
        documents.learn(late, 1, from: written)
        self.account?.documents.take(documents)
        if let idToken = reply["idToken"] { self.account?.idToken = idToken }
    }

    /// Writes and deletes several documents at once, each on a different node.
    private func useAccount() async throws {
        guard let account else { return }
        var changes: [(name: String, value: Int?)] = (0..<3).map { number in
            writes += 1
            return ("own-\(number)", writes)
        }
        if let old = account.documents.values.keys.filter({ !$0.hasPrefix("own-") }).randomElement() {
            changes.append((old, nil))
        }
        await withTaskGroup { group in
            for (name, value) in changes {
                group.addTask { (name, value, await self.write(name, value, as: account.idToken)) }
            }
            for await (name, value, outcome) in group {
                expectDoneIfAnswered(outcome, "a write of one's own")
                self.account?.documents.learn(name, value, from: outcome)
            }
        }
    }

    private func deleteAccount() async throws {
        guard let account else { return }
        let (reply, isFirst) = try await insist("a deletion") { caller in
            try await caller.call("delete", .init(strings: [("idToken", account.idToken)]))
        }
        let isGone = !isFirst && ["USER_NOT_FOUND", "TOKEN_EXPIRED"].contains(reply.code)
        #expect(reply.status == 200 || isGone, "a deletion answered \(reply.text)")
        deleted.insert(account.uid)
        self.account = nil
    }

    // MARK: Afterwards

    /// Expects that all nodes show what was acknowledged, and nothing else.
    func verify() async throws {
        guard let account else { return }
        for node in 0..<cluster.count {
            let caller = try cluster.caller(node)
            // A server with a killed process is down for a moment, which some nodes have not noticed yet.
            let user = try await eventually(within: 10, "a node that answers") {
                let reply = try await caller.lookup(account.idToken)
                return reply.status == 503 ? nil : reply
            }
            #expect(user.uid == account.uid && user.email == account.email, "\(user.text)")
            let list = try await caller.request("GET", "/v1/documents?pageSize=1000", [bearer(account.idToken)])
            #expect(list.status == 200 && list["nextPageToken"] == nil)
            var found: [String: Int] = [:]
            for document in list.json?["documents"]?.array ?? [] {
                guard let name = document["id"]?.string, let value = document["document"]?["n"]?.int64 else { continue }
                found[name] = Int(value)
            }
            for (name, values) in account.documents.values {
                #expect(
                    values.contains(found[name]),
                    "\(name) holds \(found[name].map(String.init) ?? "nothing"), not \(values)"
                )
            }
            #expect(Set(found.keys).subtracting(account.documents.values.keys).isEmpty)
        }
    }

    // MARK: Calls

    private func link(to email: String, asking guest: Guest) async throws -> String {
        let (reply, _) = try await insist("a request for a link") { try await $0.sendLink(to: email, for: guest) }
        guard reply.status == 200 else { throw Unexpected(reply) }
        let code = try await cluster.letters.wait(for: email, beside: links).code
        links.insert(code)
        return code
    }

    private func write(_ document: String, _ value: Int?, as idToken: String) async -> Outcome {
        await ask { caller in
            let path = "/v1/documents/things/\(document)"
            guard let value else { return try await caller.request("DELETE", path, [bearer(idToken)]) }
            return try await caller.request("PUT", path, [bearer(idToken)], Array(#"{"n":\#(value)}"#.utf8))
        }
    }

    private func expectDoneIfAnswered(_ outcome: Outcome, _ what: String) {
        guard case .answered(let reply) = outcome else { return }
        #expect(reply.status < 300, "\(what) answered \(reply.text)")
    }

    /// Retries until the call is answered, for at most a minute.
    ///
    /// - Returns: the answer, and whether nothing can have been done before.
    private func insist(
        _ what: String,
        _ request: @Sendable (Caller) async throws -> Reply
    ) async throws -> (reply: Reply, isFirst: Bool) {
        let deadline = ContinuousClock.now + .seconds(60)
        var isFirst = true
        while true {
            switch await ask(request) {
            case .answered(let reply): return (reply, isFirst)
            case .notDone: break
            case .unknown: isFirst = false
            }
            guard ContinuousClock.now < deadline else { throw Late(what: "an answer to \(what) of \(name)") }
            try await Task.sleep(for: .milliseconds(Int.random(in: 20...60)))
        }
    }

    /// Calls one of the nodes, once.
    private func ask(_ request: @Sendable (Caller) async throws -> Reply) async -> Outcome {
        guard let port = (0..<cluster.count).compactMap({ cluster.port($0) }).randomElement(),
            let caller = try? callers[port] ?? Caller(port: port, patience: 60)
        else { return .notDone }
        if keepsConnections { callers[port] = caller }
        let start = ContinuousClock.now
        let outcome: Outcome
        do {
            let reply = try await request(caller)
            if reply.header("connection")?.lowercased() == "close" { callers[port] = nil }
            outcome = judge(reply)
        } catch let lost as Lost {
            callers[port] = nil
            outcome = lost.isUnanswered ? .unknown : .notDone
        } catch {
            Issue.record(error)
            outcome = .unknown
        }
        let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
        cluster.watch.change { watch in
            watch.longest = max(watch.longest, milliseconds)
            switch outcome {
            case .answered: watch.answered += 1
            case .notDone: watch.unavailable += 1
            case .unknown: watch.unknown += 1
            }
        }
        return outcome
    }

    private func judge(_ reply: Reply) -> Outcome {
        switch reply.status {
        case 503 where reply.code == "TIMEOUT": return .unknown
        case 503:
            #expect(reply.header("retry-after") != nil)
            return .notDone
        case 500...:
            Issue.record("a node answered \(reply.text)")
            return .unknown
        default: return .answered(reply)
        }
    }
}

private func bearer(_ idToken: String) -> String { "Authorization: Bearer \(idToken)" }

extension Caller {
    func delete(_ guest: Guest) async throws -> Reply {
        try await call("delete", .init(strings: [("idToken", guest.idToken)]))
    }

    func merge(_ guest: Guest, by code: String, email: String) async throws -> Reply {
        try await call(
            "signInWithEmailLink",
            .init(strings: [("email", email), ("oobCode", code), ("idToken", guest.idToken), ("onConflict", "merge")])
        )
    }

    func merge(_ guest: Guest, into idToken: String) async throws -> Reply {
        try await call("merge", .init(strings: [("idToken", idToken), ("anonymousIdToken", guest.idToken)]))
    }
}
