//! Splits an axis whose points take turns: where only every so many steps of a reduction count.
//!
//! A gradient by data of a convolution with strides, or a deconvolution, asks at each product whether a position is a
//! multiple of the stride. Points that lie a stride apart all get the same answer, so they become an axis of their own
//! and the answer is found outside of it. Where an axis is no multiple of the stride some of its phases have one point more than others;
//! these are stages of their own.
//!
//! The window of a depthwise convolution is short, so that finding the answer takes longer than the products. There each phase has a window
//! of its own, of those steps alone that count: what is left is a convolution without strides.

use std::collections::HashMap;
use std::ops::Range;

use super::ceil;
use super::contract::{self, Contraction, conditions};
use crate::program::*;
use crate::runtime::{DeviceProfile, DeviceType};

/// Products from which on a stage is worth a kernel for each part of an axis that is no multiple of the stride.
const WORTH: i64 = 1 << 21;

/// Splits all such axes of contractions.
pub(super) fn split(program: &mut Program, profile: &DeviceProfile) {
    if profile.device_type != DeviceType::Cpu {
        return;
    }
    let mut index = 0;
    while index < program.stages.len() {
        let whole = program.stages[index].clone();
        let parts = parts(program, whole, profile);
        let count = parts.len();
        program.stages.splice(index..=index, parts);
        index += count;
    }
}

/// A stage whose axes are split, or the stages for the parts of them.
fn parts(program: &mut Program, whole: Stage, profile: &DeviceProfile) -> Vec<Stage> {
    // Some have a form of their own as soon as all axes are split.
    let mut stage = whole.clone();
    while let Some(factors) = contract::factors(program, &stage)
        && let Some(turns) = Turns::of(program, &factors, &stage.axes).filter(Turns::are_even)
    {
        stage = turns.split(program, &stage, 0..turns.by, None).unwrap_or(stage);
    }
    if contract::has_own_form(program, &stage, profile) {
        return vec![stage];
    }
    let (mut parts, mut left) = (Vec::new(), vec![whole]);
    while let Some(stage) = left.pop() {
        match Contraction::of(program, &stage, profile).and_then(|c| split_contraction(program, &stage, &c)) {
            Some(split) => left.extend(split),
            None => parts.push(stage),
        }
    }
    parts
}

/// A contraction with one of its axes of rows split.
fn split_contraction(program: &mut Program, stage: &Stage, c: &Contraction) -> Option<Vec<Stage>> {
    let turns = Turns::of(program, &[c.broadcast], &c.row_axes)?;
    let window = if c.is_lanewise(program) { Window::of(program, c, &turns) } else { None };
    if turns.are_even() {
        return Some(vec![turns.split(program, stage, 0..turns.by, window)?]);
    }
    let products = program.points(stage.axes.iter().chain(&c.reduced))?;
    if products < WORTH || stage.repeat.is_some() {
        return None;
    }
    let longer = turns.extent % turns.by;
    [0..longer, longer..turns.by].into_iter().map(|phases| turns.split(program, stage, phases, window)).collect()
}

/// An axis whose points take turns.
struct Turns {
    axis: AxisId,
    extent: i64,
    /// The stride, and its value.
    stride: E,
    by: i64,
    /// What has to be a multiple of it, what of that does not depend on the axis, and the remainder that tells.
    position: E,
    rest: E,
    remainder: E,
}

/// The axis of a window whose steps go back by one each, and where they start beside the position along the axis that takes turns.
#[derive(Clone, Copy)]
struct Window {
    axis: AxisId,
    start: E,
}

impl Turns {
    /// Finds one of some axes, along which factors take turns.
    fn of(program: &mut Program, factors: &[E], axes: &[AxisId]) -> Option<Turns> {
        let all: Vec<E> = factors.iter().flat_map(|&factor| conditions(program, factor)).collect();
        all.into_iter().find_map(|condition| {
            let Node::Binary(BinaryOp::Eq, remainder, _) = *program.node(condition) else { return None };
            let Node::Binary(BinaryOp::Rem, position, stride) = *program.node(remainder) else { return None };
            let by = program.value(stride).filter(|&by| by > 1)?;
            let axis = axes.iter().copied().find(|&axis| program.depends_on(position, axis))?;
            let extent = program.extent(axis).filter(|&extent| extent > by)?;
            let (step, rest) = program.linear(position, axis)?;
            (program.value(step) == Some(1)).then_some(Turns { axis, extent, stride, by, position, rest, remainder })
        })
    }

    /// Whether all phases have as many points.
    fn are_even(&self) -> bool {
        self.extent % self.by == 0
    }

