//! A program that has its own Level Zero context, command list and memory, and lets oxidnn compute inside them.
//!
//! Three commands on one out-of-order command list, which nothing but their events puts in order:
//!
//! ```text
//! bytes to floats          a kernel of this program
//!   → matmul, bias, ReLU   oxidnn
//!     → best class         a kernel of this program
//! ```
//!
//! Without an Intel GPU, `ZE_ENABLE_ALT_DRIVERS` names a driver that runs on OpenCL: `libze_on_cl.so` of this repository.

use std::error::Error;
use std::ffi::{CStr, CString, c_void};
use std::ptr;

use oxidnn::desc::{AlgKind, Attr, DataType, Matmul, MemoryDesc, PostOps, arg};
use oxidnn::interop::ze as interop;
use oxidnn::runtime::{self, Order};
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};

/// The types of Level Zero.
#[allow(dead_code, unused_imports, non_camel_case_types, non_snake_case, clippy::all, reason = "generated")]
#[allow(clippy::undocumented_unsafe_blocks, reason = "generated")]
#[rustfmt::skip]
#[path = "../src/runtime/ze/bindings.rs"]
mod ze;

use ze::*;

const PICTURES: usize = 64;
const PIXELS: usize = 784;
const CLASSES: usize = 100;

const KERNELS: &str = "
kernel void bytes_to_floats(global const uchar *bytes, global float *floats) {
    size_t i = get_global_id(0);
    floats[i] = bytes[i] / 255.0f;
}

kernel void best_class(global const float *scores, global int *best, int classes) {
    global const float *row = scores + get_global_id(0) * classes;
    int found = 0;
    for (int i = 1; i < classes; i++)
        if (row[i] > row[found]) found = i;
    best[get_global_id(0)] = found;
}
";

/// Drivers take OpenCL C as an extension, and no header names the format.
const OPENCL_C: ze_module_format_t = 3;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A function of the loader, by its name and the type that the bindings have for it.
macro_rules! call {
    ($loader:expr, $name:ident: $type:ty, $($arg:expr),*) => {{
        let function = $loader.get::<$type>(stringify!($name))?.ok_or(concat!("no ", stringify!($name)))?;
        match function($($arg),*) {
            ZE_RESULT_SUCCESS => {}
            code => return Err(format!("{} failed: {code:#x}", stringify!($name)).into()),
        }
    }};
}

/// What is the program's. oxidnn has no part in making it.
struct Owned {
    loader: libloading::Library,
    driver: ze_driver_handle_t,
    device: ze_device_handle_t,
    context: ze_context_handle_t,
    list: ze_command_list_handle_t,
    module: ze_module_handle_t,
    pool: ze_event_pool_handle_t,
    events: [ze_event_handle_t; 2],
    kernels: [ze_kernel_handle_t; 2],
}

