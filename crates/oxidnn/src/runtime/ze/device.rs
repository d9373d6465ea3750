//! A device in a context, and what it can do.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ptr;
use std::sync::{Arc, OnceLock};

use super::api::{Api, list};
use super::ask::{Abilities, Asker, Clock, text};
use super::bindings::*;
use super::code::check;
use super::memory::Buffer;
use super::module::Module;
use super::queue::Queue;
use crate::runtime::processor::{Dots, Tiles};
use crate::runtime::{DeviceProfile, DeviceType, MemoryKind, Order, processor};
use crate::{Error, Result, ensure};

/// A device that the loader lists, with its driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceId {
    driver: ze_driver_handle_t,
    device: ze_device_handle_t,
}

// SAFETY: drivers and devices live as long as the process and may be used from any thread.
unsafe impl Send for DeviceId {}
// SAFETY: as above.
unsafe impl Sync for DeviceId {}

impl DeviceId {
    #[cfg(test)]
    pub(super) fn of(device: &Device) -> DeviceId {
        device.0.id
    }

    /// The driver's handle.
    pub fn raw_driver(self) -> ze_driver_handle_t {
        self.driver
    }

    /// The device's handle.
    pub fn raw_device(self) -> ze_device_handle_t {
        self.device
    }

    /// What tells the hardware from all other, also in OpenCL, and its name.
    pub fn uuid_and_name(self) -> Result<([u8; 16], String)> {
        let properties = Asker { api: Api::get()?, id: self }.properties()?;
        Ok((properties.uuid.id, text(&properties.name)))
    }
}

/// A device in a context: an engine's place. Cloning clones a reference.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    api: &'static Api,
    id: DeviceId,
    context: Context,
    profile: DeviceProfile,
    identity: Vec<u8>,
    clock: Clock,
    abilities: Abilities,
}

/// The caller's context, or one that is destroyed with the device.
struct Context {
    raw: ze_context_handle_t,
    owned: bool,
}

// SAFETY: contexts may be used from any thread.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.context.owned {
            // SAFETY: made by `open`; everything made in it holds a reference to this device and is gone.
            unsafe { (self.api.zeContextDestroy)(self.context.raw) };
        }
    }
}

