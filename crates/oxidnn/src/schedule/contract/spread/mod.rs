//! Few channels in many groups: the lanes of a vector are the columns of several groups, side by side.
//!
//! The columns of one group fill no vector, those of neighbours together do. Each lane is multiplied with a channel of its own group, so
//! what is broadcast elsewhere is spread here: channels of these groups are loaded as they lie, and a shuffle of registers
//! gives each lane its own. Windows that overlap share shuffles. It makes no difference which of points, window and channels are
//! summed and which are rows, so gradients by weights have this form too.

mod bytes;
mod kernel;
mod quads;
mod tile;

use super::{Product, presence, products};
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::{DeviceProfile, DeviceType};
use crate::schedule::blocks::split_axis;
use crate::schedule::{Panels, ceil};

pub(super) use bytes::Bytes;
use bytes::FOUR;
pub(super) use kernel::Kernel;

/// Channels of a group that are summed or are rows, at most: each has a shuffle of its own in the text.
const MOST_CHANNELS: i64 = 16;
/// Columns and channels of a group whose axes are cut, at most: larger ones suit other forms.
const MOST_COLUMNS: i64 = 32;
/// Taps of a window that are written out, at most.
const MOST_TAPS: i64 = 7;
/// Multiplications in the text of a tile, at most.
const MOST_TEXT: i64 = 704;
/// Points of a tile, at most, and how many are written out where they are summed, or up to twice as many.
const MOST_POINTS: i64 = 14;
const SUMMED_POINTS: i64 = 4;
/// Registers for what is multiplied and what compilers need.
const SPARE: i64 = 3;
/// What a tile costs beside its points, in points, and what tiles of two sizes cost.
const TILE_COST: f64 = 3.0;
const TWO_SIZES: f64 = 1.1;
/// The largest whole number up to which floats have all.
const EXACT: i64 = 1 << 24;

/// A sum of products seen in this way.
#[derive(Clone, Debug)]
pub(in crate::schedule) struct Spread {
    pub sum: E,
    /// The factor whose columns are lanes, and whether they lie side by side.
    pub vector: E,
    pub flat: bool,
    /// The factor whose channels are spread.
    broadcast: E,
    /// The axis of groups, that of the columns of a group, and that of its channels, if there are several.
    pub groups: AxisId,
    pub columns: AxisId,
    channels: Option<AxisId>,
    /// The axis of points, and of a window that slides along them.
    points: AxisId,
    taps: Option<AxisId>,
    /// What else is summed, the outermost loop first.
    loops: Vec<AxisId>,
    /// Whether points are summed rather than rows.
    sums_points: bool,
    /// How it is made of dot products, where that is possible; columns lie in panels of their own then.
    pub bytes: Option<Bytes>,
    /// Groups in a vector, lanes of it, points of a tile.
    together: i64,
    lanes: i64,
    count: i64,
}

