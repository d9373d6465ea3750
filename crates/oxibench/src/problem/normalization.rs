//! Softmax and the normalizations: batch, layer, group, local response.

use super::contraction::batch as batch_of;
use super::{Accuracy, Arg, Descs, Direction, Fill, Operation, Problem, algorithm, count};
use crate::fields::Fields;
use crate::spec::{Spec, data_type};
use crate::tag::Arrangement;
use dnnl_dynamic::api::arg;
use dnnl_dynamic::create::{Made, Maker};
use dnnl_dynamic::dtype::DataType;

/// A softmax along an axis.
pub struct Softmax {
    direction: Direction,
    algorithm: i32,
    axis: i32,
}

impl Softmax {
    /// The usual one, for its results alone.
    pub fn inference(axis: i32) -> Softmax {
        Softmax { direction: Direction::Inference, algorithm: 0x30000, axis }
    }
}

impl Operation for Softmax {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        let get = |index| descs.get(index);
        if self.direction.is_forward() {
            let prop = self.direction.prop_kind();
            maker.softmax_forward(prop, self.algorithm, get(arg::SRC), get(arg::DST), self.axis)
        } else {
            let (diff_src, diff_dst, dst) = (get(arg::DIFF_SRC), get(arg::DIFF_DST), get(arg::DST));
            maker.softmax_backward(self.algorithm, diff_src, diff_dst, dst, self.axis)
        }
    }
}

/// `--softmax --axis=1 NxNxN`.
pub fn softmax(spec: &Spec) -> Result<Problem, String> {
    let dims = spec.dimensions()?;
    let (sdt, ddt) = spec.source_and_destination()?;
    let direction = Direction::of(spec, "dir", Direction::Forward)?;
    let names =
        [("softmax", 0x30000), ("softmax_accurate", 0x30000), ("logsoftmax", 0x30001), ("softmax_log", 0x30001)];
    let algorithm = algorithm(spec, "softmax", &names)?;
    let axis = spec.number("axis", 1)?;
    let stag = spec.tag("stag", spec.or("tag", "abx"), dims.len())?;
    let dtag = spec.tag("dtag", "any", dims.len())?;
    let problem = |direction, args| {
        let flops = 4.0 * count(&dims);
        Problem::new(Softmax { direction, algorithm, axis }, args, flops, Accuracy::Computed)
    };
    let forward = |direction| {
        let source = Arg::input(arg::SRC, &dims, sdt, stag.clone(), Fill::Signed);
        problem(direction, vec![source, Arg::output(arg::DST, &dims, ddt, dtag.clone())])
    };
    if direction.is_forward() {
        return Ok(forward(direction));
    }
    let args = vec![
        Arg::input(arg::DST, &dims, ddt, stag.clone(), Fill::Constant(0.0625)),
        Arg::input(arg::DIFF_DST, &dims, ddt, Arrangement::Any, Fill::Signed),
        Arg::output(arg::DIFF_SRC, &dims, sdt, Arrangement::Any),
    ];
    Ok(problem(direction, args).after(forward(Direction::Forward)))
}

/// Which normalization.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Batch,
    Layer { scale_dt: DataType },
    Group { groups: i64 },
}

#[derive(Clone, Copy)]
struct Normalization {
    kind: Kind,
    direction: Direction,
    epsilon: f32,
    flags: u32,
}

impl Operation for Normalization {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        let get = |index| descs.get(index);
        let (prop, epsilon, flags) = (self.direction.prop_kind(), self.epsilon, self.flags);
        let (src, dst, stat) = (get(arg::SRC), get(arg::DST), get(arg::MEAN));
        let (diff_src, diff_dst) = (get(arg::DIFF_SRC), get(arg::DIFF_DST));
        match (self.kind, self.direction.is_forward()) {
            (Kind::Batch, true) => maker.batch_normalization_forward(prop, src, dst, epsilon, flags),
            (Kind::Batch, false) => maker.batch_normalization_backward(prop, diff_src, diff_dst, src, epsilon, flags),
            (Kind::Layer { scale_dt }, true) => {
                maker.layer_normalization_forward(prop, src, dst, stat, scale_dt, epsilon, flags)
            }
            (Kind::Layer { scale_dt }, false) => {
                maker.layer_normalization_backward(prop, diff_src, diff_dst, src, stat, scale_dt, epsilon, flags)
            }
            (Kind::Group { groups }, true) => maker.group_normalization_forward(prop, src, dst, groups, epsilon, flags),
            (Kind::Group { groups }, false) => {
                maker.group_normalization_backward(prop, diff_src, diff_dst, src, groups, epsilon, flags)
            }
        }
    }
}

