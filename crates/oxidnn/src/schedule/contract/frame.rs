//! The assembly of dot products: tiles of sums in registers, from a table of addresses.
//!
//! Compilers of OpenCL C do not use these instructions by themselves, and some take neither vectors as operands of assembly nor
//! names of registers. So it keeps to itself: it saves every register it touches, flags included, and stays clear of the
//! red zone below the stack pointer. As that takes time, a statement computes several tiles.
//!
//! The table is of numbers of 64 bits. A tile is a line for each step of the outer loops, then 0; 1 ends the table. A line has
//! the addresses of the columns and of each row, which rows count, and the bytes of the innermost loop. What
//! follows the saved registers in the frame are the sums of each tile; signed ones start from what is there, see [`Frame::slot`].

use std::ops::Range;

use super::dots::Dot;

/// A tile, and how it is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub dot: Dot,
    pub rows: i64,
    pub vectors: i64,
    /// Whether what adding 128 to rows adds to the sums is found along with them; else it is known before.
    pub inside: bool,
    /// Whether lines can be without the first row.
    pub lacks_first: bool,
    /// How many of the last rows lines can be without.
    pub lacks_last: i64,
}

/// Vectors of the frame that hold what registers held.
pub(super) const SAVED: i64 = 32;
/// Tiles that are computed at once, and where columns are made wider for all of them.
const AT_ONCE: i64 = 4;
pub(super) const PAIRS_AT_ONCE: i64 = 16;
const FIRST_SUM: i64 = 8;

impl Frame {
    /// How many tiles are computed at once.
    pub fn at_once(self) -> i64 {
        if self.dot == Dot::Pairs { PAIRS_AT_ONCE } else { AT_ONCE }
    }

    /// How many sums a tile has, in vectors.
    pub fn sums(self) -> i64 {
        self.rows * self.vectors
    }

    /// How many vectors it has.
    pub fn size(self) -> i64 {
        SAVED + self.at_once() * self.sums()
    }

    /// How many numbers a line of the table has.
    pub fn line(self) -> i64 {
        self.rows + 3
    }

    /// How many numbers a table has for tiles of so many lines.
    pub fn table(self, lines: i64) -> i64 {
        self.at_once() * (lines * self.line() + 1) + 1
    }

    /// The row in whose place the sums of a row are before they are computed: those that lines can be without have a place of their own.
    pub fn slot(self, row: i64) -> i64 {
        let own = (self.lacks_first && row == 0) || row >= self.rows - self.lacks_last;
        if own { row } else { i64::from(self.lacks_first) }
    }

    /// The statement that computes the sums of all tiles of a table. Both are pointers.
    pub fn assembly(self, frame: &str, table: &str) -> String {
        let Frame { dot, rows, vectors, .. } = self;
        let signed = dot == Dot::Signed;
        let sum = |r: i64, v: i64| FIRST_SUM + r * vectors + v;
        let registers = FIRST_SUM + self.sums() + if self.inside { vectors } else { 0 };
        let mut lines = vec!["push %[f]".to_string()];
        if signed {
            lines.push("vpternlogd $0xff, %%zmm6, %%zmm6, %%zmm6".into());
            lines.push("vpabsb %%zmm6, %%zmm6".into());
            lines.push("vpsllw $7, %%zmm6, %%zmm6".into());
        }
        lines.extend(["3: cmpq $1, (%[t])".into(), "je 9f".into()]);
        let start = |r: i64, v: i64| match signed && !self.inside {
            true => format!("vmovups {}(%[f]), %%zmm{}", (SAVED + self.slot(r) * vectors + v) * 64, sum(r, v)),
            false => zero(sum(r, v)),
        };
        lines.extend((0..rows).flat_map(|r| (0..vectors).map(move |v| (r, v))).map(|(r, v)| start(r, v)));
        if self.inside {
            lines.extend((0..vectors).map(|v| zero(sum(rows, v))));
        }
        lines.extend(["2: mov (%[t]), %[b]".into(), "test %[b], %[b]".into(), "jz 8f".into()]);
        lines.extend((0..rows).map(|r| format!("mov {}(%[t]), %[a{r}]", 8 * (r + 1))));
        lines.push(format!("mov {}(%[t]), %[i]", 8 * (rows + 1)));
        lines.push(format!("add ${}, %[t]", 8 * self.line()));
        self.for_each_lack("%[i]", &mut lines, |lines, rows| {
            lines.push("xor %[i], %[i]".into());
            self.inner_loop(lines, rows);
            lines.push("jmp 2b".into());
        });
        lines.push("8: add $8, %[t]".into());
        if self.inside {
            let sums = (0..rows).flat_map(|r| (0..vectors).map(move |v| (r, v)));
            lines.extend(sums.map(|(r, v)| format!("vpsubd %%zmm{}, %%zmm{s}, %%zmm{s}", sum(rows, v), s = sum(r, v))));
        }
        lines.extend((0..self.sums()).map(|z| format!("vmovups %%zmm{}, {}(%[f])", FIRST_SUM + z, (SAVED + z) * 64)));
        lines.extend([format!("add ${}, %[f]", self.sums() * 64), "jmp 3b".into(), "9: pop %[f]".into()]);
        let addresses: String = (0..rows).map(|r| format!(", [a{r}] \"=&r\"(a{r}_)")).collect();
        let outputs = format!("[t] \"+r\"({table}), [b] \"=&r\"(b_), [i] \"=&r\"(i_){addresses}");
        statement(lines, "zmm", registers, &outputs, &format!("[f] \"r\"({frame})"))
    }

