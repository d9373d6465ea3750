//! Positions of neighbouring rows along several axes: divisions find the first one, the others go on from there.

use crate::codegen::opencl::Emitter;
use crate::program::*;
use crate::schedule::map::positions;

/// A row's position along each axis, the innermost one last.
pub(super) struct Position<'a> {
    axes: &'a [AxisId],
    at: Vec<String>,
}

impl<'a> Position<'a> {
    /// The position that a linear index holds.
    pub fn of(emitter: &mut Emitter<'_>, program: &Program, axes: &'a [AxisId], linear: &str) -> Position<'a> {
        Position { axes, at: positions(emitter, program, axes, linear.into()) }
    }

    /// The next one where a condition holds, else the same once more.
    pub fn next(&self, emitter: &mut Emitter<'_>, program: &Program, condition: &str) -> Position<'a> {
        let index = emitter.index_type();
        let mut carry = condition.to_string();
        let mut at = Vec::new();
        for (depth, (&axis, here)) in self.axes.iter().zip(&self.at).enumerate().rev() {
            let next = emitter.fresh("i");
            emitter.line(format!("const {index} {next} = {here} + ({carry});"));
            if depth == 0 {
                at.push(next);
                break;
            }
            let (extent, wrapped) = (emitter.scalar(program.axis(axis).extent), emitter.fresh("i"));
            carry = format!("{next} == {extent}");
            emitter.line(format!("const {index} {wrapped} = {carry} ? 0 : {next};"));
            at.push(wrapped);
        }
        at.reverse();
        Position { axes: self.axes, at }
    }

    /// Binds as many axes, these or others in their place.
    pub fn bind(&self, emitter: &mut Emitter<'_>, axes: &[AxisId]) {
        axes.iter().zip(&self.at).for_each(|(&axis, at)| emitter.bind(axis, at.clone()));
    }

    /// Opens a loop over so many rows from this one on, by a counter `r` and with these axes bound.
    pub fn open_loop(&self, emitter: &mut Emitter<'_>, program: &Program, condition: &str) {
        let index = emitter.index_type();
        let names: Vec<String> = self.at.iter().map(|_| emitter.fresh("i")).collect();
        for (name, at) in names.iter().zip(&self.at) {
            emitter.line(format!("{index} {name} = {at};"));
        }
        let mut advance = None;
        for (&axis, name) in self.axes.iter().zip(&names) {
            advance = Some(match advance {
                None => format!("++{name}"),
                Some(outer) => {
                    let extent = emitter.scalar(program.axis(axis).extent);
                    format!("{name} = {name} + 1 == {extent} ? ({outer}, 0) : {name} + 1")
                }
            });
        }
        let advance: Vec<String> = ["++r".into()].into_iter().chain(advance).collect();
        emitter.open(format!("for (int r = 0; {condition}; {})", advance.join(", ")));
        self.axes.iter().zip(names).for_each(|(&axis, name)| emitter.bind(axis, name));
    }
}
