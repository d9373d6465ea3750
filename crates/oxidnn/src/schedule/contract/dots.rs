//! Products of short numbers, several at a time: instructions that multiply groups of neighbours along the reduction and
//! add them to one sum.
//!
//! Compilers of OpenCL C do not use these instructions by themselves, and some take no vectors as operands of assembly. So
//! the two innermost loops are assembly that keeps to itself: it saves every register it touches, flags included, and
//! stays clear of the red zone below the stack pointer. It walks a table of addresses, a line for each step of the outer
//! loops of the reduction; rows that do not count there point to zeros.

use super::Contraction;
use super::kernel::Kernel;
use crate::codegen::opencl::Emitter;
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::DeviceProfile;

/// What is multiplied in groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schedule) enum Dot {
    /// Unsigned bytes of rows by signed bytes of columns.
    Unsigned,
    /// Signed bytes of both; rows are made unsigned by adding 128, and what that adds to the sums is taken away again.
    Signed,
    /// Pairs of bf16.
    Bf16,
}

/// Lines that a table may have.
const MOST_LINES: i64 = 64;
/// Bytes of zeros for rows that do not count.
pub(super) const ZEROS: i64 = 4096;

impl Dot {
    /// How a contraction of these factors can be multiplied in groups, were there an instruction for it.
    pub fn of(program: &Program, c: &Contraction) -> Option<Dot> {
        let load = |factor: E| match *program.node(factor) {
            Node::Load { tensor, offset, .. } => Some((program.tensor(tensor).data_type, offset)),
            _ => None,
        };
        let ((rows, offset), (columns, _)) = (load(c.broadcast)?, load(c.vector)?);
        if c.more.iter().any(|(_, vector)| load(*vector).map(|(of, _)| of) != Some(columns)) {
            return None;
        }
        let dot = match (rows, columns, program.ty(c.sum)) {
            (DataType::U8, DataType::S8, Ty::S32) => Dot::Unsigned,
            (DataType::S8, DataType::S8, Ty::S32) => Dot::Signed,
            (DataType::Bf16, DataType::Bf16, Ty::F32) => Dot::Bf16,
            _ => return None,
        };
        let (&innermost, outer) = c.reduced.split_last()?;
        let extent = program.extent(innermost)?;
        let lines = program.points(outer)?;
        let conditions = super::presence::conditions(program, c.broadcast);
        let decided = conditions.iter().any(|&condition| program.depends_on(condition, innermost));
        let fits = conditions.is_empty() || extent * dot.bytes() <= ZEROS;
        let unguarded = c.vectors().all(|vector| super::presence::conditions(program, vector).is_empty());
        let usable = extent % dot.group() == 0
            && program.constant_step(offset, innermost) == Some(1)
            && lines <= MOST_LINES
            && !decided
            && fits
            && unguarded
            && !c.is_lanewise(program);
        usable.then_some(dot)
    }

    /// Whether a device has an instruction that multiplies vectors of groups.
    pub fn has_vectors(self, profile: &DeviceProfile) -> bool {
        if self == Dot::Bf16 { profile.dot_bf16 } else { profile.dot_int8 }
    }

    /// Whether it has one that multiplies tiles of them.
    pub fn has_tiles(self, profile: &DeviceProfile) -> bool {
        if self == Dot::Bf16 { profile.amx_bf16 } else { profile.amx_int8 }
    }

    /// How many neighbours an instruction takes; together they are four bytes.
    pub fn group(self) -> i64 {
        4 / self.bytes()
    }

    pub(super) fn bytes(self) -> i64 {
        if self == Dot::Bf16 { 2 } else { 1 }
    }

    /// Rows of a tile, at most: each needs a register for its address.
    pub fn most_rows(self) -> i64 {
        if self == Dot::Signed { 5 } else { 6 }
    }

    /// Vectors of a tile, at most.
    pub fn most_vectors(self) -> i64 {
        4
    }

    fn instruction(self) -> &'static str {
        if self == Dot::Bf16 { "vdpbf16ps" } else { "vpdpbusd" }
    }
}

/// Where things lie in the frame that the assembly works on, in vectors: saved registers, sums, corrections, numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub dot: Dot,
    pub rows: i64,
    pub vectors: i64,
}

const SAVED: i64 = 32;
const FIRST_SUM: i64 = 8;

impl Frame {
    /// Where the sums start.
    pub fn sums(self) -> i64 {
        SAVED
    }

