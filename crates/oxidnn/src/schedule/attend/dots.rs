//! Products of bf16 in pairs, for [`tile`](super::tile): the loops over channels, and over the keys of a block, are the
//! assembly that contractions have. Powers are rounded to bf16 for it.
//!
//! A pair is copied to a panel as one number of 32 bits.

use std::collections::HashMap;

use super::tile::Kernel;
use super::{PANELS, VECTORS, guarded};
use crate::codegen::opencl::Emitter;
use crate::desc::DataType;
use crate::program::*;
use crate::schedule::ceil;

/// An axis over the pairs of a load's elements along another axis, filled up to a multiple, and the pairs' bits; what is not there is
/// zero.
pub(super) fn pairs(program: &mut Program, load: E, axis: AxisId, multiple: i64) -> Option<(AxisId, E, DataType)> {
    let count = program.extent(axis)?;
    let all = ceil(count, 2 * multiple) * multiple;
    let extent = program.param(all);
    let pair_axis = program.add_axis("pair", extent);
    let (at, one, two) = (program.at(pair_axis), program.index(1), program.index(2));
    if let Some(mut pair) = side_by_side(program, load, axis, at).filter(|_| count % 2 == 0) {
        if count < 2 * all {
            let limit = program.param(count / 2);
            let inside = program.lt(at, limit);
            pair = guarded(program, pair, pair_axis, inside, &[]);
        }
        return Some((pair_axis, pair, DataType::S32));
    }
    let first = program.mul(at, two);
    let limit = program.axis(axis).extent;
    let half = |program: &mut Program, position: E, last: i64| {
        let number = program.substitute(load, &HashMap::from([(axis, position)]));
        if last < count {
            return program.unary(UnaryOp::ToBits, number);
        }
        let inside = program.lt(position, limit);
        let number = guarded(program, number, pair_axis, inside, &[]);
        program.unary(UnaryOp::ToBits, number)
    };
    let low = half(program, first, 2 * all - 2);
    let second = program.add(first, one);
    let high = half(program, second, 2 * all - 1);
    let bits = program.constant(Ty::S32, 16.0);
    let low = program.binary(BinaryOp::Shr, low, bits);
    Some((pair_axis, program.binary(BinaryOp::Or, low, high), DataType::S32))
}

/// Pairs as they lie in memory, where they start on whole pairs.
fn side_by_side(program: &mut Program, load: E, axis: AxisId, pair: E) -> Option<E> {
    let Node::Load { tensor, offset, guard: None, .. } = *program.node(load) else { return None };
    let (step, rest) = program.linear(offset, axis)?;
    let known = program.evaluate(rest, &|_| Some(0)).is_some();
    if *program.node(step) != Node::Index(1) || !known || !program.is_even(rest, axis) {
        return None;
    }
    let Tensor { name, binding, elements, .. } = program.tensor(tensor).clone();
    let wide = program.add_tensor(name, DataType::S32, binding);
    program.tensors[wide.index()].elements = elements.map(|elements| elements / 2);
    let two = program.index(2);
    let start = program.div(rest, two);
    let offset = program.add(start, pair);
    Some(program.load(wide, offset, Ty::S32))
}

impl Kernel {
    /// What a block of keys adds: products of all tiles, powers, and products with values. The assembly has a line of its table
    /// for each panel of a tile.
    pub(super) fn block_of_pairs(&self, emitter: &mut Emitter<'_>, keys: E) {
        let Kernel { lanes, width, rows, tiles, depth, .. } = self;
        let (vectors, of_row) = (PANELS * VECTORS, self.row_vectors());
        let lines = Lines { rows: *rows, vectors: VECTORS };
        emitter.line(format!("float{lanes} frame[{}], products[{}];", lines.frame(), tiles * rows * vectors));
        emitter.line(format!("ushort{lanes} weights[{}];", tiles * rows * vectors));
        emitter.line(format!("ulong table[{}];", tiles * PANELS * lines.columns()));
        emitter.line("ulong *entry = table;");
        let registers: Vec<String> = (0..*rows).map(|r| format!("a{r}_")).collect();
        emitter.line(format!("ulong b_, i_, o_, {};", registers.join(", ")));
        emitter.line(format!("ulong *const numbers = (ulong *)(frame + {});", lines.numbers()));

        self.open_tiles(emitter);
        emitter.open(format!("for (int b = 0; b * {width} < keys; ++b)"));
        emitter.bind(self.panel, format!("(start / {width} + b)"));
        emitter.bind(self.a.reduced, "0");
        let address = self.panel_address(emitter, keys);
        let target = format!("products + t * {} + b * {VECTORS}", rows * vectors);
        lines.fill(emitter, &address, &target, |r| format!("queries + (t * {rows} + {r}) * {depth}"));
        (0..2).for_each(|_| emitter.close());
        emitter.line("seen = entry != table;");
        emitter.line("if (!seen) break;");
        let channels = emitter.scalar(self.program.axis(self.a.reduced).extent);
        lines.run(emitter, &format!("{channels} * 2"), vectors, Start::Zero);

        self.open_tiles(emitter);
        emitter.line(format!("float{lanes} *const scores = products + t * {};", rows * vectors));
        self.powers(emitter);
        emitter.close();

        for (p, values) in self.values.iter().enumerate() {
            emitter.line("entry = table;");
            self.open_tiles(emitter);
            emitter.bind(self.a.keys, "start");
            let address = self.panel_address(emitter, values[0]);
            let target = format!("sums + t * {} + {}", rows * of_row, p as i64 * VECTORS);
            lines.fill(emitter, &address, &target, |r| format!("weights + (t * {rows} + {r}) * {vectors}"));
            emitter.close();
            lines.run(emitter, "(keys + 1) / 2 * 4", of_row, Start::Sums);
        }
    }

