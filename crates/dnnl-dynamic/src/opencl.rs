//! The fastest a device can multiply and add, and move bytes, found with small kernels of our own on an engine's OpenCL device.
//!
//! The OpenCL library is loaded at run time, as the libraries under test do it, so both see the same objects.

use crate::api::{Api, Handle};
use crate::handle::{Device, check};
use libloading::os::unix::Library;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;
use std::time::Instant;

macro_rules! functions {
    ($($name:ident($($type:ty),*) -> $result:ty;)+) => {
        #[allow(non_snake_case)]
        struct OpenCl {
            $($name: unsafe extern "C" fn($($type),*) -> $result,)+
            _library: Library,
        }

        impl OpenCl {
            fn load() -> Option<OpenCl> {
                // SAFETY: the loader library is made to be loaded this way.
                let library = unsafe { Library::new("libOpenCL.so.1") }.ok()?;
                Some(OpenCl {
                    $($name: {
                        // SAFETY: the signature is the one the OpenCL headers declare for this name.
                        *unsafe { library.get::<unsafe extern "C" fn($($type),*) -> $result>(concat!(stringify!($name), "\0").as_bytes()) }.ok()?
                    },)+
                    _library: library,
                })
            }
        }
    };
}

functions! {
    clGetDeviceInfo(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    clCreateCommandQueue(Handle, Handle, u64, *mut i32) -> Handle;
    clReleaseCommandQueue(Handle) -> i32;
    clCreateProgramWithSource(Handle, u32, *const *const c_char, *const usize, *mut i32) -> Handle;
    clBuildProgram(Handle, u32, *const Handle, *const c_char, *mut c_void, *mut c_void) -> i32;
    clReleaseProgram(Handle) -> i32;
    clCreateKernel(Handle, *const c_char, *mut i32) -> Handle;
    clReleaseKernel(Handle) -> i32;
    clCreateBuffer(Handle, u64, usize, *mut c_void, *mut i32) -> Handle;
    clReleaseMemObject(Handle) -> i32;
    clSetKernelArg(Handle, u32, usize, *const c_void) -> i32;
    clEnqueueNDRangeKernel(Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle, *mut Handle) -> i32;
    clFinish(Handle) -> i32;
}

const DEVICE_TYPE: u32 = 0x1000;
const MAX_COMPUTE_UNITS: u32 = 0x1002;
const TYPE_CPU: u64 = 2;

/// Twelve independent chains hide the latency of a fused multiply-add on every device known to us.
const CHAINS: usize = 12;

/// Bytes of the tensors that are copied, more than a cache holds.
const COPIED: usize = 128 << 20;

/// A kernel of multiply-adds and one that copies. A CPU's work-item is a core's whole vector unit and takes a stretch of
/// memory; elsewhere it is a lane and takes every so many elements.
fn source(cpu: bool) -> String {
    let (vector, size, sum) = if cpu {
        let sum = "dot(x.s0123 + x.s4567 + x.s89ab + x.scdef, (float4)1.0f)";
        ("float16", "__attribute__((reqd_work_group_size(1, 1, 1)))", sum)
    } else {
        ("float", "", "x")
    };
    let (first, end, step) =
        if cpu { ("id * (n / items)", "(id + 1) * (n / items)", "1") } else { ("id", "n", "items") };
    let each = |code: fn(usize) -> String| (0..CHAINS).map(code).collect::<String>();
    let declared = each(|i| format!("V x{i} = (V)(seed + {i});\n"));
    let stepped = each(|i| format!("x{i} = fma(x{i}, (V)0.5f, (V)0.25f);\n"));
    let added = each(|i| format!("x += x{i};\n"));
    format!(
        "typedef {vector} V;\n\
         #ifdef __has_builtin\n#if __has_builtin(__builtin_nontemporal_store) && {}\n\
         #define STORE(p, v) __builtin_nontemporal_store(v, p)\n#endif\n#endif\n\
         #ifndef STORE\n#define STORE(p, v) *(p) = v\n#endif\n\
         {size} __kernel void compute(__global float *from, __global float *to, uint n) {{\n\
         size_t id = get_global_id(0);\nfloat seed = from[id & 15];\n{declared}\
         for (uint i = 0; i < n; ++i) {{\n{stepped}}}\nV x = (V)0;\n{added}to[id] = {sum};\n}}\n\
         {size} __kernel void copy(__global V *from, __global V *to, uint n) {{\n\
         uint id = get_global_id(0), items = get_global_size(0);\n\
         for (uint i = {first}; i < {end}; i += {step}) STORE(to + i, from[i]);\n}}\n",
        u8::from(cpu)
    )
}

/// What an OpenCL device can do at most.
#[derive(Clone, Copy, Debug)]
pub struct Peaks {
    /// Single-precision operations per second.
    pub flops: f64,
    /// Bytes read and written per second.
    pub bytes: f64,
}

/// The peaks of an engine's OpenCL device; `None` where there is no such device or no compiler.
pub fn peaks(api: &Api, device: &Device<'_>) -> Option<Peaks> {
    let (mut context, mut id) = (ptr::null_mut(), ptr::null_mut());
    let engine = device.engine.handle();
    // SAFETY: the engine is alive and the slots are.
    check("context", unsafe { (api.ocl_interop_engine_get_context)(engine, &mut context) }).ok()?;
    // SAFETY: as above.
    check("device", unsafe { (api.ocl_interop_get_device)(engine, &mut id) }).ok()?;
    if context.is_null() || id.is_null() {
        return None;
    }
    let cl = OpenCl::load()?;
    let info = |what| {
        let mut value = 0u64;
        // SAFETY: both properties asked for are at most eight bytes.
        let status = unsafe { (cl.clGetDeviceInfo)(id, what, 8, (&raw mut value).cast(), ptr::null_mut()) };
        (status == 0).then_some(value)
    };
    let cpu = info(DEVICE_TYPE)? & TYPE_CPU != 0;
    let units = info(MAX_COMPUTE_UNITS)? as usize;
    let (items, lanes) = if cpu { (units * 4, 16) } else { (units * 4096, 1) };
    let mut program = Program::new(&cl, context, id, cpu)?;
    let (compute, copy) = (program.kernel(c"compute")?, program.kernel(c"copy")?);

    let (mut steps, mut flops) = (1000u32, 0.0f64);
    for _ in 0..30 {
        let seconds = program.run(&compute, items, steps)?;
        flops = flops.max((items * lanes * CHAINS * 2) as f64 * f64::from(steps) / seconds);
        if seconds < 5e-3 && steps < 1 << 28 {
            steps *= 4;
        }
    }
    let elements = (COPIED / (4 * lanes)) as u32;
    // There and back. The first two give the buffers their memory, which may not exist before something is written to it.
    let times: Option<Vec<f64>> = (0..10)
        .map(|_| {
            program.buffers.swap(0, 1);
            program.run(&copy, items, elements)
        })
        .collect();
    let bytes = 2.0 * COPIED as f64 / times?.into_iter().skip(2).fold(f64::INFINITY, f64::min);
    Some(Peaks { flops, bytes })
}

/// The program with two buffers to work on.
struct Program<'c> {
    cl: &'c OpenCl,
    queue: Handle,
    program: Handle,
    buffers: [Handle; 2],
}

