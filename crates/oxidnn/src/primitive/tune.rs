//! Measuring which form of a contraction is fastest, for those who ask for it.
//!
//! Schedules order the forms that a stage can have by what they expect them to cost, and take the first. Here the first few are tried
//! on the device, on memory of their own, and the rank of the fastest is remembered: as long as the caches of the engine live,
//! and on disk, so that later processes take it without measuring. All forms read and write the same layouts and get by with the same
//! scratchpad, so nothing but the time changes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::blob::Key;
use super::cache::Ready;
use super::{Args, Layout, Plan, allocate_scratchpad, layouts};
use crate::desc::{ArgDesc, Attr, FormatKind, MemoryDesc, Op, PrimitiveKind};
use crate::engine::Engine;
use crate::memory::Memory;
use crate::observe::verbose;
use crate::program::Program;
use crate::runtime::{Device, DeviceProfile, Order, Queue};
use crate::{Error, Result};

/// How many forms are tried.
const MOST: usize = 8;
/// How often they take turns, so that what disturbs one disturbs the others too.
const TURNS: usize = 4;
/// How long a form runs in a turn.
const TURN: Duration = Duration::from_millis(4);
/// Bytes of tensors beyond which nothing is tried.
const MOST_BYTES: usize = 1 << 31;
/// How much faster another form must be than the first to take its place; less may be chance.
const GAIN: f64 = 0.97;

/// The stages of an operation in the form that was fastest when it was last measured, else in the first.
pub(super) fn layout(engine: &Engine, op: &Op, attr: &Attr) -> Result<Layout> {
    let device = engine.device();
    let known = has_forms(op, device).then(|| engine.shared().caches.rank(device, &key(op, attr, device.profile())));
    Layout::new(layouts::lower(op, attr, device)?, device, &ranked(device.profile(), known.flatten().unwrap_or(0)))
}

/// Measures which form of an operation is fastest, unless that was done before. From now on primitives get that one, also
/// where they got another until now.
pub(super) fn measure(engine: &Engine, op: &Op, attr: &Attr, args: &[ArgDesc]) -> Result<()> {
    let (device, caches) = (engine.device(), &engine.shared().caches);
    if !has_forms(op, device) {
        return Ok(());
    }
    let key = key(op, attr, device.profile());
    if caches.rank(device, &key).is_some() {
        return Ok(());
    }
    let fastest = fastest(engine, &layouts::lower(op, attr, device)?, args)?;
    caches.keep_rank(device, &key, fastest.as_ref().map_or(0, |(rank, _)| *rank));
    if let Some((_, ready)) = fastest {
        caches.keep(op, attr, &ready);
    }
    Ok(())
}

/// Whether there may be several forms.
fn has_forms(op: &Op, device: &Device) -> bool {
    use PrimitiveKind::{Convolution, Deconvolution, InnerProduct, Matmul};
    !matches!(device, Device::Cpu(_)) && matches!(op.kind(), Matmul | InnerProduct | Convolution | Deconvolution)
}

/// What a rank is remembered by: what was asked, and all that decides which forms there are.
fn key(op: &Op, attr: &Attr, profile: &DeviceProfile) -> Key {
    let texts = ["rank".into(), format!("{op:?}"), format!("{attr:?}"), format!("{profile:?}")];
    Key::of_parts(&texts.each_ref().map(|text| text.as_bytes()))
}

fn ranked(profile: &DeviceProfile, rank: usize) -> DeviceProfile {
    DeviceProfile { rank, ..profile.clone() }
}

/// The different forms of a program, each with its rank.
fn forms(program: &Program, device: &Device, profile: &DeviceProfile) -> Result<Vec<(usize, Layout)>> {
    let mut forms: Vec<(usize, Layout)> = Vec::new();
    for rank in 0..MOST {
        let layout = Layout::new(program.clone(), device, &ranked(profile, rank))?;
        let fits = forms.first().is_none_or(|(_, first)| layout.scratchpad() == first.scratchpad());
        if fits && !forms.iter().any(|(_, other)| layout.is_same(other)) {
            forms.push((rank, layout));
        }
    }
    Ok(forms)
}

