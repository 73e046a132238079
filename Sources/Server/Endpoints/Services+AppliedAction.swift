internal import Accounts

extension Services {
    /// Logs an applied action code, and wakes up what waits for its changes.
    func announce(_ applied: AppliedAction) {
        mailQueued()
        changes.ended(applied.user.uid)
        log(applied.isContest ? "user.contested" : "email.applied", uid: applied.user.uid, isAnonymous: false)
    }
}
