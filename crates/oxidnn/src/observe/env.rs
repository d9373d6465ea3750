//! The environment variables of the library, read in one place and once.
//!
//! | variable | values | default | meaning |
//! |---|---|---|---|
//! | `ONEDNN_VERBOSE` | see [`verbose`](super::verbose) | `error` | which lines are printed |
//! | `ONEDNN_VERBOSE_TIMESTAMP` | `0`, `1` | `0` | whether lines carry the time |
//! | `ONEDNN_PRIMITIVE_CACHE_CAPACITY` | a count | `1024` | primitives kept; 0 keeps none |
//! | `ONEDNN_DEFAULT_FPMATH_MODE` | `strict`, `bf16`, `f16`, `tf32`, `any` | `strict` | the mode of new attributes |
//! | `ONEDNN_JIT_DUMP` | `0`, `1` | `0` | whether texts of kernels are written to files |
//! | `ONEDNN_MAX_CPU_ISA` | a name | | accepted; the CPU engine has one form for all |
//! | `OXIDNN_CACHE_DIR` | a directory | `$XDG_CACHE_HOME/oxidnn`, else `~/.cache/oxidnn` | where built kernels are kept |
//! | `OXIDNN_DISK_CACHE` | `0`, `1` | `1` | whether they are kept |
//! | `OXIDNN_DISK_CACHE_SIZE` | bytes | 512 MiB | how much room they may take |
//! | `OXIDNN_TUNE` | `0`, `1` | `0` | whether forms of contractions are measured that were not measured yet |
//! | `OXIDNN_GPU_RUNTIME` | `ocl`, `ze` | both | which runtime's devices count as GPU engines |
//! | `OXIDNN_DEVICE_PROFILE` | `cpu`, `avx2`, `avxvnni`, `avx512`, `amx`, `gpu` | the device's own | which form of the schedules runs, read by the runtimes themselves |
//! | `OXIDNN_OPENCL_LIB` | a path | the system's | the OpenCL loader, read by the OpenCL runtime itself |
//! | `OXIDNN_LEVEL_ZERO_LIB` | a path | the system's | the Level Zero loader, read by the Level Zero runtime itself |
//! | `OXIDNN_SPIRV_COMPILER` | a program | `clang` | makes SPIR-V where a Level Zero driver takes no OpenCL C |
//!
//! Every `ONEDNN_X` has the alias `DNNL_X`, which counts where `ONEDNN_X` is absent or empty. A value that cannot be
//! understood is as good as none.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::desc::FpmathMode;
use crate::runtime::Runtime;

/// What the environment asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `ONEDNN_VERBOSE`, in lower case; empty if it is not set.
    pub verbose: String,
    /// `ONEDNN_VERBOSE_TIMESTAMP`
    pub verbose_timestamp: bool,
    /// `ONEDNN_PRIMITIVE_CACHE_CAPACITY`
    pub primitive_cache_capacity: usize,
    /// `ONEDNN_DEFAULT_FPMATH_MODE`
    pub fpmath_mode: FpmathMode,
    /// `ONEDNN_JIT_DUMP`
    pub jit_dump: bool,
    /// `ONEDNN_MAX_CPU_ISA`, in lower case.
    pub max_cpu_isa: Option<String>,
    /// The directory of the disk cache; none if it is off or the user has no home.
    pub cache_dir: Option<PathBuf>,
    /// `OXIDNN_DISK_CACHE_SIZE`
    pub disk_cache_size: u64,
    /// `OXIDNN_TUNE`
    pub tune: bool,
    /// `OXIDNN_GPU_RUNTIME`
    pub gpu_runtime: Option<Runtime>,
}

impl Settings {
    /// What the environment said when it was first asked.
    ///
    /// ```
    /// let settings = oxidnn::observe::Settings::get();
    /// println!("{} primitives are kept", settings.primitive_cache_capacity);
    /// ```
    pub fn get() -> &'static Settings {
        static SETTINGS: OnceLock<Settings> = OnceLock::new();
        SETTINGS.get_or_init(|| Settings::read(|name| std::env::var_os(name)?.into_string().ok()))
    }

    fn read(variable: impl Fn(&str) -> Option<String>) -> Settings {
        let own = |name: &str| variable(name).filter(|value| !value.is_empty());
        let shared = |name: &str| {
            let value = own(&format!("ONEDNN_{name}")).or_else(|| own(&format!("DNNL_{name}")));
            value.map(|value| value.trim().to_ascii_lowercase())
        };
        Settings {
            verbose: shared("VERBOSE").unwrap_or_default(),
            verbose_timestamp: number(shared("VERBOSE_TIMESTAMP")).is_some_and(|n: i64| n != 0),
            primitive_cache_capacity: number(shared("PRIMITIVE_CACHE_CAPACITY")).unwrap_or(1024),
            fpmath_mode: shared("DEFAULT_FPMATH_MODE")
                .and_then(|name| FpmathMode::ALL.iter().copied().find(|mode| mode.name() == name))
                .unwrap_or(FpmathMode::Strict),
            jit_dump: number(shared("JIT_DUMP")).is_some_and(|n: i64| n != 0),
            max_cpu_isa: shared("MAX_CPU_ISA"),
            cache_dir: match own("OXIDNN_DISK_CACHE").as_deref() {
                Some("0") => None,
                _ => cache_dir(own),
            },
            disk_cache_size: number(own("OXIDNN_DISK_CACHE_SIZE")).unwrap_or(512 << 20),
            tune: number(own("OXIDNN_TUNE")).is_some_and(|n: i64| n != 0),
            gpu_runtime: match own("OXIDNN_GPU_RUNTIME").as_deref() {
                Some("ocl") => Some(Runtime::Ocl),
                Some("ze") => Some(Runtime::Ze),
                _ => None,
            },
        }
    }
}

