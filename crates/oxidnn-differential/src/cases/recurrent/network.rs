//! What a network must give: its formulas on a tape, a step after another.

use super::{Direction, Recurrent, gradient};
use crate::api::arg;
use crate::case::{Case, Role, Tensor};
use crate::cases::prop;
use crate::dtype::DataType;
use crate::oracle::{Approx, Math};
use crate::tape::{Gradient, Tape, Var};
use dnnl_dynamic::attr::RecurrentQuantization;
use dnnl_dynamic::recurrent::Cell;
use std::collections::HashMap;

/// The network of a case.
struct Network<'c> {
    cell: Cell,
    direction: Direction,
    case: &'c Case,
    tape: Tape,
    /// The values that are read, in row-major order.
    inputs: HashMap<i32, Vec<Var>>,
    layers: usize,
    steps: usize,
    batch: usize,
    hidden: usize,
    state: usize,
}

/// One direction of one layer.
#[derive(Clone, Copy)]
struct Place {
    /// Its number among all.
    number: usize,
    reversed: bool,
}

/// All outputs of the case.
pub(super) fn expect(op: &Recurrent, case: &Case) -> Vec<Vec<Approx>> {
    let mut network = Network::new(op, case);
    let results = network.run();
    let backward = op.prop == prop::BACKWARD;
    let gradients = if backward { network.gradients(&results) } else { Vec::new() };
    let steps = (network.steps * network.layers + 1) as f64;
    let roundings = match case.tensor(arg::SRC).dt {
        DataType::F32 => 2f64.powi(-24) * 32.0 * steps,
        dt => unit(dt) * 4.0 * steps,
    };
    let of_gradient = |index: i32| -> Vec<Approx> {
        let vars = network.inputs.iter().find(|(of, _)| gradient(**of) == index).map(|(_, vars)| vars);
        let given = case.find(index).filter(|given| given.role == Role::InOut).map(|given| &given.tensor);
        let value = |(i, &var): (usize, &Var)| {
            let Gradient { v, size, doubt } = Tape::gradient(&gradients, var);
            let before = given.map_or(0.0, |tensor| tensor.value(i));
            Approx { v: v + before, e: roundings * (size + before.abs()) + doubt }
        };
        vars.map_or(Vec::new(), |vars| vars.iter().enumerate().map(value).collect())
    };
    case.outputs()
        .map(|output| match results.get(&output.index) {
            Some(vars) => network.stored(&output.tensor, vars, output.index == arg::DST),
            None => of_gradient(output.index),
        })
        .collect()
}

/// A step of a type relative to a value, at least half of one; libraries may or may not round states to it.
fn unit(dt: DataType) -> f64 {
    match dt {
        DataType::Bf16 => 2f64.powi(-8),
        DataType::F16 => 2f64.powi(-11),
        _ => 0.0,
    }
}

