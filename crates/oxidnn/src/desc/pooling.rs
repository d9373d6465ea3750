//! Maxima and averages of windows.

use super::arg;
use super::attr::Attr;
use super::check;
use super::dims::Dims;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Operation};
use super::support::Accepted;
use super::types::{AlgKind, DataType, PrimitiveKind, PropKind};
use crate::{Result, ensure, supported};

/// The windows of a pooling: a value for each spatial dimension.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PoolWindow {
    /// From one window to the next.
    pub strides: Dims,
    /// Elements of a window.
    pub kernel: Dims,
    /// Elements left out between those of a window.
    pub dilation: Dims,
    /// Padding before the first element.
    pub padding_l: Dims,
    /// Padding after the last element.
    pub padding_r: Dims,
}

impl PoolWindow {
    /// The distance between a window's first and last element, plus one.
    fn range(&self, d: usize) -> i64 {
        1 + (self.kernel[d] - 1) * (self.dilation[d] + 1)
    }
}

/// Forward: each element of `dst` is the maximum or average of a window of `src`. Backward: the gradient, for which a
/// workspace tells where the maxima were.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pooling {
    /// The pass.
    pub prop: PropKind,
    /// Maximum or average.
    pub alg: AlgKind,
    /// The windows.
    pub window: PoolWindow,
    /// The source, or its gradient in the backward pass.
    pub src: MemoryDesc,
    /// The destination, or its gradient in the backward pass.
    pub dst: MemoryDesc,
}

impl Pooling {
    /// A forward pass. The layout of the source must be given.
    pub fn forward(
        prop: PropKind,
        alg: AlgKind,
        src: &MemoryDesc,
        dst: &MemoryDesc,
        window: PoolWindow,
    ) -> Result<Pooling> {
        ensure!(prop.is_forward(), "{prop} is not a forward pass");
        check::has_layout("src", src)?;
        Pooling::new(prop, alg, src, dst, window)
    }

    /// A backward pass. Layouts that are left open are those of the forward pass, if that is known.
    pub fn backward(
        alg: AlgKind,
        diff_src: &MemoryDesc,
        diff_dst: &MemoryDesc,
        window: PoolWindow,
        forward: Option<&Pooling>,
    ) -> Result<Pooling> {
        for (name, md) in [("diff_src", diff_src), ("diff_dst", diff_dst)] {
            supported!(md.data_type().is_float(), "a gradient with {name} of type {}", md.data_type());
        }
        let mut op = Pooling::new(PropKind::BackwardData, alg, diff_src, diff_dst, window)?;
        if let Some(forward) = forward.filter(|forward| forward.dst.ndims() == op.dst.ndims()) {
            op.src = op.src.resolve_like(&forward.src)?;
            op.dst = op.dst.resolve_like(&forward.dst)?;
        }
        Ok(op)
    }

    fn new(prop: PropKind, alg: AlgKind, src: &MemoryDesc, dst: &MemoryDesc, window: PoolWindow) -> Result<Pooling> {
        use AlgKind::*;
        let is_pooling = matches!(alg, PoolingMax | PoolingAvgIncludePadding | PoolingAvgExcludePadding);
        ensure!(is_pooling, "{alg} is not a pooling algorithm");
        for (name, md) in [("src", src), ("dst", dst)] {
            check::is_dense(name, md)?;
            check::is_known(name, md)?;
            check::is_numeric(name, md.data_type())?;
            ensure!((3..=5).contains(&md.ndims()), "{name} has {} dimensions", md.ndims());
        }
        ensure!(src.ndims() == dst.ndims(), "src has {} dimensions, dst {}", src.ndims(), dst.ndims());
        ensure!(src.dims()[..2] == dst.dims()[..2], "src is {}, dst {}", src.dims(), dst.dims());
        for d in 0..src.ndims() - 2 {
            let (from, to, range) = (src.dims()[d + 2], dst.dims()[d + 2], window.range(d));
            let PoolWindow { strides, kernel, dilation, padding_l, padding_r } = &window;
            let (left, right) = (padding_l[d], padding_r[d]);
            let ok = strides[d] > 0 && kernel[d] > 0 && dilation[d] >= 0 && left >= 0 && right + strides[d] >= 0;
            ensure!(ok, "a window of {} elements, stride {}, padding {left} and {right}", kernel[d], strides[d]);
            let windows = (from - range + left + right) / strides[d] + 1;
            ensure!(windows == to, "{windows} windows fit dimension {} of src, dst has {to}", d + 2);
            let inside = left < range && right < range && dilation[d] < from;
            ensure!(alg != PoolingAvgExcludePadding || inside, "windows outside of the source");
        }
        Ok(Pooling { prop, alg, window, src: src.clone(), dst: dst.clone() })
    }