const GLOBAL_STATS: u32 = 1;
const USE_SCALE: u32 = 2;
const USE_SHIFT: u32 = 4;
const FUSED_RELU: u32 = 8 | 16;
const ADD_RELU: u32 = 16;
const RMS: u32 = 32;

fn flags(spec: &Spec) -> Result<u32, String> {
    let bit = |letter| match letter {
        'G' => Ok(GLOBAL_STATS),
        'C' => Ok(USE_SCALE),
        'H' => Ok(USE_SHIFT),
        'R' => Ok(8),
        'A' => Ok(ADD_RELU),
        'M' => Ok(RMS),
        other => Err(format!("--flags: no flag `{other}`")),
    };
    match spec.or("flags", "") {
        "none" => Ok(0),
        letters => letters.chars().try_fold(0, |flags, letter| Ok(flags | bit(letter)?)),
    }
}

/// What the normalizations have in common.
struct Normalized {
    kind: Kind,
    dims: Vec<i64>,
    statistics: Vec<i64>,
    channels: i64,
    epsilon: f32,
}

impl Normalized {
    fn problem(self, spec: &Spec) -> Result<Problem, String> {
        let direction = Direction::of(spec, "dir", Direction::Forward)?;
        let flags = flags(spec)?;
        let types = spec.types("dt", 2)?;
        let list: Vec<&str> = spec.or("tag", "abx").split(':').collect();
        let source_tag = Arrangement::parse(list[0], self.dims.len())?;
        let other_tag = Arrangement::parse(list.get(1).copied().unwrap_or("any"), self.dims.len())?;
        let stat_tag = spec.tag("stat_tag", "abx", self.statistics.len())?;
        let ss_dt = match self.kind {
            Kind::Layer { scale_dt } => scale_dt,
            _ => DataType::F32,
        };
        let has = |bits| flags & bits != 0;
        let plain = Arrangement::plain(1);
        let statistic = |index, role_in: bool, fill| {
            if role_in {
                Arg::input(index, &self.statistics, DataType::F32, stat_tag.clone(), fill)
            } else {
                Arg::output(index, &self.statistics, DataType::F32, stat_tag.clone())
            }
        };
        let forward = |direction: Direction| {
            let mut args = vec![
                Arg::input(arg::SRC, &self.dims, types[0], source_tag.clone(), Fill::Signed),
                Arg::output(arg::DST, &self.dims, types[1], other_tag.clone()),
            ];
            let read = has(GLOBAL_STATS);
            if read || direction != Direction::Inference {
                if !has(RMS) {
                    args.push(statistic(arg::MEAN, read, Fill::Constant(0.125)));
                }
                args.push(statistic(arg::VARIANCE, read, Fill::Positive));
            }
            if has(USE_SCALE) {
                args.push(Arg::input(arg::SCALE, &[self.channels], ss_dt, plain.clone(), Fill::Positive));
            }
            if has(USE_SHIFT) {
                args.push(Arg::input(arg::SHIFT, &[self.channels], ss_dt, plain.clone(), Fill::Signed));
            }
            if has(ADD_RELU) {
                args.push(Arg::input(arg::SRC_1, &self.dims, types[0], source_tag.clone(), Fill::Signed));
            }
            let operation = Normalization { kind: self.kind, direction, epsilon: self.epsilon, flags };
            Problem::new(operation, args, 8.0 * count(&self.dims), Accuracy::Computed)
        };
        if direction.is_forward() {
            return Ok(forward(direction));
        }
        let mut args = vec![
            Arg::input(arg::SRC, &self.dims, types[0], source_tag.clone(), Fill::Signed),
            Arg::input(arg::DIFF_DST, &self.dims, types[1], other_tag.clone(), Fill::Signed),
            Arg::output(arg::DIFF_SRC, &self.dims, types[0], other_tag.clone()),
        ];
        if !has(RMS) {
            args.push(statistic(arg::MEAN, true, Fill::Constant(0.125)));
        }
        args.push(statistic(arg::VARIANCE, true, Fill::Positive));
        if has(USE_SCALE) {
            args.push(Arg::input(arg::SCALE, &[self.channels], ss_dt, plain.clone(), Fill::Positive));
        }
        if direction == Direction::Backward {
            if has(USE_SCALE) {
                args.push(Arg::output(arg::DIFF_SCALE, &[self.channels], ss_dt, plain.clone()));
            }
            if has(USE_SHIFT) {
                args.push(Arg::output(arg::DIFF_SHIFT, &[self.channels], ss_dt, plain.clone()));
            }
        }
        if has(ADD_RELU) {
            args.push(Arg::output(arg::DIFF_SRC_1, &self.dims, types[0], other_tag.clone()));
        }
        let operation = Normalization { kind: self.kind, direction, epsilon: self.epsilon, flags };
        let backward = Problem::new(operation, args, 12.0 * count(&self.dims), Accuracy::Computed);
        debug_assert!(flags & FUSED_RELU == 0 || self.kind == Kind::Batch);
        Ok(backward.after(forward(Direction::Forward)))
    }
}

