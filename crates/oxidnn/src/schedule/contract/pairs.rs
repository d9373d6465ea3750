//! Products of bytes where no instruction adds up four of them: AVX2 multiplies pairs of numbers of 16 bits, and is exact for all
//! bytes where its products of bytes are not.
//!
//! Both factors are made wider by parts of a line: the columns for some tiles at once, the rows for all columns of a panel. So the
//! innermost loop has nothing to convert. Only a few vectors of a tile's sums have registers at a time, the others wait in the frame.

use super::LINE;
use super::frame::{Frame, SAVED, statement};
use super::kernel::Kernel;
use crate::codegen::opencl::Emitter;
use crate::desc::DataType;
use crate::program::*;

/// Steps of a line that are made wider at a time: what they take stays in the innermost cache.
const PART: i64 = 256;
/// Bytes of a vector.
const VECTOR: i64 = 32;
/// Pairs of a round of the innermost loop; lines have as many or a multiple of them.
const PAIRS: i64 = 2;
/// Vectors of a row whose sums have registers.
const VECTORS_AT_ONCE: i64 = 2;
/// Registers: columns, the row, a product, sums.
const ROW: i64 = 2;
const PRODUCT: i64 = 3;
const FIRST_SUM: i64 = 4;

impl Kernel {
    /// Makes room for what is made wider.
    pub(super) fn declare_pairs(&self, emitter: &mut Emitter<'_>, frame: Frame) {
        let width = self.width * self.c.sums();
        emitter.line(format!("short16 wide[{}], rows_[{}];", PART * width / 16, frame.rows * PART / 16));
        emitter.line("ulong ready = 0;");
    }

    /// Clears the sums of all tiles, and their places in the table.
    pub(super) fn clear_pairs(&self, emitter: &mut Emitter<'_>, frame: Frame, lines: i64) {
        let at_once = frame.at_once;
        emitter.line(format!("for (int i = 0; i < {}; ++i) frame[{SAVED} + i] = 0;", at_once * frame.sums()));
        emitter.line(format!("for (int i = 0; i < {}; ++i) table[i * {}] = 0;", at_once * lines, frame.line()));
    }

    /// Adds up the products of all tiles of a table, in which each line of a tile has its place.
    pub(super) fn multiply_pairs(&self, emitter: &mut Emitter<'_>, frame: Frame, lines: i64) {
        let width = self.width * self.c.sums();
        emitter.open(format!("for (int line = 0; line < {lines}; ++line)"));
        emitter.open(format!("for (ulong part = 0; part < bytes; part += {PART})"));
        emitter.line(format!("const int left = (int)min(bytes - part, (ulong){PART});"));
        emitter.open("for (int number = 0; number < end - start; ++number)");
        emitter.line(format!("const ulong *entry = table + (number * {lines} + line) * {};", frame.line()));
        emitter.line("if (entry[0] == 0) continue;");
        emitter.open(format!("if (ready != entry[0] + part * {width})"));
        emitter.line(format!("ready = entry[0] + part * {width};"));
        emitter.line("const __global char *from = (const __global char *)ready;");
        emitter.line(format!(
            "for (int i = 0; i < left * {} / 2; ++i) wide[i] = convert_short16(vload16(i, from));",
            width / 8
        ));
        emitter.close();
        let row_type = match *self.program.node(self.c.broadcast) {
            Node::Load { tensor, .. } if self.program.tensor(tensor).data_type == DataType::U8 => "uchar",
            _ => "char",
        };
        let next = format!("table + (min(number + 1, (int)(end - start) - 1) * {lines} + line) * {}", frame.line());
        emitter.line(format!("const ulong *next = {next};"));
        emitter.open(format!("for (int i = 0; i < left; i += {LINE})"));
        for r in 0..frame.rows {
            emitter.line(format!("__builtin_prefetch((__private const void *)(next[{}] + part + i), 0, 3);", r + 1));
        }
        emitter.close();
        for r in 0..frame.rows {
            let pointer = format!("const __global {row_type} *");
            emitter.line(format!("{pointer}from{r}_ = ({pointer})(entry[{}] + part);", r + 1));
        }
        emitter.open("for (int i = 0; i < left / 16; ++i)");
        for r in 0..frame.rows {
            emitter.line(format!("rows_[{} + i] = convert_short16(vload16(i, from{r}_));", r * PART / 16));
        }
        emitter.close();
        emitter.open("for (int i = left / 16 * 16; i < left; ++i)");
        for r in 0..frame.rows {
            emitter.line(format!("((short *)rows_)[{} + i] = from{r}_[i];", r * PART));
        }
        emitter.close();
        emitter.line("ulong b_, i_;");
        emitter.line(format!("const ulong s_ = (ulong)(frame + {SAVED} + number * {}), n_ = left / 2;", frame.sums()));
        emitter.line(frame.pairs(&format!("entry[{}]", frame.rows + 1)));
        emitter.close();
        emitter.close();
        emitter.close();
    }
}