    /// The address of a panel's first row.
    pub(super) fn panel_address(&self, emitter: &mut Emitter<'_>, panel: E) -> String {
        emitter.set_lanes(Some((self.lane, self.lanes as usize)));
        emitter.bind(self.lane, "0");
        let address = emitter.address(panel);
        emitter.set_lanes(None);
        address
    }

    /// Keeps a vector of a row's powers.
    pub(super) fn keep_weight(&self, emitter: &mut Emitter<'_>, row: &str, v: i64) {
        let Kernel { lanes, block, .. } = self;
        let rounded = format!("(as_uint{lanes}(score{v}) + 0x8000) >> 16");
        emitter.line(format!("weights[{row} * {} + {v}] = convert_ushort{lanes}({rounded});", block / lanes));
    }
}

/// What the sums of a line start with.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    Zero,
    /// What is where they go.
    Sums,
}

/// Assembly that multiplies rows by panels, a pair for each line of a table: the address of the panel, of the sums, and of
/// each row. It keeps to itself as that of contractions does.
#[derive(Clone, Copy)]
struct Lines {
    rows: i64,
    vectors: i64,
}

/// Registers that are saved: all that there are.
const SAVED: i64 = 32;
const FIRST_SUM: i64 = 8;

impl Lines {
    /// Entries of a line.
    fn columns(self) -> i64 {
        self.rows + 2
    }

    /// Where in the frame its numbers lie: bytes of a row, the end of the table.
    fn numbers(self) -> i64 {
        SAVED
    }

    /// Vectors of the frame.
    fn frame(self) -> i64 {
        SAVED + 1
    }

    /// Adds a line to the table.
    fn fill(self, emitter: &mut Emitter<'_>, panel: &str, target: &str, row: impl Fn(i64) -> String) {
        emitter.line(format!("entry[0] = (ulong)({panel});"));
        emitter.line(format!("entry[1] = (ulong)({target});"));
        for r in 0..self.rows {
            emitter.line(format!("entry[{}] = (ulong)({});", r + 2, row(r)));
        }
        emitter.line(format!("entry += {};", self.columns()));
    }

    /// Goes through the table. Rows of sums are `stride` vectors apart.
    fn run(self, emitter: &mut Emitter<'_>, bytes: &str, stride: i64, start: Start) {
        let Lines { rows, vectors } = self;
        emitter.line(format!("numbers[0] = (ulong)({bytes});"));
        emitter.line("numbers[1] = (ulong)entry;");
        emitter.line("entry = table;");
        let numbers = self.numbers() * 64;
        let sum = |r: i64, v: i64| FIRST_SUM + r * vectors + v;
        let each: Vec<(i64, i64)> = (0..rows).flat_map(|r| (0..vectors).map(move |v| (r, v))).collect();
        let place = |(r, v): (i64, i64)| format!("{}(%[o])", (r * stride + v) * 64);
        let registers = FIRST_SUM + rows * vectors;
        let mut lines = vec!["lea -128(%%rsp), %%rsp".to_string(), "pushfq".into()];
        lines.extend((0..registers).map(|z| format!("vmovups %%zmm{z}, {}(%[f])", z * 64)));
        lines.push("2: mov (%[t]), %[b]".into());
        lines.push("mov 8(%[t]), %[o]".into());
        lines.extend((0..rows).map(|r| format!("mov {}(%[t]), %[a{r}]", 8 * (r + 2))));
        lines.push(format!("add ${}, %[t]", 8 * self.columns()));
        lines.extend(each.iter().map(|&(r, v)| match start {
            Start::Zero => format!("vpxord %%zmm{0}, %%zmm{0}, %%zmm{0}", sum(r, v)),
            Start::Sums => format!("vmovups {}, %%zmm{}", place((r, v)), sum(r, v)),
        }));
        lines.push("xor %[i], %[i]".into());
        lines.push("1: prefetcht0 1024(%[b])".into());
        lines.extend((0..vectors).map(|v| format!("vmovups {}(%[b]), %%zmm{v}", 64 * v)));
        for r in 0..rows {
            let row = 4 + r % 4;
            lines.push(format!("vpbroadcastd (%[a{r}],%[i]), %%zmm{row}"));
            lines.extend((0..vectors).map(|v| format!("vdpbf16ps %%zmm{v}, %%zmm{row}, %%zmm{}", sum(r, v))));
        }
        lines.push(format!("add ${}, %[b]", 64 * vectors));
        lines.push("add $4, %[i]".into());
        lines.push(format!("cmp {numbers}(%[f]), %[i]"));
        lines.push("jl 1b".into());
        lines.extend(each.iter().map(|&(r, v)| format!("vmovups %%zmm{}, {}", sum(r, v), place((r, v)))));
        lines.push(format!("cmp {}(%[f]), %[t]", numbers + 8));
        lines.push("jb 2b".into());
        lines.extend((0..registers).map(|z| format!("vmovups {}(%[f]), %%zmm{z}", z * 64)));
        lines.extend(["popfq".into(), "lea 128(%%rsp), %%rsp".into()]);
        let text: String = lines.iter().map(|line| format!("\"{line}\\n\" ")).collect();
        let rows: String = (0..rows).map(|r| format!(", [a{r}] \"=&r\"(a{r}_)")).collect();
        emitter.line(format!(
            "__asm__ __volatile__({text}: [t] \"+r\"(entry), [b] \"=&r\"(b_), [i] \"=&r\"(i_), [o] \"=&r\"(o_){rows} : \
             [f] \"r\"(frame) : \"memory\");"
        ));
    }
}
