//! Convolutions and deconvolutions of one to three spatial dimensions.
//!
//! Both relate a position `o` of the smaller image and a position `k` of the kernel to the position
//! `o * stride + k * (dilation + 1) - padding` of the larger image. A convolution's source is the larger one, a
//! deconvolution's destination is. Dilation counts from 0, as everywhere in the API.

use super::arg;
use super::attr::Attr;
use super::dims::Dims;
use super::layer::{Layer, check_mask, resolve_order};
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Operation};
use super::post_ops::{DepthwiseConv, PostOp};
use super::support::{Accepted, QuantSupport};
use super::tag::{InnerBlock, Layout};
use super::types::{AlgKind, DataType, PrimitiveKind, PropKind};
use crate::{Result, ensure, supported};

/// Channels that lie side by side where a layout has them in blocks.
const CHANNEL_BLOCK: i64 = 16;

/// How a kernel moves over an image: one value for each spatial dimension.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// Steps between neighbouring positions of the kernel.
    pub strides: Dims,
    /// Elements left out between neighbouring elements of the kernel.
    pub dilations: Dims,
    /// Zeros before the image.
    pub padding_l: Dims,
    /// Zeros after the image; a negative number leaves elements out.
    pub padding_r: Dims,
}

/// A convolution or deconvolution, or a gradient of one.
///
/// ```
/// use oxidnn::desc::*;
/// let md = |dims: &[i64]| MemoryDesc::with_strides(dims, DataType::F32, None).unwrap();
/// let window = Window {
///     strides: Dims::from([2, 2]),
///     dilations: Dims::from([0, 0]),
///     padding_l: Dims::from([1, 1]),
///     padding_r: Dims::from([1, 1]),
/// };
/// let (src, weights, dst) = (md(&[1, 3, 8, 8]), md(&[16, 3, 3, 3]), md(&[1, 16, 4, 4]));
/// let (pass, direct) = (PropKind::ForwardInference, AlgKind::ConvolutionDirect);
/// assert!(Convolution::new(pass, direct, &src, &weights, None, &dst, window).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Convolution {
    /// The pass and its tensors. Weights are `[groups x] OC x IC x kernel`.
    pub layer: Layer,
    /// The algorithm.
    pub alg: AlgKind,
    /// Whether it is a deconvolution.
    pub transposed: bool,
    /// How the kernel moves.
    pub window: Window,
    /// The depthwise convolution of the result that a post-op asks for; set by [`Op::resolve`](super::Op::resolve).
    pub depthwise: Option<Box<Convolution>>,
}

impl Convolution {
    /// A pass of a convolution; in a backward pass the tensors are the gradients that [`Layer`] says.
    pub fn new(
        prop: PropKind,
        alg: AlgKind,
        src: &MemoryDesc,
        weights: &MemoryDesc,
        bias: Option<&MemoryDesc>,
        dst: &MemoryDesc,
        window: Window,
    ) -> Result<Convolution> {
        use AlgKind::{ConvolutionAuto, ConvolutionDirect, ConvolutionWinograd};
        let is_known = matches!(alg, ConvolutionAuto | ConvolutionDirect | ConvolutionWinograd);
        ensure!(is_known, "{alg} is not an algorithm of convolution");
        let layer = Layer::new(prop, src, weights, bias, dst)?;
        Convolution { layer, alg, transposed: false, window, depthwise: None }.checked()
    }

    /// A pass of a deconvolution; in a backward pass the tensors are the gradients that [`Layer`] says.
    pub fn transposed(
        prop: PropKind,
        alg: AlgKind,
        src: &MemoryDesc,
        weights: &MemoryDesc,
        bias: Option<&MemoryDesc>,
        dst: &MemoryDesc,
        window: Window,
    ) -> Result<Convolution> {
        let is_known = matches!(alg, AlgKind::DeconvolutionDirect | AlgKind::DeconvolutionWinograd);
        ensure!(is_known, "{alg} is not an algorithm of deconvolution");
        let layer = Layer::new(prop, src, weights, bias, dst)?;
        Convolution { layer, alg, transposed: true, window, depthwise: None }.checked()
    }

