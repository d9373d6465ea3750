//! The assembly of dot products: tiles of sums in registers, from a table of addresses.
//!
//! Compilers of OpenCL C do not use these instructions by themselves, and some take neither vectors as operands of assembly nor
//! names of registers. So it keeps to itself: it saves every register it touches, flags included, and stays clear of the
//! red zone below the stack pointer. As that takes time, a statement computes several tiles.
//!
//! The table is of numbers of 64 bits. A tile is a line for each step of the outer loops, then 0; 1 ends the table. A line has
//! the addresses of the columns and of each row, which rows count, and the bytes of the innermost loop. Steps in which every row counts
//! and goes as far can share a line: it has how many there are, and the way from one to the next. Behind the 0 come the addresses that
//! rows of sums are stored to where nothing else is done with them, see [`Frame::stores`]. What
//! follows the saved registers in the frame are the sums of each tile; signed ones start from what is there, see [`Frame::slot`].

use std::ops::Range;

use super::dots::Dot;
use crate::desc::DataType;
use crate::runtime::DeviceProfile;

/// A tile, and how it is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub dot: Dot,
    pub form: Form,
    /// How registers are saved: all of them, where they are longer than vectors.
    pub saved: Form,
    pub rows: i64,
    pub vectors: i64,
    /// Whether what adding 128 to rows adds to the sums is found along with them; else it is known before.
    pub inside: bool,
    /// Whether lines can be without the first row.
    pub lacks_first: bool,
    /// How many of the last rows lines can be without.
    pub lacks_last: i64,
    /// How many tiles are computed at once.
    pub at_once: i64,
    /// Whether rows of the next tile are asked for meanwhile.
    pub asks: bool,
    /// Bytes of the last group that count where rows end inside of it, else none.
    pub tail: i64,
    /// Whether sums are rounded to bf16 before they go to the frame, where each takes half of its place.
    pub rounds: bool,
    /// The type that sums have where they are stored right away rather than in the frame.
    pub stores: Option<DataType>,
    /// Whether steps of the innermost loop take turns with two sets of sums: with one, each would wait for the one before.
    pub in_turns: bool,
}

/// How instructions on vectors are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schedule) enum Form {
    /// AVX-512's, of 64 bytes.
    Zmm,
    /// Of 32 bytes, in the first 16 registers.
    Ymm,
    /// The same, with AVX-VNNI's dot products; assemblers take their name for AVX-512's.
    Vex,
}

impl Form {
    /// How a device computes.
    pub fn of(profile: &DeviceProfile) -> Form {
        match profile.vector_bytes {
            64 => Form::Zmm,
            _ if profile.dot_vex => Form::Vex,
            _ => Form::Ymm,
        }
    }

    /// How registers are saved there: all of them, where they are longer than vectors.
    pub fn saved(profile: &DeviceProfile) -> Form {
        if profile.long_registers { Form::Zmm } else { Form::of(profile) }
    }

