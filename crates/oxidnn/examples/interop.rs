//! A program that has its own OpenCL device, context, queue and buffers, and lets oxidnn compute inside them.
//!
//! It sorts pictures into classes with one dense layer: three commands on one out-of-order queue, which nothing but their
//! events puts in order.
//!
//! ```text
//! bytes to floats          a kernel of this program
//!   → matmul, bias, ReLU   oxidnn
//!     → best class         a kernel of this program
//! ```

use std::error::Error;
use std::ptr;
use std::time::{Duration, Instant};

use opencl3::command_queue::{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device, get_all_devices};
use opencl3::event::Event;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem};
use opencl3::platform::Platform;
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_device_id};

use oxidnn::desc::{AlgKind, Attr, DataType, Matmul, MemoryDesc, PostOps, arg};
use oxidnn::interop::ocl;
use oxidnn::runtime;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};

const PICTURES: usize = 256;
const PIXELS: usize = 784;
const CLASSES: usize = 1000;
const ROUNDS: u32 = 5;

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

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What is the program's. oxidnn has no part in making it.
struct Owned {
    context: Context,
    queue: CommandQueue,
    bytes_to_floats: Kernel,
    best_class: Kernel,
    bytes: Buffer<u8>,
    src: Buffer<f32>,
    weights: Buffer<f32>,
    bias: Buffer<f32>,
    dst: Buffer<f32>,
    best: Buffer<i32>,
}

fn main() -> Outcome<()> {
    let device = Device::new(first_device()?);
    let mut random = Random(1);
    let pictures: Vec<u8> = (0..PICTURES * PIXELS).map(|_| random.next() as u8).collect();
    let weights: Vec<f32> = (0..PIXELS * CLASSES).map(|_| random.unit()).collect();
    let bias: Vec<f32> = (0..CLASSES).map(|_| random.unit()).collect();
    let owned = Owned::new(&device, &pictures, &weights, &bias)?;
    let platform = Platform::new(device.platform()?);
    println!("device   {} ({}, {})", device.name()?.trim(), platform.name()?, device.version()?);
    println!("queue    {}; it, its context and 6 buffers are this program's own\n", owned.order()?);

    let (implementation, time) = compute(&owned, &device)?;
    let commands = [
        ["command", "kernel by", "after"],
        ["1 bytes to floats", "this program", ""],
        ["2 matmul, bias, ReLU", &implementation, "1"],
        ["3 best class", "this program", "2"],
    ];
    for [command, by, after] in commands {
        println!("{command:<22}{by:<22}{after}");
    }
    let flops = (2 * PICTURES * PIXELS * CLASSES) as f64 / time.as_secs_f64();
    println!("\ntime     {:.2} ms for all three, {:.1} GFLOP/s", time.as_secs_f64() * 1e3, flops / 1e9);
    let (mut scores, mut classes) = (vec![0f32; PICTURES * CLASSES], vec![0i32; PICTURES]);
    // SAFETY: both reads block and are as long as their slices.
    unsafe {
        owned.queue.enqueue_read_buffer(&owned.dst, CL_BLOCKING, 0, &mut scores, &[])?;
        owned.queue.enqueue_read_buffer(&owned.best, CL_BLOCKING, 0, &mut classes, &[])?;
    }
    let (difference, wrong) = compare(&pictures, &weights, &bias, &scores, &classes);
    println!("check    largest difference from a double-precision product on the host: {difference:.1e}");
    println!("         pictures that did not get their best class: {wrong} of {PICTURES}");
    if difference > TOLERANCE || wrong > 0 {
        return Err("the results are wrong".into());
    }
    println!("\nall right");
    Ok(())
}