impl Owned {
    fn new() -> Outcome<Owned> {
        // SAFETY: each function gets what its C declaration asks for: live handles, structures that say what they are,
        // and places for what it writes.
        unsafe {
            let loader = libloading::Library::new("libze_loader.so.1")?;
            let (mut driver, mut device, mut context) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
            let mut one = 1;
            call!(loader, zeInit: ze_pfnInit_t, 0);
            call!(loader, zeDriverGet: ze_pfnDriverGet_t, &mut one, &mut driver);
            call!(loader, zeDeviceGet: ze_pfnDeviceGet_t, driver, &mut one, &mut device);
            let desc = ze_context_desc_t { stype: ZE_STRUCTURE_TYPE_CONTEXT_DESC, ..Default::default() };
            call!(loader, zeContextCreate: ze_pfnContextCreate_t, driver, &desc, &mut context);

            let desc = ze_command_queue_desc_t {
                stype: ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                mode: ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
                ..Default::default()
            };
            let mut list = ptr::null_mut();
            call!(loader, zeCommandListCreateImmediate: ze_pfnCommandListCreateImmediate_t,
                context, device, &desc, &mut list);

            let desc = ze_event_pool_desc_t {
                stype: ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                flags: ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                count: 2,
                ..Default::default()
            };
            let (mut pool, mut events) = (ptr::null_mut(), [ptr::null_mut(); 2]);
            call!(loader, zeEventPoolCreate: ze_pfnEventPoolCreate_t, context, &desc, 0, ptr::null_mut(), &mut pool);
            for (index, event) in (0..).zip(&mut events) {
                let desc = ze_event_desc_t {
                    stype: ZE_STRUCTURE_TYPE_EVENT_DESC,
                    index,
                    signal: ZE_EVENT_SCOPE_FLAG_HOST,
                    ..Default::default()
                };
                call!(loader, zeEventCreate: ze_pfnEventCreate_t, pool, &desc, event);
            }

            let text = CString::new(KERNELS)?;
            let desc = ze_module_desc_t {
                stype: ZE_STRUCTURE_TYPE_MODULE_DESC,
                format: OPENCL_C,
                inputSize: KERNELS.len(),
                pInputModule: text.as_ptr().cast(),
                pBuildFlags: c"".as_ptr(),
                ..Default::default()
            };
            let (mut module, mut kernels) = (ptr::null_mut(), [ptr::null_mut(); 2]);
            call!(loader, zeModuleCreate: ze_pfnModuleCreate_t, context, device, &desc, &mut module, ptr::null_mut());
            for (name, kernel) in [c"bytes_to_floats", c"best_class"].into_iter().zip(&mut kernels) {
                let desc = ze_kernel_desc_t {
                    stype: ZE_STRUCTURE_TYPE_KERNEL_DESC,
                    pKernelName: name.as_ptr(),
                    ..Default::default()
                };
                call!(loader, zeKernelCreate: ze_pfnKernelCreate_t, module, &desc, kernel);
                call!(loader, zeKernelSetGroupSize: ze_pfnKernelSetGroupSize_t, *kernel, 1, 1, 1);
            }
            Ok(Owned { loader, driver, device, context, list, module, pool, events, kernels })
        }
    }

    fn name(&self) -> Outcome<String> {
        let mut properties =
            ze_device_properties_t { stype: ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, ..Default::default() };
        // SAFETY: a live device and a structure that says what it is; the name is terminated.
        unsafe {
            call!(self.loader, zeDeviceGetProperties: ze_pfnDeviceGetProperties_t, self.device, &mut properties);
            Ok(CStr::from_ptr(properties.name.as_ptr()).to_string_lossy().into_owned())
        }
    }

    /// Memory that host and device share, with these values.
    fn shared<T: Copy>(&self, values: &[T]) -> Outcome<*mut T> {
        let on_device =
            ze_device_mem_alloc_desc_t { stype: ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, ..Default::default() };
        let on_host = ze_host_mem_alloc_desc_t { stype: ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, ..Default::default() };
        let mut pointer: *mut c_void = ptr::null_mut();
        // SAFETY: live objects and room for the values.
        unsafe {
            call!(self.loader, zeMemAllocShared: ze_pfnMemAllocShared_t,
                self.context, &on_device, &on_host, size_of_val(values), 64, self.device, &mut pointer);
            ptr::copy_nonoverlapping(values.as_ptr(), pointer.cast::<T>(), values.len());
        }
        Ok(pointer.cast())
    }

    /// Appends one of the program's kernels, which signals one of its events.
    fn launch(&self, which: usize, args: &[&[u8]], groups: usize, mut after: Vec<ze_event_handle_t>) -> Outcome<()> {
        let groups = ze_group_count_t { groupCountX: groups as u32, groupCountY: 1, groupCountZ: 1 };
        // SAFETY: a live kernel with these arguments, live events.
        unsafe {
            for (index, value) in (0..).zip(args) {
                call!(self.loader, zeKernelSetArgumentValue: ze_pfnKernelSetArgumentValue_t,
                    self.kernels[which], index, value.len(), value.as_ptr().cast());
            }
            call!(self.loader, zeCommandListAppendLaunchKernel: ze_pfnCommandListAppendLaunchKernel_t,
                self.list, self.kernels[which], &groups, self.events[which], after.len() as u32, after.as_mut_ptr());
        }
        Ok(())
    }

