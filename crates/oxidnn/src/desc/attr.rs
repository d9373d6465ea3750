//! Attributes: what a primitive does besides its operation.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::arg;
use super::float::Float;
use super::memory::MemoryDesc;
use super::post_ops::{DepthwiseConv, PostOp, PostOps};
use super::quant::Quant;
use super::types::{AccumulationMode, DataType, FpmathMode, QuantizationMode, RoundingMode, ScratchpadMode};
use crate::{Result, ensure};

/// Dropout: elements are zeroed at random and the rest scaled up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dropout {
    /// The output that says which elements were kept; the empty descriptor for none.
    pub mask: MemoryDesc,
    /// The type of the seed: s32 or s64.
    pub seed: DataType,
    /// Whether there is an offset argument.
    pub use_offset: bool,
    /// Whether seed, offset and probability are in host memory.
    pub use_host_scalars: bool,
}

/// Scales of an RNN's weights, given when the primitive is created.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RnnScales {
    /// The dimensions along which they vary.
    pub mask: i32,
    /// The values.
    pub scales: Vec<Float>,
}

/// Factors that replace the activations of an RNN's cells, so that tests can tell exact results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RnnLinear {
    /// One for each gate.
    pub scales: Vec<Float>,
    /// That of the second state of LSTM.
    pub cell: Float,
}

impl Default for RnnScales {
    fn default() -> RnnScales {
        RnnScales { mask: 0, scales: vec![Float(1.0)] }
    }
}

/// The attributes of a primitive.
///
/// ```
/// use oxidnn::desc::{AlgKind, Attr, PostOps, Quant, arg};
/// let attr = Attr::new()
///     .with_scales(arg::WEIGHTS, Quant::scales(2)).unwrap()
///     .with_post_ops(PostOps::new().eltwise(AlgKind::EltwiseTanh, 0.0, 0.0).unwrap());
/// assert_eq!(attr.verbose(), "attr-scales:wei:2:f32 attr-post-ops:eltwise_tanh");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attr {
    scales: BTreeMap<i32, Quant>,
    zero_points: BTreeMap<i32, Quant>,
    precomputed_reductions: BTreeMap<i32, Quant>,
    rounding: BTreeMap<i32, RoundingMode>,
    dropout: Option<Dropout>,
    fpmath: FpmathMode,
    fpmath_applies_to_int: bool,
    accumulation: AccumulationMode,
    deterministic: bool,
    scratchpad: ScratchpadMode,
    rnn_data: (Float, Float),
    rnn_weights: RnnScales,
    rnn_weights_projection: RnnScales,
    rnn_linear: Option<RnnLinear>,
    post_ops: PostOps,
}

impl Default for Attr {
    fn default() -> Attr {
        Attr {
            scales: BTreeMap::new(),
            zero_points: BTreeMap::new(),
            precomputed_reductions: BTreeMap::new(),
            rounding: BTreeMap::new(),
            dropout: None,
            fpmath: FpmathMode::Strict,
            fpmath_applies_to_int: false,
            accumulation: AccumulationMode::Strict,
            deterministic: false,
            scratchpad: ScratchpadMode::Library,
            rnn_data: (Float(1.0), Float(0.0)),
            rnn_weights: RnnScales::default(),
            rnn_weights_projection: RnnScales::default(),
            rnn_linear: None,
            post_ops: PostOps::new(),
        }
    }
}

/// Building and changing.
impl Attr {
    /// Default attributes.
    pub fn new() -> Attr {
        Attr::default()
    }

    /// With scales for an argument.
    pub fn with_scales(mut self, arg: i32, quant: Quant) -> Result<Attr> {
        self.set_scales(arg, quant)?;
        Ok(self)
    }

    /// With zero points for an argument.
    pub fn with_zero_points(mut self, arg: i32, quant: Quant) -> Result<Attr> {
        self.set_zero_points(arg, quant)?;
        Ok(self)
    }

    /// With precomputed reductions for an argument.
    pub fn with_precomputed_reductions(mut self, arg: i32, quant: Quant) -> Result<Attr> {
        self.set_precomputed_reductions(arg, quant)?;
        Ok(self)
    }

