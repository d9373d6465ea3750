//! Makes a [`Plan`] of a stage.

use std::collections::{BTreeMap, HashMap};

use super::cost::{self, Stride};
use super::dependences::{AxisSet, Dependences};
use super::plan::*;
use super::registers::{LANES, Lane, Place, Registers};
use crate::program::{AxisId, BinaryOp, E, Node, Program, ReduceOp, Stage, TensorId};

/// Positions along an axis whose extent is not known before the launch.
const GUESSED_EXTENT: i64 = 64;

/// The plan of a stage for one choice of lanes.
pub fn plan(nodes: &mut Dependences<'_>, stage: &Stage, choice: LaneChoice) -> Plan {
    let memories = nodes.program.stage_tensors(stage).into_iter().map(|(tensor, _)| tensor).zip(0..).collect();
    let mut builder = Builder {
        nodes,
        over_reductions: choice == LaneChoice::Reductions,
        registers: Registers::default(),
        params: Vec::new(),
        scalars: Vec::new(),
        memories,
        scopes: vec![Scope { turns: 1.0, width: 1.0, ..Scope::default() }],
        bound: HashMap::new(),
        lane_axes: 0,
        reductions: 0,
        speculative: false,
        cost: 0.0,
    };

    let extents: Vec<usize> = stage.axes.iter().map(|&axis| builder.extent(axis)).collect();
    let extent_steps = std::mem::take(&mut builder.scopes[0].steps);
    let mut walked = Vec::new();
    let mut across = None;
    for (&axis, extent) in stage.axes.iter().zip(extents) {
        if choice == LaneChoice::Domain(axis) {
            across = Some((axis, extent));
        } else {
            let position = builder.open(axis, false).expect("the position of an axis without lanes");
            walked.push(DomainAxis { position, extent });
        }
    }
    let across = across.map(|(axis, extent)| {
        builder.open(axis, true);
        extent
    });

    let (bounds, offsets) = builder.addresses(stage);
    let address: Vec<Vec<Step>> = builder.scopes.iter_mut().map(|scope| std::mem::take(&mut scope.steps)).collect();
    if across.is_some() {
        // A block is cut where bounds end, so it may start at another lane when values are computed.
        builder.scopes.last_mut().expect("the launch has a scope").values.clear();
    }
    let stores = builder.stores(stage, offsets);

    let mut levels: Vec<Level> = std::mem::take(&mut builder.scopes)
        .into_iter()
        .zip(address.into_iter().zip(bounds))
        .map(|(scope, (address, bounds))| Level { address, bounds, value: scope.steps })
        .collect();
    let lanes = across.map(|extent| Across { extent, level: levels.pop().expect("lanes have a scope") });
    let mut levels = levels.into_iter();
    Plan {
        launch: levels.next().expect("the launch has a scope"),
        walked: walked.into_iter().zip(levels).collect(),
        lanes,
        stores,
        extents: extent_steps,
        block_integers: builder.nodes.program.params.len().max(1),
        params: builder.params,
        scalars: builder.scalars,
        registers: builder.registers,
        cost: builder.cost,
    }
}

/// Steps of one loop, while they are collected.
#[derive(Debug, Default)]
struct Scope {
    depth: usize,
    steps: Vec<Step>,
    /// Nodes that are computed here.
    values: HashMap<E, Place>,
    /// How often it is run in a launch, estimated.
    turns: f64,
    /// Lanes in a block, estimated.
    width: f64,
}

/// An axis that some loop runs over at the moment.
#[derive(Clone, Copy, Debug)]
struct Bound {
    scope: usize,
    /// Slot of the position; none where lanes run over it.
    position: Option<usize>,
}

struct Builder<'d, 'p> {
    nodes: &'d mut Dependences<'p>,
    over_reductions: bool,
    registers: Registers,
    params: Vec<(usize, usize)>,
    scalars: Vec<(usize, usize)>,
    memories: BTreeMap<TensorId, usize>,
    /// The launch, the loops of the domain from outside to inside, then loops of reductions that are open.
    scopes: Vec<Scope>,
    bound: HashMap<AxisId, Bound>,
    lane_axes: AxisSet,
    /// How many reductions are open.
    reductions: usize,
    /// Whether one of them was moved out of another.
    speculative: bool,
    cost: f64,
}

