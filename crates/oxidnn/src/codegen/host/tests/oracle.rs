//! What a stage means, one point at a time and as slowly as it is plain.

use std::collections::HashMap;

use crate::codegen::float;
use crate::desc::DataType;
use crate::program::*;

/// The bits of one element.
pub fn get(data_type: DataType, bytes: &[u8], element: usize) -> u64 {
    match data_type.bits() {
        4 => u64::from(bytes[element / 2] >> (element % 2 * 4) & 15),
        bits => {
            let width = bits as usize / 8;
            let mut word = [0; 8];
            word[..width].copy_from_slice(&bytes[element * width..(element + 1) * width]);
            u64::from_le_bytes(word)
        }
    }
}

/// Changes the bits of one element.
pub fn put(data_type: DataType, bytes: &mut [u8], element: usize, code: u64) {
    match data_type.bits() {
        4 => {
            let shift = element % 2 * 4;
            let byte = &mut bytes[element / 2];
            *byte = *byte & !(15 << shift) | (code as u8) << shift;
        }
        bits => {
            let width = bits as usize / 8;
            bytes[element * width..(element + 1) * width].copy_from_slice(&code.to_le_bytes()[..width]);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Bool(bool),
    Int(i64),
    Float(f64),
}

impl Value {
    fn bool(self) -> bool {
        matches!(self, Value::Bool(true))
    }

    fn int(self) -> i64 {
        match self {
            Value::Bool(x) => i64::from(x),
            Value::Int(x) => x,
            Value::Float(x) => x as i64,
        }
    }

    fn float(self) -> f64 {
        match self {
            Value::Float(x) => x,
            other => other.int() as f64,
        }
    }

    /// As a value of a type.
    fn to(self, ty: Ty) -> Value {
        match (ty, self) {
            (Ty::Bool, Value::Bool(x)) => Value::Bool(x),
            (Ty::Bool, x) => Value::Bool(x.float() != 0.0),
            (Ty::Index, x) => Value::Int(x.int()),
            (Ty::S32, Value::Float(x)) => Value::Int(i64::from(x as i32)),
            (Ty::S32, x) => Value::Int(i64::from(x.int() as i32)),
            // One rounding, not two, for integers.
            (Ty::F32, Value::Int(x)) => Value::Float(f64::from(x as f32)),
            (Ty::F32, x) => Value::Float(f64::from(x.float() as f32)),
            (Ty::F64, x) => Value::Float(x.float()),
        }
    }
}

struct Point<'a> {
    p: &'a Program,
    contents: &'a [Vec<u8>],
    at: HashMap<AxisId, i64>,
}

impl Point<'_> {
    fn eval(&mut self, e: E) -> Value {
        let ty = self.p.ty(e);
        match self.p.node(e).clone() {
            Node::Bool(x) => Value::Bool(x),
            Node::Index(x) => Value::Int(x),
            Node::S32(x) => Value::Int(i64::from(x)),
            Node::F32(bits) => Value::Float(f64::from(f32::from_bits(bits))),
            Node::F64(bits) => Value::Float(f64::from_bits(bits)),
            Node::Axis(axis) => Value::Int(self.at[&axis]),
            Node::Param(param) => match self.p.params[param.index()] {
                Source::Known(x) => Value::Int(x),
                Source::HostScalar { .. } | Source::Step { .. } => unreachable!(),
            },
            Node::Scalar(scalar) => match self.p.scalars[scalar.index()] {
                Source::Known(x) => Value::Float(f64::from(x)),
                Source::HostScalar { .. } | Source::Step { .. } => unreachable!(),
            },
            Node::Load { tensor, offset, guard, ty } => {
                if guard.is_some_and(|guard| !self.eval(guard).bool()) {
                    return Value::Int(0).to(ty);
                }
                let offset = self.eval(offset).int() as usize;
                let data_type = self.p.tensor(tensor).data_type;
                let bits = get(data_type, &self.contents[tensor.index()], offset);
                if data_type == DataType::S64 {
                    return Value::Int(bits as i64).to(ty);
                }
                let value = float::decode(data_type, bits);
                if data_type.is_integer() { Value::Int(value as i64).to(ty) } else { Value::Float(value).to(ty) }
            }
            Node::Unary(op, x) => {
                let x = self.eval(x);
                self.unary(op, x).to(ty)
            }
            Node::Binary(op, a, b) => {
                let of = self.p.ty(a);
                let (a, b) = (self.eval(a), self.eval(b));
                binary(op, of, a, b).to(ty)
            }
            Node::Select(c, a, b) => {
                let c = self.eval(c).bool();
                self.eval(if c { a } else { b })
            }
            Node::Convert(to, x) => self.eval(x).to(to),
            Node::Reduce { op, axes, body } => {
                let mut acc = None;
                self.reduce(op, ty, &axes, body, &mut acc);
                acc.unwrap_or_else(|| match op {
                    ReduceOp::Sum => Value::Int(0).to(ty),
                    ReduceOp::Prod => Value::Int(1).to(ty),
                    ReduceOp::Min => Value::Float(f64::INFINITY).to(ty),
                    ReduceOp::Max => Value::Float(f64::NEG_INFINITY).to(ty),
                })
            }
            Node::Philox { .. } => panic!("the oracle has no random numbers"),
        }
    }

    fn reduce(&mut self, op: ReduceOp, ty: Ty, axes: &[AxisId], body: E, acc: &mut Option<Value>) {
        let Some((&axis, inner)) = axes.split_first() else {
            let value = self.eval(body);
            *acc = Some(match (*acc, op) {
                (None, _) => value,
                (Some(acc), ReduceOp::Sum) => binary(BinaryOp::Add, ty, acc, value).to(ty),
                (Some(acc), ReduceOp::Prod) => binary(BinaryOp::Mul, ty, acc, value).to(ty),
                (Some(acc), ReduceOp::Min) => binary(BinaryOp::Min, ty, acc, value),
                (Some(acc), ReduceOp::Max) => binary(BinaryOp::Max, ty, acc, value),
            });
            return;
        };
        let outer = self.at.get(&axis).copied();
        for position in 0..self.eval(self.p.axis(axis).extent).int() {
            self.at.insert(axis, position);
            self.reduce(op, ty, inner, body, acc);
        }
        outer.map(|outer| self.at.insert(axis, outer));
    }

    fn unary(&self, op: UnaryOp, x: Value) -> Value {
        let f = x.float();
        match op {
            UnaryOp::Not => Value::Bool(!x.bool()),
            UnaryOp::ToBits => Value::Int(i64::from((f as f32).to_bits() as i32)),
            UnaryOp::FromBits => Value::Float(f64::from(f32::from_bits(x.int() as u32))),
            UnaryOp::Neg if matches!(x, Value::Int(_)) => Value::Int(-x.int()),
            UnaryOp::Abs if matches!(x, Value::Int(_)) => Value::Int(x.int().abs()),
            UnaryOp::Neg => Value::Float(-f),
            UnaryOp::Abs => Value::Float(f.abs()),
            UnaryOp::Sqrt => Value::Float(f.sqrt()),
            UnaryOp::Exp => Value::Float(f.exp()),
            UnaryOp::Expm1 => Value::Float(f.exp_m1()),
            UnaryOp::Log => Value::Float(f.ln()),
            UnaryOp::Log1p => Value::Float(f.ln_1p()),
            UnaryOp::Tanh => Value::Float(f.tanh()),
            UnaryOp::Phi => Value::Float(0.5 * (1.0 + libm::erf(f / 2f64.sqrt()))),
            UnaryOp::Rint => Value::Float(f.round_ties_even()),
            UnaryOp::Floor => Value::Float(f.floor()),
            UnaryOp::Nearly(_) => x,
            UnaryOp::Quantize(data_type) => Value::Float(float::decode(data_type, float::encode(data_type, f))),
        }
    }
}

