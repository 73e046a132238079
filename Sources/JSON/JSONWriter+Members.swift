/// Members of the innermost open object; `nil` values are left out.
extension JSONWriter {
    /// Writes a string as a member.
    public mutating func member(_ name: String, _ value: String) {
        self.name(name)
        element(value)
    }

    /// Writes a string as a member, unless it is `nil`.
    public mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        member(name, value)
    }

    /// Writes an integer as a member.
    public mutating func member(_ name: String, _ value: Int64) {
        self.name(name)
        element(value)
    }

    /// Writes an integer as a member.
    public mutating func member(_ name: String, _ value: Int) {
        member(name, Int64(value))
    }

    /// Writes an integer as a member, unless it is `nil`.
    public mutating func member(_ name: String, _ value: Int64?) {
        guard let value else { return }
        member(name, value)
    }

    /// Writes `true` or `false` as a member.
    public mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        element(value)
    }

    /// Writes `true` or `false` as a member, unless it is `nil`.
    public mutating func member(_ name: String, _ value: Bool?) {
        guard let value else { return }
        member(name, value)
    }

    /// Writes a value as a member.
    public mutating func member(_ name: String, _ value: JSONValue) {
        self.name(name)
        element(value)
    }

    /// Writes a value as a member, unless it is `nil`.
    public mutating func member(_ name: String, _ value: JSONValue?) {
        guard let value else { return }
        member(name, value)
    }

    /// Writes `null` as a member.
    public mutating func memberNull(_ name: String) {
        self.name(name)
        elementNull()
    }

    /// Writes bytes as a member's value; they must be one JSON value.
    ///
    /// - Warning: The bytes are not checked.
    public mutating func member(_ name: String, rawJSON value: some Sequence<UInt8>) {
        self.name(name)
        element(rawJSON: value)
    }
}
