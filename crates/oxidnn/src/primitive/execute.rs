//! Executing a primitive on a stream.

use std::sync::Arc;

use smallvec::SmallVec;

use super::cache::Ready;
use super::{Args, Plan, Primitive, Resolved, tune};
use crate::desc::{Attr, Op, Role, arg};
use crate::memory::Memory;
use crate::observe::verbose;
use crate::runtime::{Buffer, Device, Event, Order};
use crate::stream::Stream;
use crate::{Error, Result, ensure};

impl Primitive {
    /// Submits an execution. On an out-of-order stream it follows the last one submitted this way.
    pub fn execute(&self, stream: &Stream, args: &[(i32, &Memory)]) -> Result<()> {
        if stream.queue().order() != Order::OutOfOrder {
            self.submit(stream, Args(args), &[], false)?;
            return Ok(());
        }
        let mut last = stream.last();
        let deps: Vec<Event> = last.iter().cloned().collect();
        *last = self.submit(stream, Args(args), &deps, true)?;
        Ok(())
    }

    /// Submits an execution after `deps`; the event completes with it. Never blocks.
    pub fn execute_after(&self, stream: &Stream, args: &[(i32, &Memory)], deps: &[Event]) -> Result<Event> {
        let event = self.submit(stream, Args(args), deps, true)?;
        // Whoever waits for the event may do so on another queue.
        stream.queue().flush()?;
        event.ok_or_else(|| Error::runtime("the runtime returned no event for the execution"))
    }

    fn submit(&self, stream: &Stream, args: Args<'_>, deps: &[Event], want_event: bool) -> Result<Option<Event>> {
        let desc = self.desc();
        ensure!(stream.engine() == desc.engine(), "the stream belongs to another engine than the primitive");
        args.check(desc.args(), |arg| desc.engine_of(arg))?;
        if matches!(desc.engine().device(), Device::Cpu(_)) {
            args.check_groups(desc.args())?;
        }
        let told = verbose::enabled(verbose::Level::ProfileExec);
        // Without times from the device a verbose line needs the host's, and so an idle queue before and after.
        let timed_here = told && stream.profiler().is_none();
        if timed_here {
            stream.queue().wait()?;
        }
        let start = std::time::Instant::now();
        let mut kernels: SmallVec<[Event; 2]> = SmallVec::new();
        let mut note = |event: &Event| kernels.push(event.clone());
        let observe: Option<&mut dyn FnMut(&Event)> = stream.profiler().map(|_| &mut note as _);
        let event = if desc.0.across.is_some() {
            self.launch_across(stream, args, deps, want_event)?
        } else {
            let (plan, scratchpad) = self.plan(&args)?;
            plan.launch(stream.queue(), &args, scratchpad.as_ref(), deps, want_event, observe)?
        };
        if timed_here {
            stream.queue().wait()?;
            verbose::executed(|| desc.verbose(), start);
        }
        if let Some(profiler) = stream.profiler() {
            if told {
                stream.pending().push(start, desc.verbose(), kernels.iter().cloned());
                stream.pending().poll();
            }
            profiler.record(kernels);
        }
        Ok(event)
    }

    fn scratchpad(&self, args: &Args<'_>) -> Result<Option<Buffer>> {
        if let Some(memory) = &self.0.scratchpad {
            return memory.buffer(0);
        }
        let md = self.desc().scratchpad();
        if md.is_zero() {
            return Ok(None);
        }
        let memory = args
            .get(arg::SCRATCHPAD)
            .ok_or_else(|| Error::invalid(format!("the scratchpad of {} bytes is missing", md.size())))?;
        ensure!(
            memory.desc().size() >= md.size(),
            "the scratchpad has {} bytes, {} are needed",
            memory.desc().size(),
            md.size()
        );
        memory.buffer(0)
    }

    /// The plan and its scratchpad, made for the dimensions of the memories at hand where they were left open.
    fn plan(&self, args: &Args<'_>) -> Result<(Arc<Plan>, Option<Buffer>)> {
        if let Some(plan) = &self.0.plan {
            return Ok((Arc::clone(plan), self.scratchpad(args)?));
        }
        let desc = self.desc();
        let (mut op, mut attr) = (desc.op().clone(), desc.resolved_attr().clone());
        op.specify(&mut attr, |number| args.get(number).map(|memory| memory.desc().clone()))?;
        let mut slot = self.0.resolved.lock().unwrap_or_else(|e| e.into_inner());
        let resolved = match slot.take() {
            Some(known) if known.op == op && known.attr == attr => slot.insert(known),
            _ => {
                // What came from another engine has been copied to this one.
                args.check(&op.args(&attr)?, |_| desc.engine())?;
                let ready = self.specify(&op, &attr)?;
                let scratchpad = super::allocate_scratchpad(desc.engine(), ready.layout.scratchpad())?;
                slot.insert(Resolved { op, attr, ready, scratchpad })
            }
        };
        let scratchpad = resolved.scratchpad.as_ref().map(|memory| memory.buffer(0)).transpose()?.flatten();
        Ok((Arc::clone(&resolved.ready.plan), scratchpad))
    }

    fn specify(&self, op: &Op, attr: &Attr) -> Result<Ready> {
        let engine = self.desc().engine();
        let caches = &engine.shared().caches;
        if let Some(ready) = caches.find(op, attr) {
            return Ok(ready);
        }
        let layout = Arc::new(tune::layout(engine, op, attr)?);
        let plan = Arc::new(Plan::new(&layout, engine.device(), caches)?);
        let ready = Ready { layout, plan };
        caches.keep(op, attr, &ready);
        Ok(ready)
    }

    /// Source and destination on two engines: what is not on the computing one is copied through the host.
    fn launch_across(
        &self,
        stream: &Stream,
        args: Args<'_>,
        deps: &[Event],
        want_event: bool,
    ) -> Result<Option<Event>> {
        let desc = self.desc();
        let engine = desc.engine();
        deps.iter().try_for_each(Event::wait)?;
        stream.queue().wait()?;
        let mut local: Vec<(i32, Memory)> = Vec::new();
        for expected in desc.args() {
            let Some(memory) = args.get(expected.arg) else { continue };
            if memory.engine().is_none_or(|of| of == engine) {
                local.push((expected.arg, memory.clone()));
                continue;
            }
            let copy = Memory::new(engine, memory.desc())?;
            // A destination is copied too: a sum post-op reads it, and padding outside of the tensor stays as it is.
            copy.write_bytes(&memory.read_bytes()?)?;
            local.push((expected.arg, copy));
        }
        let borrowed: Vec<(i32, &Memory)> = local.iter().map(|(arg, memory)| (*arg, memory)).collect();
        let (plan, scratchpad) = self.plan(&Args(&borrowed))?;
        let event = plan.launch(stream.queue(), &Args(&borrowed), scratchpad.as_ref(), &[], want_event, None)?;
        for (expected, (number, copy)) in desc.args().iter().zip(&local) {
            if expected.role == Role::Output && desc.engine_of(*number) != engine {
                stream.queue().wait()?;
                let original = args.get(*number).ok_or_else(|| Error::invalid("the destination is missing"))?;
                original.write_bytes(&copy.read_bytes()?)?;
            }
        }
        Ok(event)
    }
}
