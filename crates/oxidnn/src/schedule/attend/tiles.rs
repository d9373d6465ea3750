//! Products of bf16 by AMX, for [`tile`](super::tile): a tile has as many rows as two registers, and panels as many columns. Sums
//! go to arrays between the loops over channels and those over keys, since powers are found by vectors.
//!
//! All registers are whole. What rows and columns are not there give is left out by whoever reads it; steps that are not there are zeros.

use super::tile::{Kernel, fold, in_pairs_of, larger};
use super::{Panels, lanes};
use crate::codegen::opencl::Emitter;
use crate::program::*;
use crate::runtime::DeviceProfile;
use crate::schedule::contract::amx::{Amx, ROW, Registers, SIDE, take_shapes};
use crate::schedule::map::bind_linear;

/// Channels or keys of a step.
pub(super) const DEPTH: i64 = ROW / 2;
/// How keys and values lie.
pub(super) const PANELS: Panels = Panels { width: 2 * SIDE, pairs: Some(DEPTH / 2) };
/// Keys of a block.
pub(super) const BLOCK: i64 = 4 * PANELS.width;

/// Whether a device multiplies tiles, and its vectors have as many lanes as these have rows.
pub(super) fn are_there(profile: &DeviceProfile) -> bool {
    profile.amx_bf16 && lanes(profile) == SIDE
}

/// Rows of a tile, of so many.
pub(super) fn rows(count: i64) -> i64 {
    if count > SIDE { 2 * SIDE } else { SIDE }
}

impl Kernel {
    fn tile_registers(&self) -> Registers {
        Registers { rows: self.rows / SIDE, columns: self.width / SIDE }
    }

    pub(super) fn start_tiles(&self, emitter: &mut Emitter<'_>) {
        emitter.line(format!("const int count = {};", self.rows));
        emitter.line("uchar shapes[64];");
        Amx::BF16.shapes(self.tile_registers()).into_iter().for_each(|line| emitter.line(line));
        emitter.line(take_shapes());
    }

    /// The array `scores` with the sums of products of all rows with a block of keys, and room for the `weights` that become of them.
    pub(super) fn products_of_tiles(&self, emitter: &mut Emitter<'_>, keys: E) {
        let Kernel { lanes, width, block, rows, depth, .. } = self;
        emitter.line(format!("ushort{lanes} weights[{}] __attribute__((aligned(64)));", rows * block / lanes));
        emitter.open(format!("for (int b = 0; b * {width} < keys; ++b)"));
        emitter.bind(self.panel, format!("(start / {width} + b)"));
        emitter.bind(self.a.reduced, "0");
        let queries = format!("queries + t * {}", rows * depth);
        let scores = format!("(float *)scores + b * {width}");
        let registers = self.tile_registers();
        emitter.line(registers.zero_sums());
        self.multiply(emitter, [&queries, &(2 * depth).to_string(), &(2 * depth).to_string()], keys);
        emitter.line(registers.store_sums(&scores, 4 * block));
        emitter.close();
    }

    /// Turns `scores` of a tile into `weights`, and brings largest products and sums up to date. As many rows as a vector has lanes go
    /// together, so that their largest products are one vector.
    pub(super) fn powers_of_tiles(&self, emitter: &mut Emitter<'_>) {
        let Kernel { program, a, lanes, rows, .. } = self;
        let (index, exp) = (emitter.index_type(), emitter.exp_down());
        let (vectors, of_row) = (self.block / lanes, self.row_vectors());
        let all: Vec<String> = (0..vectors).map(|v| format!("score{v}")).collect();
        let ty = format!("float{lanes}");
        emitter.line(format!("const int there = (int)min(row_count - first_row, ({index}){rows});"));
        emitter.open(format!("for (int g = 0; g < there; g += {lanes})"));
        emitter.line(format!("const int own = t * {rows} + g;"));
        emitter.line(format!("{ty} *const mine = scores + g * {vectors}, tops[{lanes}];"));
        emitter.open(format!("for (int r = 0; r < {lanes}; ++r)"));
        emitter.line(format!("const {index} row = min(first_row + g + r, row_count - 1);"));
        bind_linear(emitter, program, &a.rows, "row".into());
        for (v, name) in (0..).zip(&all) {
            let place = format!("mine[r * {vectors} + {v}]");
            self.declare_score(emitter, name, v, &place);
            emitter.line(format!("{place} = {name};"));
        }
        let most = in_pairs_of(emitter, &ty, all.clone(), larger);
        emitter.line(format!("tops[r] = {most};"));
        emitter.close();

        let most = fold(emitter, (0..*lanes).map(|r| format!("tops[{r}]")).collect(), *lanes, larger);
        emitter.line(format!("const {ty} before = vload{lanes}(0, largest + own);"));
        emitter.line(format!("const {ty} found = {};", larger("before", &most)));
        emitter.open("if (any(found > before))");
        emitter.line(format!("vstore{lanes}(found, 0, largest + own);"));
        emitter.line(format!("float shrink[{lanes}];"));
        emitter.line(format!("vstore{lanes}({exp}_{ty}(before - found), 0, shrink);"));
        emitter.open(format!("for (int r = 0; r < {lanes}; ++r)"));
        emitter.line("total[own + r] *= shrink[r];");
        emitter.line(format!("for (int i = 0; i < {of_row}; ++i) sums[(own + r) * {of_row} + i] *= shrink[r];"));
        emitter.close();
        emitter.close();

        emitter.open(format!("for (int r = 0; r < min(there - g, {lanes}); ++r)"));
        emitter.line("const float most = largest[own + r];");
        for (v, name) in (0..).zip(&all) {
            emitter.line(format!("const {ty} {name} = {exp}_{ty}(mine[r * {vectors} + {v}] - most);"));
            self.keep_weight(emitter, "(g + r)", v);
        }
        let added = in_pairs_of(emitter, &ty, all, |a, b| format!("{a} + {b}"));
        emitter.line(format!("total[own + r] += {added};"));
        emitter.close();
        emitter.close();
    }

