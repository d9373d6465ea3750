//! Rounds sums of short numbers up to whole groups: an odd number of columns, or the three colours of an image.
//!
//! Instructions multiply groups of neighbours, so a sum of other lengths would have to go without them. Rows count as zero behind their
//! ends instead, or are copied with zeros there. The other factor is copied into panels that have zeros there, too, unless it lies in
//! such already: blocks of a layout that was left to the library end with padding, and that is zero.

use std::collections::HashMap;
use std::ops::Range;

use super::contract::{Contraction, Dot, conditions};
use super::pack::{PanelCopy, insert_before};
use super::room::has_room;
use super::slide::inside;
use super::{ceil, is_arg};
use crate::program::*;
use crate::runtime::DeviceProfile;

/// Columns from which on it pays to copy rows, and rows from which on it pays to copy columns.
const WORTH_COLUMNS: i64 = 16;
const WORTH_ROWS: i64 = 8;
/// The same where images have one channel: they have less to multiply.
const WORTH_ROWS_OF_ONE: i64 = 2048;
/// How many times longer than they are rows may become.
const MOST_LONGER: i64 = 2;
/// Of how many groups one has to go for a copy of the columns to pay.
const WORTH_SHORTER: i64 = 6;
/// Elements of a pixel of which a vector has several.
const SHORT_PIXEL: i64 = 16;
/// Bytes of a line that is so short that finding it takes longer than multiplying it.
const SHORT_LINE: i64 = 16;
/// Bytes of a row that is not worth a copy for tiles.
const SHORT_ROW: i64 = 64;

/// Rounds the sums of all contractions that gain by it. The layouts of `open` arguments will be what schedules want.
pub(super) fn up(program: &mut Program, profile: &DeviceProfile, open: &[i32]) {
    let mut index = 0;
    while index < program.stages.len() {
        let stage = program.stages[index].clone();
        if let Some((rewritten, copies, stage)) = round(program, &stage, profile, open) {
            *program = rewritten;
            program.stages[index] = stage;
            for copy in copies {
                insert_before(program, index, copy);
                index += 1;
            }
        }
        index += 1;
    }
}

