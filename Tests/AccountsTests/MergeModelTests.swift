import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Testing
import Tokens

/// Long random sequences of what several people may do, compared with a plain model of the expected state.
@Suite("Model of accounts and assets")
struct MergeModelTests {
    @Test(arguments: 0..<6)
    func `after every step the database is what the model says`(run: Int) async throws {
        let seed = ProcessInfo.processInfo.environment["LATCHKEY_SEED"].flatMap { UInt64($0) }.map { $0 &+ UInt64(run) }
        var world = try World(seed: seed ?? .random(in: 0...UInt64.max))
        do {
            for step in 0..<400 {
                let what = try await world.step()
                try world.check("seed \(world.seed), step \(step): \(what)")
            }
        } catch is ExpectationFailedError {
            // Already reported, with the seed; later failures would only be consequences.
            return
        } catch {
            Issue.record("seed \(world.seed): \(world.last): \(error)")
            return
        }
        let merges = world.model.gone.values.count { if case .merged = $0 { true } else { false } }
        #expect(merges > 0, "seed \(world.seed): nobody was ever merged")
    }
}

/// The expected content of the database.
struct Model: Sendable {
    struct User: Sendable, Equatable {
        var isAnonymous = true
        var email: String?
        var displayName: String?
        var username: String?
        /// Content and the time of the last write, by `collection/id`.
        var documents: [String: Written] = [:]
        var changes: Int64 = 0
    }

    struct Written: Sendable, Equatable {
        var content: String
        var at: Int64
    }

    enum End: Sendable, Equatable {
        case deleted
        case merged(into: String)
    }

    var users: [String: User] = [:]
    var gone: [String: End] = [:]
    /// The user of each live session.
    var sessions: [String: String] = [:]
    /// The user of every session, including ended ones.
    var owners: [String: String] = [:]

    func user(email: String) -> String? { users.first { $0.value.email == email }?.key }

    /// Returns the refusal of a presented token.
    func refusal(of token: PresentedToken) -> Code? {
        guard users[token.uid] != nil else { return .userNotFound }
        return sessions[token.sid] == nil ? .tokenExpired : nil
    }

    mutating func endSessions(of uid: String) {
        for (sid, owner) in sessions where owner == uid { sessions[sid] = nil }
    }

    mutating func begin(_ sid: String, for uid: String) {
        sessions[sid] = uid
        owners[sid] = uid
    }

    mutating func remove(_ uid: String, _ end: End) {
        users[uid] = nil
        gone[uid] = end
        endSessions(of: uid)
    }

    /// Returns the refusal of a merge.
    func refusal(ofMerging guest: String, into target: String) -> Code? {
        if users[guest]?.isAnonymous != true { return .notAnonymous }
        return users[target]?.isAnonymous != false ? .notPermanent : nil
    }

    /// Applies a merge: takes new names from the report, and everything else from the policies.
    mutating func merge(
        _ guest: String,
        into target: String,
        policies: DocumentMergePolicies,
        report: JSONValue,
        now: Int64
    ) {
        guard let from = users[guest], var to = users[target] else { return }
        var newNames: [String: String] = [:]
        for conflict in report["documents"]?["conflicts"]?.array ?? [] {
            let key = "\(conflict["collection"]?.string ?? "")/\(conflict["id"]?.string ?? "")"
            newNames[key] = conflict["newId"]?.string
        }
        for (key, anonymous) in from.documents {
            let collection = key.split(separator: "/")[0]
            guard let existing = to.documents[key] else {
                to.documents[key] = anonymous
                to.changes += 1
                continue
            }
            switch policies[String(collection)] {
            case .keepExisting: break
            case .newest where anonymous.at <= existing.at: break
            case .keepAnonymous, .newest:
                to.documents[key] = anonymous
                to.changes += 1
            case .keepBoth:
                to.documents["\(collection)/\(newNames[key] ?? "no new name")"] = anonymous
                to.changes += 1
            case .deepMerge(let winner):
                let content = Self.merged(existing.content, anonymous.content, winner)
                guard content != existing.content else { break }
                to.documents[key] = Written(content: content, at: now)
                to.changes += 1
            }
        }
        to.displayName = to.displayName ?? from.displayName
        to.username = to.username ?? from.username
        users[target] = to
        remove(guest, .merged(into: target))
    }