    pub fn name(self) -> &'static str {
        if self == Form::Zmm { "zmm" } else { "ymm" }
    }

    pub fn bytes(self) -> i64 {
        if self == Form::Zmm { 64 } else { 32 }
    }

    /// How many registers there are, and vectors of columns that a tile usually has at the most.
    fn registers(self) -> i64 {
        if self == Form::Zmm { 32 } else { 16 }
    }

    fn usual_vectors(self) -> i64 {
        if self == Form::Zmm { 4 } else { 2 }
    }

    /// An instruction on registers.
    pub fn on(self, instruction: &str, registers: [i64; 3]) -> String {
        let [a, b, c] = registers.map(|register| format!("%%{}{register}", self.name()));
        format!("{instruction} {a}, {b}, {c}")
    }

    pub fn xor(self, registers: [i64; 3]) -> String {
        self.on(if self == Form::Zmm { "vpxord" } else { "vpxor" }, registers)
    }

    pub fn zero(self, register: i64) -> String {
        self.xor([register; 3])
    }

    /// Fills a register with bytes of 128.
    pub fn fill_with_128(self, register: i64) -> [String; 3] {
        let name = format!("%%{}{register}", self.name());
        let ones = match self {
            Form::Zmm => self.on("vpternlogd $0xff,", [register; 3]),
            Form::Ymm | Form::Vex => self.on("vpcmpeqd", [register; 3]),
        };
        [ones, format!("vpabsb {name}, {name}"), format!("vpsllw $7, {name}, {name}")]
    }

    /// Adds the products of groups of columns and of a row to sums.
    pub fn dot(self, dot: Dot, [columns, row, sum]: [i64; 3]) -> String {
        if self != Form::Vex {
            return self.on(dot.instruction(), [columns, row, sum]);
        }
        // VEX.256.66.0F38.W0 50 /r, with the high bits of the first two operands and all of the third upside down.
        let high = (i64::from(sum < 8) << 7) | (1 << 6) | (i64::from(columns < 8) << 5);
        let bytes = [0xc4, high | 2, ((!row & 15) << 3) | 5, 0x50, 0xc0 | ((sum & 7) << 3) | (columns & 7)];
        format!(".byte {}", bytes.map(|byte| format!("{byte:#04x}")).join(", "))
    }
}

/// Vectors of the frame that hold what registers held.
pub(super) const SAVED: i64 = 32;
/// Numbers of a line behind the addresses: which rows count, how many steps share it, the way of the rows and the rest of the way of the
/// columns from one of them to the next, the way to the rows of the next tile, and the bytes of the innermost loop, whole groups of them.
const LINE_ENDS: [&str; 6] = ["lacks", "count", "row_step", "column_step", "to_next", "bytes"];

impl Frame {
    /// How many sums a tile has, in vectors.
    pub fn sums(self) -> i64 {
        self.rows * self.vectors
    }

    /// How many registers are left for sums beside so many vectors of columns.
    pub fn registers_for_sums(form: Form, vectors: i64) -> i64 {
        form.registers() - Frame::first_sum(form, vectors)
    }

    /// The registers of a row, in turns, of a constant, and of the first sum; columns come before them.
    fn row(self, r: i64) -> i64 {
        let first = self.vectors.max(self.form.usual_vectors());
        if self.form == Form::Zmm { first + r % 2 } else { first }
    }

    fn constant(self) -> i64 {
        self.row(1) + 1
    }

    fn first_sum(form: Form, vectors: i64) -> i64 {
        match form {
            Form::Zmm => (vectors + 3).max(8),
            Form::Ymm | Form::Vex => vectors.max(form.usual_vectors()) + 2,
        }
    }

    /// The register of a sum, one of a set; that of the row behind the last has what adding 128 to rows adds.
    fn sum(self, set: i64, r: i64, v: i64) -> i64 {
        let all = self.sums() + if self.inside { self.vectors } else { 0 };
        Frame::first_sum(self.form, self.vectors) + set * all + r * self.vectors + v
    }

    /// How many sets of sums there are.
    fn sets(self) -> i64 {
        1 + i64::from(self.in_turns)
    }

    /// How many vectors it has.
    pub fn size(self) -> i64 {
        // Rows that are not there are stored, too.
        SAVED + if self.keeps_sums() { self.at_once * self.sums() } else { self.vectors }
    }

    /// Whether sums have places in the frame: signed ones start from there even where they end elsewhere.
    pub fn keeps_sums(self) -> bool {
        self.stores.is_none() || self.dot == Dot::Signed
    }

    /// How many numbers a line of the table has.
    pub fn line(self) -> i64 {
        self.rows + 1 + LINE_ENDS.len() as i64
    }

    /// The names of a line's numbers behind the addresses, and where they are.
    pub fn line_ends(self) -> impl Iterator<Item = (i64, &'static str)> {
        (self.rows + 1..).zip(LINE_ENDS)
    }

