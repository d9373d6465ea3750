//! A kernel that any thread may launch: a pool of `ze_kernel_handle_t`s.
//!
//! The arguments and the group size of a kernel are state that two threads must not set at the same time, so each launch
//! takes an instance out of the pool and puts it back when it is appended, which is when the driver has read them. Preset
//! arguments are set once for each instance, the others at every launch.

use std::ffi::CString;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use super::bindings::*;
use super::code::{check, error};
use super::device::{Device, same_context};
use super::memory::Buffer;
use super::module::Module;
use crate::runtime::{self, Arg, DeviceType, NdRange};
use crate::{Error, Result, ensure};

/// A kernel with its preset arguments, ready to launch from any thread. Cloning clones a reference.
#[derive(Clone, Debug)]
pub struct Kernel(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    module: Module,
    name: CString,
    preset: Vec<(u32, Box<[u8]>)>,
    arguments: usize,
    idle: Mutex<Vec<Instance>>,
}

/// One handle, with nobody else using it.
#[derive(Debug)]
pub(super) struct Instance {
    raw: ze_kernel_handle_t,
    module: Module,
    /// The index space of the last launch and the groups it was split into.
    split: Option<(NdRange, [u32; 3])>,
}

// SAFETY: kernels may be used from any thread, one at a time.
unsafe impl Send for Instance {}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: made here, and the queues keep the kernel until its launches are done.
        unsafe { (self.module.device().api().zeKernelDestroy)(self.raw) };
    }
}

impl Kernel {
    pub(super) fn new(module: &Module, name: &str, preset: &[(u32, &[u8])]) -> Result<Kernel> {
        let mut kernel = Inner {
            module: module.clone(),
            name: CString::new(name).map_err(|_| Error::invalid("the kernel's name holds a NUL"))?,
            preset: preset.iter().map(|&(index, value)| (index, value.into())).collect(),
            arguments: 0,
            idle: Mutex::default(),
        };
        let first = kernel.instance()?;
        let mut properties =
            ze_kernel_properties_t { stype: ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES, ..Default::default() };
        // SAFETY: a live kernel and a structure that says what it is.
        let code = unsafe { (module.device().api().zeKernelGetProperties)(first.raw, &mut properties) };
        check(code, "zeKernelGetProperties")?;
        kernel.arguments = properties.numKernelArgs as usize;
        kernel.put_back(first);
        Ok(Kernel(Arc::new(kernel)))
    }

    /// The device it was built for.
    pub fn device(&self) -> &Device {
        self.0.module.device()
    }

