//! The forward pass.

use super::cell::Factors;
use super::{Net, Order, maybe, summed};
use crate::Result;
use crate::desc::{DataType, MemoryDesc, RnnDirection, arg};
use crate::lower::view::View;
use crate::program::{Expr, ReduceOp, Store, Ty};

/// Memory that layers share, one after another.
struct Shared<'b> {
    /// Sums of products before the activation: `time, batch, gate, channel`.
    sums: View<'b>,
    /// Second states, where they need not be kept: one slot.
    cells: Option<View<'b>>,
    /// What a step of the cell has besides: see the cells.
    hidden: Option<View<'b>>,
    /// Gates of GRU after their activation: `batch, gate, channel`.
    gates: Option<View<'b>>,
    /// The bias of integer networks, which makes up for the shift of the data: `gate, channel`.
    bias: Option<View<'b>>,
    /// The same for the projection.
    projection: Option<View<'b>>,
    /// As many ones as the longest sum of products has terms, where sums of weights are needed.
    ones: Option<View<'b>>,
    /// Factors of the sums, and of those of the projection.
    factors: Option<Factors<'b>>,
    projection_factors: Option<Factors<'b>>,
    dst_layer: View<'b>,
}

/// A state that comes from before the first step, or goes on after the last.
struct Carried<'v, 'b> {
    name: &'static str,
    arg: i32,
    md: &'v MemoryDesc,
    states: &'v View<'b>,
    slot: Expr<'b>,
    channels: i64,
}

/// One direction of one layer.
struct Layer<'n, 'a, 'b> {
    net: &'n Net<'a, 'b>,
    shared: &'n Shared<'b>,
    order: Order<'b>,
    layer: Expr<'b>,
    direction: Expr<'b>,
    /// The states of the layer below; the first layer has the source.
    below: Option<&'n View<'b>>,
    states: &'n View<'b>,
    cells: Option<View<'b>>,
    /// Whether second states have a slot for each time.
    cells_kept: bool,
    kept_gates: Option<View<'b>>,
    kept_linear: Option<View<'b>>,
    /// Where in the channels of the destination its state goes, if it goes there at once.
    dst_channel: Option<Expr<'b>>,
}

pub fn lower(net: &Net<'_, '_>) -> Result<()> {
    let Net { b, op, s, .. } = net;
    let shared = Shared::new(net)?;
    if let Some(ones) = &shared.ones {
        let (k, position) = net.axis("k", ones.md.dims()[0]);
        let one = b.constant(Ty::F32, 1.0);
        b.stage("rnn_ones", vec![k], None, vec![ones.store(&[position], one)]);
    }
    let training = op.is_training();
    let is_sum = op.direction == RnnDirection::BidirectionalSum;
    let mut tops = Vec::new();
    for (d, order) in net.orders().into_iter().enumerate() {
        let mut states: Vec<View<'_>> = Vec::new();
        for l in 0..s.layers {
            let below = states.len().checked_sub(1);
            states.push(match (training, states.len()) {
                (true, _) => net.kept_states(l, d as i64)?,
                (false, 0 | 1) => {
                    let dims = [s.time + 1, s.batch, s.iter.max(s.state)];
                    net.scratch("states", &dims, net.state_type())?
                }
                // Two are enough where nothing is kept.
                (false, count) => states[count - 2].clone(),
            });
            let is_lstm = op.cell.is_lstm();
            let is_top = l + 1 == s.layers;
            let (of_lstm, of_linear) = (is_lstm && training, op.cell.is_linear_before_reset() && training);
            let layer = Layer {
                net,
                shared: &shared,
                order,
                layer: b.param(l),
                direction: b.param(d as i64),
                below: below.map(|below| &states[below]),
                states: &states[states.len() - 1],
                cells: if of_lstm { Some(net.kept_cells(l, d as i64)?) } else { shared.cells.clone() },
                cells_kept: training,
                kept_gates: if training { Some(net.kept_gates(l, d as i64)?) } else { None },
                kept_linear: if of_linear { Some(net.kept_linear(l, d as i64)?) } else { None },
                dst_channel: (is_top && !is_sum).then(|| b.param(d as i64 * s.state)),
            };
            layer.lower()?;
        }
        tops.extend(states.pop().map(|states| (states, order)));
    }
    if is_sum { lower_sum(net, &shared, &tops) } else { Ok(()) }
}

