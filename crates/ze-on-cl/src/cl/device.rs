//! The device: its choice among all that OpenCL has, what can be asked of it, and its memory.

use std::ffi::c_void;
use std::sync::OnceLock;

use opencl_sys::*;

use super::api::{Functions, Globals, Svm, Usm};
use super::queue::Idle;
use super::{ClError, Result, api, check, info, text};

/// Where an allocation lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// On the device.
    Device,
    /// On the host, for the device to reach.
    Host,
    /// Wherever it is used.
    Shared,
}

/// How the device shares pointers with the host.
pub(super) enum Sharing {
    /// `cl_intel_unified_shared_memory`.
    Usm(Usm),
    /// Core SVM; `fine` if the host may use allocations without mapping them.
    Svm { functions: Svm, fine: bool },
}

/// The OpenCL device behind the driver, with the one context that everything is in.
pub(crate) struct Cl {
    pub(super) device: cl_device_id,
    pub(super) context: cl_context,
    pub(super) sharing: Sharing,
    /// How kernels are given pointers where any address will do: quicker than to have each looked up in unified memory.
    pub(super) any_pointer: Option<Svm>,
    pub(super) globals: Option<Globals>,
    pub(super) functions: Option<Functions>,
    pub(super) idle: Idle,
    platform: cl_platform_id,
}

// SAFETY: OpenCL's device and context may be used from any thread.
unsafe impl Send for Cl {}
// SAFETY: as above.
unsafe impl Sync for Cl {}

/// A device that could be chosen.
struct Candidate {
    platform: cl_platform_id,
    device: cl_device_id,
    sharing: Sharing,
    /// Smaller is better.
    rank: (u8, u8),
}

