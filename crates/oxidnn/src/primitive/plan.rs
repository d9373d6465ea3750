//! A compiled plan: kernels in order, and which memory each of their arguments is.

use std::sync::Arc;

use super::{Args, Caches, ModuleKey};
use crate::codegen::{self, Param, ParamBlock};
use crate::program::{Binding, Program, Source};
use crate::runtime::{Arg, Buffer, Device, Event, Kernel, Module, NdRange, Order, Queue, cpu};
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
    /// Schedules a program.
    pub fn new(mut program: Program, device: &Device) -> Result<Layout> {
        match device {
            Device::Cpu(_) => program.merge_axes(),
            Device::Ocl(_) => schedule::prepare(&mut program, device.profile()),
        }
        let scratchpad = place_scratch(&mut program);
        let stages = match device {
            Device::Cpu(_) => Vec::new(),
            Device::Ocl(_) => program
                .stages
                .iter()
                .map(|stage| schedule::schedule(&program, stage, device.profile()))
                .collect::<Result<_>>()?,
        };
        Ok(Layout { program, stages, scratchpad })
    }

    /// Bytes of scratchpad an execution needs.
    pub fn scratchpad(&self) -> usize {
        self.scratchpad
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
    steps: Vec<Step>,
    modules: Vec<(ModuleKey, Arc<Module>)>,
}

impl Plan {
    /// Builds what a layout needs, or takes it from the caches.
    pub fn new(layout: &Layout, device: &Device, caches: &Caches) -> Result<Plan> {
        let program = &layout.program;
        let mut plan = Plan { steps: Vec::new(), modules: Vec::new() };
        if let Device::Cpu(_) = device {
            let params = ParamBlock::new(program);
            for stage in &program.stages {
                let memories = program.stage_tensors(stage).iter().map(|(t, _)| program.tensor(*t).binding).collect();
                let code = codegen::host::kernel(program, stage);
                plan.steps.push(Step {
                    kernel: Kernel::Cpu(cpu::Kernel::new(code, params.bytes().to_vec())),
                    range: NdRange { global: [1; 3], local: None },
                    memories,
                    params: Params::Host(params.clone()),
                });
            }
            return Ok(plan);
        }
        for stage in &layout.stages {
            if stage.range.global.contains(&0) {
                continue;
            }
            let (key, module) = caches.module(device, &stage.source)?;
            let first = stage.tensors.len() as u32;
            let preset: Vec<(u32, &[u8])> = (first..).zip(stage.params.iter().map(Param::bytes)).collect();
            let kernel = module.kernel(&stage.source.entry, &preset)?;
            plan.steps.push(Step {
                kernel,
                range: stage.range,
                memories: stage.tensors.clone(),
                params: Params::Device(stage.params.clone()),
            });
            if !plan.modules.iter().any(|(known, _)| *known == key) {
                plan.modules.push((key, module));
            }
        }
        Ok(plan)
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
        let chained = queue.order() == Order::OutOfOrder;
        let mut observe = observe;
        let mut last: Option<Event> = None;
        for (position, step) in self.steps.iter().enumerate() {
            let is_last = position + 1 == self.steps.len();
            let want = (is_last && want_event) || (!is_last && chained) || observe.is_some();
            let event = match &last {
                Some(event) if chained => step.launch(queue, args, scratchpad, std::slice::from_ref(event), want)?,
                _ if position == 0 => step.launch(queue, args, scratchpad, deps, want)?,
                _ => step.launch(queue, args, scratchpad, &[], want)?,
            };
            if let (Some(observe), Some(event)) = (&mut observe, &event) {
                observe(event);
            }
            last = event;
        }
        if self.steps.is_empty() && want_event {
            return queue.marker(deps).map(Some);
        }
        Ok(if want_event { last } else { None })
    }
}

impl Step {
    fn launch(
        &self,
        queue: &Queue,
        args: &Args<'_>,
        scratchpad: Option<&Buffer>,
        deps: &[Event],
        want_event: bool,
    ) -> Result<Option<Event>> {
        let mut owned: smallvec::SmallVec<[Buffer; 8]> = smallvec::SmallVec::new();
        for binding in &self.memories {
            owned.push(match *binding {
                Binding::Arg { arg, handle } => args.buffer(arg, handle as usize)?,
                Binding::Scratch { .. } => {
                    scratchpad.cloned().ok_or_else(|| Error::invalid("the primitive needs a scratchpad"))?
                }
            });
        }
        let scalar = |arg, _| args.host_number(arg);
        let late: smallvec::SmallVec<[Option<Vec<u8>>; 16]> = match &self.params {
            Params::Device(params) => params.iter().map(|param| param.late(scalar)).collect::<Result<_>>()?,
            Params::Host(block) => smallvec::smallvec![block.late(scalar)?],
        };
        let mut list: smallvec::SmallVec<[Arg<'_>; 24]> = owned.iter().map(Arg::Buffer).collect();
        list.extend(late.iter().map(|late| late.as_deref().map_or(Arg::Preset, Arg::Value)));
        queue.launch(&self.kernel, &list, self.range, deps, want_event)
    }
}
