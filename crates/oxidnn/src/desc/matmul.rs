//! Products of matrices, in batches.

use super::arg;
use super::attr::Attr;
use super::check;
use super::dims::RUNTIME_DIM;
use super::memory::{Format, MemoryDesc, Sparse};
use super::op::{ArgDesc, Operation, runtime_dims_mask};
use super::quant::Quant;
use super::support::{Accepted, QuantSupport};
use super::tag::Layout;
use super::types::{DataType, PrimitiveKind, QuantizationMode};
use crate::{Result, ensure, supported};

/// `dst = src * weights + bias` over the last two dimensions; the others are batches, where one element is broadcast.
///
/// ```
/// use oxidnn::desc::{DataType, Matmul, MemoryDesc};
/// let md = |dims: &[i64]| MemoryDesc::with_strides(dims, DataType::F32, None).unwrap();
/// assert!(Matmul::new(&md(&[7, 2, 4]), &md(&[1, 4, 3]), Some(&md(&[1, 1, 3])), &md(&[7, 2, 3])).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Matmul {
    /// The left factor, `… x M x K`.
    pub src: MemoryDesc,
    /// The right factor, `… x K x N`.
    pub weights: MemoryDesc,
    /// What is added, broadcast where it has one element.
    pub bias: Option<MemoryDesc>,
    /// The product, `… x M x N`.
    pub dst: MemoryDesc,
}

impl Matmul {
    /// All layouts may be left open, all dimensions and strides may be known at execution only.
    pub fn new(src: &MemoryDesc, weights: &MemoryDesc, bias: Option<&MemoryDesc>, dst: &MemoryDesc) -> Result<Matmul> {
        let bias = bias.filter(|bias| !bias.is_zero());
        let tensors = [("src", src), ("weights", weights), ("dst", dst)];
        for (name, md) in tensors.into_iter().chain(bias.map(|bias| ("bias", bias))) {
            ensure!(!md.is_host_scalar(), "{name} is a host scalar");
        }
        if matches!(src.sparse(), Some(Sparse::Grouped { .. })) {
            check_grouped(src, weights, bias, dst)?;
        } else {
            check_shapes(src, weights, bias, dst)?;
            check_sparse(src, weights, bias, dst)?;
        }
        check_types(src.data_type(), weights.data_type(), bias.map(MemoryDesc::data_type), dst.data_type())?;
        Ok(Matmul { src: src.clone(), weights: weights.clone(), bias: bias.cloned(), dst: dst.clone() })
    }

    /// Rows of the product.
    pub fn m(&self) -> i64 {
        self.dst.dims()[self.dst.ndims() - 2]
    }

    /// Columns of the product.
    pub fn n(&self) -> i64 {
        self.dst.dims()[self.dst.ndims() - 1]
    }

    /// The dimension that is summed over.
    pub fn k(&self) -> i64 {
        self.src.dims()[self.src.ndims() - 1]
    }

    /// Whether it is a product of several matrices of different lengths.
    pub fn is_grouped(&self) -> bool {
        matches!(self.src.sparse(), Some(Sparse::Grouped { .. }))
    }

    fn check_scales(&self, attr: &Attr) -> Result<()> {
        let all = (1 << self.dst.ndims()) - 1;
        for (arg, md) in [(arg::SRC, &self.src), (arg::DST, &self.dst)] {
            let mask = attr.scales(arg).map_or(0, |scales| scales.mask);
            let (row, column) = (1 << (md.ndims() - 2), 1 << (md.ndims() - 1));
            let is_ok = [0, row, column, row | column, (1 << md.ndims()) - 1].contains(&mask);
            supported!(is_ok, "scales with mask {mask} for argument {arg}");
        }
        let [src_k, weights_k] = self.groups_along_k(attr.scales(arg::SRC), attr.scales(arg::WEIGHTS), 16, "scales")?;
        let src = self.src.data_type();
        supported!(src_k <= 1 || is_int8(src) || is_small_float(src), "scales in groups for a source of type {src}");
        supported!(divide(src_k, weights_k), "scales in groups of {src_k} for src and of {weights_k} for weights");

        if let Some(scales) = attr.scales(arg::DST).filter(|scales| scales.is_dynamic()) {
            let (data_type, group) = match scales.mode {
                QuantizationMode::DynamicMx => (DataType::E8m0, 32),
                _ => (DataType::F8E4m3, 16),
            };
            let is_known = scales.mask == all && scales.data_type == data_type && scales.groups == [1, group];
            supported!(is_known, "computed scales other than {data_type} in groups of {group}");
        }
        Ok(())
    }