    fn wait(&self, which: usize) -> Outcome<()> {
        // SAFETY: a live event.
        unsafe {
            call!(self.loader, zeEventHostSynchronize: ze_pfnEventHostSynchronize_t, self.events[which], u64::MAX);
        }
        Ok(())
    }

    fn destroy(self, memory: &[*mut c_void]) -> Outcome<()> {
        // SAFETY: nothing of this is in use any more.
        unsafe {
            for &pointer in memory {
                call!(self.loader, zeMemFree: ze_pfnMemFree_t, self.context, pointer);
            }
            for kernel in self.kernels {
                call!(self.loader, zeKernelDestroy: ze_pfnKernelDestroy_t, kernel);
            }
            call!(self.loader, zeModuleDestroy: ze_pfnModuleDestroy_t, self.module);
            for event in self.events {
                call!(self.loader, zeEventDestroy: ze_pfnEventDestroy_t, event);
            }
            call!(self.loader, zeEventPoolDestroy: ze_pfnEventPoolDestroy_t, self.pool);
            call!(self.loader, zeCommandListDestroy: ze_pfnCommandListDestroy_t, self.list);
            call!(self.loader, zeContextDestroy: ze_pfnContextDestroy_t, self.context);
        }
        // Drivers start threads: unloading one is never safe.
        std::mem::forget(self.loader);
        Ok(())
    }
}

