//! Products of tiles of short numbers: AMX, whose instructions multiply 16 rows of 64 bytes by as many columns at once.
//!
//! Columns lie in panels of groups, as [`dots`](super::dots) read them too. Rows are read where they are if they lie apart
//! evenly; else, as where a tile crosses the lines of a padded image, they are copied side by side first, a part of each
//! row at a time. Sums stay in tile registers, which no compiler touches between two statements of assembly.

use super::dots::{Dot, Tail};
use super::kernel::Kernel;
use super::loops::Loop;
use super::{Contraction, frame};
use crate::codegen::opencl::Emitter;
use crate::program::*;
use crate::runtime::DeviceProfile;
use crate::schedule::ceil;
use crate::schedule::map::bind_linear;

/// Rows of a tile register, and columns of one that holds sums.
pub(in crate::schedule) const SIDE: i64 = 16;
/// Bytes of a row of a tile register.
pub(in crate::schedule) const ROW: i64 = 64;
/// Bytes of each row that are worth an instruction.
const WORTH_BYTES: i64 = 32;
/// Rows that are worth it.
const WORTH_ROWS: i64 = 8;
/// Tile registers that hold sums, at most; the others hold factors.
const MOST_SUMS: i64 = 4;
/// Bytes of each row that are copied at a time.
const PART: i64 = 512;

/// How a contraction is done by tiles.
#[derive(Clone, Copy, Debug)]
pub(in crate::schedule) struct Amx {
    dot: Dot,
    /// Bytes of each row that an instruction takes.
    step: i64,
}

/// The tile registers: sums first, then rows, then columns.
#[derive(Clone, Copy)]
pub(in crate::schedule) struct Registers {
    /// Registers of rows and of columns whose products are summed.
    pub rows: i64,
    pub columns: i64,
}

impl Registers {
    /// The statement that sets all sums to zero.
    pub fn zero_sums(self) -> String {
        let zero = |register: i64| format!("tilezero %%tmm{register}");
        assembly(&(0..self.row(0)).map(zero).collect::<Vec<_>>(), "")
    }

    /// The statement that brings sums from memory, whose rows lie `apart` bytes apart.
    pub fn load_sums(self, from: &str, apart: i64) -> String {
        self.move_sums(from, apart, |place, sum| format!("tileloadd {place}, %%tmm{sum}"))
    }

    /// The statement that stores them like this.
    pub fn store_sums(self, to: &str, apart: i64) -> String {
        self.move_sums(to, apart, |place, sum| format!("tilestored %%tmm{sum}, {place}"))
    }

    fn move_sums(self, memory: &str, apart: i64, instruction: impl Fn(&str, i64) -> String) -> String {
        let each = (0..self.rows).flat_map(|r| (0..self.columns).map(move |c| (r, c)));
        let lines = each.map(|(r, c)| {
            let at = r * SIDE * apart + c * ROW;
            instruction(&format!("{at}(%[t],%[s])"), self.sum(r, c))
        });
        assembly(&lines.collect::<Vec<_>>(), &format!("[t] \"r\"({memory}), [s] \"r\"((ulong){apart})"))
    }

    fn sum(self, row: i64, column: i64) -> i64 {
        row * self.columns + column
    }

    fn row(self, row: i64) -> i64 {
        self.rows * self.columns + row
    }

    /// Two take turns.
    fn column(self, column: i64) -> i64 {
        self.row(self.rows) + column % 2
    }
}

impl Dot {
    /// Whether so many rows, of so many bytes each, are worth tiles however few columns there are: a tile is multiplied in the time in which
    /// vectors add up the lanes of a few sums.
    pub(super) fn fills_tiles(self, rows: i64, bytes: i64, profile: &DeviceProfile) -> bool {
        self.has_tiles(profile) && rows >= 2 * SIDE && bytes >= WORTH_BYTES
    }
}

impl Amx {
    /// Whole tiles of bf16.
    pub const BF16: Amx = Amx { dot: Dot::Bf16, step: ROW };

