internal import Foundation
private let chosen = ProcessInfo.processInfo.environment["BREAK"]
package func broken(_ name: String) -> Bool { chosen == name }