impl Builder<'_, '_> {
    fn program(&mut self) -> &mut Program {
        self.nodes.program
    }

    /// The slot of an axis's extent.
    fn extent(&mut self, axis: AxisId) -> usize {
        let extent = self.program().axis(axis).extent;
        self.emit(extent).uniform()
    }

    fn estimated_extent(&self, axis: AxisId) -> f64 {
        let program = &*self.nodes.program;
        let middle = |axis| program.extent(axis).map(|extent| extent / 2);
        program.evaluate(program.axis(axis).extent, &middle).unwrap_or(GUESSED_EXTENT).max(1) as f64
    }

    /// Opens a loop inside the innermost one.
    fn open(&mut self, axis: AxisId, across: bool) -> Option<usize> {
        self.open_in(self.scopes.len() - 1, axis, across)
    }

    /// Opens a loop inside a given one. The slot of its position, or none where lanes run over it.
    fn open_in(&mut self, parent: usize, axis: AxisId, across: bool) -> Option<usize> {
        let extent = self.estimated_extent(axis);
        let bit = self.nodes.bit(axis);
        let position = if across {
            self.lane_axes |= bit;
            None
        } else {
            self.lane_axes &= !bit;
            Some(self.registers.index.add(false).uniform())
        };
        let parent = &self.scopes[parent];
        let scope = Scope {
            depth: parent.depth + 1,
            turns: parent.turns * if across { (extent / LANES as f64).ceil() } else { extent },
            width: if across { extent.min(LANES as f64) } else { parent.width },
            ..Scope::default()
        };
        self.bound.insert(axis, Bound { scope: self.scopes.len(), position });
        self.scopes.push(scope);
        position
    }

    /// The scope a node belongs to: the innermost whose axis it depends on.
    fn home(&mut self, e: E) -> usize {
        let free = self.nodes.of(e);
        let mut home = 0;
        for (&axis, bound) in &self.bound {
            if free & self.nodes.bit(axis) != 0 && self.scopes[bound.scope].depth > self.scopes[home].depth {
                home = bound.scope;
            }
        }
        home
    }

    fn has_lanes(&mut self, e: E) -> bool {
        self.nodes.of(e) & self.lane_axes != 0
    }

    /// Whether what is computed in a scope was moved there, out of a reduction.
    fn is_moved_to(&self, scope: usize) -> bool {
        self.speculative || self.reductions > 0 && self.scopes[scope].depth < self.scopes[self.scopes.len() - 1].depth
    }

    fn push(&mut self, scope: usize, step: Step, cost: f64) {
        self.cost += cost * self.scopes[scope].turns;
        self.scopes[scope].steps.push(step);
    }

    /// Where the value of a node will be. Adds the steps that compute it, unless they are there already.
    fn emit(&mut self, e: E) -> Place {
        let home = self.home(e);
        if let Some(&known) = self.scopes[home].values.get(&e) {
            return known;
        }
        let place = self.emit_new(e, home);
        self.scopes[home].values.insert(e, place);
        place
    }

    fn constant<T: Lane>(&mut self, value: T) -> Place {
        let place = T::bank_mut(&mut self.registers).add(false);
        self.registers.set(place.uniform(), value);
        place
    }

