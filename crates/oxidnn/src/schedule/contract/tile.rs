//! Sizes: how many rows and vectors a tile holds, and how many tiles a work-item computes.
//!
//! No table of shapes: every tile that fits the registers is priced by the work it wastes at the edges and by the loads
//! it needs for each multiplication, and the cheapest is taken.

use super::dots::PAIRS_AT_ONCE;
use super::{Contraction, Dot, LINE, MOST_VECTORS, SAME_PLACE, loops, presence, side_by_side, streams};
use crate::program::*;
use crate::runtime::DeviceProfile;
use crate::schedule::ceil;

/// Sizes of a tile.
#[derive(Clone, Debug)]
pub(in crate::schedule) struct Tile {
    /// How many rows.
    pub rows: i64,
    /// How many vectors of columns.
    pub vectors: i64,
    /// The axes that rows run over, outermost first: the last ones of the candidates.
    pub row_axes: Vec<AxisId>,
    /// Tiles that one work-item computes for the same columns, one after another.
    pub steps: i64,
    /// Whether a short window slides over rows with lanes of their own. Then memory is read as it lies: a work-item goes
    /// through panels of columns for each tile.
    pub slides: bool,
    /// How many panels these are, else one.
    pub panels: i64,
    /// How many tiles have all rows where the others have one less, so that none computes rows that are not there.
    pub full: Option<i64>,
    /// Whether a work-item goes through the whole batch: its results share lines of memory, which no two cores should write.
    pub whole_batch: bool,
}

/// Rows that a work-item should have for each panel of columns it brings to the cache; tiles of groups use up twice as many
/// in less time.
const ROWS_A_PANEL: i64 = 128;
/// Work-items for each compute unit, so that no unit waits long for the last one.
const ITEMS_A_UNIT: i64 = 4;

/// What a work-item costs beside its tiles, in tiles.
const ITEM_COST: f64 = 0.1;

/// Rows of a tile, at most.
const MOST_ROWS: i64 = 14;
/// Rows of a tile, at most, where both factors have lanes: reductions are short there, and what is asked for each row
/// does not pay off.
const LANEWISE_ROWS: i64 = 4;
/// Rows of a tile, at most, where a short window slides over them: with one vector each, what they share stays in registers.
const SLIDING_ROWS: i64 = 14;
/// Points of a line that are worth tiles of their own where a short window slides along it.
const LEAST_LINE: i64 = 4;
/// Rows of a tile, at most, where the lines of all rows have the same place in the innermost cache: more would drive each other out of it.
const CLASHING_ROWS: i64 = 7;
/// What share of all rows may be computed in vain before a kernel has tiles of two sizes.
const ROWS_IN_VAIN: f64 = 0.02;
/// What a tile of dot products costs besides them, in these: its table of addresses.
const TABLE_COST: f64 = 48.0;
/// What tiles of two sizes cost.
const TWO_SIZES: f64 = 1.01;
/// How much cheaper the usual tile is taken to be than it is: few tiles mean few kernels to build.
const USUAL_PREFERENCE: f64 = 0.96;
/// Differences of costs that mean nothing.
const EQUAL: f64 = 1e-9;

impl Contraction {
    /// The tile that suits the registers and the shape.
    pub fn tile(&self, program: &Program, profile: &DeviceProfile) -> Option<Tile> {
        let columns = program.extent(self.columns)?;
        if self.row_count(program)? == 0 {
            return None;
        }
        let slides = self.slides(program);
        let (rows, vectors, first) = match &self.amx {
            Some(amx) => amx.shape(program, self)?,
            None => self.cheapest(program, profile, columns, slides)?,
        };
        let row_axes = self.row_axes.get(first..).unwrap_or(&[]).to_vec();
        let others = &self.row_axes[..first.min(self.row_axes.len())];
        let row_points = program.points(&row_axes)?;
        let sites = ceil(row_points, rows) * program.points(others)?;
        let full = full_tiles(row_points, rows).filter(|_| self.amx.is_none());
        let panels = ceil(columns, vectors / self.sums() * self.lanes);
        let batch = program.points(&self.batch)?;
        let whole_batch = panels * sites >= ITEMS_A_UNIT * profile.compute_units as i64 && self.shares_lines(program);
        let apart = if whole_batch { 1 } else { batch };
        let (panels_each, steps) = self.shares(program, profile, [panels, sites, apart], rows, slides)?;
        Some(Tile { rows, vectors, row_axes, steps, slides, panels: panels_each, full, whole_batch })
    }

