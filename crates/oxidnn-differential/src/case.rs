//! What a case is: an operation, its attributes, its tensors with their values.

use crate::api::{Api, RUNTIME_DIM, TAG_ANY};
use crate::attributes::Attributes;
use crate::dtype::DataType;
use crate::handle::{Failure, MemoryDesc};
use crate::layout::{Layout, Tag, elements};
use crate::oracle::{Approx, Math};
use crate::rng::Rng;
use dnnl_dynamic::create::{Desc, Made, Maker};

/// How a tensor's elements are arranged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// By a tag of the API.
    Tag(&'static Tag),
    /// By explicit strides.
    Strides(Vec<i64>),
    /// As the primitive likes; values are brought in and out with the library's own reorder.
    Any,
    /// One value in host memory.
    HostScalar,
}

/// A tensor of a case.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Dimensions when the primitive runs.
    pub dims: Vec<i64>,
    /// Element type.
    pub dt: DataType,
    /// Arrangement.
    pub format: Format,
    /// Dimensions that are not known when the primitive is created, one bit each.
    pub runtime: u32,
    /// The elements' bits in row-major order, whatever the arrangement.
    pub bits: Vec<u64>,
}

impl Tensor {
    /// Whether there are elements of memory between the tensor's that are not its own.
    pub fn has_gaps(&self) -> bool {
        matches!(self.format, Format::Strides(_)) && self.layout().span() != elements(&self.dims)
    }

    /// A tensor of zeros.
    pub fn new(dims: &[i64], dt: DataType, format: Format) -> Tensor {
        Tensor { dims: dims.to_vec(), dt, format, runtime: 0, bits: vec![0; elements(dims)] }
    }

    /// A row-major tensor of zeros.
    pub fn plain(dims: &[i64], dt: DataType) -> Tensor {
        Tensor::new(dims, dt, Format::Tag(Tag::row_major(dims.len())))
    }

    /// The same with values.
    pub fn filled(mut self, rng: &mut Rng, mut value: impl FnMut(&mut Rng) -> f64) -> Tensor {
        let (dt, mut values) = (self.dt, rng.fork());
        self.bits.iter_mut().for_each(|bits| *bits = dt.encode(value(&mut values)));
        self
    }

    /// The value of an element, counted in row-major order.
    pub fn value(&self, index: usize) -> f64 {
        self.dt.decode(self.bits[index])
    }

    /// Where the elements lie in the memory the test fills, row-major when the arrangement is the primitive's choice.
    pub fn layout(&self) -> Layout {
        match &self.format {
            Format::Tag(tag) => tag.layout(&self.dims),
            Format::Strides(strides) => Layout::strided(&self.dims, strides),
            Format::Any | Format::HostScalar => Tag::row_major(self.dims.len()).layout(&self.dims),
        }
    }

    /// The descriptor of the memory the test fills.
    pub fn memory_desc<'a>(&self, api: &'a Api) -> Result<MemoryDesc<'a>, Failure> {
        match &self.format {
            Format::Tag(tag) => MemoryDesc::with_tag(api, &self.dims, self.dt, tag.value),
            Format::Strides(strides) => MemoryDesc::with_strides(api, &self.dims, self.dt, strides),
            Format::Any => MemoryDesc::with_tag(api, &self.dims, self.dt, Tag::row_major(self.dims.len()).value),
            Format::HostScalar => MemoryDesc::host_scalar(api, self.dt),
        }
    }

    /// The descriptor the primitive is created with.
    pub fn creation_desc<'a>(&self, api: &'a Api) -> Result<MemoryDesc<'a>, Failure> {
        let unknown = |value: &i64, axis: usize| if self.runtime >> axis & 1 == 1 { RUNTIME_DIM } else { *value };
        let dims: Vec<i64> = self.dims.iter().enumerate().map(|(axis, d)| unknown(d, axis)).collect();
        match &self.format {
            Format::Any => MemoryDesc::with_tag(api, &dims, self.dt, TAG_ANY),
            Format::Strides(_) if self.runtime != 0 => {
                MemoryDesc::with_strides(api, &dims, self.dt, &vec![RUNTIME_DIM; dims.len()])
            }
            Format::Tag(tag) => MemoryDesc::with_tag(api, &dims, self.dt, tag.value),
            _ => self.memory_desc(api),
        }
    }
}

