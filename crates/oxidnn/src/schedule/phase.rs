//! Splits an axis whose points take turns: where only every so many steps of a reduction count.
//!
//! A gradient by data of a convolution with strides, or a deconvolution, asks at each product whether a position is a
//! multiple of the stride. Points that lie a stride apart all get the same answer, so they become an axis of their own
//! and the answer is found outside of it.

use std::collections::HashMap;

use super::contract::{self, Contraction, conditions};
use crate::program::*;
use crate::runtime::{DeviceProfile, DeviceType};

/// Splits all such axes of contractions.
pub(super) fn split(program: &mut Program, profile: &DeviceProfile) {
    if profile.device_type != DeviceType::Cpu {
        return;
    }
    for index in 0..program.stages.len() {
        let whole = program.stages[index].clone();
        // Some have a form of their own as soon as all axes are split.
        let mut stage = whole.clone();
        while let Some(factors) = contract::factors(program, &stage)
            && let Some(next) = split_stage(program, &stage, &factors, &stage.axes)
        {
            stage = next;
        }
        if !contract::has_own_form(program, &stage, profile) {
            stage = whole;
            while let Some(c) = Contraction::of(program, &stage, profile)
                && let Some(next) = split_stage(program, &stage, &[c.broadcast], &c.row_axes)
            {
                stage = next;
            }
        }
        program.stages[index] = stage;
    }
}

/// Splits one of some axes, along which factors take turns.
fn split_stage(program: &mut Program, stage: &Stage, factors: &[E], axes: &[AxisId]) -> Option<Stage> {
    let all: Vec<E> = factors.iter().flat_map(|&factor| conditions(program, factor)).collect();
    all.into_iter().find_map(|condition| {
        let Node::Binary(BinaryOp::Eq, rest_of, _) = *program.node(condition) else { return None };
        let Node::Binary(BinaryOp::Rem, position, stride) = *program.node(rest_of) else { return None };
        let by = program.value(stride).filter(|&by| by > 1)?;
        let axis = axes.iter().copied().find(|&axis| program.depends_on(position, axis))?;
        let extent = program.extent(axis).filter(|&extent| extent > by && extent % by == 0)?;
        let (step, rest) = program.linear(position, axis)?;
        (program.value(step) == Some(1)).then_some(())?;

        let count = program.param(extent / by);
        let (phase, turn) = (program.add_axis("phase", stride), program.add_axis(program.axis(axis).name, count));
        let (at_phase, at_turn) = (program.at(phase), program.at(turn));
        // `position` is `turn * stride` and this; only where it is a multiple of the stride are quotients asked for.
        let within = program.add(at_phase, rest);
        let remainder = program.rem(within, stride);
        let quotient = program.div(position, stride);
        let turns = program.div(within, stride);
        let turns = program.add(at_turn, turns);
        let start = program.mul(at_turn, stride);
        let point = HashMap::from([(axis, program.add(start, at_phase))]);
        let mut stage = stage.clone();
        program.replace_in(&mut stage, rest_of, remainder);
        program.replace_in(&mut stage, quotient, turns);
        program.replace_axes(&mut stage, &point);
        stage.axes.iter_mut().filter(|other| **other == axis).for_each(|other| *other = turn);
        stage.axes.insert(0, phase);
        Some(stage)
    })
}