    /// Whether weights have a leading dimension of groups.
    pub fn has_groups(&self) -> bool {
        self.layer.weights.ndims() == self.layer.src.ndims() + 1
    }

    /// Whether every channel is a group of its own.
    pub fn is_depthwise(&self) -> bool {
        self.has_groups() && self.filter()[..2] == [1, 1]
    }

    /// Whether it has several groups with so few channels of results in each that they fill vectors only together.
    fn has_few_channels(&self) -> bool {
        let channels = self.filter()[usize::from(self.layer.prop == PropKind::BackwardData)];
        self.groups() > 1 && channels < CHANNEL_BLOCK / 2
    }

    /// The number of groups.
    pub fn groups(&self) -> i64 {
        if self.has_groups() { self.layer.weights.dims()[0] } else { 1 }
    }

    /// The dimensions of the weights without those of groups: `OC x IC x kernel`.
    pub fn filter(&self) -> &[i64] {
        &self.layer.weights.dims()[usize::from(self.has_groups())..]
    }

    /// The larger image, along whose positions the kernel lies, and the smaller one.
    pub fn images(&self) -> (&MemoryDesc, &MemoryDesc) {
        let Layer { src, dst, .. } = &self.layer;
        if self.transposed { (dst, src) } else { (src, dst) }
    }

    /// The depthwise convolution that a post-op appends to it.
    fn depthwise(&self, conv: &DepthwiseConv) -> Result<Convolution> {
        let dims = self.layer.dst.dims();
        let is_pointwise = self.filter()[2..] == [1, 1] && self.window.strides == [1, 1] && !self.transposed;
        supported!(is_pointwise && self.layer.prop.is_forward(), "a depthwise post-op of this {}", self.kind());
        let DepthwiseConv { kernel, stride, padding, .. } = *conv;
        let both = |value: i64| Dims::from([value, value]);
        let small: Dims = [dims[2], dims[3]].iter().map(|&large| (large + stride - 1) / stride).collect();
        let padding_r =
            [0, 1].map(|i| (small[i] - 1) * stride + kernel - padding - dims[i + 2]).into_iter().collect::<Dims>();
        let window = Window { strides: both(stride), dilations: both(0), padding_l: both(padding), padding_r };
        let weights = MemoryDesc::any(&[dims[1], 1, 1, kernel, kernel], conv.weights)?;
        let bias = match conv.bias {
            DataType::Undef => None,
            data_type => Some(MemoryDesc::any(&[dims[1]], data_type)?),
        };
        let dst = MemoryDesc::any(&[dims[0], dims[1], small[0], small[1]], conv.dst)?;
        let src = MemoryDesc::any(dims, self.layer.dst.data_type())?;
        let alg = AlgKind::ConvolutionDirect;
        Convolution::new(self.layer.prop, alg, &src, &weights, bias.as_ref(), &dst, window)
    }

    /// Takes in the depthwise convolution that attributes ask for.
    pub(super) fn fuse(&mut self, attr: &Attr) -> Result<()> {
        if let Some((_, conv, _)) = attr.split_at_depthwise() {
            let mut depthwise = self.depthwise(&conv)?;
            depthwise.resolve()?;
            self.depthwise = Some(Box::new(depthwise));
        }
        Ok(())
    }