impl std::fmt::Display for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:", self.dt)?;
        match &self.format {
            Format::Tag(tag) => f.write_str(tag.name)?,
            Format::Strides(strides) => write!(f, "strides{}", joined(strides))?,
            Format::Any => f.write_str("any")?,
            Format::HostScalar => return f.write_str("host_scalar"),
        }
        write!(f, ":{}", joined(&self.dims))?;
        if self.runtime != 0 { write!(f, ":runtime{:#b}", self.runtime) } else { Ok(()) }
    }
}

fn joined(values: &[i64]) -> String {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join("x")
}

/// What a primitive does with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Reads it.
    Input,
    /// Writes it.
    Output,
    /// Reads what is there and writes it.
    InOut,
    /// Writes it into the memory of the argument with this index.
    InPlace(i32),
}

/// A tensor in its place.
#[derive(Clone, Debug)]
pub struct Arg {
    /// The argument's index.
    pub index: i32,
    /// What happens to it.
    pub role: Role,
    /// The tensor.
    pub tensor: Tensor,
}

/// One operation and everything it works on.
pub struct Case {
    /// The operation.
    pub operation: Box<dyn Operation>,
    /// Its attributes.
    pub attributes: Attributes,
    /// Its arguments, those of the attributes included.
    pub args: Vec<Arg>,
}

/// The part of a case that differs between kinds of primitives.
pub trait Operation {
    /// Creates the primitive descriptor. `mds` holds the creation-time descriptor of every argument of the case.
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a>;

    /// Creates the descriptor of the forward pass that a backward one belongs to. It is the maker's hint, and where it has a
    /// workspace it runs first.
    fn forward<'a>(&self, _maker: &Maker<'_, 'a>, _mds: &Descs<'_>) -> Option<Made<'a>> {
        None
    }

    /// What the outputs must be, in the order of [`Case::outputs`]; `None` when the oracle does not know.
    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>>;

    /// The operation in a few words.
    fn describe(&self) -> String;

    /// Whether results are rounded to the type of the operands again and again on the way, as the states of a recurrent network
    /// are, so that the bounds of errors are wide.
    fn rounds_repeatedly(&self) -> bool {
        false
    }

    /// Why oneDNN must not be given the case: it reads or writes memory it should not.
    fn unsafe_for_reference(&self, _case: &Case) -> Option<&'static str> {
        None
    }

    /// Whether the source may come from the CPU engine when the primitive runs on another one, or the result go to it.
    fn crossing(&self) -> Crossing {
        Crossing::None
    }
}

/// Between which engines a reorder goes, when the engine under test is not the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// Everything is on the engine under test.
    None,
    /// The source is on the CPU engine.
    FromCpu,
    /// The destination is on the CPU engine.
    ToCpu,
}

/// Creation-time descriptors by argument index.
pub struct Descs<'a>(pub Vec<(i32, MemoryDesc<'a>)>);

impl Descs<'_> {
    /// The descriptor of an argument, where the case has it.
    pub fn desc(&self, index: i32) -> Desc<'_> {
        self.0.iter().find(|(i, _)| *i == index).map(|(_, md)| md.borrow())
    }
}

impl Case {
    /// Starts a case without attributes.
    pub fn new(operation: impl Operation + 'static) -> Case {
        Case { operation: Box::new(operation), attributes: Attributes::default(), args: Vec::new() }
    }

    /// Adds an argument.
    pub fn arg(&mut self, index: i32, role: Role, tensor: Tensor) {
        self.args.push(Arg { index, role, tensor });
    }

