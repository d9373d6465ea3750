//! What the library adds on the host: to the creation of a primitive, and to each execution.
//!
//! Run it with `cargo run --release -p oxidnn --example overheads`. Every row is measured in this one process; the
//! executions of the library and bare enqueues of an equal kernel alternate.

use std::error::Error;
use std::ffi::{CString, c_void};
use std::ptr;
use std::time::{Duration, Instant};

use opencl_sys::*;
use oxidnn::desc::*;
use oxidnn::runtime::Device;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};

type Anyhow<T> = Result<T, Box<dyn Error>>;

fn plain(dims: &[i64]) -> oxidnn::Result<MemoryDesc> {
    MemoryDesc::with_strides(dims, DataType::F32, None)
}

fn matmul(engine: &Engine, m: i64, n: i64, k: i64) -> oxidnn::Result<PrimitiveDesc> {
    let relu = PostOps::new().eltwise(AlgKind::EltwiseRelu, 0.0, 0.0)?;
    let op = Matmul::new(&plain(&[m, k])?, &plain(&[k, n])?, Some(&plain(&[1, n])?), &plain(&[m, n])?)?;
    PrimitiveDesc::new(engine, op, &Attr::new().with_post_ops(relu))
}

/// Descriptor and primitive, timed together.
fn create(engine: &Engine, m: i64, n: i64, k: i64) -> oxidnn::Result<(Primitive, Duration)> {
    let start = Instant::now();
    let primitive = Primitive::new(&matmul(engine, m, n, k)?)?;
    Ok((primitive, start.elapsed()))
}

fn creation() -> Anyhow<()> {
    // Each engine has a context of its own, and so caches of its own.
    let open = || Engine::new(EngineKind::Gpu, 0);
    let first = open()?;
    let (primitive, cold) = create(&first, 96, 128, 64)?;
    println!("creating a matmul with bias and ReLU");
    println!("  first on this engine (from source, or the disk cache if it was there) {cold:>12.1?}");
    let mut new_shapes: Vec<Duration> = Vec::new();
    let built = first.module_count();
    for i in 0..50 {
        new_shapes.push(create(&first, 96 + 12 * i, 128 + 32 * i, 64 + i)?.1);
    }
    new_shapes.sort();
    let compiled = first.module_count() - built;
    println!(
        "  a new shape, median of 50 ({compiled:>2} modules built, for tiles not seen before) {:>12.1?}",
        new_shapes[25]
    );
    println!(
        "  the same shape again                                                  {:>12.1?}",
        create(&first, 96, 128, 64)?.1
    );
    let blob = primitive.cache_blob()?;
    let second = open()?;
    let desc = matmul(&second, 96, 128, 64)?;
    let start = Instant::now();
    Primitive::from_cache_blob(&desc, &blob)?;
    println!(
        "  from a cache blob of {:>6} bytes, in a new context                    {:>12.1?}",
        blob.len(),
        start.elapsed()
    );
    println!(
        "  in another new context (disk cache)                                   {:>12.1?}",
        create(&open()?, 96, 128, 64)?.1
    );
    Ok(())
}

/// A bare kernel of the same arguments as the library's.
struct Bare {
    queue: cl_command_queue,
    kernel: cl_kernel,
    buffers: [cl_mem; 3],
    set: libloading::Symbol<'static, unsafe extern "C" fn(cl_kernel, cl_uint, usize, *const c_void) -> cl_int>,
    enqueue: libloading::Symbol<
        'static,
        unsafe extern "C" fn(
            cl_command_queue,
            cl_kernel,
            cl_uint,
            *const usize,
            *const usize,
            *const usize,
            cl_uint,
            *const cl_event,
            *mut cl_event,
        ) -> cl_int,
    >,
}

