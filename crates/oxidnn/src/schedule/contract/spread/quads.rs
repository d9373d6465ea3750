//! Tiles of bytes: the table for the assembly that computes them, and the assembly.
//!
//! The table is of numbers of 64 bits. It has a line for each step of the outer loops, then 0; a line has the address of the weights and of each element.
//! All is where the first panel of a work-item has it; `offsets` say how far from there each of the panels is that a statement
//! computes, in elements and in weights, and which bytes of elements it reads, where these are not always the same. -1 ends them.

use std::collections::HashMap;

use super::bytes::{Bytes, Read};
use super::kernel::Kernel;
use super::tile::Tile;
use crate::codegen::opencl::Emitter;
use crate::program::*;
use crate::schedule::contract::dots::{Dot, ZEROS};
use crate::schedule::contract::frame::{SAVED, statement};
use crate::schedule::contract::loops;

/// Panels that a statement computes, at most.
const AT_ONCE: i64 = 8;
/// Numbers of an offset.
const OFFSET: i64 = 3;
/// What a shuffle makes zero of.
const NOTHING: i64 = 128;

/// Panels of a work-item, at most: elements that are padding are read from zeros in all of them.
pub(super) fn most_panels(channels: i64) -> i64 {
    ZEROS / channels - 1
}

impl Kernel<'_> {
    /// The vectors that the assembly has to itself, and the numbers that say which bytes each lane takes.
    pub(super) fn declare_frame(&self, emitter: &mut Emitter<'_>, bytes: Bytes) {
        let s = self.s;
        emitter.line(format!("{} frame[{}];", self.vector_type(), SAVED + AT_ONCE * s.count));
        if bytes.read != Read::Broadcast {
            let [columns, channels] = [Some(s.columns), s.channels].map(|axis| s.extent_or_one(&self.program, axis));
            let taken = |quad: i64, lane: i64, member: i64| {
                let (group, channel) = ((lane / columns).min(s.together - 1), 4 * quad + member);
                if channel < channels { group * channels + channel } else { NOTHING }
            };
            let places = (0..bytes.quads).flat_map(|quad| (0..s.lanes).map(move |lane| (quad, lane)));
            let numbers: Vec<String> =
                places.flat_map(|(quad, lane)| (0..4).map(move |i| taken(quad, lane, i).to_string())).collect();
            emitter.line(format!("const uchar taken[{}] = {{{}}};", numbers.len(), numbers.join(", ")));
        }
    }

    /// A tile of all panels of a work-item.
    pub(super) fn emit_quads(&self, emitter: &mut Emitter<'_>, tile: &Tile, bytes: Bytes) {
        let Kernel { program, s, .. } = self;
        let (index, together) = (emitter.index_type(), s.together);
        let channels = s.extent_or_one(program, s.channels);
        let line = 1 + tile.elements.len() as i64;
        let lines = program.points(&s.loops).unwrap_or(0);
        emitter.open("");
        emitter.line(format!("ulong table[{}], offsets[{}];", lines * line + 1, AT_ONCE * OFFSET + 1));
        // Volatile for the same reason as in other tables.
        emitter.line("volatile int filled = 0;");
        emitter.bind(s.groups, format!("(first * {together})"));
        emitter.bind(self.lane, "0");
        let weights = self.weights_start.expect("bytes have panels");
        let start = emitter.scalar(weights);
        let opened = loops::open_all(emitter, program, &s.loops, &self.tests);
        self.bind_start(emitter, tile, "left");
        let address = emitter.address(self.weights.expect("bytes have panels"));
        emitter.line(format!("table[filled] = (ulong)({address});"));
        for (i, element) in tile.elements.iter().enumerate() {
            let all: Vec<String> = element.conditions.iter().map(|&condition| emitter.scalar(condition)).collect();
            emitter.set_lanes(Some((self.lane, s.lanes as usize)));
            let address = emitter.address(element.parts[0].load);
            emitter.set_lanes(None);
            let mut text = format!("(ulong)({address})");
            if !all.is_empty() {
                let zeros = emitter.zeros();
                text = format!("{} ? {text} : (ulong)({zeros})", all.join(" && "));
            }
            emitter.line(format!("table[filled + {}] = {text};", i + 1));
        }
        emitter.line(format!("filled += {line};"));
        (0..opened).for_each(|_| emitter.close());
        emitter.line("table[filled] = 0;");

        emitter.open(format!("for ({index} start = first; start < last; start += {AT_ONCE})"));
        emitter.line(format!("const {index} end = min(start + {AT_ONCE}, last);"));
        emitter.line("volatile int offset = 0;");
        emitter.open(format!("for ({index} panel = start; panel < end; ++panel)"));
        emitter.bind(s.groups, format!("(panel * {together})"));
        let here = emitter.scalar(weights);
        let groups = emitter.scalar(program.axis(s.groups).extent);
        emitter.line(format!("offsets[offset] = (panel - first) * {};", together * channels));
        emitter.line(format!("offsets[offset + 1] = {here} - {start};"));
        let read = format!("(int)min(({index}){together}, {groups} - panel * {together}) * {channels}");
        emitter.line(format!("offsets[offset + 2] = (1ul << ({read})) - 1;"));
        emitter.line(format!("offset += {OFFSET};"));
        emitter.close();
        emitter.line("offsets[offset] = -1;");
        emitter.line("ulong *o_ = offsets;");
        emitter.line("ulong a_, b_, c_, e_, k_, w_;");
        emitter.line(self.assembly(tile, bytes));

        emitter.open(format!("for ({index} panel = start; panel < end; ++panel)"));
        self.bind_panel(emitter);
        let tiles = format!("frame + {SAVED} + (panel - start) * {}", tile.points);
        emitter.line(format!("const {} *tile = {tiles};", self.vector_type()));
        self.store(emitter, tile);
        (0..3).for_each(|_| emitter.close());
    }

    /// The statement that computes the sums of a tile for the panels of the offsets.
    fn assembly(&self, tile: &Tile, bytes: Bytes) -> String {
        let Bytes { dot, form, read, quads, .. } = bytes;
        let s = self.s;
        let (name, signed) = (form.name(), dot == Dot::Signed);
        let taps = s.extent_or_one(&self.program, s.taps);
        let row = bytes.row(&self.program, s);
        // Weights of all taps come first, then channels in turns, and what shuffles them.
        let (channels, shuffle) = (taps, taps + 2);
        let others = bytes.others(taps);
        let (constant, shift) = (others - 2, others - 1);
        let sum = |point: i64| others + point;
        let sums = (0..tile.points).map(sum);

        let mut lines = vec!["push %[f]".to_string()];
        if read != Read::Broadcast {
            lines.extend((0..quads).map(|q| format!("vmovups {}(%[x]), %%{name}{}", q * form.bytes(), shuffle + q)));
        }
        if read == Read::Masked {
            lines.push("kmovq %%k1, %[k]".into());
        }
        if signed {
            lines.extend(form.fill_with_128(constant));
        }
        lines.extend(["3: mov (%[o]), %[e]".to_string(), "cmp $-1, %[e]".into(), "je 9f".into()]);
        lines.push("mov 8(%[o]), %[w]".into());
        if read == Read::Masked {
            lines.push("kmovq 16(%[o]), %%k1".into());
        }
        lines.push(format!("add ${}, %[o]", 8 * OFFSET));
        lines.extend(sums.clone().chain(signed.then_some(shift)).map(|register| form.zero(register)));
        lines.push("mov %[t], %[c]".into());
        lines.extend(["2: mov (%[c]), %[b]".to_string(), "test %[b], %[b]".into(), "jz 8f".into()]);
        lines.push("add %[w], %[b]".into());
        let mut turn = 0;
        for quad in 0..quads {
            for tap in 0..taps {
                lines.push(format!("vmovups {}(%[b]), %%{name}{tap}", (tap * quads + quad) * row));
                if signed {
                    lines.push(form.dot(dot, [tap, constant, shift]));
                }
            }
            for (i, element) in tile.elements.iter().enumerate() {
                let to = channels + turn % 2;
                turn += 1;
                lines.push(format!("mov {}(%[c]), %[a]", 8 * (i + 1)));
                match read {
                    Read::Broadcast => lines.push(format!("vpbroadcastd {}(%[a],%[e]), %%{name}{to}", 4 * quad)),
                    Read::Whole(size) => lines.push(format!("{} (%[a],%[e]), %%{name}{to}", broadcast(size, name))),
                    Read::Masked => lines.extend([
                        format!("vmovdqu8 (%[a],%[e]), %%xmm{to} %{{%%k1%}} %{{z%}}"),
                        form.on("vshufi32x4 $0,", [to; 3]),
                    ]),
                }
                if signed {
                    lines.push(form.xor([constant, to, to]));
                }
                if read != Read::Broadcast {
                    lines.push(form.on("vpshufb", [shuffle + quad, to, to]));
                }
                lines.extend(element.uses.iter().map(|&[point, tap]| form.dot(dot, [tap, to, sum(point)])));
            }
        }
        lines.extend([format!("add ${}, %[c]", 8 * (1 + tile.elements.len())), "jmp 2b".into(), "8:".into()]);
        if signed {
            lines.extend(sums.clone().map(|sum| form.on("vpsubd", [shift, sum, sum])));
        }
        let place = |point: i64| (SAVED + point) * form.bytes();
        lines.extend((0..tile.points).map(|point| format!("vmovups %%{name}{}, {}(%[f])", sum(point), place(point))));
        lines.extend([format!("add ${}, %[f]", tile.points * form.bytes()), "jmp 3b".into(), "9:".into()]);
        if read == Read::Masked {
            lines.push("kmovq %[k], %%k1".into());
        }
        lines.push("pop %[f]".into());
        let outputs = "[o] \"+r\"(o_), [a] \"=&r\"(a_), [b] \"=&r\"(b_), [c] \"=&r\"(c_), [e] \"=&r\"(e_), [w] \"=&r\"(w_), \
                       [k] \"=&r\"(k_)";
        let taken = if read == Read::Broadcast { "frame" } else { "taken" };
        let inputs = format!("[f] \"r\"(frame), [t] \"r\"(table), [x] \"r\"({taken})");
        statement(lines, bytes.saved, others + tile.points, outputs, &inputs)
    }
}

/// The instruction that fills a vector with so many bytes.
fn broadcast(size: i64, name: &str) -> &'static str {
    match size {
        4 => "vpbroadcastd",
        8 => "vpbroadcastq",
        _ if name == "zmm" => "vbroadcasti32x4",
        _ => "vbroadcasti128",
    }
}

/// Where the weights of a tile start at a step of the outer loops, and where those of a panel do.
pub(super) fn starts(p: &mut Program, s: &super::Spread) -> Option<(E, E)> {
    let Node::Load { tensor, offset, ty, .. } = *p.node(s.vector) else { return None };
    let zero = p.index(0);
    let mut at: HashMap<AxisId, E> =
        [Some(s.columns), s.taps, s.channels].into_iter().flatten().map(|axis| (axis, zero)).collect();
    let line = p.substitute(offset, &at);
    at.extend(s.loops.iter().map(|&axis| (axis, zero)));
    let panel = p.substitute(offset, &at);
    Some((p.load(tensor, line, ty), panel))
}
