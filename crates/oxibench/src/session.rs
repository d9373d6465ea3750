//! Problems on one library's engine: create, fill, run, time, read back.

use crate::problem::{Arg, Descs, Fill, PostOp, Problem, Role, TensorDescs};
use crate::tag::Arrangement;
use dnnl_dynamic::api::{Api, ExecArg, Handle, RUNTIME_DIM, TAG_ANY, arg};
use dnnl_dynamic::create::Maker;
use dnnl_dynamic::dtype::DataType;
use dnnl_dynamic::handle::{
    Attr, BorrowedDesc, Device, Failure, Memory, MemoryDesc, Primitive, PrimitiveDesc, Tensor, exec_args, host_scalar,
};
use dnnl_dynamic::layout::Tag;
use std::time::{Duration, Instant};

/// A library with one of its engines.
pub struct Session<'a> {
    /// The library.
    pub api: &'a Api,
    /// The engine.
    pub device: Device<'a>,
}

/// Where an argument lives.
enum Place<'a> {
    Device(Tensor<'a>),
    Host(Memory<'a>),
    /// Where the source lives.
    Source,
    /// Where the destination of an earlier step lives.
    Earlier(Handle),
}

/// Where all of a problem's arguments live.
struct Places<'a>(Vec<(i32, Place<'a>)>);

impl<'a> Places<'a> {
    fn get(&self, index: i32) -> Option<&Place<'a>> {
        match self.0.iter().find(|(known, _)| *known == index) {
            Some((_, Place::Source)) => self.get(arg::SRC),
            found => found.map(|(_, place)| place),
        }
    }

    fn memory(&self, index: i32) -> Option<Handle> {
        match self.get(index)? {
            Place::Device(tensor) => Some(tensor.memory()),
            Place::Host(memory) => Some(memory.handle()),
            Place::Earlier(memory) => Some(*memory),
            Place::Source => None,
        }
    }
}

/// A primitive with its arguments.
struct Step<'a> {
    pd: PrimitiveDesc<'a>,
    primitive: Primitive<'a>,
    args: Vec<ExecArg>,
    places: Places<'a>,
    outputs: Vec<Arg>,
    creation: Duration,
    bytes: u64,
}

/// A problem that can be run.
pub struct Prepared<'a> {
    steps: Vec<Step<'a>>,
    /// How long the primitives took to create.
    pub creation: Duration,
    /// What the library calls the implementation.
    pub implementation: String,
    /// Bytes a run must read and write at least.
    pub bytes: u64,
}

