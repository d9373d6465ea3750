//! Runs the steps of a plan.

use super::access::{self, Codes, Elements};
use super::arith::*;
use super::plan::*;
use super::registers::{Arg, LANES, Lane, Place, Registers, for_type};
use crate::desc::DataType;
use crate::program::{BinaryOp, ReduceOp, Ty, UnaryOp};
use crate::runtime::cpu::HostMemory;

/// One thread's state.
#[derive(Debug)]
pub struct Machine<'a> {
    pub registers: Registers,
    memories: &'a [&'a dyn HostMemory],
    codes: Codes,
    /// Position of the first lane.
    start: i64,
    /// Number of lanes.
    count: usize,
}

impl<'a> Machine<'a> {
    /// A machine with a plan's constants and a launch's arguments in its registers.
    pub fn new(plan: &Plan, memories: &'a [&'a dyn HostMemory], params: &[u8]) -> Machine<'a> {
        let mut registers = plan.registers.clone();
        let word = |offset: usize| params[offset..offset + 4].try_into().expect("four bytes");
        let double_word = |offset: usize| params[offset..offset + 8].try_into().expect("eight bytes");
        for &(slot, param) in &plan.params {
            registers.set(slot, i64::from_ne_bytes(double_word(param * 8)));
        }
        for &(slot, scalar) in &plan.scalars {
            registers.set(slot, f32::from_ne_bytes(word(plan.block_integers * 8 + scalar * 4)));
        }
        Machine { registers, memories, codes: Codes::new(), start: 0, count: 1 }
    }

    /// Makes the lanes those positions.
    pub fn set_lanes(&mut self, start: i64, count: usize) {
        (self.start, self.count) = (start, count);
    }

    /// Runs steps in order.
    pub fn run(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Positions { out } => {
                let start = self.start;
                self.registers.fill(out, self.count, |_, out: &mut [i64]| {
                    out.iter_mut().zip(start..).for_each(|(out, position)| *out = position);
                });
            }
            Step::Unary { op, ty, x, out } => match op {
                UnaryOp::ToBits => self.map(x, out, |x: f32| x.to_bits() as i32),
                UnaryOp::FromBits => self.map(x, out, |x: i32| f32::from_bits(x as u32)),
                UnaryOp::Quantize(data_type) => for_type!(ty, T => self.quantize::<T>(data_type, x, out)),
                _ => for_type!(ty, T => self.unary::<T>(op, x, out)),
            },
            Step::Binary { op, ty, a, b, out } => match op {
                BinaryOp::Lt | BinaryOp::Le | BinaryOp::Eq | BinaryOp::Ne => {
                    for_type!(ty, T => self.compare::<T>(op, a, b, out));
                }
                BinaryOp::Div | BinaryOp::Rem if ty == Ty::Index => self.divide(op, a, b, out),
                _ => for_type!(ty, T => self.binary::<T>(op, a, b, out)),
            },
            Step::Select { ty, condition, a, b, out } => for_type!(ty, T => self.select::<T>(condition, a, b, out)),
            Step::Convert { from, to, x, out } => {
                for_type!(from, A => for_type!(to, B => self.map(x, out, |x: A| x.to::<B>())));
            }
            Step::Load(ref load) => for_type!(load.ty, T => self.load::<T>(load)),
            Step::Philox { counter, key, lane, out } => self.philox(counter, key, lane, out),
            Step::Start { op, ty, acc } => for_type!(ty, T => match acc {
                Place::Uniform(slot) => self.registers.set(slot, T::identity(op)),
                Place::Lanes(slot) => T::bank_mut(&mut self.registers).lanes[slot].fill(T::identity(op)),
            }),
            Step::Accumulate { op, ty, acc, x } => for_type!(ty, T => self.accumulate::<T>(op, acc, x)),
            Step::MultiplyAdd { ty, acc, a, b } => for_type!(ty, T => self.multiply_add::<T>(acc, a, b)),
            Step::Fold { op, ty, acc, out } => for_type!(ty, T => {
                let value = fold_lanes(op, &mut T::bank_mut(&mut self.registers).lanes[acc]);
                self.registers.set(out, value);
            }),
            Step::Loop { position, extent, ref body } => self.repeat(position, extent, body),
        }
    }

    fn repeat(&mut self, position: Option<usize>, extent: usize, body: &[Step]) {
        let extent: i64 = self.registers.get(extent);
        match position {
            Some(slot) => {
                for position in 0..extent {
                    self.registers.set(slot, position);
                    self.run(body);
                }
            }
            None => {
                for start in (0..extent).step_by(LANES) {
                    self.set_lanes(start, LANES.min((extent - start) as usize));
                    self.run(body);
                }
            }
        }
    }

    fn map<A: Lane, B: Lane>(&mut self, x: Place, out: Place, f: impl Fn(A) -> B) {
        let count = self.count;
        match out {
            Place::Uniform(slot) => {
                let value = f(self.registers.get(x.uniform()));
                self.registers.set(slot, value);
            }
            Place::Lanes(slot) => self.registers.fill(slot, count, |registers, out| match registers.arg(x, count) {
                Arg::Lanes(x) => map(out, x, f),
                Arg::Uniform(x) => out.fill(f(x)),
            }),
        }
    }

    fn unary<T: Number>(&mut self, op: UnaryOp, x: Place, out: Place) {
        let count = self.count;
        match (out, x) {
            (Place::Lanes(slot), Place::Lanes(x)) => self.registers.fill(slot, count, |registers, out| {
                unary_lanes(op, out, &T::bank(registers).lanes[x][..count]);
            }),
            _ => self.map(x, out, |x: T| T::unary(op, x)),
        }
    }

    fn binary<T: Number>(&mut self, op: BinaryOp, a: Place, b: Place, out: Place) {
        let count = self.count;
        match out {
            Place::Uniform(slot) => {
                let value = T::binary(op, self.registers.get(a.uniform()), self.registers.get(b.uniform()));
                self.registers.set(slot, value);
            }
            Place::Lanes(slot) => self.registers.fill(slot, count, |registers, out: &mut [T]| {
                binary_lanes(op, out, registers.arg(a, count), registers.arg(b, count));
            }),
        }
    }

    fn divide(&mut self, op: BinaryOp, a: Place, b: Place, out: Place) {
        let count = self.count;
        let mut done = false;
        if let (Place::Lanes(slot), Place::Lanes(a), Place::Uniform(b)) = (out, a, b) {
            self.registers.fill(slot, count, |registers, out| {
                done = divide_lanes(op, out, &registers.index.lanes[a][..count], registers.get(b));
            });
        }
        if !done {
            self.binary::<i64>(op, a, b, out);
        }
    }

    fn compare<T: Number>(&mut self, op: BinaryOp, a: Place, b: Place, out: Place) {
        let count = self.count;
        match out {
            Place::Uniform(slot) => {
                let holds = T::compare(op, self.registers.get::<T>(a.uniform()), self.registers.get::<T>(b.uniform()));
                self.registers.set(slot, holds);
            }
            Place::Lanes(slot) => self.registers.fill(slot, count, |registers, out| {
                compare_lanes::<T>(op, out, registers.arg(a, count), registers.arg(b, count));
            }),
        }
    }

    fn select<T: Lane>(&mut self, condition: Place, a: Place, b: Place, out: Place) {
        let count = self.count;
        match out {
            Place::Uniform(slot) => {
                let chosen = if self.registers.get(condition.uniform()) { a } else { b };
                let value: T = self.registers.get(chosen.uniform());
                self.registers.set(slot, value);
            }
            Place::Lanes(slot) => self.registers.fill(slot, count, |registers, out: &mut [T]| {
                select_lanes(out, registers.arg(condition, count), registers.arg(a, count), registers.arg(b, count));
            }),
        }
    }

    fn quantize<T: Lane>(&mut self, data_type: DataType, x: Place, out: Place) {
        let (count, codes) = (self.count, &mut self.codes);
        match out {
            Place::Uniform(slot) => {
                let mut value = [self.registers.get::<T>(x.uniform())];
                codes.quantize(data_type, Arg::Uniform(value[0]), &mut value);
                self.registers.set(slot, value[0]);
            }
            Place::Lanes(slot) => self.registers.fill(slot, count, |registers, out: &mut [T]| {
                codes.quantize(data_type, registers.arg(x, count), out);
            }),
        }
    }

    fn accumulate<T: Number>(&mut self, op: ReduceOp, acc: Place, x: Place) {
        let count = self.count;
        match acc {
            Place::Uniform(slot) => {
                let value = T::binary(combiner(op), self.registers.get(slot), self.registers.get(x.uniform()));
                self.registers.set(slot, value);
            }
            Place::Lanes(slot) => self.registers.fill(slot, count, |registers, acc: &mut [T]| {
                accumulate_lanes(op, acc, registers.arg(x, count));
            }),
        }
    }

    fn multiply_add<T: Number>(&mut self, acc: Place, a: Place, b: Place) {
        let count = self.count;
        match acc {
            Place::Uniform(slot) => {
                let product =
                    T::binary(BinaryOp::Mul, self.registers.get(a.uniform()), self.registers.get(b.uniform()));
                let sum = T::binary(BinaryOp::Add, self.registers.get(slot), product);
                self.registers.set(slot, sum);
            }
            Place::Lanes(slot) => self.registers.fill(slot, count, |registers, acc: &mut [T]| {
                multiply_add_lanes(acc, registers.arg(a, count), registers.arg(b, count));
            }),
        }
    }

    fn philox(&mut self, counter: [Place; 4], key: [Place; 2], lane: Place, out: Place) {
        let count = if matches!(out, Place::Lanes(_)) { self.count } else { 1 };
        let mut known = ([0; 4], [0; 2]);
        let mut words = philox(known.0, known.1);
        let mut word = |registers: &Registers, i: usize| {
            let at = |place: Place| registers.arg::<i32>(place, count).at(i) as u32;
            let wanted = (counter.map(at), key.map(at));
            if wanted != known {
                known = wanted;
                words = philox(wanted.0, wanted.1);
            }
            words[(at(lane) & 3) as usize] as i32
        };
        match out {
            Place::Uniform(slot) => {
                let value = word(&self.registers, 0);
                self.registers.set(slot, value);
            }
            Place::Lanes(slot) => self.registers.fill(slot, count, |registers, out| {
                out.iter_mut().enumerate().for_each(|(i, out)| *out = word(registers, i));
            }),
        }
    }

    /// The lanes between which a guard holds, without its lane conditions.
    fn between(&self, guard: &Guard) -> (usize, usize) {
        if !guard.uniform.iter().all(|&slot| self.registers.get(slot)) {
            return (0, 0);
        }
        let (mut low, mut high) = (self.start, self.start + self.count as i64);
        for half_line in &guard.half_lines {
            let coefficient: i64 = self.registers.get(half_line.coefficient);
            let limit: i64 = self.registers.get(half_line.limit);
            // coefficient * x < limit
            match coefficient {
                0 if limit > 0 => {}
                0 => high = low,
                1.. => high = high.min((limit - 1).div_euclid(coefficient) + 1),
                _ => low = low.max((-limit).div_euclid(-coefficient) + 1),
            }
        }
        let end = self.count as i64;
        let low = (low - self.start).min(end);
        (low as usize, (high - self.start).clamp(low, end) as usize)
    }

    /// The runs of lanes where a guard holds, in order.
    pub fn runs(&self, guard: &Guard) -> Vec<(usize, usize)> {
        let (low, high) = self.between(guard);
        if low == high {
            return Vec::new();
        }
        let Some(slot) = guard.lanes else { return vec![(low, high)] };
        true_runs(&self.registers.bool.lanes[slot][..high], low)
    }

    /// Whether a guard that is the same in all lanes holds.
    pub fn holds(&self, guard: &Guard) -> bool {
        guard.uniform.iter().all(|&slot| self.registers.get(slot))
    }

    fn load<T: Lane>(&mut self, load: &Load) {
        let Place::Lanes(slot) = load.out else {
            let mut value = [T::default()];
            if self.holds(&load.guard) {
                self.fetch(load, 0, &mut value);
            }
            return self.registers.set(load.out.uniform(), value[0]);
        };
        let count = self.count;
        let mut lanes = std::mem::take(&mut T::bank_mut(&mut self.registers).lanes[slot]);
        let out = &mut lanes[..count];
        let (low, high) = self.between(&load.guard);
        if load.guard.lanes.is_none() {
            out[..low].fill(T::default());
            out[high..].fill(T::default());
            if low < high {
                self.fetch(load, low, &mut out[low..high]);
            }
        } else {
            out.fill(T::default());
            for (low, high) in self.runs(&load.guard) {
                self.fetch(load, low, &mut out[low..high]);
            }
        }
        T::bank_mut(&mut self.registers).lanes[slot] = lanes;
    }

    /// Loads the lanes from `low` on.
    fn fetch<T: Lane>(&mut self, load: &Load, low: usize, out: &mut [T]) {
        let memory = self.memories[load.memory];
        let codes = &mut self.codes;
        let size = if load.speculative { memory.size() } else { usize::MAX };
        let mut read = |first: i64, stride: i64, out: &mut [T]| {
            if load.speculative {
                let last = first + stride * (out.len() as i64 - 1);
                if first.min(last) < 0 || load.data_type.bytes(first.max(last) as usize + 1) > size {
                    return out.fill(T::default());
                }
            }
            access::load(memory, load.data_type, first, stride, out, codes);
        };
        match load.offset {
            Offset::One(slot) => read(self.registers.get(slot), 0, out),
            Offset::Linear { base, step } => {
                let (base, step): (i64, i64) = (self.registers.get(base), self.registers.get(step));
                read(base + step * (self.start + low as i64), step, out);
            }
            Offset::Lanes(slot) => {
                let offsets = &self.registers.index.lanes[slot][low..low + out.len()];
                let mut rest = out;
                for (first, stride, length) in access::runs(offsets) {
                    let (run, after) = rest.split_at_mut(length);
                    read(first, stride, run);
                    rest = after;
                }
            }
        }
    }

    /// Stores the values of the lanes, or zeros. Offsets were computed for lanes that started `shift` earlier.
    pub fn store(&mut self, store: &Store, shift: usize, zeros: bool) {
        let Machine { registers, memories, codes, start, count } = self;
        let elements = match store.offset {
            Offset::One(slot) => Elements::Strided(registers.get(slot), 0),
            Offset::Linear { base, step } => {
                let (base, step): (i64, i64) = (registers.get(base), registers.get(step));
                Elements::Strided(base + step * *start, step)
            }
            Offset::Lanes(slot) => Elements::Scattered(&registers.index.lanes[slot][shift..shift + *count]),
        };
        for_type!(store.ty, T => {
            let values = if zeros { Arg::Uniform(T::default()) } else { registers.arg(store.value, *count) };
            access::store(memories[store.memory], store.data_type, elements, values, *count, codes);
        });
    }
}

/// The runs of lanes from `low` on where a condition holds.
fn true_runs(holds: &[bool], mut low: usize) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    while let Some(skipped) = holds[low..].iter().position(|&holds| holds) {
        low += skipped;
        let length = holds[low..].iter().position(|&holds| !holds).unwrap_or(holds.len() - low);
        runs.push((low, low + length));
        low += length;
    }
    runs
}
