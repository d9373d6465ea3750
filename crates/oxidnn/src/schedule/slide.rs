//! Sums over positions of an image that a window slides over: gradients by weights, whose short numbers are multiplied in groups.
//!
//! Each row is the image as one point of the window sees it. So the image is copied once, each channel a plane of its own with its
//! padding around it, and a row is a plane from some position on. The other factor is brought into panels with gaps where rows
//! of the plane have padding, zeros, so that sums run through a plane without asking where they are. Long ones do so piece by
//! piece: with few of the images at a time copies stay small.

use std::collections::HashMap;
use std::ops::Range;

use super::ceil;
use super::contract::{Contraction, Dot, conditions};
use super::pack::PanelCopy;
use super::pieces::{Cut, in_place, one_after_another};
use super::room::has_room;
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::DeviceProfile;

/// Columns and rows from which on it pays to copy both factors.
const WORTH_COLUMNS: i64 = 32;
const WORTH_ROWS: i64 = 32;
/// Steps of a piece at the most, if it has more than one image.
const STEPS: i64 = 2048;
/// How many gaps there may be for each position that counts: groups take half of the time.
const MOST_GAPS: f64 = 0.6;

/// Copies the factors of the contractions that gain by it.
pub(super) fn slide(program: &mut Program, profile: &DeviceProfile) {
    let mut index = 0;
    while index < program.stages.len() {
        let stage = program.stages[index].clone();
        if let Some((rewritten, stages)) = slide_stage(program, &stage, profile) {
            *program = rewritten;
            let count = stages.len();
            program.stages.splice(index..=index, stages);
            index += count;
        } else {
            index += 1;
        }
    }
}

/// An axis of an image.
#[derive(Debug)]
struct Line {
    /// What is summed along it, and how many steps that are.
    axis: AxisId,
    steps: i64,
    /// The window's axis that slides along it, and how far each of its steps goes.
    window: Option<(AxisId, i64)>,
    /// Positions that are seen.
    seen: i64,
    /// Where among them the image is.
    image: Range<i64>,
}

/// A sum over positions of an image.
struct Slide {
    dot: Dot,
    /// The axes of the image, the innermost last.
    lines: Vec<Line>,
    /// What else is summed over: images.
    others: Vec<AxisId>,
    /// Positions of a row of a plane, gaps included.
    row: i64,
    /// How far apart in a plane neighbours along each axis are.
    inner: Vec<i64>,
}

impl Slide {
    /// Sees a contraction as one, if both factors had better be copied for it.
    fn of(program: &Program, c: &Contraction, profile: &DeviceProfile) -> Option<Slide> {
        let dot = Dot::of_types(program, c).filter(|dot| dot.is_there(profile))?;
        let Node::Load { offset, .. } = *program.node(c.broadcast) else { return None };
        let usable = c.dot.is_none() && c.more.is_empty() && !c.is_lanewise(program);
        if !usable
            || !conditions(program, c.vector).is_empty()
            || program.extent(c.columns)? < WORTH_COLUMNS
            || c.row_count(program)? < WORTH_ROWS
        {
            return None;
        }
        let conditions = conditions(program, c.broadcast);
        let is_linear = |axis: &AxisId| {
            let sides = |&condition: &E| match *program.node(condition) {
                Node::Binary(BinaryOp::Lt | BinaryOp::Le, a, b) => {
                    program.is_linear(a, *axis) && program.is_linear(b, *axis)
                }
                _ => false,
            };
            program.is_linear(offset, *axis) && conditions.iter().all(sides)
        };
        if !c.reduced.iter().chain(&c.row_axes).all(is_linear) {
            return None;
        }
        let mut reduced = c.reduced.clone();
        reduced.sort_by_key(|&axis| std::cmp::Reverse(program.step(offset, axis)));
        let mut lines = Vec::new();
        for &axis in &reduced {
            let steps = program.extent(axis)?;
            let slides = |&window: &AxisId| {
                let far = slides_along(program, offset, &conditions, window, axis)?;
                let extent = program.extent(window)?;
                (far * (extent - 1) < steps).then_some((window, far))
            };
            let taken =
                |(window, _): &(AxisId, i64)| lines.iter().all(|line: &Line| line.window.map(|w| w.0) != Some(*window));
            let window = c.row_axes.iter().filter_map(slides).find(taken);
            let seen = steps + window.map_or(0, |(window, far)| far * (program.extent(window).unwrap_or(1) - 1));
            let image = inside(program, &conditions, axis, seen)?;
            lines.push(Line { axis, steps, window, seen, image });
        }
        // No window slides from one image to the next.
        let others: Vec<AxisId> = match lines.first() {
            Some(Line { axis, window: None, .. }) => vec![*axis],
            _ => Vec::new(),
        };
        lines.drain(..others.len());
        let slides = |axis: &AxisId| {
            lines.iter().any(|line| line.window.is_some_and(|(window, _)| window == *axis) || line.axis == *axis)
        };
        let decided = |&condition: &E| program.free_axes(condition).iter().all(slides);
        if !lines.iter().any(|line| line.window.is_some()) || !conditions.iter().all(decided) {
            return None;
        }
        let round = |number: i64| ceil(number, dot.group()) * dot.group();
        let last = lines.last()?;
        let row = round(round(last.steps) + last.seen - last.steps);
        let mut inner = vec![1; lines.len()];
        for number in (1..lines.len()).rev() {
            let positions = if number + 1 == lines.len() { row } else { lines[number].seen };
            inner[number - 1] = inner[number] * positions;
        }
        let slide = Slide { dot, lines, others, row, inner };
        let counted: i64 = slide.lines.iter().map(|line| line.steps).product();
        ((slide.steps() - counted) as f64 <= MOST_GAPS * counted as f64).then_some(slide)
    }

