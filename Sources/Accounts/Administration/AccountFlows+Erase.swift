extension AccountFlows {
    /// Deletes a user, and what a deletion leaves to expire, and records a receipt in the audit log.
    ///
    /// A deletion alone leaves tickets, links, e-mails, merge reports, counters and suppressions.
    ///
    /// What stays is the record that the UID was deleted (``FormerUser``), the entries of the audit log, and messages to
    /// hooks. All of them have the UID only. Data of an address that another user has by now stays as well.
    ///
    /// - Returns: the receipt; `nil` if there is no such user.
    /// - Throws: ``Refusal`` MERGE_IN_PROGRESS, OPERATION_NOT_ALLOWED (an administrator, for an actor without the
    ///   authority of the key). The store's error if rows in the operator's own tables keep the user.
    package func erase(_ uid: String, in store: some AccountStore) throws -> Erasure? {
        guard let user = try store.user(uid) else { return nil }
        try requireAuthority(over: uid, in: store)
        let addresses = try ownAddresses(of: user, in: store)
        try store.excludeRequests(forAddresses: addresses.flatMap(addressHashes))
        var removed = try store.countOwned(by: uid)
        removed[.mails] = try eraseMails(of: user, to: addresses, in: store)
        // A redemption locks the ticket and its link before the user, and any other use of a link the user before the link.
        let signInLinks = try store.eraseSignInLinks(of: uid, addresses: addresses)
        removed[.tickets] = try store.eraseTickets(of: uid, addresses: addresses)
        // Before what the record of a sign-in writes under this lock.
        try store.lockUsers([uid])
        removed[.links] = try signInLinks + store.eraseOtherLinks(of: uid, addresses: addresses)
        removed[.trace] = try store.deleteTraces(
            of: .user(uid, addresses: addresses.flatMap { try traceKeys(of: $0) })
        )
        removed[.merges] = try store.eraseMerges(of: uid)
        removed[.knownClients] = try addresses.reduce(0) { count, address in
            try count + store.eraseKnownClients(ofAddresses: addressHashes(address))
        }
        try delete(user, because: .operator, in: store)
        // The counters come last in the order of locks. A request raises its address's counter of e-mails.
        let names = try addresses.reduce(counterNames(ofUser: uid)) { try $0 + counterNames(ofAddress: $1) }
        removed[.counters] = try store.eraseCounters(names)
        try store.requireAbsence(ofCounters: try addresses.map { MailCounters.name(of: try mailboxHash($0)) })
        removed[.suppressions] = try addresses.reduce(0) { try $0 + eraseSuppression(of: $1, in: store) }
        let erasure = Erasure(user: user, at: store.now, removed: removed.filter { $0.value > 0 })
        try audit(.userErased, uid: uid, detail: erasure.summary, in: store)
        return erasure
    }

    /// The addresses that the user has proven, present and contested, without those that another user has by now.
    ///
    /// An address that was never proven may be a stranger's, whose e-mails and limits stay.
    private func ownAddresses(of user: User, in store: some AccountStore) throws -> [String] {
        let all = [user.emailVerifiedAt == nil ? nil : user.email, user.contest?.oldEmail].compactMap(\.self)
        return try Set(all).sorted().filter { address in
            try store.user(email: address).map { $0.uid == user.uid } ?? true
        }
    }

    /// Deletes e-mails to the addresses and about the user from the outbox.
    ///
    /// Waiting e-mails are opened one by one, because their recipients are sealed.
    private func eraseMails(of user: User, to addresses: [String], in store: some AccountStore) throws -> Int {
        let waiting = try store.waitingPayloads().filter { mail in
            guard let queued = try? open(mail.payload, mail: mail.mail) else { return false }
            return queued.uid == user.uid || addresses.contains(queued.to)
        }
        let mailboxes = try addresses.flatMap { try traceKeys(of: $0) }
        return try store.eraseMails(waiting.map(\.mail), ofTicketsTo: addresses, mailboxes: mailboxes)
    }

    private func eraseSuppression(of address: String, in store: some AccountStore) throws -> Int {
        try traceKeys(of: address).reduce(0) { try $0 + store.eraseSuppression(of: $1) }
    }
}
