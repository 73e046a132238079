internal import FoundationEssentials
internal import Glibc

/// The logins of this machine's users.
package enum Login {
    /// Returns the login of the person who runs this process, even if they became another user meanwhile.
    ///
    /// The kernel keeps the user who logged in, through `su` and `sudo`. Where it keeps none, such as in a container, `sudo`
    /// leaves the user in `SUDO_UID`. Otherwise the process's own user is meant.
    ///
    /// - Parameters:
    ///   - environment: the environment variables.
    ///   - session: the number of the user whom the kernel keeps, as the kernel writes it; `nil` without one.
    package static func current(
        _ environment: [String: String],
        session: String? = try? String(contentsOfFile: "/proc/self/loginuid", encoding: .utf8)
    ) -> String {
        let user = [session, environment["SUDO_UID"]].lazy
            .compactMap { $0.flatMap { UInt32($0.prefix { $0.isNumber }) } }
            .first { $0 != .max }
        return name(of: user ?? getuid())
    }

    /// Returns the login of a user of the machine; the number of a user without one.
    package static func name(of user: UInt32) -> String {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        let count = buffer.count
        guard unsafe getpwuid_r(user, &entry, &buffer, count, &found) == 0, let found = unsafe found,
            let name = unsafe found.pointee.pw_name
        else { return String(user) }
        return unsafe String(cString: name)
    }
}