    /// With a rounding mode for an argument.
    pub fn with_rounding(mut self, arg: i32, mode: RoundingMode) -> Result<Attr> {
        self.set_rounding(arg, mode)?;
        Ok(self)
    }

    /// With dropout.
    pub fn with_dropout(mut self, dropout: Dropout) -> Result<Attr> {
        self.set_dropout(dropout)?;
        Ok(self)
    }

    /// With a floating-point math mode.
    pub fn with_fpmath(mut self, mode: FpmathMode, applies_to_int: bool) -> Attr {
        self.set_fpmath(mode, applies_to_int);
        self
    }

    /// With an accumulation mode.
    pub fn with_accumulation(mut self, mode: AccumulationMode) -> Attr {
        self.set_accumulation(mode);
        self
    }

    /// With results that do not change from run to run.
    pub fn with_deterministic(mut self, deterministic: bool) -> Attr {
        self.set_deterministic(deterministic);
        self
    }

    /// With a scratchpad mode.
    pub fn with_scratchpad(mut self, mode: ScratchpadMode) -> Attr {
        self.set_scratchpad(mode);
        self
    }

    /// With post-ops.
    pub fn with_post_ops(mut self, post_ops: PostOps) -> Attr {
        self.set_post_ops(post_ops);
        self
    }

    /// Sets the scales of an argument.
    pub fn set_scales(&mut self, arg: i32, quant: Quant) -> Result<()> {
        use DataType::{Bf16, E8m0, F8E4m3, F16, F32};
        const PLAIN: [i32; 7] =
            [arg::SRC, arg::SRC_1, arg::SRC_2, arg::DST, arg::WEIGHTS, arg::WEIGHTS_1, arg::WEIGHTS_2];
        const OF_POST_OP: [i32; 3] = [arg::SRC, arg::WEIGHTS, arg::DST];
        let is_known = PLAIN.contains(&arg)
            || (arg >= 0 && arg & arg::MULTIPLE_SRC != 0)
            || OF_POST_OP.iter().any(|of| arg == arg::ATTR_POST_OP_DW | of);
        ensure!(is_known, "argument {arg} cannot have scales");
        let data_type = quant.data_type;
        ensure!(matches!(data_type, F32 | Bf16 | F16 | E8m0 | F8E4m3), "scales of type {data_type}");
        let is_small = matches!(data_type, E8m0 | F8E4m3);
        ensure!(!is_small || quant.mask > 0, "one scale for all of type {data_type}");
        ensure!(quant.mode != QuantizationMode::Undef, "scales need a quantization mode");
        quant.check_mask()?;
        self.scales.insert(arg, quant);
        Ok(())
    }

    /// Sets the zero points of an argument.
    pub fn set_zero_points(&mut self, arg: i32, quant: Quant) -> Result<()> {
        use DataType::{S4, S8, S32, U4, U8};
        // The second and third source are keys and values of attention.
        const WITH_TYPES: [i32; 6] = [arg::SRC, arg::SRC_1, arg::SRC_2, arg::WEIGHTS, arg::WEIGHTS_1, arg::WEIGHTS_2];
        ensure!(arg == arg::DST || WITH_TYPES.contains(&arg), "argument {arg} cannot have zero points");
        let data_type = quant.data_type;
        ensure!(matches!(data_type, S32 | S8 | U8 | S4 | U4), "zero points of type {data_type}");
        ensure!(!data_type.is_sub_byte() || quant.mask > 0, "one zero point for all of type {data_type}");
        let is_simple = data_type == S32 && quant.groups.is_empty();
        ensure!(is_simple || WITH_TYPES.contains(&arg), "zero points of argument {arg} can only be s32 without groups");
        quant.check_mask()?;
        self.zero_points.insert(arg, quant);
        Ok(())
    }

