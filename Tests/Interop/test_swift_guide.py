"""docs/swift.md: the manifest is valid, and the compiler accepts the sources, with stand-ins for what only Apple's systems have."""
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support import guide

pytestmark = pytest.mark.engine("sqlite")

SOURCES = ["KeychainSessionStore.swift", "SignInScreen.swift"]

SECURITY = """
public import Foundation

public typealias OSStatus = Int32
public typealias CFString = String
public typealias CFTypeRef = AnyObject
public typealias CFDictionary = NSDictionary
public let kSecClass = "class", kSecClassGenericPassword = "genp", kSecAttrService = "svce", kSecAttrAccount = "acct"
public let kSecUseDataProtectionKeychain = "nleg", kSecReturnData = "r_Data", kSecValueData = "v_Data"
public let kSecAttrAccessible = "pdmn", kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = "cku"
public let errSecSuccess: OSStatus = 0, errSecItemNotFound: OSStatus = -25300
public func SecItemCopyMatching(_: CFDictionary, _: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemAdd(_: CFDictionary, _: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemUpdate(_: CFDictionary, _: CFDictionary) -> OSStatus { 0 }
public func SecItemDelete(_: CFDictionary) -> OSStatus { 0 }
"""

SWIFTUI = """
@_exported import Foundation

@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}
func never() -> Never { fatalError() }
extension Never: View { public var body: Never { return never() } }
public struct Part: View { public var body: Never { return never() } }

@resultBuilder public enum ViewBuilder {
    public static func buildBlock(_ parts: any View...) -> Part { Part() }
    public static func buildEither(first: any View) -> Part { Part() }
    public static func buildEither(second: any View) -> Part { Part() }
    public static func buildOptional(_ part: (any View)?) -> Part { Part() }
}

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) { fatalError() }
    public init(initialValue: Value) { fatalError() }
    public var wrappedValue: Value { get { fatalError() } nonmutating set {} }
    public var projectedValue: Binding<Value> { Binding() }
}
public struct Binding<Value> {}

public struct Form: View {
    public init(@ViewBuilder _ content: () -> Part) {}
    public var body: Never { return never() }
}
public struct Text: View {
    public init(_ text: String) {}
    public var body: Never { return never() }
}
public struct TextField: View {
    public init(_ title: String, text: Binding<String>) {}
    public var body: Never { return never() }
}
public struct Button: View {
    public init(_ title: String, action: @escaping @MainActor () -> Void) {}
    public var body: Never { return never() }
}
public struct Link: View {
    public init(_ title: String, destination: URL) {}
    public var body: Never { return never() }
}
extension View {
    public func task(_ action: @escaping @MainActor () async -> Void) -> Part { Part() }
    public func onOpenURL(perform action: @escaping @MainActor (URL) -> Void) -> Part { Part() }
}
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    folder = tmp_path_factory.mktemp("modules")
    for name, source in {"Security": SECURITY, "SwiftUI": SWIFTUI}.items():
        (folder / f"{name}.swift").write_text(source)
        command = ["swiftc", "-swift-version", "6", "-parse-as-library", "-emit-module", "-module-name", name]
        made = subprocess.run([*command, f"{name}.swift"], cwd=folder, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
    return folder


def compile(sources: dict[str, str], modules: Path, folder: Path) -> subprocess.CompletedProcess:
    built = Path(os.environ["LATCHKEY_BINARY"]).parent / "Modules"
    for name, text in sources.items():
        (folder / name).write_text(text)
    command = ["swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-I", built, "-I", modules]
    return subprocess.run([*command, *sources], cwd=folder, capture_output=True, text=True)


def sources() -> dict[str, str]:
    # Only on Apple's systems does a Swift dictionary turn into a CFDictionary.
    return {name: guide.example(name).replace(" as CFDictionary", " as NSDictionary") for name in SOURCES}


def test_every_example_is_checked():
    assert guide.names("swift.md") == {"Package.swift", *SOURCES}
    assert guide.PAGES["swift.md"].count("```swift") == 3


def test_the_manifest_names_the_products(tmp_path):
    assert shutil.which("swift"), "swift is missing: put the toolchain on the PATH"
    (tmp_path / "Package.swift").write_text(guide.example("Package.swift"))
    dump = subprocess.run(["swift", "package", "dump-package"], cwd=tmp_path, capture_output=True, text=True)
    assert dump.returncode == 0, dump.stderr
    target, = json.loads(dump.stdout)["targets"]
    products = [dependency["product"][0] for dependency in target["dependencies"]]
    manifest = (Path(__file__).resolve().parents[2] / "Package.swift").read_text()
    assert products == ["LatchkeyClient", "LatchkeyApp"]
    assert all(f'.library(name: "{product}"' in manifest for product in products)


def test_the_compiler_accepts_the_sources(modules, tmp_path):
    result = compile(sources(), modules, tmp_path)
    assert result.returncode == 0, result.stderr


def test_a_source_of_another_version_is_refused(modules, tmp_path):
    broken = {name: text.replace(".handle(url: url)", ".open(url: url)") for name, text in sources().items()}
    result = compile(broken, modules, tmp_path)
    assert result.returncode != 0 and "open" in result.stderr
