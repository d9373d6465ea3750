//! Entry points of what the library does not do yet. They check their arguments as they will once they do.

/// Declares entry points that return `unimplemented`, or `invalid_arguments` if a pointer is null that must not be.
///
/// A declaration without parameters stands for any parameters: C lets the callee ignore them.
macro_rules! later {
    ($($(#[$meta:meta])* fn $name:ident($($parameter:ident: $type:ty),* $(,)?);)+) => {
        $(
            $(#[$meta])*
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($parameter: $type),*) -> $crate::boundary::Status {
                $crate::boundary::status(|| {
                    $($crate::handle::Parameter::required(&$parameter)?;)*
                    Err(oxidnn::Error::unimplemented(concat!(stringify!($name), " does nothing yet")))
                })
            }
        )+
    };
}

pub(crate) use later;