    /// Whether the batch is of groups side by side in each row, whose columns do not fill lines of memory.
    fn shares_lines(&self, program: &Program) -> bool {
        let (Node::Load { offset, .. }, &[group], Some(&row)) =
            (program.node(self.broadcast), &self.batch[..], self.row_axes.last())
        else {
            return false;
        };
        let [group, row] = [group, row].map(|axis| program.step(*offset, axis));
        let side_by_side = group.zip(row).is_some_and(|(group, row)| 0 < group && group < row);
        side_by_side && program.extent(self.columns).is_some_and(|columns| columns * 4 % LINE as i64 != 0)
    }

    /// How many panels and how many tiles a work-item has, out of all panels, the tiles of each, and a batch of these.
    pub(super) fn shares(
        &self,
        program: &Program,
        profile: &DeviceProfile,
        [panels, sites, batch]: [i64; 3],
        rows: i64,
        slides: bool,
    ) -> Option<(i64, i64)> {
        let units = profile.compute_units.max(1) as i64;
        let items = ITEMS_A_UNIT * units;
        let neighbours = slides && side_by_side(program, self);
        let panels_each = if neighbours { ceil(panels * sites * batch, items).clamp(1, panels) } else { 1 };
        let columns_apart = ceil(panels, panels_each) * batch;
        let panels_each = ceil(panels, ceil(panels, panels_each));
        let rows_a_panel = match self.dot {
            // Tiles beyond these would have the panel made wider once more.
            Some(Dot::Pairs) => PAIRS_AT_ONCE * rows,
            _ if self.amx.is_some() => 2 * ROWS_A_PANEL,
            _ => ROWS_A_PANEL,
        };
        // What a window slides over again in the next line had better still be there.
        let most = if slides { sites } else { ceil(rows_a_panel, rows).min(sites) };
        let most = (columns_apart * sites / items).clamp(1, most.max(1));
        Some((panels_each, even_steps(columns_apart, sites, units, most)))
    }