    /// Where one of them is, seen from the next line.
    fn line_end(self, name: &str) -> String {
        let back = LINE_ENDS.iter().rev().take_while(|&&end| end != name).count() + 1;
        format!("-{}(%[t])", 8 * back)
    }

    /// How many numbers a table has for tiles of so many lines.
    pub fn table(self, lines: i64) -> i64 {
        self.at_once * (lines * self.line() + 1 + self.rows) + 1
    }

    /// The row in whose place the sums of a row are before they are computed: those that lines can be without have a place of their own.
    pub fn slot(self, row: i64) -> i64 {
        let own = (self.lacks_first && row == 0) || row >= self.rows - self.lacks_last;
        if own { row } else { i64::from(self.lacks_first) }
    }

    /// The statement that computes the sums of all tiles of a table. Both are pointers.
    pub fn assembly(self, frame: &str, table: &str) -> String {
        let Frame { dot, form, rows, vectors, .. } = self;
        let (signed, name) = (dot == Dot::Signed, form.name());
        let sum = |r: i64, v: i64| self.sum(0, r, v);
        let registers = self.sum(self.sets(), 0, 0);
        let place = |z: i64| format!("{}(%[f])", (SAVED + z) * form.bytes());
        let mut lines = vec!["push %[f]".to_string()];
        if signed {
            lines.extend(form.fill_with_128(self.constant()));
        }
        lines.extend(["3: cmpq $1, (%[t])".into(), "je 9f".into()]);
        let start = |r: i64, v: i64| match signed && !self.inside {
            true => format!("vmovups {}, %%{name}{}", place(self.slot(r) * vectors + v), sum(r, v)),
            false => form.zero(sum(r, v)),
        };
        lines.extend((0..rows).flat_map(|r| (0..vectors).map(move |v| (r, v))).map(|(r, v)| start(r, v)));
        if self.inside {
            lines.extend((0..vectors).map(|v| form.zero(sum(rows, v))));
        }
        lines.extend((self.sum(1, 0, 0)..registers).map(|register| form.zero(register)));
        lines.extend(["2: mov (%[t]), %[b]".into(), "test %[b], %[b]".into(), "jz 8f".into()]);
        lines.extend((0..rows).map(|r| format!("mov {}(%[t]), %[a{r}]", 8 * (r + 1))));
        lines.push(format!("mov {}(%[t]), %[i]", 8 * (rows + 1)));
        lines.push(format!("add ${}, %[t]", 8 * self.line()));
        self.for_each_lack("%[i]", &mut lines, |lines, rows| {
            lines.push("4: xor %[i], %[i]".into());
            lines.extend(self.asks.then(|| format!("mov {}, %[d]", self.line_end("to_next"))));
            self.inner_loop(lines, rows.clone());
            lines.extend([format!("decq {}", self.line_end("count")), "jz 2b".into()]);
            lines.extend(rows.map(|r| format!("add {}, %[a{r}]", self.line_end("row_step"))));
            lines.extend([format!("add {}, %[b]", self.line_end("column_step")), "jmp 4b".into()]);
        });
        lines.push("8: add $8, %[t]".into());
        if self.in_turns {
            let add = if dot == Dot::Bf16 { "vaddps" } else { "vpaddd" };
            let sums = sum(0, 0)..self.sum(1, 0, 0);
            lines.extend(sums.zip(self.sum(1, 0, 0)..).map(|(sum, other)| form.on(add, [other, sum, sum])));
        }
        if self.inside {
            let sums = (0..rows).flat_map(|r| (0..vectors).map(move |v| (r, v)));
            lines.extend(sums.map(|(r, v)| form.on("vpsubd", [sum(rows, v), sum(r, v), sum(r, v)])));
        }
        match self.stores {
            Some(data_type) => self.store_rows(&mut lines, data_type),
            None => {
                for (z, register) in (0..self.sums()).zip(sum(0, 0)..) {
                    if self.rounds {
                        let at = SAVED * form.bytes() + z * form.bytes() / 2;
                        lines.push(format!("vcvtneps2bf16 %%zmm{register}, %%ymm{register}"));
                        lines.push(format!("vmovups %%ymm{register}, {at}(%[f])"));
                    } else {
                        lines.push(format!("vmovups %%{name}{register}, {}", place(z)));
                    }
                }
            }
        }
        if self.keeps_sums() {
            lines.push(format!("add ${}, %[f]", self.sums() * form.bytes()));
        }
        lines.extend(["jmp 3b".into(), "9: pop %[f]".into()]);
        let addresses: String = (0..rows).map(|r| format!(", [a{r}] \"=&r\"(a{r}_)")).collect();
        let asked = if self.asks { ", [d] \"=&r\"(d_)" } else { "" };
        let outputs = format!("[t] \"+r\"({table}), [b] \"=&r\"(b_), [i] \"=&r\"(i_){asked}{addresses}");
        statement(lines, self.saved, registers, &outputs, &format!("[f] \"r\"({frame})"))
    }