    /// Whether tiles serve a contraction on a device.
    pub fn of(program: &Program, c: &Contraction, profile: &DeviceProfile) -> Option<Amx> {
        let dot = c.dot.filter(|dot| dot.has_tiles(profile) && Tail::of(program, c, *dot).is_none())?;
        let row = program.extent(*c.reduced.last()?)? * dot.bytes();
        // All steps are of one size.
        let step = (4..=ROW).rev().step_by(4).find(|step| row % step == 0)?;
        let worth = step >= WORTH_BYTES.min(row) && c.row_count(program)? >= WORTH_ROWS;
        (worth && c.sums() <= MOST_SUMS).then_some(Amx { dot, step })
    }

    /// Rows, vectors, and the first axis of rows of a tile.
    pub fn shape(&self, program: &Program, c: &Contraction) -> Option<(i64, i64, usize)> {
        let columns = program.extent(c.columns)?;
        let vectors = if c.more.is_empty() { ceil(columns, SIDE).clamp(1, 2) } else { c.sums() };
        let most = if vectors <= MOST_SUMS / 2 { 2 * SIDE } else { SIDE };
        let points = |first: usize| program.points(&c.row_axes[first..]);
        // As few axes as fill a tile: the more, the more often rows do not lie apart evenly.
        let first = (c.apart..c.row_axes.len()).rev().find(|&first| points(first) >= Some(most)).unwrap_or(c.apart);
        let points = points(first)?;
        Some((ceil(points, ceil(points, most)), vectors, first))
    }

    fn instruction(self) -> &'static str {
        match self.dot {
            Dot::Unsigned => "tdpbusd",
            Dot::Signed => "tdpbssd",
            Dot::Bf16 => "tdpbf16ps",
            Dot::Pairs => unreachable!("tiles take bytes as they are"),
        }
    }

    /// The statement that adds the products of one step; `from` and `columns` are addresses, rows lie `apart` bytes apart.
    fn multiply(self, registers: Registers) -> String {
        let mut lines = Vec::new();
        for r in 0..registers.rows {
            lines.push(format!("tileloadd (%[a{r}],%[p]), %%tmm{}", registers.row(r)));
        }
        for c in 0..registers.columns {
            let column = registers.column(c);
            lines.push(format!("tileloadd {}(%[b],%[s]), %%tmm{column}", ROW * c));
            for r in 0..registers.rows {
                let (row, sum) = (registers.row(r), registers.sum(r, c));
                lines.push(format!("{} %%tmm{column}, %%tmm{row}, %%tmm{sum}", self.instruction()));
            }
        }
        let rows: String =
            (0..registers.rows).map(|r| format!("[a{r}] \"r\"(from + j + {} * apart), ", r * SIDE)).collect();
        let stride = registers.columns * ROW;
        assembly(&lines, &format!("{rows}[p] \"r\"(apart), [b] \"r\"(columns), [s] \"r\"((ulong){stride})"))
    }

    /// The loop over `length` bytes of each row.
    pub fn steps(self, registers: Registers, length: &str) -> Vec<String> {
        let (step, next) = (self.step, self.next(registers));
        vec![format!("for (ulong j = 0; j < {length}; j += {step}, columns += {next})"), self.multiply(registers)]
    }

    /// Bytes from the columns of one step to those of the next.
    fn next(self, registers: Registers) -> i64 {
        self.step / 4 * registers.columns * ROW
    }

    /// Describes the registers as `ldtilecfg` reads them: in the first byte how, from 16 on the bytes of their rows, two for
    /// each, and from 48 on how many rows they have.
    pub fn shapes(self, registers: Registers) -> Vec<String> {
        let last = match registers.rows {
            1 => "count".to_string(),
            rows => format!("count - {}", (rows - 1) * SIDE),
        };
        let mut lines = vec!["for (int i = 0; i < 64; ++i) shapes[i] = i == 0;".to_string()];
        let mut set = |register: i64, bytes: i64, rows: &str| {
            lines.push(format!("shapes[{}] = {bytes}, shapes[{}] = {rows};", 16 + 2 * register, 48 + register));
        };
        for r in 0..registers.rows {
            let height = if r + 1 < registers.rows { SIDE.to_string() } else { last.clone() };
            (0..registers.columns).for_each(|c| set(registers.sum(r, c), ROW, &height));
            set(registers.row(r), self.step, &height);
        }
        (0..registers.columns.min(2)).for_each(|c| set(registers.column(c), ROW, &(self.step / 4).to_string()));
        lines
    }
}

