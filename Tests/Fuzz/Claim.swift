/// Traps with a message when something does not hold; unlike `precondition` it says what in optimised builds too.
func claim(
    _ holds: Bool,
    _ message: @autoclosure () -> String = "does not hold",
    file: StaticString = #fileID,
    line: UInt = #line
) {
    if !holds { fatalError(message(), file: file, line: line) }
}

/// The value of something that cannot fail unless the program is broken, which is what we look for.
func must<Value>(_ make: () throws -> Value?) -> Value {
    do {
        guard let value = try make() else { fatalError("nothing where something has to be") }
        return value
    } catch {
        fatalError("\(error)")
    }
}