/// A kernel of it.
struct Kernel<'c> {
    cl: &'c OpenCl,
    kernel: Handle,
}

impl<'c> Program<'c> {
    fn new(cl: &'c OpenCl, context: Handle, device: Handle, cpu: bool) -> Option<Program<'c>> {
        let null = ptr::null_mut::<c_void>;
        let mut made = Program { cl, queue: null(), program: null(), buffers: [null(); 2] };
        let text = CString::new(source(cpu)).ok()?;
        let mut status = 0;
        // SAFETY: context and device belong together and outlive the program; the text ends with a null.
        unsafe {
            made.queue = (cl.clCreateCommandQueue)(context, device, 0, &mut status);
            made.program = (cl.clCreateProgramWithSource)(context, 1, &text.as_ptr(), ptr::null(), &mut status);
            made.buffers = [(); 2].map(|()| (cl.clCreateBuffer)(context, 1, COPIED, null(), &mut status));
        }
        if made.queue.is_null() || made.program.is_null() || made.buffers.contains(&null()) {
            return None;
        }
        // SAFETY: the program is alive.
        let built = unsafe { (cl.clBuildProgram)(made.program, 1, &device, ptr::null(), null(), null()) };
        (built == 0).then_some(made)
    }

    fn kernel(&self, name: &CStr) -> Option<Kernel<'c>> {
        let mut status = 0;
        // SAFETY: the program is built, and `name` ends with a null.
        let kernel = unsafe { (self.cl.clCreateKernel)(self.program, name.as_ptr(), &mut status) };
        (!kernel.is_null()).then_some(Kernel { cl: self.cl, kernel })
    }

    /// Seconds of one run.
    fn run(&self, kernel: &Kernel<'_>, items: usize, n: u32) -> Option<f64> {
        let set = |index, size, value: *const c_void| {
            // SAFETY: `value` points to `size` bytes of the argument's type.
            unsafe { (self.cl.clSetKernelArg)(kernel.kernel, index, size, value) == 0 }
        };
        let ready = set(0, size_of::<Handle>(), (&raw const self.buffers[0]).cast())
            && set(1, size_of::<Handle>(), (&raw const self.buffers[1]).cast())
            && set(2, 4, (&raw const n).cast());
        if !ready {
            return None;
        }
        let start = Instant::now();
        // SAFETY: all arguments are set, and the kernels stay within the buffers.
        let status = unsafe {
            let (none, wait) = (ptr::null(), ptr::null());
            (self.cl.clEnqueueNDRangeKernel)(self.queue, kernel.kernel, 1, none, &items, none, 0, wait, ptr::null_mut())
        };
        // SAFETY: the queue is alive.
        (status == 0 && unsafe { (self.cl.clFinish)(self.queue) } == 0).then(|| start.elapsed().as_secs_f64())
    }
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        // SAFETY: the kernel was created here and is released once.
        unsafe { (self.cl.clReleaseKernel)(self.kernel) };
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        let objects = [
            (self.buffers[0], self.cl.clReleaseMemObject),
            (self.buffers[1], self.cl.clReleaseMemObject),
            (self.program, self.cl.clReleaseProgram),
            (self.queue, self.cl.clReleaseCommandQueue),
        ];
        for (object, release) in objects.into_iter().filter(|(object, _)| !object.is_null()) {
            // SAFETY: each object was created here and is released once.
            unsafe { release(object) };
        }
    }
}
