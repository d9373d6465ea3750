//! Few columns of short numbers: lanes are groups of steps, and dot products add them up.
//!
//! Both factors are read as they lie, a vector of a row times a vector of each column. Tables of addresses go to the assembly,
//! some tiles at once, as for [`frame`](super::super::frame).

use super::super::dots::Dot;
use super::super::frame::{Form, SAVED, statement};
use super::Kernel;
use crate::codegen::opencl::Emitter;
use crate::program::*;
use crate::runtime::DeviceProfile;
use crate::schedule::ceil;
use crate::schedule::map::bind_linear;

/// How dot products are computed along lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dots {
    dot: Dot,
    form: Form,
    saved: Form,
    /// Whether rows are the factor of unsigned bytes; else columns are, or are made it.
    rows_first: bool,
}

/// Rows and columns of a tile, at most: each needs a register for its address.
const MOST_LINES: i64 = 8;
/// Tiles that are computed at once.
const AT_ONCE: i64 = 8;
/// What a load costs in multiplications; it mostly hides behind them.
const LOAD: f64 = 0.5;

impl Dots {
    /// How the products of two factors are, if a device has an instruction for it and steps fill its vectors.
    pub fn of(program: &Program, sum: E, rows: E, columns: E, steps: i64, profile: &DeviceProfile) -> Option<Dots> {
        let as_columns = Dot::of_factors(program, sum, columns, rows);
        let rows_first = as_columns.is_none();
        let dot = as_columns.or_else(|| Dot::of_factors(program, sum, rows, columns))?;
        let (form, saved) = (Form::of(profile), Form::saved(profile));
        let usable = dot.by_vectors(profile) == Some(dot) && steps * dot.bytes() % form.bytes() == 0;
        usable.then_some(Dots { dot, form, saved, rows_first })
    }

    /// The rows and columns that take the least time, out of so many.
    pub fn tile(self, rows: i64, columns: i64, profile: &DeviceProfile) -> Option<[i64; 2]> {
        let fits = |&[r, c]: &[i64; 2]| r + c <= MOST_LINES && self.registers(r, c) <= profile.vector_registers();
        let cost = |&[r, c]: &[i64; 2]| {
            let products = (r * c + self.shifts(r)) as f64;
            ceil(columns, c) as f64 * (products + LOAD * (r + c) as f64) / r as f64
        };
        (1..=columns)
            .flat_map(|c| (1..=rows).map(move |r| [r, c]))
            .take_while(|[_, c]| *c < MOST_LINES)
            .filter(fits)
            .min_by(|a, b| cost(a).total_cmp(&cost(b)))
    }

    /// How many further sums tell what adding 128 to columns adds to the others.
    fn shifts(self, rows: i64) -> i64 {
        if self.dot == Dot::Signed { rows } else { 0 }
    }

    /// The first sum: columns, two rows in turns and a constant come before it.
    fn first_sum(columns: i64) -> i64 {
        columns + 3
    }

    fn registers(self, rows: i64, columns: i64) -> i64 {
        Dots::first_sum(columns) + rows * columns + self.shifts(rows)
    }

    /// The statement that computes the sums of all tiles of a table up to a zero. A tile has the addresses of its rows and columns, how far it is
    /// to the rows of the next one, which are asked for meanwhile, and the length of all of them, in bytes.
    fn assembly(self, [rows, columns]: [i64; 2]) -> String {
        let Dots { dot, form, saved, rows_first } = self;
        let (name, first_sum, constant) = (form.name(), Dots::first_sum(columns), columns + 2);
        let sum = |r: i64, c: i64| first_sum + r * columns + c;
        let shift = |r: i64| first_sum + rows * columns + r;
        let mut lines = vec!["push %[f]".to_string()];
        if dot == Dot::Signed {
            lines.extend(form.fill_with_128(constant));
        }
        lines.extend(["2: mov (%[t]), %[x0]".into(), "test %[x0], %[x0]".into(), "jz 9f".into()]);
        lines.extend((1..rows + columns).map(|x| format!("mov {}(%[t]), %[x{x}]", 8 * x)));
        lines.push(format!("add ${}, %[t]", 8 * entries([rows, columns])));
        lines.extend((first_sum..self.registers(rows, columns)).map(|z| form.zero(z)));
        lines.extend(["xor %[i], %[i]".into(), "mov -16(%[t]), %[d]".into(), "1:".to_string()]);
        for c in 0..columns {
            lines.push(format!("vmovups (%[x{}],%[i]), %%{name}{c}", rows + c));
            if dot == Dot::Signed {
                lines.push(form.xor([constant, c, c]));
            }
        }
        for r in 0..rows {
            let row = columns + r % 2;
            lines.push(format!("prefetcht1 (%[x{r}],%[d])"));
            lines.push(format!("vmovups (%[x{r}],%[i]), %%{name}{row}"));
            for c in 0..columns {
                let [signed, unsigned] = if rows_first { [c, row] } else { [row, c] };
                lines.push(form.dot(dot, [signed, unsigned, sum(r, c)]));
            }
            if dot == Dot::Signed {
                lines.push(form.dot(dot, [row, constant, shift(r)]));
            }
        }
        lines.extend(["d", "i"].map(|register| format!("add ${}, %[{register}]", form.bytes())));
        lines.extend(["cmp -8(%[t]), %[i]".into(), "jl 1b".to_string()]);
        if dot == Dot::Signed {
            let sums = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
            lines.extend(sums.map(|(r, c)| form.on("vpsubd", [shift(r), sum(r, c), sum(r, c)])));
        }
        let place = |z: i64| format!("{}(%[f])", (SAVED + z) * form.bytes());
        lines.extend((0..rows * columns).map(|z| format!("vmovups %%{name}{}, {}", first_sum + z, place(z))));
        lines.push(format!("add ${}, %[f]", rows * columns * form.bytes()));
        lines.extend(["jmp 2b".into(), "9: pop %[f]".to_string()]);
        let addresses: String = (0..rows + columns).map(|x| format!(", [x{x}] \"=&r\"(x{x}_)")).collect();
        let outputs = format!("[t] \"+r\"(entry), [i] \"=&r\"(i_), [d] \"=&r\"(d_){addresses}");
        statement(lines, saved, self.registers(rows, columns), &outputs, "[f] \"r\"(frame)")
    }
}

