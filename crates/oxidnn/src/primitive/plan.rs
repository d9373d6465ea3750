//! A compiled plan: kernels in order, and which memory each of their arguments is.
//!
//! Kernels of a repeat are there once and launched many times, each time with the arguments of that run.

use std::sync::Arc;

use super::{Args, Caches, ModuleKey};
use crate::codegen::{self, Param, ParamBlock};
use crate::program::{Binding, Program, RepeatId, Source, Stage};
use crate::runtime::{
    Arg, Buffer, Device, DeviceProfile, Event, Kernel, MemoryKind, Module, NdRange, Order, Queue, cpu,
};
use crate::schedule::{self, Scheduled};
use crate::{Error, Result};

/// Alignment of a tensor in the scratchpad.
const SCRATCH_ALIGNMENT: usize = 128;

/// A program with its stages scheduled for a device; nothing is built yet.
#[derive(Debug)]
pub struct Layout {
    program: Program,
    stages: Vec<Scheduled>,
    scratchpad: usize,
}

impl Layout {
    /// Schedules a program for a device that is taken for what `profile` says of it.
    pub fn new(mut program: Program, device: &Device, profile: &DeviceProfile) -> Result<Layout> {
        match device {
            Device::Cpu(_) => program.merge_axes(),
            Device::Ocl(_) | Device::Ze(_) => schedule::prepare(&mut program, profile),
        }
        let scratchpad = place_scratch(&mut program);
        let stages = match device {
            Device::Cpu(_) => Vec::new(),
            Device::Ocl(_) | Device::Ze(_) => program
                .stages
                .iter()
                .map(|stage| schedule::schedule(&program, stage, profile))
                .collect::<Result<_>>()?,
        };
        Ok(Layout { program, stages, scratchpad })
    }

    /// Bytes of scratchpad an execution needs.
    pub fn scratchpad(&self) -> usize {
        self.scratchpad
    }

    /// Whether the same kernels run, over the same index spaces.
    pub fn is_same(&self, other: &Layout) -> bool {
        let kernels = |layout: &Layout| -> Vec<_> {
            layout.stages.iter().map(|stage| (stage.source.text.clone(), stage.range, stage.params.clone())).collect()
        };
        kernels(self) == kernels(other)
    }

    /// A name for what runs: the schedules of its stages.
    pub fn name(&self) -> &'static str {
        self.stages.last().map_or("host", |stage| stage.name)
    }
}

/// Gives each scratch tensor its place; returns the size of all.
fn place_scratch(program: &mut Program) -> usize {
    let mut size = 0usize;
    for index in 0..program.tensors.len() {
        let tensor = &program.tensors[index];
        if let Binding::Scratch { elements, base } = tensor.binding {
            let start = size.next_multiple_of(SCRATCH_ALIGNMENT);
            program.params[base.index()] = Source::Known((start * 8 / tensor.data_type.bits() as usize) as i64);
            size = start + tensor.data_type.bytes(elements);
        }
    }
    size
}

/// Kernels that are launched one after another, and that as often as `count` says.
#[derive(Debug)]
struct Group {
    repeat: Option<RepeatId>,
    count: i64,
    steps: Vec<Step>,
}

/// One kernel of a plan.
#[derive(Debug)]
struct Step {
    kernel: Kernel,
    range: NdRange,
    memories: Vec<Binding>,
    params: Params,
}

/// The arguments after the memories.
#[derive(Debug)]
enum Params {
    Device(Vec<Param>),
    Host(ParamBlock),
}

/// Kernels that compute a program, in order.
#[derive(Debug)]
pub struct Plan {
    groups: Vec<Group>,
    modules: Vec<(ModuleKey, Arc<Module>)>,
    tables: Vec<Buffer>,
}

impl Plan {
    /// Builds what a layout needs, or takes it from the caches.
    pub fn new(layout: &Layout, device: &Device, caches: &Caches) -> Result<Plan> {
        let program = &layout.program;
        let mut plan = Plan { groups: Vec::new(), modules: Vec::new(), tables: write_tables(program, device)? };
        if let Device::Cpu(_) = device {
            let params = ParamBlock::new(program);
            for stage in &program.stages {
                let memories = program.stage_tensors(stage).iter().map(|(t, _)| program.tensor(*t).binding).collect();
                let code = codegen::host::kernel(program, stage);
                let step = Step {
                    kernel: Kernel::Cpu(cpu::Kernel::new(code, params.bytes().to_vec())),
                    range: NdRange { global: [1; 3], local: None },
                    memories,
                    params: Params::Host(params.clone()),
                };
                plan.add(program, stage, step);
            }
            return Ok(plan);
        }
        for (of, stage) in program.stages.iter().zip(&layout.stages) {
            if stage.range.global.contains(&0) {
                continue;
            }
            let (key, module) = caches.module(device, &stage.source)?;
            let first = stage.tensors.len() as u32;
            let preset: Vec<(u32, &[u8])> = (first..).zip(stage.params.iter().map(Param::bytes)).collect();
            let kernel = module.kernel(&stage.source.entry, &preset)?;
            let step = Step {
                kernel,
                range: stage.range,
                memories: stage.tensors.clone(),
                params: Params::Device(stage.params.clone()),
            };
            plan.add(program, of, step);
            if !plan.modules.iter().any(|(known, _)| *known == key) {
                plan.modules.push((key, module));
            }
        }
        Ok(plan)
    }

