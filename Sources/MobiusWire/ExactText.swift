/// Text that is compared by its bytes, as sockets and files carry it.
///
/// `String` takes canonically equivalent forms for the same, such as "é" as one scalar and as two: a key in the other form would be
/// known in memory and unknown on disk.
package struct ExactText: Hashable, Sendable {
    /// The text.
    package let text: String

    /// Takes the text as it is.
    package init(_ text: String) {
        self.text = text
    }

    /// Whether both have the same bytes.
    package static func == (lhs: ExactText, rhs: ExactText) -> Bool {
        // The first is quick where they differ, which is most times.
        lhs.text == rhs.text && lhs.text.utf8.elementsEqual(rhs.text.utf8)
    }

    /// Feeds the hasher the bytes: equivalent forms, of which there are many of one text, do not fall together.
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