/// The program with rounded sums, the stages that copy factors, and the one that has their place now.
fn round(
    program: &Program,
    stage: &Stage,
    profile: &DeviceProfile,
    open: &[i32],
) -> Option<(Program, Vec<Stage>, Stage)> {
    let c = Contraction::of(program, stage, profile)?;
    let dot = Dot::of_types(program, &c).filter(|dot| dot.is_there(profile))?;
    let innermost = *c.reduced.last()?;
    let usable = c.more.is_empty() && stage.repeat.is_none() && !c.is_lanewise(program);
    if !usable || program.extent(c.columns)? < WORTH_COLUMNS {
        return None;
    }
    let Node::Load { tensor: columns, offset: column_offset, guard: None, ty } = *program.node(c.vector) else {
        return None;
    };
    let data_type = program.tensor(columns).data_type;
    let mut pixels = Pixels::of(program, &c)?;
    let (steps, group) = (pixels.length, dot.group());
    let rounded = ceil(steps, group) * group;
    pixels.window = pixels.window.filter(|_| steps * dot.bytes() < SHORT_LINE);
    let gains = rounded != steps || pixels.window.is_some();
    let is_open = open.iter().any(|&arg| is_arg(program, columns, arg));
    let points = pixels.window.as_ref().map_or(Some(1), |window| program.extent(window.axis))?;
    let ends_anywhere = points * steps > group && ends_anywhere(dot, points * steps, profile);
    let in_place = ends_anywhere && pixels.lie_ready();
    // Then the points of a window may follow each other without a gap, if that is worth a copy of the columns.
    let shorter = ceil(points * steps, group) * group * WORTH_SHORTER <= points * rounded * (WORTH_SHORTER - 1);
    let each = if ends_anywhere && points > 1 && (in_place || shorter) { steps } else { rounded };
    let all = ceil(points * each, group) * group;
    let has_zeros = rounded == steps
        || (each == rounded && (is_open || ends_with_padding(program, columns, column_offset, innermost, group)));
    // Pixels of one channel have no axis along which there could be zeros.
    let (copies_pay, fits) =
        if pixels.channels.is_some() { (WORTH_ROWS, true) } else { (WORTH_ROWS_OF_ONE, each == steps) };
    if !gains || !fits || all > MOST_LONGER * points * steps || (!has_zeros && c.row_count(program)? < copies_pay) {
        return None;
    }

    let mut p = program.clone();
    let (length, all) = (p.param(each), p.param(all));
    let step = p.add_axis(p.axis(innermost).name, all);
    let at_step = p.at(step);
    let within = if pixels.window.is_some() { p.rem(at_step, length) } else { at_step };
    let mut at: HashMap<AxisId, E> = pixels.channels.map(|channels| (channels, within)).into_iter().collect();
    if let Some(window) = &pixels.window {
        at.insert(window.axis, p.div(at_step, length));
    }
    let (copies, rows) = if in_place {
        pixels.down = None;
        (Vec::new(), pixels.in_place(&mut p, &c, step)?)
    } else {
        pixels.with_room(&p, &c, each);
        let (copy, rows) = pixels.copy(&mut p, &c, step, each)?;
        (vec![copy], rows)
    };
    let others = c.reduced.iter().copied().filter(|axis| !at.contains_key(axis));
    let reduced: Vec<AxisId> = others.chain([step]).collect();
    let with = |p: &mut Program, columns: E| {
        let product = p.mul(rows, columns);
        let sum = p.reduce(ReduceOp::Sum, reduced.clone(), product);
        let mut stage = stage.clone();
        p.replace_in(&mut stage, c.sum, sum);
        stage
    };
    let offset = p.substitute(column_offset, &at);
    let unguarded = p.load(columns, offset, ty);
    let whole = with(&mut p, unguarded);
    let grouped = Contraction::of(&p, &whole, profile).filter(|c| c.dot.is_some())?;
    if has_zeros {
        return Some((p, copies, whole));
    }
    let width = grouped.width(&grouped.tile(&p, profile)?);
    let (at, end) = if each == rounded { (within, steps) } else { (at_step, points * steps) };
    let end = p.param(end);
    let counts = p.lt(at, end);
    let factor = p.load_if(counts, columns, offset, ty);
    let batch: Vec<AxisId> = c.batch.iter().copied().filter(|&axis| p.depends_on(c.vector, axis)).collect();
    let (name, columns) = ("pack", c.columns);
    let panels = PanelCopy { name, factor, batch: &batch, columns, reduced: &grouped.reduced, width, group };
    let (panels, from_panels) = panels.build(&mut p, data_type)?;
    let stage = with(&mut p, from_panels);
    Some((p, copies.into_iter().chain([panels]).collect(), stage))
}

/// Whether rows of so many elements may end inside of a group: vectors take the last of them from groups that end with a row; tiles of groups and
/// pairs of bytes take whole groups. Tiles of short rows would gain less than a copy of these takes.
fn ends_anywhere(dot: Dot, length: i64, profile: &DeviceProfile) -> bool {
    dot.by_vectors(profile) == Some(dot) && (!dot.has_tiles(profile) || length * dot.bytes() <= SHORT_ROW)
}

/// Whether elements lie in blocks along an axis, whole groups of them: the last block has zeros where the axis has ended.
fn ends_with_padding(program: &Program, tensor: TensorId, offset: E, axis: AxisId, group: i64) -> bool {
    let is_argument = matches!(program.tensor(tensor).binding, Binding::Arg { .. });
    let is_block = |e: E| match *program.node(e) {
        Node::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) => {
            matches!(*program.node(by), Node::Index(size) if size % group == 0)
        }
        _ => false,
    };
    let (mut found, mut all) = (false, true);
    program.visit([offset], &mut |e| {
        if program.operands(e).iter().any(|&operand| matches!(*program.node(operand), Node::Axis(of) if of == axis)) {
            found = true;
            all &= is_block(e);
        }
    });
    is_argument && found && all
}