    fn checked(self) -> Result<Convolution> {
        let Layer { src, weights, dst, .. } = &self.layer;
        let (s, d, ndims) = (src.dims(), dst.dims(), src.ndims());
        ensure!((3..=5).contains(&ndims), "src has {ndims} dimensions");
        ensure!(d.len() == ndims, "src has {ndims} dimensions, dst {}", d.len());
        let is_weights = [ndims, ndims + 1].contains(&weights.ndims());
        ensure!(is_weights, "src has {ndims} dimensions, weights {}", weights.ndims());
        let (groups, filter) = (self.groups(), self.filter());
        ensure!(s[0] == d[0], "the batch is {} in src and {} in dst", s[0], d[0]);
        ensure!(s[1] == groups * filter[1], "{} channels of src, {groups} groups of {}", s[1], filter[1]);
        ensure!(d[1] == groups * filter[0], "{} channels of dst, {groups} groups of {}", d[1], filter[0]);
        self.layer.check_bias()?;
        let (large, small) = self.images();
        let Window { strides, dilations, padding_l, padding_r } = &self.window;
        for (name, values) in
            [("strides", strides), ("dilations", dilations), ("padding_l", padding_l), ("padding_r", padding_r)]
        {
            ensure!(values.len() == ndims - 2, "{} {name} for {} spatial dimensions", values.len(), ndims - 2);
        }
        for i in 0..ndims - 2 {
            let (stride, dilation, left, right) = (strides[i], dilations[i], padding_l[i], padding_r[i]);
            ensure!(stride > 0, "stride {stride}");
            ensure!(dilation >= 0, "dilation {dilation}");
            ensure!(left >= 0, "a left padding of {left}");
            ensure!(right + stride > 0, "a right padding of {right} for a stride of {stride}");
            let range = 1 + (filter[i + 2] - 1) * (dilation + 1);
            let (large, small) = (large.dims()[i + 2], small.dims()[i + 2]);
            let fits = (large - range + left + right) / stride + 1 == small;
            ensure!(
                fits,
                "a kernel of {range} with stride {stride} and padding {left}, {right} from {large} to {small}"
            );
        }
        supported!(!self.asks_for_winograd() || self.has_winograd(), "{} of this kernel", self.alg);
        if let Some(transformed) = weights.transformed() {
            let is_multiplied = !matches!(self.alg, AlgKind::ConvolutionDirect | AlgKind::DeconvolutionDirect);
            let fits = self.has_winograd() && is_multiplied && self.layer.prop != PropKind::BackwardWeights;
            supported!(fits, "transformed weights for this {}", self.kind());
            let is_same = self.turns_kernels() == transformed.turned;
            let is_same = is_same && self.layer.prop.is_forward() == transformed.sums_inputs;
            supported!(is_same, "weights that are transformed for another pass");
        }
        Ok(self)
    }

    /// Whether kernels are turned around where an image is read tile by tile: results lie in the larger image.
    pub(crate) fn turns_kernels(&self) -> bool {
        self.layer.prop.is_forward() == self.transposed
    }

    fn asks_for_winograd(&self) -> bool {
        matches!(self.alg, AlgKind::ConvolutionWinograd | AlgKind::DeconvolutionWinograd)
    }

    /// Whether there are Winograd's transforms for it: for 3x3 kernels that move step by step over floats.
    pub fn has_winograd(&self) -> bool {
        use DataType::{Bf16, F16, F32};
        let is_float = matches!(self.layer.src.data_type(), F32 | F16 | Bf16);
        let is_plain = self.window.strides == [1, 1] && self.window.dilations == [0, 0];
        is_float && is_plain && self.filter()[2..] == [3, 3]
    }

    /// Whether the library picks Winograd's algorithm by itself: forward, f32, enough channels to make up for the
    /// transforms, sums short enough that its error stays below 1e-4 of the largest result, and gains even
    /// in parts that take less room than the operands. Where weights come as they are, images have to have several tiles.
    fn gains_by_winograd(&self) -> bool {
        let Layer { prop, src, weights, dst, .. } = &self.layer;
        let f32 = [src, weights, dst].iter().all(|md| md.data_type() == DataType::F32);
        let channels = self.filter()[..2].iter().all(|channels| (32..=512).contains(channels));
        let fewest = if self.takes_transformed() { 6 } else { 12 };
        let tiles = dst.dims()[2..].iter().all(|&side| side >= fewest);
        prop.is_forward()
            && f32
            && !self.is_empty()
            && self.groups() == 1
            && self.has_winograd()
            && channels
            && tiles
            && self.winograd_pays()
    }