impl Cl {
    /// The device, chosen on the first call: the one that `ZE_ON_CL_DEVICE` names, else the best there is.
    pub(crate) fn get() -> Option<&'static Cl> {
        static CL: OnceLock<Option<Cl>> = OnceLock::new();
        CL.get_or_init(Cl::choose).as_ref()
    }

    fn choose() -> Option<Cl> {
        let candidates = candidates().ok()?;
        let wanted = std::env::var("ZE_ON_CL_DEVICE").unwrap_or_default();
        let wanted = wanted.trim();
        let chosen = match wanted.parse::<usize>() {
            Ok(index) => candidates.into_iter().nth(index),
            Err(_) => candidates.into_iter().find(|candidate| candidate.is_called(wanted)),
        }?;
        Cl::open(chosen).ok()
    }

    fn open(chosen: Candidate) -> Result<Cl> {
        let mut code = 0;
        let properties = [CL_CONTEXT_PLATFORM, chosen.platform as isize, 0];
        // SAFETY: the list of properties is terminated and the device is of the platform.
        let context = unsafe {
            (api().clCreateContext)(properties.as_ptr(), 1, &chosen.device, None, std::ptr::null_mut(), &mut code)
        };
        check(code)?;
        let svm = device_numbers::<cl_bitfield>(chosen.device, CL_DEVICE_SVM_CAPABILITIES).unwrap_or_default();
        let system = svm.first().is_some_and(|svm| svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0);
        Ok(Cl {
            device: chosen.device,
            context,
            sharing: chosen.sharing,
            any_pointer: api().svm().filter(|_| system),
            globals: Globals::find(chosen.platform),
            functions: Functions::find(chosen.platform),
            idle: Idle::default(),
            platform: chosen.platform,
        })
    }

    /// A property of plain type.
    pub(crate) fn number<T: Copy + Default>(&self, name: cl_device_info) -> Option<T> {
        device_numbers(self.device, name).ok()?.first().copied()
    }

    /// A property that is a list.
    pub(crate) fn numbers<T: Copy + Default>(&self, name: cl_device_info) -> Vec<T> {
        device_numbers(self.device, name).unwrap_or_default()
    }

    /// A property that is a text.
    pub(crate) fn text(&self, name: cl_device_info) -> String {
        device_text(self.device, name)
    }

    /// A property of the platform.
    pub(crate) fn platform_text(&self, name: cl_platform_info) -> String {
        platform_text(self.platform, name)
    }

    /// Whether the device has an extension.
    pub(crate) fn has(&self, extension: &str) -> bool {
        self.text(CL_DEVICE_EXTENSIONS).split(' ').any(|found| found == extension)
    }

    /// Whether modules can be made from SPIR-V.
    pub(crate) fn takes_spirv(&self) -> bool {
        api().clCreateProgramWithIL.is_some() && self.text(CL_DEVICE_IL_VERSION).contains("SPIR-V")
    }

    /// Whether addresses of variables in programs can be asked for.
    pub(crate) fn knows_globals(&self) -> bool {
        self.globals.is_some()
    }

    /// Whether addresses of functions in programs can be asked for.
    pub(crate) fn knows_functions(&self) -> bool {
        self.functions.is_some()
    }

    /// Whether there is memory of a kind.
    pub(crate) fn can_allocate(&self, kind: Kind) -> bool {
        match &self.sharing {
            Sharing::Usm(_) => {
                let name = match kind {
                    Kind::Device => CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
                    Kind::Host => CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL,
                    Kind::Shared => CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
                };
                self.number::<cl_bitfield>(name).unwrap_or(0) != 0
            }
            Sharing::Svm { fine, .. } => kind == Kind::Device || *fine,
        }
    }

    /// Whether queues can leave the order of commands to their events.
    pub(crate) fn has_out_of_order_queues(&self) -> bool {
        let properties = self.number::<cl_bitfield>(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES).unwrap_or(0);
        properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0
    }

    /// Whether kernels may use any pointer of the host's.
    pub(crate) fn shares_system_memory(&self) -> bool {
        let svm = self.number::<cl_bitfield>(CL_DEVICE_SVM_CAPABILITIES).unwrap_or(0);
        svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0
    }

    /// Whether the device may use atomics on memory that it shares with the host.
    pub(crate) fn shares_atomics(&self) -> bool {
        let svm = self.number::<cl_bitfield>(CL_DEVICE_SVM_CAPABILITIES).unwrap_or(0);
        svm & CL_DEVICE_SVM_ATOMICS != 0
    }

    /// Memory of a kind; the size is not 0 and the alignment a power of two or 0.
    pub(crate) fn allocate(&self, kind: Kind, size: usize, alignment: usize) -> Result<*mut c_void> {
        let mut code = 0;
        let align = alignment.min(1 << 30) as cl_uint;
        // SAFETY: context and device belong together; a null list of properties is an empty one.
        let pointer = unsafe {
            match &self.sharing {
                Sharing::Usm(usm) => {
                    let (context, device, none) = (self.context, self.device, std::ptr::null());
                    match kind {
                        Kind::Device => (usm.clDeviceMemAllocINTEL)(context, device, none, size, align, &mut code),
                        Kind::Host => (usm.clHostMemAllocINTEL)(context, none, size, align, &mut code),
                        Kind::Shared => (usm.clSharedMemAllocINTEL)(context, device, none, size, align, &mut code),
                    }
                }
                Sharing::Svm { functions, fine } => {
                    let fine = if *fine { CL_MEM_SVM_FINE_GRAIN_BUFFER } else { 0 };
                    (functions.clSVMAlloc)(self.context, CL_MEM_READ_WRITE | fine, size, align)
                }
            }
        };
        check(code)?;
        if pointer.is_null() { Err(ClError(CL_MEM_OBJECT_ALLOCATION_FAILURE)) } else { Ok(pointer) }
    }

    /// Frees an allocation that nothing uses any more.
    pub(crate) fn free(&self, pointer: *mut c_void) -> Result {
        // SAFETY: the caller got the pointer from `allocate` and frees it once.
        unsafe {
            match &self.sharing {
                Sharing::Usm(usm) => check((usm.clMemFreeINTEL)(self.context, pointer)),
                Sharing::Svm { functions, .. } => {
                    (functions.clSVMFree)(self.context, pointer);
                    Ok(())
                }
            }
        }
    }

    /// The time of the device and of the host, in nanoseconds.
    pub(crate) fn timers(&self) -> Option<(u64, u64)> {
        let (mut device, mut host) = (0, 0);
        let query = api().clGetDeviceAndHostTimer?;
        // SAFETY: both results have room.
        check(unsafe { query(self.device, &mut device, &mut host) }).ok()?;
        Some((device, host))
    }
}

