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
        let mut free = self.program.operands(e).into_iter().fold(0, |all, x| all | self.of(x));
        match self.program.node(e).clone() {
            Node::Axis(axis) => free |= self.bit(axis),
            Node::Reduce { axes, .. } => axes.into_iter().for_each(|axis| free &= !self.bit(axis)),
            _ => {}
        }
        self.free.insert(e, free);
        free
    }

    /// Writes an index as `coefficient * axis + rest`, as [`Program::linear`] does.
    pub fn linear(&mut self, e: E, axis: AxisId) -> Option<(E, E)> {
        let bit = self.bit(axis);
        if self.of(e) & bit == 0 {
            return Some((self.program.index(0), e));
        }
        match *self.program.node(e) {
            Node::Axis(_) => Some((self.program.index(1), self.program.index(0))),
            Node::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let (coefficient_a, rest_a) = self.linear(a, axis)?;
                let (coefficient_b, rest_b) = self.linear(b, axis)?;
                Some((self.program.binary(op, coefficient_a, coefficient_b), self.program.binary(op, rest_a, rest_b)))
            }
            Node::Binary(BinaryOp::Mul, a, b) => {
                let (varying, factor) = if self.of(b) & bit == 0 { (a, b) } else { (b, a) };
                if self.of(factor) & bit != 0 {
                    return None;
                }
                let (coefficient, rest) = self.linear(varying, axis)?;
                Some((self.program.mul(coefficient, factor), self.program.mul(rest, factor)))
            }
            _ => None,
        }
    }

    /// Writes a condition as `coefficient * axis < limit`.
    pub fn half_line(&mut self, condition: E, axis: AxisId) -> Option<(E, E)> {
        let Node::Binary(op @ (BinaryOp::Lt | BinaryOp::Le), a, b) = *self.program.node(condition) else { return None };
        if self.program.ty(a) != Ty::Index {
            return None;
        }
        let (coefficient_a, rest_a) = self.linear(a, axis)?;
        let (coefficient_b, rest_b) = self.linear(b, axis)?;
        let coefficient = self.program.sub(coefficient_a, coefficient_b);
        let mut limit = self.program.sub(rest_b, rest_a);
        if op == BinaryOp::Le {
            let one = self.program.index(1);
            limit = self.program.add(limit, one);
        }
        Some((coefficient, limit))
    }

    /// The conditions that a condition is the conjunction of.
    pub fn conjuncts(&self, condition: E) -> Vec<E> {
        match *self.program.node(condition) {
            Node::Binary(BinaryOp::And, a, b) => [self.conjuncts(a), self.conjuncts(b)].concat(),
            _ => vec![condition],
        }
    }

    fn reductions(&self, roots: impl IntoIterator<Item = E>) -> Vec<E> {
        let mut found = Vec::new();
        self.program.visit(roots, &mut |e| {
            if matches!(self.program.node(e), Node::Reduce { .. }) {
                found.push(e);
            }
        });
        found
    }

    /// Whether a stage reduces.
    pub fn reduces(&self, stage: &Stage) -> bool {
        !self.reductions(self.program.roots(stage)).is_empty()
    }

    /// Whether a node holds a reduction whose value depends on one of some axes.
    pub fn reduces_inside(&mut self, e: E, axes: &[AxisId]) -> bool {
        let set = axes.iter().fold(0, |set, &axis| set | self.bit(axis));
        self.reductions([e]).into_iter().any(|reduction| self.of(reduction) & set != 0)
    }

    /// The axes of a stage's domain that lanes may run over: no reduction is longer for one lane than for another.
    pub fn lane_axes(&mut self, stage: &Stage) -> Vec<AxisId> {
        let mut uneven = 0;
        for e in self.reductions(self.program.roots(stage)) {
            let Node::Reduce { axes, .. } = self.program.node(e).clone() else { continue };
            for axis in axes {
                uneven |= self.of(self.program.axis(axis).extent);
            }
        }
        stage.axes.iter().copied().filter(|&axis| self.bit(axis) & uneven == 0).collect()
    }
}