    fn emit_new(&mut self, e: E, home: usize) -> Place {
        let ty = self.nodes.program.ty(e);
        let lanes = self.has_lanes(e);
        let width = if lanes { self.scopes[home].width } else { 0.0 };
        let out = |me: &mut Self| me.registers.add(ty, lanes);
        match self.nodes.program.node(e).clone() {
            Node::Bool(value) => self.constant(value),
            Node::Index(value) => self.constant(value),
            Node::S32(value) => self.constant(value),
            Node::F32(bits) => self.constant(f32::from_bits(bits)),
            Node::F64(bits) => self.constant(f64::from_bits(bits)),
            Node::Param(param) => {
                let place = out(self);
                self.params.push((place.uniform(), param.index()));
                place
            }
            Node::Scalar(scalar) => {
                let place = out(self);
                self.scalars.push((place.uniform(), scalar.index()));
                place
            }
            Node::Axis(axis) => {
                let name = self.nodes.program.axis(axis).name;
                let bound = self.bound.get(&axis).unwrap_or_else(|| panic!("no loop runs over axis {name}"));
                if let Some(position) = bound.position {
                    return Place::Uniform(position);
                }
                let Place::Lanes(slot) = out(self) else { unreachable!("the positions of lanes differ") };
                self.push(home, Step::Positions { out: slot }, cost::arithmetic(ty, width));
                Place::Lanes(slot)
            }
            Node::Load { tensor, offset, guard, ty } => {
                let (offset, stride) = self.offset(offset);
                let guard = guard.map_or_else(Guard::default, |guard| {
                    let conditions = self.nodes.program.conjuncts(guard);
                    self.guard(&conditions)
                });
                let out = out(self);
                let data_type = self.nodes.program.tensor(tensor).data_type;
                let speculative = self.is_moved_to(home);
                let memory = self.memories[&tensor];
                let load = Load { memory, data_type, ty, offset, guard, speculative, out };
                self.push(home, Step::Load(Box::new(load)), cost::access(data_type, stride, width));
                out
            }
            Node::Unary(op, x) => {
                let from = self.nodes.program.ty(x);
                let x = self.emit(x);
                let out = out(self);
                self.push(home, Step::Unary { op, ty: from, x, out }, cost::unary(op, width));
                out
            }
            Node::Binary(op, a, b) => {
                let from = self.nodes.program.ty(a);
                let (a, b) = (self.emit(a), self.emit(b));
                let out = out(self);
                self.push(home, Step::Binary { op, ty: from, a, b, out }, cost::binary(op, from, width));
                out
            }
            Node::Select(condition, a, b) => {
                let (condition, a, b) = (self.emit(condition), self.emit(a), self.emit(b));
                let out = out(self);
                self.push(home, Step::Select { ty, condition, a, b, out }, cost::arithmetic(ty, width));
                out
            }
            Node::Convert(to, x) => {
                let from = self.nodes.program.ty(x);
                let x = self.emit(x);
                let out = out(self);
                self.push(home, Step::Convert { from, to, x, out }, cost::arithmetic(ty, width));
                out
            }
            Node::Philox { counter, key, lane } => {
                let counter = counter.map(|word| self.emit(word));
                let key = key.map(|word| self.emit(word));
                let lane = self.emit(lane);
                let out = out(self);
                self.push(home, Step::Philox { counter, key, lane, out }, cost::philox(width));
                out
            }
            Node::Reduce { op, axes, body } => self.reduce(home, lanes, op, &axes, body),
        }
    }

    fn reduce(&mut self, home: usize, lanes: bool, op: ReduceOp, axes: &[AxisId], body: E) -> Place {
        let ty = self.nodes.program.ty(body);
        let across = self.over_reductions && !self.nodes.reduces_inside(body, axes);
        let acc = self.registers.add(ty, lanes || across);
        let width = if across {
            LANES as f64
        } else if lanes {
            self.scopes[home].width
        } else {
            0.0
        };
        self.push(home, Step::Start { op, ty, acc }, cost::arithmetic(ty, width));

        let before = (self.bound.clone(), self.lane_axes, self.speculative);
        let outside = self.scopes.len();
        self.speculative = self.is_moved_to(home);
        self.reductions += 1;
        let mut loops = Vec::new();
        for (i, &axis) in axes.iter().enumerate() {
            let extent = self.extent(axis);
            let parent = if i == 0 { home } else { self.scopes.len() - 1 };
            loops.push((self.open_in(parent, axis, across && i + 1 == axes.len()), extent));
        }
        let inner = self.scopes.len() - 1;
        let width = if lanes || across { self.scopes[inner].width } else { 0.0 };
        let accumulate = match self.nodes.program.node(body).clone() {
            Node::Binary(BinaryOp::Mul, a, b) if op == ReduceOp::Sum && self.home(body) == inner => {
                Step::MultiplyAdd { ty, acc, a: self.emit(a), b: self.emit(b) }
            }
            _ => Step::Accumulate { op, ty, acc, x: self.emit(body) },
        };
        self.push(inner, accumulate, cost::arithmetic(ty, width));

        for (position, extent) in loops.into_iter().rev() {
            let scope = self.scopes.pop().expect("each axis opened a scope");
            let parent = if self.scopes.len() == outside { home } else { self.scopes.len() - 1 };
            let cost = cost::TURN * scope.turns / self.scopes[parent].turns;
            self.push(parent, Step::Loop { position, extent, body: scope.steps }, cost);
        }
        self.reductions -= 1;
        (self.bound, self.lane_axes, self.speculative) = before;

        match acc {
            Place::Lanes(acc) if across => {
                let out = self.registers.add(ty, false);
                self.push(home, Step::Fold { op, ty, acc, out: out.uniform() }, cost::arithmetic(ty, LANES as f64));
                out
            }
            _ => acc,
        }
    }