    /// Stores the sums of a tile, vectors of 64 bytes, to where the table says.
    fn store_rows(self, lines: &mut Vec<String>, data_type: DataType) {
        // A register of columns, which are not needed any more.
        let zero = 0;
        if data_type == DataType::U8 {
            lines.push(self.form.zero(zero));
        }
        for r in 0..self.rows {
            lines.push(format!("mov {}(%[t]), %[b]", 8 * r));
            for v in 0..self.vectors {
                let sum = self.sum(0, r, v);
                let to = format!("{}(%[b])", data_type.bytes(16) as i64 * v);
                match data_type {
                    DataType::Bf16 => {
                        lines.push(format!("vcvtneps2bf16 %%zmm{sum}, %%ymm{sum}"));
                        lines.push(format!("vmovups %%ymm{sum}, {to}"));
                    }
                    DataType::U8 => {
                        lines.push(self.form.on("vpmaxsd", [zero, sum, sum]));
                        lines.push(format!("vpmovusdb %%zmm{sum}, {to}"));
                    }
                    DataType::S8 => lines.push(format!("vpmovsdb %%zmm{sum}, {to}")),
                    _ => lines.push(format!("vmovups %%zmm{sum}, {to}")),
                }
            }
        }
        lines.push(format!("add ${}, %[t]", 8 * self.rows));
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
        lines.push("1: prefetcht0 1024(%[b])".into());
        for set in 0..self.sets() {
            self.step(lines, rows.clone(), set, |lines, r, row| {
                lines.extend(self.asks.then(|| format!("prefetcht0 (%[a{r}],%[d])")));
                lines.push(format!("vpbroadcastd (%[a{r}],%[i]), %%{}{row}", self.form.name()));
            });
            lines.push("add $4, %[i]".into());
            lines.extend(self.asks.then(|| "add $4, %[d]".to_string()));
            lines.push(format!("cmp {}, %[i]", self.line_end("bytes")));
            lines.push(if set + 1 < self.sets() { "jge 5f".into() } else { "jl 1b".into() });
        }
        lines.push("5:".into());
        if self.tail > 0 {
            // Four bytes up to the end of a row, of which those before the last group go.
            self.step(lines, rows, 0, |lines, r, row| {
                let (before, row) = (4 - self.tail, format!("%%{}{row}", self.form.name()));
                lines.push(format!("vpbroadcastd -{before}(%[a{r}],%[i]), {row}"));
                lines.push(format!("vpsrld ${}, {row}, {row}", 8 * before));
            });
        }
    }