    /// Where the corrections start, one for each vector of columns.
    pub fn corrections(self) -> i64 {
        SAVED + self.rows * self.vectors
    }

    /// Where the numbers lie: bytes of the innermost loop, the table's end, 128 four times.
    pub fn numbers(self) -> i64 {
        self.corrections() + self.vectors
    }

    /// How many vectors it has.
    pub fn size(self) -> i64 {
        self.numbers() + 1
    }

    /// The statement that computes the sums. `frame` and `table` are pointers; the table is walked to its end.
    pub fn assembly(self, frame: &str, table: &str) -> String {
        let Frame { dot, rows, vectors } = self;
        let signed = dot == Dot::Signed;
        let instruction = dot.instruction();
        let numbers = self.numbers() * 64;
        let sum = |r: i64, v: i64| FIRST_SUM + r * vectors + v;
        let correction = |v: i64| FIRST_SUM + rows * vectors + v;
        let sums = if signed { (rows + 1) * vectors } else { rows * vectors };
        let mut lines = vec!["lea -128(%%rsp), %%rsp".to_string(), "pushfq".into()];
        let registers = FIRST_SUM + sums;
        lines.extend((0..registers).map(|z| format!("vmovups %%zmm{z}, {}(%[f])", z * 64)));
        lines.extend((FIRST_SUM..registers).map(|z| format!("vpxord %%zmm{z}, %%zmm{z}, %%zmm{z}")));
        if signed {
            lines.push(format!("vpbroadcastd {}(%[f]), %%zmm6", numbers + 16));
        }
        lines.push("2: mov (%[t]), %[b]".into());
        lines.extend((0..rows).map(|r| format!("mov {}(%[t]), %[a{r}]", 8 * (r + 1))));
        lines.push(format!("add ${}, %[t]", 8 * (rows + 1)));
        lines.push("xor %[i], %[i]".into());
        lines.push("1: prefetcht0 1024(%[b])".into());
        lines.extend((0..vectors).map(|v| format!("vmovups {}(%[b]), %%zmm{v}", 64 * v)));
        for r in 0..rows {
            let row = 4 + r % 2;
            lines.push(format!("vpbroadcastd (%[a{r}],%[i]), %%zmm{row}"));
            if signed {
                lines.push(format!("vpxord %%zmm6, %%zmm{row}, %%zmm{row}"));
            }
            lines.extend((0..vectors).map(|v| format!("{instruction} %%zmm{v}, %%zmm{row}, %%zmm{}", sum(r, v))));
        }
        if signed {
            lines.extend((0..vectors).map(|v| format!("{instruction} %%zmm{v}, %%zmm6, %%zmm{}", correction(v))));
        }
        lines.push(format!("add ${}, %[b]", 64 * vectors));
        lines.push("add $4, %[i]".into());
        lines.push(format!("cmp {numbers}(%[f]), %[i]"));
        lines.push("jl 1b".into());
        lines.push(format!("cmp {}(%[f]), %[t]", numbers + 8));
        lines.push("jb 2b".into());
        // Sums and corrections follow each other in registers as in the frame.
        lines.extend((0..sums).map(|z| format!("vmovups %%zmm{}, {}(%[f])", FIRST_SUM + z, (SAVED + z) * 64)));
        lines.extend((0..registers).map(|z| format!("vmovups {}(%[f]), %%zmm{z}", z * 64)));
        lines.extend(["popfq".into(), "lea 128(%%rsp), %%rsp".into()]);
        let text: String = lines.iter().map(|line| format!("\"{line}\\n\" ")).collect();
        let rows: String = (0..rows).map(|r| format!(", [a{r}] \"=&r\"(a{r}_)")).collect();
        format!(
            "__asm__ __volatile__({text}: [t] \"+r\"({table}), [b] \"=&r\"(b_), [i] \"=&r\"(i_){rows} : [f] \"r\"({frame}) : \
             \"memory\");"
        )
    }
}