fn main() -> Outcome<()> {
    let owned = Owned::new().map_err(|e| format!("there is no Level Zero device here ({e})"))?;
    let mut random = Random(1);
    let pictures: Vec<u8> = (0..PICTURES * PIXELS).map(|_| random.next() as u8).collect();
    let weights: Vec<f32> = (0..PIXELS * CLASSES).map(|_| random.unit()).collect();
    let bias: Vec<f32> = (0..CLASSES).map(|_| random.unit()).collect();
    let bytes = owned.shared(&pictures)?;
    let (src, scores) = (owned.shared(&[0f32; PICTURES * PIXELS])?, owned.shared(&[0f32; PICTURES * CLASSES])?);
    let (wei, bia, best) = (owned.shared(&weights)?, owned.shared(&bias)?, owned.shared(&[0i32; PICTURES])?);
    println!("device   {}", owned.name()?);

    let implementation = {
        // oxidnn only refers to what it is given: its objects go at the end of this block, the program's stay.
        // SAFETY: live objects of one context.
        let (device, queue) = unsafe {
            let device = interop::Device::from_raw(owned.driver.cast(), owned.device.cast(), owned.context.cast())?;
            let queue = interop::Queue::from_raw(&device, owned.list.cast(), Order::OutOfOrder, false)?;
            (device, queue)
        };
        let engine = Engine::from_device(device.clone().into());
        let stream = Stream::from_queue(&engine, queue.into())?;
        let md =
            |rows: usize, columns: usize| MemoryDesc::with_strides(&[rows as i64, columns as i64], DataType::F32, None);
        let mds = [md(PICTURES, PIXELS)?, md(PIXELS, CLASSES)?, md(1, CLASSES)?, md(PICTURES, CLASSES)?];
        let relu = Attr::new().with_post_ops(PostOps::new().eltwise(AlgKind::EltwiseRelu, 0.0, 0.0)?);
        let desc = PrimitiveDesc::new(&engine, Matmul::new(&mds[0], &mds[1], Some(&mds[2]), &mds[3])?, &relu)?;
        let matmul = Primitive::new(&desc)?;
        let memory = |md: &MemoryDesc, pointer: *mut f32| {
            // SAFETY: live memory of the context.
            let buffer = unsafe { interop::Buffer::from_pointer(&device, pointer.cast())? };
            Memory::from_buffer(&engine, md, buffer.into())
        };
        let (src_memory, weights) = (memory(&mds[0], src)?, memory(&mds[1], wei)?);
        let (bias, dst) = (memory(&mds[2], bia)?, memory(&mds[3], scores)?);
        let args = [(arg::SRC, &src_memory), (arg::WEIGHTS, &weights), (arg::BIAS, &bias), (arg::DST, &dst)];

        let address = |pointer: *mut c_void| pointer.addr().to_ne_bytes();
        owned.launch(0, &[&address(bytes.cast()), &address(src.cast())], PICTURES * PIXELS, Vec::new())?;
        // SAFETY: a live event.
        let converted = unsafe { interop::Event::from_raw(&device, owned.events[0].cast())? };
        let runtime::Event::Ze(multiplied) = matmul.execute_after(&stream, &args, &[converted.into()])? else {
            return Err("the matmul did not run on Level Zero".into());
        };
        let classes = (CLASSES as i32).to_ne_bytes();
        let after = vec![multiplied.hand_out().cast()];
        owned.launch(1, &[&address(scores.cast()), &address(best.cast()), &classes], PICTURES, after)?;
        owned.wait(1)?;
        desc.implementation().to_owned()
    };
    println!("commands bytes to floats (this program) → {implementation} → best class (this program)");

    // SAFETY: memory of these sizes that no command writes any more.
    let (got, chosen) =
        unsafe { (std::slice::from_raw_parts(scores, PICTURES * CLASSES), std::slice::from_raw_parts(best, PICTURES)) };
    let (difference, wrong) = compare(&pictures, &weights, &bias, got, chosen);
    println!("check    largest difference from a double-precision product on the host: {difference:.1e}");
    println!("         pictures that did not get their best class: {wrong} of {PICTURES}");
    owned.destroy(&[bytes.cast(), src.cast(), scores.cast(), wei.cast(), bia.cast(), best.cast()])?;
    if difference > TOLERANCE || wrong > 0 {
        return Err("the results are wrong".into());
    }
    println!("\nall right");
    Ok(())
}

/// What a sum of [`PIXELS`] products of numbers below one may be off in single precision.
const TOLERANCE: f64 = PIXELS as f64 * f32::EPSILON as f64;

/// The largest difference of a score from one computed on the host, and how many classes are not the best.
fn compare(pictures: &[u8], weights: &[f32], bias: &[f32], scores: &[f32], classes: &[i32]) -> (f64, usize) {
    let (mut difference, mut wrong) = (0f64, 0);
    for (picture, row) in scores.chunks_exact(CLASSES).enumerate() {
        let mut expected: Vec<f64> = bias.iter().map(|&b| b.into()).collect();
        for (pixel, weights) in pictures[picture * PIXELS..].iter().zip(weights.chunks_exact(CLASSES)) {
            let value = f64::from(f32::from(*pixel) / 255.0);
            expected.iter_mut().zip(weights).for_each(|(sum, &weight)| *sum += value * f64::from(weight));
        }
        expected.iter_mut().for_each(|score| *score = score.max(0.0));
        for (&got, &expected) in row.iter().zip(&expected) {
            difference = difference.max((f64::from(got) - expected).abs());
        }
        let best = expected.iter().copied().fold(0.0, f64::max);
        let chosen = usize::try_from(classes[picture]).ok().and_then(|class| expected.get(class));
        wrong += usize::from(chosen.is_none_or(|score| best - score > TOLERANCE));
    }
    (difference, wrong)
}

/// A small generator of numbers, the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32
    }

    /// Between -1 and 1.
    fn unit(&mut self) -> f32 {
        self.next() as f32 / (1 << 30) as f32 - 1.0
    }
}