    /// Rows, vectors, and the first axis of rows of the tile that costs least; of another one with as many vectors where measurements
    /// told that it takes less time.
    fn cheapest(
        &self,
        program: &Program,
        profile: &DeviceProfile,
        columns: i64,
        slides: bool,
    ) -> Option<(i64, i64, usize)> {
        let registers = self.dot.map_or(profile.vector_registers(), |dot| dot.registers(profile));
        let extents: Vec<i64> = self.row_axes.iter().map(|&axis| program.extent(axis)).collect::<Option<_>>()?;
        let guarded: Vec<bool> = self.row_axes.iter().map(|&axis| self.decides_rows(program, axis)).collect();
        let line = extents.last().copied().unwrap_or(1);
        let lanewise = self.is_lanewise(program);
        let streamed = self.streams(program, profile);
        // Panels of another width would be gathered, column by column.
        let ready = streamed.and_then(|most| self.ready_vectors(program, most));
        let (most_rows, most_vectors) = match streamed {
            Some(vectors) => (i64::MAX, vectors),
            None if self.rows_clash(program) => (CLASHING_ROWS, MOST_VECTORS),
            None => (MOST_ROWS, MOST_VECTORS),
        };
        let points = program.points(&self.reduced)?.max(1);
        let groups = self.dot.map(|dot| ceil(points, dot.group()));
        let mut tiles: Vec<(f64, i64, i64, usize)> = Vec::new();
        // Rows may run over the last axis, or over the last few as one.
        for first in self.apart..self.row_axes.len().max(1) {
            // Windows share what they read along a line.
            if slides && line >= LEAST_LINE && first + 1 < self.row_axes.len() {
                continue;
            }
            let rows_in_all: i64 = extents.get(first..).unwrap_or(&[]).iter().product();
            // Rows that cross a line of an image meet padding in the middle of a tile.
            let crossing = first + 1 < self.row_axes.len() && guarded[first..].contains(&true);
            // Dot products read zeros there, and ask each row where it is.
            let met = |rows: i64| if self.dot.is_some() { 3.0 } else { 0.5 * rows as f64 };
            let padding = |rows: i64| if crossing { 1.0 + met(rows) / line.max(1) as f64 } else { 1.0 };
            for vectors in (self.sums()..=most_vectors).step_by(self.sums() as usize) {
                let width = vectors / self.sums() * self.lanes;
                // The last vector may have fewer columns, where these are stored with some of the one before.
                let spare = if lanewise { 0 } else { self.lanes - 1 };
                if vectors > self.sums() && width > columns + spare {
                    break;
                }
                if ready.is_some_and(|ready| ready != vectors) {
                    continue;
                }
                // Several sums only come in whole panels.
                if !self.more.is_empty() && columns % width != 0 {
                    continue;
                }
                // Where memory sets the pace a tile has all rows.
                let least_rows = if streamed.is_some() { rows_in_all } else { 1 };
                for rows in least_rows..=rows_in_all.min(most_rows) {
                    if (lanewise && rows > if slides { SLIDING_ROWS } else { LANEWISE_ROWS }) || (slides && vectors > 1)
                    {
                        break;
                    }
                    let fits = |dot: Dot| rows <= Dot::MOST_ROWS && dot.fits(self, program, [rows, vectors], profile);
                    if !self.dot.is_none_or(fits) {
                        break;
                    }
                    let operands = if lanewise { 2 } else { 1 };
                    let at_once = if streamed.is_some() { streams::group(rows, profile) } else { rows };
                    if at_once * vectors + vectors + operands > registers {
                        break;
                    }
                    let two_sizes = full_tiles(rows_in_all, rows).is_some();
                    let in_vain = match two_sizes {
                        true => TWO_SIZES,
                        false => (ceil(rows_in_all, rows) * rows) as f64 / rows_in_all as f64,
                    };
                    let waste = in_vain * (ceil(columns, width) * width) as f64 / columns as f64;
                    let usual = !two_sizes && [rows, vectors] == if registers == 32 { [6, 4] } else { [6, 2] };
                    let preference = if usual { USUAL_PREFERENCE } else { 1.0 };
                    let setup = groups.map_or(0.0, |groups| TABLE_COST / (groups * rows * vectors) as f64);
                    let micro = match groups {
                        Some(groups) => dot_cost(rows, vectors, groups),
                        None => micro_cost(at_once, vectors, lanewise),
                    };
                    let cost = waste * padding(rows) * (micro + setup) * preference;
                    tiles.push((cost, rows, vectors, first));
                }
            }
        }
        // Of tiles that cost the same, the first that was found.
        tiles.sort_by(|(a, ..), (b, ..)| (a / EQUAL).round().total_cmp(&(b / EQUAL).round()));
        let &(_, _, wanted, _) = tiles.first()?;
        let alike = tiles.iter().filter(|&&(_, _, vectors, _)| vectors == wanted);
        alike.take(profile.rank + 1).last().map(|&(_, rows, vectors, first)| (rows, vectors, first))
    }

    /// Whether each row is read along a line of its own, and all of these lines have the same place in the innermost cache.
    fn rows_clash(&self, program: &Program) -> bool {
        let (Node::Load { tensor, offset, .. }, Some(&row), Some(&innermost)) =
            (program.node(self.broadcast), self.row_axes.last(), self.reduced.last())
        else {
            return false;
        };
        let bytes = |step: i64| program.tensor(*tensor).data_type.bytes(step.unsigned_abs() as usize) as i64;
        let apart = program.step(*offset, row).map(bytes);
        program.constant_step(*offset, innermost) == Some(1)
            && apart.is_some_and(|apart| apart > 0 && apart % SAME_PLACE == 0)
    }

    /// Whether both factors have lanes and a short window slides along the rows.
    fn slides(&self, program: &Program) -> bool {
        let short = |axis: AxisId| program.extent(axis).is_some_and(|extent| extent <= loops::SHORT_LOOPS);
        let on_rows = self.row_axes.last().is_some_and(|&row| program.depends_on(self.broadcast, row));
        self.is_lanewise(program) && on_rows && self.reduced.last().is_some_and(|&axis| short(axis))
    }

    /// Whether what counts depends on the position along an axis of rows.
    fn decides_rows(&self, program: &Program, axis: AxisId) -> bool {
        presence::conditions(program, self.broadcast).iter().any(|&condition| program.depends_on(condition, axis))
    }
}

/// How many tiles have all rows where the others have one less, if that is worth it.
fn full_tiles(points: i64, rows: i64) -> Option<i64> {
    let tiles = ceil(points, rows);
    let in_vain = (tiles * rows - points) as f64 / points as f64;
    let full = points - tiles * (rows - 1);
    (rows > 2 && in_vain > ROWS_IN_VAIN && full > 0).then_some(full)
}