    /// Sets the precomputed reductions of an argument: sums of the source over groups along the reduction dimension.
    pub fn set_precomputed_reductions(&mut self, arg: i32, quant: Quant) -> Result<()> {
        ensure!(arg == arg::SRC, "argument {arg} cannot have precomputed reductions");
        ensure!(quant.data_type == DataType::S32, "precomputed reductions of type {}", quant.data_type);
        quant.check_mask()?;
        self.precomputed_reductions.insert(arg, quant);
        Ok(())
    }

    /// Sets how an output is rounded.
    pub fn set_rounding(&mut self, arg: i32, mode: RoundingMode) -> Result<()> {
        if mode == RoundingMode::Environment {
            self.rounding.remove(&arg);
            return Ok(());
        }
        let can_round = [arg::DST, arg::DIFF_SRC, arg::DIFF_WEIGHTS].contains(&arg);
        ensure!(can_round, "argument {arg} cannot have a rounding mode");
        self.rounding.insert(arg, mode);
        Ok(())
    }

    /// Sets dropout.
    pub fn set_dropout(&mut self, dropout: Dropout) -> Result<()> {
        let mask = dropout.mask.data_type();
        ensure!(matches!(mask, DataType::U8 | DataType::Undef), "a dropout mask of type {mask}");
        ensure!(matches!(dropout.seed, DataType::S32 | DataType::S64), "a dropout seed of type {}", dropout.seed);
        self.dropout = Some(dropout);
        Ok(())
    }

    /// Sets the floating-point math mode.
    pub fn set_fpmath(&mut self, mode: FpmathMode, applies_to_int: bool) {
        (self.fpmath, self.fpmath_applies_to_int) = (mode, applies_to_int);
    }

    /// Sets the accumulation mode.
    pub fn set_accumulation(&mut self, mode: AccumulationMode) {
        self.accumulation = mode;
    }

    /// Sets whether results may change from run to run.
    pub fn set_deterministic(&mut self, deterministic: bool) {
        self.deterministic = deterministic;
    }

    /// Sets who provides the scratchpad.
    pub fn set_scratchpad(&mut self, mode: ScratchpadMode) {
        self.scratchpad = mode;
    }

    /// Sets the post-ops.
    pub fn set_post_ops(&mut self, post_ops: PostOps) {
        self.post_ops = post_ops;
    }

    /// Sets the quantization of an RNN's data: `x * scale + shift`.
    pub fn set_rnn_data(&mut self, scale: f32, shift: f32) {
        self.rnn_data = (Float(scale), Float(shift));
    }

    /// Sets the scales of an RNN's weights.
    pub fn set_rnn_weights(&mut self, mask: i32, scales: &[f32]) -> Result<()> {
        self.rnn_weights = rnn_scales(mask, scales)?;
        Ok(())
    }

    /// Sets the scales of an RNN's projection weights.
    pub fn set_rnn_weights_projection(&mut self, mask: i32, scales: &[f32]) -> Result<()> {
        self.rnn_weights_projection = rnn_scales(mask, scales)?;
        Ok(())
    }

    /// The attributes of a 1x1 convolution without the depthwise convolution that follows it, that one's parameters, and
    /// its attributes, as if it were a primitive of its own.
    pub fn split_at_depthwise(&self) -> Option<(Attr, DepthwiseConv, Attr)> {
        let position = self.post_ops.iter().position(|post_op| matches!(post_op, PostOp::DepthwiseConv(_)))?;
        let PostOp::DepthwiseConv(conv) = self.post_ops[position] else { return None };
        let (mut first, mut second) = (self.clone(), self.clone());
        first.post_ops = self.post_ops.part(0..position);
        second.post_ops = self.post_ops.part(position + 1..self.post_ops.len());
        first.scales.retain(|arg, _| arg & arg::ATTR_POST_OP_DW == 0);
        second.scales.retain(|arg, _| arg & arg::ATTR_POST_OP_DW != 0);
        second.scales = second.scales.into_iter().map(|(arg, quant)| (arg & !arg::ATTR_POST_OP_DW, quant)).collect();
        second.scales.extend(self.scales(arg::DST).map(|between| (arg::SRC, *between)));
        second.zero_points.clear();
        Some((first, conv, second))
    }