impl<'a> Session<'a> {
    /// Creates the primitive and its tensors, and fills them. Where the library does not have it, those of its steps.
    pub fn prepare(&self, problem: &Problem) -> Result<Prepared<'a>, Failure> {
        let problems = match problem.operation.is_in(self.api) {
            true => std::slice::from_ref(problem),
            false => &problem.steps[..],
        };
        let mut steps: Vec<Step<'a>> = Vec::new();
        for problem in problems {
            let step = self.step(problem, &steps)?;
            steps.push(step);
        }
        let names: Vec<String> = steps.iter().map(|step| step.pd.implementation()).collect();
        Ok(Prepared {
            creation: steps.iter().map(|step| step.creation).sum(),
            implementation: names.join(", "),
            bytes: steps.iter().map(|step| step.bytes).sum(),
            steps,
        })
    }

    fn step(&self, problem: &Problem, earlier: &[Step<'a>]) -> Result<Step<'a>, Failure> {
        let forward = match &problem.forward {
            Some(forward) => {
                let descs = self.descs(forward)?;
                Some((forward, self.primitive_desc(forward, &descs, None)?))
            }
            None => None,
        };
        let descs = self.descs(problem)?;
        let start = Instant::now();
        let pd = self.primitive_desc(problem, &descs, forward.as_ref().map(|(_, pd)| pd))?;
        let primitive = Primitive::new(self.api, &pd)?;
        let creation = start.elapsed();

        let mut places = Places(Vec::new());
        let mut bytes = 0;
        for argument in &problem.args {
            let made = argument.made_by.and_then(|step| earlier.get(step)?.places.memory(arg::DST));
            let placed = if let Some(memory) = made {
                Some((Place::Earlier(memory), wanted(argument, &pd, &descs).size()))
            } else if problem.in_place && argument.index == arg::DST {
                Some((Place::Source, self.size_in_place(problem, argument, &pd, &descs)?))
            } else {
                self.place(argument, &pd, &descs)?
            };
            if let Some((place, size)) = placed {
                bytes += size as u64 * if reads_and_writes(problem, argument) { 2 } else { 1 };
                places.0.push((argument.index, place));
            }
        }
        if problem.attributes.user_scratchpad && pd.scratchpad().size() > 0 {
            let scratchpad = Tensor::new(self.api, &self.device, pd.scratchpad())?;
            places.0.push((arg::SCRATCHPAD, Place::Device(scratchpad)));
        }
        if pd.workspace().size() > 0 {
            let workspace = Tensor::new(self.api, &self.device, pd.workspace())?;
            places.0.push((arg::WORKSPACE, Place::Device(workspace)));
            if let Some((forward, forward_pd)) = &forward {
                self.run_forward((forward, forward_pd), (problem, &pd, &descs), &places)?;
            }
        }
        let indices = places.0.iter().map(|(index, _)| *index);
        let args: Vec<(i32, Handle)> = indices.filter_map(|i| places.memory(i).map(|memory| (i, memory))).collect();
        let outputs = problem.args.iter().filter(|argument| argument.role == Role::Output).cloned().collect();
        Ok(Step { pd, primitive, args: exec_args(&args), places, outputs, creation, bytes })
    }

    /// Bytes of a destination that lies where the source does, which must be of the same layout.
    fn size_in_place(
        &self,
        problem: &Problem,
        dst: &Arg,
        pd: &PrimitiveDesc<'_>,
        descs: &Descs<'_>,
    ) -> Result<usize, Failure> {
        let src = problem.args.iter().find(|argument| argument.index == arg::SRC);
        let (md, same) = (wanted(dst, pd, descs), |src: &Arg| wanted(src, pd, descs).same(wanted(dst, pd, descs)));
        match src {
            Some(src) if same(src) => Ok(md.size()),
            _ => Err(Failure { stage: "in place with another layout".to_string(), status: 2 }),
        }
    }

    fn descs(&self, problem: &Problem) -> Result<Descs<'a>, Failure> {
        let both = |argument: &Arg| -> Result<TensorDescs<'a>, Failure> {
            let creation = self.desc(argument, argument.creation_dims.as_ref().unwrap_or(&argument.dims))?;
            let fixed = matches!(argument.tag, Arrangement::Letters(_) | Arrangement::Strides(_));
            let memory = if fixed { self.desc(argument, &argument.dims)? } else { None };
            Ok(TensorDescs { index: argument.index, creation, memory })
        };
        problem.args.iter().map(both).collect::<Result<_, _>>().map(Descs)
    }

    /// The descriptor of a tensor with these dimensions, if there is one without asking a primitive.
    fn desc(&self, argument: &Arg, dims: &[i64]) -> Result<Option<MemoryDesc<'a>>, Failure> {
        let (api, dt) = (self.api, argument.dt);
        if argument.host {
            return MemoryDesc::host_scalar(api, dt).map(Some);
        }
        match &argument.tag {
            Arrangement::Undef => Ok(None),
            Arrangement::Any => MemoryDesc::with_tag(api, dims, dt, TAG_ANY).map(Some),
            Arrangement::Strides(_) if dims.contains(&RUNTIME_DIM) => {
                MemoryDesc::with_strides(api, dims, dt, &vec![RUNTIME_DIM; dims.len()]).map(Some)
            }
            Arrangement::Strides(strides) => MemoryDesc::with_strides(api, dims, dt, strides).map(Some),
            Arrangement::Letters(letters) => {
                let tag = Tag::all().iter().find(|tag| tag.name == letters);
                let unknown = || Failure { stage: format!("layout {letters}"), status: 3 };
                MemoryDesc::with_tag(api, dims, dt, tag.ok_or_else(unknown)?.value).map(Some)
            }
        }
    }

    fn primitive_desc(
        &self,
        problem: &Problem,
        descs: &Descs<'_>,
        hint: Option<&PrimitiveDesc<'a>>,
    ) -> Result<PrimitiveDesc<'a>, Failure> {
        let attr = problem.attributes.build(self.api, descs)?;
        problem.operation.create(&Maker { api: self.api, device: &self.device, attr: &attr, hint }, descs)
    }

    /// Makes the memory of an argument and fills it; `None` for one the primitive does not take.
    fn place(
        &self,
        argument: &Arg,
        pd: &PrimitiveDesc<'_>,
        descs: &Descs<'_>,
    ) -> Result<Option<(Place<'a>, usize)>, Failure> {
        if argument.host {
            let Fill::Constant(value) = argument.fill else {
                return Err(Failure { stage: "a host scalar has one value".to_string(), status: 2 });
            };
            let memory = host_scalar(self.api, argument.dt, argument.dt.encode(value))?;
            return Ok(Some((Place::Host(memory), 0)));
        }
        let md = wanted(argument, pd, descs);
        let size = md.size();
        if size == 0 && argument.elements() > 0 {
            return Ok(None);
        }
        let tensor = Tensor::new(self.api, &self.device, md)?;
        let plain =
            MemoryDesc::with_tag(self.api, &argument.dims, argument.dt, Tag::row_major(argument.dims.len()).value)?;
        if argument.fill != Fill::Nothing {
            if md.same(plain.borrow()) {
                tensor.mapped(|bytes| fill(bytes, argument))?;
            } else {
                let values = Tensor::new(self.api, &self.device, plain.borrow())?;
                values.mapped(|bytes| fill(bytes, argument))?;
                self.copy((plain.borrow(), &values), (md, &tensor))?;
            }
        }
        Ok(Some((Place::Device(tensor), size)))
    }

    /// Runs the forward pass for what it leaves to the backward one: the workspace, and results that are arguments of both.
    fn run_forward(
        &self,
        (forward, forward_pd): (&Problem, &PrimitiveDesc<'_>),
        (backward, pd, backward_descs): (&Problem, &PrimitiveDesc<'_>, &Descs<'_>),
        given: &Places<'a>,
    ) -> Result<(), Failure> {
        let descs = self.descs(forward)?;
        let (mut own, mut args) = (Places(Vec::new()), Vec::new());
        for argument in &forward.args {
            let index = argument.index;
            let other = backward.args.iter().find(|other| other.index == index);
            let same = |other: &Arg| wanted(argument, forward_pd, &descs).same(wanted(other, pd, backward_descs));
            let shared = given.memory(index).filter(|_| other.is_some_and(same));
            if shared.is_none()
                && let Some((place, _)) = self.place(argument, forward_pd, &descs)?
            {
                own.0.push((index, place));
            }
            args.extend(shared.or_else(|| own.memory(index)).map(|memory| (index, memory)));
        }
        args.extend(given.memory(arg::WORKSPACE).map(|memory| (arg::WORKSPACE, memory)));
        Primitive::new(self.api, forward_pd)?.execute(&self.device, &args)
    }

    /// Copies between arrangements with the library's own reorder.
    fn copy(&self, src: (BorrowedDesc<'_>, &Tensor<'_>), dst: (BorrowedDesc<'_>, &Tensor<'_>)) -> Result<(), Failure> {
        let within = |failure: Failure| Failure { stage: format!("{} of a reorder for it", failure.stage), ..failure };
        let attr = Attr::new(self.api)?;
        let maker = Maker { api: self.api, device: &self.device, attr: &attr, hint: None };
        let pd = maker.reorder(src.0, dst.0).map_err(within)?;
        let primitive = Primitive::new(self.api, &pd).map_err(within)?;
        primitive.execute(&self.device, &[(arg::SRC, src.1.memory()), (arg::DST, dst.1.memory())]).map_err(within)
    }

    fn submit(&self, prepared: &Prepared<'_>) -> Result<(), Failure> {
        prepared.steps.iter().try_for_each(|step| step.primitive.submit(&self.device, &step.args))
    }

    /// Runs for some time and returns how long each run took. Short runs are timed together, a wait behind them.
    pub fn time(
        &self,
        prepared: &Prepared<'_>,
        budget: Duration,
        cold: Option<&Flusher<'_>>,
    ) -> Result<Vec<f64>, Failure> {
        const TOGETHER: f64 = 0.5e-3;
        let run = |times: usize| -> Result<f64, Failure> {
            let start = Instant::now();
            for _ in 0..times {
                self.submit(prepared)?;
            }
            self.device.wait()?;
            Ok(start.elapsed().as_secs_f64() / times as f64)
        };
        let first = run(1)?;
        let together = if cold.is_some() || first > 4.0 * TOGETHER {
            1
        } else {
            (TOGETHER / run(1)?.max(1e-9)).ceil().clamp(1.0, 1000.0) as usize
        };
        let (start, mut times) = (Instant::now(), Vec::new());
        while times.is_empty() || (start.elapsed() < budget && times.len() < 10_000) {
            if let Some(flusher) = cold {
                flusher.flush(self)?;
            }
            times.push(run(together)?);
        }
        Ok(times)
    }

    /// Runs once and returns the outputs in row-major order.
    pub fn results(&self, prepared: &Prepared<'_>) -> Result<Vec<Vec<u8>>, Failure> {
        self.submit(prepared)?;
        self.device.wait()?;
        let mut results = Vec::new();
        let Some(last) = prepared.steps.last() else { return Ok(results) };
        for output in &last.outputs {
            let Some(Place::Device(tensor)) = last.places.get(output.index) else {
                results.push(Vec::new());
                continue;
            };
            let desc = match output.tag {
                Arrangement::Letters(_) | Arrangement::Strides(_) => self.desc(output, &output.dims)?,
                Arrangement::Any | Arrangement::Undef => None,
            };
            let md = desc.as_ref().map_or_else(|| last.pd.argument(output.index), MemoryDesc::borrow);
            let tag = Tag::row_major(output.dims.len()).value;
            let plain = MemoryDesc::with_tag(self.api, &output.dims, output.dt, tag)?;
            results.push(if md.same(plain.borrow()) {
                tensor.mapped(|bytes| bytes.to_vec())?
            } else {
                let values = Tensor::new(self.api, &self.device, plain.borrow())?;
                self.copy((md, tensor), (plain.borrow(), &values))?;
                values.mapped(|bytes| bytes.to_vec())?
            });
        }
        Ok(results)
    }
}