/// How many numbers of a table a tile has.
fn entries([rows, columns]: [i64; 2]) -> i64 {
    rows + columns + 2
}

impl Kernel<'_> {
    /// All tiles of a work-item, some at once; `sites` is how many there are, along `height` rows and `width` columns.
    pub(super) fn emit_dots(&self, emitter: &mut Emitter<'_>, dots: Dots, [tiles, sites, height, width]: [&str; 4]) {
        let Kernel { program, s, .. } = self;
        let (index, [rows, columns]) = (emitter.index_type(), s.tile);
        let vector = format!("{}{}", self.sum_type(), s.lanes);
        let length = emitter.scalar(program.axis(s.steps).extent);
        emitter.line(format!("const {index} blocks = ({width} + {}) / {columns};", columns - 1));
        emitter.line(format!("const {index} first = ({index})get_global_id(0) * {tiles} * blocks;"));
        emitter.line(format!("const {index} last = min(first + {tiles} * blocks, {sites} * blocks);"));
        emitter.line(format!("{vector} frame[{}];", SAVED + AT_ONCE * rows * columns));
        emitter.line(format!("ulong table[{}];", AT_ONCE * entries(s.tile) + 1));
        emitter.open(format!("for ({index} start = first; start < last; start += {AT_ONCE})"));
        emitter.line(format!("const {index} end = min(start + {AT_ONCE}, last);"));
        self.open_tiles(emitter);
        emitter.line(format!("ulong *line = table + (tile - start) * {};", entries(s.tile)));
        self.bind_lines(emitter, height, width);
        self.bind_starts(emitter);
        emitter.bind(self.places[0], "0");
        for (x, line) in self.rows.iter().chain(&self.columns).enumerate() {
            let address = emitter.address(line.vector);
            emitter.line(format!("line[{x}] = (ulong)({address});"));
        }
        let to_next = format!("(line[{}] - line[0]) / {} * {rows}", rows - 1, (rows - 1).max(1));
        emitter.line(format!("line[{}] = {to_next};", rows + columns));
        emitter.line(format!("line[{}] = (ulong){length} * {};", rows + columns + 1, dots.dot.bytes()));
        emitter.close();
        emitter.line(format!("table[(end - start) * {}] = 0;", entries(s.tile)));
        let addresses: Vec<String> = (0..rows + columns).map(|x| format!("x{x}_")).collect();
        emitter.line(format!("ulong i_, d_, {};", addresses.join(", ")));
        emitter.line("ulong *entry = table;");
        emitter.line(dots.assembly(s.tile));
        self.open_tiles(emitter);
        emitter.line(format!("const {vector} *acc = frame + {SAVED} + (tile - start) * {};", rows * columns));
        self.store(emitter, height, width, |r, c| format!("acc[{}]", r * columns + c));
        emitter.close();
        emitter.close();
    }

    /// Opens a loop over the tiles that are computed at once.
    fn open_tiles(&self, emitter: &mut Emitter<'_>) {
        let (index, [rows, columns]) = (emitter.index_type(), self.s.tile);
        emitter.open(format!("for ({index} tile = start; tile < end; ++tile)"));
        emitter.line(format!("const {index} site = tile / blocks, n0 = tile % blocks * {columns};"));
        bind_linear(emitter, &self.program, &self.sites, "site".into());
        let number = emitter.scalar(self.number);
        emitter.line(format!("const {index} m0 = {number} * {rows};"));
    }
}