    /// Replaces the activations of an RNN's cells by factors, or takes them back.
    pub fn set_rnn_linear(&mut self, linear: Option<RnnLinear>) {
        self.rnn_linear = linear;
    }

    /// Replaces layouts left to the library by those that follow the destination's.
    pub fn resolve(&mut self, dst: &MemoryDesc) -> Result<()> {
        self.post_ops.resolve(dst)?;
        if let Some(dropout) = &mut self.dropout {
            dropout.mask = dropout.mask.resolve_like(dst)?;
        }
        Ok(())
    }
}

fn rnn_scales(mask: i32, scales: &[f32]) -> Result<RnnScales> {
    ensure!(mask >= 0, "mask {mask} is negative");
    ensure!(!scales.is_empty(), "no scales given");
    Ok(RnnScales { mask, scales: scales.iter().copied().map(Float).collect() })
}

/// Reading.
impl Attr {
    /// The scales of an argument.
    pub fn scales(&self, arg: i32) -> Option<&Quant> {
        self.scales.get(&arg)
    }

    /// The scales of all arguments that have them, by argument.
    pub fn all_scales(&self) -> &BTreeMap<i32, Quant> {
        &self.scales
    }

    /// The zero points of an argument.
    pub fn zero_points(&self, arg: i32) -> Option<&Quant> {
        self.zero_points.get(&arg)
    }

    /// The zero points of all arguments that have them, by argument.
    pub fn all_zero_points(&self) -> &BTreeMap<i32, Quant> {
        &self.zero_points
    }

    /// The precomputed reductions of an argument.
    pub fn precomputed_reductions(&self, arg: i32) -> Option<&Quant> {
        self.precomputed_reductions.get(&arg)
    }

    /// The precomputed reductions of all arguments that have them, by argument.
    pub fn all_precomputed_reductions(&self) -> &BTreeMap<i32, Quant> {
        &self.precomputed_reductions
    }

    /// How an output is rounded.
    pub fn rounding(&self, arg: i32) -> RoundingMode {
        self.rounding.get(&arg).copied().unwrap_or(RoundingMode::Environment)
    }

    /// The outputs that are not rounded as usual.
    pub fn all_rounding(&self) -> &BTreeMap<i32, RoundingMode> {
        &self.rounding
    }

    /// The dropout.
    pub fn dropout(&self) -> Option<&Dropout> {
        self.dropout.as_ref()
    }

    /// The floating-point math mode.
    pub fn fpmath(&self) -> FpmathMode {
        self.fpmath
    }

    /// Whether the math mode also allows integers to be computed in floating point.
    pub fn fpmath_applies_to_int(&self) -> bool {
        self.fpmath_applies_to_int
    }

    /// The accumulation mode.
    pub fn accumulation(&self) -> AccumulationMode {
        self.accumulation
    }

    /// Whether results must not change from run to run.
    pub fn deterministic(&self) -> bool {
        self.deterministic
    }

    /// Who provides the scratchpad.
    pub fn scratchpad(&self) -> ScratchpadMode {
        self.scratchpad
    }

    /// The post-ops.
    pub fn post_ops(&self) -> &PostOps {
        &self.post_ops
    }

    /// Scale and shift of an RNN's data.
    pub fn rnn_data(&self) -> (f32, f32) {
        (self.rnn_data.0.0, self.rnn_data.1.0)
    }

    /// The scales of an RNN's weights.
    pub fn rnn_weights(&self) -> &RnnScales {
        &self.rnn_weights
    }

    /// The scales of an RNN's projection weights.
    pub fn rnn_weights_projection(&self) -> &RnnScales {
        &self.rnn_weights_projection
    }

    /// The factors in place of the activations of an RNN's cells.
    pub fn rnn_linear(&self) -> Option<&RnnLinear> {
        self.rnn_linear.as_ref()
    }

