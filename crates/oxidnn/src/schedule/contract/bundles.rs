//! Products on GPU-type devices by sub-groups.
//!
//! The work-items of a sub-group have columns side by side. Of each row they load as many steps of the reduction as they are, one
//! each, and tell each other; columns come from memory as they are needed, through the cache. Nothing waits at a
//! barrier, and nothing goes through local memory, which on some devices is memory like any other. It suits factors
//! whose neighbours these are.
//!
//! The fact a newcomer gets wrong: how many work-items a sub-group has may only be known in the kernel, so the host cannot
//! count tiles. Sub-groups take tiles in turns until there are no more.

use super::grid::{Grid, Share, Side, steps_by_one};
use crate::codegen::opencl::Emitter;
use crate::program::*;
use crate::runtime::{DeviceProfile, NdRange, SubGroups};
use crate::schedule::map::bind_linear;
use crate::schedule::{Scheduled, ceil, needs_wide_indices};

/// Rows and columns of a work-item.
const ROWS: i64 = 8;
const COLUMNS: i64 = 4;
/// Work-items of a work-group; whole sub-groups, whatever their size.
const GROUP: i64 = 128;
/// Steps of the reduction from which on work-items of a sub-group have one each.
const WORTH_STEPS: i64 = 32;
/// Work-items that sub-groups are taken to have where that is not known.
const USUAL_SIZE: i64 = 16;
/// What it costs in multiplications to tell a number to a sub-group, and to load one through the cache.
const TELL: f64 = 0.3;
const CACHED_LOAD: f64 = 1.0;

/// How many work-items a sub-group has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bundle {
    size: Option<i64>,
}

impl Bundle {
    /// The form of a product on a device, if its factors suit it.
    pub fn of(program: &Program, grid: &Grid, profile: &DeviceProfile) -> Option<Bundle> {
        let size = match profile.sub_groups {
            SubGroups::None => return None,
            SubGroups::Any => None,
            SubGroups::Of(size) => Some(size as i64),
        };
        let steps = program.extent(*grid.reduced.last()?)?;
        let side_by_side = |side: &Side| side.axes.last().is_some_and(|&axis| steps_by_one(program, side.factor, axis));
        let suits = grid.rows.along_reduction && side_by_side(&grid.columns) && steps >= WORTH_STEPS;
        (suits && profile.max_work_group as i64 >= GROUP).then_some(Bundle { size })
    }

    fn usual_size(&self) -> i64 {
        self.size.unwrap_or(USUAL_SIZE)
    }

    /// What a sub-group does.
    pub fn share(&self) -> Share {
        let step = (ROWS * COLUMNS) as f64 + ROWS as f64 * TELL + COLUMNS as f64 * CACHED_LOAD;
        let size = self.usual_size();
        Share { rows: ROWS, columns: COLUMNS * size, items: size, step, usual: true }
    }

    pub fn emit(&self, program: &Program, stage: &Stage, grid: &Grid) -> Scheduled {
        let mut emitter = Emitter::new(program, needs_wide_indices(program, stage));
        let index = emitter.index_type();
        let scalar = emitter.type_name(program.ty(grid.sum), false);
        let size = self.size.map_or("(int)get_sub_group_size()".into(), |size| size.to_string());
        grid.counts(&mut emitter, program);
        emitter.line(format!("const int lane = get_sub_group_local_id(), size = {size};"));
        let tiles = |count: &str, each: String| format!("({count} + {each} - 1) / ({each})");
        let across = tiles("columns_count", format!("{COLUMNS} * size"));
        emitter.line(format!("const {index} across = {across}, down = {};", tiles("rows_count", ROWS.to_string())));
        let batches: Vec<String> =
            grid.batch.iter().map(|&axis| emitter.scalar(program.axis(axis).extent)).chain(["1".into()]).collect();
        emitter.line(format!("const {index} tiles = across * down * {};", batches.join(" * ")));
        emitter.line(format!("const {index} bundles = ({index})get_num_groups(0) * get_num_sub_groups();"));
        let first = format!("({index})get_group_id(0) * get_num_sub_groups() + get_sub_group_id()");
        emitter.open(format!("for ({index} tile = {first}; tile < tiles; tile += bundles)"));
        emitter.line(format!("const {index} columns_start = tile % across * {COLUMNS} * size + lane;"));
        emitter.line(format!("const {index} rows_start = tile / across % down * {ROWS};"));
        if !grid.batch.is_empty() {
            emitter.line(format!("const {index} batch = tile / across / down;"));
            bind_linear(&mut emitter, program, &grid.batch, "batch".into());
        }
        grid.declare_sums(&mut emitter, program, ROWS * COLUMNS);
        emitter.open(format!("for ({index} k0 = 0; k0 < depth; k0 += size)"));
        emitter.line(format!("{scalar} a[{ROWS}];"));
        emitter.open(format!("for (int r = 0; r < {ROWS}; ++r)"));
        emitter.line(format!("const {index} position = rows_start + r, k = k0 + lane;"));
        let value = grid.element(&mut emitter, program, &grid.rows, "position", "k");
        emitter.line(format!("a[r] = {value};"));
        emitter.close();
        // Steps beyond the last add nothing: both factors are zero there.
        emitter.open("for (int step = 0; step < size; ++step)");
        emitter.line(format!("{scalar} b[{COLUMNS}];"));
        emitter.open(format!("for (int c = 0; c < {COLUMNS}; ++c)"));
        emitter.line(format!("const {index} position = columns_start + c * size, k = k0 + step;"));
        let value = grid.element(&mut emitter, program, &grid.columns, "position", "k");
        emitter.line(format!("b[c] = {value};"));
        emitter.close();
        emitter.open(format!("for (int r = 0; r < {ROWS}; ++r)"));
        emitter.line(format!("const {scalar} told = sub_group_broadcast(a[r], step);"));
        let sum = format!("acc[r * {COLUMNS} + c]");
        let term = grid.term(program, &sum, "told", "b[c]");
        emitter.line(format!("for (int c = 0; c < {COLUMNS}; ++c) {sum} = {term};"));
        (0..3).for_each(|_| emitter.close());

        let (row, column) = (format!("i / {COLUMNS}"), format!("i % {COLUMNS} * size"));
        grid.store(&mut emitter, program, stage, ROWS * COLUMNS, [&row, &column]);
        emitter.close();

        let tiles =
            ceil(grid.columns.count, COLUMNS * self.usual_size()) * ceil(grid.rows.count, ROWS) * grid.batch_count;
        let groups = ceil(tiles, GROUP / self.usual_size());
        let range = NdRange { global: [(groups * GROUP) as usize, 1, 1], local: Some([GROUP as usize, 1, 1]) };
        let size =
            self.size.map_or(String::new(), |size| format!("__attribute__((intel_reqd_sub_group_size({size})))\n"));
        let attribute = format!("{size}__attribute__((reqd_work_group_size({GROUP}, 1, 1)))\n");
        let source = emitter.finish(stage.name, &attribute, &program.stage_tensors(stage));
        Scheduled::new(program, "contract", source, range)
    }
}
