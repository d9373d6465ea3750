//! The backward pass.
//!
//! Time is gone through the other way round. A step only finds the gradients of the gates and of the state before it; the
//! gradients of weights and of the layer below are products over all steps at once, after them.

use super::{Net, Order, maybe, summed};
use crate::Result;
use crate::desc::{AlgKind, DataType, MemoryDesc, Rnn, RnnDirection, RnnTensors, arg};
use crate::lower::view::View;
use crate::program::{Expr, ReduceOp, Store, Ty};

/// Memory that layers share, one after another.
struct Shared<'b> {
    /// Gradients of the gates before their activation, in the type of states: `time, batch, gate, channel`.
    gates: View<'b>,
    /// Those of the part of the gates that comes from the state, where it is another: the same shape.
    linear: Option<View<'b>>,
    /// The gradient of the state between steps: `batch, channel`.
    state: View<'b>,
    /// That of the second state of LSTM.
    cell: Option<View<'b>>,
    /// The gradient of what LSTM projects, and that of the projections of all times.
    hidden: Option<View<'b>>,
    projected: Option<View<'b>>,
    /// The gradient of the update gate before attention: `time, batch, channel`.
    update: Option<View<'b>>,
    /// Gradients of what a layer gives to the one above, for this layer and the one below: `time, batch, channel`.
    layers: Option<[View<'b>; 2]>,
}

/// One direction of one layer.
struct Layer<'n, 'a, 'b> {
    net: &'n Net<'a, 'b>,
    diff: &'n RnnTensors,
    shared: &'n Shared<'b>,
    order: Order<'b>,
    number: i64,
    direction_number: i64,
    layer: Expr<'b>,
    direction: Expr<'b>,
    states: View<'b>,
    /// The states of the layer below; the first layer has the source.
    below: Option<View<'b>>,
    gates: View<'b>,
    cells: Option<View<'b>>,
    linear: Option<View<'b>>,
    diff_dst_layer: View<'b>,
}

pub fn lower(net: &Net<'_, '_>) -> Result<()> {
    let Some(diff) = &net.op.diff else { return Ok(()) };
    let (b, s) = (net.b, &net.s);
    let shared = Shared::new(net)?;
    let cell = &net.op.cell;
    for (d, order) in net.orders().into_iter().enumerate() {
        let d = d as i64;
        for l in (0..s.layers).rev() {
            let layer = Layer {
                net,
                diff,
                shared: &shared,
                order,
                number: l,
                direction_number: d,
                layer: b.param(l),
                direction: b.param(d),
                states: net.kept_states(l, d)?,
                below: if l > 0 { Some(net.kept_states(l - 1, d)?) } else { None },
                gates: net.kept_gates(l, d)?,
                cells: if cell.is_lstm() { Some(net.kept_cells(l, d)?) } else { None },
                linear: if cell.is_linear_before_reset() { Some(net.kept_linear(l, d)?) } else { None },
                diff_dst_layer: View::new(b, "diff_dst_layer", arg::DIFF_DST_LAYER, &diff.dst_layer)?,
            };
            layer.lower()?;
        }
    }
    Ok(())
}

impl<'b> Shared<'b> {
    fn new(net: &Net<'_, 'b>) -> Result<Shared<'b>> {
        let s = &net.s;
        let cell = &net.op.cell;
        let scratch = |name, dims: &[i64]| net.scratch(name, dims, DataType::F32);
        let gates = [s.time, s.batch, s.gates, s.hidden];
        let gate_scratch = |name| net.scratch(name, &gates, net.state_type());
        let projected = net.projection.is_some();
        Ok(Shared {
            gates: gate_scratch("diff_gates")?,
            linear: cell.is_linear_before_reset().then(|| gate_scratch("diff_linear")).transpose()?,
            state: scratch("diff_state", &[s.batch, s.iter.max(s.state)])?,
            cell: cell.is_lstm().then(|| scratch("diff_cell", &[s.batch, s.hidden])).transpose()?,
            hidden: projected.then(|| scratch("diff_hidden", &[s.batch, s.hidden])).transpose()?,
            projected: projected.then(|| scratch("diff_projected", &[s.time, s.batch, s.state])).transpose()?,
            update: match cell.has_attention() {
                true => Some(scratch("diff_update", &[s.time, s.batch, s.hidden])?),
                false => None,
            },
            layers: match s.layers {
                1 => None,
                _ => Some([
                    scratch("diff_layer", &[s.time, s.batch, s.state])?,
                    scratch("diff_layer", &[s.time, s.batch, s.state])?,
                ]),
            },
        })
    }
}