/// The factor with the rows as what lies in memory: neighbours along the innermost step are pixels.
struct Pixels {
    /// That step's axis and how many neighbours there are; pixels of a single one have no axis.
    channels: Option<AxisId>,
    length: i64,
    /// Elements from one pixel to the next, and from the first to the first that is read.
    distance: i64,
    first: i64,
    /// How many there are.
    count: i64,
    /// How many pixels each step along an axis goes, and how many there are before the first that is read.
    steps: Vec<(AxisId, i64)>,
    start: i64,
    /// A window that goes from pixel to pixel, if there is one: its points become one line of a sum.
    window: Option<Window>,
    /// The same from line to line, where it sees padding there.
    down: Option<Window>,
}

/// A window along lines of an image, or across them.
struct Window {
    axis: AxisId,
    /// The axis of rows that it slides along.
    along: AxisId,
    /// Pixels of a line, or lines of an image, as many as it sees, and where among these the image is.
    line: i64,
    seen: i64,
    image: Range<i64>,
}

impl Pixels {
    /// Sees rows in this way, where all axes but the innermost one lead from pixel to pixel.
    fn of(program: &Program, c: &Contraction) -> Option<Pixels> {
        let Node::Load { tensor, offset, .. } = *program.node(c.broadcast) else { return None };
        let conditions = conditions(program, c.broadcast);
        let innermost = *c.reduced.last()?;
        // Padding is of whole pixels.
        let channels = (!conditions.iter().any(|&e| program.depends_on(e, innermost))).then_some(innermost);
        let elements = program.tensor(tensor).elements?;
        let length = channels.map_or(Some(1), |axis| program.extent(axis))?;
        let axes = program.free_axes(offset);
        let linear = axes.iter().all(|&axis| program.is_linear(offset, axis));
        if !linear || program.constant_step(offset, innermost) != Some(1) {
            return None;
        }
        let others = axes.iter().copied().filter(|&axis| Some(axis) != channels);
        let by: Vec<(AxisId, i64)> =
            others.map(|axis| Some((axis, program.step(offset, axis)?))).collect::<Option<_>>()?;
        let distance = by.iter().fold(0, |divisor, &(_, step)| gcd(divisor, step.abs()));
        let distance = if distance == 0 { length } else { distance };
        let before = program.evaluate(offset, &|_| Some(0))?;
        let (start, first) = (before.div_euclid(distance), before.rem_euclid(distance));
        let count = (elements - first - length) / distance + 1;
        if distance < length || count <= 0 {
            return None;
        }
        let steps: Vec<(AxisId, i64)> = by.into_iter().map(|(axis, step)| (axis, step / distance)).collect();
        let window = Window::of(program, c, &conditions, &steps, start, count);
        let down = window.as_ref().and_then(|window| {
            let others = steps.iter().filter(|&&(axis, _)| axis != window.axis && axis != window.along);
            let lines: Vec<(AxisId, i64)> = others.map(|&(axis, step)| (axis, step / window.line)).collect();
            let start = (start + window.image.start) / window.line;
            let is_other = |&&condition: &&E| !program.depends_on(condition, window.axis);
            let left: Vec<E> = conditions.iter().filter(is_other).copied().collect();
            Window::of(program, c, &left, &lines, start, count / window.line)
        });
        let down = down.filter(|down| down.image != (0..down.seen));
        Some(Pixels { channels, length, distance, first, count, steps, start, window, down })
    }

    /// Whether rows can be read where they lie, those of a window too.
    fn lie_ready(&self) -> bool {
        self.window.as_ref().is_none_or(|window| window.image == (0..window.seen) && self.distance == self.length)
    }

    /// Rows as they lie, along a new innermost axis, zero where they have ended.
    fn in_place(&self, p: &mut Program, c: &Contraction, step: AxisId) -> Option<E> {
        let Node::Load { tensor, offset, ty, .. } = *p.node(c.broadcast) else { return None };
        let mut length = self.length;
        let mut at: HashMap<AxisId, E> = self.channels.map(|channels| (channels, p.at(step))).into_iter().collect();
        if let Some(window) = &self.window {
            let first = if self.channels.is_some() { p.index(0) } else { p.at(step) };
            at.insert(window.axis, first);
            length *= p.extent(window.axis)?;
        }
        let offset = p.substitute(offset, &at);
        Some(self.rows(p, c, (tensor, offset, ty), step, length))
    }