fn binary(op: BinaryOp, of: Ty, a: Value, b: Value) -> Value {
    use BinaryOp::*;
    if of.is_float() {
        let (a, b) = (a.float(), b.float());
        return match op {
            Add => Value::Float(a + b),
            Sub => Value::Float(a - b),
            Mul => Value::Float(a * b),
            Div => Value::Float(a / b),
            Min => Value::Float(a.min(b)),
            Max => Value::Float(a.max(b)),
            Pow => Value::Float(a.powf(b)),
            Lt => Value::Bool(a < b),
            Le => Value::Bool(a <= b),
            Eq => Value::Bool(a == b),
            Ne => Value::Bool(a != b),
            _ => panic!("{op:?} of floats"),
        };
    }
    let (x, y) = (a.int(), b.int());
    match op {
        And if of == Ty::Bool => Value::Bool(a.bool() && b.bool()),
        Or if of == Ty::Bool => Value::Bool(a.bool() || b.bool()),
        Add => Value::Int(x.wrapping_add(y)),
        Sub => Value::Int(x.wrapping_sub(y)),
        Mul => Value::Int(x.wrapping_mul(y)),
        Div => Value::Int(x / y),
        Rem => Value::Int(x % y),
        Min => Value::Int(x.min(y)),
        Max => Value::Int(x.max(y)),
        And => Value::Int(x & y),
        Or => Value::Int(x | y),
        Xor => Value::Int(x ^ y),
        Shl => Value::Int(i64::from((x as u32) << y)),
        Shr => Value::Int(i64::from(x as u32 >> y)),
        Lt => Value::Bool(x < y),
        Le => Value::Bool(x <= y),
        Eq => Value::Bool(x == y),
        Ne => Value::Bool(x != y),
        Pow => panic!("a power of integers"),
    }
}

/// The contents of all tensors after a stage.
pub fn run(p: &Program, stage: &Stage, contents: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut after = contents.to_vec();
    walk(&mut Point { p, contents, at: HashMap::new() }, stage, &stage.axes, &mut after);
    after
}

fn walk(point: &mut Point<'_>, stage: &Stage, axes: &[AxisId], after: &mut [Vec<u8>]) {
    if let Some((&axis, inner)) = axes.split_first() {
        for position in 0..point.p.extent(axis).unwrap() {
            point.at.insert(axis, position);
            walk(point, stage, inner, after);
        }
        return;
    }
    let inside = stage.bounds.is_none_or(|bounds| point.eval(bounds).bool());
    for store in &stage.stores {
        let data_type = point.p.tensor(store.tensor).data_type;
        let offset = point.eval(store.offset).int() as usize;
        let code = match inside.then(|| point.eval(store.value)) {
            None => 0,
            Some(Value::Int(x)) if data_type == DataType::S64 => x as u64,
            // An integer is rounded to an f32 once, which a double would not hinder.
            Some(value) => float::encode(data_type, value.float()),
        };
        put(data_type, &mut after[store.tensor.index()], offset, code);
    }
}