impl Spread {
    /// Sees a stage in this way on a device, if that is possible.
    pub fn of(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Spread> {
        if profile.device_type != DeviceType::Cpu || profile.vector_bytes < 16 || !profile.clang_builtins {
            return None;
        }
        let (sums, reduced) = products(program, stage)?;
        let [Product { sum, factors: [a, b] }] = sums[..] else { return None };
        let whole = stage.axes.iter().all(|&axis| program.depends_on(sum, axis) || program.extent(axis) == Some(1));
        let exact = is_exact(program, sum, [a, b], program.points(&reduced)?);
        let seen = |vector: E, broadcast: E| Spread::with(program, stage, profile, (sum, &reduced), vector, broadcast);
        let spread = if whole { seen(a, b).or_else(|| seen(b, a)) } else { None };
        spread.filter(|spread| exact || spread.bytes.is_some())
    }

    fn with(
        program: &Program,
        stage: &Stage,
        profile: &DeviceProfile,
        (sum, reduced): (E, &[AxisId]),
        vector: E,
        broadcast: E,
    ) -> Option<Spread> {
        let lanes = (profile.vector_bytes / 4).min(16) as i64;
        let (at, from) = (plain(program, vector)?, plain(program, broadcast)?);
        if !presence::conditions(program, vector).is_empty() {
            return None;
        }
        let extent = |axis: AxisId| program.extent(axis).unwrap_or(0);
        let (by_vector, by_broadcast) = (program.free_axes(vector), program.free_axes(broadcast));
        let stored = |axis: AxisId| program.step(stage.stores[0].offset, axis);

        let columns = *stage.axes.iter().rfind(|&&axis| {
            by_vector.contains(&axis) && !by_broadcast.contains(&axis) && (2..=lanes).contains(&extent(axis))
        })?;
        let is_channel = |axis: &AxisId| {
            let spreads = by_broadcast.contains(axis) && program.is_linear(from, *axis);
            let fits = extent(*axis) <= MOST_CHANNELS && program.step(from, *axis) == Some(1);
            spreads && fits && (reduced.contains(axis) || !by_vector.contains(axis))
        };
        let channels = reduced.iter().chain(&stage.axes).copied().find(is_channel);
        let channel_count = channels.map_or(1, extent);
        let is_row = channels.is_some_and(|axis| stage.axes.contains(&axis));
        let groups = stage.axes.iter().copied().find(|&axis| {
            let in_both = by_vector.contains(&axis) && by_broadcast.contains(&axis) && extent(axis) > 1;
            let side_by_side = program.is_linear(from, axis) && program.step(from, axis) == Some(channel_count);
            in_both && (side_by_side || is_row && extent(columns) == lanes)
        })?;

        let is_other = |axis: &&AxisId| Some(**axis) != channels && by_broadcast.contains(axis);
        let rows: Vec<AxisId> =
            stage.axes.iter().filter(|axis| is_other(axis) && !by_vector.contains(axis)).copied().collect();
        let summed: Vec<AxisId> = reduced.iter().filter(|&&axis| Some(axis) != channels).copied().collect();
        let sums_points = program.points(&summed)? > program.points(&rows)?;
        let (long, short) = if sums_points { (&summed, &rows) } else { (&rows, &summed) };
        let points = long.iter().copied().rfind(|&axis| by_broadcast.contains(&axis))?;
        let step_of = |axis: AxisId| program.step(from, axis).filter(|&step| step != 0);
        let (true, Some(_)) = (program.is_linear(from, points), step_of(points)) else { return None };
        let conditions = presence::conditions(program, broadcast);
        let slides = |axis: AxisId| {
            let is_linear = program.is_linear(from, axis) && program.is_linear(at, axis);
            let few = step_of(axis).is_some() && (2..=MOST_TAPS).contains(&extent(axis));
            is_linear && few && presence::meet(program, &conditions, [points, axis])
        };
        let taps = short.last().copied().filter(|&axis| slides(axis));
        let decides = |axis: AxisId| conditions.iter().any(|&condition| program.depends_on(condition, axis));
        let in_order = stored(columns) == Some(1) && stored(groups) == Some(extent(columns));
        if decides(groups) || channels.is_some_and(decides) || !(sums_points || in_order) {
            return None;
        }

        let together = (lanes / extent(columns)).min(extent(groups));
        // Vectors never start within a panel where there are whole ones alone.
        let is_apart = |axis: AxisId, count: i64, by: i64| {
            let place = |number: i64| program.evaluate(at, &|of| Some(if of == axis { number } else { 0 }));
            (1..count).all(|number| place(number).zip(place(0)).is_some_and(|(to, from)| to - from == number * by))
        };
        let in_panels = extent(groups) % together == 0 && is_apart(groups, together, extent(columns));
        let in_line = program.is_linear(at, groups) && program.step(at, groups) == Some(extent(columns));
        let unrolled = [Some(points), taps, channels];
        let flat = is_apart(columns, extent(columns), 1)
            && (together == 1 || in_panels || in_line)
            && unrolled.into_iter().flatten().all(|axis| program.is_linear(at, axis));
        // What lies otherwise is copied, which pays where it is small.
        if !flat && sums_points {
            return None;
        }
        let mut spread = Spread {
            sum,
            vector,
            flat,
            broadcast,
            groups,
            columns,
            channels,
            points,
            taps,
            loops: Vec::new(),
            sums_points,
            bytes: None,
            together,
            lanes,
            count: 1,
        };
        spread.choose_taps(program, profile);
        let unrolled = [Some(points).filter(|_| sums_points), spread.taps, channels];
        spread.loops = reduced.iter().copied().filter(|&axis| !unrolled.contains(&Some(axis))).collect();
        if let Some(bytes) = Bytes::of(program, &spread, profile) {
            let ready = bytes.lies_ready(program, &spread);
            if ready || bytes.has_room(program, &spread) {
                (spread.bytes, spread.flat) = (Some(bytes), ready);
            }
        }
        spread.choose_count(program, profile)?;
        Some(spread)
    }

    /// Leaves out taps whose sums do not fit the registers.
    fn choose_taps(&mut self, program: &Program, profile: &DeviceProfile) {
        let [taps, channels] = [self.taps, self.channels].map(|axis| self.extent_or_one(program, axis));
        if self.sums_points && taps * channels > profile.vector_registers() - SPARE {
            self.taps = None;
        }
    }

    /// How many points a tile has.
    fn choose_count(&mut self, program: &Program, profile: &DeviceProfile) -> Option<()> {
        let (width, channels) = (program.extent(self.points)?, self.extent_or_one(program, self.channels));
        let taps = self.extent_or_one(program, self.taps);
        if self.sums_points {
            let even = (SUMMED_POINTS..=2 * SUMMED_POINTS).rev().find(|count| width % count == 0);
            self.count = even.unwrap_or(SUMMED_POINTS).min(width);
            return Some(());
        }
        let (others, multiplied) = match self.bytes {
            Some(bytes) => (bytes.others(taps), taps * bytes.quads),
            None => (SPARE + taps - 1, taps * channels),
        };
        let most = profile.vector_registers() - others;
        let most = most.min(MOST_POINTS).min(MOST_TEXT / multiplied).min(width).max(1);
        let cost = |count: i64| {
            let sizes = if width % count == 0 { 1.0 } else { TWO_SIZES };
            sizes * (width as f64 + ceil(width, count) as f64 * TILE_COST)
        };
        self.count = (1..=most).min_by(|&a, &b| cost(a).total_cmp(&cost(b)))?;
        Some(())
    }

    fn extent_or_one(&self, program: &Program, axis: Option<AxisId>) -> i64 {
        axis.and_then(|axis| program.extent(axis)).unwrap_or(1)
    }

    /// How columns lie in panels that need no copy, where these are whole vectors.
    pub fn panels(&self, program: &Program) -> Option<Panels> {
        let (width, groups) = (program.extent(self.columns)?, program.extent(self.groups)?);
        let whole = self.together * width == self.lanes && !self.sums_points;
        let group = if self.bytes.is_some() { FOUR } else { 1 };
        (whole && (self.bytes.is_some() || groups % self.together == 0)).then_some(Panels {
            width,
            group,
            sums: 1,
            groups: self.together,
        })
    }

    /// The axes of the vector factor, such that columns lie side by side where the last axis is the innermost.
    pub fn flat_axes(&self, program: &Program) -> Vec<AxisId> {
        let free = program.free_axes(self.vector);
        let last = [self.groups, self.columns];
        free.iter().copied().filter(|axis| !last.contains(axis)).chain(last).collect()
    }
}

/// Cuts the axes of gradients by weights such that columns fill vectors and channels fit the registers.
pub(in crate::schedule) fn cut(program: &mut Program, stage: &Stage, profile: &DeviceProfile) -> Option<Stage> {
    let [a, b] = super::factors(program, stage)?;
    if profile.device_type != DeviceType::Cpu || Spread::of(program, stage, profile).is_some_and(|s| s.together > 1) {
        return None;
    }
    let lanes = (profile.vector_bytes / 4).min(16) as i64;
    let registers = profile.vector_registers() - SPARE;
    [(a, b), (b, a)].into_iter().find_map(|(vector, broadcast)| {
        let (at, from) = (plain(program, vector)?, plain(program, broadcast)?);
        let own = |of: E, other: E| -> Vec<AxisId> {
            stage
                .axes
                .iter()
                .copied()
                .filter(|&axis| program.depends_on(of, axis) && !program.depends_on(other, axis))
                .collect()
        };
        let along =
            |offset: E, axes: &[AxisId]| axes.iter().copied().find(|&axis| program.step(offset, axis) == Some(1));
        let rows = own(broadcast, vector);
        let (columns, channels) = (along(at, &own(vector, broadcast))?, along(from, &rows)?);
        let [width, depth] = [program.extent(columns)?, program.extent(channels)?];
        let taps = rows.last().filter(|&&axis| axis != channels).and_then(|&axis| program.extent(axis)).unwrap_or(1);
        let most = registers / if taps <= MOST_TAPS { taps } else { 1 };
        let part = (1..=depth.min(most)).rev().find(|part| depth % part == 0)?;
        if width % lanes != 0 || width.max(depth) > MOST_COLUMNS || (width == lanes && part == depth) {
            return None;
        }
        let mut cut = stage.clone();
        for (axis, extent, size) in [(columns, width, lanes), (channels, depth, part)] {
            if size < extent {
                let size = program.index(size);
                cut = split_axis(program, &cut, axis, size);
            }
        }
        Spread::of(program, &cut, profile).is_some_and(|spread| spread.sums_points).then_some(cut)
    })
}

/// Whether a sum of so many products is exact in floats, where it has to be: sums of bytes are as long as they are short.
pub(super) fn is_exact(program: &Program, sum: E, factors: [E; 2], products: i64) -> bool {
    match program.ty(sum) {
        Ty::F32 => true,
        Ty::S32 => products * 255 * 128 <= EXACT && factors.iter().all(|&factor| is_byte(program, factor)),
        Ty::F64 | Ty::Index | Ty::Bool => false,
    }
}

/// The offset of a factor that is a load of whole bytes.
pub(super) fn plain(program: &Program, factor: E) -> Option<E> {
    use DataType::{Bf16, F16, F32, S8, U8};
    let Node::Load { tensor, offset, .. } = *program.node(factor) else { return None };
    matches!(program.tensor(tensor).data_type, F32 | Bf16 | F16 | S8 | U8).then_some(offset)
}

/// Whether a factor is a load of bytes, or of floats that were bytes.
fn is_byte(program: &Program, factor: E) -> bool {
    let Node::Load { tensor, ty: Ty::S32, .. } = *program.node(factor) else { return false };
    matches!(program.tensor(tensor).data_type, DataType::S8 | DataType::U8 | DataType::F32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::*;

    /// A convolution of images with these channels of a group, and the stages it has.
    fn stages(groups: i64, channels: i64, data_type: DataType, profile: &DeviceProfile) -> Vec<&'static str> {
        let image = |data_type: DataType| {
            let tag = FormatTag::from_name("acdb").unwrap();
            MemoryDesc::with_tag(&[1, groups * channels, 14, 14], data_type, tag).unwrap()
        };
        let both = |value: i64| Dims::from([value, value]);
        let window = Window { strides: both(1), dilations: both(0), padding_l: both(1), padding_r: both(1) };
        let (from, by) = if data_type == DataType::U8 { (data_type, DataType::S8) } else { (data_type, data_type) };
        let dims = [groups, channels, channels, 3, 3];
        let op = |weights: &MemoryDesc| -> Op {
            let (prop, alg) = (PropKind::ForwardInference, AlgKind::ConvolutionDirect);
            Convolution::new(prop, alg, &image(from), weights, None, &image(from), window.clone()).unwrap().into()
        };
        let plain = MemoryDesc::with_strides(&dims, by, None).unwrap();
        let program = crate::lower::lower(&op(&plain), &Attr::new()).unwrap();
        let panels = crate::schedule::panels(program, profile, arg::WEIGHTS, &[]);
        let weights = panels.map_or(plain, |panels| {
            let mut inner = vec![InnerBlock { dim: 0, size: panels.groups }, InnerBlock { dim: 1, size: panels.width }];
            inner.push(InnerBlock { dim: 2, size: panels.group });
            inner.retain(|block| block.size > 1);
            MemoryDesc::with_layout(&dims, by, &Layout { order: vec![0, 1, 3, 4, 2], inner }).unwrap()
        });
        let mut program = crate::lower::lower(&op(&weights), &Attr::new()).unwrap();
        crate::schedule::prepare(&mut program, profile);
        let last = &program.stages[program.stages.len() - 1];
        let spread = Spread::of(&program, last, profile).unwrap();
        assert!(spread.flat && program.extent(spread.groups) == Some(groups), "{groups} {channels} {data_type}");
        assert_eq!(spread.bytes.is_some(), data_type == DataType::U8);
        program.stages.iter().map(|stage| stage.name).collect()
    }

    #[test]
    fn weights_in_panels_need_no_copy() {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile {
            device_type: DeviceType::Cpu,
            vector_bytes: 64,
            clang_builtins: true,
            dot_int8: true,
            ..host
        };
        for (groups, channels) in [(32, 4), (32, 8), (32, 16)] {
            for data_type in [DataType::F32, DataType::U8] {
                assert_eq!(
                    stages(groups, channels, data_type, &profile),
                    ["convolution"],
                    "{groups} {channels} {data_type}"
                );
            }
        }
    }
}
