//! The devices of this machine over all runtimes.

use super::{Device, ocl, ze};
use crate::Result;

/// A runtime with devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Runtime {
    /// OpenCL.
    Ocl,
    /// Level Zero.
    Ze,
}

/// A device that can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceId {
    /// An OpenCL device.
    Ocl(ocl::DeviceId),
    /// A Level Zero device.
    Ze(ze::DeviceId),
}

impl Device {
    /// Every device of one runtime; or of all: those of OpenCL, then those of Level Zero that no OpenCL device stands for.
    pub fn list(only: Option<Runtime>) -> Vec<DeviceId> {
        let ocl = || ocl::Device::enumerate().iter();
        let ze = || ze::Device::enumerate().iter().copied();
        match only {
            Some(Runtime::Ocl) => ocl().copied().map(DeviceId::Ocl).collect(),
            Some(Runtime::Ze) => ze().map(DeviceId::Ze).collect(),
            None => {
                let known: Vec<_> = ocl().filter_map(|id| id.uuid_and_name().ok()).collect();
                let others = ze().filter(|id| !stands_for_one(&known, *id)).map(DeviceId::Ze);
                ocl().copied().map(DeviceId::Ocl).chain(others).collect()
            }
        }
    }

    /// Opens a device in a context of its own.
    pub fn open(id: DeviceId) -> Result<Device> {
        Ok(match id {
            DeviceId::Ocl(id) => Device::Ocl(ocl::Device::open(id)?),
            DeviceId::Ze(id) => Device::Ze(ze::Device::open(id)?),
        })
    }
}

/// Whether one of the OpenCL devices is the same hardware: of the same UUID, or where OpenCL has none, of the same name.
fn stands_for_one(known: &[(Option<[u8; 16]>, String)], id: ze::DeviceId) -> bool {
    id.uuid_and_name().is_ok_and(|(uuid, name)| {
        known.iter().any(|(of, named)| match of {
            Some(of) => *of == uuid,
            None => *named == name,
        })
    })
}