    /// The model's documents are flat objects, so that this does not repeat the product's code.
    private static func merged(_ existing: String, _ anonymous: String, _ winner: MergeSide) -> String {
        var object = (try? JSONValue.parse(existing).object) ?? JSONObject()
        for member in (try? JSONValue.parse(anonymous).object)?.members ?? [] {
            if object[member.name] == nil || winner == .anonymous { object[member.name] = member.value }
        }
        return String(decoding: JSONValue.object(object).serialized(), as: UTF8.self)
    }
}

/// The product and the model, side by side.
private struct World {
    let seed: UInt64
    let scene: Scene
    var model = Model()
    var last = ""
    private var numbers: SplitMix
    /// All tokens of all people, because old tokens are tried too.
    private var people: [Scene.Person] = []
    private let policies: DocumentMergePolicies

    init(seed: UInt64) throws {
        self.seed = seed
        numbers = SplitMix(seed: seed)
        var policies = DocumentMergePolicies()
        policies.collections = [
            "both": .keepBoth, "anonymous": .keepAnonymous, "deep": .deepMerge(winner: .anonymous), "newest": .newest,
        ]
        self.policies = policies
        scene = try Scene { policy in
            policy.documentMerges = policies
            policy.mailsPerAddress = .hourly(1_000_000)
            policy.mailsPerAddressDaily = .daily(1_000_000)
            policy.mailsPerClient = .hourly(1_000_000)
        }
    }

    private mutating func pick<Element>(_ from: [Element]) -> Element {
        from[Int(numbers.next() % UInt64(from.count))]
    }

    /// Picks a person, more often with a recent token than with an old one.
    private mutating func somebody() -> Scene.Person? {
        guard !people.isEmpty else { return nil }
        return numbers.next() % 4 == 0 ? pick(people) : pick(Array(people.suffix(6)))
    }

    private mutating func email() -> String { pick(["ann@example.com", "bob@example.com", "eve@example.com"]) }

    /// Takes one step in the product and in the model.
    mutating func step() async throws -> String {
        let kind = numbers.next() % 20
        guard let person = somebody(), kind > 2 else {
            last = "sign up"
            let guest = try await scene.guest()
            people.append(guest)
            model.users[guest.uid] = Model.User()
            model.begin(guest.sid, for: guest.uid)
            return last
        }
        switch kind {
        case 3...9: try await write(person)
        case 10: numbers.next() % 2 == 0 ? try await rename(person) : try await name(person)
        case 11...14: try await redeem(numbers.next() % 4 == 0 ? nil : person)
        case 15, 16: try await merge(person, isDryRun: numbers.next() % 3 == 0)
        case 17: try await signOut(person)
        case 18 where numbers.next() % 3 == 0: try await delete(person)
        default: try await redeem(nil)
        }
        return last
    }

    /// Runs a call that must be refused with `code`, or must succeed.
    private func expect<T: Sendable>(
        _ code: Code?,
        _ body: @escaping @Sendable (AccountFlows, Transaction) throws -> T
    ) async throws -> T? {
        let before = try scene.dump()
        do {
            let result = try await scene.run(body)
            try #require(code == nil, "seed \(seed): \(last) was not refused with \(code?.rawValue ?? "")")
            return result
        } catch let refusal as Refusal {
            try #require(refusal.code == code, "seed \(seed): \(last)")
            // Invariant 3: a refusal changes nothing.
            try #require(try scene.dump() == before, "seed \(seed): \(last) was refused and changed something")
            return nil
        }
    }

    private mutating func write(_ person: Scene.Person) async throws {
        let places = (0...numbers.next() % 3).map { _ in
            "\(pick(["plain", "both", "anonymous", "deep", "newest"]))/\(pick(["a", "b", "c"]))"
        }
        var contents: [String: String?] = [:]
        for place in Set(places).sorted() {
            let member = pick(["p", "q", "r"])
            contents[place] = numbers.next() % 5 == 0 ? .some(nil) : #"{"\#(member)":\#(numbers.next() % 100)}"#
        }
        last = "\(person.uid) writes \(contents)"
        let writes = try contents.sorted { $0.key < $1.key }.map { place, content in
            let parts = place.split(separator: "/").map(String.init)
            let name = try DocumentName(collection: parts[0], id: parts[1])
            return DocumentWrite(name, content.map { .set($0) } ?? .delete)
        }
        let token = person.token
        guard try await expect(model.refusal(of: token), { try $0.write(writes, of: token, in: $1) }) != nil else {
            return
        }
        for (place, content) in contents {
            let before = model.users[person.uid]?.documents[place]
            if content != nil || before != nil { model.users[person.uid]?.changes += 1 }
            model.users[person.uid]?.documents[place] = content.map { .init(content: $0, at: scene.now) }
        }
    }