/// Hands the program's objects to oxidnn, and runs its kernels and oxidnn's on the one queue. Returns what oxidnn ran, and
/// how long a round takes.
fn compute(owned: &Owned, device: &Device) -> Outcome<(String, Duration)> {
    // oxidnn retains what it is given, and releases it when its own objects go at the end of this function.
    // SAFETY: a live device, context and queue.
    let (ocl_device, ocl_queue) = unsafe {
        let device = ocl::Device::from_raw(device.id(), owned.context.get())?;
        let queue = ocl::Queue::from_raw(&device, owned.queue.get())?;
        (device, queue)
    };
    let engine = Engine::from_device(ocl_device.clone().into());
    let stream = Stream::from_queue(&engine, ocl_queue.into())?;

    let md =
        |rows: usize, columns: usize| MemoryDesc::with_strides(&[rows as i64, columns as i64], DataType::F32, None);
    let (src, weights, bias, dst) =
        (md(PICTURES, PIXELS)?, md(PIXELS, CLASSES)?, md(1, CLASSES)?, md(PICTURES, CLASSES)?);
    let relu = Attr::new().with_post_ops(PostOps::new().eltwise(AlgKind::EltwiseRelu, 0.0, 0.0)?);
    let desc = PrimitiveDesc::new(&engine, Matmul::new(&src, &weights, Some(&bias), &dst)?, &relu)?;
    let matmul = Primitive::new(&desc)?;

    let memory = |md: &MemoryDesc, buffer: &Buffer<f32>| {
        // SAFETY: a live buffer.
        let buffer = unsafe { ocl::Buffer::from_cl_mem(&ocl_device, buffer.get())? };
        Memory::from_buffer(&engine, md, buffer.into())
    };
    let (src, weights) = (memory(&src, &owned.src)?, memory(&weights, &owned.weights)?);
    let (bias, dst) = (memory(&bias, &owned.bias)?, memory(&dst, &owned.dst)?);
    let args = [(arg::SRC, &src), (arg::WEIGHTS, &weights), (arg::BIAS, &bias), (arg::DST, &dst)];

    let round = || -> Outcome<()> {
        let first = owned.enqueue_bytes_to_floats()?;
        // SAFETY: a live event.
        let after_first = unsafe { ocl::Event::from_raw(&ocl_device, first.get())? };
        let runtime::Event::Ocl(done) = matmul.execute_after(&stream, &args, &[after_first.into()])? else {
            return Err("the matmul did not run on OpenCL".into());
        };
        // The event that oxidnn gives is this program's to release.
        let second = Event::new(done.into_raw());
        let third = owned.enqueue_best_class(&second)?;
        Ok(third.wait()?)
    };
    round()?; // warms the device up
    let start = Instant::now();
    for _ in 0..ROUNDS {
        round()?;
    }
    Ok((desc.implementation().into(), start.elapsed() / ROUNDS))
}

fn first_device() -> Outcome<cl_device_id> {
    let devices = get_all_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default();
    Ok(*devices.first().ok_or("there is no OpenCL device here; `cargo xtask demo` installs a runtime for the CPU")?)
}

impl Owned {
    fn new(device: &Device, pictures: &[u8], weights: &[f32], bias: &[f32]) -> opencl3::Result<Owned> {
        let context = Context::from_device(device)?;
        let properties = device.queue_on_host_properties()? & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        // SAFETY: the device is the context's.
        let queue = unsafe { CommandQueue::create(&context, device.id(), properties)? };
        let mut program = Program::create_from_source(&context, KERNELS)?;
        program.build(context.devices(), "")?;
        Ok(Owned {
            bytes_to_floats: Kernel::create(&program, "bytes_to_floats")?,
            best_class: Kernel::create(&program, "best_class")?,
            bytes: filled(&context, &queue, pictures)?,
            src: empty(&context, PICTURES * PIXELS)?,
            weights: filled(&context, &queue, weights)?,
            bias: filled(&context, &queue, bias)?,
            dst: empty(&context, PICTURES * CLASSES)?,
            best: empty(&context, PICTURES)?,
            context,
            queue,
        })
    }

    fn enqueue_bytes_to_floats(&self) -> opencl3::Result<Event> {
        let mut launch = ExecuteKernel::new(&self.bytes_to_floats);
        // SAFETY: these are the kernel's arguments, and the buffers have an element for each work-item.
        unsafe {
            launch.set_arg(&self.bytes).set_arg(&self.src).set_global_work_size(PICTURES * PIXELS);
            launch.enqueue_nd_range(&self.queue)
        }
    }

    fn enqueue_best_class(&self, after: &Event) -> opencl3::Result<Event> {
        let mut launch = ExecuteKernel::new(&self.best_class);
        // SAFETY: as above.
        unsafe {
            launch.set_arg(&self.dst).set_arg(&self.best).set_arg(&(CLASSES as i32)).set_global_work_size(PICTURES);
            launch.set_wait_event(after).enqueue_nd_range(&self.queue)
        }
    }

    fn order(&self) -> opencl3::Result<&'static str> {
        match self.queue.properties()? & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE {
            0 => Ok("in order, since the device has no other"),
            _ => Ok("out of order"),
        }
    }
}

fn empty<T>(context: &Context, count: usize) -> opencl3::Result<Buffer<T>> {
    // SAFETY: no host pointer.
    unsafe { Buffer::create(context, CL_MEM_READ_WRITE, count, ptr::null_mut()) }
}

fn filled<T>(context: &Context, queue: &CommandQueue, values: &[T]) -> opencl3::Result<Buffer<T>> {
    let mut buffer = empty(context, values.len())?;
    // SAFETY: a blocking write of as many values as the buffer holds.
    unsafe { queue.enqueue_write_buffer(&mut buffer, CL_BLOCKING, 0, values, &[])? };
    Ok(buffer)
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
