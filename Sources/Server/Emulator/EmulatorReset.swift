internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer

extension Services {
    /// `DELETE /emulator/v1/projects/{project}/accounts`: deletes every user as an operator would.
    ///
    /// E-mail links and configuration stay (contract, 3.13).
    func deleteAccounts(_ request: Request) -> Handling {
        .async {
            var last: String? = ""
            while let after = last {
                let batch = try await self.deleteUsers(after: after)
                last = batch.last
            }
            return .json([UInt8]("{}".utf8))
        }
    }

    /// Deletes the next 500 users after a UID in a transaction of their own, because it runs the app's triggers.
    ///
    /// - Returns: the UIDs of the deleted users; an empty array if none was left.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED if rows or triggers of the app's tables keep one of the users; then
    ///   none of the 500 is deleted.
    private func deleteUsers(after uid: String) async throws -> [String] {
        do {
            return try await database.write(kind: "ResetProject", alone: true) { [flows] transaction in
                let users = try transaction.users(after: uid, limit: 500)
                for user in users { try flows.delete(user, because: .operator, in: transaction) }
                return users.map(\.uid)
            } committed: { [changes] uids in
                for uid in uids { changes.ended(uid) }
            }
        } catch let error as DatabaseError {
            throw refusal(of: error)
        }
    }

    /// `DELETE /emulator/v1/projects/{project}/state`: resets the server to its state at the first start.
    ///
    /// Deletes users, codes, configuration, limits, the mailbox and the records of former users. Only the signing keys,
    /// and the value that checks the secret, stay.
    func deleteState(_ request: Request) -> Handling {
        .async {
            try await self.emptyOutbox()
            do {
                try await self.database.write(kind: "ResetProject", alone: true) {
                    try $0.wipe(butSettings: [Store.checkSetting])
                }
            } catch let error as DatabaseError {
                throw self.refusal(of: error)
            }
            self.limiters.reset()
            self.installation.reset()
            self.mailCeiling.reset()
            self.codeBreakers.reset()
            self.failureTrace.reset()
            self.traces.reset()
            self.forgetMails()
            return .json([UInt8]("{}".utf8))
        }
    }

    /// Deletes all e-mails of the outbox that no worker is sending, and waits up to two seconds for those being sent,
    /// so that none arrives in the emptied mailbox.
    private func emptyOutbox() async throws {
        for _ in 0..<200 {
            let isEmpty = try await database.write(kind: "ResetProject") { transaction in
                try transaction.dropWaitingMails()
                return try !transaction.hasLeasedMail()
            }
            if isEmpty { return }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Returns the refusal for the client if rows of the app's tables keep a user; otherwise the same error.
    private func refusal(of error: DatabaseError) -> any Error {
        guard case .constraint = error.kind else { return error }
        return Refusal(.operationNotAllowed, detail: "The app has data of a user that must be deleted first.")
    }
}
