internal import Accounts
internal import Database
internal import HTTPServer

extension Services {
    /// `DELETE /emulator/v1/projects/{project}/accounts`: deletes every user, as an operator would one by one; mailed links and
    /// configuration stay (contract, 3.13).
    func deleteAccounts(_ request: Request) -> Handling {
        .async {
            var last: String? = ""
            while let after = last {
                let batch = try await self.deleteUsers(after: after)
                for uid in batch { self.changes.ended(uid) }
                last = batch.last
            }
            return .json([UInt8]("{}".utf8))
        }
    }

    /// Deletes the next users by UID, in a commit of their own since rows of the app's tables may keep them.
    private func deleteUsers(after uid: String) async throws -> [String] {
        do {
            return try await database.write(alone: true) { [flows] transaction in
                let users = try transaction.users(after: uid, limit: 500)
                for user in users { try flows.delete(user, because: .operator, in: transaction) }
                return users.map(\.uid)
            }
        } catch let error as DatabaseError {
            throw refusal(of: error)
        }
    }

    /// `DELETE /emulator/v1/projects/{project}/state`: makes everything as at the first start.
    ///
    /// Users, codes, configuration, limits, the mailbox and what is remembered of users who are gone: only the keys stay.
    func deleteState(_ request: Request) -> Handling {
        .async {
            try await self.emptyOutbox()
            do {
                try await self.database.write(alone: true) { try $0.wipe(butSettings: [Store.checkSetting]) }
            } catch let error as DatabaseError {
                throw self.refusal(of: error)
            }
            for limiter in self.limiters { limiter.reset() }
            self.guestVolume.reset()
            self.installation.reset()
            self.codeBreakers.reset()
            self.failureTrace.reset()
            self.forgetMails()
            return .json([UInt8]("{}".utf8))
        }
    }

    /// Drops the mails that wait, and waits for those on their way, so that none of them arrives in the emptied mailbox.
    private func emptyOutbox() async throws {
        for _ in 0..<200 {
            let isEmpty = try await database.write { transaction in
                try transaction.dropWaitingMails()
                return try !transaction.hasLeasedMail()
            }
            if isEmpty { return }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// What keeps users, said to the client.
    private func refusal(of error: DatabaseError) -> any Error {
        guard case .constraint = error.kind else { return error }
        return Refusal(.operationNotAllowed, detail: "The app keeps something of a user that must go first.")
    }
}