    fn check_zero_points(&self, attr: &Attr) -> Result<()> {
        if let Some(Quant { mask, .. }) = attr.zero_points(arg::SRC) {
            let ndims = self.src.ndims();
            let (row, column, all) = (1 << (ndims - 2), 1 << (ndims - 1), (1 << ndims) - 1);
            let known = [0, column, row | column, all].contains(mask) || (self.is_grouped() && *mask == row);
            supported!(known, "source zero points with mask {mask}");
            let one_batch = ndims == 2 || (ndims == 3 && self.src.dims()[0] == 1);
            supported!(*mask != all || one_batch, "source zero points for each of several batches");
        }
        let [src_k, weights_k] =
            self.groups_along_k(attr.zero_points(arg::SRC), attr.zero_points(arg::WEIGHTS), 32, "zero points")?;
        let src = self.src.data_type();
        supported!(src_k <= 1 || is_int8(src), "zero points in groups for a source of type {src}");
        supported!(divide(src_k, weights_k), "zero points in groups of {src_k} for src and of {weights_k} for weights");
        if let Some(quant) = attr.zero_points(arg::WEIGHTS) {
            let ndims = self.weights.ndims();
            let (row, column) = (1 << (ndims - 2), 1 << (ndims - 1));
            let along_n = quant.group(ndims - 1, ndims) > 1 && quant.mask & column != 0;
            supported!(!along_n || attr.fpmath_applies_to_int(), "weights' zero points in groups along N");
            if quant.data_type.is_sub_byte() {
                let odd = |bit: i32, dim: i64| quant.mask & bit != 0 && dim != RUNTIME_DIM && dim % 2 != 0;
                supported!(!odd(row, self.k()) && !odd(column, self.n()), "packed zero points in odd numbers");
            }
        }
        if let Some(Quant { mask, .. }) = attr.zero_points(arg::DST) {
            supported!(*mask == 0 || (self.dst.ndims() == 2 && *mask == 2), "destination zero points with mask {mask}");
        }
        Ok(())
    }

    /// The groups of source and weights along K, after checking that their sizes are multiples of what kernels can do.
    fn groups_along_k(
        &self,
        src: Option<&Quant>,
        weights: Option<&Quant>,
        src_multiple: i64,
        what: &str,
    ) -> Result<[i64; 2]> {
        let group_of = |quant: Option<&Quant>, md: &MemoryDesc, from_end: usize| {
            let d = md.ndims() - from_end;
            quant.filter(|quant| quant.mask >> d & 1 == 1).map_or(1, |quant| quant.group(d, md.ndims()))
        };
        let src_k = group_of(src, &self.src, 1);
        let weights_k = group_of(weights, &self.weights, 2);
        let weights_n = group_of(weights, &self.weights, 1);
        let extents = [(src_k, self.k(), src_multiple), (weights_k, self.k(), 16), (weights_n, self.n(), 16)];
        for (group, extent, multiple) in extents {
            let is_ok = group <= 1 || group >= extent || group % multiple == 0;
            supported!(is_ok, "{what} in groups of {group}, not a multiple of {multiple}");
        }
        Ok([src_k, weights_k])
    }