    /// The stage for some phases, which all have as many points, with steps of a window for each of them that count there.
    fn split(&self, program: &mut Program, stage: &Stage, phases: Range<i64>, window: Option<Window>) -> Option<Stage> {
        let &Turns { axis, extent, stride, position, rest, remainder, .. } = self;
        let mut stage = stage.clone();
        let count = program.param(ceil(extent - phases.start, self.by));
        let turn = program.add_axis(program.axis(axis).name, count);
        let (first, several) = (phases.start, phases.end - phases.start);
        let at_phase = if several == self.by {
            let phase = program.add_axis("phase", stride);
            stage.axes.insert(0, phase);
            program.at(phase)
        } else if several > 1 {
            let (first, several) = (program.param(first), program.param(several));
            let phase = program.add_axis("phase", several);
            stage.axes.insert(0, phase);
            let at = program.at(phase);
            program.add(first, at)
        } else {
            program.param(first)
        };
        let at_turn = program.at(turn);
        let start = program.mul(at_turn, stride);
        let point = program.add(start, at_phase);
        let quotient = program.div(position, stride);
        match window {
            Some(window) => self.sort(program, &mut stage, window, phases, [at_turn, at_phase, point])?,
            None => {
                // `position` is `turn * stride` and this; only where it is a multiple of the stride are quotients asked for.
                let within = program.add(at_phase, rest);
                let left = program.rem(within, stride);
                let turns = program.div(within, stride);
                let turns = program.add(at_turn, turns);
                program.replace_in(&mut stage, remainder, left);
                program.replace_in(&mut stage, quotient, turns);
            }
        }
        program.replace_axes(&mut stage, &HashMap::from([(axis, point)]));
        stage.axes.iter_mut().filter(|other| **other == axis).for_each(|other| *other = turn);
        Some(stage)
    }

    /// Leaves those steps of a window alone that count in some phases: from the first one on, a stride apart.
    fn sort(
        &self,
        program: &mut Program,
        stage: &mut Stage,
        window: Window,
        phases: Range<i64>,
        [at_turn, at_phase, point]: [E; 3],
    ) -> Option<()> {
        let &Turns { axis, stride, by, position, remainder, .. } = self;
        let (size, start) = (program.extent(window.axis)?, program.value(window.start)?);
        let counts = phases.map(|phase| ceil(size - (phase + start) % by, by));
        let (least, most) = (counts.clone().min()?, counts.max()?);
        let steps = program.param(most);
        let step = program.add_axis(program.axis(window.axis).name, steps);
        let at_step = program.at(step);
        let from = program.add(at_phase, window.start);
        let (first, begin) = (program.rem(from, stride), program.div(from, stride));
        let apart = program.mul(at_step, stride);
        let tap = program.add(apart, first);
        let back = program.add(at_turn, begin);
        let turns = program.sub(back, at_step);

        let sum = *program.reductions(program.roots(stage)).first()?;
        let Node::Reduce { op, axes, body } = program.node(sum).clone() else { return None };
        let zero = program.index(0);
        let quotient = program.div(position, stride);
        let [reached, reaches] = [position, turns].map(|position| program.le(zero, position));
        let places = HashMap::from([(axis, point), (window.axis, tap)]);
        let Node::Binary(op_of_body, a, b) = *program.node(body) else { return None };
        let is_there = program.lt(tap, program.axis(window.axis).extent);
        let factors = [a, b].map(|factor| {
            let turned = [(remainder, zero), (quotient, turns), (reached, reaches)]
                .into_iter()
                .fold(factor, |factor, (from, to)| program.replace(factor, from, to));
            let turned = program.substitute(turned, &places);
            match *program.node(turned) {
                // What is not part of the window must not be read.
                Node::Load { tensor, offset, guard, ty }
                    if least < most && turned != factor && !program.depends_on(factor, axis) =>
                {
                    let guard = guard.map_or(is_there, |guard| program.and(guard, is_there));
                    program.load_if(guard, tensor, offset, ty)
                }
                _ => turned,
            }
        });
        let body = program.binary(op_of_body, factors[0], factors[1]);
        let axes = axes.into_iter().map(|of| if of == window.axis { step } else { of }).collect();
        let sorted = program.reduce(op, axes, body);
        program.replace_in(stage, sum, sorted);
        Some(())
    }
}

impl Window {
    /// Finds the window of a contraction whose steps take turns.
    fn of(program: &mut Program, c: &Contraction, turns: &Turns) -> Option<Window> {
        let mut steps = c.reduced.iter().copied().filter(|&axis| program.depends_on(turns.rest, axis));
        let (Some(axis), None) = (steps.next(), steps.next()) else { return None };
        let (step, start) = program.linear(turns.rest, axis)?;
        let is_read = matches!(program.node(c.vector), Node::Load { .. }) && c.more.is_empty();
        // Each phase has a step, at least.
        let reaches = program.extent(axis)? >= turns.by;
        let fits = program.value(step) == Some(-1) && program.value(start).is_some_and(|start| start >= 0);
        (is_read && reaches && fits).then_some(Window { axis, start })
    }
}
