//! What the nodes of a stage depend on, remembered.

use std::collections::HashMap;

use crate::program::{AxisId, BinaryOp, E, Node, Program, Stage, Ty};

/// A set of axes of one stage.
pub type AxisSet = u128;

/// A program, to which nodes may be added, and the axes its nodes depend on.
#[derive(Debug)]
pub struct Dependences<'p> {
    pub program: &'p mut Program,
    bits: HashMap<AxisId, AxisSet>,
    free: HashMap<E, AxisSet>,
}

impl<'p> Dependences<'p> {
    pub fn new(program: &'p mut Program) -> Dependences<'p> {
        Dependences { program, bits: HashMap::new(), free: HashMap::new() }
    }

    /// The set of one axis.
    pub fn bit(&mut self, axis: AxisId) -> AxisSet {
        let next = self.bits.len() as u32;
        *self.bits.entry(axis).or_insert_with(|| 1u128.checked_shl(next).expect("at most 128 axes in a stage"))
    }

    /// The axes a node's value depends on.
    pub fn of(&mut self, e: E) -> AxisSet {
        if let Some(&known) = self.free.get(&e) {
            return known;
        }
        let axes: Vec<AxisId> = self.program.free_axes(e).iter().copied().collect();
        let free = axes.into_iter().fold(0, |all, axis| all | self.bit(axis));
        self.free.insert(e, free);
        free
    }

    /// Writes a condition as `coefficient * axis < limit`.
    pub fn half_line(&mut self, condition: E, axis: AxisId) -> Option<(E, E)> {
        let Node::Binary(op @ (BinaryOp::Lt | BinaryOp::Le), a, b) = *self.program.node(condition) else { return None };
        if self.program.ty(a) != Ty::Index {
            return None;
        }
        let (coefficient_a, rest_a) = self.program.linear(a, axis)?;
        let (coefficient_b, rest_b) = self.program.linear(b, axis)?;
        let coefficient = self.program.sub(coefficient_a, coefficient_b);
        let mut limit = self.program.sub(rest_b, rest_a);
        if op == BinaryOp::Le {
            let one = self.program.index(1);
            limit = self.program.add(limit, one);
        }
        Some((coefficient, limit))
    }

    /// Whether a stage reduces.
    pub fn reduces(&self, stage: &Stage) -> bool {
        !self.program.reductions(self.program.roots(stage)).is_empty()
    }

    /// Whether a node holds a reduction whose value depends on one of some axes.
    pub fn reduces_inside(&mut self, e: E, axes: &[AxisId]) -> bool {
        let set = axes.iter().fold(0, |set, &axis| set | self.bit(axis));
        self.program.reductions([e]).into_iter().any(|reduction| self.of(reduction) & set != 0)
    }

    /// The axes of a stage's domain that lanes may run over: no reduction is longer for one lane than for another.
    pub fn lane_axes(&mut self, stage: &Stage) -> Vec<AxisId> {
        let mut uneven = 0;
        for e in self.program.reductions(self.program.roots(stage)) {
            let Node::Reduce { axes, .. } = self.program.node(e).clone() else { continue };
            for axis in axes {
                uneven |= self.of(self.program.axis(axis).extent);
            }
        }
        stage.axes.iter().copied().filter(|&axis| self.bit(axis) & uneven == 0).collect()
    }
}