    /// Rows along a new innermost axis, of which so many steps count.
    fn rows(
        &self,
        p: &mut Program,
        c: &Contraction,
        (tensor, offset, ty): (TensorId, E, Ty),
        step: AxisId,
        length: i64,
    ) -> E {
        let mut guards = self.left(p, c);
        if p.extent(step) != Some(length) {
            let (at_step, length) = (p.at(step), p.param(length));
            guards.push(p.lt(at_step, length));
        }
        match guards.into_iter().reduce(|a, b| p.and(a, b)) {
            Some(guard) => p.load_if(guard, tensor, offset, ty),
            None => p.load(tensor, offset, ty),
        }
    }

    /// The conditions of rows that are not about the window.
    fn left(&self, p: &Program, c: &Contraction) -> Vec<E> {
        let windows = [&self.window, &self.down];
        let is_own = |&condition: &E| windows.into_iter().flatten().any(|window| p.depends_on(condition, window.axis));
        conditions(p, c.broadcast).into_iter().filter(|condition| !is_own(condition)).collect()
    }

    /// Without padding above and below images where a copy that has it, with pixels of so many elements, takes too much room.
    fn with_room(&mut self, p: &Program, c: &Contraction, elements: i64) {
        let (Some(window), Some(down)) = (&self.window, &self.down) else { return self.down = None };
        let all = (self.count / window.line / down.line).checked_mul(down.seen * window.seen * elements);
        let Node::Load { tensor, .. } = *p.node(c.broadcast) else { return };
        if !all.is_some_and(|all| has_room(p, p.tensor(tensor).data_type, all)) {
            self.down = None;
        }
    }

    /// The copy in which a pixel has so many elements, zeros behind its own, and rows as they are read from it along a new innermost axis.
    fn copy(&self, p: &mut Program, c: &Contraction, step: AxisId, elements: i64) -> Option<(Stage, E)> {
        let Node::Load { tensor: from, ty, .. } = *p.node(c.broadcast) else { return None };
        let data_type = p.tensor(from).data_type;
        // Lines of the copy, and pixels of each.
        let single = if elements <= SHORT_PIXEL { self.count } else { 1 };
        let (line, seen) = self.window.as_ref().map_or((single, single), |window| (window.line, window.seen));
        let (height, seen_down) = self.down.as_ref().map_or((1, 1), |down| (down.line, down.seen));
        let images = self.count / line / height;
        let all = images.checked_mul(seen_down * seen * elements)?;
        if !has_room(p, data_type, all) {
            return None;
        }
        let (tensor, start) = p.add_scratch("rounded", data_type, all as usize);
        // How short pixels are is part of the structure: vectors of several are put together then. Those that stay as they are are copied
        // by lines.
        let size = |p: &mut Program, size: i64| if elements <= SHORT_PIXEL { p.index(size) } else { p.param(size) };
        let is_same = elements == self.length && elements == self.distance;
        let unit = if is_same { elements } else { 1 };
        let (length, distance) = (size(p, elements / unit), size(p, self.distance / unit));
        let own = size(p, self.length / unit);
        let row = p.param(seen * elements);
        let mut axes = Vec::new();
        let mut counts = p.bool(true);
        let within = |p: &mut Program, counts: &mut E, at: E, range: Range<i64>| {
            let (first, end) = (p.param(range.start), p.param(range.end));
            let (after, before) = (p.le(first, at), p.lt(at, end));
            let inside = p.and(after, before);
            *counts = p.and(*counts, inside);
            p.sub(at, first)
        };
        let count = p.param(images);
        axes.push(p.add_axis("line", count));
        let mut at_line = p.at(axes[0]);
        if let Some(down) = &self.down {
            let count = p.param(down.seen);
            axes.push(p.add_axis("down", count));
            let at = p.at(axes[1]);
            let at = within(p, &mut counts, at, down.image.clone());
            let height = p.param(down.line);
            let above = p.mul(at_line, height);
            at_line = p.add(above, at);
        }
        axes.push(p.add_axis("element", row));
        let at = p.at(axes[axes.len() - 1]);
        let (mut pixel, element) = match (seen, is_same) {
            (1, _) => (p.index(0), at),
            (_, true) => (at, p.index(0)),
            _ => (p.div(at, length), p.rem(at, length)),
        };
        if let Some(Window { image, .. }) = &self.window {
            pixel = within(p, &mut counts, pixel, image.start * unit..image.end * unit);
        }
        if elements != self.length {
            let is_own = p.lt(element, own);
            counts = p.and(counts, is_own);
        }
        let line_length = p.param(line * unit);
        let pixels = p.mul(at_line, line_length);
        let pixel = p.add(pixels, pixel);
        let source = p.mul(pixel, distance);
        let first = p.param(self.first);
        let source = p.add(source, first);
        let source = p.add(source, element);
        let value = p.load_if(counts, from, source, ty);
        let zero = p.index(0);
        let to = p.row_major(zero, &axes);
        let to = p.add(start, to);
        let stores = vec![Store { tensor, offset: to, value }];
        let copy = Stage { name: "round_up", axes, bounds: None, stores, repeat: None };

        let lines_before = |lines: i64| lines / height * seen_down;
        let far = |axis: AxisId, pixels: i64| match (&self.window, &self.down) {
            (Some(window), _) if axis == window.along || axis == window.axis => pixels,
            (Some(_), Some(down)) if axis == down.along || axis == down.axis => pixels / line * seen,
            (Some(_), Some(_)) => lines_before(pixels / line) * seen,
            (Some(_), None) => pixels / line * seen,
            (None, _) => pixels,
        };
        let start_of_lines = match (&self.window, &self.down) {
            (Some(window), Some(down)) => {
                lines_before((self.start + window.image.start) / line + down.image.start) * seen
            }
            (Some(window), None) => (self.start + window.image.start) / line * seen,
            (None, _) => self.start,
        };
        let before = p.param(start_of_lines * elements);
        let mut from = p.add(start, before);
        let is_merged = |axis: AxisId| self.window.as_ref().is_some_and(|window| window.axis == axis);
        for &(axis, pixels) in self.steps.iter().filter(|(axis, _)| !is_merged(*axis)) {
            let (at, far) = (p.at(axis), p.param(far(axis, pixels) * elements));
            let distance = p.mul(at, far);
            from = p.add(from, distance);
        }
        let at_step = p.at(step);
        let from = p.add(from, at_step);
        let points = self.window.as_ref().map_or(Some(1), |window| p.extent(window.axis))?;
        let rows = self.rows(p, c, (tensor, from, ty), step, points * elements);
        Some((copy, rows))
    }
}

