//! The tensors of recurrent networks, by name and in order.

use crate::Result;
use crate::desc::arg;
use crate::desc::memory::MemoryDesc;
use crate::desc::tag::Layout;

/// The tensors of a recurrent network, or their gradients. What is not there is [`MemoryDesc::ZERO`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct RnnTensors {
    pub src_layer: MemoryDesc,
    pub src_iter: MemoryDesc,
    pub src_iter_c: MemoryDesc,
    pub attention: MemoryDesc,
    pub weights_layer: MemoryDesc,
    pub weights_iter: MemoryDesc,
    pub weights_peephole: MemoryDesc,
    pub weights_projection: MemoryDesc,
    pub bias: MemoryDesc,
    pub dst_layer: MemoryDesc,
    pub dst_iter: MemoryDesc,
    pub dst_iter_c: MemoryDesc,
}

impl Default for RnnTensors {
    fn default() -> RnnTensors {
        let none = || MemoryDesc::ZERO;
        RnnTensors {
            src_layer: none(),
            src_iter: none(),
            src_iter_c: none(),
            attention: none(),
            weights_layer: none(),
            weights_iter: none(),
            weights_peephole: none(),
            weights_projection: none(),
            bias: none(),
            dst_layer: none(),
            dst_iter: none(),
            dst_iter_c: none(),
        }
    }
}

/// The numbers of the tensors as values, and as gradients, in the order of [`RnnTensors`].
pub(super) const ARGS: [(i32, i32); 12] = [
    (arg::SRC_LAYER, arg::DIFF_SRC_LAYER),
    (arg::SRC_ITER, arg::DIFF_SRC_ITER),
    (arg::SRC_ITER_C, arg::DIFF_SRC_ITER_C),
    (arg::AUGRU_ATTENTION, arg::DIFF_AUGRU_ATTENTION),
    (arg::WEIGHTS_LAYER, arg::DIFF_WEIGHTS_LAYER),
    (arg::WEIGHTS_ITER, arg::DIFF_WEIGHTS_ITER),
    (arg::WEIGHTS_PEEPHOLE, arg::DIFF_WEIGHTS_PEEPHOLE),
    (arg::WEIGHTS_PROJECTION, arg::DIFF_WEIGHTS_PROJECTION),
    (arg::BIAS, arg::DIFF_BIAS),
    (arg::DST_LAYER, arg::DIFF_DST_LAYER),
    (arg::DST_ITER, arg::DIFF_DST_ITER),
    (arg::DST_ITER_C, arg::DIFF_DST_ITER_C),
];
/// The first of them that is a result.
pub(super) const FIRST_DST: usize = 9;

/// Their names in verbose lines.
pub(super) const NAMES: [&str; 12] = [
    "src_layer",
    "src_iter",
    "src_iter_c",
    "attention",
    "wei_layer",
    "wei_iter",
    "wei_peephole",
    "wei_proj",
    "bias",
    "dst_layer",
    "dst_iter",
    "dst_iter_c",
];
/// Those of their gradients.
pub(super) const DIFF_NAMES: [&str; 12] = [
    "diff_src_layer",
    "diff_src_iter",
    "diff_src_iter_c",
    "diff_attention",
    "diff_wei_layer",
    "diff_wei_iter",
    "diff_wei_peephole",
    "diff_wei_proj",
    "diff_bias",
    "diff_dst_layer",
    "diff_dst_iter",
    "diff_dst_iter_c",
];

impl RnnTensors {
    pub(super) fn all(&self) -> [&MemoryDesc; 12] {
        [
            &self.src_layer,
            &self.src_iter,
            &self.src_iter_c,
            &self.attention,
            &self.weights_layer,
            &self.weights_iter,
            &self.weights_peephole,
            &self.weights_projection,
            &self.bias,
            &self.dst_layer,
            &self.dst_iter,
            &self.dst_iter_c,
        ]
    }

    fn all_mut(&mut self) -> [&mut MemoryDesc; 12] {
        [
            &mut self.src_layer,
            &mut self.src_iter,
            &mut self.src_iter_c,
            &mut self.attention,
            &mut self.weights_layer,
            &mut self.weights_iter,
            &mut self.weights_peephole,
            &mut self.weights_projection,
            &mut self.bias,
            &mut self.dst_layer,
            &mut self.dst_iter,
            &mut self.dst_iter_c,
        ]
    }

    /// Chooses layouts that were left open: time outermost, and the outputs of weights or their inputs innermost.
    pub(super) fn resolve(&mut self, inputs_innermost: bool) -> Result<()> {
        let order = |order: &[usize]| Layout { order: order.to_vec(), inner: Vec::new() };
        let turned = [order(&[0, 1, 3, 4, 2]), order(&[0, 1, 3, 4, 2]), order(&[0, 1, 3, 2])];
        let (layer, iter, projection) = (4, 5, 7);
        for (position, md) in self.all_mut().into_iter().enumerate().filter(|(_, md)| md.is_any()) {
            let of_weights = [layer, iter, projection].iter().position(|&of| of == position);
            *md = match of_weights.filter(|_| inputs_innermost) {
                Some(which) => MemoryDesc::with_layout(md.dims(), md.data_type(), &turned[which])?,
                None => md.resolve_plain()?,
            };
        }
        Ok(())
    }
}