impl Candidate {
    /// A device is called by any part of its platform's or its own name.
    fn is_called(&self, wanted: &str) -> bool {
        let platform = platform_text(self.platform, CL_PLATFORM_NAME);
        let name = format!("{platform} {}", device_text(self.device, CL_DEVICE_NAME));
        name.to_lowercase().contains(&wanted.to_lowercase())
    }
}

/// All devices that share pointers with the host, best first.
fn candidates() -> Result<Vec<Candidate>> {
    let Some(api) = super::api::Api::get() else { return Ok(Vec::new()) };
    let mut count = 0;
    // SAFETY: asks for the number only.
    check(unsafe { (api.clGetPlatformIDs)(0, std::ptr::null_mut(), &mut count) })?;
    let mut platforms = vec![std::ptr::null_mut(); count as usize];
    // SAFETY: there is room for that many.
    check(unsafe { (api.clGetPlatformIDs)(count, platforms.as_mut_ptr(), std::ptr::null_mut()) })?;
    let mut found = Vec::new();
    for platform in platforms {
        for device in devices(platform) {
            found.extend(candidate(platform, device));
        }
    }
    found.sort_by_key(|candidate| candidate.rank);
    Ok(found)
}

fn devices(platform: cl_platform_id) -> Vec<cl_device_id> {
    let mut count = 0;
    // SAFETY: asks for the number only.
    let code = unsafe { (api().clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 0, std::ptr::null_mut(), &mut count) };
    let mut devices = vec![std::ptr::null_mut(); if code == 0 { count as usize } else { 0 }];
    if !devices.is_empty() {
        // SAFETY: there is room for that many.
        let code = unsafe {
            (api().clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, count, devices.as_mut_ptr(), std::ptr::null_mut())
        };
        if code != 0 {
            devices.clear();
        }
    }
    devices
}

fn candidate(platform: cl_platform_id, device: cl_device_id) -> Option<Candidate> {
    let flag = |name| device_numbers::<cl_bool>(device, name).is_ok_and(|value| value.first() == Some(&CL_TRUE));
    if !flag(CL_DEVICE_AVAILABLE) || !flag(CL_DEVICE_COMPILER_AVAILABLE) {
        return None;
    }
    let extensions = device_text(device, CL_DEVICE_EXTENSIONS);
    let usm = extensions.split(' ').any(|name| name == "cl_intel_unified_shared_memory");
    let sharing = match Usm::find(platform).filter(|_| usm) {
        Some(usm) => Sharing::Usm(usm),
        None => {
            let svm = *device_numbers::<cl_bitfield>(device, CL_DEVICE_SVM_CAPABILITIES).ok()?.first()?;
            if svm & (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER) == 0 {
                return None;
            }
            Sharing::Svm { functions: api().svm()?, fine: svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0 }
        }
    };
    let kind = *device_numbers::<cl_bitfield>(device, CL_DEVICE_TYPE).ok()?.first()?;
    let by_kind = match kind {
        kind if kind & CL_DEVICE_TYPE_GPU != 0 => 0,
        kind if kind & CL_DEVICE_TYPE_CPU == 0 => 1,
        _ => 2,
    };
    Some(Candidate { platform, device, rank: (by_kind, matches!(sharing, Sharing::Svm { .. }) as u8), sharing })
}

fn device_numbers<T: Copy + Default>(device: cl_device_id, name: cl_device_info) -> Result<Vec<T>> {
    // SAFETY: the results have the room that their size says.
    info(|size, value, actual| unsafe { (api().clGetDeviceInfo)(device, name, size, value, actual) })
}

fn device_text(device: cl_device_id, name: cl_device_info) -> String {
    device_numbers(device, name).map(text).unwrap_or_default()
}

fn platform_text(platform: cl_platform_id, name: cl_platform_info) -> String {
    // SAFETY: the results have the room that their size says.
    info(|size, value, actual| unsafe { (api().clGetPlatformInfo)(platform, name, size, value, actual) })
        .map(text)
        .unwrap_or_default()
}
