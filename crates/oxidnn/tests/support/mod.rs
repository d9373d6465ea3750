//! What the tests of primitives share.

#[allow(dead_code, reason = "few suites convolve")]
pub mod window;

use oxidnn::desc::{Attr, DataType, EngineKind, MemoryDesc, Reorder, arg};
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};

/// The host, and every device there is.
#[allow(dead_code, reason = "one suite tells them apart")]
pub fn engines() -> Vec<Engine> {
    let gpus = (0..Engine::count(EngineKind::Gpu)).map(|i| Engine::new(EngineKind::Gpu, i).unwrap());
    std::iter::once(Engine::new(EngineKind::Cpu, 0).unwrap()).chain(gpus).collect()
}

/// The cases of a list that are tried: all of them, or the first of every few where `OXIDNN_TEST_EVERY` says how many those are, for
/// runtimes that take long to build kernels.
#[allow(dead_code, reason = "not every suite has long lists")]
pub fn tried<T>(cases: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let every = std::env::var("OXIDNN_TEST_EVERY").map_or(1, |number| number.parse().expect("a number above zero"));
    cases.into_iter().step_by(every)
}

/// Whole numbers of a type: from 0 to 6 where it has no sign, else from -3 to 3.
#[allow(dead_code, reason = "some suites have numbers of their own")]
pub fn numbers(count: i64, data_type: DataType) -> Vec<f32> {
    let lowest = if data_type == DataType::U8 { 0.0 } else { -3.0 };
    (0..count).map(|i| ((i * 5 + i / 7) % 7) as f32 + lowest).collect()
}

/// Creates a primitive, executes it and waits for it.
#[allow(dead_code, reason = "some suites create descriptors, too")]
pub fn run(engine: &Engine, desc: &PrimitiveDesc, args: &[(i32, &Memory)]) {
    let stream = Stream::new(engine).unwrap();
    Primitive::new(desc).unwrap().execute(&stream, args).unwrap();
    stream.wait().unwrap();
}

/// A memory's elements in the layout of another descriptor.
#[allow(dead_code, reason = "not every suite leaves layouts open")]
pub fn reordered(engine: &Engine, from: &Memory, to: &MemoryDesc) -> Memory {
    let target = Memory::new(engine, to).unwrap();
    let desc = PrimitiveDesc::new(engine, Reorder::new(from.desc(), to).unwrap(), &Attr::new()).unwrap();
    run(engine, &desc, &[(arg::SRC, from), (arg::DST, &target)]);
    target
}