    /// Lines for all rows, and for those without some of them; a register tells which, and none goes on to the next.
    pub(super) fn for_each_lack(
        self,
        register: &str,
        lines: &mut Vec<String>,
        mut each: impl FnMut(&mut Vec<String>, Range<i64>),
    ) {
        let lacking: Vec<i64> = (0..=self.lacks_last)
            .flat_map(|last| (0..=i64::from(self.lacks_first)).map(move |first| first + 2 * last))
            .collect();
        for lacks in &lacking[1..] {
            lines.extend([format!("cmp ${lacks}, {register}"), format!("je {}f", 10 + lacks)]);
        }
        for lacks in lacking {
            lines.push(format!("{}:", 10 + lacks));
            each(lines, lacks % 2..self.rows - lacks / 2);
        }
    }

    /// The innermost loop, for some of the rows.
    fn inner_loop(self, lines: &mut Vec<String>, rows: Range<i64>) {
        let Frame { dot, vectors, .. } = self;
        let (signed, instruction) = (dot == Dot::Signed, dot.instruction());
        let sum = |r: i64, v: i64| FIRST_SUM + r * vectors + v;
        lines.push("1: prefetcht0 1024(%[b])".into());
        lines.extend((0..vectors).map(|v| format!("vmovups {}(%[b]), %%zmm{v}", 64 * v)));
        for r in rows {
            let row = 4 + r % 2;
            lines.push(format!("vpbroadcastd (%[a{r}],%[i]), %%zmm{row}"));
            if signed {
                lines.push(format!("vpxord %%zmm6, %%zmm{row}, %%zmm{row}"));
            }
            lines.extend((0..vectors).map(|v| format!("{instruction} %%zmm{v}, %%zmm{row}, %%zmm{}", sum(r, v))));
        }
        if self.inside {
            lines.extend((0..vectors).map(|v| format!("{instruction} %%zmm{v}, %%zmm6, %%zmm{}", sum(self.rows, v))));
        }
        lines.push(format!("add ${}, %[b]", 64 * vectors));
        lines.push("add $4, %[i]".into());
        lines.push("cmp -8(%[t]), %[i]".into());
        lines.push("jl 1b".into());
    }

    /// The statement that finds what adding 128 to a row adds to its sums in a line: from the columns at `b_`, for the `i_` bytes of the
    /// innermost loop, to `s_`.
    pub fn shift(self, frame: &str) -> String {
        let vectors = self.vectors;
        let mut lines: Vec<String> = (0..vectors).map(zero).collect();
        lines.push("vpternlogd $0xff, %%zmm4, %%zmm4, %%zmm4".into());
        lines.push("vpabsb %%zmm4, %%zmm4".into());
        lines.push("vpsllw $7, %%zmm4, %%zmm4".into());
        lines.push("1: prefetcht0 1024(%[b])".into());
        lines.extend((0..vectors).map(|v| format!("vpdpbusd {}(%[b]), %%zmm4, %%zmm{v}", 64 * v)));
        lines.extend([format!("add ${}, %[b]", 64 * vectors), "sub $4, %[i]".into(), "jg 1b".into()]);
        lines.extend((0..vectors).map(|v| format!("vmovups %%zmm{v}, {}(%[s])", 64 * v)));
        let inputs = format!("[f] \"r\"({frame}), [s] \"r\"(s_)");
        statement(lines, "zmm", 5, "[b] \"+r\"(b_), [i] \"+r\"(i_)", &inputs)
    }
}

fn zero(register: i64) -> String {
    format!("vpxord %%zmm{register}, %%zmm{register}, %%zmm{register}")
}

/// A statement that leaves all registers as they were, the first so many vectors of a kind among them.
pub(super) fn statement(lines: Vec<String>, kind: &str, registers: i64, outputs: &str, inputs: &str) -> String {
    let bytes = if kind == "zmm" { 64 } else { 32 };
    let start = ["lea -128(%%rsp), %%rsp".to_string(), "pushfq".into()];
    let saved = (0..registers).map(|z| format!("vmovups %%{kind}{z}, {}(%[f])", z * bytes));
    let restored = (0..registers).map(|z| format!("vmovups {}(%[f]), %%{kind}{z}", z * bytes));
    let end = ["popfq".to_string(), "lea 128(%%rsp), %%rsp".into()];
    let all: Vec<String> = start.into_iter().chain(saved).chain(lines).chain(restored).chain(end).collect();
    assembly(&all, outputs, inputs)
}

/// A statement of assembly that the compiler moves nothing across.
pub(super) fn assembly(lines: &[String], outputs: &str, inputs: &str) -> String {
    let text: String = lines.iter().map(|line| format!("\"{line}\\n\" ")).collect();
    format!("__asm__ __volatile__({text}: {outputs} : {inputs} : \"memory\");")
}