/// `--lnorm NxNxN`, over the last dimension.
pub fn layer(spec: &Spec) -> Result<Problem, String> {
    let dims = spec.dimensions()?;
    let scale_dt = spec.text("ss_dt").map_or(Ok(DataType::F32), data_type)?;
    let (channels, rows) = dims.split_last().ok_or_else(|| spec.unreadable())?;
    if rows.is_empty() {
        return Err(spec.unreadable());
    }
    let (channels, statistics) = (*channels, rows.to_vec());
    Normalized { kind: Kind::Layer { scale_dt }, dims, statistics, channels, epsilon: 1e-5 }.problem(spec)
}

/// Batch, channels and spatial dimensions of a descriptor.
fn activations(spec: &Spec) -> Result<(Fields, Vec<i64>), String> {
    let fields = Fields::parse(&spec.descriptor).ok_or_else(|| spec.unreadable())?;
    let channels = fields.get("ic").ok_or_else(|| spec.unreadable())?;
    let mut dims = vec![batch_of(spec, &fields)?, channels];
    dims.extend(fields.along("i", fields.spatial()).into_iter().flatten());
    Ok((fields, dims))
}

/// `--bnorm mb16ic64ih56`.
pub fn batch(spec: &Spec) -> Result<Problem, String> {
    let (fields, dims) = activations(spec)?;
    let (channels, epsilon) = (dims[1], fields.real("eps").unwrap_or(0.0625) as f32);
    Normalized { kind: Kind::Batch, dims, statistics: vec![channels], channels, epsilon }.problem(spec)
}

/// `--gnorm g8mb16ic64ih56`.
pub fn group(spec: &Spec) -> Result<Problem, String> {
    let (fields, dims) = activations(spec)?;
    let groups = fields.get("g").unwrap_or(1);
    let (channels, epsilon) = (dims[1], fields.real("eps").unwrap_or(0.0625) as f32);
    let statistics = vec![dims[0], groups];
    Normalized { kind: Kind::Group { groups }, dims, statistics, channels, epsilon }.problem(spec)
}

struct LocalResponse {
    direction: Direction,
    algorithm: i32,
    shape: (i64, f32, f32, f32),
}

impl Operation for LocalResponse {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        let get = |index| descs.get(index);
        if self.direction.is_forward() {
            let prop = self.direction.prop_kind();
            maker.lrn_forward(prop, self.algorithm, get(arg::SRC), get(arg::DST), self.shape)
        } else {
            let (diff_src, diff_dst) = (get(arg::DIFF_SRC), get(arg::DIFF_DST));
            maker.lrn_backward(self.algorithm, diff_src, diff_dst, get(arg::SRC), self.shape)
        }
    }
}

/// `--lrn mb16ic64ih56ls5`.
pub fn local_response(spec: &Spec) -> Result<Problem, String> {
    let (fields, dims) = activations(spec)?;
    let dt = spec.types("dt", 1)?[0];
    let direction = Direction::of(spec, "dir", Direction::Forward)?;
    let algorithm = algorithm(spec, "across", &[("across", 0xaff), ("within", 0xbff)])?;
    let real = |name, default: f64| fields.real(name).unwrap_or(default) as f32;
    let size = fields.get("ls").unwrap_or(5);
    let shape = (size, real("alpha", 1.0 / 8192.0), real("beta", 0.75), real("k", 1.0));
    let tag = spec.tag("tag", "abx", dims.len())?;
    let summands = if algorithm == 0xaff { size } else { size.pow(dims.len() as u32 - 2) };
    let flops = count(&dims) * (2.0 * summands as f64 + 4.0);
    let problem =
        |direction, args| Problem::new(LocalResponse { direction, algorithm, shape }, args, flops, Accuracy::Computed);
    let source = || Arg::input(arg::SRC, &dims, dt, tag.clone(), Fill::Signed);
    let forward = |direction| problem(direction, vec![source(), Arg::output(arg::DST, &dims, dt, Arrangement::Any)]);
    if direction.is_forward() {
        return Ok(forward(direction));
    }
    let args = vec![
        source(),
        Arg::input(arg::DIFF_DST, &dims, dt, Arrangement::Any, Fill::Signed),
        Arg::output(arg::DIFF_SRC, &dims, dt, Arrangement::Any),
    ];
    Ok(problem(direction, args).after(forward(Direction::Forward)))
}