    /// The argument with this index.
    pub fn find(&self, index: i32) -> Option<&Arg> {
        self.args.iter().find(|arg| arg.index == index)
    }

    /// The tensor with this index, which the case is known to have.
    pub fn tensor(&self, index: i32) -> &Tensor {
        &self.find(index).unwrap_or_else(|| panic!("case has no argument {index}")).tensor
    }

    /// The arguments the primitive writes.
    pub fn outputs(&self) -> impl Iterator<Item = &Arg> {
        self.args.iter().filter(|arg| arg.role != Role::Input)
    }

    /// The type of intermediate results: that of any double among the operation's own arguments, else single precision.
    pub fn math(&self) -> Math {
        let doubles = |arg: &Arg| arg.tensor.dt == DataType::F64 && !self.attributes.owns(arg.index);
        if self.args.iter().any(doubles) { Math::F64 } else { Math::F32 }
    }

    /// One line that says what the case is.
    pub fn describe(&self) -> String {
        let mut text = self.operation.describe();
        for arg in self.args.iter().filter(|arg| !self.attributes.owns(arg.index)) {
            let place = match arg.role {
                Role::InPlace(_) => " (in place)",
                _ => "",
            };
            text += &format!(" {}={}{place}", arg.index, arg.tensor);
        }
        text + &self.attributes.describe(self)
    }
}

/// Dimensions of a small tensor: mostly away from multiples of blocks, sometimes on them, rarely empty.
pub fn random_dims(rng: &mut Rng, ndims: usize, budget: i64) -> Vec<i64> {
    const SIZES: [i64; 20] = [1, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 48, 65];
    let rng = &mut rng.fork();
    if rng.percent(1) {
        let mut dims: Vec<i64> = (0..ndims).map(|_| rng.range(1, 4)).collect();
        dims[rng.below(ndims)] = 0;
        return dims;
    }
    let mut dims = vec![1; ndims];
    let mut left = budget;
    let first = rng.below(ndims);
    for i in 0..ndims {
        let fitting = SIZES.iter().filter(|size| **size <= left).count();
        let size = SIZES[rng.below(fitting)];
        dims[(first + i) % ndims] = size;
        left /= size;
    }
    dims
}

/// Dimensions that keep rows of half-byte elements on whole bytes, which the API demands of every stride.
pub fn whole_bytes(dims: &[i64], types: &[DataType]) -> Vec<i64> {
    let needed = types.iter().any(|dt| dt.is_sub_byte());
    dims.iter().map(|d| if needed && *d > 1 { d + d % 2 } else { *d }).collect()
}

/// A tag of this many dimensions.
pub fn random_tag(rng: &mut Rng, ndims: usize, blocked_percent: u32) -> &'static Tag {
    let plain = !rng.percent(blocked_percent);
    let fitting: Vec<&Tag> = Tag::all().iter().filter(|t| t.ndims() == ndims && (!plain || t.is_plain())).collect();
    rng.pick(&fitting)
}

/// Any arrangement of a tensor: a plain or blocked tag, or strides with gaps.
pub fn random_format(rng: &mut Rng, dims: &[i64], dt: DataType, blocked_percent: u32) -> Format {
    if rng.percent(8) && !dt.is_sub_byte() {
        random_strides(rng, dims)
    } else {
        Format::Tag(random_tag(rng, dims.len(), blocked_percent))
    }
}

/// Strides of some order of the dimensions, with gaps.
pub fn random_strides(rng: &mut Rng, dims: &[i64]) -> Format {
    let mut order: Vec<usize> = (0..dims.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, rng.below(i + 1));
    }
    let (mut strides, mut stride) = (vec![0; dims.len()], 1);
    for axis in order {
        strides[axis] = stride;
        stride *= dims[axis].max(1);
        if rng.percent(40) {
            stride += rng.range(1, 3);
        }
    }
    Format::Strides(strides)
}
