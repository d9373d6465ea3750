//! `zeModule*`.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use crate::bindings::*;
use crate::boundary::entries;
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::module::{BuildLog, Format, Input, Module};
use crate::{Error, Result, handle, pointer};

/// OpenCL C, which the headers have no name for.
const FORMAT_OPENCL_C: ze_module_format_t = 3;

entries! {
    fn zeModuleCreate(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_module_desc_t,
        module: *mut ze_module_handle_t,
        log: *mut ze_module_build_log_handle_t,
    ) {
        handle::get::<Context>(context)?;
        let device = handle::get::<Device>(device)?;
        let desc = pointer::required(desc)?;
        pointer::non_null(module)?;
        let format = match desc.format {
            ZE_MODULE_FORMAT_IL_SPIRV => Format::Spirv,
            ZE_MODULE_FORMAT_NATIVE => Format::Native,
            FORMAT_OPENCL_C => Format::OpenClC,
            _ => return Err(Error(ZE_RESULT_ERROR_INVALID_ENUMERATION)),
        };
        let (built, text) = Module::new(Arc::clone(device), format, &inputs(desc)?);
        give_log(log, text)?;
        pointer::write(module, handle::create(Arc::new(built?)))
    }

    fn zeModuleDestroy(module: ze_module_handle_t) {
        handle::destroy::<Module>(module).map(drop)
    }

    fn zeModuleDynamicLink(
        count: u32,
        modules: *mut ze_module_handle_t,
        log: *mut ze_module_build_log_handle_t,
    ) {
        pointer::non_null(modules)?;
        let modules = handle::get_all::<Module>(pointer::slice(modules, count as usize)?)?;
        let (outcome, text) = Module::link(&modules);
        give_log(log, text)?;
        outcome
    }

    fn zeModuleGetNativeBinary(module: ze_module_handle_t, size: *mut usize, binary: *mut u8) {
        let module = handle::get::<Module>(module)?;
        pointer::non_null(size)?;
        pointer::bytes(size, binary, &module.binary()?)
    }

    fn zeModuleGetGlobalPointer(
        module: ze_module_handle_t,
        name: *const c_char,
        size: *mut usize,
        address: *mut *mut c_void,
    ) {
        let (found_size, found) = handle::get::<Module>(module)?.global(pointer::text(name)?)?;
        if !size.is_null() {
            pointer::write(size, found_size)?;
        }
        if !address.is_null() {
            pointer::write(address, found)?;
        }
        Ok(())
    }

    fn zeModuleGetKernelNames(module: ze_module_handle_t, count: *mut u32, names: *mut *const c_char) {
        let names_of = handle::get::<Module>(module)?.kernel_names()?;
        let pointers: Vec<*const c_char> = names_of.iter().map(|name| name.as_ptr()).collect();
        pointer::list(count, names, &pointers)
    }

    fn zeModuleGetProperties(module: ze_module_handle_t, properties: *mut ze_module_properties_t) {
        let module = handle::get::<Module>(module)?;
        let flags = if module.is_unlinked() { ZE_MODULE_PROPERTY_FLAG_IMPORTS } else { 0 };
        pointer::output(properties)?.flags = flags;
        Ok(())
    }

    fn zeModuleGetFunctionPointer(
        module: ze_module_handle_t,
        name: *const c_char,
        address: *mut *mut c_void,
    ) {
        let module = handle::get::<Module>(module)?;
        let name = pointer::text(name)?;
        pointer::non_null(address)?;
        pointer::write(address, module.function(name)?)
    }

    fn zeModuleBuildLogGetString(log: ze_module_build_log_handle_t, size: *mut usize, text: *mut c_char) {
        let log = handle::get::<BuildLog>(log)?;
        pointer::bytes(size, text.cast(), log.text.to_bytes_with_nul())
    }

    fn zeModuleBuildLogDestroy(log: ze_module_build_log_handle_t) {
        handle::destroy::<BuildLog>(log).map(drop)
    }
}

fn give_log(log: *mut ze_module_build_log_handle_t, text: String) -> Result {
    if log.is_null() { Ok(()) } else { pointer::write(log, handle::create(Arc::new(BuildLog::new(text)))) }
}

/// The parts of a module: one, or those of the extension for several.
fn inputs(desc: &ze_module_desc_t) -> Result<Vec<Input<'_>>> {
    let several = pointer::chain(desc.pNext)
        .find_map(|link| link.get::<ze_module_program_exp_desc_t>(ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC));
    let Some(several) = several else {
        return Ok(vec![input(desc.pInputModule, desc.inputSize, desc.pBuildFlags, desc.pConstants)?]);
    };
    let count = several.count as usize;
    let codes = pointer::slice(several.pInputModules, count)?;
    let sizes = pointer::slice(several.inputSizes, count)?;
    let flags = pointer::slice(several.pBuildFlags, if several.pBuildFlags.is_null() { 0 } else { count })?;
    let constants = pointer::slice(several.pConstants, if several.pConstants.is_null() { 0 } else { count })?;
    let part = |index: usize| {
        let flags = flags.get(index).copied().unwrap_or(std::ptr::null());
        let constants = constants.get(index).copied().unwrap_or(std::ptr::null());
        input(codes[index], sizes[index], flags, constants)
    };
    (0..count).map(part).collect()
}

fn input<'a>(
    code: *const u8,
    size: usize,
    flags: *const c_char,
    constants: *const ze_module_constants_t,
) -> Result<Input<'a>> {
    pointer::non_null(code)?;
    if size == 0 {
        return Err(Error(ZE_RESULT_ERROR_INVALID_SIZE));
    }
    let options = if flags.is_null() { String::new() } else { pointer::text(flags)?.to_string_lossy().into_owned() };
    let constants = match pointer::optional(constants) {
        None => Vec::new(),
        Some(constants) => {
            let count = constants.numConstants as usize;
            let ids = pointer::slice(constants.pConstantIds, count)?;
            let values = pointer::slice(constants.pConstantValues, count)?;
            ids.iter().copied().zip(values.iter().map(|value| *value as usize)).collect()
        }
    };
    Ok(Input { code: pointer::slice(code, size)?, options, constants })
}
