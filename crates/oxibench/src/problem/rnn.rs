//! Recurrent networks: vanilla, LSTM and the GRUs.

use super::contraction::batch;
use super::{Accuracy, Arg, Descs, Direction, Fill, Operation, Problem, Role, algorithm};
use crate::fields::Fields;
use crate::spec::Spec;
use crate::tag::Arrangement;
use dnnl_dynamic::api::arg;
use dnnl_dynamic::attr::RecurrentQuantization;
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
            maker.recurrent_backward(self.cell, self.direction, 0, |index| descs.get(index))
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

/// The types of the tensors.
struct Types {
    src_layer: DataType,
    /// Of the states that are given and asked for.
    states: DataType,
    /// Of the second states of LSTM.
    cells: DataType,
    weights: DataType,
    bias: DataType,
    dst_layer: DataType,
    accuracy: Accuracy,
}

impl Types {
    /// By benchdnn's name of a configuration.
    fn of(name: &str) -> Result<Types, String> {
        use DataType::*;
        let floats = |data: DataType, cells: DataType, bias: DataType, accuracy| Types {
            src_layer: data,
            states: data,
            cells,
            weights: data,
            bias,
            dst_layer: data,
            accuracy,
        };
        let integers = |states: DataType, data: DataType, dst_layer: DataType| Types {
            src_layer: data,
            states,
            cells: F32,
            weights: S8,
            bias: F32,
            dst_layer,
            accuracy: Accuracy::Narrow,
        };
        Ok(match name {
            "f32" => floats(F32, F32, F32, Accuracy::Coarse),
            "bf16" => floats(Bf16, Bf16, Bf16, Accuracy::Narrow),
            "bf16f32" => floats(Bf16, F32, F32, Accuracy::Narrow),
            "f16" => floats(F16, F16, F16, Accuracy::Narrow),
            "f16f32" => floats(F16, F32, F32, Accuracy::Narrow),
            "u8u8u8u8" => integers(U8, U8, U8),
            "u8u8u8f32" => integers(U8, U8, F32),
            "f32u8f32u8" => integers(F32, U8, U8),
            "f32u8f32f32" => integers(F32, U8, F32),
            "s8s8s8s8" => integers(S8, S8, S8),
            "s8s8s8f32" => integers(S8, S8, F32),
            "f32s8f32s8" => integers(F32, S8, S8),
            "f32s8f32f32" => integers(F32, S8, F32),
            other => return Err(format!("--cfg={other}: no such configuration")),
        })
    }

    /// What the integers that tensors are filled with stand for: data from minus to plus one, weights of an eighth at most.
    fn quantization(&self, projected: bool) -> Option<RecurrentQuantization> {
        let shift = if self.src_layer == DataType::U8 { 8.0 } else { 0.0 };
        let weights = (0, vec![64.0]);
        let projection = projected.then(|| weights.clone());
        self.src_layer.is_integer().then_some(RecurrentQuantization { data: (8.0, shift), weights, projection })
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
    let types = Types::of(spec.or("cfg", spec.or("dt", "f32")))?;
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
    // Whole numbers of weights that are around zero keep sums small by their scale.
    let small = if types.weights.is_integer() { Fill::Signed } else { Fill::Small };
    let mut tensors = vec![
        (arg::SRC, vec![steps, batch, slc], types.src_layer, false, Fill::Signed),
        (arg::SRC_1, state(sic), types.states, false, Fill::Signed),
        (arg::WEIGHTS, weights(slc), types.weights, true, small),
        (arg::WEIGHTS_1, weights(sic), types.weights, true, small),
        (arg::BIAS, vec![layers, directions, cell.biases(), dhc], types.bias, false, Fill::Small),
        (arg::DST, vec![steps, batch, out], types.dst_layer, false, Fill::Nothing),
        (arg::DST_1, state(dic), types.states, false, Fill::Nothing),
    ];
    if lstm {
        tensors.push((arg::SRC_2, state(dhc), types.cells, false, Fill::Signed));
        tensors.push((arg::DST_2, state(dhc), types.cells, false, Fill::Nothing));
    }
    if peephole {
        tensors.push((arg::WEIGHTS_2, vec![layers, directions, 3, dhc], DataType::F32, false, Fill::Small));
    }
    if projected.is_some() {
        tensors.push((arg::WEIGHTS_3, vec![layers, directions, dhc, dic], types.weights, true, small));
    }
    if cell.attends() {
        tensors.push((arg::SRC_3, vec![steps, batch, 1], types.src_layer, false, Fill::Small));
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
    let forward = |pass| {
        let mut problem = Problem::new(operation(pass), forward_args(), flops, types.accuracy);
        problem.attributes.recurrent = types.quantization(projected.is_some());
        problem
    };
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
    for (index, dims, _, free, fill) in &tensors {
        let (tag, index) = (if *free { Arrangement::Any } else { plain(dims) }, gradient(*index));
        // Gradients are single precision, and those of weights are added to what is there.
        let weights = matches!(index, arg::DIFF_WEIGHTS..=arg::DIFF_WEIGHTS_3 | arg::DIFF_BIAS);
        let dt = DataType::F32;
        args.push(if *fill == Fill::Nothing {
            Arg::input(index, dims, dt, tag, Fill::Small)
        } else {
            let fill = if weights { Fill::Constant(0.0) } else { Fill::Nothing };
            Arg { fill, ..Arg::output(index, dims, dt, tag) }
        });
    }
    let backward = Problem::new(operation(Direction::Backward), args, 2.0 * flops, types.accuracy);
    Ok(backward.after(forward(Direction::Forward)))
}