/// Adds the states of two directions.
fn lower_sum<'b>(net: &Net<'_, 'b>, shared: &Shared<'b>, tops: &[(View<'b>, Order<'b>)]) -> Result<()> {
    let (t, time) = net.axis("t", net.s.time);
    let (n, batch) = net.axis("n", net.s.batch);
    let (c, channel) = net.axis("c", net.s.state);
    let state = |(states, order): &(View<'b>, Order<'b>)| states.load(&[order.after(time), batch, channel], Ty::F32);
    let sum = tops.iter().map(state).reduce(|a, b| a + b).unwrap_or(net.b.constant(Ty::F32, 0.0));
    let to_integers = net.op.tensors.dst_layer.data_type().is_integer();
    let sum = if to_integers { sum } else { net.dequantize_sum(sum, 2.0) };
    net.b.stage("rnn_sum", vec![t, n, c], None, vec![shared.dst_layer.store(&[time, batch, channel], sum)]);
    Ok(())
}

impl<'b> Shared<'b> {
    fn new(net: &Net<'_, 'b>) -> Result<Shared<'b>> {
        let Net { op, s, attr, .. } = net;
        let sum_type = if op.is_integer() { DataType::S32 } else { DataType::F32 };
        let is_gru = op.cell.gates() == 3;
        let projected = net.projection.is_some();
        let linear = op.cell.is_linear_before_reset();
        let shifted = op.is_integer() && attr.rnn_data().1 != 0.0;
        let scratch = |needed: bool, name, dims: &[i64], data_type| {
            needed.then(|| net.scratch(name, dims, data_type)).transpose()
        };
        Ok(Shared {
            sums: net.scratch("sums", &[s.time, s.batch, s.gates, s.hidden], sum_type)?,
            cells: scratch(op.cell.is_lstm() && !op.is_training(), "cells", &[1, s.batch, s.hidden], DataType::F32)?,
            hidden: scratch(projected || (is_gru && !linear), "hidden", &[s.batch, 2, s.hidden], net.state_type())?,
            gates: scratch(is_gru && !linear, "gates", &[s.batch, s.gates, s.hidden], DataType::F32)?,
            bias: scratch(shifted, "bias", &[s.gates, s.hidden], DataType::F32)?,
            projection: scratch(shifted && projected, "bias", &[s.state], DataType::F32)?,
            ones: scratch(shifted, "ones", &[s.src.max(s.iter).max(s.hidden)], net.state_type())?,
            factors: net.factors(attr.rnn_weights())?,
            projection_factors: net.factors(attr.rnn_weights_projection())?,
            dst_layer: View::new(net.b, "dst_layer", arg::DST_LAYER, &op.tensors.dst_layer)?,
        })
    }
}

