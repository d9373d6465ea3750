//! Expressions with operators, so that lowerings read like the mathematics they are.
//!
//! A [`Builder`] holds a program under construction; an [`Expr`] is a node of it that can be copied, added and multiplied.

use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

use super::*;

/// A program under construction.
#[derive(Debug, Default)]
pub struct Builder(RefCell<Program>);

/// A node of a program under construction.
#[derive(Clone, Copy, Debug)]
pub struct Expr<'b> {
    builder: &'b Builder,
    e: E,
}

impl Builder {
    /// An empty program.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// The finished program.
    pub fn finish(self) -> Program {
        self.0.into_inner()
    }

    fn make(&self, f: impl FnOnce(&mut Program) -> E) -> Expr<'_> {
        let e = f(&mut self.0.borrow_mut());
        Expr { builder: self, e }
    }

    /// Adds a tensor.
    pub fn tensor(&self, name: &'static str, data_type: DataType, binding: Binding) -> TensorId {
        self.0.borrow_mut().add_tensor(name, data_type, binding)
    }

    /// Adds a tensor in the scratchpad; the expression is where it starts.
    pub fn scratch(&self, name: &'static str, data_type: DataType, elements: usize) -> (TensorId, Expr<'_>) {
        let (tensor, e) = self.0.borrow_mut().add_scratch(name, data_type, elements);
        (tensor, Expr { builder: self, e })
    }

    /// Says how many elements a tensor's memory holds.
    pub fn set_elements(&self, tensor: TensorId, elements: i64) {
        self.0.borrow_mut().tensors[tensor.index()].elements = Some(elements);
    }

    /// Lets what is loaded from a tensor be rounded to bf16.
    pub fn allow_bf16(&self, tensor: TensorId) {
        self.0.borrow_mut().tensors[tensor.index()].may_be_bf16 = true;
    }

    /// Runs `part` and gives the execution arguments that it uses other numbers.
    pub fn renumbered<T>(&self, number: impl Fn(i32) -> i32, part: impl FnOnce() -> T) -> T {
        let [tensors, params, scalars] = {
            let program = self.0.borrow();
            [program.tensors.len(), program.params.len(), program.scalars.len()]
        };
        let result = part();
        let program = &mut *self.0.borrow_mut();
        for tensor in &mut program.tensors[tensors..] {
            if let Binding::Arg { arg, .. } = &mut tensor.binding {
                *arg = number(*arg);
            }
        }
        for source in &mut program.params[params..] {
            if let Source::HostScalar { arg, .. } = source {
                *arg = number(*arg);
            }
        }
        for source in &mut program.scalars[scalars..] {
            if let Source::HostScalar { arg, .. } = source {
                *arg = number(*arg);
            }
        }
        result
    }

    /// Adds an axis.
    pub fn axis(&self, name: &'static str, extent: Expr<'_>) -> AxisId {
        self.0.borrow_mut().add_axis(name, extent.e)
    }

    /// Adds an axis whose extent is an argument, or the constant one.
    pub fn sized_axis(&self, name: &'static str, extent: i64) -> AxisId {
        self.axis(name, self.extent(extent))
    }

    /// A size as an argument; one is a constant, because an axis of one is a matter of structure.
    pub fn extent(&self, value: i64) -> Expr<'_> {
        if value == 1 { self.index(1) } else { self.param(value) }
    }

    /// An integer argument.
    pub fn param(&self, value: i64) -> Expr<'_> {
        self.make(|p| p.param(value))
    }

    /// An integer argument from a host scalar.
    pub fn host_param(&self, arg: i32, data_type: DataType) -> Expr<'_> {
        self.make(|p| p.host_param(arg, data_type))
    }

    /// A floating-point argument.
    pub fn scalar(&self, value: f32) -> Expr<'_> {
        self.make(|p| p.scalar(value))
    }

    /// A floating-point argument from a host scalar.
    pub fn host_scalar(&self, arg: i32, data_type: DataType) -> Expr<'_> {
        self.make(|p| p.host_scalar(arg, data_type))
    }

    /// A constant index.
    pub fn index(&self, value: i64) -> Expr<'_> {
        self.make(|p| p.index(value))
    }

    /// A constant condition.
    pub fn bool(&self, value: bool) -> Expr<'_> {
        self.make(|p| p.bool(value))
    }

    /// A constant of a value type.
    pub fn constant(&self, ty: Ty, value: f64) -> Expr<'_> {
        self.make(|p| p.constant(ty, value))
    }

    /// The position along an axis.
    pub fn at(&self, axis: AxisId) -> Expr<'_> {
        self.make(|p| p.at(axis))
    }

    /// The element at a physical offset.
    pub fn load(&self, tensor: TensorId, offset: Expr<'_>, ty: Ty) -> Expr<'_> {
        self.make(|p| p.load(tensor, offset.e, ty))
    }

    /// The element at a physical offset where the guard holds, else zero.
    pub fn load_if(&self, guard: Expr<'_>, tensor: TensorId, offset: Expr<'_>, ty: Ty) -> Expr<'_> {
        self.make(|p| p.load_if(guard.e, tensor, offset.e, ty))
    }

    /// A reduction of `body` over axes.
    pub fn reduce(&self, op: ReduceOp, axes: &[AxisId], body: Expr<'_>) -> Expr<'_> {
        self.make(|p| p.reduce(op, axes.to_vec(), body.e))
    }

    /// A word of Philox4x32-10.
    pub fn philox(&self, counter: [Expr<'_>; 4], key: [Expr<'_>; 2], lane: Expr<'_>) -> Expr<'_> {
        self.make(|p| p.philox(counter.map(|x| x.e), key.map(|x| x.e), lane.e))
    }

    /// Adds a stage.
    pub fn stage(&self, name: &'static str, axes: Vec<AxisId>, bounds: Option<Expr<'_>>, stores: Vec<Store>) {
        self.0.borrow_mut().stages.push(Stage { name, axes, bounds: bounds.map(|x| x.e), stores, repeat: None });
    }

    /// Adds a group of stages that runs `count` times; `body` adds the stages.
    pub fn repeat<T>(&self, count: i64, body: impl FnOnce(RepeatId) -> T) -> T {
        let (repeat, first) = {
            let mut program = self.0.borrow_mut();
            (program.add_repeat(count), program.stages.len())
        };
        let result = body(repeat);
        self.0.borrow_mut().stages[first..].iter_mut().for_each(|stage| stage.repeat = Some(repeat));
        result
    }

    /// An integer argument of a repeat: `first` the first time, and `by` more each further time.
    pub fn step(&self, repeat: RepeatId, first: i64, by: i64) -> Expr<'_> {
        self.make(|p| p.step_param(repeat, first, by))
    }

    /// Adds a tensor of numbers that are known now.
    pub fn table(&self, name: &'static str, numbers: Vec<f32>) -> TensorId {
        self.0.borrow_mut().add_table(name, numbers)
    }
}

