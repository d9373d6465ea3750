//! How a stage runs: which loops become work-items, which tiles, which vectors.
//!
//! A schedule sees a stage and a [`DeviceProfile`], never an operation. [`schedule`] picks the first that takes the stage;
//! [`map`] takes every stage, so what no smarter schedule wants still runs.

mod aside;
mod attend;
mod blocks;
mod chain;
mod contract;
mod fuse;
mod group;
mod halves;
mod join;
mod map;
mod pack;
mod padding;
mod parts;
mod phase;
mod pieces;
mod room;
mod round;
mod slices;
mod slide;
mod sweep;
mod twins;
mod widen;

use std::collections::BTreeSet;

use crate::codegen::Param;
use crate::codegen::opencl::KernelSource;
use crate::program::{AxisId, Binding, E, Node, Program, Stage, TensorId, Ty};
use crate::runtime::{DeviceProfile, NdRange};
use crate::{Error, Result};

/// A stage as a kernel of a device.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// Its text.
    pub source: KernelSource,
    /// Its index space. Empty where there is nothing to do.
    pub range: NdRange,
    /// Its memory arguments, in order; the parameters follow them.
    pub tensors: Vec<Binding>,
    /// Its parameters: the program's, and the schedule's own.
    pub params: Vec<Param>,
    /// Which schedule made it, for `impl_info` strings.
    pub name: &'static str,
}

impl Scheduled {
    /// Puts together what a schedule made of a stage of `program`.
    fn new(program: &Program, name: &'static str, source: KernelSource, range: NdRange) -> Scheduled {
        Scheduled {
            params: source.slots.iter().map(|&slot| Param::new(program, slot)).collect(),
            tensors: source.tensors.iter().map(|&tensor| program.tensor(tensor).binding).collect(),
            source,
            range,
            name,
        }
    }
}

/// What goes in front of a kernel with explicit vectors and one work-item a work-group. Compilers that make vectors of work-items
/// are told not to: there are none to make, and trying takes most of the time of a build.
const ONE_ITEM: &str = "#ifdef __has_attribute
#if __has_attribute(intel_vec_len_hint)
__attribute__((intel_vec_len_hint(1)))
#endif
#endif
__attribute__((reqd_work_group_size(1, 1, 1)))
";

/// Rewrites a program so that its stages suit the device better.
pub fn prepare(program: &mut Program, profile: &DeviceProfile) {
    for index in 0..program.stages.len() {
        let mut stage = program.stages[index].clone();
        program.count_in_integers(&mut stage);
        program.stages[index] = stage;
    }
    attend::fuse(program, profile);
    blocks::split(program, profile);
    chain::fuse(program, profile);
    fuse::fuse(program, profile);
    join::join(program, profile, &[]);
    program.merge_axes();
    fuse::share_walks(program, profile);
    padding::fill(program, profile);
    twins::join(program, profile);
    blocks::split_rest(program, profile);
    aside::take(program, profile);
    phase::split(program, profile);
    contract::cut(program, profile);
    halves::split(program, profile);
    slide::slide(program, profile);
    round::up(program, profile, &[]);
    widen::to_pairs(program, profile);
    parts::split(program, profile, &[]);
    pieces::split(program, profile);
    slices::cut(program, profile);
    pack::pack(program, profile);
    widen::widen(program, profile);
}

/// How a factor should lie for a contraction: columns in panels, and in them groups of neighbours along what is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Panels {
    /// Columns of a panel.
    pub width: i64,
    /// Elements of a group.
    pub group: i64,
    /// Sums whose columns lie side by side in a panel.
    pub sums: i64,
    /// Groups whose columns do.
    pub groups: i64,
}