    /// What tells kernels apart.
    pub(super) fn key(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// An instance with every argument and the group size set. If that fails the instance is lost and not its next user's
    /// problem.
    pub(super) fn bind(&self, args: &[Arg<'_>], range: NdRange) -> Result<(Instance, ze_group_count_t)> {
        let kernel = &*self.0;
        ensure!(
            args.len() == kernel.arguments,
            "kernel {} has {} arguments, {} were given",
            kernel.name.to_string_lossy(),
            kernel.arguments,
            args.len()
        );
        let idle = kernel.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut instance = match idle {
            Some(instance) => instance,
            None => kernel.instance()?,
        };
        for (index, arg) in (0..).zip(args) {
            match arg {
                Arg::Buffer(runtime::Buffer::Ze(buffer)) => kernel.set_buffer(&mut instance, index, buffer)?,
                Arg::Buffer(_) => return Err(runtime::mismatch("the buffer")),
                Arg::Value(value) => instance.set(index, value)?,
                Arg::Preset => ensure!(kernel.preset_value(index).is_some(), "argument {index} has no preset value"),
            }
        }
        let groups = instance.split(range)?;
        Ok((instance, groups))
    }

    /// Gives an instance back after its launch, with the presets that `args` replaced in place again.
    pub(super) fn restore(&self, mut instance: Instance, args: &[Arg<'_>]) {
        for (index, arg) in (0..).zip(args) {
            if let (Arg::Value(_) | Arg::Buffer(_), Some(value)) = (arg, self.0.preset_value(index))
                && instance.set(index, value).is_err()
            {
                return;
            }
        }
        self.0.put_back(instance);
    }
}

impl Inner {
    fn instance(&self) -> Result<Instance> {
        let desc = ze_kernel_desc_t {
            stype: ZE_STRUCTURE_TYPE_KERNEL_DESC,
            pKernelName: self.name.as_ptr(),
            ..Default::default()
        };
        let mut raw = ptr::null_mut();
        // SAFETY: a live module, a terminated name and a place for the result.
        let code = unsafe { (self.module.device().api().zeKernelCreate)(self.module.raw(), &desc, &mut raw) };
        check(code, "zeKernelCreate")
            .map_err(|e| Error::new(e.status(), format!("kernel {}: {e}", self.name.to_string_lossy())))?;
        let mut instance = Instance { raw, module: self.module.clone(), split: None };
        for (index, value) in &self.preset {
            instance.set(*index, value)?;
        }
        Ok(instance)
    }

    fn preset_value(&self, index: u32) -> Option<&[u8]> {
        self.preset.iter().find(|(i, _)| *i == index).map(|(_, value)| &**value)
    }

    fn put_back(&self, instance: Instance) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(instance);
    }

    fn set_buffer(&self, instance: &mut Instance, index: u32, buffer: &Buffer) -> Result<()> {
        same_context(buffer.device(), self.module.device(), "buffer")?;
        let address = buffer.pointer().addr();
        instance
            .set(index, &address.to_ne_bytes())
            .map_err(|e| Error::new(e.status(), format!("kernel {}: {e}", self.name.to_string_lossy())))
    }
}

/// Groups so much smaller than suggested that each core gets some; not more, since each costs time to start.
fn spread(global: [u32; 3], mut size: [u32; 3], cores: usize) -> [u32; 3] {
    const GROUPS_PER_CORE: usize = 2;
    let groups = |size: [u32; 3]| (0..3).map(|axis| (global[axis] / size[axis]) as usize).product::<usize>();
    // Vectors go along the first axis, so that is cut last.
    for axis in [2, 1, 0] {
        while size[axis] > 1 && groups(size) < GROUPS_PER_CORE * cores {
            let smaller = (1..=size[axis] / 2).rev().find(|n| global[axis].is_multiple_of(*n));
            size[axis] = smaller.unwrap_or(1);
        }
    }
    size
}

impl Instance {
    pub(super) fn raw(&self) -> ze_kernel_handle_t {
        self.raw
    }

    fn set(&mut self, index: u32, value: &[u8]) -> Result<()> {
        let set = self.module.device().api().zeKernelSetArgumentValue;
        // SAFETY: a live kernel that nobody else holds; the driver copies the bytes and checks their number.
        let code = unsafe { set(self.raw, index, value.len(), value.as_ptr().cast()) };
        if code == ZE_RESULT_SUCCESS {
            return Ok(());
        }
        let e = error(code, "zeKernelSetArgumentValue");
        Err(Error::new(e.status(), format!("argument {index}, {} bytes: {e}", value.len())))
    }

    /// Sets the group size, and says how many groups there are.
    fn split(&mut self, range: NdRange) -> Result<ze_group_count_t> {
        let size = match self.split {
            Some((last, size)) if last == range => size,
            _ => {
                let size = self.group_size(range)?;
                let set = self.module.device().api().zeKernelSetGroupSize;
                // SAFETY: a live kernel that nobody else holds.
                check(unsafe { set(self.raw, size[0], size[1], size[2]) }, "zeKernelSetGroupSize")?;
                self.split = Some((range, size));
                size
            }
        };
        let mut counts = [0u32; 3];
        for axis in 0..3 {
            let count = range.global[axis] / size[axis] as usize;
            counts[axis] =
                count.try_into().map_err(|_| Error::invalid(format!("{count} work-groups along one dimension")))?;
        }
        Ok(ze_group_count_t { groupCountX: counts[0], groupCountY: counts[1], groupCountZ: counts[2] })
    }

    fn group_size(&self, range: NdRange) -> Result<[u32; 3]> {
        if let Some(local) = range.local {
            let fits = (0..3).all(|axis| local[axis] > 0 && range.global[axis].is_multiple_of(local[axis]));
            ensure!(fits, "work-groups of {local:?} do not fill {:?} work-items", range.global);
            return Ok(local.map(|size| size as u32));
        }
        let global = range.global.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        let mut size = [1u32; 3];
        let [x, y, z] = &mut size;
        let device = self.module.device();
        let suggest = device.api().zeKernelSuggestGroupSize;
        // SAFETY: a live kernel and places for the results.
        let code = unsafe { suggest(self.raw, global[0], global[1], global[2], x, y, z) };
        let fills = (0..3).all(|axis| size[axis] > 0 && range.global[axis].is_multiple_of(size[axis] as usize));
        if code != ZE_RESULT_SUCCESS || !fills {
            return Ok([1; 3]);
        }
        Ok(match device.profile().device_type {
            DeviceType::Cpu => spread(global, size, device.profile().compute_units),
            DeviceType::Gpu | DeviceType::Accelerator => size,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn every_core_gets_some_groups() {
        assert_eq!(spread([64, 1, 1], [64, 1, 1], 2), [16, 1, 1]);
        assert_eq!(spread([1024, 64, 1], [256, 1, 1], 2), [256, 1, 1]);
        assert_eq!(spread([16, 6, 1], [16, 6, 1], 2), [16, 1, 1]);
        assert_eq!(spread([7, 1, 1], [7, 1, 1], 2), [1, 1, 1]);
    }
}