    /// How many steps a sum takes along a plane: up to the last position that counts.
    fn steps(&self) -> i64 {
        let last: i64 = self.lines.iter().zip(&self.inner).map(|(line, inner)| (line.steps - 1) * inner).sum();
        ceil(last + 1, self.dot.group()) * self.dot.group()
    }

    /// How many positions a plane has.
    fn plane(&self) -> i64 {
        match &self.lines[..] {
            [_] => self.row,
            lines => lines[0].seen * self.inner[0],
        }
    }

    /// How many steps panels have room for along an axis of the image.
    fn room(&self, number: usize) -> i64 {
        let line = &self.lines[number];
        match number {
            0 if self.lines.len() == 1 => self.steps(),
            0 => line.steps,
            _ if number + 1 == self.lines.len() => self.row,
            _ => line.seen,
        }
    }

    /// A piece: how many steps along which axis, where that leaves something.
    fn piece(&self, program: &Program) -> Option<Cut> {
        let &[axis] = &self.others[..] else { return None };
        let extent = program.extent(axis)?;
        let most = (STEPS / self.steps()).clamp(1, Dot::MOST_LINES);
        let size = (1..=most.min(extent)).rev().find(|size| extent % size == 0)?;
        (size < extent).then(|| Cut { single: Vec::new(), axis, size, count: extent / size })
    }
}

/// How far along an axis that is summed over each step along another one goes, everywhere.
fn slides_along(program: &Program, offset: E, conditions: &[E], window: AxisId, axis: AxisId) -> Option<i64> {
    let (by, step) = (program.step(offset, window)?, program.step(offset, axis)?);
    let far = by.checked_div(step).filter(|far| far * step == by && *far > 0)?;
    let alike = |e: E| program.step(e, window).zip(program.step(e, axis)).is_some_and(|(by, step)| by == far * step);
    let both = |&condition: &E| match *program.node(condition) {
        Node::Binary(_, a, b) => alike(a) && alike(b),
        _ => false,
    };
    conditions.iter().all(both).then_some(far)
}

/// Where along an axis conditions hold.
pub(super) fn inside(program: &Program, conditions: &[E], axis: AxisId, seen: i64) -> Option<Range<i64>> {
    let here: Vec<E> = conditions.iter().copied().filter(|&condition| program.depends_on(condition, axis)).collect();
    let holds = |position: i64| {
        let at = |other: AxisId| Some(if other == axis { position } else { 0 });
        here.iter().all(|&condition| program.holds(condition, &at) == Some(true))
    };
    let first = (0..seen).find(|&position| holds(position))?;
    let count = (first..seen).take_while(|&position| holds(position)).count() as i64;
    Some(first..first + count)
}