impl<'b> Expr<'b> {
    /// A number of the same type.
    pub fn number(self, value: f64) -> Expr<'b> {
        self.builder.constant(self.ty(), value)
    }

    /// The bare node.
    pub fn node(self) -> E {
        self.e
    }

    /// The type of its value.
    pub fn ty(self) -> Ty {
        self.builder.0.borrow().ty(self.e)
    }

    /// The value if it is a constant index.
    pub fn as_constant_index(self) -> Option<i64> {
        match self.builder.0.borrow().node(self.e) {
            Node::Index(value) => Some(*value),
            _ => None,
        }
    }

    fn unary(self, op: UnaryOp) -> Expr<'b> {
        self.builder.make(|p| p.unary(op, self.e))
    }

    fn binary(self, op: BinaryOp, other: impl Operand<'b>) -> Expr<'b> {
        let other = other.of(self);
        self.builder.make(|p| p.binary(op, self.e, other.e))
    }

    /// Conversion to another value type.
    pub fn to(self, ty: Ty) -> Expr<'b> {
        self.builder.make(|p| p.convert(ty, self.e))
    }

    /// The integer that this is, where it was made a float and nothing else.
    pub fn before_conversion(self) -> Expr<'b> {
        self.builder.make(|p| match *p.node(self.e) {
            Node::Convert(_, x) if p.ty(x) == Ty::S32 => x,
            _ => self.e,
        })
    }

    /// `if self { a } else { b }`.
    pub fn select(self, a: Expr<'b>, b: impl Operand<'b>) -> Expr<'b> {
        let b = b.of(a);
        self.builder.make(|p| p.select(self.e, a.e, b.e))
    }

    /// `self < other`.
    pub fn lt(self, other: impl Operand<'b>) -> Expr<'b> {
        self.binary(BinaryOp::Lt, other)
    }

    /// `self <= other`.
    pub fn le(self, other: impl Operand<'b>) -> Expr<'b> {
        self.binary(BinaryOp::Le, other)
    }

    /// `self > other`.
    pub fn gt(self, other: impl Operand<'b>) -> Expr<'b> {
        other.of(self).binary(BinaryOp::Lt, self)
    }

    /// `self >= other`.
    pub fn ge(self, other: impl Operand<'b>) -> Expr<'b> {
        other.of(self).binary(BinaryOp::Le, self)
    }

    /// `self == other`.
    pub fn equals(self, other: impl Operand<'b>) -> Expr<'b> {
        self.binary(BinaryOp::Eq, other)
    }

    /// `self != other`.
    pub fn differs(self, other: impl Operand<'b>) -> Expr<'b> {
        self.binary(BinaryOp::Ne, other)
    }

    /// The smaller of the two.
    pub fn min(self, other: impl Operand<'b>) -> Expr<'b> {
        self.binary(BinaryOp::Min, other)
    }

    /// The larger of the two.
    pub fn max(self, other: impl Operand<'b>) -> Expr<'b> {
        self.binary(BinaryOp::Max, other)
    }

    /// Limits to a range.
    pub fn clamp(self, low: impl Operand<'b>, high: impl Operand<'b>) -> Expr<'b> {
        self.max(low).min(high)
    }

    /// To the power of `other`.
    pub fn pow(self, other: impl Operand<'b>) -> Expr<'b> {
        self.binary(BinaryOp::Pow, other)
    }

    /// Exclusive or of bits.
    pub fn xor(self, other: impl Operand<'b>) -> Expr<'b> {
        self.binary(BinaryOp::Xor, other)
    }
}

macro_rules! functions {
    ($($(#[$meta:meta])* $name:ident = $op:ident,)+) => {
        impl<'b> Expr<'b> {
            $($(#[$meta])* pub fn $name(self) -> Expr<'b> {
                self.unary(UnaryOp::$op)
            })+

            /// The value as it comes back after being stored in a type.
            pub fn quantize(self, data_type: DataType) -> Expr<'b> {
                self.unary(UnaryOp::Quantize(data_type))
            }

            /// The value, which may come as it would after being stored in a type.
            pub fn nearly(self, data_type: DataType) -> Expr<'b> {
                self.unary(UnaryOp::Nearly(data_type))
            }
        }
    };
}

functions! {
    /// Absolute value.
    abs = Abs,
    /// Square root.
    sqrt = Sqrt,
    /// Exponential function.
    exp = Exp,
    /// Exponential function less one.
    expm1 = Expm1,
    /// Natural logarithm.
    log = Log,
    /// Natural logarithm of one more.
    log1p = Log1p,
    /// Hyperbolic tangent.
    tanh = Tanh,
    /// The share of a normal distribution that is below.
    phi = Phi,
    /// Nearest integer, ties to even.
    rint = Rint,
    /// Nearest integer below.
    floor = Floor,
    /// The bits of an f32.
    to_bits = ToBits,
    /// The f32 of bits.
    from_bits = FromBits,
}

/// What can stand beside an expression: another one, or a number that takes its type.
pub trait Operand<'b> {
    /// The operand as an expression of the type of `peer`.
    fn of(self, peer: Expr<'b>) -> Expr<'b>;
}

impl<'b> Operand<'b> for Expr<'b> {
    fn of(self, _: Expr<'b>) -> Expr<'b> {
        self
    }
}

impl<'b> Operand<'b> for f64 {
    fn of(self, peer: Expr<'b>) -> Expr<'b> {
        peer.builder.constant(peer.ty(), self)
    }
}

impl<'b> Operand<'b> for i64 {
    fn of(self, peer: Expr<'b>) -> Expr<'b> {
        peer.builder.constant(peer.ty(), self as f64)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident,)+) => {$(
        impl<'b, T: Operand<'b>> $trait<T> for Expr<'b> {
            type Output = Expr<'b>;

            fn $method(self, other: T) -> Expr<'b> {
                self.binary(BinaryOp::$op, other)
            }
        }
    )+};
}

operators! {
    Add add Add,
    Sub sub Sub,
    Mul mul Mul,
    Div div Div,
    Rem rem Rem,
    BitAnd bitand And,
    BitOr bitor Or,
    Shl shl Shl,
    Shr shr Shr,
}

impl<'b> Neg for Expr<'b> {
    type Output = Expr<'b>;

    fn neg(self) -> Expr<'b> {
        self.unary(UnaryOp::Neg)
    }
}

impl<'b> Not for Expr<'b> {
    type Output = Expr<'b>;

    fn not(self) -> Expr<'b> {
        self.unary(UnaryOp::Not)
    }
}