    fn check_reductions(&self, attr: &Attr) -> Result<()> {
        let Some(reductions) = attr.precomputed_reductions(arg::SRC) else { return Ok(()) };
        let ndims = self.dst.ndims();
        supported!(attr.zero_points(arg::WEIGHTS).is_some(), "precomputed reductions without zero points of weights");
        supported!(reductions.mask == (1 << ndims) - 1, "precomputed reductions with mask {}", reductions.mask);
        let group = reductions.group(ndims - 1, ndims);
        if group > 1 {
            ensure!(is_int8(self.src.data_type()), "precomputed reductions of {}", self.src.data_type());
            let along_k = |quant: Option<&Quant>, d: usize| {
                quant.filter(|quant| !quant.groups.is_empty()).map(|quant| quant.group(d, ndims))
            };
            let weights_zp = along_k(attr.zero_points(arg::WEIGHTS), ndims - 2);
            ensure!(divide(group, weights_zp.unwrap_or(1)), "precomputed reductions in groups of {group}");
            let others = [
                weights_zp,
                along_k(attr.zero_points(arg::SRC), ndims - 1),
                along_k(attr.scales(arg::WEIGHTS), ndims - 2),
                along_k(attr.scales(arg::SRC), ndims - 1),
            ];
            let is_smallest = others.into_iter().flatten().all(|other| group <= other);
            ensure!(is_smallest, "precomputed reductions in groups of {group}, larger than others along K");
        }
        Ok(())
    }
}

impl Operation for Matmul {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Matmul
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        let mut tensors = vec![ArgDesc::input(arg::SRC, &self.src), ArgDesc::input(arg::WEIGHTS, &self.weights)];
        tensors.extend(self.bias.iter().map(|bias| ArgDesc::input(arg::BIAS, bias)));
        tensors.push(ArgDesc::output(arg::DST, &self.dst));
        tensors
    }

    fn dst(&self) -> &MemoryDesc {
        &self.dst
    }

    fn resolve(&mut self) -> Result<()> {
        self.src = resolve_matrix(&self.src)?;
        self.weights = resolve_matrix(&self.weights)?;
        self.dst = resolve_matrix(&self.dst)?;
        if let Some(bias) = &mut self.bias {
            *bias = resolve_matrix(bias)?;
        }
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        let is_small = |data_type| is_int8(data_type) || data_type.is_sub_byte() || is_small_float(data_type);
        let (src, weights, dst) = (self.src.data_type(), self.weights.data_type(), self.dst.data_type());
        let args = &[arg::SRC, arg::WEIGHTS, arg::DST];
        let zero_points = is_small(src) || is_small(weights);
        let has_types = is_small(weights);
        Accepted {
            scales: QuantSupport { args, types: true, groups: is_small(weights) || is_small_float(dst) },
            zero_points: QuantSupport {
                args: if zero_points { args } else { &[] },
                types: has_types,
                groups: has_types,
            },
            precomputed_reductions: is_int8(src),
            post_ops: &[PrimitiveKind::Sum, PrimitiveKind::Eltwise, PrimitiveKind::Binary, PrimitiveKind::Prelu],
            sum_type: true,
            sum_zero_point: is_int8(src),
            dropout: true,
            rounding: true,
            accumulation: true,
            fpmath_of_int: true,
            rnn: false,
        }
        .check(attr, &self.dst)?;
        self.check_scales(attr)?;
        self.check_zero_points(attr)?;
        self.check_reductions(attr)
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        let bias = self.bias.as_ref().map(|bias| ("bia", bias));
        [("src", &self.src), ("wei", &self.weights)].into_iter().chain(bias).chain([("dst", &self.dst)]).collect()
    }

    fn verbose_parameters(&self) -> String {
        let unknown = [&self.src, &self.weights, &self.dst].iter().any(|md| md.has_runtime_dims_or_strides());
        if unknown {
            format!("runtime_dims_masks:{}:{}", runtime_dims_mask(&self.src), runtime_dims_mask(&self.weights))
        } else {
            String::new()
        }
    }

    fn verbose_shape(&self) -> String {
        format!("{}:{}", self.src.dims(), self.weights.dims())
    }
}

fn is_int8(data_type: DataType) -> bool {
    matches!(data_type, DataType::S8 | DataType::U8)
}

