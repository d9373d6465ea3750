//! Work on memories that is not a primitive of the API.

use super::{Args, Layout, Plan};
use crate::desc::arg;
use crate::lower::service;
use crate::memory::Memory;
use crate::program::Program;
use crate::stream::Stream;
use crate::{Error, Result, ensure};

impl Memory {
    /// Writes zeros to the padding and leaves the elements as they are.
    pub fn zero_pad(&self, stream: &Stream) -> Result<()> {
        if !self.desc().has_padding() || self.desc().has_zero_dim() {
            return Ok(());
        }
        self.run(stream, service::zero_pad(self.desc())?)
    }

    /// Fills the first `bytes` bytes with random numbers that are finite in every data type.
    pub fn fill_random(&self, stream: &Stream, bytes: usize, seed: u32) -> Result<()> {
        self.run(stream, service::fill_random(bytes, seed))
    }

    fn run(&self, stream: &Stream, program: Program) -> Result<()> {
        let engine = self.engine().ok_or_else(|| Error::invalid("a host scalar cannot be filled"))?;
        ensure!(engine == stream.engine(), "the stream belongs to another engine than the memory");
        let layout = Layout::new(program, engine.device(), engine.device().profile())?;
        let plan = Plan::new(&layout, engine.device(), &engine.shared().caches)?;
        plan.launch(stream.queue(), &Args(&[(arg::DST, self)]), None, &[], false, None)?;
        Ok(())
    }
}
