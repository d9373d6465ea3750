//! Filling in what was left open until execution: runtime dimensions and strides.

use super::arg;
use super::attr::Attr;
use super::memory::MemoryDesc;
use super::op::Op;
use super::post_ops::{PostOp, PostOps};
use super::{Eltwise, Matmul, Reorder};
use crate::{Error, Result};

impl Op {
    /// Replaces descriptors with open dimensions by those of the memories at hand, and checks that they fit each other.
    pub fn specify(&mut self, attr: &mut Attr, given: impl Fn(i32) -> Option<MemoryDesc>) -> Result<()> {
        let definite = |number: i32, md: &MemoryDesc| -> Result<MemoryDesc> {
            if !md.has_runtime_dims_or_strides() {
                return Ok(md.clone());
            }
            given(number).ok_or_else(|| Error::invalid(format!("argument {number} is missing")))
        };
        match self {
            Op::Reorder(op) => *op = Reorder::new(&definite(arg::SRC, &op.src)?, &definite(arg::DST, &op.dst)?)?,
            Op::Matmul(op) => {
                let bias = op.bias.as_ref().map(|bias| definite(arg::BIAS, bias)).transpose()?;
                let (src, weights) = (definite(arg::SRC, &op.src)?, definite(arg::WEIGHTS, &op.weights)?);
                *op = Matmul::new(&src, &weights, bias.as_ref(), &definite(arg::DST, &op.dst)?)?;
            }
            Op::Eltwise(op) if op.diff.is_none() => {
                let (src, dst) = (definite(arg::SRC, &op.src)?, definite(arg::DST, &op.dst)?);
                *op = Eltwise::forward(op.prop, op.alg, &src, &dst, op.alpha.0, op.beta.0)?;
            }
            op => return Err(Error::unimplemented(format!("{} with dimensions known only at run time", op.kind()))),
        }
        let mut post_ops = PostOps::new();
        for (position, post_op) in attr.post_ops().iter().enumerate() {
            let mut post_op = post_op.clone();
            if let PostOp::Binary { src1, src2, .. } = &mut post_op {
                *src1 = definite(arg::post_op(position) | arg::SRC_1, src1)?;
                if let Some(src2) = src2 {
                    *src2 = definite(arg::post_op(position) | arg::SRC_2, src2)?;
                }
            }
            post_ops.push(post_op)?;
        }
        attr.set_post_ops(post_ops);
        self.resolve(attr)
    }
}
