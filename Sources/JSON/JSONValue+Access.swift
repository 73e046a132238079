/// What a handler asks of a request: `object["email"]?.string`. Each is `nil` for a value of another kind.
extension JSONValue {
    /// The text of a string.
    public var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The value of a number that is written as an integer and fits; `1.0`, `1e3` and `"1"` are not.
    public var int64: Int64? {
        number?.int64
    }

    /// The nearest double of a number, `nil` when it is beyond the range of finite doubles.
    public var double: Double? {
        number?.double
    }

    /// The number as it was written.
    public var number: JSONNumber? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// The truth value; `0`, `1` and `"true"` are not.
    public var bool: Bool? {
        guard case .bool(let bool) = self else { return nil }
        return bool
    }

    /// The elements of an array.
    public var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The object.
    public var object: JSONObject? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    /// Whether this is `null`.
    public var isNull: Bool {
        guard case .null = self else { return false }
        return true
    }

    /// The member of that name, if this is an object and has it.
    public subscript(_ name: String) -> JSONValue? {
        object?[name]
    }
}