    /// A step of the innermost loop: all products of a group of each row, which is brought to a register, and of the columns at `b`.
    fn step(
        self,
        lines: &mut Vec<String>,
        rows: Range<i64>,
        set: i64,
        mut bring: impl FnMut(&mut Vec<String>, i64, i64),
    ) {
        let Frame { dot, form, vectors, .. } = self;
        lines.extend((0..vectors).map(|v| format!("vmovups {}(%[b]), %%{}{v}", form.bytes() * v, form.name())));
        for r in rows {
            let row = self.row(r);
            bring(lines, r, row);
            if dot == Dot::Signed {
                lines.push(form.xor([self.constant(), row, row]));
            }
            lines.extend((0..vectors).map(|v| form.dot(dot, [v, row, self.sum(set, r, v)])));
        }
        if self.inside {
            lines.extend((0..vectors).map(|v| form.dot(dot, [v, self.constant(), self.sum(set, self.rows, v)])));
        }
        lines.push(format!("add ${}, %[b]", form.bytes() * vectors));
    }

    /// The statement that finds what adding 128 to a row adds to its sums in a line: from the columns at `b_`, for the `i_` bytes of the
    /// innermost loop, to `s_`.
    pub fn shift(self, frame: &str) -> String {
        let Frame { dot, form, vectors, .. } = self;
        let (name, bytes) = (form.name(), form.bytes());
        // Sums come first.
        let (constant, columns) = (vectors, vectors + 1);
        let mut lines: Vec<String> = (0..vectors).map(|v| form.zero(v)).collect();
        lines.extend(form.fill_with_128(constant));
        lines.push("1: prefetcht0 1024(%[b])".into());
        for v in 0..vectors {
            lines.push(format!("vmovups {}(%[b]), %%{name}{columns}", bytes * v));
            lines.push(form.dot(dot, [columns, constant, v]));
        }
        lines.extend([format!("add ${}, %[b]", bytes * vectors), "sub $4, %[i]".into(), "jg 1b".into()]);
        lines.extend((0..vectors).map(|v| format!("vmovups %%{name}{v}, {}(%[s])", bytes * v)));
        let inputs = format!("[f] \"r\"({frame}), [s] \"r\"(s_)");
        statement(lines, self.saved, vectors + 2, "[b] \"+r\"(b_), [i] \"+r\"(i_)", &inputs)
    }
}

/// A statement that leaves all registers as they were, the first so many vectors among them, which are saved in a form.
pub(super) fn statement(lines: Vec<String>, saved: Form, registers: i64, outputs: &str, inputs: &str) -> String {
    let (name, bytes) = (saved.name(), saved.bytes());
    let start = ["lea -128(%%rsp), %%rsp".to_string(), "pushfq".into()];
    let kept = (0..registers).map(|z| format!("vmovups %%{name}{z}, {}(%[f])", z * bytes));
    let restored = (0..registers).map(|z| format!("vmovups {}(%[f]), %%{name}{z}", z * bytes));
    let end = ["popfq".to_string(), "lea 128(%%rsp), %%rsp".into()];
    let all: Vec<String> = start.into_iter().chain(kept).chain(lines).chain(restored).chain(end).collect();
    assembly(&all, outputs, inputs)
}

/// A statement of assembly that the compiler moves nothing across.
pub(super) fn assembly(lines: &[String], outputs: &str, inputs: &str) -> String {
    let text: String = lines.iter().map(|line| format!("\"{line}\\n\" ")).collect();
    format!("__asm__ __volatile__({text}: {outputs} : {inputs} : \"memory\");")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_products_of_avx_vnni_are_encoded_as_an_assembler_does_it() {
        // As `{vex} vpdpbusd` with these registers.
        for (registers, bytes) in [
            ([3, 2, 1], ".byte 0xc4, 0xe2, 0x6d, 0x50, 0xcb"),
            ([1, 2, 15], ".byte 0xc4, 0x62, 0x6d, 0x50, 0xf9"),
            ([0, 3, 4], ".byte 0xc4, 0xe2, 0x65, 0x50, 0xe0"),
            ([9, 10, 11], ".byte 0xc4, 0x42, 0x2d, 0x50, 0xd9"),
        ] {
            assert_eq!(Form::Vex.dot(Dot::Unsigned, registers), bytes);
        }
        assert_eq!(Form::Ymm.dot(Dot::Unsigned, [3, 2, 1]), "vpdpbusd %%ymm3, %%ymm2, %%ymm1");
    }
}
