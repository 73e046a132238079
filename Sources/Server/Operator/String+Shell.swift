extension String {
    /// The text as the last argument of a command, to be pasted into a POSIX shell: in quotes if it has a character that
    /// a shell may interpret, and after `--` if it looks like an option.
    ///
    /// An e-mail address may have such characters, for example a backquote, and anyone can request an e-mail for it.
    package var shellArgument: String {
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "@"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
        let word = isPlain && !isEmpty ? self : "'\(replacing("'", with: "'\\''"))'"
        return hasPrefix("-") ? "-- \(word)" : word
    }
}