impl Window {
    /// Finds the window, where it slides along whole lines.
    fn of(
        program: &Program,
        c: &Contraction,
        conditions: &[E],
        steps: &[(AxisId, i64)],
        start: i64,
        count: i64,
    ) -> Option<Window> {
        let &(axis, _) = steps.iter().find(|&&(axis, step)| step == 1 && c.reduced.contains(&axis))?;
        let points = program.extent(axis)?;
        let others = steps.iter().filter(|&&(other, _)| other != axis);
        // Of the axes of rows, the one with the shortest steps goes along a line.
        let (along, stride) =
            others.clone().copied().filter(|(of, _)| c.row_axes.contains(of)).min_by_key(|of| of.1)?;
        let line = others.filter(|&&(other, _)| other != along).fold(0, |divisor, &(_, step)| gcd(divisor, step));
        let line = if line == 0 { count } else { line };
        let seen = stride * (program.extent(along)? - 1) + points;
        let slides = |&condition: &E| {
            let own = |&of: &AxisId| of == axis || of == along;
            let linear = |side: E| {
                let [by, far] = [axis, along].map(|of| program.is_linear(side, of).then(|| program.step(side, of)));
                by.flatten().zip(far.flatten()).is_some_and(|(by, far)| far == stride * by)
            };
            match *program.node(condition) {
                Node::Binary(BinaryOp::Lt | BinaryOp::Le, a, b) => {
                    program.free_axes(condition).iter().all(own) && linear(a) && linear(b)
                }
                _ => false,
            }
        };
        let (here, elsewhere): (Vec<E>, Vec<E>) =
            conditions.iter().partition(|&&condition| program.depends_on(condition, axis));
        let image = inside(program, &here, axis, seen)?;
        let fits = line > 0
            && stride > 0
            && count % line == 0
            && (start + image.start) % line == 0
            && image.end - image.start <= line
            && here.iter().all(slides)
            && !elsewhere.iter().any(|&condition| program.depends_on(condition, along));
        fits.then_some(Window { axis, along, line, seen, image })
    }
}

