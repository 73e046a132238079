internal import JSON

/// What the parser takes comes back unchanged from the writer; numbers never trap.
func fuzzJSON(_ bytes: [UInt8]) {
    guard let value = try? JSONValue.parse(bytes) else { return }
    let written = value.serialized()
    guard let again = try? JSONValue.parse(written) else { preconditionFailure("what was written is refused") }
    precondition(again == value, "writing changes a value")
    precondition(again.serialized() == written, "writing twice differs")
    precondition(again.containsNUL == value.containsNUL)
    readNumbers(of: value)
}

private func readNumbers(of value: JSONValue) {
    precondition(value.double?.isFinite != false)
    precondition(value.int64 == nil || value.double != nil)
    value.array?.forEach(readNumbers)
    value.object?.members.forEach { member in
        precondition(value[member.name] == member.value, "a member is not found by its name")
        readNumbers(of: member.value)
    }
}
