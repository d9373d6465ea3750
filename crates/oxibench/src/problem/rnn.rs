//! Recurrent networks: vanilla, LSTM and the GRUs.

use super::contraction::batch;
use super::{Accuracy, Arg, Descs, Direction, Fill, Operation, Problem, Role, algorithm};
use crate::fields::Fields;
use crate::spec::Spec;
use crate::tag::Arrangement;
use dnnl_dynamic::api::arg;
use dnnl_dynamic::create::{Made, Maker};
use dnnl_dynamic::dtype::DataType;
use dnnl_dynamic::recurrent::Cell;

struct Recurrent {
    cell: Cell,
    pass: Direction,
    direction: i32,
}

impl Operation for Recurrent {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        if self.pass.is_forward() {
            maker.recurrent_forward(self.cell, self.pass.prop_kind(), self.direction, |index| descs.get(index))
        } else {
            maker.recurrent_backward(self.cell, self.direction, |index| descs.get(index))
        }
    }
}

/// The gradient that belongs to an argument of the forward pass.
fn gradient(index: i32) -> i32 {
    match index {
        arg::BIAS => arg::DIFF_BIAS,
        _ => index + (arg::DIFF_SRC - arg::SRC),
    }
}

/// `--rnn --alg=VANILLA_LSTM l1t10mb16sic512`.
pub fn rnn(spec: &Spec) -> Result<Problem, String> {
    let fields = Fields::parse(&spec.descriptor).ok_or_else(|| spec.unreadable())?;
    let activation = match spec.or("activation", "RELU") {
        "RELU" => 0x20,
        "TANH" => 0x21,
        "LOGISTIC" => 0x29,
        other => return Err(format!("--activation={other}: no such activation")),
    };
    let cells = [
        ("vanilla_rnn", Cell::Vanilla { activation }),
        ("vanilla_lstm", Cell::Lstm),
        ("vanilla_gru", Cell::Gru),
        ("lbr_gru", Cell::LbrGru),
        ("vanilla_augru", Cell::Augru),
        ("lbr_augru", Cell::LbrAugru),
    ];
    let numbered: Vec<(&str, i32)> = cells.iter().enumerate().map(|(i, (name, _))| (*name, i as i32)).collect();
    let cell = cells[algorithm(spec, "vanilla_rnn", &numbered)? as usize].1;
    let (direction, directions) = match spec.or("direction", "left2right") {
        "left2right" => (1, 1),
        "right2left" => (2, 1),
        "concat" => (3, 2),
        "sum" => (4, 2),
        other => return Err(format!("--direction={other}: no such direction")),
    };
    let (dt, bias_dt, accuracy) = match spec.or("cfg", spec.or("dt", "f32")) {
        "f32" => (DataType::F32, DataType::F32, Accuracy::Coarse),
        "bf16" => (DataType::Bf16, DataType::Bf16, Accuracy::Narrow),
        "bf16f32" => (DataType::Bf16, DataType::F32, Accuracy::Narrow),
        "f16" => (DataType::F16, DataType::F16, Accuracy::Narrow),
        other => return Err(format!("--cfg={other}: not one of f32, bf16, bf16f32, f16")),
    };
    let pass = Direction::of(spec, if spec.text("prop").is_some() { "prop" } else { "dir" }, Direction::Inference)?;
    let over = |name: &str| spec.number::<i64>(name, 0).map(|n| if n > 0 { n } else { fields.get(name).unwrap_or(1) });
    let (layers, steps, batch) = (over("l")?, over("t")?, batch(spec, &fields)?);
    let sic = fields.get("sic").ok_or_else(|| spec.unreadable())?;
    let slc = fields.get("slc").unwrap_or(sic);
    let dhc = fields.get("dhc").unwrap_or(sic);
    let projected = fields.get("dic").filter(|dic| *dic != dhc).or(spec.flag("with-projection")?.then_some(dhc));
    let (dic, lstm, peephole) = (projected.unwrap_or(dhc), cell == Cell::Lstm, spec.flag("with-peephole")?);
    if (projected.is_some() || peephole) && !lstm {
        return Err("only an LSTM has a projection or peepholes".to_string());
    }
    let out = if direction == 3 { 2 * dic } else { dic };
    let state = |channels| vec![layers, directions, batch, channels];
    let weights = |inputs| vec![layers, directions, inputs, cell.gates(), dhc];
    let plain = |dims: &[i64]| Arrangement::plain(dims.len());

    // Every tensor of the forward pass: index, dimensions, type, whether the primitive chooses its layout, contents.
    let mut tensors = vec![
        (arg::SRC, vec![steps, batch, slc], dt, false, Fill::Signed),
        (arg::SRC_1, state(sic), dt, false, Fill::Signed),
        (arg::WEIGHTS, weights(slc), dt, true, Fill::Small),
        (arg::WEIGHTS_1, weights(sic), dt, true, Fill::Small),
        (arg::BIAS, vec![layers, directions, cell.biases(), dhc], bias_dt, false, Fill::Small),
        (arg::DST, vec![steps, batch, out], dt, false, Fill::Nothing),
        (arg::DST_1, state(dic), dt, false, Fill::Nothing),
    ];
    if lstm {
        tensors.push((arg::SRC_2, state(dhc), dt, false, Fill::Signed));
        tensors.push((arg::DST_2, state(dhc), dt, false, Fill::Nothing));
    }
    if peephole {
        tensors.push((arg::WEIGHTS_2, vec![layers, directions, 3, dhc], DataType::F32, false, Fill::Small));
    }
    if projected.is_some() {
        tensors.push((arg::WEIGHTS_3, vec![layers, directions, dhc, dic], dt, true, Fill::Small));
    }
    if cell.attends() {
        tensors.push((arg::SRC_3, vec![steps, batch, 1], dt, false, Fill::Small));
    }
    let forward_args = || -> Vec<Arg> {
        let arg = |(index, dims, dt, free, fill): &(i32, Vec<i64>, DataType, bool, Fill)| {
            let tag = if *free { Arrangement::Any } else { plain(dims) };
            let role = if *fill == Fill::Nothing { Role::Output } else { Role::Input };
            Arg { role, ..Arg::input(*index, dims, *dt, tag, *fill) }
        };
        tensors.iter().map(arg).collect()
    };
    let channels = (slc + sic) * cell.gates() + projected.unwrap_or(0);
    let flops = 2.0 * (layers * directions * steps * batch) as f64 * (dhc * channels) as f64;
    let operation = |pass| Recurrent { cell, pass, direction };
    let forward = |pass| Problem::new(operation(pass), forward_args(), flops, accuracy);
    if pass.is_forward() {
        return Ok(forward(pass));
    }
    let mut args = forward_args();
    for arg in &mut args {
        // Results of the forward pass, which leaves them here.
        if arg.role == Role::Output {
            (arg.role, arg.fill) = (Role::Input, Fill::Small);
        }
    }
    for (index, dims, dt, free, fill) in &tensors {
        let (tag, index) = (if *free { Arrangement::Any } else { plain(dims) }, gradient(*index));
        // Gradients of weights are single precision, and are added to what is there.
        let weights = matches!(index, arg::DIFF_WEIGHTS..=arg::DIFF_WEIGHTS_3 | arg::DIFF_BIAS);
        let dt = if weights { DataType::F32 } else { *dt };
        args.push(if *fill == Fill::Nothing {
            Arg::input(index, dims, dt, tag, Fill::Small)
        } else {
            let fill = if weights { Fill::Constant(0.0) } else { Fill::Nothing };
            Arg { fill, ..Arg::output(index, dims, dt, tag) }
        });
    }
    let backward = Problem::new(operation(Direction::Backward), args, 2.0 * flops, accuracy);
    Ok(backward.after(forward(Direction::Forward)))
}