/// The form that takes the least time, with its rank. None where there is but one, or nothing can be measured.
fn fastest(engine: &Engine, program: &Program, args: &[ArgDesc]) -> Result<Option<(usize, Ready)>> {
    let device = engine.device();
    let is_dense = |md: &MemoryDesc| matches!(md.format_kind(), FormatKind::Blocked | FormatKind::Opaque);
    let dense = |desc: &ArgDesc| is_dense(&desc.md) || desc.md.is_zero();
    let bytes = args.iter().try_fold(0usize, |all, desc| all.checked_add(desc.md.size()));
    if !args.iter().all(dense) || bytes.is_none_or(|bytes| bytes > MOST_BYTES) {
        return Ok(None);
    }
    let mut forms = forms(program, device, device.profile())?;
    if forms.len() < 2 {
        return Ok(None);
    }
    let memories: Vec<(i32, Memory)> = args
        .iter()
        .filter(|desc| !desc.md.is_zero())
        .map(|desc| {
            let memory = Memory::new(engine, &desc.md)?;
            memory.write_bytes(&vec![0; desc.md.size()])?;
            Ok((desc.arg, memory))
        })
        .collect::<Result<_>>()?;
    let borrowed: Vec<(i32, &Memory)> = memories.iter().map(|(arg, memory)| (*arg, memory)).collect();
    let scratchpad = allocate_scratchpad(engine, forms[0].1.scratchpad())?;
    let trial = Trial {
        queue: device.create_queue(Order::InOrder, false)?,
        args: Args(&borrowed),
        scratchpad: scratchpad.as_ref().map(|memory| memory.buffer(0)).transpose()?.flatten(),
    };
    let caches = &engine.shared().caches;
    let mut plans: Vec<Option<Plan>> = forms.iter().map(|(_, layout)| Plan::new(layout, device, caches).ok()).collect();
    let times = trial.times(&plans)?;
    let best = (0..times.len()).min_by(|&a, &b| times[a].total_cmp(&times[b])).unwrap_or(0);
    let chosen = if times[best] < GAIN * times[0] { best } else { 0 };
    verbose::info(
        "tune",
        format_args!(
            "form {} of {}: {:.4} ms, the first takes {:.4} ms",
            chosen + 1,
            forms.len(),
            times[chosen] * 1e3,
            times[0] * 1e3
        ),
    );
    let (rank, layout) = forms.swap_remove(chosen);
    let plan = plans.swap_remove(chosen);
    Ok(plan.map(|plan| (rank, Ready { layout: Arc::new(layout), plan: Arc::new(plan) })))
}

/// What forms are tried on.
struct Trial<'a> {
    queue: Queue,
    args: Args<'a>,
    scratchpad: Option<crate::runtime::Buffer>,
}