impl Device {
    /// Every device of every driver. Without Level Zero the list is empty; drivers that fail are skipped.
    ///
    /// ```
    /// for &id in oxidnn::runtime::ze::Device::enumerate() {
    ///     let device = oxidnn::runtime::ze::Device::open(id)?;
    ///     println!("{}", device.profile().name);
    /// }
    /// # Ok::<(), oxidnn::Error>(())
    /// ```
    pub fn enumerate() -> &'static [DeviceId] {
        static DEVICES: OnceLock<Vec<DeviceId>> = OnceLock::new();
        DEVICES.get_or_init(Device::list)
    }

    fn list() -> Vec<DeviceId> {
        let Ok(api) = Api::get() else { return Vec::new() };
        let drivers = api.drivers();
        let devices = drivers.into_iter().flat_map(|driver| {
            // SAFETY: a driver of the loader; `out` has room for as many devices as `count` says.
            let devices = list(|count, out| unsafe { (api.zeDeviceGet)(driver, count, out) });
            devices.into_iter().map(move |device| DeviceId { driver, device })
        });
        let mut ranked: Vec<(u8, DeviceId)> = devices
            .filter_map(|id| {
                let rank = match (Asker { api, id }).properties().ok()?.type_ {
                    ZE_DEVICE_TYPE_GPU => 0,
                    ZE_DEVICE_TYPE_CPU => 2,
                    _ => 1,
                };
                Some((rank, id))
            })
            .collect();
        ranked.sort_by_key(|&(rank, _)| rank);
        ranked.into_iter().map(|(_, id)| id).collect()
    }

    /// Opens a device in a context of its own.
    pub fn open(id: DeviceId) -> Result<Device> {
        let api = Api::get()?;
        let desc = ze_context_desc_t { stype: ZE_STRUCTURE_TYPE_CONTEXT_DESC, ..Default::default() };
        let mut raw = ptr::null_mut();
        // SAFETY: a driver of the loader and places for what it reads and writes.
        check(unsafe { (api.zeContextCreate)(id.driver, &desc, &mut raw) }, "zeContextCreate")?;
        Device::new(api, id, Context { raw, owned: true })
    }

    /// Takes the caller's driver, device and context. They are only referenced: the caller keeps the context until the
    /// last clone is dropped, and whatever was made with it.
    ///
    /// # Safety
    /// The handles are null or live Level Zero objects of the driver.
    pub unsafe fn from_raw(
        driver: ze_driver_handle_t,
        device: ze_device_handle_t,
        context: ze_context_handle_t,
    ) -> Result<Device> {
        ensure!(!context.is_null(), "the Level Zero context is null");
        // SAFETY: the caller's promise.
        let (api, id) = unsafe { Device::check(driver, device)? };
        // SAFETY: the caller promises a live context.
        check(unsafe { (api.zeContextGetStatus)(context) }, "zeContextGetStatus")
            .map_err(|e| Error::invalid(format!("not a usable Level Zero context: {e}")))?;
        Device::new(api, id, Context { raw: context, owned: false })
    }

    /// The [`identity`](Device::identity) of a device that is in no context yet.
    ///
    /// # Safety
    /// The handles are null or live Level Zero objects.
    pub unsafe fn identity_of(driver: ze_driver_handle_t, device: ze_device_handle_t) -> Result<Vec<u8>> {
        // SAFETY: the caller's promise.
        let (api, id) = unsafe { Device::check(driver, device)? };
        let ask = Asker { api, id };
        Ok(ask.identity(&ask.properties()?))
    }

    /// A device that is one of the driver's, or a part of one.
    ///
    /// # Safety
    /// The handles are null or live Level Zero objects.
    unsafe fn check(driver: ze_driver_handle_t, device: ze_device_handle_t) -> Result<(&'static Api, DeviceId)> {
        ensure!(!driver.is_null(), "the Level Zero driver is null");
        ensure!(!device.is_null(), "the Level Zero device is null");
        let api = Api::get()?;
        let drivers = api.drivers();
        ensure!(drivers.contains(&driver), "the Level Zero driver is none that the loader lists");
        // SAFETY: a driver of the loader; `out` has room for as many devices as `count` says.
        let mut found = list(|count, out| unsafe { (api.zeDeviceGet)(driver, count, out) });
        while !found.contains(&device) {
            found = found
                .into_iter()
                // SAFETY: a device of the driver; `out` has room for as many parts as `count` says.
                .flat_map(|whole| list(|count, out| unsafe { (api.zeDeviceGetSubDevices)(whole, count, out) }))
                .collect();
            ensure!(!found.is_empty(), "the Level Zero device is none of the driver's");
        }
        Ok((api, DeviceId { driver, device }))
    }

    fn new(api: &'static Api, id: DeviceId, context: Context) -> Result<Device> {
        let ask = Asker { api, id };
        let properties = ask.properties()?;
        let profile = ask.profile(&properties)?;
        let clock = Clock::of(&properties);
        let (identity, abilities) = (ask.identity(&properties), ask.abilities()?);
        let mut device = Device(Arc::new(Inner { api, id, context, profile, identity, clock, abilities }));
        if device.profile().device_type == DeviceType::Cpu {
            let builtins = has_clang_builtins(&device);
            let dots = if builtins { processor::dots(device.profile().vector_bytes) } else { Dots::default() };
            let tiles = match builtins && device.profile().vector_bytes == 64 {
                true => processor::tiles(device.identity(), |text| device.compile(text).is_ok()),
                false => Tiles::default(),
            };
            let long_registers = dots != Dots::default()
                && device.profile().vector_bytes == 32
                && processor::has_long_registers(device.identity(), |text| device.compile(text).is_ok());
            if let Some(inner) = Arc::get_mut(&mut device.0) {
                inner.profile.clang_builtins = builtins;
                inner.profile.long_registers = long_registers;
                inner.profile.dot_int8 = dots.int8;
                inner.profile.dot_vex = dots.vex;
                inner.profile.dot_bf16 = dots.bf16;
                inner.profile.pairs_int8 = dots.pairs;
                inner.profile.amx_int8 = tiles.int8;
                inner.profile.amx_bf16 = tiles.bf16;
            }
        }
        Ok(device)
    }

    /// The driver.
    pub fn raw_driver(&self) -> ze_driver_handle_t {
        self.0.id.driver
    }

    /// The device.
    pub fn raw_device(&self) -> ze_device_handle_t {
        self.0.id.device
    }

    /// The context.
    pub fn raw_context(&self) -> ze_context_handle_t {
        self.0.context.raw
    }

    /// What schedules need to know of it. `OXIDNN_DEVICE_PROFILE` overrides some of it.
    pub fn profile(&self) -> &DeviceProfile {
        &self.0.profile
    }

    /// Driver, device and its numbers, as stable bytes.
    pub fn identity(&self) -> Vec<u8> {
        self.0.identity.clone()
    }

    /// Allocates uninitialised memory: of the device for [`MemoryKind::Buffer`], that the host can reach for
    /// [`MemoryKind::Usm`]. Zero bytes give a valid buffer.
    pub fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<Buffer> {
        Buffer::allocate(self, kind, bytes)
    }

    /// Builds OpenCL C text.
    pub fn compile(&self, source: &str) -> Result<Module> {
        Module::compile(self, source)
    }

    /// Builds a module from what [`Module::binary`] gave for a device of the same identity.
    pub fn load(&self, binary: &[u8]) -> Result<Module> {
        Module::load(self, binary)
    }

    /// Creates a command list of the library's own. A driver without in-order lists gives an out-of-order one.
    pub fn create_queue(&self, order: Order, profiling: bool) -> Result<Queue> {
        let order = if self.0.abilities.in_order { order } else { Order::OutOfOrder };
        Queue::create(self, self.0.abilities.compute_group, order, profiling)
    }

    pub(super) fn api(&self) -> &'static Api {
        self.0.api
    }

    pub(super) fn clock(&self) -> Clock {
        self.0.clock
    }

    pub(super) fn abilities(&self) -> &Abilities {
        &self.0.abilities
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.raw_device() == other.raw_device() && self.raw_context() == other.raw_context()
    }
}

impl Eq for Device {}

impl Hash for Device {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw_device().hash(state);
        self.raw_context().hash(state);
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (device {:p}, context {:p})", self.profile().name, self.raw_device(), self.raw_context())
    }
}

/// Checks that two objects meet in one context.
pub(super) fn same_context(a: &Device, b: &Device, what: &str) -> Result<()> {
    ensure!(a.raw_context() == b.raw_context(), "the {what} belongs to another Level Zero context");
    Ok(())
}

/// Whether the compiler takes clang's built-ins.
fn has_clang_builtins(device: &Device) -> bool {
    let text = "kernel void f(global float *p) { __builtin_prefetch(p); __builtin_nontemporal_store(1.0f, p); }";
    processor::compiles(device.identity(), text, |text| device.compile(text).is_ok())
}