    /// Where the maxima are: for each window the number of an element, in the layout of the destination.
    pub fn workspace(&self) -> Option<MemoryDesc> {
        let used = self.alg == AlgKind::PoolingMax && self.prop != PropKind::ForwardInference;
        let elements: i64 = self.window.kernel.iter().product();
        let data_type = if elements <= 255 { DataType::U8 } else { DataType::S32 };
        used.then(|| self.dst.with_data_type(data_type))
    }
}

impl Operation for Pooling {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Pooling
    }

    fn prop_kind(&self) -> PropKind {
        self.prop
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        let workspace = self.workspace();
        if self.prop.is_forward() {
            let mut tensors = vec![ArgDesc::input(arg::SRC, &self.src), ArgDesc::output(arg::DST, &self.dst)];
            tensors.extend(workspace.iter().map(|md| ArgDesc::output(arg::WORKSPACE, md)));
            return tensors;
        }
        let mut tensors = vec![ArgDesc::input(arg::DIFF_DST, &self.dst)];
        tensors.extend(workspace.iter().map(|md| ArgDesc::input(arg::WORKSPACE, md)));
        tensors.push(ArgDesc::output(arg::DIFF_SRC, &self.src));
        tensors
    }

    fn dst(&self) -> &MemoryDesc {
        if self.prop.is_forward() { &self.dst } else { &self.src }
    }

    fn resolve(&mut self) -> Result<()> {
        self.dst = self.dst.resolve_like(&self.src)?;
        self.src = self.src.resolve_like(&self.dst)?;
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        let post_ops: &[PrimitiveKind] =
            if self.prop.is_forward() { &[PrimitiveKind::Eltwise, PrimitiveKind::Binary] } else { &[] };
        Accepted { post_ops, ..Accepted::default() }.check(attr, self.dst())
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        vec![("src", &self.src), ("dst", &self.dst)]
    }

    fn verbose_parameters(&self) -> String {
        format!("alg:{}", self.alg)
    }

    fn verbose_shape(&self) -> String {
        let (src, dst, window) = (self.src.dims(), self.dst.dims(), &self.window);
        let spatial = src.len() - 2;
        let parts: Vec<String> = ["d", "h", "w"][3 - spatial..]
            .iter()
            .enumerate()
            .map(|(d, x)| {
                let PoolWindow { strides, kernel, dilation, padding_l, .. } = window;
                let (i, o) = (src[d + 2], dst[d + 2]);
                let (k, s, dd, p) = (kernel[d], strides[d], dilation[d], padding_l[d]);
                format!("i{x}{i}o{x}{o}k{x}{k}s{x}{s}d{x}{dd}p{x}{p}")
            })
            .collect();
        format!("mb{}ic{}_{}", src[0], src[1], parts.join("_"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(kernel: i64, stride: i64, padding: i64) -> PoolWindow {
        let all = |value| Dims::filled(2, value);
        let padding = all(padding);
        PoolWindow {
            strides: all(stride),
            kernel: all(kernel),
            dilation: all(0),
            padding_l: padding,
            padding_r: padding,
        }
    }

    #[test]
    fn windows_must_fit() {
        let md = |size: i64| MemoryDesc::with_strides(&[1, 2, size, size], DataType::F32, None).unwrap();
        let new =
            |out, window| Pooling::forward(PropKind::ForwardTraining, AlgKind::PoolingMax, &md(4), &md(out), window);
        assert!(new(2, window(2, 2, 0)).is_ok());
        assert!(new(3, window(2, 2, 0)).is_err());
        assert!(new(4, window(3, 1, 1)).is_ok());
        assert!(new(2, window(2, 0, 0)).is_err());
        let op = new(2, window(2, 2, 0)).unwrap();
        assert_eq!(op.workspace().unwrap().data_type(), DataType::U8);
        assert_eq!(op.verbose_shape(), "mb1ic2_ih4oh2kh2sh2dh0ph0_iw4ow2kw2sw2dw0pw0");
    }

    #[test]
    fn open_layouts_of_gradients_are_those_of_the_forward_pass() {
        let strides = [32, 1, 8, 2];
        let src = MemoryDesc::with_strides(&[1, 2, 4, 4], DataType::F32, Some(&strides)).unwrap();
        let any = |size: i64| MemoryDesc::any(&[1, 2, size, size], DataType::F32).unwrap();
        let alg = AlgKind::PoolingMax;
        let mut forward = Pooling::forward(PropKind::ForwardTraining, alg, &src, &any(2), window(2, 2, 0)).unwrap();
        forward.resolve().unwrap();
        let backward = Pooling::backward(alg, &any(4), &any(2), window(2, 2, 0), Some(&forward)).unwrap();
        assert_eq!(backward.src, src);
        assert_eq!(backward.workspace(), forward.workspace());
    }
}