/// A statement of assembly with some inputs.
fn assembly(lines: &[String], inputs: &str) -> String {
    frame::assembly(lines, "", inputs)
}

/// The statement that gives the tile registers their shapes.
pub(in crate::schedule) fn take_shapes() -> String {
    assembly(&["ldtilecfg (%[f])".into()], "[f] \"r\"(shapes)")
}

/// Declares what a work-item knows of the tile registers.
pub(super) fn open(emitter: &mut Emitter<'_>) {
    emitter.line("uchar shapes[64];");
    emitter.line("int shaped = 0;");
}

/// Leaves the tile registers as they were.
pub(in crate::schedule) fn close(emitter: &mut Emitter<'_>) {
    emitter.line(assembly(&["tilerelease".into()], ""));
}

impl Kernel {
    /// Fills the array `tile` by products of tiles.
    pub(super) fn accumulate_tiles(&self, emitter: &mut Emitter<'_>, amx: Amx) {
        let Kernel { program, c, tile, .. } = self;
        let (index, vector_type) = (emitter.index_type(), emitter.type_name(program.ty(c.sum), true));
        let registers = Registers { rows: ceil(tile.rows, SIDE), columns: tile.vectors };
        emitter.line(format!("const int count = (int)min(rows - m0, ({index}){});", tile.rows));
        emitter.open("if (shaped != count)");
        emitter.line("shaped = count;");
        for_rows(emitter, registers, |registers| amx.shapes(registers));
        emitter.line(take_shapes());
        emitter.close();
        for_rows(emitter, registers, |registers| vec![registers.zero_sums()]);

        let (inner, outer) = self.loops.split_last().expect("a sum runs over something");
        let again = outer.iter().rev().take_while(|level| self.leaves_rows(level)).count();
        let (outer, again) = outer.split_at(outer.len() - again);
        for (depth, level) in outer.iter().enumerate() {
            self.open_loop(emitter, level, &format!("o{depth}_"));
        }
        self.open_decided(emitter, inner);
        emitter.bind(inner.axis, "0");
        let extent = emitter.scalar(program.axis(inner.axis).extent);
        emitter.line(format!("const ulong length = (ulong){extent} * {};", amx.dot.bytes()));
        if self.lie_apart_evenly() {
            emitter.line("ulong from, next;");
            self.find_row(emitter, "m0", "from");
            self.find_row(emitter, "(m0 + 1)", "next");
            emitter.line("const ulong apart = next - from;");
            self.multiply_rows(emitter, amx, registers, again, ["0", "length"]);
        } else {
            self.multiply_scattered(emitter, amx, registers, again);
        }
        emitter.close();
        outer.iter().for_each(|_| emitter.close());

        emitter.line(format!("{vector_type} tile[{}];", registers.rows * SIDE * registers.columns));
        for_rows(emitter, registers, |registers| vec![registers.store_sums("tile", registers.columns * ROW)]);
    }

    /// Whether a loop goes through the same rows again and again.
    fn leaves_rows(&self, level: &Loop) -> bool {
        level.bounds.is_empty() && level.tests.is_empty() && !self.program.depends_on(self.c.broadcast, level.axis)
    }

    /// Multiplies so many bytes of each row by columns from some byte of the innermost loop on, `again` and again.
    fn multiply_rows(
        &self,
        emitter: &mut Emitter<'_>,
        amx: Amx,
        registers: Registers,
        again: &[Loop],
        [start, length]: [&str; 2],
    ) {
        for (depth, level) in again.iter().enumerate() {
            self.open_loop(emitter, level, &format!("a{depth}_"));
        }
        let columns = emitter.address(self.vectors[0]);
        let ahead = amx.next(registers) / amx.step;
        emitter.line(format!("ulong columns = (ulong)({columns}) + {start} * {ahead};"));
        for_rows(emitter, registers, |registers| amx.steps(registers, length));
        again.iter().for_each(|_| emitter.close());
    }