    /// Whether it is computed by Winograd's algorithm. Gradients of weights are not, they are sums over whole images.
    pub fn uses_winograd(&self) -> bool {
        self.asks_for_winograd() && self.layer.prop != PropKind::BackwardWeights && !self.is_empty()
    }

    fn is_empty(&self) -> bool {
        [&self.layer.src, &self.layer.dst].iter().any(|md| md.nelems(false) == 0)
    }
}

impl Operation for Convolution {
    fn kind(&self) -> PrimitiveKind {
        if self.transposed { PrimitiveKind::Deconvolution } else { PrimitiveKind::Convolution }
    }

    fn prop_kind(&self) -> PropKind {
        self.layer.prop
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        let mut tensors = self.layer.tensors();
        if let Some(depthwise) = &self.depthwise {
            tensors.retain(|desc| desc.arg != arg::DST);
            let fused = depthwise.layer.tensors().into_iter().filter(|desc| desc.arg != arg::SRC);
            tensors.extend(fused.map(|desc| match desc.arg {
                arg::DST => desc,
                number => ArgDesc { arg: arg::ATTR_POST_OP_DW | number, ..desc },
            }));
        }
        tensors
    }

    fn dst(&self) -> &MemoryDesc {
        self.depthwise.as_ref().map_or(self.layer.output(), |depthwise| depthwise.layer.output())
    }

    fn resolve(&mut self) -> Result<()> {
        if self.alg == AlgKind::ConvolutionAuto {
            let winograd = self.gains_by_winograd() || self.layer.weights.transformed().is_some();
            self.alg = if winograd { AlgKind::ConvolutionWinograd } else { AlgKind::ConvolutionDirect };
        }
        let groups = usize::from(self.has_groups());
        let depthwise = self.is_depthwise();
        let few_channels = self.has_few_channels();
        if self.uses_winograd() && self.takes_transformed() && self.layer.weights.is_any() {
            let (forward, turned) = (self.layer.prop.is_forward(), self.turns_kernels());
            let weights = &mut self.layer.weights;
            *weights = weights.transformed_for_winograd(forward, turned, &Layout::plain(4))?;
        }
        // Winograd's algorithm transforms the kernels of some channels at a time.
        let slice = if self.uses_winograd() { self.winograd_slice() } else { 0 };
        let Layer { prop, src, weights, dst, .. } = &mut self.layer;
        let ndims = src.ndims();
        // Channels are innermost, and in weights those channels that the sum does not run over.
        if src.is_any() && !dst.is_any() {
            *src = src.resolve_like(dst)?;
        }
        // Gradients of each channel by itself: the less lies between neighbours of an image, the better.
        if !prop.is_forward() && depthwise && src.is_any() && src.dims()[1] % CHANNEL_BLOCK == 0 {
            let layout =
                Layout { order: (0..ndims).collect(), inner: vec![InnerBlock { dim: 1, size: CHANNEL_BLOCK }] };
            *src = MemoryDesc::with_layout(src.dims(), src.data_type(), &layout)?;
        }
        *src = resolve_order(src, std::iter::once(0).chain(2..ndims).chain([1]))?;
        *dst = dst.resolve_like(src)?;
        let channels = if *prop == PropKind::BackwardData { [groups, groups + 1] } else { [groups + 1, groups] };
        if weights.is_any() && slice > 0 && slice < weights.dims()[channels[1]] {
            let order = (0..groups).chain([channels[1]]).chain(groups + 2..groups + ndims).chain([channels[0]]);
            let layout = Layout { order: order.collect(), inner: vec![InnerBlock { dim: channels[1], size: slice }] };
            *weights = MemoryDesc::with_layout(weights.dims(), weights.data_type(), &layout)?;
        }
        *weights = if depthwise {
            resolve_order(weights, (1..groups + ndims).chain([0]))?
        } else if few_channels {
            let order = (groups + 2..groups + ndims).chain([channels[0], 0, channels[1]]);
            resolve_order(weights, order)?
        } else {
            resolve_order(weights, (0..groups).chain(groups + 2..groups + ndims).chain(channels))?
        };
        self.layer.resolve_bias()
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        if let Some((first, conv, second)) = attr.split_at_depthwise() {
            let sums = attr.post_ops().iter().any(|post_op| matches!(post_op, PostOp::Sum { .. }));
            supported!(!sums, "a sum beside a depthwise post-op");
            self.check_attr(&first)?;
            return self.depthwise(&conv)?.check_attr(&second);
        }
        let zero_points: &[i32] = match (self.layer.is_quantized(), self.transposed) {
            (false, _) => &[],
            (true, false) => &[arg::SRC, arg::WEIGHTS, arg::DST],
            (true, true) => &[arg::SRC, arg::DST],
        };
        let more = Accepted {
            zero_points: QuantSupport { args: zero_points, types: true, groups: false },
            rounding: !self.transposed,
            ..Accepted::default()
        };
        self.layer.check_attr(attr, more)?;
        let channels = if self.has_groups() { 3 } else { 1 };
        for (arg, masks) in [(arg::SRC, &[0][..]), (arg::WEIGHTS, &[0, channels]), (arg::DST, &[0, 2])] {
            check_mask("scales", arg, attr.scales(arg).map(|scales| scales.mask), masks)?;
        }
        for (arg, masks) in [(arg::SRC, &[0, 2][..]), (arg::WEIGHTS, &[0]), (arg::DST, &[0, 2])] {
            check_mask("zero points", arg, attr.zero_points(arg).map(|points| points.mask), masks)?;
        }
        Ok(())
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        self.layer.verbose_tensors()
    }