    /// Whether any RNN scale was set.
    pub fn has_rnn_scales(&self) -> bool {
        let is_one = |scales: &RnnScales| scales.scales.iter().all(|scale| scale.0 == 1.0);
        self.rnn_data() != (1.0, 0.0) || !is_one(&self.rnn_weights) || !is_one(&self.rnn_weights_projection)
    }

    /// Whether any RNN scale or shift is left open until execution.
    pub fn has_runtime_rnn_scales(&self) -> bool {
        let data = [self.rnn_data.0, self.rnn_data.1];
        let weights = self.rnn_weights.scales.iter().chain(&self.rnn_weights_projection.scales);
        data.iter().chain(weights).any(|value| value.is_runtime_marker())
    }

    /// The attributes as verbose lines print them; empty for defaults.
    pub fn verbose(&self) -> String {
        let mut fields = Vec::new();
        if self.scratchpad != ScratchpadMode::Library {
            fields.push(format!("attr-scratchpad:{}", self.scratchpad));
        }
        if self.fpmath != FpmathMode::Strict || self.fpmath_applies_to_int {
            let applies = if self.fpmath_applies_to_int { ":true" } else { "" };
            fields.push(format!("attr-fpmath:{}{applies}", self.fpmath));
        }
        if self.accumulation != AccumulationMode::Strict {
            fields.push(format!("attr-acc-mode:{}", self.accumulation));
        }
        if !self.rounding.is_empty() {
            fields.push(format!("attr-rounding-mode:{}", per_arg(&self.rounding)));
        }
        if self.deterministic {
            fields.push("attr-deterministic:1".into());
        }
        if !self.scales.is_empty() {
            fields.push(format!("attr-scales:{}", per_arg(&self.scales)));
        }
        if !self.zero_points.is_empty() {
            fields.push(format!("attr-zero-points:{}", per_arg(&self.zero_points)));
        }
        if !self.precomputed_reductions.is_empty() {
            fields.push(format!("attr-precomputed-reductions:{}", per_arg(&self.precomputed_reductions)));
        }
        if !self.post_ops.is_empty() {
            fields.push(format!("attr-post-ops:{}", self.post_ops.verbose()));
        }
        if self.rnn_data() != (1.0, 0.0) {
            fields.push(format!("rnn_data_qparams:{}:{};", self.rnn_data.0, self.rnn_data.1));
        }
        if let Some(dropout) = &self.dropout {
            fields.push(dropout.verbose());
        }
        fields.join(" ")
    }
}

impl Dropout {
    fn verbose(&self) -> String {
        use super::types::FormatKind;
        let mut text = String::from("attr-dropout");
        let is_vector = self.mask.dims().iter().filter(|&&dim| dim != 1).count() <= 1;
        match self.mask.format_kind() {
            FormatKind::Blocked if is_vector => {}
            FormatKind::Blocked => text.extend([":", &self.mask.tag_name()]),
            kind => text.extend([":", kind.name()]),
        }
        let _ = write!(text, ":{}:{}:{}", self.seed, i32::from(self.use_offset), i32::from(self.use_host_scalars));
        text
    }
}

