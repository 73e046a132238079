/// Accessors for values of each kind: `object["email"]?.string`. Each is `nil` for a value of another kind.
extension JSONValue {
    /// The text of a string; `nil` for a value of another kind.
    public var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The value of a number that is written as an integer and fits into 64 bits; `nil` otherwise, as for `1.0`, `1e3`
    /// and `"1"`.
    public var int64: Int64? {
        number?.int64
    }

    /// The nearest double of a number; `nil` if it is beyond the range of finite doubles, and for other kinds of value.
    public var double: Double? {
        number?.double
    }

    /// The number as it was written; `nil` for a value of another kind.
    public var number: JSONNumber? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// The truth value; `nil` for a value of another kind, such as `0`, `1` and `"true"`.
    public var bool: Bool? {
        guard case .bool(let bool) = self else { return nil }
        return bool
    }

    /// The elements of an array; `nil` for a value of another kind.
    public var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members of an object; `nil` for a value of another kind.
    public var object: JSONObject? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    /// Whether this is `null`.
    public var isNull: Bool {
        guard case .null = self else { return false }
        return true
    }

    /// The value of the member of that name; `nil` if this is not an object or has no such member.
    public subscript(_ name: String) -> JSONValue? {
        object?[name]
    }
}
