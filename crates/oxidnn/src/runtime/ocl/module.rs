//! Programs: from text, from binaries, to binaries.

use std::ffi::CString;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use opencl_sys::*;

use super::code::{check, error};
use super::device::Device;
use super::handle::{Handle, ProgramKind, info_list};
use super::kernel::Kernel;
use crate::{Error, Result, ensure};

/// A version of OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standard {
    /// OpenCL C 1.2.
    Cl12,
    /// OpenCL C 2.0.
    Cl20,
    /// OpenCL C 3.0, whose features are all optional.
    Cl30,
}

impl Standard {
    /// The compiler's option for it.
    pub fn option(self) -> &'static str {
        match self {
            Standard::Cl12 => "-cl-std=CL1.2",
            Standard::Cl20 => "-cl-std=CL2.0",
            Standard::Cl30 => "-cl-std=CL3.0",
        }
    }
}

/// A program built for one device. Cloning clones a reference.
#[derive(Clone, Debug)]
pub struct Module(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    device: Device,
    program: Handle<ProgramKind>,
    /// Whether a kernel was created: drivers that compile lazily have a whole binary only then.
    compiled: AtomicBool,
}

impl Module {
    pub(super) fn compile(device: &Device, source: &str) -> Result<Module> {
        let api = device.api();
        let (mut text, length) = (source.as_ptr().cast(), source.len());
        let mut code = CL_SUCCESS;
        // SAFETY: one text with its length.
        let program = unsafe {
            let raw = (api.clCreateProgramWithSource)(device.raw_context(), 1, &mut text, &length, &mut code);
            Handle::created(api, raw, code, "clCreateProgramWithSource")?
        };
        Module::build(device, program, device.standard_for(source).option())
    }

    pub(super) fn load(device: &Device, binary: &[u8]) -> Result<Module> {
        ensure!(!binary.is_empty(), "the program binary is empty");
        let api = device.api();
        let (mut bytes, length) = (binary.as_ptr(), binary.len());
        let (mut code, mut status) = (CL_SUCCESS, CL_SUCCESS);
        // SAFETY: one binary with its length for one live device.
        let program = unsafe {
            let raw = (api.clCreateProgramWithBinary)(
                device.raw_context(),
                1,
                &device.raw_device(),
                &length,
                &mut bytes,
                &mut status,
                &mut code,
            );
            Handle::created(api, raw, code, "clCreateProgramWithBinary")
                .and_then(|program| check(status, "clCreateProgramWithBinary").map(|()| program))
        };
        let refused = |e: Error| Error::invalid(format!("the driver refuses the program binary: {e}"));
        Module::build(device, program.map_err(refused)?, "").map_err(refused)
    }

    fn build(device: &Device, program: Handle<ProgramKind>, options: &str) -> Result<Module> {
        let options = CString::new(options).map_err(|_| Error::invalid("a build option holds a NUL"))?;
        // SAFETY: a live program and device, terminated options, no callback: the call returns when it is done.
        let code = unsafe {
            (device.api().clBuildProgram)(
                program.raw(),
                1,
                &device.raw_device(),
                options.as_ptr(),
                None,
                ptr::null_mut(),
            )
        };
        check(code, "clBuildProgram").map_err(|e| {
            let log = build_log(device, &program);
            Error::new(e.status(), format!("{e}\n{log}"))
        })?;
        Ok(Module(Arc::new(Inner { device: device.clone(), program, compiled: AtomicBool::new(false) })))
    }

    /// The device binary, which [`Device::load`] takes. It is best taken after the module's kernels were created: until
    /// then some drivers have not compiled them.
    pub fn binary(&self) -> Result<Vec<u8>> {
        let (api, program) = (self.0.device.api(), self.0.program.raw());
        if !self.0.compiled.load(Ordering::Acquire) {
            self.create_all()?;
        }
        let fail = |code| error(code, "clGetProgramInfo");
        // SAFETY: a live program.
        let (devices, sizes) = unsafe {
            (
                info_list::<cl_device_id>(api.clGetProgramInfo, program, CL_PROGRAM_DEVICES).map_err(fail)?,
                info_list::<usize>(api.clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES).map_err(fail)?,
            )
        };
        // A program is made for all devices of its context and built for one of them.
        let built = devices.iter().position(|&device| device == self.0.device.raw_device());
        let built = built.or_else(|| sizes.iter().position(|&size| size > 0)).unwrap_or(0);
        let size = sizes.get(built).copied().unwrap_or(0);
        if size == 0 {
            return Err(Error::runtime("the driver gives no program binary"));
        }
        let mut binary = vec![0u8; size];
        let mut places = vec![ptr::null_mut::<u8>(); sizes.len()];
        places[built] = binary.as_mut_ptr();
        // SAFETY: a place of the announced size for the device's binary, null for those not asked for.
        let code = unsafe {
            let bytes = size_of_val(places.as_slice());
            let out = places.as_mut_ptr().cast();
            (api.clGetProgramInfo)(program, CL_PROGRAM_BINARIES, bytes, out, ptr::null_mut())
        };
        check(code, "clGetProgramInfo")?;
        Ok(binary)
    }

    fn create_all(&self) -> Result<()> {
        let (api, program) = (self.0.device.api(), self.0.program.raw());
        let mut count = 0;
        // SAFETY: a live program; only the number is asked for.
        let code = unsafe { (api.clCreateKernelsInProgram)(program, 0, ptr::null_mut(), &mut count) };
        check(code, "clCreateKernelsInProgram")?;
        let mut kernels = vec![ptr::null_mut(); count as usize];
        // SAFETY: room for the announced number, each of which is released right away.
        unsafe {
            let code = (api.clCreateKernelsInProgram)(program, count, kernels.as_mut_ptr(), &mut count);
            check(code, "clCreateKernelsInProgram")?;
            for kernel in kernels {
                (api.clReleaseKernel)(kernel);
            }
        }
        self.0.compiled.store(true, Ordering::Release);
        Ok(())
    }

    /// A kernel of the module. `preset` holds (argument index, value) pairs that stay the same over launches.
    pub fn kernel(&self, name: &str, preset: &[(u32, &[u8])]) -> Result<Kernel> {
        let kernel = Kernel::new(self, name, preset)?;
        self.0.compiled.store(true, Ordering::Release);
        Ok(kernel)
    }

    pub(super) fn device(&self) -> &Device {
        &self.0.device
    }

    pub(super) fn program(&self) -> &Handle<ProgramKind> {
        &self.0.program
    }
}

fn build_log(device: &Device, program: &Handle<ProgramKind>) -> String {
    let getter = device.api().clGetProgramBuildInfo;
    let mut size = 0;
    let (program, device) = (program.raw(), device.raw_device());
    // SAFETY: a live program and device; only the size is asked for.
    let code = unsafe { getter(program, device, CL_PROGRAM_BUILD_LOG, 0, ptr::null_mut(), &mut size) };
    let mut log = vec![0u8; if code == CL_SUCCESS { size } else { 0 }];
    // SAFETY: room for the announced size.
    unsafe { getter(program, device, CL_PROGRAM_BUILD_LOG, log.len(), log.as_mut_ptr().cast(), ptr::null_mut()) };
    let end = log.iter().position(|&b| b == 0).unwrap_or(log.len());
    String::from_utf8_lossy(&log[..end]).trim().to_owned()
}