/// How panels should be for the contraction that reads an execution argument as its vector factor, one of those whose
/// layout is `open`. They have one column where vectors run along what is summed.
pub fn panels(mut program: Program, profile: &DeviceProfile, arg: i32, open: &[i32]) -> Option<Panels> {
    blocks::split(&mut program, profile);
    join::join(&mut program, profile, open);
    program.merge_axes();
    round::up(&mut program, profile, open);
    widen::to_pairs(&mut program, profile);
    parts::split(&mut program, profile, open);
    pack::line_up_rows(&mut program, profile, open);
    let wanted = |&tensor: &TensorId| is_arg(&program, tensor, arg);
    // Two elements of four bits share a byte along the columns.
    let in_bytes = |&tensor: &TensorId| wanted(&tensor) && !program.tensor(tensor).data_type.is_sub_byte();
    program.stages.iter().find_map(|stage| {
        if let Some(along) = contract::Along::of(&program, stage, profile) {
            let single = Panels { width: 1, group: 1, sums: 1, groups: 1 };
            return read(&program, along.columns).iter().any(in_bytes).then_some(single);
        }
        if let Some(spread) = contract::Spread::of(&program, stage, profile) {
            let panels = spread.panels(&program)?;
            return read(&program, spread.vector).iter().any(wanted).then_some(panels);
        }
        let contraction = contract::Contraction::with_open(&program, stage, profile, open)?;
        let tensors = read(&program, contraction.vector);
        let tile = contraction.tile(&program, profile)?;
        let group = contraction.dot.filter(|_| !contraction.converts(&program)).map_or(1, contract::Dot::group);
        let (width, sums) = (contraction.width(&tile), contraction.sums());
        // Elements of four bits are copied in another type for many rows, and best read in lines for that.
        let single = contraction.row_count(&program) == Some(1);
        let is_wanted = if single { tensors.iter().any(wanted) } else { tensors.iter().any(in_bytes) };
        is_wanted.then_some(Panels { width, group, sums, groups: 1 })
    })
}

/// The tensors that an expression reads.
fn read(program: &Program, e: E) -> BTreeSet<TensorId> {
    let mut tensors = BTreeSet::new();
    program.visit([e], &mut |e| {
        if let Node::Load { tensor, .. } = program.node(e) {
            tensors.insert(*tensor);
        }
    });
    tensors
}

/// Whether a tensor is an execution argument.
fn is_arg(program: &Program, tensor: TensorId, arg: i32) -> bool {
    matches!(program.tensor(tensor).binding, Binding::Arg { arg: of, .. } if of == arg)
}

