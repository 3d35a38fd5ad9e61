import Foundation
import PageFetching

// Reads pages from standard input, one a line in base64, and writes one line for each: a JSON array of its start tags. The
// check in Tests/Checks/HTML compares them with those of html5lib.

/// A start tag: its name, its line, and the attributes that may hold an address or an anchor.
struct StartTag: Encodable {
    var name: String
    var line: Int
    var attributes: [String: String]
}

let attributes: [StaticString] = ["href", "src", "id", "name", "class", "content", "title", "data", "xlink:href"]

/// The start tags of a page, which must be valid UTF-8 without NUL.
func startTags(of page: UnsafeBufferPointer<UInt8>) -> [StartTag] {
    var tags: [StartTag] = []
    var tokens = HTMLTokenizer(page)
    var (line, counted) = (1, 0)
    while tokens.next() {
        let tag = tokens.tag
        guard tag.isEnd == false else { continue }
        line += page[counted..<tag.offset].count { $0 == 0x0A }
        counted = tag.offset
        let pairs = attributes.compactMap { name in tag[name].map { (name.description, $0) } }
        tags.append(StartTag(name: tag.name, line: line, attributes: Dictionary(uniqueKeysWithValues: pairs)))
    }
    return tags
}

let encoder = JSONEncoder()
while let line = readLine() {
    guard let page = Data(base64Encoded: line) else {
        FileHandle.standardError.write(Data("html-links: a line is not base64\n".utf8))
        exit(65)
    }
    let tags = Array(page).withUnsafeBufferPointer(startTags)
    FileHandle.standardOutput.write(try encoder.encode(tags) + Data("\n".utf8))
}
