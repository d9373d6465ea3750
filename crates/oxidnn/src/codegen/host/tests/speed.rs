//! How fast it is. Run with `cargo test --release -p oxidnn host::tests::speed -- --ignored --nocapture --test-threads 1`.

use super::case::{Case, Ready};
use super::matmul;
use crate::desc::DataType;
use crate::program::*;

/// Seconds this thread has been running on a processor, so that others on the machine do not count.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts a thread's time");
    stat.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).expect("a number of nanoseconds") / 1e9
}

/// Runs a case on one thread over and over; seconds of one run.
fn seconds(case: &Ready) -> f64 {
    let start = std::time::Instant::now();
    let kernel = case.kernel();
    println!("  {kernel:?} created in {:?}", start.elapsed());
    let (mut start, mut runs) = (0.0, -1.0);
    // The clock moves in ticks of some milliseconds.
    case.run_while(&*kernel, || {
        start = if runs < 0.0 { cpu_seconds() } else { start };
        runs += 1.0;
        cpu_seconds() < start + 0.3
    });
    (cpu_seconds() - start) / runs
}

fn copy(from: DataType, to: DataType, elements: usize) -> Ready {
    let c = Case::new();
    let (src, dst) = (c.tensor(from, elements, |i| (i % 100) as f64), c.output(to, elements));
    let (i, at) = c.axis(elements as i64);
    c.stage(&[i], None, &[(dst, at, c.b.load(src, at, Ty::F32))]);
    c.finish()
}

#[test]
#[ignore = "a measurement"]
fn copies() {
    let n = 1 << 22;
    for (from, to) in [
        (DataType::F32, DataType::F32),
        (DataType::F16, DataType::F32),
        (DataType::F32, DataType::F16),
        (DataType::Bf16, DataType::Bf16),
        (DataType::F8E4m3, DataType::F8E5m2),
        (DataType::F32, DataType::S8),
        (DataType::U8, DataType::F32),
        (DataType::S4, DataType::F4E2m1),
    ] {
        println!("{from} to {to}: {:.0} M elements/s", n as f64 / seconds(&copy(from, to, n)) / 1e6);
    }
}

#[test]
#[ignore = "a measurement"]
fn additions() {
    let n = 1 << 22;
    let c = Case::new();
    let (a, b) = (c.tensor(DataType::F32, n, |i| i as f64), c.tensor(DataType::F32, n, |i| i as f64));
    let dst = c.output(DataType::F32, n);
    let (i, at) = c.axis(n as i64);
    c.stage(&[i], None, &[(dst, at, c.b.load(a, at, Ty::F32) + c.b.load(b, at, Ty::F32))]);
    println!("f32 addition: {:.0} M elements/s", n as f64 / seconds(&c.finish()) / 1e6);
}

#[test]
#[ignore = "a measurement"]
fn transposition() {
    let (rows, columns) = (1024i64, 4096i64);
    let n = (rows * columns) as usize;
    let c = Case::new();
    let (src, dst) = (c.tensor(DataType::F32, n, |i| i as f64), c.output(DataType::F32, n));
    let ((i, at_i), (j, at_j)) = (c.axis(rows), c.axis(columns));
    let value = c.b.load(src, c.offset(&[(at_j, rows), (at_i, 1)]), Ty::F32);
    c.stage(&[i, j], None, &[(dst, c.offset(&[(at_i, columns), (at_j, 1)]), value)]);
    println!("f32 transposition: {:.0} M elements/s", n as f64 / seconds(&c.finish()) / 1e6);
}

#[test]
#[ignore = "a measurement"]
fn matmuls() {
    for (m, n, k) in [(256, 512, 512), (64, 8, 4096), (4096, 16, 16)] {
        for transposed in [false, true] {
            for types in [
                (DataType::F32, DataType::F32, Ty::F32),
                (DataType::Bf16, DataType::F32, Ty::F32),
                (DataType::S8, DataType::S32, Ty::S32),
            ] {
                let rate = (2 * m * n * k) as f64 / seconds(&matmul(m, n, k, transposed, types)) / 1e9;
                println!("{} matmul {m} x {n} x {k}, transposed {transposed}: {rate:.2} GFLOP/s", types.0);
            }
        }
    }
}

/// A 3 x 3 convolution with padding of 64 channels to 64.
fn convolution(channels_last: bool, size: i64) -> Ready {
    let (channels, taps) = (64i64, 3i64);
    let c = Case::new();
    let src = c.tensor(DataType::F32, (channels * size * size) as usize, |i| (i % 7) as f64);
    let weights = c.tensor(DataType::F32, (channels * channels * taps * taps) as usize, |i| (i % 5) as f64);
    let dst = c.output(DataType::F32, (channels * size * size) as usize);
    let ((o, at_o), (h, at_h), (w, at_w)) = (c.axis(channels), c.axis(size), c.axis(size));
    let ((i, at_i), (y, at_y), (x, at_x)) = (c.axis(channels), c.axis(taps), c.axis(taps));
    let (padding, limit) = (c.b.param(1), c.b.param(size));
    let (in_h, in_w) = (at_h + at_y - padding, at_w + at_x - padding);
    let inside = in_h.ge(0) & in_h.lt(limit) & in_w.ge(0) & in_w.lt(limit);
    let data = if channels_last { [1, size * channels, channels] } else { [size * size, size, 1] };
    let filter = if channels_last {
        [1, channels, taps * channels * channels, channels * channels]
    } else {
        [channels * taps * taps, taps * taps, taps, 1]
    };
    let a = c.b.load_if(inside, src, c.offset(&[(at_i, data[0]), (in_h, data[1]), (in_w, data[2])]), Ty::F32);
    let taps = [(at_o, filter[0]), (at_i, filter[1]), (at_y, filter[2]), (at_x, filter[3])];
    let sum = c.b.reduce(ReduceOp::Sum, &[i, y, x], a * c.b.load(weights, c.offset(&taps), Ty::F32));
    c.stage(&[o, h, w], None, &[(dst, c.offset(&[(at_o, data[0]), (at_h, data[1]), (at_w, data[2])]), sum)]);
    c.finish()
}

#[test]
#[ignore = "a measurement"]
fn convolutions() {
    for size in [56, 7] {
        for channels_last in [false, true] {
            let operations = (2 * 64 * 64 * 9 * size * size) as f64;
            let rate = operations / seconds(&convolution(channels_last, size)) / 1e9;
            println!("convolution 3 x 3 of {size} x {size}, channels last {channels_last}: {rate:.2} GFLOP/s");
        }
    }
}