fn is_small_float(data_type: DataType) -> bool {
    matches!(data_type, DataType::F8E5m2 | DataType::F8E4m3 | DataType::F4E2m1 | DataType::F4E3m0)
}

/// Whether one group size is a multiple of the other, where both are groups at all.
fn divide(a: i64, b: i64) -> bool {
    a <= 1 || b <= 1 || a % b == 0 || b % a == 0
}

/// Row-major, or column-major where rows of packed elements would share bytes.
fn resolve_matrix(md: &MemoryDesc) -> Result<MemoryDesc> {
    md.resolve_plain().or_else(|error| {
        let mut order: Vec<usize> = (0..md.ndims()).collect();
        let [.., m, n] = &mut order[..] else { return Err(error) };
        std::mem::swap(m, n);
        MemoryDesc::with_layout(md.dims(), md.data_type(), &Layout { order, inner: Vec::new() })
    })
}

fn check_shapes(src: &MemoryDesc, weights: &MemoryDesc, bias: Option<&MemoryDesc>, dst: &MemoryDesc) -> Result<()> {
    let ndims = dst.ndims();
    ensure!(ndims >= 2, "dst has {ndims} dimensions, a matrix has 2");
    for (name, md) in [("src", src), ("weights", weights)].into_iter().chain(bias.map(|bias| ("bias", bias))) {
        ensure!(md.ndims() == ndims, "{name} has {} dimensions, dst {ndims}", md.ndims());
    }
    let (s, w, d) = (src.dims(), weights.dims(), dst.dims());
    let (row, column) = (ndims - 2, ndims - 1);
    ensure!(s[row] == d[row], "M is {} in src and {} in dst", s[row], d[row]);
    ensure!(w[column] == d[column], "N is {} in weights and {} in dst", w[column], d[column]);
    ensure!(s[column] == w[row], "K is {} in src and {} in weights", s[column], w[row]);
    for i in 0..row {
        if [s[i], w[i], d[i]].contains(&RUNTIME_DIM) {
            let all_unknown = s[i] == w[i] && w[i] == d[i];
            ensure!(all_unknown, "batch dimension {i} must be known in all tensors or in none");
        } else {
            let fits = if s[i] == 1 { d[i] == w[i] } else { d[i] == s[i] && (w[i] == 1 || w[i] == s[i]) };
            ensure!(fits, "batch dimension {i} is {} in src, {} in weights and {} in dst", s[i], w[i], d[i]);
        }
    }
    if let Some(bias) = bias {
        check::broadcasts_to("bias", bias, dst)?;
    }
    Ok(())
}

fn check_sparse(src: &MemoryDesc, weights: &MemoryDesc, bias: Option<&MemoryDesc>, dst: &MemoryDesc) -> Result<()> {
    let is_sparse = |md: &MemoryDesc| matches!(md.format(), Format::Sparse(_));
    if ![src, weights, dst].into_iter().chain(bias).any(is_sparse) {
        return Ok(());
    }
    let one_factor = is_sparse(src) != is_sparse(weights) && !is_sparse(dst) && !bias.is_some_and(is_sparse);
    supported!(one_factor, "more than one sparse factor, or a sparse result");
    let data_type = src.data_type();
    let same_type = [weights, dst].iter().all(|md| md.data_type() == data_type);
    supported!(same_type && matches!(data_type, DataType::F32 | DataType::F16), "a sparse factor of type {data_type}");
    supported!(src.ndims() == 2, "sparse factors in batches");
    match src.sparse().or(weights.sparse()) {
        Some(Sparse::Csr { indices, pointers, .. }) => {
            supported!([*indices, *pointers] == [DataType::S32; 2], "indices of type {indices} and {pointers}");
        }
        Some(Sparse::Coo { indices, .. }) => supported!(*indices == DataType::S32, "indices of type {indices}"),
        _ => supported!(false, "a factor that is packed or grouped"),
    }
    Ok(())
}