/// The greatest common divisor.
fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{
        self, AlgKind, Attr, Convolution, DataType, Dims, InnerBlock, Layout, Matmul, MemoryDesc, Op, PropKind,
    };
    use crate::runtime::DeviceType;

    fn prepared(op: &Op) -> (Program, DeviceProfile) {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, dot_int8: true, ..host };
        let mut program = crate::lower::lower(op, &Attr::new()).unwrap();
        super::super::prepare(&mut program, &profile);
        (program, profile)
    }

    /// The text of an operation's last kernel on a device with dot products.
    fn text_of_last(op: &Op) -> String {
        let (program, profile) = prepared(op);
        super::super::schedule(&program, program.stages.last().unwrap(), &profile).unwrap().source.text
    }

    /// The stages of an operation on a device with dot products, and whether the last one uses them.
    fn stages(op: &Op) -> (Vec<&'static str>, bool) {
        let (program, _) = prepared(op);
        (program.stages.iter().map(|stage| stage.name).collect(), text_of_last(op).contains("vpdpbusd"))
    }

    #[test]
    fn products_of_odd_length_are_rounded_up_and_others_left_alone() {
        let product = |k: i64, layout: Option<Layout>| -> Op {
            let md = |m, n, of| MemoryDesc::with_strides(&[m, n], of, None).unwrap();
            let weights = match layout {
                Some(layout) => MemoryDesc::with_layout(&[k, 64], DataType::S8, &layout).unwrap(),
                None => md(k, 64, DataType::S8),
            };
            Matmul::new(&md(96, k, DataType::U8), &weights, None, &md(96, 64, DataType::F32)).unwrap().into()
        };
        let inner = vec![InnerBlock { dim: 1, size: 64 }, InnerBlock { dim: 0, size: 4 }];
        let panels = Layout { order: vec![1, 0], inner };
        assert_eq!(stages(&product(127, None)), (vec!["pack", "matmul"], true));
        assert_eq!(stages(&product(127, Some(panels.clone()))), (vec!["matmul"], true), "padding is zero");
        assert_eq!(stages(&product(3, Some(panels))), (vec!["round_up", "matmul"], true), "less than a group");
        assert_eq!(stages(&product(128, None)), (vec!["pack", "matmul"], true));
    }

    #[test]
    fn windows_over_few_colours_become_lines() {
        let image = |channels: i64, side: i64| {
            let strides = [channels * side * side, 1, channels * side, channels];
            MemoryDesc::with_strides(&[1, channels, side, side], DataType::U8, Some(&strides)).unwrap()
        };
        let both = |value: i64| Dims::from([value, value]);
        for (colours, padding, names) in [
            (3, 3, &["round_up", "convolution"][..]),
            (4, 3, &["round_up", "convolution"]),
            (1, 3, &["round_up", "pack", "convolution"]),
            (3, 0, &["pack", "convolution"]),
            (4, 0, &["convolution"]),
        ] {
            let result = (96 + 2 * padding - 7) / 2 + 1;
            let end = (result - 1) * 2 + 7 - padding - 96;
            let window =
                desc::Window { strides: both(2), dilations: both(0), padding_l: both(padding), padding_r: both(end) };
            let inner = vec![InnerBlock { dim: 0, size: 64 }, InnerBlock { dim: 1, size: 4 }];
            let layout = Layout { order: vec![0, 2, 3, 1], inner };
            let weights = MemoryDesc::with_layout(&[64, colours, 7, 7], DataType::S8, &layout).unwrap();
            let (prop, alg) = (PropKind::ForwardInference, AlgKind::ConvolutionDirect);
            let (src, dst) = (image(colours, 96), image(64, result));
            let op: Op = Convolution::new(prop, alg, &src, &weights, None, &dst, window).unwrap().into();
            assert_eq!(stages(&op), (names.to_vec(), true), "{colours} {padding}");
            // The copy has the padding, so that no row has to be asked whether it counts.
            assert!(!text_of_last(&op).contains("zeros"), "{colours} {padding}");
        }
    }
}