    private mutating func rename(_ person: Scene.Person) async throws {
        let name = pick(["Ann", "Bob"])
        last = "\(person.uid) is called \(name)"
        var update = ProfileUpdate()
        update.displayName = name
        let (token, change, opening) = (person.token, update, try Scene.opening())
        let notice = NoticeOpening(ids: try MailIDs())
        let done = try await expect(model.refusal(of: token)) {
            try $0.updateProfile(change, of: token, opening: opening, notice: notice, in: $1)
        }
        if done != nil { model.users[person.uid]?.displayName = name }
    }

    private mutating func name(_ person: Scene.Person) async throws {
        let name = numbers.next() % 4 == 0 ? nil : pick(["first", "second", "third"])
        last = "\(person.uid) takes the username \(name ?? "none")"
        let token = person.token
        let isTaken = name != nil && model.users.contains { $0.key != person.uid && $0.value.username == name }
        let code = model.refusal(of: token) ?? (isTaken ? .usernameTaken : nil)
        let username = name.flatMap { Username($0) }
        if try await expect(code, { try $0.setUsername(username, of: token, in: $1) }) != nil {
            model.users[person.uid]?.username = name
        }
    }

    /// Redeems a link, with or without a session.
    private mutating func redeem(_ person: Scene.Person?) async throws {
        let email = email()
        let onConflict: OnConflict = numbers.next() % 3 == 0 ? .error : .merge
        last = "\(person?.uid ?? "nobody") redeems a link to \(email) with \(onConflict)"
        let call = try await scene.redemption(of: email, by: person, onConflict: onConflict)
        let owner = model.user(email: email)
        var code = person.flatMap { model.refusal(of: $0.token) }
        let meets = person != nil && owner != nil && owner != person?.uid
        if code == nil, meets, let person, let owner {
            code = onConflict == .error ? .emailExists : model.refusal(ofMerging: person.uid, into: owner)
        }
        guard let signedIn = try await expect(code, { try $0.redeemSignInLink(call, in: $1).get() }) else {
            // The link is still valid.
            let flows = scene.flows
            _ = try await scene.database.read { try flows.usableActionCode(call.code, in: $0) }
            return
        }
        let uid: String
        if let person, let owner, meets {
            let report = try JSONValue.parse(try #require(signedIn.merged).report)
            model.merge(person.uid, into: owner, policies: policies, report: report, now: scene.now)
            uid = owner
        } else if let person {
            uid = person.uid
            if model.users[uid]?.isAnonymous == true { model.endSessions(of: uid) }
            if let old = model.users[uid]?.email, old != email { model.endSessions(of: uid) }
            model.users[uid]?.isAnonymous = false
            model.users[uid]?.email = email
        } else {
            uid = owner ?? call.uid
            if owner == nil { model.users[uid] = Model.User(isAnonymous: false, email: email) }
        }
        try #require(signedIn.user.uid == uid, "seed \(seed): \(last)")
        model.begin(signedIn.session.sid, for: uid)
        people.append(Scene.Person(signedIn))
        guard person != nil else { return }
        let again = try await scene.redeem(call)
        try #require(again.session.sid == signedIn.session.sid, "seed \(seed): \(last), again")
        try #require(again.merged?.report == signedIn.merged?.report, "seed \(seed): \(last), again")
    }

    /// Calls `accounts:merge`.
    private mutating func merge(_ person: Scene.Person, isDryRun: Bool) async throws {
        guard let guest = somebody() else { return }
        last = "\(guest.uid) is merged into \(person.uid)\(isDryRun ? ", for trial" : "")"
        let request = MergeRequest(
            token: person.token,
            anonymousToken: guest.token,
            id: try TokenID.random().text,
            isDryRun: isDryRun
        )
        var code = model.refusal(of: person.token) ?? model.refusal(of: guest.token)
        let isRepeated = model.refusal(of: person.token) == nil && model.gone[guest.uid] == .merged(into: person.uid)
        if isRepeated { code = nil } else { code = code ?? model.refusal(ofMerging: guest.uid, into: person.uid) }
        if isDryRun {
            let before = try scene.dump()
            struct Told: Error {}
            do {
                try await scene.run {
                    _ = try $0.merge(request, in: $1)
                    throw Told()
                }
            } catch is Told {
                try #require(code == nil, "seed \(seed): \(last)")
            } catch let refusal as Refusal {
                try #require(refusal.code == code, "seed \(seed): \(last)")
            }
            try #require(try scene.dump() == before, "seed \(seed): \(last) changed something")
            return
        }
        guard let merged = try await expect(code, { try $0.merge(request, in: $1) }) else { return }
        try #require(merged.isRepeated == isRepeated, "seed \(seed): \(last)")
        if isRepeated { return }
        let report = try JSONValue.parse(merged.report)
        model.merge(guest.uid, into: person.uid, policies: policies, report: report, now: scene.now)
    }

    private mutating func signOut(_ person: Scene.Person) async throws {
        last = "\(person.uid) signs out"
        let token = RefreshToken(session: try #require(TokenID(text: person.sid)), generation: 1)
        // Sessions are deleted with a deleted user, and kept for a merged one.
        let isKnown = model.gone[person.uid] != .deleted
        let isAlive = model.sessions[person.sid] != nil
        guard let done = try await expect(isKnown ? nil : .invalidRefreshToken, { try $0.signOut(token, in: $1) })
        else {
            return
        }
        let resets = isAlive && model.users[person.uid]?.isAnonymous == true
        try #require(done.reset == resets, "seed \(seed): \(last)")
        model.sessions[person.sid] = nil
        if resets { model.remove(person.uid, .deleted) }
    }

    private mutating func delete(_ person: Scene.Person) async throws {
        last = "\(person.uid) deletes the account"
        let token = person.token
        guard try await expect(model.refusal(of: token), { try $0.deleteUser(token, in: $1) }) != nil else { return }
        model.remove(person.uid, .deleted)
    }

    /// Compares the database with the model.
    func check(_ context: String) throws {
        let found = try scene.database.readNow { transaction in
            let users = try transaction.users(after: "", limit: 10_000)
            let documents = try transaction.all("SELECT uid, collection, name, content, updated_at FROM documents") {
                (
                    uid: try $0.text(0), place: "\(try $0.text(1))/\(try $0.text(2))",
                    written: Model.Written(content: try $0.text(3), at: try $0.integer(4))
                )
            }
            let names = try transaction.all("SELECT uid, name FROM usernames") { (try $0.text(0), try $0.text(1)) }
            let former = try transaction.all("SELECT uid, merged_into FROM former_users") {
                (try $0.text(0), try $0.optionalText(1))
            }
            let sessions = try transaction.all("SELECT sid, uid FROM sessions WHERE ended_at IS NULL") {
                (try $0.text(0), try $0.text(1))
            }
            let usages = try users.map { ($0.uid, try Usage(of: $0.uid, in: transaction)) }
            return (users, documents, former, sessions, usages, names)
        }
        var users = found.0.reduce(into: [String: Model.User]()) {
            $0[$1.uid] = Model.User(isAnonymous: $1.isAnonymous, email: $1.email, displayName: $1.displayName)
        }
        for document in found.1 { users[document.uid]?.documents[document.place] = document.written }
        for (uid, name) in found.5 { users[uid]?.username = name }
        for (uid, usage) in found.4 {
            users[uid]?.changes = usage.number
            try usage.check()
        }
        // The model covers invariant 10: only guests are merged, and no sign-out deletes another user.
        try #require(users == model.users, "\(context)")
        try #require(found.1.allSatisfy { users[$0.uid] != nil }, "\(context): a document without an owner")
        // Invariant 4: a user exists, was merged or was deleted, and never two of these.
        let former = found.2.reduce(into: [String: Model.End]()) {
            $0[$1.0] = $1.1.map { .merged(into: $0) } ?? .deleted
        }
        try #require(former == model.gone, "\(context)")
        try #require(Set(former.keys).isDisjoint(with: users.keys), "\(context): a user who is there and gone")
        let sessions = found.3.reduce(into: [String: String]()) { $0[$1.0] = $1.1 }
        try #require(sessions == model.sessions, "\(context)")
    }
}