fn per_arg<T: std::fmt::Display>(values: &BTreeMap<i32, T>) -> String {
    let texts: Vec<_> = values.iter().map(|(&arg, value)| format!("{}:{value}", arg::verbose_name(arg))).collect();
    texts.join("+")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::AlgKind;

    #[test]
    fn scales_are_checked() {
        let attr = Attr::new();
        let ok = |arg, quant| attr.clone().with_scales(arg, quant).is_ok();
        assert!(ok(arg::SRC, Quant::scales(0)));
        assert!(ok(arg::multiple_src(3), Quant::scales(0)));
        assert!(ok(arg::ATTR_POST_OP_DW | arg::WEIGHTS, Quant::scales(1)));
        assert!(ok(arg::WEIGHTS, Quant::scales(3).groups(&[32, 1]).unwrap()));
        assert!(ok(arg::DST, Quant::scales(0).on_host()));
        assert!(!ok(arg::BIAS, Quant::scales(0)));
        assert!(!ok(-1, Quant::scales(0)));
        assert!(!ok(arg::SRC, Quant::scales(-1)));
        assert!(!ok(arg::SRC, Quant::zero_points(0)));
        assert!(!ok(arg::SRC, Quant::scales(0).data_type(DataType::E8m0)), "small types are per group");
        assert!(!ok(arg::SRC, Quant::scales(0).groups(&[2, 2]).unwrap()), "groups need a mask");
        assert!(!ok(arg::SRC, Quant::scales(3).groups(&[2]).unwrap()));
        assert!(!ok(arg::SRC, Quant::scales(3).groups(&[2, 0]).unwrap()));
        assert!(!ok(arg::SRC, Quant::scales(1).on_host()));
    }

    #[test]
    fn zero_points_are_checked() {
        let attr = Attr::new();
        let ok = |arg, quant| attr.clone().with_zero_points(arg, quant).is_ok();
        assert!(ok(arg::WEIGHTS, Quant::zero_points(3).data_type(DataType::U4).groups(&[32, 1]).unwrap()));
        assert!(ok(arg::DST, Quant::zero_points(2)));
        assert!(!ok(arg::DST, Quant::zero_points(2).data_type(DataType::S8)));
        assert!(!ok(arg::SRC, Quant::zero_points(0).data_type(DataType::S4)));
        assert!(!ok(arg::SRC, Quant::scales(0)));
        assert!(!ok(arg::SRC_3, Quant::zero_points(0)));
    }

    #[test]
    fn only_outputs_have_rounding_modes() {
        assert!(Attr::new().with_rounding(arg::SRC, RoundingMode::Stochastic).is_err());
        assert!(Attr::new().with_rounding(arg::SRC, RoundingMode::Environment).is_ok());
        let mut attr = Attr::new().with_rounding(arg::DST, RoundingMode::Stochastic).unwrap();
        assert_eq!(attr.rounding(arg::DST), RoundingMode::Stochastic);
        attr.set_rounding(arg::DST, RoundingMode::Environment).unwrap();
        assert_eq!(attr, Attr::new());
    }

    #[test]
    fn dropout_needs_a_byte_mask_or_none() {
        let dropout = |mask| Dropout { mask, seed: DataType::S64, use_offset: true, use_host_scalars: false };
        assert!(Attr::new().with_dropout(dropout(MemoryDesc::any(&[2, 2], DataType::F32).unwrap())).is_err());
        let attr = Attr::new().with_dropout(dropout(MemoryDesc::any(&[2, 2], DataType::U8).unwrap())).unwrap();
        assert_eq!(attr.verbose(), "attr-dropout:any:s64:1:0");
        let attr = Attr::new().with_dropout(dropout(MemoryDesc::ZERO)).unwrap();
        assert_eq!(attr.verbose(), "attr-dropout:undef:s64:1:0");
    }

    #[test]
    fn verbose_lists_what_was_set_in_order() {
        let mut attr = Attr::new()
            .with_scratchpad(ScratchpadMode::User)
            .with_fpmath(FpmathMode::Bf16, true)
            .with_accumulation(AccumulationMode::Relaxed)
            .with_deterministic(true)
            .with_post_ops(PostOps::new().sum(1.0).unwrap().eltwise(AlgKind::EltwiseRelu, 0.5, 0.0).unwrap());
        attr.set_scales(arg::SRC, Quant::scales(0).on_host()).unwrap();
        attr.set_scales(arg::WEIGHTS, Quant::scales(3).groups(&[32, 1]).unwrap()).unwrap();
        attr.set_zero_points(arg::SRC, Quant::zero_points(0)).unwrap();
        attr.set_rounding(arg::DST, RoundingMode::Stochastic).unwrap();
        assert_eq!(
            attr.verbose(),
            "attr-scratchpad:user attr-fpmath:bf16:true attr-acc-mode:relaxed attr-rounding-mode:dst:stochastic \
             attr-deterministic:1 attr-scales:src0:0:f32:host_scalar+wei:3:f32:32x1 attr-zero-points:src0:0:s32 \
             attr-post-ops:sum+eltwise_relu:0.5"
        );
    }
}
