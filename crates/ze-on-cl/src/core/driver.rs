//! The driver: one, with one device.

use std::ffi::CString;
use std::sync::{Arc, OnceLock};

use opencl_sys::*;

use super::device::Device;
use crate::bindings::*;
use crate::{Error, Result, cl, handle};

/// The driver.
pub(crate) struct Driver {
    /// What an extension function says the version is.
    pub version: CString,
}

/// The handles that exist as long as the process.
struct Handles {
    driver: usize,
    device: usize,
}

static HANDLES: OnceLock<Option<Handles>> = OnceLock::new();

fn handles() -> Result<&'static Handles> {
    let open = || {
        let cl = cl::Cl::get()?;
        let version = CString::new(version(&cl.text(CL_DRIVER_VERSION))).unwrap_or_default();
        let driver = Arc::new(Driver { version });
        let device = handle::create(Arc::new(Device::new(cl))) as usize;
        Some(Handles { driver: handle::create(driver) as usize, device })
    };
    HANDLES.get_or_init(open).as_ref().ok_or(Error(ZE_RESULT_ERROR_UNINITIALIZED))
}

impl Driver {
    /// The driver's handle; an error if there is no OpenCL device for it.
    pub(crate) fn handle() -> Result<ze_driver_handle_t> {
        Ok(handles()?.driver as ze_driver_handle_t)
    }

    /// The device's handle.
    pub(crate) fn device_handle() -> Result<ze_device_handle_t> {
        Ok(handles()?.device as ze_device_handle_t)
    }

    /// The device.
    pub(crate) fn device<'a>() -> Result<&'a Arc<Device>> {
        handle::get::<Device>(Driver::device_handle()?)
    }
}

/// A version in the form that Intel's driver gives, three numbers, from whatever text OpenCL has.
fn version(text: &str) -> String {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse::<u32>().ok());
    let mut next = || numbers.next().unwrap_or(0);
    format!("{}.{}.{}", next(), next(), next())
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_have_three_numbers() {
        assert_eq!(version("2026.22.10.0.01_160000"), "2026.22.10");
        assert_eq!(version("3.1"), "3.1.0");
        assert_eq!(version("Mesa 22.3.6-1"), "22.3.6");
        assert_eq!(version(""), "0.0.0");
    }
}