/// Checks a product whose source is several matrices of different lengths. Each has its own weights or its own result.
fn check_grouped(src: &MemoryDesc, weights: &MemoryDesc, bias: Option<&MemoryDesc>, dst: &MemoryDesc) -> Result<()> {
    let groups_of = |md: &MemoryDesc| match md.sparse() {
        Some(Sparse::Grouped { variable_dim, groups, .. }) => Some((*variable_dim, *groups)),
        _ => None,
    };
    let (s, w, d) = (src.dims(), weights.dims(), dst.dims());
    match (groups_of(src), groups_of(weights), groups_of(dst)) {
        // The groups differ in M: rows of src and dst, with a matrix of weights each.
        (Some((0, groups)), None, Some((0, dst_groups))) => {
            supported!(groups == dst_groups, "{groups} groups in src and {dst_groups} in dst");
            supported!(w.len() == 3 && w[0] == groups, "weights of {w} for {groups} groups");
            supported!(s[0] == d[0] && s[1] == w[1] && w[2] == d[1], "grouped shapes {s}, {w} and {d}");
            if let Some(bias) = bias {
                supported!(*bias.dims() == [groups, w[2]], "a bias of {} for {groups} groups", bias.dims());
            }
        }
        // The groups differ in K: columns of src and rows of weights, with a product each.
        (Some((1, groups)), Some((0, weights_groups)), None) => {
            supported!(groups == weights_groups, "{groups} groups in src and {weights_groups} in weights");
            supported!(d.len() == 3 && d[0] == groups, "dst of {d} for {groups} groups");
            supported!(s[0] == d[1] && s[1] == w[0] && w[1] == d[2], "grouped shapes {s}, {w} and {d}");
            supported!(bias.is_none(), "a bias where groups differ in K");
        }
        _ => supported!(false, "this combination of grouped tensors"),
    }
    Ok(())
}

