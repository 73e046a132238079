import Database

@testable import Accounts
@testable import Server

extension OperationMix {
    fileprivate static let actor = AuditActor(.key, "history")

    static let changeByAdministrator = Kind(share: 6) { _, draw in
        guard let uid = draw.knownUID() else { return nil }
        var update = UserUpdate()
        switch Int.random(in: 0..<6, using: &draw.numbers) {
        case 0: update.isDisabled = true
        case 1, 2: update.isDisabled = false
        case 3: update.isEmailVerified = draw.numbers.chance(50)
        case 4: update.profile.email = try draw.email()
        default: update.profile.displayName = "Given"
        }
        return try draw.change(update, of: uid)
    }

    static let addressChange = Kind(share: 1) { _, draw in
        guard let uid = draw.knownUID() else { return nil }
        var update = UserUpdate()
        update.profile.email = try draw.email()
        return try draw.change(update, of: uid)
    }

    static let revocation = Kind(share: 2) { _, draw in
        guard let uid = draw.knownUID() else { return nil }
        let notice = try draw.notice()
        return Operation("revocation", lessons: [.revoked(uid: uid)]) { flows, transaction in
            var update = UserUpdate()
            update.validSince = transaction.now / 1000
            return try flows.acting(as: actor).update(update, of: uid, notice: notice, in: transaction)
        }
    }

    static let deletion = Kind(share: 3) { _, draw in
        if draw.numbers.chance(50) {
            guard let session = draw.session() else { return nil }
            return Operation("deletion by the user", session.token, Delete.init)
        }
        guard let uid = draw.numbers.chance(50) ? draw.chosenUID() : draw.knownUID() else { return nil }
        return Operation("deletion", DeleteUser.Input(uid: uid, actor: actor), DeleteUser.init)
    }

    static let erasure = Kind(share: 2) { _, draw in
        guard let uid = draw.knownUID() else { return nil }
        return Operation("erasure") { flows, transaction in
            let erasure = try flows.acting(as: actor).erase(uid, in: transaction)
            return erasure.map { Contents.withoutCounterCount($0.summary) }
        }
    }

    static let limitsLifted = Kind(share: 1) { _, draw in
        let email = try draw.email()
        return Operation("limits lifted") { flows, transaction in
            let lifted = try flows.acting(as: actor).liftLimits(ofAddress: email, in: transaction)
            return Contents.withoutCounterCount("\(lifted)")
        }
    }

    static let creation = Kind(share: 3) { _, draw in
        let email = draw.numbers.chance(50) ? try draw.email() : nil
        return creation(of: draw.chosenUID(), email, isVerified: draw.numbers.chance(50))
    }

    /// A user with a proven address, which gets a recovery code when it changes.
    static let creationWithOldAddress = Kind(share: 1) { _, draw in
        let email = try EmailAddress(parsing: "old-\(draw.email().canonical)")
        return creation(of: draw.chosenUID(), email, isVerified: true)
    }

    private static func creation(of uid: String, _ email: EmailAddress?, isVerified: Bool) -> Operation {
        var user = NewUser(uid: uid, isChosen: true)
        user.email = email
        user.isEmailVerified = isVerified
        return Operation("creation", CreateUser.Input(user: user, actor: actor), CreateUser.init)
    }

    static let endOfSessionByAdministrator = Kind(share: 2) { _, draw in
        guard let session = draw.session() else { return nil }
        let input = EndUserSession.Input(uid: session.uid, id: session.sid, actor: actor)
        return Operation("end of a session by an administrator", input, EndUserSession.init)
    }

    static let administrators = Kind(share: 2) { _, draw in
        guard let uid = draw.knownUID() else { return nil }
        let role: AdministratorRole? = draw.numbers.chance(40) ? .full : nil
        return Operation("administrators") { try $0.setAdministrator(role, uid, in: $1) }
    }

    static let cleanUpSwitched = Kind(share: 2) { _, draw in
        var change = CleanupChange()
        change.isOn = draw.numbers.chance(60)
        change.days = 1
        return Operation(
            "clean-up switched",
            ChangeCleanup.Input(change: change, actor: actor),
            ChangeCleanup.init
        )
    }

    static let cleanUp = Kind(share: 3) { _, draw in
        let order = SweepOrder(worker: draw.client())
        return Operation("clean-up", .writes(.serializable, alone: true)) { flows, transaction in
            var batch = try flows.acting(as: .server).sweep(order, in: transaction)
            try flows.endSweep(order, in: transaction)
            // The engines return the deleted rows in orders of their own.
            batch.removed.sort()
            return batch
        }
    }
}

extension Draw {
    fileprivate mutating func change(_ update: UserUpdate, of uid: String) throws -> Operation {
        let input = ChangeUser.Input(uid: uid, update: update, notice: try notice(), actor: OperationMix.actor)
        return Operation("change by an administrator", input, ChangeUser.init)
    }
}
