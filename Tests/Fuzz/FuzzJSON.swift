internal import JSON

/// The writer returns unchanged what the parser accepts; numbers never trap.
func fuzzJSON(_ bytes: [UInt8]) {
    guard let value = try? JSONValue.parse(bytes) else { return }
    let written = value.serialized()
    guard let again = try? JSONValue.parse(written) else { fatalError("what was written is refused") }
    claim(again == value, "writing changes a value")
    claim(again.serialized() == written, "writing twice differs")
    claim(again.containsNUL == value.containsNUL)
    readNumbers(of: value)
}

private func readNumbers(of value: JSONValue) {
    claim(value.double?.isFinite != false)
    claim(value.int64 == nil || value.double != nil)
    value.array?.forEach(readNumbers)
    value.object?.members.forEach { member in
        claim(value[member.name] == member.value, "a member is not found by its name")
        readNumbers(of: member.value)
    }
}