/// The types that can be multiplied: doubles, integers with integers, and floats with floats or with integers that are
/// converted to floats.
fn check_types(src: DataType, weights: DataType, bias: Option<DataType>, dst: DataType) -> Result<()> {
    use DataType::*;
    let is_int = |data_type| matches!(data_type, S8 | U8 | S4 | U4);
    let is_float = |data_type| matches!(data_type, F32 | F16 | Bf16) || is_small_float(data_type);
    let is_known = match src {
        F64 => weights == F64 && dst == F64,
        _ if is_int(src) => is_int(weights) && matches!(dst, U8 | S8 | S32 | F32 | F16 | Bf16),
        _ if is_float(src) => (is_float(weights) || is_int(weights)) && (is_float(dst) || is_int8(dst)),
        _ => false,
    };
    supported!(is_known, "a product of {src} and {weights} in {dst}");
    if let Some(bias) = bias {
        let is_known = match bias {
            F32 | F16 | Bf16 | S8 | U8 => true,
            F64 => src == F64,
            S32 => is_int(src),
            F8E5m2 | F8E4m3 => is_small_float(src),
            _ => false,
        };
        supported!(is_known, "a bias of {bias} for a product of {src} and {weights}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status::{self, InvalidArguments, Unimplemented};
    use crate::desc::{DataType::*, FormatTag};

    fn md(dims: &[i64], data_type: DataType) -> MemoryDesc {
        MemoryDesc::with_strides(dims, data_type, None).unwrap()
    }

    fn shapes(src: &[i64], weights: &[i64], dst: &[i64]) -> Result<(), Status> {
        Matmul::new(&md(src, F32), &md(weights, F32), None, &md(dst, F32)).map(drop).map_err(|error| error.status())
    }

    #[test]
    fn batches_broadcast_and_factors_do_not() {
        assert_eq!(shapes(&[2, 4], &[4, 3], &[2, 3]), Ok(()));
        assert_eq!(shapes(&[7, 1, 2, 4], &[1, 5, 4, 3], &[7, 5, 2, 3]), Ok(()));
        assert_eq!(shapes(&[0, 2], &[2, 20], &[0, 20]), Ok(()));
        assert_eq!(shapes(&[RUNTIME_DIM, 2, 4], &[RUNTIME_DIM, 4, 3], &[RUNTIME_DIM, 2, 3]), Ok(()));
        for [src, weights, dst] in [
            [&[10, 1][..], &[2, 20], &[10, 20]],
            [&[10, 1], &[1, 20], &[10, 21]],
            [&[10, 1], &[1, 1, 20], &[10, 20]],
            [&[10, 10], &[1, 1], &[10, 10]],
            [&[3, 10, 10], &[RUNTIME_DIM, 10, 10], &[RUNTIME_DIM, 10, 10]],
            [&[3, 10, 10], &[1, 10, 10], &[1, 10, 10]],
            [&[1, 10, 2], &[1, 2, 20], &[0, 10, 20]],
            [&[0, 10, 2], &[2, 2, 20], &[0, 10, 20]],
            [&[1, 10, 2], &[0, 2, 20], &[1, 10, 20]],
            [&[4], &[4], &[4]],
        ] {
            assert_eq!(shapes(src, weights, dst), Err(InvalidArguments), "{src:?} {weights:?} {dst:?}");
        }
    }

    #[test]
    fn types_must_go_together() {
        let status = |src, weights, dst| {
            let result = Matmul::new(&md(&[2, 4], src), &md(&[4, 6], weights), None, &md(&[2, 6], dst));
            result.map(drop).map_err(|error| error.status())
        };
        for (src, weights, dst) in [
            (F64, F64, F64),
            (U8, S8, S32),
            (S8, U4, Bf16),
            (F16, S4, F16),
            (F8E5m2, F8E4m3, F32),
            (F4E2m1, F4E2m1, F4E2m1),
        ] {
            assert_eq!(status(src, weights, dst), Ok(()), "{src} {weights} {dst}");
        }
        for (src, weights, dst) in [(F64, F32, F64), (S32, S8, S32), (U8, F32, F32), (F32, F32, S32)] {
            assert_eq!(status(src, weights, dst), Err(Unimplemented), "{src} {weights} {dst}");
        }
    }

    #[test]
    fn open_layouts_become_row_major_where_bytes_allow() {
        let any = |dims: &[i64], data_type| MemoryDesc::any(dims, data_type).unwrap();
        let mut matmul = Matmul::new(&any(&[2, 4], F16), &any(&[4, 3], S4), None, &any(&[2, 3], F16)).unwrap();
        matmul.resolve().unwrap();
        assert!(matmul.src.matches_tag(FormatTag::AB));
        assert!(matmul.weights.matches_tag(FormatTag::BA), "three packed elements do not fill bytes");
    }

    /// The status of a 10x64 by 64x20 product with these attributes.
    fn attr_status(src: DataType, weights: DataType, attr: crate::Result<Attr>) -> Result<(), Status> {
        let matmul = Matmul::new(&md(&[10, 64], src), &md(&[64, 20], weights), None, &md(&[10, 20], F32)).unwrap();
        matmul.check_attr(&attr.unwrap()).map_err(|error| error.status())
    }

    #[test]
    fn quantization_follows_the_types() {
        let scales =
            |arg, mask, groups: &[i64]| Attr::new().with_scales(arg, Quant::scales(mask).groups(groups).unwrap());
        let zero_points = |arg, mask| Attr::new().with_zero_points(arg, Quant::zero_points(mask));
        for arg in [arg::SRC, arg::WEIGHTS, arg::DST] {
            assert_eq!(attr_status(F32, F32, scales(arg, 0, &[])), Ok(()));
            assert_eq!(attr_status(F32, F32, zero_points(arg, 0)), Err(Unimplemented));
            assert_eq!(attr_status(U8, S8, zero_points(arg, 2)), Ok(()));
        }
        assert_eq!(attr_status(U8, S8, zero_points(arg::DST, 3)), Err(Unimplemented));
        assert_eq!(attr_status(U8, S8, scales(arg::WEIGHTS, 3, &[32, 1])), Ok(()));
        assert_eq!(attr_status(U8, S8, scales(arg::WEIGHTS, 3, &[3, 1])), Err(Unimplemented));
        assert_eq!(attr_status(F32, F32, scales(arg::WEIGHTS, 3, &[32, 1])), Err(Unimplemented));
        assert_eq!(attr_status(U8, S8, scales(arg::SRC, 2, &[1, 32])), Ok(()));
        assert_eq!(attr_status(F16, S8, scales(arg::SRC, 2, &[1, 32])), Err(Unimplemented));
        assert_eq!(attr_status(U8, S8, scales(arg::SRC_1, 0, &[])), Err(Unimplemented));
    }

    #[test]
    fn computed_scales_are_mx_or_nvfp4() {
        let status = |mode, data_type, group| {
            let scales = Quant::scales(3).data_type(data_type).groups(&[1, group]).unwrap().mode(mode);
            let dst = md(&[10, 128], F4E2m1);
            let matmul = Matmul::new(&md(&[10, 64], F4E2m1), &md(&[64, 128], F4E2m1), None, &dst).unwrap();
            matmul.check_attr(&Attr::new().with_scales(arg::DST, scales).unwrap()).is_ok()
        };
        assert!(status(QuantizationMode::DynamicMx, E8m0, 32));
        assert!(status(QuantizationMode::DynamicFp, F8E4m3, 16));
        assert!(!status(QuantizationMode::DynamicFp, F8E4m3, 32));
        assert!(!status(QuantizationMode::DynamicFp, E8m0, 16));
        assert!(!status(QuantizationMode::DynamicMx, E8m0, 16));
    }

    #[test]
    fn precomputed_reductions_belong_to_zero_points_of_weights() {
        let reductions = |mask, groups: &[i64]| {
            Attr::new().with_precomputed_reductions(arg::SRC, Quant::zero_points(mask).groups(groups).unwrap())
        };
        let with_zero_points = reductions(3, &[1, 32])
            .and_then(|attr| attr.with_zero_points(arg::WEIGHTS, Quant::zero_points(3).groups(&[32, 1])?));
        assert_eq!(attr_status(U8, S8, with_zero_points), Ok(()));
        assert_eq!(attr_status(U8, S8, reductions(3, &[1, 32])), Err(Unimplemented));
        assert_eq!(attr_status(U8, S8, reductions(0, &[])), Err(Unimplemented));
    }

    #[test]
    fn sparse_factors_are_single_and_of_floats() {
        let csr = |data_type| MemoryDesc::csr(&[4, 6], data_type, 5, S32, S32).unwrap();
        assert!(Matmul::new(&csr(F32), &md(&[6, 3], F32), None, &md(&[4, 3], F32)).is_ok());
        assert!(Matmul::new(&csr(S8), &md(&[6, 3], S8), None, &md(&[4, 3], S32)).is_err());
        let weights = MemoryDesc::coo(&[6, 3], F32, 5, S32).unwrap();
        assert!(Matmul::new(&md(&[4, 6], F32), &weights, None, &md(&[4, 3], F32)).is_ok());
        assert!(Matmul::new(&csr(F32), &weights, None, &md(&[4, 3], F32)).is_err());
    }

    #[test]
    fn groups_have_their_own_weights_or_their_own_result() {
        let grouped = |dims: &[i64], dim| MemoryDesc::grouped(dims, F32, dim, 5, S32).unwrap();
        let bias = md(&[5, 3], F32);
        assert!(Matmul::new(&grouped(&[40, 6], 0), &md(&[5, 6, 3], F32), Some(&bias), &grouped(&[40, 3], 0)).is_ok());
        assert!(Matmul::new(&grouped(&[4, 60], 1), &grouped(&[60, 3], 0), None, &md(&[5, 4, 3], F32)).is_ok());
        assert!(Matmul::new(&grouped(&[40, 6], 0), &md(&[4, 6, 3], F32), None, &grouped(&[40, 3], 0)).is_err());
        assert!(Matmul::new(&grouped(&[40, 6], 0), &md(&[6, 3], F32), None, &md(&[40, 3], F32)).is_err());
    }
}