    fn verbose_parameters(&self) -> String {
        format!("alg:{}", self.alg)
    }

    fn verbose_shape(&self) -> String {
        let (src, dst, filter) = (self.layer.src.dims(), self.layer.dst.dims(), self.filter());
        let groups = if self.has_groups() { format!("g{}", self.groups()) } else { String::new() };
        let Window { strides, dilations, padding_l, .. } = &self.window;
        let names = &["d", "h", "w"][5 - src.len()..];
        let spatial: Vec<String> = names
            .iter()
            .enumerate()
            .map(|(i, x)| {
                let (from, to, kernel) = (src[i + 2], dst[i + 2], filter[i + 2]);
                let (stride, dilation, padding) = (strides[i], dilations[i], padding_l[i]);
                format!("i{x}{from}o{x}{to}k{x}{kernel}s{x}{stride}d{x}{dilation}p{x}{padding}")
            })
            .collect();
        format!("{groups}mb{}_ic{}oc{}_{}", src[0], src[1], dst[1], spatial.join("_"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status::{self, InvalidArguments, Unimplemented};
    use crate::desc::{DataType::*, FormatTag, Op, PostOps, Quant};

    fn md(dims: &[i64]) -> MemoryDesc {
        MemoryDesc::with_strides(dims, F32, None).unwrap()
    }

    fn window<const N: usize>(strides: [i64; N], dilations: [i64; N], left: [i64; N], right: [i64; N]) -> Window {
        Window { strides: strides.into(), dilations: dilations.into(), padding_l: left.into(), padding_r: right.into() }
    }

    fn forward(src: &[i64], weights: &[i64], dst: &[i64], window: Window) -> Result<Convolution, Status> {
        let (prop, alg) = (PropKind::ForwardTraining, AlgKind::ConvolutionDirect);
        Convolution::new(prop, alg, &md(src), &md(weights), None, &md(dst), window).map_err(|error| error.status())
    }

    #[test]
    fn a_window_covers_the_image() {
        let plain = window([1], [0], [0], [0]);
        assert!(forward(&[2, 4, 9], &[6, 4, 3], &[2, 6, 7], plain.clone()).is_ok());
        assert_eq!(forward(&[2, 4, 9], &[6, 4, 3], &[2, 6, 8], plain.clone()), Err(InvalidArguments));
        assert_eq!(forward(&[2, 4, 9], &[6, 3, 3], &[2, 6, 7], plain.clone()), Err(InvalidArguments));
        assert_eq!(forward(&[2, 4], &[6, 4], &[2, 6], plain), Err(InvalidArguments));
        assert!(forward(&[2, 4, 9], &[2, 3, 2, 3], &[2, 6, 4], window([2], [1], [1], [1])).is_ok());
        assert!(forward(&[2, 4, 9], &[6, 4, 3], &[2, 6, 2], window([3], [0], [0], [-1])).is_ok());
        assert_eq!(forward(&[2, 4, 9], &[6, 4, 3], &[2, 6, 7], window([0], [0], [0], [0])), Err(InvalidArguments));
    }

    #[test]
    fn open_layouts_have_channels_innermost() {
        let any = |dims: &[i64]| MemoryDesc::any(dims, F32).unwrap();
        let (prop, alg) = (PropKind::ForwardTraining, AlgKind::ConvolutionAuto);
        let (src, weights, dst) = (any(&[2, 4, 9, 9]), any(&[6, 4, 3, 3]), any(&[2, 6, 7, 7]));
        let window = window([1, 1], [0, 0], [0, 0], [0, 0]);
        let asked = Convolution::new(prop, alg, &src, &weights, None, &dst, window).unwrap();
        let mut op = asked.clone();
        op.resolve().unwrap();
        assert_eq!(op.alg, AlgKind::ConvolutionDirect);
        assert!(op.layer.src.matches_tag(FormatTag::NHWC) && op.layer.dst.matches_tag(FormatTag::NHWC));
        assert_eq!(
            Op::from(op).verbose(&Op::from(asked), &Attr::new()),
            "src:f32:a:blocked:acdb::f0 wei:f32:a:blocked:cdba::f0 bia:undef::undef::: dst:f32:a:blocked:acdb::f0,,\
             alg:convolution_direct,mb2_ic4oc6_ih9oh7kh3sh1dh0ph0_iw9ow7kw3sw1dw0pw0"
        );
    }

    #[test]
    fn gradients_of_depthwise_convolutions_like_channels_in_blocks() {
        let any = |dims: &[i64]| MemoryDesc::any(dims, F32).unwrap();
        let resolved = |prop: PropKind, channels: i64, src: MemoryDesc| {
            let (weights, dst) = (any(&[channels, 1, 1, 3, 3]), any(&[2, channels, 7, 7]));
            let alg = AlgKind::ConvolutionDirect;
            let window = window([1, 1], [0, 0], [0, 0], [0, 0]);
            let mut op = Convolution::new(prop, alg, &src, &weights, None, &dst, window).unwrap();
            op.resolve().unwrap();
            [op.layer.src, op.layer.dst]
        };
        let all = |mds: [MemoryDesc; 2], tag: FormatTag| mds.iter().all(|md| md.matches_tag(tag));
        let blocks = FormatTag::from_name("nChw16c").unwrap();
        let given = MemoryDesc::with_tag(&[2, 32, 9, 9], F32, FormatTag::NHWC).unwrap();
        for (prop, layout) in [
            (PropKind::ForwardTraining, FormatTag::NHWC),
            (PropKind::BackwardData, blocks),
            (PropKind::BackwardWeights, blocks),
        ] {
            assert!(all(resolved(prop, 32, any(&[2, 32, 9, 9])), layout), "{prop:?}");
            assert!(all(resolved(prop, 12, any(&[2, 12, 9, 9])), FormatTag::NHWC), "{prop:?}");
            assert!(all(resolved(prop, 32, given.clone()), FormatTag::NHWC), "{prop:?}");
        }
    }

    #[test]
    fn winograd_is_for_kernels_of_three_by_three() {
        let winograd = |src: &MemoryDesc, side: i64, window: Window| {
            let (prop, alg) = (PropKind::ForwardTraining, AlgKind::ConvolutionWinograd);
            let (weights, dst) = (md(&[6, 4, side, side]), md(&[2, 6, 7, 7]));
            Convolution::new(prop, alg, src, &weights, None, &dst, window).map(drop).map_err(|error| error.status())
        };
        assert_eq!(winograd(&md(&[2, 4, 9, 9]), 3, window([1, 1], [0, 0], [0, 0], [0, 0])), Ok(()));
        assert_eq!(winograd(&md(&[2, 4, 8, 8]), 2, window([1, 1], [0, 0], [0, 0], [0, 0])), Err(Unimplemented));
        assert_eq!(winograd(&md(&[2, 4, 15, 15]), 3, window([2, 2], [0, 0], [0, 0], [0, 0])), Err(Unimplemented));
    }

    #[test]
    fn a_depthwise_post_op_follows_a_pointwise_convolution() {
        let conv = DepthwiseConv { weights: F32, bias: Undef, dst: F32, kernel: 3, stride: 2, padding: 1 };
        let chain = PostOps::new().depthwise_conv(conv).unwrap();
        let attr = Attr::new().with_post_ops(chain.clone());
        let step = window([1, 1], [0, 0], [0, 0], [0, 0]);
        let pointwise = forward(&[2, 4, 9, 7], &[6, 4, 1, 1], &[2, 6, 9, 7], step.clone()).unwrap();
        assert!(pointwise.check_attr(&attr).is_ok());
        let with_sum = Attr::new().with_post_ops(chain.sum(1.0).unwrap());
        assert_eq!(pointwise.check_attr(&with_sum).unwrap_err().status(), Unimplemented);
        let wider = forward(&[2, 4, 9, 7], &[6, 4, 3, 3], &[2, 6, 7, 5], step).unwrap();
        assert_eq!(wider.check_attr(&attr).unwrap_err().status(), Unimplemented);

        let mut op = Op::from(pointwise);
        op.resolve(&mut attr.clone()).unwrap();
        let args = op.args(&attr).unwrap();
        let dims = |number: i32| args.iter().find(|desc| desc.arg == number).map(|desc| *desc.md.dims());
        assert_eq!(dims(arg::DST), Some(Dims::from([2, 6, 5, 4])));
        assert_eq!(dims(arg::ATTR_POST_OP_DW | arg::WEIGHTS), Some(Dims::from([6, 1, 1, 3, 3])));
        assert_eq!(dims(arg::ATTR_POST_OP_DW | arg::BIAS), None);
    }

    #[test]
    fn scales_and_zero_points_are_for_narrow_types() {
        let plain = || window([1], [0], [0], [0]);
        let floats = forward(&[2, 4, 9], &[2, 3, 2, 3], &[2, 6, 7], plain()).unwrap();
        let mut narrow = floats.clone();
        for md in [&mut narrow.layer.src, &mut narrow.layer.weights] {
            *md = md.with_data_type(S8);
        }
        let check = |op: &Convolution, attr: Result<Attr>| op.check_attr(&attr.unwrap()).map_err(|e| e.status());
        let scales = |arg, mask| Attr::new().with_scales(arg, Quant::scales(mask));
        assert_eq!(check(&narrow, scales(arg::WEIGHTS, 3)), Ok(()));
        assert_eq!(check(&narrow, scales(arg::WEIGHTS, 1)), Err(Unimplemented));
        assert_eq!(check(&floats, scales(arg::WEIGHTS, 3)), Err(Unimplemented));
        assert_eq!(check(&narrow, Attr::new().with_zero_points(arg::SRC, Quant::zero_points(2))), Ok(()));
    }
}