    /// Adds the kernel of a stage, to the group of its repeat if it has one.
    fn add(&mut self, program: &Program, stage: &Stage, step: Step) {
        match self.groups.last_mut().filter(|group| group.repeat == stage.repeat) {
            Some(group) => group.steps.push(step),
            None => {
                let count = stage.repeat.map_or(1, |repeat| program.repeats[repeat.index()]);
                self.groups.push(Group { repeat: stage.repeat, count, steps: vec![step] });
            }
        }
    }

    /// The built modules, for cache blobs.
    pub fn modules(&self) -> &[(ModuleKey, Arc<Module>)] {
        &self.modules
    }

    /// Submits all kernels after `deps`. Every kernel's event is given to `observe` where events are wanted for all.
    pub fn launch(
        &self,
        queue: &Queue,
        args: &Args<'_>,
        scratchpad: Option<&Buffer>,
        deps: &[Event],
        want_event: bool,
        observe: Option<&mut dyn FnMut(&Event)>,
    ) -> Result<Option<Event>> {
        let chained = queue.order() != Order::InOrder;
        let memories = Memories { args, scratchpad, tables: &self.tables };
        let mut observe = observe;
        let mut last: Option<Event> = None;
        let launches = self.groups.iter().map(|group| group.count.max(0) as usize * group.steps.len()).sum();
        let steps = self
            .groups
            .iter()
            .flat_map(|group| (0..group.count).flat_map(|run| group.steps.iter().map(move |step| (run, step))));
        for (position, (run, step)) in steps.enumerate() {
            let is_last = position + 1 == launches;
            let want = (is_last && want_event) || (!is_last && chained) || observe.is_some();
            let event = match &last {
                Some(event) if chained => step.launch(queue, &memories, run, std::slice::from_ref(event), want)?,
                _ if position == 0 => step.launch(queue, &memories, run, deps, want)?,
                _ => step.launch(queue, &memories, run, &[], want)?,
            };
            if let (Some(observe), Some(event)) = (&mut observe, &event) {
                observe(event);
            }
            last = event;
        }
        if launches == 0 && want_event {
            return queue.marker(deps).map(Some);
        }
        Ok(if want_event { last } else { None })
    }
}

/// Puts the tables of a program into memory of the device.
fn write_tables(program: &Program, device: &Device) -> Result<Vec<Buffer>> {
    if program.tables.is_empty() {
        return Ok(Vec::new());
    }
    let queue = device.create_queue(Order::InOrder, false)?;
    let write = |table: &Vec<f32>| {
        let bytes: Vec<u8> = table.iter().flat_map(|number| number.to_ne_bytes()).collect();
        let buffer = device.allocate(MemoryKind::Buffer, bytes.len())?;
        queue.write(&buffer, &bytes, &[])?;
        Ok(buffer)
    };
    program.tables.iter().map(write).collect()
}

/// What the memory arguments of an execution's kernels can be.
struct Memories<'a> {
    args: &'a Args<'a>,
    scratchpad: Option<&'a Buffer>,
    tables: &'a [Buffer],
}

impl Step {
    fn launch(
        &self,
        queue: &Queue,
        memories: &Memories<'_>,
        run: i64,
        deps: &[Event],
        want_event: bool,
    ) -> Result<Option<Event>> {
        let mut owned: smallvec::SmallVec<[Buffer; 8]> = smallvec::SmallVec::new();
        for binding in &self.memories {
            owned.push(match *binding {
                Binding::Arg { arg, handle } => memories.args.buffer(arg, handle as usize)?,
                Binding::Scratch { .. } => {
                    memories.scratchpad.cloned().ok_or_else(|| Error::invalid("the primitive needs a scratchpad"))?
                }
                Binding::Table(index) => memories.tables[index as usize].clone(),
            });
        }
        let scalar = |arg, _| memories.args.host_number(arg);
        let late: smallvec::SmallVec<[Option<Vec<u8>>; 16]> = match &self.params {
            Params::Device(params) => params.iter().map(|param| param.late(scalar, run)).collect::<Result<_>>()?,
            Params::Host(block) => smallvec::smallvec![block.late(scalar, run)?],
        };
        let mut list: smallvec::SmallVec<[Arg<'_>; 24]> = owned.iter().map(Arg::Buffer).collect();
        list.extend(late.iter().map(|late| late.as_deref().map_or(Arg::Preset, Arg::Value)));
        queue.launch(&self.kernel, &list, self.range, deps, want_event)
    }
}