/// The descriptor of an argument's memory.
fn wanted<'d>(argument: &Arg, pd: &'d PrimitiveDesc<'_>, descs: &'d Descs<'_>) -> BorrowedDesc<'d> {
    descs.memory(argument.index).unwrap_or_else(|| pd.argument(argument.index))
}

/// Whether a destination's old contents count too.
fn reads_and_writes(problem: &Problem, argument: &Arg) -> bool {
    argument.role == Role::Output
        && problem.attributes.post_ops.iter().any(|post_op| matches!(post_op, PostOp::Sum { .. }))
}

/// Pushes everything out of the caches between runs: a copy larger than any of them.
pub struct Flusher<'a> {
    primitive: Primitive<'a>,
    args: Vec<ExecArg>,
    _tensors: [Tensor<'a>; 2],
}

impl<'a> Flusher<'a> {
    const ELEMENTS: i64 = 64 << 20;

    /// Makes it on a session's engine.
    pub fn new(session: &Session<'a>) -> Result<Flusher<'a>, Failure> {
        let (api, device) = (session.api, &session.device);
        let md = MemoryDesc::with_tag(api, &[Self::ELEMENTS], DataType::F32, Tag::row_major(1).value)?;
        let tensors = [Tensor::new(api, device, md.borrow())?, Tensor::new(api, device, md.borrow())?];
        let attr = Attr::new(api)?;
        let pd = Maker { api, device, attr: &attr, hint: None }.reorder(md.borrow(), md.borrow())?;
        let args = exec_args(&[(arg::SRC, tensors[0].memory()), (arg::DST, tensors[1].memory())]);
        Ok(Flusher { primitive: Primitive::new(api, &pd)?, args, _tensors: tensors })
    }

    fn flush(&self, session: &Session<'_>) -> Result<(), Failure> {
        self.primitive.submit(&session.device, &self.args)?;
        session.device.wait()
    }
}

/// Hides from each row of a matrix the columns behind its own position.
fn hide(bytes: &mut [u8], argument: &Arg, distance: i64) {
    let size = argument.dt.bits() as usize / 8;
    let columns = argument.dims.last().copied().unwrap_or(1);
    let hidden = argument.dt.encode(f64::NEG_INFINITY).to_le_bytes();
    for (i, element) in (0..).zip(bytes.chunks_mut(size)) {
        if i % columns > i / columns + distance {
            element.copy_from_slice(&hidden[..size]);
        }
    }
}

/// Fills a row-major tensor: a table of values over and over, its length a prime so that rows differ.
fn fill(bytes: &mut [u8], argument: &Arg) {
    const LENGTH: usize = 4093;
    let dt = argument.dt;
    let mut state = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(argument.seed as u64 + 1);
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    let signed = dt.integer_range().is_none_or(|(low, _)| low < 0.0);
    let mut value = || match argument.fill {
        Fill::Integers if signed => (random() * 5.0).floor() - 2.0,
        Fill::Integers => (random() * 4.0).floor(),
        Fill::EvenIntegers => (random() * 5.0).floor() * 2.0 - 4.0,
        Fill::Signed if dt.is_integer() => (random() * 17.0).floor() - if signed { 8.0 } else { 0.0 },
        Fill::Signed => (random() * 256.0).floor() / 64.0 - 2.0,
        Fill::Positive if dt.is_integer() => (random() * 4.0).floor() + 1.0,
        Fill::Positive => ((random() * 4.0).floor() - 1.0).exp2(),
        Fill::Small if dt.is_integer() => (random() * 2.0).floor(),
        Fill::Small => (random() * 16.0).floor() / 64.0 - 0.125,
        Fill::Constant(value) => value,
        Fill::Causal(_) | Fill::Nothing => 0.0,
    };
    let table: Vec<u8> = if dt.is_sub_byte() {
        (0..LENGTH).map(|_| (dt.encode(value()) & 15 | (dt.encode(value()) & 15) << 4) as u8).collect()
    } else {
        let size = dt.bits() as usize / 8;
        (0..LENGTH).flat_map(|_| dt.encode(value()).to_le_bytes()[..size].to_vec()).collect()
    };
    for chunk in bytes.chunks_mut(table.len()) {
        let length = chunk.len();
        chunk.copy_from_slice(&table[..length]);
    }
    if let Fill::Causal(distance) = argument.fill {
        hide(bytes, argument, distance);
    }
}