    /// Adds the values of a block of keys, weighted with the array `weights`.
    pub(super) fn weigh_tiles(&self, emitter: &mut Emitter<'_>) {
        let Kernel { lanes, width, block, rows, .. } = self;
        let (of_row, registers) = (self.row_vectors() * lanes, self.tile_registers());
        let length = format!("(keys + {}) / {DEPTH} * {ROW}", DEPTH - 1);
        emitter.bind(self.a.keys, "start");
        for (p, values) in (0..).zip(&self.values) {
            let sums = format!("(float *)sums + t * {} + {}", rows * of_row, p * width);
            emitter.open("");
            emitter.line(registers.load_sums(&sums, 4 * of_row));
            self.multiply(emitter, ["weights", &(2 * block).to_string(), &length], values[0]);
            emitter.line(registers.store_sums(&sums, 4 * of_row));
            emitter.close();
        }
    }

    /// Adds the products of rows, which lie so many bytes apart and are so many bytes long, and of a panel.
    fn multiply(&self, emitter: &mut Emitter<'_>, [rows, apart, length]: [&str; 3], panel: E) {
        let address = self.panel_address(emitter, panel);
        emitter.line(format!("const ulong from = (ulong)({rows}), apart = {apart}, length = {length};"));
        emitter.line(format!("ulong columns = (ulong)({address});"));
        Amx::BF16.steps(self.tile_registers(), "length").into_iter().for_each(|line| emitter.line(line));
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::{AttentionMask, AttentionScale, Attr, DataType, Float, MemoryDesc, Op, Sdpa};
    use crate::program::Stage;
    use crate::runtime::{DeviceProfile, DeviceType};
    use crate::schedule;

    /// The kernel of an attention of so many queries, which see 100 keys.
    fn kernel(queries: i64, data_type: DataType, amx_bf16: bool) -> String {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, amx_bf16, ..host };
        let plain = |rows, columns| MemoryDesc::with_strides(&[1, 2, rows, columns], data_type, None).unwrap();
        let (rows, keys, values) = (plain(queries, 40), plain(40, 100), plain(100, 40));
        let scale = AttentionScale::Number(Float(0.5));
        let op = Op::from(Sdpa::new(&rows, &keys, &values, &rows, scale, AttentionMask::None).unwrap());
        let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
        schedule::prepare(&mut program, &profile);
        let last: &Stage = program.stages.last().unwrap();
        schedule::schedule(&program, last, &profile).unwrap().source.text
    }

    #[test]
    fn tiles_multiply_bf16_of_more_than_a_few_rows() {
        let by_tiles = |queries, data_type, amx| kernel(queries, data_type, amx).contains("tdpbf16ps");
        assert!(by_tiles(5, DataType::Bf16, true) && by_tiles(100, DataType::Bf16, true));
        assert!(!by_tiles(4, DataType::Bf16, true) && !by_tiles(100, DataType::Bf16, false));
        assert!(!by_tiles(100, DataType::F32, true) && !by_tiles(100, DataType::F16, true));
    }
}