/// `ONEDNN_PRIMITIVE_CACHE_CAPACITY`
pub fn primitive_cache_capacity() -> usize {
    Settings::get().primitive_cache_capacity
}

fn number<T: FromStr>(value: Option<String>) -> Option<T> {
    value?.trim().parse().ok()
}

fn cache_dir(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let path = |name| variable(name).map(PathBuf::from);
    // The XDG specification ignores relative paths.
    path("OXIDNN_CACHE_DIR")
        .or_else(|| Some(path("XDG_CACHE_HOME").filter(|home| home.is_absolute())?.join("oxidnn")))
        .or_else(|| Some(path("HOME").filter(|home| home.is_absolute())?.join(".cache/oxidnn")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Settings {
        Settings::read(|name| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string()))
    }

    #[test]
    fn nothing_set_gives_the_defaults() {
        assert_eq!(
            read(&[]),
            Settings {
                verbose: String::new(),
                verbose_timestamp: false,
                primitive_cache_capacity: 1024,
                fpmath_mode: FpmathMode::Strict,
                jit_dump: false,
                max_cpu_isa: None,
                cache_dir: None,
                disk_cache_size: 512 << 20,
                tune: false,
                gpu_runtime: None,
            }
        );
    }

    #[test]
    fn the_onednn_name_wins_over_its_alias_unless_empty() {
        assert_eq!(read(&[("DNNL_VERBOSE", "All")]).verbose, "all");
        assert_eq!(read(&[("DNNL_VERBOSE", "all"), ("ONEDNN_VERBOSE", "check")]).verbose, "check");
        assert_eq!(read(&[("DNNL_VERBOSE", "all"), ("ONEDNN_VERBOSE", "")]).verbose, "all");
    }

    #[test]
    fn values_are_read() {
        let settings = read(&[
            ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "0"),
            ("DNNL_VERBOSE_TIMESTAMP", "1"),
            ("DNNL_DEFAULT_FPMATH_MODE", "BF16"),
            ("ONEDNN_MAX_CPU_ISA", "AVX2"),
            ("OXIDNN_DISK_CACHE_SIZE", "4096"),
            ("OXIDNN_TUNE", "1"),
            ("OXIDNN_GPU_RUNTIME", "ze"),
        ]);
        assert!(settings.tune);
        assert_eq!(settings.primitive_cache_capacity, 0);
        assert!(settings.verbose_timestamp);
        assert_eq!(settings.fpmath_mode, FpmathMode::Bf16);
        assert_eq!(settings.max_cpu_isa.as_deref(), Some("avx2"));
        assert_eq!(settings.disk_cache_size, 4096);
        assert_eq!(settings.gpu_runtime, Some(Runtime::Ze));
    }

    #[test]
    fn nonsense_is_as_good_as_nothing() {
        let settings = read(&[
            ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "-3"),
            ("ONEDNN_DEFAULT_FPMATH_MODE", "fast"),
            ("OXIDNN_DISK_CACHE_SIZE", "many"),
            ("OXIDNN_TUNE", "please"),
            ("OXIDNN_GPU_RUNTIME", "cuda"),
        ]);
        assert_eq!(settings, read(&[]));
    }

    #[test]
    fn the_cache_directory_follows_the_xdg_rules() {
        let home = ("HOME", "/home/u");
        let dir = |variables: &[(&str, &str)]| read(variables).cache_dir.map(|path| path.display().to_string());
        assert_eq!(dir(&[home]).unwrap(), "/home/u/.cache/oxidnn");
        assert_eq!(dir(&[home, ("XDG_CACHE_HOME", "/c")]).unwrap(), "/c/oxidnn");
        assert_eq!(dir(&[home, ("XDG_CACHE_HOME", "c")]).unwrap(), "/home/u/.cache/oxidnn");
        assert_eq!(dir(&[home, ("XDG_CACHE_HOME", "/c"), ("OXIDNN_CACHE_DIR", "/d")]).unwrap(), "/d");
        assert_eq!(dir(&[home, ("OXIDNN_CACHE_DIR", "/d"), ("OXIDNN_DISK_CACHE", "0")]), None);
        assert_eq!(dir(&[]), None);
    }
}