impl<'c> Network<'c> {
    fn new(op: &Recurrent, case: &'c Case) -> Network<'c> {
        let size = |index: i32, axis: usize| case.tensor(index).dims[axis] as usize;
        let projected = case.find(arg::WEIGHTS_3).is_some();
        let hidden = size(arg::WEIGHTS, 4);
        let mut network = Network {
            cell: op.cell,
            direction: op.direction,
            case,
            tape: Tape::default(),
            inputs: HashMap::new(),
            layers: size(arg::WEIGHTS, 0),
            steps: size(arg::SRC, 0),
            batch: size(arg::SRC, 1),
            hidden,
            state: if projected { size(arg::WEIGHTS_3, 3) } else { hidden },
        };
        for index in (arg::SRC..=arg::SRC_3).chain(arg::WEIGHTS..=arg::WEIGHTS_3).chain([arg::BIAS]) {
            if let Some(given) = case.find(index) {
                let values: Vec<Approx> =
                    (0..given.tensor.bits.len()).map(|i| network.meaning(index, &given.tensor, i)).collect();
                let vars = values.into_iter().map(|value| network.tape.leaf(value)).collect();
                network.inputs.insert(index, vars);
            }
        }
        network
    }

    fn integers(&self) -> Option<&RecurrentQuantization> {
        self.case.attributes.recurrent.as_ref()
    }

    /// What an element of an input stands for.
    fn meaning(&self, index: i32, tensor: &Tensor, i: usize) -> Approx {
        let x = tensor.value(i);
        let Some(RecurrentQuantization { data: (scale, shift), weights, projection }) = self.integers() else {
            return Approx::exact(x);
        };
        let (scale, shift) = (f64::from(*scale), f64::from(*shift));
        let of_weights = |(mask, scales): &(i32, Vec<f32>)| {
            let each = scales[if *mask == 0 { 0 } else { i % scales.len() }];
            // Factors are rounded to single precision.
            Approx { v: x / f64::from(each), e: 2f64.powi(-22) * x.abs() / f64::from(each) }
        };
        match index {
            arg::WEIGHTS | arg::WEIGHTS_1 => of_weights(weights),
            arg::WEIGHTS_3 => projection.as_ref().map_or(Approx::exact(x), of_weights),
            arg::SRC | arg::SRC_1 if tensor.dt.is_integer() => {
                // What the shift adds is taken away again in single precision.
                Approx { v: (x - shift) / scale, e: 2f64.powi(-22) * (x.abs() + shift.abs()) / scale }
            }
            arg::SRC_1 => self.quantized(Approx::exact(x)),
            _ => Approx::exact(x),
        }
    }

    /// A state after it was stored.
    fn quantized(&self, x: Approx) -> Approx {
        let dt = self.case.tensor(arg::SRC).dt;
        let Some(RecurrentQuantization { data: (scale, shift), .. }) = self.integers() else {
            return Approx { v: x.v, e: x.e + unit(dt) * x.v.abs() };
        };
        let (scale, shift) = (f64::from(*scale), f64::from(*shift));
        let error = x.e * scale + 2f64.powi(-22) * (x.v.abs() * scale + shift.abs());
        let number = x.v * scale + shift;
        let [low, middle, high] = [number - error, number, number + error].map(|number| dt.round(number));
        let e = (middle - low).max(high - middle);
        Approx { v: (middle - shift) / scale, e: (e + 2f64.powi(-22) * (middle.abs() + shift.abs())) / scale }
    }

    /// What values look like in an output.
    fn stored(&self, output: &Tensor, vars: &[Var], is_dst: bool) -> Vec<Approx> {
        let added = if is_dst && self.direction == Direction::Sum { 2.0 } else { 1.0 };
        let value = |&var: &Var| {
            let x = self.tape.value(var);
            match self.integers().filter(|_| output.dt.is_integer()) {
                Some(RecurrentQuantization { data: (scale, shift), .. }) => {
                    let (scale, shift) = (f64::from(*scale), f64::from(*shift));
                    // Integers come from integers: what is left of the error is whole.
                    let (v, e) = (x.v * scale + shift * added, x.e * scale);
                    Approx { v: v.round(), e: if e < 0.25 { 0.0 } else { e } }
                }
                None => x,
            }
        };
        vars.iter().map(value).collect()
    }

    fn run(&mut self) -> HashMap<i32, Vec<Var>> {
        let directions = self.direction.count() as usize;
        let out = if self.direction == Direction::Concat { 2 * self.state } else { self.state };
        let mut dst: Vec<Option<Var>> = vec![None; self.steps * self.batch * out];
        let zero = self.tape.leaf(Approx::exact(0.0));
        let mut last = vec![zero; self.layers * directions * self.batch * self.state];
        let mut cells = vec![zero; self.layers * directions * self.batch * self.hidden];
        for d in 0..directions {
            let mut below = self.inputs[&arg::SRC].clone();
            for l in 0..self.layers {
                let place =
                    Place { number: l * directions + d, reversed: d == 1 || self.direction == Direction::RightToLeft };
                below = self.layer(place, &below, &mut last, &mut cells);
            }
            let first = if self.direction == Direction::Concat { d * self.state } else { 0 };
            for (i, &var) in below.iter().enumerate() {
                let at = i / self.state * out + first + i % self.state;
                dst[at] = Some(match dst[at] {
                    Some(other) => self.tape.add(other, var),
                    None => var,
                });
            }
        }
        let dst = dst.into_iter().flatten().collect();
        HashMap::from([(arg::DST, dst), (arg::DST_1, last), (arg::DST_2, cells)])
    }

    /// One layer in one direction over all steps: what it gives to the next.
    fn layer(&mut self, place: Place, below: &[Var], last: &mut [Var], cells: &mut [Var]) -> Vec<Var> {
        let (width, state, hidden) = (below.len() / (self.steps * self.batch), self.state, self.hidden);
        let mut above = vec![below[0]; self.steps * self.batch * state];
        for n in 0..self.batch {
            let row = place.number * self.batch + n;
            let initial = |network: &mut Self, index: i32, size: usize| match network.inputs.get(&index) {
                Some(given) => given[row * size..][..size].to_vec(),
                None => vec![network.tape.leaf(Approx::exact(0.0)); size],
            };
            let mut h = initial(self, arg::SRC_1, state);
            let mut c = initial(self, arg::SRC_2, hidden);
            for step in 0..self.steps {
                let t = if place.reversed { self.steps - 1 - step } else { step };
                let x = &below[(t * self.batch + n) * width..][..width];
                h = self.cell(place, x, &h, &mut c, t * self.batch + n);
                above[(t * self.batch + n) * state..][..state].copy_from_slice(&h);
            }
            last[row * state..][..state].copy_from_slice(&h);
            cells[row * hidden..][..hidden].copy_from_slice(&c);
        }
        above
    }

    /// The factors of a product of a vector with the weights of a gate's output.
    fn products(&self, place: Place, index: i32, x: &[Var], gate: usize, output: usize) -> Vec<(Var, Var)> {
        let (weights, gates) = (&self.inputs[&index], self.cell.gates() as usize);
        let at = |k: usize| ((place.number * x.len() + k) * gates + gate) * self.hidden + output;
        x.iter().enumerate().map(|(k, &x)| (x, weights[at(k)])).collect()
    }

    fn bias(&self, place: Place, row: usize, output: usize) -> Var {
        self.inputs[&arg::BIAS][(place.number * self.cell.biases() as usize + row) * self.hidden + output]
    }

    /// The sum of a gate before its activation, from the layer below and from a state.
    fn gate(&mut self, place: Place, x: &[Var], h: &[Var], gate: usize, output: usize) -> Var {
        let mut products = self.products(place, arg::WEIGHTS, x, gate, output);
        products.extend(self.products(place, arg::WEIGHTS_1, h, gate, output));
        let bias = self.bias(place, gate, output);
        self.tape.dot(&products, &[bias])
    }

    /// The state after a step.
    fn cell(&mut self, place: Place, x: &[Var], h: &[Var], c: &mut [Var], row: usize) -> Vec<Var> {
        let next: Vec<Var> = match self.cell {
            Cell::Vanilla { activation } => (0..self.hidden)
                .map(|o| {
                    let sum = self.gate(place, x, h, 0, o);
                    match activation {
                        0x20 => self.tape.relu(sum),
                        0x21 => self.tape.tanh(sum),
                        _ => self.tape.logistic(sum),
                    }
                })
                .collect(),
            Cell::Lstm => self.lstm(place, x, h, c),
            _ => self.gru(place, x, h, row),
        };
        next.into_iter().map(|h| self.store(h)).collect()
    }

    /// A state as it is kept until the next step.
    fn store(&mut self, h: Var) -> Var {
        let kept = self.quantized(self.tape.value(h));
        self.tape.changed(h, |_| kept)
    }

    fn lstm(&mut self, place: Place, x: &[Var], h: &[Var], c: &mut [Var]) -> Vec<Var> {
        let mut shown = Vec::new();
        for o in 0..self.hidden {
            let sums = [0, 1, 2, 3].map(|gate| self.gate(place, x, h, gate, o));
            let peephole = |network: &mut Self, row: usize, sum: Var, of: Var| match network.inputs.get(&arg::WEIGHTS_2)
            {
                Some(weights) => {
                    let weight = weights[(place.number * 3 + row) * network.hidden + o];
                    network.tape.dot(&[(weight, of)], &[sum])
                }
                None => sum,
            };
            let [input, forget] = [0, 1].map(|gate| {
                let sum = peephole(self, gate, sums[gate], c[o]);
                self.tape.logistic(sum)
            });
            let candidate = self.tape.tanh(sums[2]);
            c[o] = self.tape.dot(&[(forget, c[o]), (input, candidate)], &[]);
            let sum = peephole(self, 2, sums[3], c[o]);
            let output = self.tape.logistic(sum);
            let curve = self.tape.tanh(c[o]);
            shown.push(self.tape.mul(output, curve));
        }
        let Some(weights) = self.inputs.get(&arg::WEIGHTS_3).cloned() else { return shown };
        let shown: Vec<Var> = shown.into_iter().map(|shown| self.store(shown)).collect();
        let at = |k: usize, o: usize| weights[(place.number * self.hidden + k) * self.state + o];
        let product = |o: usize| -> Vec<(Var, Var)> { shown.iter().enumerate().map(|(k, &x)| (x, at(k, o))).collect() };
        let products: Vec<Vec<(Var, Var)>> = (0..self.state).map(product).collect();
        products.iter().map(|products| self.tape.dot(products, &[])).collect()
    }

    fn gru(&mut self, place: Place, x: &[Var], h: &[Var], row: usize) -> Vec<Var> {
        let linear = matches!(self.cell, Cell::LbrGru | Cell::LbrAugru);
        let [updates, resets] = [0, 1].map(|gate| -> Vec<Var> {
            (0..self.hidden)
                .map(|o| {
                    let sum = self.gate(place, x, h, gate, o);
                    self.tape.logistic(sum)
                })
                .collect()
        });
        let reset: Vec<Var> = if linear {
            Vec::new()
        } else {
            let products: Vec<Var> = resets.iter().zip(h).map(|(&r, &h)| self.tape.mul(r, h)).collect();
            products.into_iter().map(|product| self.store(product)).collect()
        };
        let attention = self.inputs.get(&arg::SRC_3).map(|given| given[row]);
        (0..self.hidden)
            .map(|o| {
                let sum = if linear {
                    let products = self.products(place, arg::WEIGHTS_1, h, 2, o);
                    let bias = self.bias(place, 3, o);
                    let before = self.tape.dot(&products, &[bias]);
                    let products = self.products(place, arg::WEIGHTS, x, 2, o);
                    let bias = self.bias(place, 2, o);
                    let below = self.tape.dot(&products, &[bias]);
                    self.tape.dot(&[(resets[o], before)], &[below])
                } else {
                    self.gate(place, x, &reset, 2, o)
                };
                let candidate = self.tape.tanh(sum);
                self.updated(updates[o], candidate, h[o], attention)
            })
            .collect()
    }

    /// The state between the one before and a candidate for the next.
    ///
    /// With attention the derivatives are oneDNN's, which takes the update gate before attention for the one after it.
    fn updated(&mut self, update: Var, candidate: Var, before: Var, attention: Option<Var>) -> Var {
        let math = Math::F32;
        let [u, c, h] = [update, candidate, before].map(|var| self.tape.value(var));
        let a = attention.map_or(Approx::exact(0.0), |attention| self.tape.value(attention));
        let kept = math.mul(u, math.sub(Approx::exact(1.0), a));
        let value = math.add(math.mul(kept, h), math.mul(math.sub(Approx::exact(1.0), kept), c));
        let one = Approx::exact(1.0);
        let (apart, left) = (math.sub(h, c), math.sub(one, u));
        let mut parents = vec![(update, math.mul(apart, math.sub(one, a))), (candidate, left), (before, u)];
        let by_attention = math.mul(math.mul(math.sub(c, h), u), math.mul(u, left));
        parents.extend(attention.map(|var| (var, by_attention)));
        self.tape.push(value, parents)
    }

    /// Gradients of all results, weighted with the gradients that are given.
    fn gradients(&self, results: &HashMap<i32, Vec<Var>>) -> Vec<Gradient> {
        let mut weighted = Vec::new();
        for (index, vars) in results {
            if let Some(given) = self.case.find(gradient(*index)) {
                weighted.extend(vars.iter().enumerate().map(|(i, &var)| (var, given.tensor.value(i))));
            }
        }
        self.tape.gradients(&weighted)
    }
}
