//! Stages on the host: an evaluator that computes blocks of points together.
//!
//! A stage becomes a `Plan`: lists of steps over typed registers, each list belonging to one loop. A register holds one
//! value, or one for each of up to 256 consecutive positions of one axis, the lanes. So the cost of interpreting is paid
//! once for a block of points, and index arithmetic that is the same for all of them is done once.
//!
//! Lanes may run over any axis of the domain, not only the innermost one, or over reductions; the cheapest by an estimate
//! is taken, looking at the values of parameters that are known. That choice, and into how many parts the work is split,
//! is all those values change: a kernel computes what the parameter block of the launch says.

mod access;
mod arith;
mod build;
mod cost;
mod dependences;
mod machine;
mod plan;
mod registers;
#[cfg(test)]
mod tests;

use crate::program::{Program, Stage};
use crate::runtime::cpu::{HostKernel, HostMemory};

use dependences::Dependences;
use machine::Machine;
use plan::{LaneChoice, Plan};
use registers::LANES;

/// A stage as a function of the host.
///
/// Its memories are those of [`Program::stage_tensors`], in that order; its parameters are the bytes of a
/// [`ParamBlock`](crate::codegen::ParamBlock).
///
/// # Panics
///
/// If the stage is no sound program: an operator on a type that has none, an axis that no loop runs over. Running the
/// kernel panics where an element outside of its memory is accessed.
pub fn kernel(program: &Program, stage: &Stage) -> Box<dyn HostKernel> {
    let mut program = program.clone();
    let mut nodes = Dependences::new(&mut program);
    let mut choices: Vec<LaneChoice> = nodes.lane_axes(stage).into_iter().rev().map(LaneChoice::Domain).collect();
    if choices.is_empty() || nodes.reduces(stage) {
        choices.push(LaneChoice::Reductions);
    }
    let plan = choices
        .into_iter()
        .map(|choice| build::plan(&mut nodes, stage, choice))
        .reduce(|best, other| if other.cost < best.cost { other } else { best })
        .expect("there is always a choice");
    // Two elements of a byte must not be written by two threads.
    let packed = plan.stores.iter().any(|store| store.data_type.is_sub_byte());
    let parts = if packed { 1 } else { (plan.cost / PART).clamp(1.0, MOST_PARTS) as usize };
    Box::new(HostStage { name: stage.name, plan, parts })
}

/// Nanoseconds of work that are worth a thread.
const PART: f64 = 50_000.0;
const MOST_PARTS: f64 = 64.0;

/// A stage and into how many parts it is split.
struct HostStage {
    name: &'static str,
    plan: Plan,
    parts: usize,
}

impl std::fmt::Debug for HostStage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostStage").field("name", &self.name).field("parts", &self.parts).finish_non_exhaustive()
    }
}

impl HostKernel for HostStage {
    fn parts(&self) -> usize {
        self.parts
    }

    fn run(&self, part: usize, memories: &[&dyn HostMemory], params: &[u8]) {
        let mut walk =
            Walk { plan: &self.plan, machine: Machine::new(&self.plan, memories, params), alive: Vec::new() };
        walk.part(part, self.parts);
    }
}

/// A walk through a part of the domain. Its units are blocks of lanes, or points where no axis has lanes.
struct Walk<'a> {
    plan: &'a Plan,
    machine: Machine<'a>,
    /// For the launch and each walked axis, whether the bounds hold as far as can be told there.
    alive: Vec<bool>,
}

impl Walk<'_> {
    fn part(&mut self, part: usize, parts: usize) {
        self.machine.run(&self.plan.extents);
        let extent = |slot: usize| self.machine.registers.get::<i64>(slot).max(0);
        let extents: Vec<i64> = self.plan.walked.iter().map(|(axis, _)| extent(axis.extent)).collect();
        let width = self.plan.lanes.as_ref().map_or(1, |lanes| extent(lanes.extent));
        let blocks = (width + LANES as i64 - 1) / LANES as i64;
        let units = i128::from(extents.iter().product::<i64>() * blocks);
        let bound = |part: usize| (units * part as i128 / parts as i128) as i64;
        let (mut unit, end) = (bound(part), bound(part + 1));
        if unit == end {
            return;
        }

        self.alive = vec![true; extents.len() + 1];
        self.enter(0);
        let mut positions = vec![0; extents.len()];
        let mut row = unit / blocks;
        for (position, extent) in positions.iter_mut().zip(&extents).rev() {
            (*position, row) = (row % extent, row / extent);
        }
        let mut moved = 0;
        while unit < end {
            for (axis, &position) in positions.iter().enumerate().skip(moved) {
                self.machine.registers.set(self.plan.walked[axis].0.position, position);
                self.enter(axis + 1);
            }
            let row_end = end.min((unit / blocks + 1) * blocks);
            for block in unit % blocks..unit % blocks + (row_end - unit) {
                self.block(block * LANES as i64, width);
            }
            unit = row_end;
            moved = positions.len();
            while moved > 0 {
                moved -= 1;
                positions[moved] += 1;
                if positions[moved] < extents[moved] {
                    break;
                }
                positions[moved] = 0;
            }
        }
    }

    /// Does what is to be done when a loop has moved.
    fn enter(&mut self, depth: usize) {
        let level = match depth.checked_sub(1) {
            None => &self.plan.launch,
            Some(axis) => &self.plan.walked[axis].1,
        };
        self.machine.run(&level.address);
        self.alive[depth] = (depth == 0 || self.alive[depth - 1]) && self.machine.holds(&level.bounds);
        if self.alive[depth] {
            self.machine.run(&level.value);
        }
    }

    /// Computes and stores the lanes from `start` on, of `width` there are.
    fn block(&mut self, start: i64, width: i64) {
        let plan = self.plan;
        let alive = self.alive.last() == Some(&true);
        let Some(lanes) = &plan.lanes else {
            self.machine.set_lanes(0, 1);
            return plan.stores.iter().for_each(|store| self.machine.store(store, 0, !alive));
        };
        let count = LANES.min((width - start) as usize);
        self.machine.set_lanes(start, count);
        self.machine.run(&lanes.level.address);
        let mut done = 0;
        if alive {
            for (low, high) in self.machine.runs(&lanes.level.bounds) {
                self.zeros(start, done, low);
                self.machine.set_lanes(start + low as i64, high - low);
                self.machine.run(&lanes.level.value);
                plan.stores.iter().for_each(|store| self.machine.store(store, low, false));
                done = high;
            }
        }
        self.zeros(start, done, count);
    }

    /// Stores zeros to some lanes of the block that begins at `start`.
    fn zeros(&mut self, start: i64, low: usize, high: usize) {
        if low < high {
            self.machine.set_lanes(start + low as i64, high - low);
            self.plan.stores.iter().for_each(|store| self.machine.store(store, low, true));
        }
    }
}
