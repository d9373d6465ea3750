//! Loaders that are opened at run time, and the functions found in them.

/// The function behind the `Option<fn>` types of bindings.
pub(super) trait Callable {
    /// It.
    type Function;
}

impl<F> Callable for Option<F> {
    type Function = F;
}

/// Makes `Api`, a table of a loader's functions under their C names, and what opens the loader: the file that the
/// `variable` names, else `file`.
macro_rules! functions {
    (
        loader { $(#[$first:meta])* variable: $variable:literal, file: $file:literal, }
        required { $($name:ident: $type:ty,)* }
        optional { $($opt_name:ident: $opt_type:ty,)* }
    ) => {
        /// Every function of the loader that is used here, under its C name.
        #[allow(non_snake_case)]
        pub(super) struct Api {
            $(pub $name: <$type as Callable>::Function,)*
            $(pub $opt_name: $opt_type,)*
        }

        impl Api {
            fn find(library: &Library) -> Result<Api, libloading::Error> {
                // SAFETY: each symbol is looked up under the name whose C declaration the type was made from.
                unsafe {
                    Ok(Api {
                        $($name: *library.get(stringify!($name))?,)*
                        $($opt_name: library.get(stringify!($opt_name)).ok().map(|symbol| *symbol),)*
                    })
                }
            }
        }

        /// The loader's file.
        pub(super) fn loader_name() -> std::ffi::OsString {
            std::env::var_os($variable).unwrap_or($file.into())
        }

        $(#[$first])*
        pub(super) fn open_loader(name: &std::ffi::OsStr) -> Result<Library, libloading::Error> {
            let program = libloading::os::unix::Library::this().into();
            if std::env::var_os($variable).is_none() && Api::find(&program).is_ok() {
                return Ok(program);
            }
            // SAFETY: a loader has no other duty at load time than to set itself up.
            unsafe { Library::new(name) }
        }
    };
}

pub(super) use functions;