impl Frame {
    /// The statement that adds the products of a part to the sums of a tile, for the rows that are not lacking.
    fn pairs(self, lacks: &str) -> String {
        let Frame { rows, vectors, .. } = self;
        let mut lines = Vec::new();
        for first in (0..vectors).step_by(VECTORS_AT_ONCE as usize) {
            let count = VECTORS_AT_ONCE.min(vectors - first);
            let sums = || (0..rows).flat_map(|r| (0..count).map(move |v| (r, v)));
            let place = |(r, v): (i64, i64)| format!("{}(%[s])", (r * vectors + first + v) * VECTOR);
            let register = |(r, v): (i64, i64)| FIRST_SUM + r * VECTORS_AT_ONCE + v;
            lines.extend(sums().map(|at| format!("vmovups {}, %%ymm{}", place(at), register(at))));
            lines.push(format!("lea {}(%[c]), %[b]", first * VECTOR));
            lines.push("xor %[i], %[i]".into());
            self.for_each_lack("%[l]", &mut lines, |lines, rows| {
                lines.push("1:".into());
                for step in 0..PAIRS {
                    let column = |v: i64| format!("{}(%[b])", (step * vectors + v) * VECTOR);
                    lines.extend((0..count).map(|v| format!("vmovups {}, %%ymm{v}", column(v))));
                    for r in rows.clone() {
                        let product = |v: i64| if v + 1 < count { PRODUCT } else { ROW };
                        lines.push(format!("vpbroadcastd {}(%[a],%[i],4), %%ymm{ROW}", 2 * r * PART + 4 * step));
                        lines.extend((0..count).map(|v| format!("vpmaddwd %%ymm{v}, %%ymm{ROW}, %%ymm{}", product(v))));
                        let add =
                            |v: i64| format!("vpaddd %%ymm{}, %%ymm{s}, %%ymm{s}", product(v), s = register((r, v)));
                        lines.extend((0..count).map(add));
                    }
                }
                lines.push(format!("add ${}, %[b]", PAIRS * vectors * VECTOR));
                lines.push(format!("add ${PAIRS}, %[i]"));
                lines.extend(["cmp %[n], %[i]", "jl 1b", "jmp 2f"].map(String::from));
            });
            lines.push("2:".into());
            lines.extend(sums().map(|at| format!("vmovups %%ymm{}, {}", register(at), place(at))));
        }
        let inputs = format!(
            "[f] \"r\"(frame), [s] \"r\"(s_), [c] \"r\"(wide), [a] \"r\"(rows_), [n] \"r\"(n_), [l] \"r\"({lacks})"
        );
        let registers = FIRST_SUM + rows * VECTORS_AT_ONCE;
        statement(lines, self.saved, registers, "[b] \"=&r\"(b_), [i] \"=&r\"(i_)", &inputs)
    }
}