impl Bare {
    fn new(engine: &Engine, queue: cl_command_queue, buffers: [cl_mem; 3]) -> Anyhow<Bare> {
        let Device::Ocl(device) = engine.device() else { return Err("an OpenCL engine is needed".into()) };
        type CreateProgram =
            unsafe extern "C" fn(cl_context, cl_uint, *const *const i8, *const usize, *mut cl_int) -> cl_program;
        type Build = unsafe extern "C" fn(
            cl_program,
            cl_uint,
            *const cl_device_id,
            *const i8,
            *const c_void,
            *const c_void,
        ) -> cl_int;
        type CreateKernel = unsafe extern "C" fn(cl_program, *const i8, *mut cl_int) -> cl_kernel;
        let text = "__kernel void add(__global const float *a, __global const float *b, __global float *c) {
            size_t i = get_global_id(0); c[i] = a[i] + b[i]; }";
        let text = CString::new(text)?;
        // SAFETY: the signatures are those of OpenCL 1.2, every pointer outlives its call, and the handles are live.
        unsafe {
            let cl: &'static libloading::Library = Box::leak(Box::new(libloading::Library::new("libOpenCL.so.1")?));
            let mut code = 0;
            let source = text.as_ptr();
            let program = cl.get::<CreateProgram>(b"clCreateProgramWithSource")?(
                device.raw_context(),
                1,
                &source,
                ptr::null(),
                &mut code,
            );
            cl.get::<Build>(b"clBuildProgram")?(program, 0, ptr::null(), ptr::null(), ptr::null(), ptr::null());
            let kernel = cl.get::<CreateKernel>(b"clCreateKernel")?(program, c"add".as_ptr(), &mut code);
            if code != 0 {
                return Err(format!("the bare kernel could not be made: {code}").into());
            }
            Ok(Bare {
                queue,
                kernel,
                buffers,
                set: cl.get(b"clSetKernelArg")?,
                enqueue: cl.get(b"clEnqueueNDRangeKernel")?,
            })
        }
    }

    fn launch(&self) {
        // SAFETY: as in `new`; the kernel has three buffer arguments.
        unsafe {
            for (i, buffer) in self.buffers.iter().enumerate() {
                (self.set)(self.kernel, i as cl_uint, size_of::<cl_mem>(), ptr::from_ref(buffer).cast());
            }
            let global = [16usize, 1, 1];
            (self.enqueue)(
                self.queue,
                self.kernel,
                3,
                ptr::null(),
                global.as_ptr(),
                ptr::null(),
                0,
                ptr::null(),
                ptr::null_mut(),
            );
        }
    }
}

fn execution() -> Anyhow<()> {
    let engine = Engine::new(EngineKind::Gpu, 0)?;
    let stream = Stream::new(&engine)?;
    let md = plain(&[16])?;
    let add = Binary::new(AlgKind::BinaryAdd, &md, &md, None, &md)?;
    let primitive = Primitive::new(&PrimitiveDesc::new(&engine, add, &Attr::new())?)?;
    let memories: Vec<Memory> = (0..3).map(|_| Memory::new(&engine, &md)).collect::<Result<_, _>>()?;
    let args = [(arg::SRC_0, &memories[0]), (arg::SRC_1, &memories[1]), (arg::DST, &memories[2])];
    let raw = |memory: &Memory| match memory.buffer(0) {
        Ok(Some(oxidnn::runtime::Buffer::Ocl(buffer))) => buffer.cl_mem().unwrap_or(ptr::null_mut()),
        _ => ptr::null_mut(),
    };
    let oxidnn::runtime::Queue::Ocl(queue) = stream.queue() else { return Err("an OpenCL queue is needed".into()) };
    let bare = Bare::new(&engine, queue.raw(), [raw(&memories[0]), raw(&memories[1]), raw(&memories[2])])?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..2000 {
        let start = Instant::now();
        primitive.execute(&stream, &args)?;
        ours.push(start.elapsed());
        stream.wait()?;
        let start = Instant::now();
        bare.launch();
        theirs.push(start.elapsed());
        stream.wait()?;
    }
    ours.sort();
    theirs.sort();
    let (a, b) = (ours[1000], theirs[1000]);
    println!("executing an addition of 16 numbers on an in-order queue, medians of 2000");
    println!("  execute                    {a:>10.2?}");
    println!("  bare clSetKernelArg × 3 and clEnqueueNDRangeKernel {b:>10.2?}");
    println!("  above the runtime's own    {:>10.2?}", a.saturating_sub(b));
    Ok(())
}

fn main() -> Anyhow<()> {
    if Engine::count(EngineKind::Gpu) == 0 {
        return Err("there is no OpenCL device; install one, for example with `apt-get install pocl-opencl-icd`".into());
    }
    println!("{:?}", Engine::new(EngineKind::Gpu, 0)?);
    creation()?;
    execution()
}
