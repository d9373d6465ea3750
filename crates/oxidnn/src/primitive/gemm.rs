//! Runs products of matrices in host memory.

use super::{Args, Layout, Plan};
use crate::Result;
use crate::desc::{EngineKind, Gemm, arg};
use crate::engine::Engine;
use crate::lower::gemm::gemm;
use crate::memory::Memory;
use crate::runtime::{Buffer, cpu};
use crate::stream::Stream;

impl Gemm {
    /// Computes it: `a` times `b` to `c`. Offsets of the result are needed where it was described with some.
    ///
    /// ```
    /// use oxidnn::desc::{DataType, Gemm};
    /// use oxidnn::runtime::cpu::Buffer;
    /// let gemm = Gemm::new([DataType::F32; 3], [false, true], [1, 1, 2], [2, 2, 1], [1.0, 0.0])?;
    /// let (row, result) = (Buffer::allocate(8)?, Buffer::allocate(4)?);
    /// row.memory().write(0, &[3.0f32, 4.0].map(f32::to_ne_bytes).concat());
    /// gemm.run(&row, &row, &result, None)?;
    /// let mut bytes = [0; 4];
    /// result.memory().read(0, &mut bytes);
    /// assert_eq!(f32::from_ne_bytes(bytes), 25.0);
    /// # Ok::<(), oxidnn::Error>(())
    /// ```
    pub fn run(&self, a: &cpu::Buffer, b: &cpu::Buffer, c: &cpu::Buffer, offsets: Option<&cpu::Buffer>) -> Result<()> {
        if self.c.has_zero_dim() {
            return Ok(());
        }
        let engine = Engine::new(EngineKind::Cpu, 0)?;
        let memory = |md, buffer: &cpu::Buffer| Memory::from_buffer(&engine, md, Buffer::Cpu(buffer.clone()));
        let mut memories =
            vec![(arg::SRC, memory(&self.a, a)?), (arg::WEIGHTS, memory(&self.b, b)?), (arg::DST, memory(&self.c, c)?)];
        if let (Some(wanted), Some(given)) = (&self.offsets, offsets) {
            memories.push((arg::BIAS, memory(&wanted.c, given)?));
        }
        let args: Vec<(i32, &Memory)> = memories.iter().map(|(arg, memory)| (*arg, memory)).collect();
        let (stream, layout) =
            (Stream::new(&engine)?, Layout::new(gemm(self)?, engine.device(), engine.device().profile())?);
        let plan = Plan::new(&layout, engine.device(), &engine.shared().caches)?;
        plan.launch(stream.queue(), &Args(&args), None, &[], false, None)?;
        stream.wait()
    }
}