    /// Where elements are, and how they lie for one lane after the other.
    fn offset(&mut self, e: E) -> (Offset, Stride) {
        let Some(axis) = self.lane_axis(e) else { return (Offset::One(self.emit(e).uniform()), Stride::One) };
        match self.nodes.program.linear(e, axis) {
            Some((step, base)) => {
                let stride = match self.nodes.program.value(step) {
                    Some(0) => Stride::One,
                    Some(1) => Stride::Unit,
                    _ => Stride::Other,
                };
                (Offset::Linear { base: self.emit(base).uniform(), step: self.emit(step).uniform() }, stride)
            }
            None => match self.emit(e) {
                Place::Lanes(slot) => (Offset::Lanes(slot), Stride::None),
                Place::Uniform(slot) => (Offset::One(slot), Stride::One),
            },
        }
    }

    /// The axis whose lanes a node's values differ by.
    fn lane_axis(&mut self, e: E) -> Option<AxisId> {
        let lanes = self.nodes.of(e) & self.lane_axes;
        let axes: Vec<AxisId> = self.bound.keys().copied().collect();
        axes.into_iter().find(|&axis| self.nodes.bit(axis) & lanes != 0)
    }

    fn guard(&mut self, conditions: &[E]) -> Guard {
        let mut guard = Guard::default();
        let mut rest = None;
        for &condition in conditions {
            let Some(axis) = self.lane_axis(condition) else {
                guard.uniform.push(self.emit(condition).uniform());
                continue;
            };
            match self.nodes.half_line(condition, axis) {
                Some((coefficient, limit)) => guard.half_lines.push(HalfLine {
                    coefficient: self.emit(coefficient).uniform(),
                    limit: self.emit(limit).uniform(),
                }),
                None => rest = self.program().and_maybe(rest, Some(condition)),
            }
        }
        guard.lanes = rest.map(|rest| match self.emit(rest) {
            Place::Lanes(slot) => slot,
            Place::Uniform(_) => unreachable!("conditions that depend on the lane"),
        });
        guard
    }

    /// For each scope its part of the bounds; for each store its offset.
    fn addresses(&mut self, stage: &Stage) -> (Vec<Guard>, Vec<Offset>) {
        let conditions = stage.bounds.map_or_else(Vec::new, |bounds| self.nodes.program.conjuncts(bounds));
        let mut sorted = vec![Vec::new(); self.scopes.len()];
        for condition in conditions {
            sorted[self.home(condition)].push(condition);
        }
        let bounds = sorted.iter().map(|conditions| self.guard(conditions)).collect();
        let offsets = stage
            .stores
            .iter()
            .map(|store| {
                let (offset, stride) = self.offset(store.offset);
                let data_type = self.nodes.program.tensor(store.tensor).data_type;
                let block = self.scopes.last().expect("the launch has a scope");
                self.cost += block.turns * cost::access(data_type, stride, block.width);
                offset
            })
            .collect();
        (bounds, offsets)
    }

    fn stores(&mut self, stage: &Stage, offsets: Vec<Offset>) -> Vec<Store> {
        let each = stage.stores.iter().zip(offsets);
        each.map(|(store, offset)| Store {
            memory: self.memories[&store.tensor],
            data_type: self.nodes.program.tensor(store.tensor).data_type,
            ty: self.nodes.program.ty(store.value),
            offset,
            value: self.emit(store.value),
        })
        .collect()
    }
}