impl Trial<'_> {
    /// The shortest time of each form in seconds; forms that a device refuses take forever.
    fn times(&self, plans: &[Option<Plan>]) -> Result<Vec<f64>> {
        let mut times = vec![f64::INFINITY; plans.len()];
        for _ in 0..TURNS {
            for (plan, best) in plans.iter().zip(&mut times) {
                let Some(time) = plan.as_ref().and_then(|plan| self.time(plan).ok()) else { continue };
                *best = best.min(time);
            }
        }
        match times[0].is_finite() {
            true => Ok(times),
            false => Err(Error::runtime("the form that is taken without measuring does not run")),
        }
    }

    /// The time of a run, of as many as a turn has room for.
    fn time(&self, plan: &Plan) -> Result<f64> {
        let once = self.run(plan, 1)?;
        let runs = (TURN.as_secs_f64() / once.max(1e-6)).clamp(1.0, 100.0) as u32;
        Ok(self.run(plan, runs)? / f64::from(runs))
    }

    fn run(&self, plan: &Plan, runs: u32) -> Result<f64> {
        let start = Instant::now();
        for _ in 0..runs {
            plan.launch(&self.queue, &self.args, self.scratchpad.as_ref(), &[], false, None)?;
        }
        self.queue.wait()?;
        Ok(start.elapsed().as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{
        AlgKind, Convolution, DataType, Dims, EngineKind, Matmul, MemoryDesc, PostOps, PropKind, Role, Window,
    };
    use crate::runtime::{DeviceType, SubGroups};
    use crate::{Primitive, PrimitiveDesc, Stream};

    fn md(dims: &[i64], data_type: DataType, strides: Option<&[i64]>) -> MemoryDesc {
        MemoryDesc::with_strides(dims, data_type, strides).unwrap()
    }

    /// Products that suit some forms and not others, in sizes that leave something at every edge.
    fn products() -> Vec<Op> {
        let (f32, bf16, u8, s8) = (DataType::F32, DataType::Bf16, DataType::U8, DataType::S8);
        let product = |src: MemoryDesc, weights: MemoryDesc, of: DataType| {
            let dims = [src.dims()[..src.ndims() - 1].to_vec(), vec![weights.dims()[weights.ndims() - 1]]].concat();
            Op::from(Matmul::new(&src, &weights, None, &md(&dims, of, None)).unwrap())
        };
        let both = |value: i64| Dims::from([value, value]);
        let window = Window { strides: both(1), dilations: both(0), padding_l: both(1), padding_r: both(1) };
        let nhwc = |dims: [i64; 4]| md(&dims, f32, Some(&[dims[1] * dims[2] * dims[3], 1, dims[1] * dims[3], dims[1]]));
        let convolution = Convolution::new(
            PropKind::ForwardInference,
            AlgKind::ConvolutionDirect,
            &nhwc([2, 33, 12, 11]),
            &md(&[20, 33, 3, 3], f32, None),
            None,
            &nhwc([2, 20, 12, 11]),
            window,
        );
        vec![
            product(md(&[3, 70, 45], f32, None), md(&[3, 45, 77], f32, None), f32),
            product(md(&[130, 100], bf16, Some(&[1, 130])), md(&[100, 70], bf16, None), f32),
            product(md(&[40, 100], u8, None), md(&[100, 36], s8, Some(&[1, 100])), DataType::S32),
            convolution.unwrap().into(),
        ]
    }

    /// Memories for the inputs, full of small whole numbers, and for the outputs.
    fn memories(engine: &Engine, args: &[ArgDesc]) -> Vec<(i32, Memory)> {
        let fill = |desc: &ArgDesc| {
            let memory = Memory::new(engine, &desc.md).unwrap();
            let numbers = (0..desc.md.size()).map(|i| (i * 7 + i / 5) % 5);
            let bytes: Vec<u8> = match desc.md.data_type() {
                _ if desc.role == Role::Output => vec![0xa5; desc.md.size()],
                DataType::F32 => numbers.take(desc.md.size() / 4).flat_map(|n| (n as f32).to_ne_bytes()).collect(),
                DataType::Bf16 => {
                    let bits = |n: usize| ((n as f32).to_bits() >> 16) as u16;
                    numbers.take(desc.md.size() / 2).flat_map(|n| bits(n).to_ne_bytes()).collect()
                }
                _ => numbers.map(|n| n as u8).collect(),
            };
            memory.write_bytes(&bytes).unwrap();
            (desc.arg, memory)
        };
        args.iter().map(fill).collect()
    }

    fn output(args: &[ArgDesc], memories: &[(i32, Memory)]) -> Vec<u8> {
        let written = args.iter().position(|desc| desc.role == Role::Output).unwrap();
        memories[written].1.read_bytes().unwrap()
    }

    /// What a device may be taken for: what it is, and a GPU with and without sub-groups.
    fn profiles(device: &Device) -> Vec<DeviceProfile> {
        let own = device.profile();
        let mut profiles = vec![own.clone()];
        if own.max_work_group >= 256 {
            let gpu = |sub_groups| DeviceProfile { device_type: DeviceType::Gpu, sub_groups, ..own.clone() };
            profiles.push(gpu(SubGroups::None));
            if own.sub_groups != SubGroups::None {
                profiles.extend([gpu(own.sub_groups), gpu(SubGroups::Any)]);
            }
        }
        profiles
    }

    #[test]
    fn all_forms_of_a_product_give_the_same() {
        let host = Engine::new(EngineKind::Cpu, 0).unwrap();
        let attr = Attr::new().with_post_ops(PostOps::new().eltwise(AlgKind::EltwiseLinear, 2.0, 1.0).unwrap());
        for op in products() {
            let desc = PrimitiveDesc::new(&host, op.clone(), &attr).unwrap();
            let expected = memories(&host, desc.args());
            let borrowed: Vec<(i32, &Memory)> = expected.iter().map(|(arg, memory)| (*arg, memory)).collect();
            Primitive::new(&desc).unwrap().execute(&Stream::new(&host).unwrap(), &borrowed).unwrap();
            let expected = output(desc.args(), &expected);
            for index in 0..Engine::count(EngineKind::Gpu) {
                let engine = Engine::new(EngineKind::Gpu, index).unwrap();
                let device = engine.device();
                for profile in profiles(device) {
                    let program = layouts::lower(&op, &attr, engine.device()).unwrap();
                    let forms = forms(&program, device, &profile).unwrap();
                    let is_gpu = profile.device_type != DeviceType::Cpu;
                    assert!(!is_gpu || forms.len() >= 6, "{} forms of {op:?}", forms.len());
                    for (rank, layout) in forms {
                        let found = memories(&engine, desc.args());
                        let borrowed: Vec<(i32, &Memory)> = found.iter().map(|(arg, memory)| (*arg, memory)).collect();
                        let scratchpad = allocate_scratchpad(&engine, layout.scratchpad()).unwrap();
                        let scratchpad = scratchpad.as_ref().and_then(|memory| memory.buffer(0).unwrap());
                        let plan = Plan::new(&layout, device, &engine.shared().caches).unwrap();
                        let queue = device.create_queue(Order::InOrder, false).unwrap();
                        plan.launch(&queue, &Args(&borrowed), scratchpad.as_ref(), &[], false, None).unwrap();
                        queue.wait().unwrap();
                        let same = output(desc.args(), &found) == expected;
                        assert!(same, "{engine:?}, form {rank} on {profile:?}: {op:?}");
                    }
                }
            }
        }
    }

    /// Attributes that nobody used before, in this process or another.
    fn unused() -> Attr {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap();
        let alpha = 1.0 + (now.as_nanos() % 8_388_593) as f32 / 8_388_608.0;
        Attr::new().with_post_ops(PostOps::new().eltwise(AlgKind::EltwiseLinear, alpha, 0.0).unwrap())
    }

    #[test]
    fn what_was_measured_is_remembered_and_replaces_what_was_there() {
        for index in 0..Engine::count(EngineKind::Gpu) {
            let engine = Engine::new(EngineKind::Gpu, index).unwrap();
            let (device, caches) = (engine.device(), &engine.shared().caches);
            for op in products() {
                let attr = unused();
                let first = PrimitiveDesc::new(&engine, op.clone(), &attr).unwrap();
                drop(Primitive::new(&first).unwrap());
                let key = key(first.op(), first.resolved_attr(), device.profile());
                assert_eq!(caches.rank(device, &key), None, "nobody asked for it yet");
                let tuned = PrimitiveDesc::tuned(&engine, op.clone(), &attr).unwrap();
                assert_eq!(first.memory_consumption(), tuned.memory_consumption());
                let rank = caches.rank(device, &key).expect("it was measured");
                let program = layouts::lower(tuned.op(), tuned.resolved_attr(), engine.device()).unwrap();
                let wanted = Layout::new(program, device, &ranked(device.profile(), rank)).unwrap();
                let again = PrimitiveDesc::new(&engine, op, &attr).unwrap();
                let kept = caches.find(tuned.op(), tuned.resolved_attr()).expect("a primitive was made");
                for layout in [&tuned.0.layout, &again.0.layout, &Some(kept.layout)] {
                    assert!(layout.as_ref().unwrap().is_same(&wanted));
                }
            }
        }
    }
}