/// Turns a stage into a kernel.
pub fn schedule(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Result<Scheduled> {
    attend::schedule(program, stage, profile)
        .or_else(|| contract::schedule(program, stage, profile))
        .or_else(|| sweep::schedule(program, stage, profile))
        .or_else(|| group::schedule(program, stage, profile).map(Ok))
        .unwrap_or_else(|| map::schedule(program, stage))
}

/// Whether a stage is computed by loops in which a row's numbers come before its elements.
fn takes_rows(program: &Program, stage: &Stage, profile: &DeviceProfile) -> bool {
    sweep::takes(program, stage, profile) || group::takes(program, stage, profile)
}

/// Whether a stage is for [`sweep`] alone, once, and stores all of its domain.
fn is_swept(program: &Program, stage: &Stage, profile: &DeviceProfile) -> bool {
    stage.bounds.is_none()
        && stage.repeat.is_none()
        && sweep::takes(program, stage, profile)
        && !contract::takes(program, stage, profile)
}

/// Whether a stage reads or writes what another one writes.
fn touches_results(program: &Program, stage: &Stage, of: &Stage) -> bool {
    let written: Vec<Binding> = of.stores.iter().map(|store| program.tensor(store.tensor).binding).collect();
    program.stage_tensors(stage).iter().any(|(tensor, _)| written.contains(&program.tensor(*tensor).binding))
}

/// Whether offsets or positions of a stage may not fit 32 bits.
fn needs_wide_indices(program: &Program, stage: &Stage) -> bool {
    let limit = i64::from(i32::MAX);
    let domain = stage.axes.iter().try_fold(1i64, |product, &axis| product.checked_mul(program.extent(axis)?.max(1)));
    if domain.is_none_or(|points| points > limit) {
        return true;
    }
    let last = |axis: AxisId| program.extent(axis).map(|extent| (extent - 1).max(0));
    // An offset that is read from memory can reach any element.
    let elements = |tensor: TensorId| program.tensor(tensor).elements.unwrap_or(0);
    let reaches = |tensor: TensorId, offset: E| elements(tensor) > limit && program.evaluate(offset, &last).is_none();
    let mut wide = stage.stores.iter().any(|store| reaches(store.tensor, store.offset));
    program.visit(program.roots(stage), &mut |e| {
        if let Node::Load { tensor, offset, .. } = *program.node(e) {
            wide |= reaches(tensor, offset);
        }
        if program.ty(e) == Ty::Index {
            wide |= program.evaluate(e, &last).is_some_and(|value| value.abs() > limit);
        }
    });
    wide
}

/// How many times `b` goes into `a`, rounded up.
fn ceil(a: i64, b: i64) -> i64 {
    (a + b - 1) / b
}

/// The number of points of a stage's domain along each axis.
fn extents(program: &Program, stage: &Stage) -> Result<Vec<usize>> {
    stage
        .axes
        .iter()
        .map(|&axis| {
            program
                .extent(axis)
                .and_then(|extent| usize::try_from(extent).ok())
                .ok_or_else(|| Error::runtime(format!("the extent of axis {} is not known", program.axis(axis).name)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{
        AlgKind, Attr, DataType, Dims, Eltwise, FpmathMode, InnerBlock, Layout, Matmul, MemoryDesc, Op, PropKind,
        Quant, Reduction, Reorder, Softmax, arg,
    };
    use crate::runtime::DeviceType;

    fn profile(device_type: DeviceType) -> DeviceProfile {
        let host = crate::runtime::cpu::Device.profile().clone();
        DeviceProfile { device_type, compute_units: 2, vector_bytes: 64, ..host }
    }

    fn kernels(op: &Op, device_type: DeviceType) -> Vec<(String, bool)> {
        let profile = profile(device_type);
        let mut program = crate::lower::lower(op, &Attr::new()).unwrap();
        prepare(&mut program, &profile);
        let kernel =
            |stage: &Stage| (schedule(&program, stage, &profile).unwrap().source.text, reaches_far(&program, stage));
        program.stages.iter().map(kernel).collect()
    }

    /// Whether a stage stores to, or loads from, a tensor of more elements than 32 bits can count.
    fn reaches_far(program: &Program, stage: &Stage) -> bool {
        let elements = |tensor: TensorId| match program.tensor(tensor).binding {
            Binding::Scratch { elements, .. } => elements as i64,
            _ => program.tensor(tensor).elements.unwrap_or(0),
        };
        program.stage_tensors(stage).iter().any(|(tensor, _)| elements(*tensor) - 1 > i64::from(i32::MAX))
    }

    #[test]
    fn kernels_count_in_64_bits_where_tensors_need_it_and_only_there() {
        let md = |dims: &[i64]| MemoryDesc::with_strides(dims, DataType::F32, None).unwrap();
        let relu = |dims: &[i64]| -> Op {
            let (prop, alg, md) = (PropKind::ForwardInference, AlgKind::EltwiseRelu, md(dims));
            Eltwise::forward(prop, alg, &md, &md, 0.0, 0.0).unwrap().into()
        };
        let product = |m: i64, k: i64, n: i64| -> Op {
            Matmul::new(&md(&[m, k]), &md(&[k, n]), None, &md(&[m, n])).unwrap().into()
        };
        let padded = MemoryDesc::with_strides(&[4, 5], DataType::F32, Some(&[1 << 30, 1])).unwrap();
        let gaps: Op = Reorder::new(&padded, &md(&[4, 5])).unwrap().into();
        for device_type in [DeviceType::Cpu, DeviceType::Gpu] {
            for (far, op) in [
                (true, relu(&[3, 1 << 30])),
                (true, relu(&[1 << 16, (1 << 15) + 1])),
                (false, relu(&[1 << 15, 1 << 15])),
                (true, product(1 << 16, (1 << 15) + 1, 64)),
                (true, product(64, (1 << 15) + 1, 1 << 16)),
                (true, product(1 << 16, 64, (1 << 15) + 1)),
                (false, product(512, 512, 512)),
                (true, gaps.clone()),
            ] {
                let kernels = kernels(&op, device_type);
                assert_eq!(kernels.iter().any(|(_, reaches)| *reaches), far, "{op:?}");
                for (text, reaches) in kernels {
                    assert_eq!(text.contains("const long "), reaches, "{device_type:?} {op:?}\n{text}");
                    assert!(!reaches || !text.contains("(int)get_global_id"), "{device_type:?} {op:?}\n{text}");
                }
            }
        }
    }

    #[test]
    fn math_modes_decide_whether_scaled_integers_become_pairs() {
        let profile = DeviceProfile { dot_bf16: true, ..profile(DeviceType::Cpu) };
        for (mode, of_integers, rows, pairs) in [
            (FpmathMode::Bf16, true, 64, true),
            (FpmathMode::Any, true, 64, true),
            (FpmathMode::Bf16, true, 4, false),
            (FpmathMode::Bf16, false, 64, false),
            (FpmathMode::F16, true, 64, false),
            (FpmathMode::Strict, true, 64, false),
        ] {
            let md = |m, n, of| MemoryDesc::with_strides(&[m, n], of, None).unwrap();
            let (src, dst) = (md(rows, 256, DataType::Bf16), md(rows, 256, DataType::Bf16));
            let op: Op = Matmul::new(&src, &md(256, 256, DataType::S4), None, &dst).unwrap().into();
            let scales = Quant { groups: Dims::from([32, 1]), ..Quant::scales(3) };
            let attr = Attr::new().with_fpmath(mode, of_integers).with_scales(arg::WEIGHTS, scales).unwrap();
            let mut program = crate::lower::lower(&op, &attr).unwrap();
            prepare(&mut program, &profile);
            let text = schedule(&program, program.stages.last().unwrap(), &profile).unwrap().source.text;
            assert_eq!(text.contains("vdpbf16ps"), pairs, "{mode} {of_integers} {rows}");
        }
    }

    #[test]
    fn math_modes_decide_whether_floats_become_pairs() {
        let with = DeviceProfile { dot_bf16: true, ..profile(DeviceType::Cpu) };
        let without = DeviceProfile { dot_bf16: false, ..with.clone() };
        for (profile, mode, rows, pairs) in [
            (&with, FpmathMode::Bf16, 64, true),
            (&with, FpmathMode::Any, 64, true),
            (&with, FpmathMode::Bf16, 4, false),
            (&with, FpmathMode::Strict, 64, false),
            (&with, FpmathMode::F16, 64, false),
            (&with, FpmathMode::Tf32, 64, false),
            (&without, FpmathMode::Bf16, 64, false),
        ] {
            let md = |m, n| MemoryDesc::with_strides(&[m, n], DataType::F32, None).unwrap();
            let op: Op = Matmul::new(&md(rows, 256), &md(256, 256), None, &md(rows, 256)).unwrap().into();
            let mut program = crate::lower::lower(&op, &Attr::new().with_fpmath(mode, false)).unwrap();
            prepare(&mut program, profile);
            let text = schedule(&program, program.stages.last().unwrap(), profile).unwrap().source.text;
            assert_eq!(text.contains("vdpbf16ps"), pairs, "{mode} {rows}");
        }
    }

    #[test]
    fn short_types_use_what_the_processor_has() {
        let instructions = ["tdpbf16ps", "tdpbusd", "tdpbssd", "vdpbf16ps", "vpdpbusd", "vpmaddwd", ".byte 0xc4, 0xe2"];
        let full = profile(DeviceType::Cpu);
        let (dots, tiles) = (
            DeviceProfile { dot_int8: true, dot_bf16: true, ..full.clone() },
            DeviceProfile { amx_int8: true, amx_bf16: true, ..full.clone() },
        );
        let both = DeviceProfile { amx_int8: true, amx_bf16: true, ..dots.clone() };
        let pairs = DeviceProfile { pairs_int8: true, vector_bytes: 32, ..full.clone() };
        let short_dots = DeviceProfile { dot_int8: true, ..pairs.clone() };
        let vex = DeviceProfile { dot_vex: true, ..short_dots.clone() };
        for (rows, from, by, by_tiles, by_dots, by_pairs) in [
            (64, DataType::Bf16, DataType::Bf16, Some("tdpbf16ps"), "vdpbf16ps", None),
            (64, DataType::Bf16, DataType::S8, Some("tdpbf16ps"), "vdpbf16ps", None),
            (64, DataType::U8, DataType::S8, Some("tdpbusd"), "vpdpbusd", Some("vpmaddwd")),
            (64, DataType::S8, DataType::S8, Some("tdpbssd"), "vpdpbusd", Some("vpmaddwd")),
            // Few rows do not fill tiles.
            (4, DataType::Bf16, DataType::Bf16, None, "vdpbf16ps", None),
            (4, DataType::U8, DataType::S8, None, "vpdpbusd", Some("vpmaddwd")),
        ] {
            for (profile, expected) in [
                (&full, None),
                (&tiles, by_tiles),
                (&dots, Some(by_dots)),
                (&both, by_tiles.or(Some(by_dots))),
                (&pairs, by_pairs),
                (&short_dots, by_pairs.and(Some(by_dots))),
                (&vex, by_pairs.and(Some(".byte 0xc4, 0xe2"))),
            ] {
                let md = |m, n, of| MemoryDesc::with_strides(&[m, n], of, None).unwrap();
                let (src, weights, dst) = (md(rows, 64, from), md(64, 32, by), md(rows, 32, DataType::F32));
                let op: Op = Matmul::new(&src, &weights, None, &dst).unwrap().into();
                let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
                prepare(&mut program, profile);
                let text: String = program
                    .stages
                    .iter()
                    .map(|stage| schedule(&program, stage, profile).unwrap().source.text)
                    .collect();
                let used: Vec<&str> = instructions.into_iter().filter(|&name| text.contains(name)).collect();
                assert_eq!(used, Vec::from_iter(expected), "{rows} {from} {by} {profile:?}");
                assert!(profile.vector_bytes == 64 || !text.contains("zmm"), "{rows} {from} {by} {profile:?}");
            }
        }
    }

    #[test]
    fn weights_of_any_size_lie_in_panels_and_are_asked_for_ahead() {
        let profile = DeviceProfile { clang_builtins: true, ..profile(DeviceType::Cpu) };
        for by in [DataType::F32, DataType::S8, DataType::S4] {
            let md = |m, n, of| MemoryDesc::with_strides(&[m, n], of, None).unwrap();
            let (src, weights, dst) = (md(1, 512, DataType::F32), md(512, 1024, by), md(1, 1024, DataType::F32));
            let op: Op = Matmul::new(&src, &weights, None, &dst).unwrap().into();
            let scales = Quant::scales(3).groups(&[128, 1]).unwrap();
            let attr = Attr::new().with_scales(arg::WEIGHTS, scales).unwrap();
            let mut program = crate::lower::lower(&op, &attr).unwrap();
            let panels = panels(program.clone(), &profile, arg::WEIGHTS, &[arg::WEIGHTS]).unwrap();
            assert!(panels.width >= 16 && panels.width % 16 == 0, "{by} {panels:?}");
            // In lines they lie far apart.
            prepare(&mut program, &profile);
            let text = schedule(&program, &program.stages[0], &profile).unwrap().source.text;
            assert!(text.contains("__builtin_prefetch"), "{by}\n{text}");
        }
    }

    #[test]
    fn few_rows_are_one_tile_where_the_matrix_comes_from_memory() {
        let profile = DeviceProfile { clang_builtins: true, cache_bytes: 16 << 20, ..profile(DeviceType::Cpu) };
        for (rows, columns, streams) in [(16, 4096, true), (5, 4096, true), (17, 4096, false), (16, 512, false)] {
            let md = |m, n| MemoryDesc::with_strides(&[m, n], DataType::F32, None).unwrap();
            let (src, dst, steps) = (md(rows, 2048), md(rows, columns), 2048);
            let open: Op = Matmul::new(&src, &md(steps, columns), None, &dst).unwrap().into();
            let program = crate::lower::lower(&open, &Attr::new()).unwrap();
            let width = panels(program, &profile, arg::WEIGHTS, &[arg::WEIGHTS]).unwrap().width;
            let layout = Layout { order: vec![1, 0], inner: vec![InnerBlock { dim: 1, size: width }] };
            let weights = MemoryDesc::with_layout(&[steps, columns], DataType::F32, &layout).unwrap();
            let op: Op = Matmul::new(&src, &weights, None, &dst).unwrap().into();
            let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
            prepare(&mut program, &profile);
            let stages: Vec<&str> = program.stages.iter().map(|stage| stage.name).collect();
            let expected: &[&str] = if streams { &["stand_together", "matmul"] } else { &["matmul"] };
            assert_eq!(stages, expected, "{rows} rows, {columns} columns");
            let text = schedule(&program, program.stages.last().unwrap(), &profile).unwrap().source.text;
            // Sums of more rows than registers have room for take turns.
            let second = format!("acc0_0_ = tile[{}]", 8 * width / 16);
            let all = if rows > 8 { second } else { format!("acc{}_0_ = 0", rows - 1) };
            assert_eq!(text.contains(&all), streams, "{rows} rows, {columns} columns\n{text}");
        }
    }

    #[test]
    fn weights_along_what_is_summed_are_read_by_vectors() {
        let profile = profile(DeviceType::Cpu);
        let scales = Quant::scales(3).groups(&[128, 1]).unwrap();
        let attr = Attr::new().with_scales(arg::WEIGHTS, scales).unwrap();
        for (rows, by) in [1, 4, 16].into_iter().flat_map(|rows| [(rows, DataType::S8), (rows, DataType::S4)]) {
            let md = |m, n| MemoryDesc::with_strides(&[m, n], DataType::F32, None).unwrap();
            let along = MemoryDesc::with_strides(&[512, 64], by, Some(&[1, 512])).unwrap();
            let op: Op = Matmul::new(&md(rows, 512), &along, None, &md(rows, 64)).unwrap().into();
            let mut program = crate::lower::lower(&op, &attr).unwrap();
            prepare(&mut program, &profile);
            let text = schedule(&program, &program.stages[0], &profile).unwrap().source.text;
            assert!(!text.contains(".s0]"), "{rows} rows by {by}: lanes are read one by one\n{text}");
        }
    }

    #[test]
    fn sums_ask_ahead_for_what_is_in_memory_and_not_for_what_is_in_a_cache() {
        let profile = DeviceProfile { clang_builtins: true, cache_bytes: 16 << 20, ..profile(DeviceType::Cpu) };
        for (rows, asks) in [(512, false), (8192, true)] {
            let [src, dst] = [4096, 1].map(|n| MemoryDesc::with_strides(&[rows, n], DataType::F32, None).unwrap());
            let op: Op = Reduction::new(AlgKind::ReductionSum, &src, &dst, 0.0, 0.0).unwrap().into();
            let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
            prepare(&mut program, &profile);
            let text = schedule(&program, &program.stages[0], &profile).unwrap().source.text;
            assert_eq!(text.contains("__builtin_prefetch"), asks, "{rows} rows");
        }
    }

    #[test]
    fn elements_that_take_long_are_asked_for_ahead_where_they_are_in_memory() {
        let profile = DeviceProfile { clang_builtins: true, cache_bytes: 16 << 20, ..profile(DeviceType::Cpu) };
        for (alg, data_type, rows, asks) in [
            (AlgKind::EltwiseGeluErf, DataType::F32, 8192, true),
            (AlgKind::EltwiseGeluErf, DataType::Bf16, 8192, true),
            (AlgKind::EltwiseGeluErf, DataType::F32, 512, false),
            (AlgKind::EltwiseRelu, DataType::F32, 8192, false),
        ] {
            let md = MemoryDesc::with_strides(&[rows, 4096], data_type, None).unwrap();
            let op: Op = Eltwise::forward(PropKind::ForwardInference, alg, &md, &md, 0.0, 0.0).unwrap().into();
            let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
            prepare(&mut program, &profile);
            let text = schedule(&program, &program.stages[0], &profile).unwrap().source.text;
            assert_eq!(text.contains("__builtin_prefetch"), asks, "{alg} of {rows} rows of {data_type}\n{text}");
        }
    }

    #[test]
    fn rows_are_one_kernel_each_on_every_class_of_device() {
        let md = MemoryDesc::with_strides(&[64, 1000], DataType::F32, None).unwrap();
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::SoftmaxAccurate);
        let op: Op = Softmax::forward(prop, alg, &md, &md, 1).unwrap().into();
        for (device_type, meets) in [(DeviceType::Cpu, false), (DeviceType::Gpu, true)] {
            let profile = DeviceProfile { local_memory: 1 << 15, max_work_group: 256, ..profile(device_type) };
            let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
            prepare(&mut program, &profile);
            let [stage] = &program.stages[..] else { panic!("{} stages on {device_type:?}", program.stages.len()) };
            let kernel = schedule(&program, stage, &profile).unwrap();
            assert_eq!(kernel.source.text.contains("barrier"), meets, "{device_type:?}");
        }
    }
}