/// The derivative of a sigmoid from its value.
fn sigmoid_slope(x: Expr<'_>) -> Expr<'_> {
    x * (-x + 1.0)
}

/// The derivative of tanh from its value; factored so that it keeps its precision near one.
fn tanh_slope(x: Expr<'_>) -> Expr<'_> {
    (-x + 1.0) * (x + 1.0)
}

impl<'b> Layer<'_, '_, 'b> {
    fn lower(&self) -> Result<()> {
        let net = self.net;
        let (s, diff) = (&net.s, self.diff);
        self.enter("diff_dst_iter", arg::DIFF_DST_ITER, &diff.dst_iter, &self.shared.state, s.state)?;
        if let Some(cell) = &self.shared.cell {
            self.enter("diff_dst_iter_c", arg::DIFF_DST_ITER_C, &diff.dst_iter_c, cell, s.hidden)?;
        }
        net.b.repeat(s.time, |repeat| self.step(self.order.times_back(repeat)))?;
        self.leave("diff_src_iter", arg::DIFF_SRC_ITER, &diff.src_iter, &self.shared.state, s.iter)?;
        if let Some(cell) = &self.shared.cell {
            self.leave("diff_src_iter_c", arg::DIFF_SRC_ITER_C, &diff.src_iter_c, cell, s.hidden)?;
        }
        self.attention()?;
        self.below()?;
        self.weights_layer()?;
        self.weights_iter()?;
        self.bias()?;
        self.peephole()?;
        self.projection()
    }

    /// Copies the gradient of a state after all steps, or zero.
    fn enter(&self, name: &'static str, arg: i32, md: &MemoryDesc, to: &View<'b>, channels: i64) -> Result<()> {
        let net = self.net;
        let (n, batch) = net.axis("n", net.s.batch);
        let (c, channel) = net.axis("c", channels);
        let value = match maybe(net.b, name, arg, md)? {
            Some(given) => given.load(&[self.layer, self.direction, batch, channel], Ty::F32),
            None => net.b.constant(Ty::F32, 0.0),
        };
        net.b.stage("rnn_enter", vec![n, c], None, vec![to.store(&[batch, channel], value)]);
        Ok(())
    }

    /// Copies the gradient of a state before all steps to where it is asked for.
    fn leave(&self, name: &'static str, arg: i32, md: &MemoryDesc, from: &View<'b>, channels: i64) -> Result<()> {
        let net = self.net;
        let Some(asked) = maybe(net.b, name, arg, md)? else { return Ok(()) };
        let (n, batch) = net.axis("n", net.s.batch);
        let (c, channel) = net.axis("c", channels);
        let value = from.load(&[batch, channel], Ty::F32);
        let stores = vec![asked.store(&[self.layer, self.direction, batch, channel], value)];
        net.b.stage("rnn_leave", vec![n, c], None, stores);
        Ok(())
    }

    /// The gradient of what a step gives, to the layer above and to the next step.
    fn given(&self, time: Expr<'b>, batch: Expr<'b>, channel: Expr<'b>) -> Expr<'b> {
        let net = self.net;
        let above = match &self.shared.layers {
            Some(layers) if self.number + 1 < net.s.layers => {
                layers[(self.number % 2) as usize].load(&[time, batch, channel], Ty::F32)
            }
            _ => {
                let concat = net.op.direction == RnnDirection::BidirectionalConcat;
                let first = if concat { self.direction_number * net.s.state } else { 0 };
                self.diff_dst_layer.load(&[time, batch, net.b.param(first) + channel], Ty::F32)
            }
        };
        above + self.shared.state.load(&[batch, channel], Ty::F32)
    }

    fn gate(&self, number: usize) -> Expr<'b> {
        self.net.b.index(number as i64)
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

    /// The gradient of the state before a step, from the gradients of its first `gates` gates, and what is there already
    /// if `adds`.
    fn to_state(&self, time: Expr<'b>, gates: i64, adds: bool) {
        let net = self.net;
        let from = self.shared.linear.as_ref().unwrap_or(&self.shared.gates);
        let (n, batch) = net.axis("n", net.s.batch);
        let (k, input) = net.axis("k", net.s.iter);
        let (g, gate) = net.axis("g", gates);
        let (c, channel) = net.axis("c", net.s.hidden);
        let gradient = from.load(&[time, batch, gate, channel], Ty::F32);
        let weight = net.weights_iter.load(&[self.layer, self.direction, input, gate, channel], Ty::F32);
        let mut x = net.b.reduce(ReduceOp::Sum, &summed(&[(g, gates), (c, net.s.hidden)]), gradient * weight);
        if adds {
            x = x + self.shared.state.load(&[batch, input], Ty::F32);
        }
        net.b.stage("rnn_to_state", vec![n, k], None, vec![self.shared.state.store(&[batch, input], x)]);
    }

    fn vanilla_step(&self, time: Expr<'b>) -> Result<()> {
        let net = self.net;
        let (n, batch) = net.axis("n", net.s.batch);
        let (c, channel) = net.axis("c", net.s.hidden);
        let index = [time, batch, self.gate(0), channel];
        let value = self.gates.load(&index, Ty::F32);
        let gradient = net.vanilla_slope(self.given(time, batch, channel), value)?;
        net.b.stage("rnn_step", vec![n, c], None, vec![self.shared.gates.store(&index, gradient)]);
        self.to_state(time, 1, false);
        Ok(())
    }

    fn lstm_step(&self, time: Expr<'b>) -> Result<()> {
        let net = self.net;
        let (Some(cells), Some(diff_cell)) = (&self.cells, &self.shared.cell) else { return Ok(()) };
        self.to_hidden(time);
        let (n, batch) = net.axis("n", net.s.batch);
        let (c, channel) = net.axis("c", net.s.hidden);
        let gradient = match &self.shared.hidden {
            Some(hidden) => hidden.load(&[batch, channel], Ty::F32),
            None => self.given(time, batch, channel),
        };
        let gate = |g: usize| self.gates.load(&[time, batch, self.gate(g), channel], Ty::F32);
        let [input, forget, candidate, output] = [gate(0), gate(1), gate(2), gate(3)];
        let before = cells.load(&[self.order.before(time), batch, channel], Ty::F32);
        let after = cells.load(&[self.order.after(time), batch, channel], Ty::F32);
        let peephole = |row: i64, x: Expr<'b>, gradient: Expr<'b>| match &net.peephole {
            Some(weights) => {
                let weight = weights.load(&[self.layer, self.direction, net.b.index(row), channel], Ty::F32);
                x + weight * gradient
            }
            None => x,
        };
        let shown = net.cell_output(after);
        let d_output = gradient * shown * sigmoid_slope(output);
        let d_cell = diff_cell.load(&[batch, channel], Ty::F32) + gradient * output * tanh_slope(shown);
        let d_cell = peephole(2, d_cell, d_output);
        let d_forget = d_cell * before * sigmoid_slope(forget);
        let d_input = d_cell * candidate * sigmoid_slope(input);
        let d_candidate = d_cell * input * tanh_slope(candidate);
        let d_before = peephole(0, peephole(1, d_cell * forget, d_forget), d_input);
        let mut stores = vec![diff_cell.store(&[batch, channel], d_before)];
        for (g, value) in [d_input, d_forget, d_candidate, d_output].into_iter().enumerate() {
            stores.push(self.shared.gates.store(&[time, batch, self.gate(g), channel], value));
        }
        net.b.stage("lstm_step", vec![n, c], None, stores);
        self.to_state(time, 4, false);
        Ok(())
    }

    /// The gradient of what LSTM projects, from that of the projection, which is kept.
    fn to_hidden(&self, time: Expr<'b>) {
        let net = self.net;
        let (Some(hidden), Some(projected), Some(weights)) =
            (&self.shared.hidden, &self.shared.projected, &net.projection)
        else {
            return;
        };
        let (n, batch) = net.axis("n", net.s.batch);
        let (c, channel) = net.axis("c", net.s.state);
        let gradient = self.given(time, batch, channel);
        net.b.stage("rnn_projected", vec![n, c], None, vec![projected.store(&[time, batch, channel], gradient)]);

        let (n, batch) = net.axis("n", net.s.batch);
        let (c, channel) = net.axis("c", net.s.hidden);
        let x = net.sum("k", net.s.state, |k| {
            let weight = weights.load(&[self.layer, self.direction, channel, k], Ty::F32);
            projected.load(&[time, batch, k], Ty::F32) * weight
        });
        net.b.stage("rnn_to_hidden", vec![n, c], None, vec![hidden.store(&[batch, channel], x)]);
    }

    /// The gradients of the update gate and the candidate of GRU before their activation, and of the state as far as the
    /// update gate keeps it; and the store of the first without attention, for the gradient of the attention.
    ///
    /// With attention these are oneDNN's, which takes the update gate before attention for the one after it.
    fn gru_gradients(&self, time: Expr<'b>, batch: Expr<'b>, channel: Expr<'b>) -> ([Expr<'b>; 3], Option<Store>) {
        let net = self.net;
        let gate = |g: usize| self.gates.load(&[time, batch, self.gate(g), channel], Ty::F32);
        let (update, candidate) = (gate(0), gate(2));
        let gradient = self.given(time, batch, channel);
        let before = self.states.load(&[self.order.before(time), batch, channel], Ty::F32);
        let d_update = (before - candidate) * gradient * sigmoid_slope(update);
        let d_candidate = (-update + 1.0) * gradient * tanh_slope(candidate);
        let store = self.shared.update.as_ref().map(|view| view.store(&[time, batch, channel], d_update));
        ([net.kept(d_update, time, batch), d_candidate, gradient * update], store)
    }

    fn gru_step(&self, time: Expr<'b>) -> Result<()> {
        let net = self.net;
        let gates = &self.shared.gates;
        let (n, batch) = net.axis("n", net.s.batch);
        let (c, channel) = net.axis("c", net.s.hidden);
        let ([d_update, d_candidate, d_state], for_attention) = self.gru_gradients(time, batch, channel);
        let mut stores = vec![
            gates.store(&[time, batch, self.gate(0), channel], d_update),
            gates.store(&[time, batch, self.gate(2), channel], d_candidate),
            self.shared.state.store(&[batch, channel], d_state),
        ];
        stores.extend(for_attention);
        net.b.stage("gru_step", vec![n, c], None, stores);

        // The gradient of the state after the reset gate gives those of the gate and of the state.
        let (n, batch) = net.axis("n", net.s.batch);
        let (k, input) = net.axis("k", net.s.iter);
        let d_reset_state = net.sum("c", net.s.hidden, |channel| {
            let weight = net.weights_iter.load(&[self.layer, self.direction, input, self.gate(2), channel], Ty::F32);
            gates.load(&[time, batch, self.gate(2), channel], Ty::F32) * weight
        });
        let before = self.states.load(&[self.order.before(time), batch, input], Ty::F32);
        let reset = self.gates.load(&[time, batch, self.gate(1), input], Ty::F32);
        let d_state = self.shared.state.load(&[batch, input], Ty::F32) + d_reset_state * reset;
        let stores = vec![
            gates.store(&[time, batch, self.gate(1), input], d_reset_state * before * sigmoid_slope(reset)),
            self.shared.state.store(&[batch, input], d_state),
        ];
        net.b.stage("gru_reset", vec![n, k], None, stores);
        self.to_state(time, 2, true);
        Ok(())
    }

    fn linear_gru_step(&self, time: Expr<'b>) -> Result<()> {
        let net = self.net;
        let (Some(linear), Some(to_linear)) = (&self.linear, &self.shared.linear) else { return Ok(()) };
        let (n, batch) = net.axis("n", net.s.batch);
        let (c, channel) = net.axis("c", net.s.hidden);
        let ([d_update, d_candidate, d_state], for_attention) = self.gru_gradients(time, batch, channel);
        let reset = self.gates.load(&[time, batch, self.gate(1), channel], Ty::F32);
        let d_reset = d_candidate * linear.load(&[time, batch, channel], Ty::F32) * sigmoid_slope(reset);
        let mut stores = vec![self.shared.state.store(&[batch, channel], d_state)];
        stores.extend(for_attention);
        for (view, last) in [(&self.shared.gates, d_candidate), (to_linear, d_candidate * reset)] {
            for (g, value) in [d_update, d_reset, last].into_iter().enumerate() {
                stores.push(view.store(&[time, batch, self.gate(g), channel], value));
            }
        }
        net.b.stage("gru_step", vec![n, c], None, stores);
        self.to_state(time, 3, true);
        Ok(())
    }

    /// The gradient of the attention.
    fn attention(&self) -> Result<()> {
        let net = self.net;
        let out = maybe(net.b, "diff_attention", arg::DIFF_AUGRU_ATTENTION, &self.diff.attention)?;
        let (Some(gradients), Some(out)) = (&self.shared.update, out) else { return Ok(()) };
        let (t, time) = net.axis("t", net.s.time);
        let (n, batch) = net.axis("n", net.s.batch);
        let zero = net.b.index(0);
        let sum = net.sum("c", net.s.hidden, |channel| {
            let update = self.gates.load(&[time, batch, self.gate(0), channel], Ty::F32);
            gradients.load(&[time, batch, channel], Ty::F32) * update
        });
        net.b.stage("diff_attention", vec![t, n], None, vec![out.store(&[time, batch, zero], -sum)]);
        Ok(())
    }

    /// The gradient of what the layer below gives, or of the source, where the directions add up.
    fn below(&self) -> Result<()> {
        let net = self.net;
        let (t, time) = net.axis("t", net.s.time);
        let (n, batch) = net.axis("n", net.s.batch);
        let (k, input) = net.axis("k", net.s.src);
        let (g, gate) = net.axis("g", net.s.gates);
        let (c, channel) = net.axis("c", net.s.hidden);
        let gradient = self.shared.gates.load(&[time, batch, gate, channel], Ty::F32);
        let weight = net.weights_layer.load(&[self.layer, self.direction, input, gate, channel], Ty::F32);
        let axes = summed(&[(g, net.s.gates), (c, net.s.hidden)]);
        let x = net.b.reduce(ReduceOp::Sum, &axes, gradient * weight);
        let index = [time, batch, input];
        let store = match &self.shared.layers {
            Some(layers) if self.number > 0 => layers[((self.number - 1) % 2) as usize].store(&index, x),
            _ => {
                let out = View::new(net.b, "diff_src_layer", arg::DIFF_SRC_LAYER, &self.diff.src_layer)?;
                let before = (self.direction_number > 0).then(|| out.load(&index, Ty::F32));
                out.store(&index, before.map_or(x, |before| before + x))
            }
        };
        net.b.stage("diff_layer", vec![t, n, k], None, vec![store]);
        Ok(())
    }

    /// A sum over all steps and sequences.
    fn sum_over_steps(&self, body: impl FnOnce(Expr<'b>, Expr<'b>) -> Expr<'b>) -> Expr<'b> {
        let net = self.net;
        let (t, time) = net.axis("t", net.s.time);
        let (n, batch) = net.axis("n", net.s.batch);
        let axes = summed(&[(t, net.s.time), (n, net.s.batch)]);
        net.b.reduce(ReduceOp::Sum, &axes, body(time, batch))
    }

    /// What a gradient of weights becomes: it is added to what is there, unless that is to be overwritten.
    fn added(&self, out: &View<'b>, index: &[Expr<'b>], x: Expr<'b>) -> Expr<'b> {
        let overwrite = self.net.op.flags & Rnn::DIFF_WEIGHTS_OVERWRITE != 0;
        if overwrite { x } else { out.load(index, Ty::F32) + x }
    }

    fn weights_layer(&self) -> Result<()> {
        let net = self.net;
        let out = View::new(net.b, "diff_weights_layer", arg::DIFF_WEIGHTS_LAYER, &self.diff.weights_layer)?;
        let (k, input) = net.axis("k", net.s.src);
        let (g, gate) = net.axis("g", net.s.gates);
        let (c, channel) = net.axis("c", net.s.hidden);
        let x = self.sum_over_steps(|time, batch| {
            let source = match &self.below {
                None => net.src_layer.load(&[time, batch, input], Ty::F32),
                Some(states) => states.load(&[self.order.after(time), batch, input], Ty::F32),
            };
            source * self.shared.gates.load(&[time, batch, gate, channel], Ty::F32)
        });
        let index = [self.layer, self.direction, input, gate, channel];
        let stores = vec![out.store(&index, self.added(&out, &index, x))];
        net.b.stage("diff_weights", vec![k, g, c], None, stores);
        Ok(())
    }

    fn weights_iter(&self) -> Result<()> {
        let net = self.net;
        let out = View::new(net.b, "diff_weights_iter", arg::DIFF_WEIGHTS_ITER, &self.diff.weights_iter)?;
        let gradients = self.shared.linear.as_ref().unwrap_or(&self.shared.gates);
        let resets = matches!(net.op.cell.kind, AlgKind::VanillaGru | AlgKind::VanillaAugru);
        let gates = if resets { 2 } else { net.s.gates };
        let (k, input) = net.axis("k", net.s.iter);
        let (g, gate) = net.axis("g", gates);
        let (c, channel) = net.axis("c", net.s.hidden);
        let before = |time: Expr<'b>, batch, input| self.states.load(&[self.order.before(time), batch, input], Ty::F32);
        let x = self.sum_over_steps(|time, batch| {
            before(time, batch, input) * gradients.load(&[time, batch, gate, channel], Ty::F32)
        });
        let index = [self.layer, self.direction, input, gate, channel];
        let stores = vec![out.store(&index, self.added(&out, &index, x))];
        net.b.stage("diff_weights", vec![k, g, c], None, stores);
        if !resets {
            return Ok(());
        }
        // The candidate of GRU sees the state after the reset gate.
        let (k, input) = net.axis("k", net.s.iter);
        let (c, channel) = net.axis("c", net.s.hidden);
        let gate = self.gate(2);
        let x = self.sum_over_steps(|time, batch| {
            let reset = self.gates.load(&[time, batch, self.gate(1), input], Ty::F32);
            (before(time, batch, input) * reset) * gradients.load(&[time, batch, gate, channel], Ty::F32)
        });
        let index = [self.layer, self.direction, input, gate, channel];
        let stores = vec![out.store(&index, self.added(&out, &index, x))];
        net.b.stage("diff_weights", vec![k, c], None, stores);
        Ok(())
    }

    fn bias(&self) -> Result<()> {
        let net = self.net;
        let Some(out) = maybe(net.b, "diff_bias", arg::DIFF_BIAS, &self.diff.bias)? else { return Ok(()) };
        let (g, gate) = net.axis("g", net.s.gates);
        let (c, channel) = net.axis("c", net.s.hidden);
        let x = self.sum_over_steps(|time, batch| self.shared.gates.load(&[time, batch, gate, channel], Ty::F32));
        let index = [self.layer, self.direction, gate, channel];
        net.b.stage("diff_bias", vec![g, c], None, vec![out.store(&index, self.added(&out, &index, x))]);
        let Some(linear) = &self.shared.linear else { return Ok(()) };
        let (c, channel) = net.axis("c", net.s.hidden);
        let x = self.sum_over_steps(|time, batch| linear.load(&[time, batch, self.gate(2), channel], Ty::F32));
        let index = [self.layer, self.direction, self.gate(3), channel];
        net.b.stage("diff_bias", vec![c], None, vec![out.store(&index, self.added(&out, &index, x))]);
        Ok(())
    }

    fn peephole(&self) -> Result<()> {
        let net = self.net;
        let out = maybe(net.b, "diff_peephole", arg::DIFF_WEIGHTS_PEEPHOLE, &self.diff.weights_peephole)?;
        let (Some(out), Some(cells)) = (out, &self.cells) else { return Ok(()) };
        for (row, gate) in [(0, 0), (1, 1), (2, 3)] {
            let (c, channel) = net.axis("c", net.s.hidden);
            let x = self.sum_over_steps(|time, batch| {
                let slot = if gate == 3 { self.order.after(time) } else { self.order.before(time) };
                let gradient = self.shared.gates.load(&[time, batch, net.b.param(gate), channel], Ty::F32);
                gradient * cells.load(&[slot, batch, channel], Ty::F32)
            });
            let index = [self.layer, self.direction, net.b.param(row), channel];
            net.b.stage("diff_peephole", vec![c], None, vec![out.store(&index, self.added(&out, &index, x))]);
        }
        Ok(())
    }

    fn projection(&self) -> Result<()> {
        let net = self.net;
        let out = maybe(net.b, "diff_projection", arg::DIFF_WEIGHTS_PROJECTION, &self.diff.weights_projection)?;
        let (Some(out), Some(cells), Some(projected)) = (out, &self.cells, &self.shared.projected) else {
            return Ok(());
        };
        let (k, input) = net.axis("k", net.s.hidden);
        let (c, channel) = net.axis("c", net.s.state);
        let x = self.sum_over_steps(|time, batch| {
            let output = self.gates.load(&[time, batch, self.gate(3), input], Ty::F32);
            let hidden = output * net.cell_output(cells.load(&[self.order.after(time), batch, input], Ty::F32));
            hidden * projected.load(&[time, batch, channel], Ty::F32)
        });
        let index = [self.layer, self.direction, input, channel];
        net.b.stage("diff_projection", vec![k, c], None, vec![out.store(&index, self.added(&out, &index, x))]);
        Ok(())
    }
}