/// Tiles for each work-item such that all units end at about the same time: the most work that falls to one of them is the least.
fn even_steps(panels: i64, sites: i64, units: i64, most: i64) -> i64 {
    let time = |steps: i64| ceil(panels * ceil(sites, steps), units) as f64 * (steps as f64 + ITEM_COST);
    (1..=most).min_by(|&a, &b| time(a).total_cmp(&time(b))).unwrap_or(1)
}

/// Time for one step of the reduction relative to the multiplications in it: a load of a vector costs about as much as
/// one of them but mostly hides behind them, a broadcast less.
fn micro_cost(rows: i64, vectors: i64, lanewise: bool) -> f64 {
    let multiplications = (rows * vectors) as f64;
    // Where both factors have lanes, what is asked for each row is shared by its vectors only.
    let loads = vectors as f64 + if lanewise { multiplications + 2.0 * rows as f64 } else { 0.4 * rows as f64 };
    // A sum needs four multiplications in flight to keep the units busy.
    let in_flight = multiplications.max(4.0 + loads * 0.25);
    (in_flight + 0.25 * loads) / multiplications
}

/// The same for a step of dot products, of which there are so many: as many vectors can be loaded, or filled with a group of a row, as
/// multiplied at a time. A quarter as many come from outside of the innermost cache, as columns do for every tile where they do not fit it.
fn dot_cost(rows: i64, vectors: i64, steps: i64) -> f64 {
    let is_far = steps * vectors * LINE as i64 > loops::LONG_PANEL;
    let loads = if is_far { (rows + vectors).max(4 * vectors) } else { rows + vectors };
    micro_cost(rows, vectors, false).max(loads as f64 / (rows * vectors) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{Attr, DataType, InnerBlock, Layout, Matmul, MemoryDesc, Op, arg};
    use crate::runtime::{DeviceProfile, DeviceType};

    #[test]
    fn panels_of_dot_products_have_as_many_vectors_as_the_columns_fill() {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, dot_bf16: true, ..host };
        // Of what does not fit the innermost cache, few rows would wait for wide panels.
        for (steps, columns, width) in [(64, 12, 16), (64, 64, 64), (64, 80, 80), (64, 112, 112), (2048, 112, 64)] {
            let md = |m, n| MemoryDesc::with_strides(&[m, n], DataType::Bf16, None).unwrap();
            let (src, weights, dst) = (md(960, steps), md(steps, columns), md(960, columns));
            let op: Op = Matmul::new(&src, &weights, None, &dst).unwrap().into();
            let program = crate::lower::lower(&op, &Attr::new()).unwrap();
            let panels = crate::schedule::panels(program, &profile, arg::WEIGHTS, &[arg::WEIGHTS]).unwrap();
            assert_eq!(panels.width, width, "{steps} {columns}");
        }
    }

    #[test]
    fn few_rows_read_panels_as_wide_as_they_were_asked_for() {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, cache_bytes: 1 << 20, ..host };
        for (rows, columns) in [(2, 1000), (4, 72), (2, 1024), (16, 1000)] {
            let md = |m, n| MemoryDesc::with_strides(&[m, n], DataType::F32, None).unwrap();
            let (src, weights, dst) = (md(rows, 8192), md(8192, columns), md(rows, columns));
            let op: Op = Matmul::new(&src, &weights, None, &dst).unwrap().into();
            let program = crate::lower::lower(&op, &Attr::new()).unwrap();
            let panels = crate::schedule::panels(program, &profile, arg::WEIGHTS, &[arg::WEIGHTS]).unwrap();
            let inner = vec![InnerBlock { dim: 1, size: panels.width }];
            let layout = Layout { order: vec![1, 0], inner };
            let weights = MemoryDesc::with_layout(&[8192, columns], DataType::F32, &layout).unwrap();
            let op: Op = Matmul::new(&src, &weights, None, &dst).unwrap().into();
            let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
            crate::schedule::prepare(&mut program, &profile);
            let stage = program.stages.last().unwrap();
            let tile = Contraction::of(&program, stage, &profile).unwrap().tile(&program, &profile).unwrap();
            assert_eq!(tile.vectors * 16, panels.width, "{rows} {columns}");
        }
    }
}
