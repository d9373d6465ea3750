//! Programs: from OpenCL C, from binaries, to binaries.

use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

use super::bindings::*;
use super::code::{check, error};
use super::device::Device;
use super::kernel::Kernel;
use super::spirv;
use crate::{Error, Result, ensure};

/// The format of OpenCL C text. Drivers take it as an extension, and no header names it.
const ZE_MODULE_FORMAT_OCLC: ze_module_format_t = 3;

/// A program built for one device. Cloning clones a reference.
#[derive(Clone, Debug)]
pub struct Module(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    device: Device,
    raw: ze_module_handle_t,
}

// SAFETY: modules may be used from any thread.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: made here; its kernels hold references to it, and queues to kernels that still run.
        unsafe { (self.device.api().zeModuleDestroy)(self.raw) };
    }
}

/// Why a module was not built.
struct Refused {
    code: ze_result_t,
    log: String,
}

impl Refused {
    /// Whether the driver does not know the format of what it was given.
    fn is_format(&self) -> bool {
        matches!(
            self.code,
            ZE_RESULT_ERROR_INVALID_ENUMERATION
                | ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION
                | ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
        )
    }
}

impl From<Refused> for Error {
    fn from(Refused { code, log }: Refused) -> Error {
        let e = error(code, "zeModuleCreate");
        if log.is_empty() { e } else { Error::new(e.status(), format!("{e}\n{log}")) }
    }
}

impl Module {
    /// Builds OpenCL C text: the driver does, or if it takes SPIR-V only, [`spirv`]'s compiler and the driver.
    pub(super) fn compile(device: &Device, source: &str) -> Result<Module> {
        // OpenCL C 1.2 promises the most; only text that uses sub-groups needs a newer one.
        let standards: &[&str] =
            if source.contains("sub_group") { &["-cl-std=CL3.0", "-cl-std=CL2.0"] } else { &["-cl-std=CL1.2"] };
        let mut last = None;
        for options in standards {
            match Module::build(device, ZE_MODULE_FORMAT_OCLC, source.as_bytes(), options) {
                Ok(module) => return Ok(module),
                Err(refused) if refused.is_format() => return Module::through_spirv(device, source, options),
                Err(refused) => last = Some(refused),
            }
        }
        Err(last.map_or_else(|| Error::runtime("no version of OpenCL C to build as"), Error::from))
    }

    pub(super) fn through_spirv(device: &Device, source: &str, standard: &str) -> Result<Module> {
        let binary = spirv::compile(source, standard)?;
        Ok(Module::build(device, ZE_MODULE_FORMAT_IL_SPIRV, &binary, "")?)
    }

    pub(super) fn load(device: &Device, binary: &[u8]) -> Result<Module> {
        ensure!(!binary.is_empty(), "the program binary is empty");
        Module::build(device, ZE_MODULE_FORMAT_NATIVE, binary, "").map_err(|refused| {
            Error::invalid(format!("the driver refuses the program binary: {}", Error::from(refused)))
        })
    }

    fn build(device: &Device, format: ze_module_format_t, input: &[u8], options: &str) -> Result<Module, Refused> {
        let api = device.api();
        // Text has no length for every driver: a zero ends it.
        let terminated: Vec<u8> = input.iter().copied().chain([0]).collect();
        let options = CString::new(options)
            .map_err(|_| Refused { code: ZE_RESULT_ERROR_INVALID_ARGUMENT, log: "an option holds a NUL".into() })?;
        let desc = ze_module_desc_t {
            stype: ZE_STRUCTURE_TYPE_MODULE_DESC,
            format,
            inputSize: input.len(),
            pInputModule: terminated.as_ptr(),
            pBuildFlags: options.as_ptr(),
            ..Default::default()
        };
        let (mut raw, mut log) = (ptr::null_mut(), ptr::null_mut());
        let log_place = if api.gives_logs() { &raw mut log } else { ptr::null_mut() };
        // SAFETY: a live context and device, an input with its length, terminated options, places for the results.
        let code =
            unsafe { (api.zeModuleCreate)(device.raw_context(), device.raw_device(), &desc, &mut raw, log_place) };
        let log = take_log(device, log);
        if code != ZE_RESULT_SUCCESS {
            return Err(Refused { code, log });
        }
        Ok(Module(Arc::new(Inner { device: device.clone(), raw })))
    }

    /// The device binary, which [`Device::load`] takes.
    pub fn binary(&self) -> Result<Vec<u8>> {
        let get = self.device().api().zeModuleGetNativeBinary;
        let mut size = 0;
        // SAFETY: a live module; only the size is asked for.
        check(unsafe { get(self.0.raw, &mut size, ptr::null_mut()) }, "zeModuleGetNativeBinary")?;
        let mut binary = vec![0; size];
        // SAFETY: room for the size that the driver said.
        check(unsafe { get(self.0.raw, &mut size, binary.as_mut_ptr()) }, "zeModuleGetNativeBinary")?;
        binary.truncate(size);
        if binary.is_empty() {
            return Err(Error::runtime("the driver gives no program binary"));
        }
        Ok(binary)
    }

    /// A kernel of the module. `preset` holds (argument index, value) pairs that stay the same over launches.
    pub fn kernel(&self, name: &str, preset: &[(u32, &[u8])]) -> Result<Kernel> {
        Kernel::new(self, name, preset)
    }

    pub(super) fn device(&self) -> &Device {
        &self.0.device
    }

    pub(super) fn raw(&self) -> ze_module_handle_t {
        self.0.raw
    }
}

/// Reads a build log and destroys it.
fn take_log(device: &Device, log: ze_module_build_log_handle_t) -> String {
    if log.is_null() {
        return String::new();
    }
    let api = device.api();
    let mut size = 0;
    // SAFETY: a live log; only the size is asked for.
    let code = unsafe { (api.zeModuleBuildLogGetString)(log, &mut size, ptr::null_mut()) };
    let mut text = vec![0u8; if code == ZE_RESULT_SUCCESS { size } else { 0 }];
    // SAFETY: room for the size that the driver said; the log is destroyed once.
    unsafe {
        (api.zeModuleBuildLogGetString)(log, &mut size, text.as_mut_ptr().cast());
        (api.zeModuleBuildLogDestroy)(log);
    }
    let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    String::from_utf8_lossy(&text[..end]).trim().to_owned()
}
