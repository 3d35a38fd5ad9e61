// What stands here is built with the package trait FastPayloadMacro only: without it, nobody needs swift-syntax.
#if FastPayloadMacro
    import SwiftCompilerPlugin
    import SwiftSyntaxMacros

    /// What the compiler starts.
    @main
    struct MobiusCodecMacros: CompilerPlugin {
        let providingMacros: [any Macro.Type] = [FastPayloadMacro.self, FieldMacro.self]
    }
#else
    /// Stands where the macros would.
    @main
    enum MobiusCodecMacros {
        static func main() {}
    }
#endif
