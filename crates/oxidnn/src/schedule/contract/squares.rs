//! Products on GPU-type devices through local memory.
//!
//! A work-group computes a rectangle of the output. It brings a slice of both factors to local memory, each element once,
//! whatever its layout, type or padding, and then every work-item multiplies a few rows by a few columns from there.

use super::grid::{Grid, Share, Side};
use crate::codegen::opencl::Emitter;
use crate::program::*;
use crate::runtime::{DeviceProfile, NdRange};
use crate::schedule::map::bind_linear;
use crate::schedule::{Scheduled, ceil, needs_wide_indices};

/// Steps of the reduction that are in local memory at a time.
const DEPTH: i64 = 16;
/// Work-items along a side of a work-group, and rows and columns that each of them has, the usual ones first. Few, so that there are few
/// kernels.
const SIZES: [(i64, [i64; 2]); 6] = [(16, [4, 4]), (16, [8, 4]), (16, [8, 8]), (16, [2, 2]), (8, [4, 4]), (8, [2, 2])];
/// What a load from local memory, and one from global memory, cost in multiplications.
const LOCAL_LOAD: f64 = 0.5;
const GLOBAL_LOAD: f64 = 4.0;
/// Sums that every device keeps in registers, and what each beyond them costs.
const SURE_SUMS: i64 = 32;
const MORE_SUMS: f64 = 0.5;

/// The sizes of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Square {
    /// Work-items along each side of a work-group.
    group: i64,
    /// Rows and columns of a work-item.
    rows: i64,
    columns: i64,
}

impl Square {
    /// Those that a device has room for, with sums of so many bytes.
    pub fn all(profile: &DeviceProfile, bytes: i64) -> impl Iterator<Item = Square> {
        let (room, most) = (profile.local_memory as i64, profile.max_work_group as i64);
        let squares = SIZES.map(|(group, [rows, columns])| Square { group, rows, columns });
        squares.into_iter().filter(move |square| {
            let local = DEPTH * bytes * (square.pitch(square.rows) + square.pitch(square.columns));
            local <= room && square.group * square.group <= most
        })
    }

    /// Elements from one step to the next in local memory; one more than there are keeps banks apart.
    fn pitch(&self, own: i64) -> i64 {
        self.group * own + 1
    }

    /// What a work-group does.
    pub fn share(&self) -> Share {
        let Square { group, rows, columns } = *self;
        let items = group * group;
        let sums = rows * columns;
        let fetched = (group * (rows + columns)) as f64 / items as f64;
        let spilled = (sums - SURE_SUMS).max(0) as f64 * MORE_SUMS;
        let step = sums as f64 + (rows + columns) as f64 * LOCAL_LOAD + fetched * GLOBAL_LOAD + spilled;
        let usual = SIZES[0] == (group, [rows, columns]);
        Share { rows: group * rows, columns: group * columns, items, step, usual }
    }

    pub fn emit(&self, program: &Program, stage: &Stage, grid: &Grid) -> Scheduled {
        let Square { group, rows, columns } = *self;
        let mut emitter = Emitter::new(program, needs_wide_indices(program, stage));
        let index = emitter.index_type();
        let scalar = emitter.type_name(program.ty(grid.sum), false);
        let sides = [(&grid.rows, rows), (&grid.columns, columns)];
        for (side, own) in sides {
            emitter.line(format!("__local {scalar} {}_tile[{}];", side.name, DEPTH * self.pitch(own)));
        }
        grid.counts(&mut emitter, program);
        emitter.line("const int x = get_local_id(0), y = get_local_id(1);");
        emitter.line(format!("const {index} columns_start = ({index})get_group_id(0) * {};", group * columns));
        emitter.line(format!("const {index} rows_start = ({index})get_group_id(1) * {};", group * rows));
        if !grid.batch.is_empty() {
            emitter.line(format!("const {index} batch = ({index})get_global_id(2);"));
            bind_linear(&mut emitter, program, &grid.batch, "batch".into());
        }
        let sums = rows * columns;
        grid.declare_sums(&mut emitter, program, sums);
        emitter.open(format!("for ({index} k0 = 0; k0 < depth; k0 += {DEPTH})"));
        for (side, own) in sides {
            self.fetch(&mut emitter, program, grid, side, own);
        }
        emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
        emitter.open(format!("for (int k = 0; k < {DEPTH}; ++k)"));
        emitter.line(format!("{scalar} b[{columns}];"));
        let at = format!("k * {} + x + c * {group}", self.pitch(columns));
        emitter.line(format!("for (int c = 0; c < {columns}; ++c) b[c] = columns_tile[{at}];"));
        emitter.open(format!("for (int r = 0; r < {rows}; ++r)"));
        emitter.line(format!("const {scalar} a = rows_tile[k * {} + y + r * {group}];", self.pitch(rows)));
        let (sum, b) = (format!("acc[r * {columns} + c]"), "b[c]");
        let term = grid.term(program, &sum, "a", b);
        emitter.line(format!("for (int c = 0; c < {columns}; ++c) {sum} = {term};"));
        (0..2).for_each(|_| emitter.close());
        emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
        emitter.close();

        let (row, column) = (format!("y + i / {columns} * {group}"), format!("x + i % {columns} * {group}"));
        grid.store(&mut emitter, program, stage, sums, [&row, &column]);

        let groups = |points: i64, own: i64| (ceil(points, group * own) * group) as usize;
        let range = NdRange {
            global: [groups(grid.columns.count, columns), groups(grid.rows.count, rows), grid.batch_count as usize],
            local: Some([group as usize, group as usize, 1]),
        };
        let attribute = format!("__attribute__((reqd_work_group_size({group}, {group}, 1)))\n");
        let source = emitter.finish(stage.name, &attribute, &program.stage_tensors(stage));
        Scheduled::new(program, "contract", source, range)
    }

    /// Brings a slice of a factor to local memory; zero beyond its end.
    fn fetch(&self, emitter: &mut Emitter<'_>, program: &Program, grid: &Grid, side: &Side, own: i64) {
        let index = emitter.index_type();
        let (name, group, all) = (side.name, self.group, self.group * own);
        emitter.open(format!("for (int i = y * {group} + x; i < {}; i += {})", all * DEPTH, group * group));
        let (own_at, step) = if side.along_reduction {
            (format!("i / {DEPTH}"), format!("i % {DEPTH}"))
        } else {
            (format!("i % {all}"), format!("i / {all}"))
        };
        emitter.line(format!("const int own = {own_at}, step = {step};"));
        emitter.line(format!("const {index} position = {name}_start + own;"));
        emitter.line(format!("const {index} k = k0 + step;"));
        let value = grid.element(emitter, program, side, "position", "k");
        emitter.line(format!("{name}_tile[step * {} + own] = {value};", self.pitch(own)));
        emitter.close();
    }
}
