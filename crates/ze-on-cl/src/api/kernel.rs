//! `zeKernel*`.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use crate::bindings::*;
use crate::boundary::entries;
use crate::core::kernel::Kernel;
use crate::core::module::Module;
use crate::{Error, handle, pointer};

entries! {
    fn zeKernelCreate(
        module: ze_module_handle_t,
        desc: *const ze_kernel_desc_t,
        kernel: *mut ze_kernel_handle_t,
    ) {
        let module = handle::get::<Module>(module)?;
        let desc = pointer::required(desc)?;
        let name = pointer::text(desc.pKernelName)?;
        pointer::non_null(kernel)?;
        let known = ZE_KERNEL_FLAG_FORCE_RESIDENCY | ZE_KERNEL_FLAG_EXPLICIT_RESIDENCY;
        super::enumerator(desc.flags & !known == 0)?;
        let name = name.to_str().map_err(|_| Error(ZE_RESULT_ERROR_INVALID_KERNEL_NAME))?;
        pointer::write(kernel, handle::create(Arc::new(Kernel::new(Arc::clone(module), name)?)))
    }

    fn zeKernelDestroy(kernel: ze_kernel_handle_t) {
        handle::destroy::<Kernel>(kernel).map(drop)
    }

    fn zeKernelSetCacheConfig(kernel: ze_kernel_handle_t, flags: ze_cache_config_flags_t) {
        handle::get::<Kernel>(kernel)?;
        super::enumerator(flags & !(ZE_CACHE_CONFIG_FLAG_LARGE_SLM | ZE_CACHE_CONFIG_FLAG_LARGE_DATA) == 0)
    }

    fn zeKernelSetGroupSize(kernel: ze_kernel_handle_t, x: u32, y: u32, z: u32) {
        handle::get::<Kernel>(kernel)?.set_group_size([x, y, z])
    }

    fn zeKernelSuggestGroupSize(
        kernel: ze_kernel_handle_t,
        global_x: u32,
        global_y: u32,
        global_z: u32,
        x: *mut u32,
        y: *mut u32,
        z: *mut u32,
    ) {
        let kernel = handle::get::<Kernel>(kernel)?;
        let size = kernel.suggest_group_size([global_x, global_y, global_z]);
        for (out, size) in [x, y, z].into_iter().zip(size) {
            pointer::write(out, size)?;
        }
        Ok(())
    }

    fn zeKernelSuggestMaxCooperativeGroupCount(kernel: ze_kernel_handle_t, count: *mut u32) {
        pointer::write(count, handle::get::<Kernel>(kernel)?.max_cooperative_groups())
    }

    fn zeKernelSetArgumentValue(kernel: ze_kernel_handle_t, index: u32, size: usize, value: *const c_void) {
        let kernel = handle::get::<Kernel>(kernel)?;
        let bytes = if value.is_null() { None } else { Some(pointer::slice(value.cast(), size)?) };
        kernel.set_argument(index, size, bytes)
    }

    fn zeKernelSetIndirectAccess(kernel: ze_kernel_handle_t, flags: ze_kernel_indirect_access_flags_t) {
        let kernel = handle::get::<Kernel>(kernel)?;
        let known = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST
            | ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE
            | ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
        super::enumerator(flags & !known == 0)?;
        kernel.set_indirect(flags);
        Ok(())
    }

    fn zeKernelGetIndirectAccess(kernel: ze_kernel_handle_t, flags: *mut ze_kernel_indirect_access_flags_t) {
        pointer::write(flags, handle::get::<Kernel>(kernel)?.indirect())
    }

    fn zeKernelGetSourceAttributes(kernel: ze_kernel_handle_t, size: *mut u32, text: *mut *mut c_char) {
        let mut attributes = handle::get::<Kernel>(kernel)?.attributes().into_bytes();
        attributes.push(0);
        let size = pointer::output(size)?;
        if let Ok(text) = pointer::output(text)
            && !text.is_null()
        {
            let count = attributes.len().min(*size as usize);
            pointer::copy(text.cast(), &attributes[..count])?;
        }
        *size = attributes.len() as u32;
        Ok(())
    }

    fn zeKernelGetProperties(kernel: ze_kernel_handle_t, properties: *mut ze_kernel_properties_t) {
        let kernel = handle::get::<Kernel>(kernel)?;
        let properties = pointer::output(properties)?;
        kernel.describe(properties);
        for link in pointer::chain(properties.pNext) {
            let preferred = ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES;
            if let Some(preferred) = link.get::<ze_kernel_preferred_group_size_properties_t>(preferred) {
                preferred.preferredMultiple = kernel.preferred_multiple();
            }
            let max = ZE_STRUCTURE_TYPE_KERNEL_MAX_GROUP_SIZE_EXT_PROPERTIES;
            if let Some(max) = link.get::<ze_kernel_max_group_size_properties_ext_t>(max) {
                max.maxGroupSize = kernel.max_group_size() as u32;
            }
        }
        Ok(())
    }

    fn zeKernelGetName(kernel: ze_kernel_handle_t, size: *mut usize, text: *mut c_char) {
        let mut name = handle::get::<Kernel>(kernel)?.name.clone().into_bytes();
        name.push(0);
        pointer::bytes(size, text.cast(), &name)
    }

    fn zeKernelSetGlobalOffsetExp(kernel: ze_kernel_handle_t, x: u32, y: u32, z: u32) {
        handle::get::<Kernel>(kernel)?.set_offset([x, y, z]);
        Ok(())
    }

    fn zeKernelSchedulingHintExp(kernel: ze_kernel_handle_t, hint: *mut ze_scheduling_hint_exp_desc_t) {
        handle::get::<Kernel>(kernel)?;
        pointer::required(hint).map(drop)
    }

    /// The whole module's: OpenCL has no smaller piece.
    fn zeKernelGetBinaryExp(kernel: ze_kernel_handle_t, size: *mut usize, binary: *mut u8) {
        let kernel = handle::get::<Kernel>(kernel)?;
        pointer::bytes(size, binary, &kernel.module.binary()?)
    }
}