    /// Whether all rows count, and each lies as far from the one before as all others do.
    fn lie_apart_evenly(&self) -> bool {
        let (program, row) = (&self.program, &self.rows[0]);
        let Node::Load { offset, .. } = *program.node(self.c.broadcast) else { return false };
        let mut distance = None;
        let even = self.tile.row_axes.iter().rev().all(|&axis| {
            let (step, extent) = (program.step(offset, axis), program.extent(axis));
            let even = program.is_linear(offset, axis) && distance.is_none_or(|distance| step == Some(distance));
            distance = step.zip(extent).map(|(step, extent)| step * extent);
            even && distance.is_some()
        });
        even && row.present.is_none()
    }

    /// Sets a variable to the address of a row at the start of the innermost loop.
    fn find_row(&self, emitter: &mut Emitter<'_>, position: &str, variable: &str) {
        emitter.open("");
        bind_linear(emitter, &self.program, &self.rows[0].axes, position.into());
        self.bind_bases(emitter, 0);
        let address = emitter.address(self.rows[0].factors[0]);
        emitter.line(format!("{variable} = (ulong)({address});"));
        emitter.close();
    }

    /// A step of the outer loops whose rows may lie anywhere, or count for nothing.
    fn multiply_scattered(&self, emitter: &mut Emitter<'_>, amx: Amx, registers: Registers, again: &[Loop]) {
        let row = &self.rows[0];
        emitter.line(format!("ulong at[{}];", registers.rows * SIDE));
        emitter.line("int any = 0, even = 1;");
        emitter.open("for (int r = 0; r < count; ++r)");
        bind_linear(emitter, &self.program, &row.axes, "(m0 + r)".into());
        match row.present {
            Some(present) => {
                let (present, zeros) = (emitter.scalar(present), emitter.zeros());
                emitter.open(format!("if ({present})"));
                emitter.line("any = 1;");
                self.find_row(emitter, "(m0 + r)", "at[r]");
                emitter.close();
                emitter.line(format!("else at[r] = (ulong){zeros};"));
            }
            None => {
                emitter.line("any = 1;");
                self.find_row(emitter, "(m0 + r)", "at[r]");
            }
        }
        emitter.close();
        emitter.line("for (int r = 2; r < count; ++r) even &= at[r] - at[r - 1] == at[1] - at[0];");
        // Where no row counts there is nothing to add.
        let part = PART / amx.step * amx.step;
        emitter.open(format!("for (ulong start = 0; any && start < length; start += {part})"));
        emitter.line(format!("const ulong left = min(length - start, (ulong){part});"));
        emitter.line("ulong from = at[0] + start, apart = count > 1 ? at[1] - at[0] : 0;");
        emitter.line(format!("uint16 copy[{}];", registers.rows * SIDE * PART / ROW));
        emitter.open("if (!even)");
        // A step has whole words.
        let words = amx.step / 4;
        let each = [16, 8, 4, 2].into_iter().find(|width| words % width == 0).unwrap_or(1);
        let bytes = 4 * each;
        emitter.open("for (int r = 0; r < count; ++r)");
        emitter.line("const __global uint *row = (const __global uint *)(at[r] + start);");
        emitter.line(format!("uint *to = (uint *)copy + r * {};", PART / 4));
        let copied = match each {
            1 => "to[i] = row[i]".to_string(),
            _ => format!("vstore{each}(vload{each}(i, row), i, to)"),
        };
        emitter.line(format!("for (ulong i = 0; i < left / {bytes}; ++i) {copied};"));
        emitter.close();
        emitter.line("from = (ulong)copy;");
        emitter.line(format!("apart = {PART};"));
        emitter.close();
        self.multiply_rows(emitter, amx, registers, again, ["start", "left"]);
        emitter.close();
    }
}

/// Writes text for tiles that have all registers of rows, and for those that have one.
fn for_rows(emitter: &mut Emitter<'_>, registers: Registers, text: impl Fn(Registers) -> Vec<String>) {
    let one = Registers { rows: 1, ..registers };
    if registers.rows == 1 {
        return text(one).into_iter().for_each(|line| emitter.line(line));
    }
    for (head, registers) in [(format!("if (count > {SIDE})"), registers), ("else".into(), one)] {
        emitter.open(head);
        text(registers).into_iter().for_each(|line| emitter.line(line));
        emitter.close();
    }
}