/// Whether the vector factors lie in panels whose rows are groups, those of one sum after those of another.
pub(super) fn is_grouped(program: &Program, c: &Contraction, dot: Dot, width: i64) -> bool {
    let Some(&innermost) = c.reduced.last() else { return false };
    let at = |vector: E, step: i64, column: i64| {
        let Node::Load { offset, .. } = *program.node(vector) else { return None };
        program.evaluate(offset, &|axis| {
            Some(if axis == innermost {
                step
            } else if axis == c.columns {
                column
            } else {
                0
            })
        })
    };
    let group = dot.group();
    let extent = program.extent(innermost).unwrap_or(0);
    let row = width * c.sums();
    let expected = |step: i64, column: i64| step / group * group * row + column * group + step % group;
    let last = width - 1;
    let first = at(c.vector, 0, 0);
    c.vectors().zip(0..).all(|(vector, number)| {
        let steps = [(0, 0), (1, 0), (group - 1, 1), (group, last), (group, 0)];
        steps.into_iter().filter(|&(step, _)| step < extent).all(|(step, column)| {
            let there = at(vector, step, column).zip(first);
            there.is_some_and(|(there, here)| there - here == expected(step, number * width + column))
        })
    })
}

impl Kernel {
    /// Fills the array `tile` by products of groups.
    pub(super) fn accumulate_groups(&self, emitter: &mut Emitter<'_>, frame: Frame) {
        let Kernel { program, c, tile, .. } = self;
        let vector_type = emitter.type_name(program.ty(c.sum), true);
        let (outer, inner) = self.loops.split_at(self.loops.len() - 1);
        let lines = program.points(outer.iter().map(|level| &level.axis)).unwrap_or(0);
        self.bind_clamped_rows(emitter);
        emitter.line(format!("ulong table[{}];", lines * (tile.rows + 1)));
        // Volatile, so that compilers leave the loop alone: Intel's, of 2026.2, makes wrong vectors of it.
        emitter.line("volatile int filled = 0;");
        for (depth, level) in outer.iter().enumerate() {
            self.open_loop(emitter, level, &format!("o{depth}_"));
        }
        let innermost = inner[0].axis;
        emitter.bind(innermost, "0");
        let present: Vec<Option<String>> =
            self.rows.iter().map(|row| row.present.map(|present| emitter.scalar(present))).collect();
        // Where no row counts there is nothing to add.
        let any: Vec<&str> = present.iter().flatten().map(String::as_str).collect();
        let asks = any.len() == self.rows.len();
        if asks {
            emitter.open(format!("if ({})", any.join(" || ")));
        }
        let columns = emitter.address(self.vectors[0]);
        emitter.line(format!("table[filled] = (ulong)({columns});"));
        for (r, (row, present)) in self.rows.iter().zip(&present).enumerate() {
            self.bind_bases(emitter, r);
            let address = emitter.address(row.factors[0]);
            let address = match present {
                Some(present) => {
                    let zeros = emitter.zeros();
                    format!("{present} ? (ulong)({address}) : (ulong)({zeros})")
                }
                None => format!("(ulong)({address})"),
            };
            emitter.line(format!("table[filled + {}] = {address};", r + 1));
        }
        emitter.line(format!("filled += {};", tile.rows + 1));
        if asks {
            emitter.close();
        }
        outer.iter().for_each(|_| emitter.close());
        let extent = emitter.scalar(program.axis(innermost).extent);
        emitter.line(format!("{vector_type} frame[{}];", frame.size()));
        emitter.line(format!("{vector_type} *tile = frame + {};", frame.sums()));
        emitter.line(format!("ulong *numbers = (ulong *)(frame + {});", frame.numbers()));
        emitter.line(format!("numbers[0] = (ulong){extent} * {};", 4 / frame.dot.group()));
        emitter.line("numbers[1] = (ulong)(table + filled);");
        emitter.line("numbers[2] = 0x8080808080808080UL;");
        emitter.line(format!(
            "ulong b_, i_, {};",
            (0..tile.rows).map(|r| format!("a{r}_")).collect::<Vec<_>>().join(", ")
        ));
        emitter.line("ulong *entry = table;");
        emitter.open(format!("if (filled > 0 && {extent} > 0)"));
        emitter.line(frame.assembly("frame", "entry"));
        emitter.close();
        emitter.open("else");
        emitter.line(format!("for (int i = 0; i < {}; ++i) tile[i] = 0;", (tile.rows + 1) * tile.vectors));
        emitter.close();
        if frame.dot == Dot::Signed {
            let sums = tile.rows * tile.vectors;
            emitter.line(format!(
                "for (int i = 0; i < {sums}; ++i) tile[i] -= frame[{} + i % {}];",
                frame.corrections(),
                tile.vectors
            ));
        }
    }
}