impl<'b> Layer<'_, '_, 'b> {
    fn lower<'l>(&'l self) -> Result<()> {
        let net = self.net;
        let t = &net.op.tensors;
        let slots = |slot: Expr<'b>| (slot, if self.cells_kept { slot } else { net.b.index(0) });
        let carried = |names: [(&'static str, i32); 2], [state, cell]: [&'l MemoryDesc; 2], slot, channels| {
            let (slot, cell_slot) = slots(slot);
            let (name, arg) = names[0];
            let mut all = vec![Carried { name, arg, md: state, states: self.states, slot, channels }];
            if let Some(states) = &self.cells {
                let (name, arg) = names[1];
                all.push(Carried { name, arg, md: cell, states, slot: cell_slot, channels: net.s.hidden });
            }
            all
        };
        let names = [("src_iter", arg::SRC_ITER), ("src_iter_c", arg::SRC_ITER_C)];
        let all = carried(names, [&t.src_iter, &t.src_iter_c], self.order.first(), net.s.iter);
        self.carry("rnn_enter", &all, |carried, batch, channel| self.enter(carried, batch, channel).map(Some))?;
        self.integer_bias();
        self.below();
        net.b.repeat(net.s.time, |repeat| self.step(self.order.times(repeat)))?;
        let names = [("dst_iter", arg::DST_ITER), ("dst_iter_c", arg::DST_ITER_C)];
        let all = carried(names, [&t.dst_iter, &t.dst_iter_c], self.order.last(), net.s.state);
        self.carry("rnn_leave", &all, |carried, batch, channel| self.leave(carried, batch, channel))
    }

    /// Copies states, those of as many channels at once.
    fn carry(
        &self,
        name: &'static str,
        all: &[Carried<'_, 'b>],
        store: impl Fn(&Carried<'_, 'b>, Expr<'b>, Expr<'b>) -> Result<Option<Store>>,
    ) -> Result<()> {
        let net = self.net;
        for alike in all.chunk_by(|a, b| a.channels == b.channels) {
            let (n, batch) = net.axis("n", net.s.batch);
            let (c, channel) = net.axis("c", alike[0].channels);
            let stores: Vec<Option<Store>> =
                alike.iter().map(|carried| store(carried, batch, channel)).collect::<Result<_>>()?;
            let stores: Vec<Store> = stores.into_iter().flatten().collect();
            if !stores.is_empty() {
                net.b.stage(name, vec![n, c], None, stores);
            }
        }
        Ok(())
    }

    /// The store of a state that was given, or of zero, into the slot before the first step.
    fn enter(&self, carried: &Carried<'_, 'b>, batch: Expr<'b>, channel: Expr<'b>) -> Result<Store> {
        let net = self.net;
        let Carried { name, arg, md, states, slot, .. } = *carried;
        let quantized = states.md.data_type().is_integer();
        let value = match maybe(net.b, name, arg, md)? {
            Some(given) => {
                let x = given.load(&[self.layer, self.direction, batch, channel], Ty::F32);
                if quantized && !md.data_type().is_integer() { net.quantize(x) } else { x }
            }
            None if quantized => net.quantize(net.b.constant(Ty::F32, 0.0)),
            None => net.b.constant(Ty::F32, 0.0),
        };
        Ok(states.store(&[slot, batch, channel], value))
    }

    /// The store of the state after the last step to where it is asked for.
    fn leave(&self, carried: &Carried<'_, 'b>, batch: Expr<'b>, channel: Expr<'b>) -> Result<Option<Store>> {
        let net = self.net;
        let Carried { name, arg, md, states, slot, .. } = *carried;
        let Some(asked) = maybe(net.b, name, arg, md)? else { return Ok(None) };
        let x = states.load(&[slot, batch, channel], Ty::F32);
        let quantized = states.md.data_type().is_integer();
        let x = if quantized && !md.data_type().is_integer() { net.dequantize(x) } else { x };
        Ok(Some(asked.store(&[self.layer, self.direction, batch, channel], x)))
    }

    /// Products with shifted data are too large by the shift times the sum of the weights; the bias takes that back. The sums are
    /// products with ones, for which there are instructions.
    fn integer_bias(&self) {
        let net = self.net;
        let s = &net.s;
        let Some(ones) = &self.shared.ones else { return };
        let shift = || net.b.scalar(net.attr.rnn_data().1);
        let weight = |view: &View<'b>, k, gate, channel| {
            let weight = view.load(&[self.layer, self.direction, k, gate, channel], Ty::S32);
            ones.load(&[k], Ty::S32) * weight
        };
        if let (Some(bias), Some(factors)) = (&self.shared.bias, &self.shared.factors) {
            let too_much = |sum: Expr<'b>, gate: Expr<'b>, channel: Expr<'b>| {
                sum.to(Ty::F32) * shift() * factors.at(gate * net.b.extent(s.hidden) + channel)
            };
            let (g, gate) = net.axis("g", s.gates);
            let (c, channel) = net.axis("c", s.hidden);
            let of_layer = net.sum("k", s.src, |k| weight(&net.weights_layer, k, gate, channel));
            let given = net.bias.as_ref();
            let given = given.map(|bias| bias.load(&[self.layer, self.direction, gate, channel], Ty::F32));
            let value = given.unwrap_or(net.b.constant(Ty::F32, 0.0)) - too_much(of_layer, gate, channel);
            net.b.stage("rnn_bias", vec![g, c], None, vec![bias.store(&[gate, channel], value)]);

            // The steps of LSTM read all gates at a time, and so does this.
            let lstm = net.op.cell.is_lstm();
            let (g, gate) = net.axis("g", s.gates);
            let (c, channel) = net.axis("c", s.hidden);
            let (k, input) = net.axis("k", s.iter);
            let store = |gate: Expr<'b>| {
                let product = weight(&net.weights_iter, input, gate, channel);
                let sum = net.b.reduce(ReduceOp::Sum, &summed(&[(k, s.iter)]), product);
                let before = bias.load(&[gate, channel], Ty::F32);
                bias.store(&[gate, channel], before - too_much(sum, gate, channel))
            };
            let all = if lstm { (0..4).map(|g| store(self.gate(g))).collect() } else { vec![store(gate)] };
            net.b.stage("rnn_bias", if lstm { vec![c] } else { vec![g, c] }, None, all);
        }
        if let (Some(bias), Some(weights)) = (&self.shared.projection, &net.projection) {
            let (c, channel) = net.axis("c", s.state);
            let sum = net.sum("k", s.hidden, |k| {
                ones.load(&[k], Ty::S32) * weights.load(&[self.layer, self.direction, k, channel], Ty::S32)
            });
            let value = sum.to(Ty::F32) * shift();
            net.b.stage("rnn_projection_bias", vec![c], None, vec![bias.store(&[channel], value)]);
        }
    }

    /// The products with the layer below, for all times at once.
    fn below(&self) {
        let net = self.net;
        let s = &net.s;
        let ty = net.sum_type();
        let (t, time) = net.axis("t", s.time);
        let (n, batch) = net.axis("n", s.batch);
        let (g, gate) = net.axis("g", s.gates);
        let (c, channel) = net.axis("c", s.hidden);
        let sum = net.sum("k", s.src, |k| {
            let x = match self.below {
                None => net.src_layer.load(&[time, batch, k], ty),
                Some(states) => states.load(&[self.order.after(time), batch, k], ty),
            };
            x * net.weights_layer.load(&[self.layer, self.direction, k, gate, channel], ty)
        });
        let stores = vec![self.shared.sums.store(&[time, batch, gate, channel], sum)];
        net.b.stage("rnn_layer", vec![t, n, g, c], None, stores);
    }

    /// The product of the state before a step with the weights of a gate.
    fn product_with_state(&self, time: Expr<'b>, batch: Expr<'b>, gate: Expr<'b>, channel: Expr<'b>) -> Expr<'b> {
        let net = self.net;
        let ty = net.sum_type();
        net.sum("k", net.s.iter, |k| {
            let state = self.states.load(&[self.order.before(time), batch, k], ty);
            state * net.weights_iter.load(&[self.layer, self.direction, k, gate, channel], ty)
        })
    }

    /// The state before a step.
    fn state(&self, time: Expr<'b>, batch: Expr<'b>, channel: Expr<'b>) -> Expr<'b> {
        self.net.dequantize(self.states.load(&[self.order.before(time), batch, channel], Ty::F32))
    }

    /// The row of the bias for a gate.
    fn bias(&self, gate: Expr<'b>, channel: Expr<'b>) -> Expr<'b> {
        match (&self.shared.bias, &self.net.bias) {
            (Some(bias), _) => bias.load(&[gate, channel], Ty::F32),
            (None, Some(bias)) => bias.load(&[self.layer, self.direction, gate, channel], Ty::F32),
            (None, None) => self.net.b.constant(Ty::F32, 0.0),
        }
    }

    /// A sum of products as what it stands for, with the bias.
    fn biased(&self, sum: Expr<'b>, gate: Expr<'b>, channel: Expr<'b>) -> Expr<'b> {
        let net = self.net;
        let x = match &self.shared.factors {
            Some(factors) => sum.to(Ty::F32) * factors.at(gate * net.b.extent(net.s.hidden) + channel),
            None => sum,
        };
        x + self.bias(gate, channel)
    }

    /// The stores of a state after a step.
    fn state_stores(&self, time: Expr<'b>, batch: Expr<'b>, channel: Expr<'b>, x: Expr<'b>) -> Vec<Store> {
        let net = self.net;
        let x = net.quantize(x);
        let mut stores = vec![self.states.store(&[self.order.after(time), batch, channel], x)];
        if let Some(first) = self.dst_channel {
            let to_integers = net.op.tensors.dst_layer.data_type().is_integer();
            let x = if net.op.is_integer() && !to_integers { net.dequantize(x.quantize(net.state_type())) } else { x };
            stores.push(self.shared.dst_layer.store(&[time, batch, first + channel], x));
        }
        stores
    }

    fn gate(&self, number: usize) -> Expr<'b> {
        self.net.b.index(number as i64)
    }

    /// The stores that keep gates for the backward pass.
    fn gate_stores(&self, time: Expr<'b>, batch: Expr<'b>, channel: Expr<'b>, gates: &[Expr<'b>]) -> Vec<Store> {
        let store = |kept: &View<'b>| -> Vec<Store> {
            let all = gates.iter().enumerate();
            all.map(|(g, &value)| kept.store(&[time, batch, self.gate(g), channel], value)).collect()
        };
        self.kept_gates.as_ref().map_or(Vec::new(), store)
    }

    fn step(&self, time: Expr<'b>) -> Result<()> {
        let cell = &self.net.op.cell;
        match cell.gates() {
            1 => self.vanilla_step(time),
            4 => self.lstm_step(time),
            _ if cell.is_linear_before_reset() => self.linear_gru_step(time),
            _ => self.gru_step(time),
        }
    }

    fn vanilla_step(&self, time: Expr<'b>) -> Result<()> {
        let net = self.net;
        let (n, batch) = net.axis("n", net.s.batch);
        let (c, channel) = net.axis("c", net.s.hidden);
        let gate = self.gate(0);
        let sum = self.product_with_state(time, batch, gate, channel);
        let sum = sum + self.shared.sums.load(&[time, batch, gate, channel], net.sum_type());
        let state = net.vanilla(self.biased(sum, gate, channel))?;
        let mut stores = self.state_stores(time, batch, channel, state);
        stores.extend(self.gate_stores(time, batch, channel, &[state]));
        net.b.stage("rnn_step", vec![n, c], None, stores);
        Ok(())
    }

    /// Multiplies the state before a step with the weights of all gates.
    fn state_products(&self, time: Expr<'b>) -> Result<View<'b>> {
        let net = self.net;
        let data_type = if net.op.is_integer() { DataType::S32 } else { DataType::F32 };
        let products = net.scratch("products", &[net.s.batch, net.s.gates, net.s.hidden], data_type)?;
        let (n, batch) = net.axis("n", net.s.batch);
        let (g, gate) = net.axis("g", net.s.gates);
        let (c, channel) = net.axis("c", net.s.hidden);
        let product = self.product_with_state(time, batch, gate, channel);
        net.b.stage("rnn_iter", vec![n, g, c], None, vec![products.store(&[batch, gate, channel], product)]);
        Ok(products)
    }

    fn lstm_step(&self, time: Expr<'b>) -> Result<()> {
        let net = self.net;
        let Some(cells) = &self.cells else { return Ok(()) };
        let products = self.state_products(time)?;
        let slot = |slot: Expr<'b>| if self.cells_kept { slot } else { net.b.index(0) };
        let (n, batch) = net.axis("n", net.s.batch);
        let (c, channel) = net.axis("c", net.s.hidden);
        let before = cells.load(&[slot(self.order.before(time)), batch, channel], Ty::F32);
        let peephole = |row: i64, x: Expr<'b>, of: Expr<'b>| match &net.peephole {
            Some(weights) => {
                let weight = weights.load(&[self.layer, self.direction, net.b.index(row), channel], Ty::F32);
                x + weight * of
            }
            None => x,
        };
        let sum = |g: usize| {
            let gate = self.gate(g);
            let below = self.shared.sums.load(&[time, batch, gate, channel], net.sum_type());
            self.biased(products.load(&[batch, gate, channel], net.sum_type()) + below, gate, channel)
        };
        let input = net.sigmoid(0, peephole(0, sum(0), before))?;
        let forget = net.sigmoid(1, peephole(1, sum(1), before))?;
        let candidate = net.tanh(2, sum(2))?;
        let after = forget * before + input * candidate;
        let output = net.sigmoid(3, peephole(2, sum(3), after))?;
        let hidden = output * net.cell_output(after);
        let mut stores = vec![cells.store(&[slot(self.order.after(time)), batch, channel], after)];
        stores.extend(self.gate_stores(time, batch, channel, &[input, forget, candidate, output]));
        match &self.shared.hidden {
            Some(scratch) => stores.push(scratch.store(&[batch, net.b.index(0), channel], net.quantize(hidden))),
            None => stores.extend(self.state_stores(time, batch, channel, hidden)),
        }
        net.b.stage("lstm_step", vec![n, c], None, stores);
        self.project(time);
        Ok(())
    }

    /// The projection of what LSTM gives to its state.
    fn project(&self, time: Expr<'b>) {
        let net = self.net;
        let (Some(hidden), Some(weights)) = (&self.shared.hidden, &net.projection) else { return };
        let (n, batch) = net.axis("n", net.s.batch);
        let (c, channel) = net.axis("c", net.s.state);
        let ty = net.sum_type();
        let sum = net.sum("k", net.s.hidden, |k| {
            let weight = weights.load(&[self.layer, self.direction, k, channel], ty);
            hidden.load(&[batch, net.b.index(0), k], ty) * weight
        });
        let mut x = sum.to(Ty::F32);
        if let Some(bias) = &self.shared.projection {
            x = x - bias.load(&[channel], Ty::F32);
        }
        if let Some(factors) = &self.shared.projection_factors {
            x = x * factors.at(channel);
        }
        net.b.stage("rnn_project", vec![n, c], None, self.state_stores(time, batch, channel, x));
    }

    fn gru_step(&self, time: Expr<'b>) -> Result<()> {
        let net = self.net;
        let (Some(gates), Some(hidden)) = (&self.shared.gates, &self.shared.hidden) else { return Ok(()) };
        let ty = net.sum_type();
        let (n, batch) = net.axis("n", net.s.batch);
        // The update and the reset gate. Both are multiplied with the state, of which only the reset gate's is used.
        let (g, gate) = net.axis("g", 2);
        let (c, channel) = net.axis("c", net.s.hidden);
        let sum = self.product_with_state(time, batch, gate, channel);
        let sum = self.biased(sum + self.shared.sums.load(&[time, batch, gate, channel], ty), gate, channel);
        let value = match net.attr.rnn_linear() {
            Some(_) => gate.equals(0).select(net.sigmoid(0, sum)?, net.sigmoid(1, sum)?),
            None => net.sigmoid(0, sum)?,
        };
        let reset = net.quantize(value * self.state(time, batch, channel));
        let mut stores = vec![gates.store(&[batch, gate, channel], value)];
        stores.push(hidden.store(&[batch, gate, channel], reset));
        stores.extend(self.kept_gates.iter().map(|kept| kept.store(&[time, batch, gate, channel], value)));
        net.b.stage("gru_gates", vec![n, g, c], None, stores);

        let (n, batch) = net.axis("n", net.s.batch);
        let (c, channel) = net.axis("c", net.s.hidden);
        let gate = self.gate(2);
        let sum = net.sum("k", net.s.iter, |k| {
            let weight = net.weights_iter.load(&[self.layer, self.direction, k, gate, channel], ty);
            hidden.load(&[batch, net.b.index(1), k], ty) * weight
        });
        let sum = sum + self.shared.sums.load(&[time, batch, gate, channel], ty);
        let candidate = net.tanh(2, self.biased(sum, gate, channel))?;
        let update = gates.load(&[batch, net.b.index(0), channel], Ty::F32);
        let state = self.updated(time, batch, channel, update, candidate);
        let mut stores = self.state_stores(time, batch, channel, state);
        stores.extend(self.kept_gates.iter().map(|kept| kept.store(&[time, batch, gate, channel], candidate)));
        net.b.stage("gru_step", vec![n, c], None, stores);
        Ok(())
    }

    /// The state after a step of GRU.
    fn updated(
        &self,
        time: Expr<'b>,
        batch: Expr<'b>,
        channel: Expr<'b>,
        update: Expr<'b>,
        candidate: Expr<'b>,
    ) -> Expr<'b> {
        let kept = self.net.kept(update, time, batch);
        kept * self.state(time, batch, channel) + (-kept + 1.0) * candidate
    }

    fn linear_gru_step(&self, time: Expr<'b>) -> Result<()> {
        let net = self.net;
        let products = self.state_products(time)?;
        let (n, batch) = net.axis("n", net.s.batch);
        let (c, channel) = net.axis("c", net.s.hidden);
        let below = |g: usize| {
            let gate = self.gate(g);
            self.biased(self.shared.sums.load(&[time, batch, gate, channel], Ty::F32), gate, channel)
        };
        let before = |g: usize| products.load(&[batch, self.gate(g), channel], Ty::F32);
        let update = net.sigmoid(0, below(0) + before(0))?;
        let reset = net.sigmoid(1, below(1) + before(1))?;
        let linear = before(2) + self.bias(self.gate(3), channel);
        let candidate = net.tanh(2, below(2) + reset * linear)?;
        let state = self.updated(time, batch, channel, update, candidate);
        let mut stores = self.state_stores(time, batch, channel, state);
        stores.extend(self.gate_stores(time, batch, channel, &[update, reset, candidate]));
        stores.extend(self.kept_linear.iter().map(|kept| kept.store(&[time, batch, channel], linear)));
        net.b.stage("gru_step", vec![n, c], None, stores);
        Ok(())
    }
}