/// The stages that take the place of one, and the program that they are of.
fn slide_stage(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<(Program, Vec<Stage>)> {
    let c = Contraction::of(program, stage, profile)?;
    if stage.repeat.is_some() || program.ty(c.sum) != Ty::F32 {
        return None;
    }
    let slide = Slide::of(program, &c, profile)?;
    let sums = program.points(&stage.axes)?;
    let in_place = in_place(program, stage, &c);
    let cut = slide.piece(program).filter(|_| in_place.is_some() || has_room(program, DataType::F32, sums));
    let mut rewritten = program.clone();
    let (piece, rest) = match cut {
        Some(cut) => one_after_another(&mut rewritten, stage, &c, &cut, in_place),
        None => (stage.clone(), None),
    };
    let mut stages = copies(&mut rewritten, &piece, profile)?;
    stages.extend(rest);
    Some((rewritten, stages))
}

/// The copies of both factors of a contraction, and what is left of it.
fn copies(p: &mut Program, stage: &Stage, profile: &DeviceProfile) -> Option<Vec<Stage>> {
    let c = Contraction::of(p, stage, profile)?;
    let slide = Slide::of(p, &c, profile)?;
    if p.points(&slide.others)? > Dot::MOST_LINES {
        return None;
    }
    let steps = p.param(slide.steps());
    let step = p.add_axis("step", steps);
    let (zero, at_step) = (p.index(0), p.at(step));
    let merged: HashMap<AxisId, E> = {
        let (last, outer) = slide.lines.split_last()?;
        outer.iter().map(|line| (line.axis, zero)).chain([(last.axis, at_step)]).collect()
    };
    let summed: Vec<AxisId> = slide.others.iter().copied().chain([step]).collect();
    let is_window =
        |axis: &AxisId| slide.lines.iter().any(|line| line.window.is_some_and(|(window, _)| window == *axis));
    let planes: Vec<AxisId> = c
        .batch
        .iter()
        .chain(&slide.others)
        .chain(c.row_axes.iter().filter(|axis| !is_window(axis)))
        .copied()
        .filter(|&axis| p.depends_on(c.broadcast, axis))
        .collect();
    let (mut all, rows) = image(p, stage, &c, &slide, &planes, at_step)?;

    // The tile depends on neither where columns lie nor what they are.
    let mut probe = stage.clone();
    let columns = p.substitute(c.vector, &merged);
    let product = p.mul(rows, columns);
    let sum = p.reduce(ReduceOp::Sum, summed.clone(), product);
    p.replace_in(&mut probe, c.sum, sum);
    let grouped = Contraction::of(p, &probe, profile).filter(|c| c.dot.is_some())?;
    let width = grouped.width(&grouped.tile(p, profile)?);

    let own: Vec<AxisId> = (0..slide.lines.len())
        .map(|number| {
            let extent = p.param(slide.room(number));
            p.add_axis(p.axis(slide.lines[number].axis).name, extent)
        })
        .collect();
    let padded = with_gaps(p, &c, &slide, &own)?;
    let reduced: Vec<AxisId> = slide.others.iter().chain(&own).copied().collect();
    let batch: Vec<AxisId> = c.batch.iter().copied().filter(|&axis| p.depends_on(c.vector, axis)).collect();
    let group = slide.dot.group();
    let copy =
        PanelCopy { name: "pack", factor: padded, batch: &batch, columns: c.columns, reduced: &reduced, width, group };
    let data_type = data_type(p, c.vector)?;
    if !has_room(p, data_type, copy.elements(p)?) {
        return None;
    }
    let (copy, panels) = copy.build(p, data_type)?;
    let (&last, outer) = own.split_last()?;
    let at: HashMap<AxisId, E> = outer.iter().map(|&axis| (axis, zero)).chain([(last, at_step)]).collect();
    let panels = p.substitute(panels, &at);
    let product = p.mul(rows, panels);
    let sum = p.reduce(ReduceOp::Sum, summed, product);
    let mut packed = stage.clone();
    p.replace_in(&mut packed, c.sum, sum);
    all.push(Stage { repeat: stage.repeat, ..copy });
    all.push(packed);
    Some(all)
}

fn data_type(program: &Program, factor: E) -> Option<DataType> {
    match *program.node(factor) {
        Node::Load { tensor, .. } => Some(program.tensor(tensor).data_type),
        _ => None,
    }
}

/// The stages that fill planes, and rows as they are read from there. Padding is zero from the start, and nothing else is written to it.
fn image(
    p: &mut Program,
    stage: &Stage,
    c: &Contraction,
    slide: &Slide,
    planes: &[AxisId],
    at_step: E,
) -> Option<(Vec<Stage>, E)> {
    let Node::Load { tensor: from, offset, ty, .. } = *p.node(c.broadcast) else { return None };
    let data_type = p.tensor(from).data_type;
    let elements = p.points(planes)?.checked_mul(slide.plane())?;
    if !has_room(p, data_type, elements) {
        return None;
    }
    let (tensor, start) = p.add_scratch("planes", data_type, elements.max(1) as usize);
    let (plane, zero) = (p.param(slide.plane()), p.index(0));
    let inner: Vec<E> = slide.inner.iter().map(|&inner| if inner == 1 { p.index(1) } else { p.param(inner) }).collect();

    let count = p.param(elements);
    let element = p.add_axis("element", count);
    let at = p.at(element);
    let (offset_of_zero, value) = (p.add(start, at), p.constant(ty, 0.0));
    let stores = vec![Store { tensor, offset: offset_of_zero, value }];
    let zeros = Stage { name: "zeros", axes: vec![element], bounds: None, stores, repeat: None };

    // The copy has axes of its own.
    let mut at: HashMap<AxisId, E> = HashMap::new();
    let mut axes = Vec::new();
    for &axis in planes {
        let Axis { name, extent } = p.axis(axis).clone();
        axes.push(p.add_axis(name, extent));
        at.insert(axis, p.at(axes[axes.len() - 1]));
    }
    let number = p.row_major(zero, &axes);
    let number = p.mul(number, plane);
    let mut to = p.add(start, number);
    for (line, &inner) in slide.lines.iter().zip(&inner) {
        let count = p.param(line.image.end - line.image.start);
        axes.push(p.add_axis(p.axis(line.axis).name, count));
        let (within, first) = (p.at(axes[axes.len() - 1]), p.param(line.image.start));
        let position = p.add(first, within);
        at.insert(line.axis, position);
        at.extend(line.window.map(|(window, _)| (window, zero)));
        let distance = p.mul(position, inner);
        to = p.add(to, distance);
    }
    let source = p.substitute(offset, &at);
    let value = p.load(from, source, ty);
    let stores = vec![Store { tensor, offset: to, value }];
    let copy = Stage { name: "line_up", axes, bounds: None, stores, repeat: stage.repeat };

    let number = p.row_major(zero, planes);
    let number = p.mul(number, plane);
    let mut from = p.add(start, number);
    for (line, &inner) in slide.lines.iter().zip(&inner) {
        if let Some((window, far)) = line.window {
            let (at, far) = (p.at(window), p.param(far));
            let distance = p.mul(at, far);
            let distance = p.mul(distance, inner);
            from = p.add(from, distance);
        }
    }
    let from = p.add(from, at_step);
    let rows = p.load(tensor, from, ty);
    Some((vec![zeros, copy], rows))
}

/// The vector factor along axes that have room for gaps, where it is zero.
fn with_gaps(p: &mut Program, c: &Contraction, slide: &Slide, own: &[AxisId]) -> Option<E> {
    let Node::Load { tensor, offset, ty, .. } = *p.node(c.vector) else { return None };
    let at: HashMap<AxisId, E> = slide.lines.iter().zip(own).map(|(line, &own)| (line.axis, p.at(own))).collect();
    let offset = p.substitute(offset, &at);
    let mut counts = p.bool(true);
    for (number, line) in slide.lines.iter().enumerate() {
        if slide.room(number) > line.steps {
            let extent = p.axis(line.axis).extent;
            let here = p.lt(at[&line.axis], extent);
            counts = p.and(counts, here);
        }
    }
    Some(p.load_if(counts, tensor, offset, ty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{AlgKind, Attr, Convolution, Dims, MemoryDesc, Op, PropKind, Window};
    use crate::runtime::DeviceType;

    /// A gradient by weights over images of some height and width.
    fn prepared(
        data_type: DataType,
        [batch, height, width]: [i64; 3],
        [stride, dilation, padding]: [i64; 3],
        dots: bool,
    ) -> Program {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, dot_bf16: dots, ..host };
        let out = |side: i64| (side + 2 * padding - 3 - 2 * dilation) / stride + 1;
        let end = |side: i64| (out(side) - 1) * stride + 2 * dilation + 3 - side - padding;
        let both = |value: i64| Dims::from([value, value]);
        let padding_r = Dims::from([end(height), end(width)]);
        let window = Window { strides: both(stride), dilations: both(dilation), padding_l: both(padding), padding_r };
        let images = |channels: i64, height: i64, width: i64| {
            let strides = [channels * height * width, 1, width * channels, channels];
            MemoryDesc::with_strides(&[batch, channels, height, width], data_type, Some(&strides)).unwrap()
        };
        let weights = MemoryDesc::with_strides(&[64, 32, 3, 3], data_type, Some(&[1, 64, 3 * 2048, 2048])).unwrap();
        let (prop, alg) = (PropKind::BackwardWeights, AlgKind::ConvolutionDirect);
        let (image, gradient) = (images(32, height, width), images(64, out(height), out(width)));
        let op: Op = Convolution::new(prop, alg, &image, &weights, None, &gradient, window).unwrap().into();
        let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
        super::super::prepare(&mut program, &profile);
        program
    }

    fn stages(data_type: DataType, batch: i64, window: [i64; 3], dots: bool) -> Vec<&'static str> {
        prepared(data_type, [batch, 28, 28], window, dots).stages.iter().map(|stage| stage.name).collect()
    }

    #[test]
    fn sums_end_inside_the_last_plane() {
        for (height, width, window) in [
            (28, 28, [1, 0, 1]),
            (27, 29, [1, 0, 1]),
            (13, 13, [1, 0, 0]),
            (14, 31, [1, 1, 0]),
            (15, 15, [1, 1, 2]),
            (9, 22, [1, 0, 1]),
        ] {
            let program = prepared(DataType::Bf16, [1, height, width], window, true);
            let planes = program.tensors.iter().find(|tensor| tensor.name == "planes").expect("a window slides");
            let Binding::Scratch { elements, base } = planes.binding else { panic!("planes are a copy") };
            assert_eq!(program.params[base.index()], Source::Known(0), "offsets count from the first plane on");
            let last = |axis: AxisId| program.extent(axis).map(|extent| extent - 1);
            let mut reached = 0;
            program.visit(program.stages.iter().flat_map(|stage| program.roots(stage)), &mut |e| {
                if let Node::Load { tensor, offset, .. } = *program.node(e)
                    && program.tensor(tensor).name == "planes"
                {
                    reached = program.evaluate(offset, &last).expect("all sizes are known") + 1;
                }
            });
            assert!(0 < reached && reached <= elements as i64, "{height}x{width} {window:?}: {reached} of {elements}");
        }
    }

    #[test]
    fn images_become_planes_where_windows_slide_over_pairs() {
        let alone = ["zeros", "line_up", "pack", "convolution"];
        let pieces = ["zeros", "line_up", "pack", "convolution", "convolution"];
        assert_eq!(stages(DataType::Bf16, 1, [1, 0, 1], true), alone);
        assert_eq!(stages(DataType::Bf16, 1, [1, 1, 0], true), alone);
        assert_eq!(stages(DataType::Bf16, 16, [1, 0, 1], true), pieces);
        for (data_type, stride, dots) in
            [(DataType::Bf16, 1, false), (DataType::F32, 1, true), (DataType::Bf16, 2, true)]
        {
            let names = stages(data_type, 16, [stride, 0, 1], dots);
            assert!(!names.contains(&"zeros"), "{data_type} {stride} {dots} {names:?}");
        }
    }
}
