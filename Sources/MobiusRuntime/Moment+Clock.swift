import Dispatch
package import MobiusEngine

extension Moment {
    /// The time now, on the clock that every edge hands to its machines: it never goes back, whatever the wall clock does.
    package static var current: Moment {
        Moment(nanoseconds: Int64(bitPattern: DispatchTime.now().uptimeNanoseconds))
    }
}
