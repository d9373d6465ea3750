//! Nodes as expressions of C: constants, operations on numbers and vectors, conversions.
//!
//! Where a node and those it is made of are one step to a device, they are written as one.

use super::emit::{Emitter, Value};
use crate::desc::DataType;
use crate::program::*;

impl Emitter<'_> {
    pub(super) fn emit(&mut self, e: E) -> Value {
        let ty = self.program.ty(e);
        let plain = |text: String| Value { text, vector: false };
        match self.program.node(e).clone() {
            Node::Bool(value) => plain(i32::from(value).to_string()),
            Node::Index(value) if self.wide => plain(format!("{value}L")),
            Node::Index(value) => plain(value.to_string()),
            Node::S32(i32::MIN) => plain("INT_MIN".into()),
            Node::S32(value) if value < 0 => plain(format!("({value})")),
            Node::S32(value) => plain(value.to_string()),
            Node::F32(bits) => plain(float_literal(f32::from_bits(bits))),
            Node::F64(bits) => {
                self.uses_double = true;
                plain(double_literal(f64::from_bits(bits)))
            }
            Node::Axis(axis) => self.axis_value(axis),
            Node::Param(param) => {
                self.params.insert(param);
                plain(format!("p{}", param.index()))
            }
            Node::Scalar(scalar) => {
                self.scalars.insert(scalar);
                plain(format!("s{}", scalar.index()))
            }
            Node::Load { tensor, offset, guard, ty } => self.load(tensor, offset, guard, ty),
            Node::Unary(UnaryOp::Exp, x) if ty == Ty::F32 && self.is_below_maximum(x) && self.varies(x) => {
                let (exp, x) = (self.exp_down(), self.value(x));
                let type_name = self.type_name(ty, true);
                self.variable(ty, true, format!("{exp}_{type_name}({})", x.text))
            }
            Node::Unary(..) | Node::Binary(BinaryOp::Add, ..) if self.special_function(e).is_some() => {
                let Some((function, x)) = self.special_function(e) else { unreachable!("it was one") };
                self.used.insert(function);
                let (x, type_name) = (self.value(x), self.type_name(ty, true));
                self.variable(ty, true, format!("{function}_{type_name}({})", x.text))
            }
            Node::Unary(op, x) => {
                let x_ty = self.program.ty(x);
                let x = self.value(x);
                self.unary(op, x, x_ty)
            }
            // One over a root, which devices have as one function.
            Node::Binary(BinaryOp::Div, one, root) if self.is_inverse_root(one, root) => {
                let Node::Unary(_, x) = *self.program.node(root) else { unreachable!("it was a root") };
                let x = self.value(x);
                self.used.insert("rsqrt");
                let type_name = self.type_name(ty, x.vector);
                self.variable(ty, x.vector, format!("rsqrt_{type_name}({})", x.text))
            }
            // One over the fourth root, as a root and the inverse of its own root.
            Node::Binary(BinaryOp::Mul, a, b) if self.inverse_of_fourth_root(a, b).is_some() => {
                let Some(x) = self.inverse_of_fourth_root(a, b) else { unreachable!("it was one") };
                let x = self.value(x);
                self.used.insert("rroot4");
                let type_name = self.type_name(ty, x.vector);
                self.variable(ty, x.vector, format!("rroot4_{type_name}({})", x.text))
            }
            // The sum of two products of vectors: the second is added to the first as that is made. So is any sum of a product
            // where that was asked for.
            Node::Binary(BinaryOp::Add, a, b) if self.is_product_and_more(a, b) || self.is_product_and_more(b, a) => {
                let (product, other) = if self.is_product_and_more(a, b) { (a, b) } else { (b, a) };
                let Node::Binary(_, a, b) = *self.program.node(product) else { unreachable!("it was a product") };
                let factors = [self.wide_value(a), self.wide_value(b)];
                let other = self.wide_value(other);
                self.variable(ty, true, format!("fma({}, {other})", factors.join(", ")))
            }
            // The greater of a value and a number, or the lesser; that number where the value is none.
            Node::Binary(op @ (BinaryOp::Min | BinaryOp::Max), x, limit) if self.is_number(limit) => {
                let (x, limit) = (self.value(x), self.value(limit));
                let sign = if op == BinaryOp::Max { '>' } else { '<' };
                let splat = if x.vector { self.splat(&limit, ty) } else { limit.text.clone() };
                self.variable(ty, x.vector, format!("{0} {sign} {1} ? {0} : {splat}", x.text, limit.text))
            }
            Node::Binary(BinaryOp::Div | BinaryOp::Rem, ..) if ty == Ty::Index && self.moves_in_steps(e) => {
                let (first, steps) = (self.first_of_steps(e), self.steps(e));
                let numbers: Vec<String> = steps.iter().map(|step| step.to_string()).collect();
                let type_name = self.type_name(ty, true);
                self.variable(ty, true, format!("{first} + ({type_name})({})", numbers.join(", ")))
            }
            Node::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), a, b) if self.divides_short(a, b) => {
                let (dividend, by) = (self.value(a), self.scalar(b));
                let (floats, indices) = (self.type_name(Ty::F32, true), self.type_name(Ty::Index, true));
                let quotient =
                    format!("convert_{indices}((convert_{floats}({0}) + 0.5f) / (float){by})", dividend.text);
                let rest = format!("{} - {quotient} * {by}", dividend.text);
                self.variable(ty, true, if op == BinaryOp::Div { quotient } else { rest })
            }
            Node::Binary(op, a, b) => {
                let operand_ty = self.program.ty(a);
                let (a, b) = (self.value(a), self.value(b));
                self.binary(op, operand_ty, a, b, ty)
            }
            Node::Select(c, a, b) => {
                let (c, a, b) = (self.value(c), self.value(a), self.value(b));
                self.select(ty, c, a, b)
            }
            Node::Convert(to, x) => {
                let from = self.program.ty(x);
                let x = self.value(x);
                self.convert(from, to, x)
            }
            Node::Reduce { op, axes, body } => self.reduce(op, &axes, body),
            Node::Philox { counter, key, lane } => {
                self.used.insert("philox");
                let words: Vec<Value> = counter.iter().chain(&key).chain([&lane]).map(|&x| self.value(x)).collect();
                self.per_lane(Ty::S32, &words, |w| {
                    let args: Vec<String> = w.iter().map(|w| format!("(uint)({w})")).collect();
                    format!("(int)philox({})", args.join(", "))
                })
            }
        }
    }

    /// A function of vectors that is not as exact as it might be, or not for any number, where that will do; and what it is a function of.
    fn special_function(&self, e: E) -> Option<(&'static str, E)> {
        let coarse = self.coarse.contains(&e);
        let (function, x) = match *self.program.node(e) {
            Node::Unary(UnaryOp::Exp, x) if coarse => ("coarse_exp", x),
            Node::Unary(UnaryOp::Expm1, x) if coarse => ("coarse_expm1_down", x),
            Node::Unary(UnaryOp::Phi, x) if coarse => ("coarse_phi", x),
            Node::Unary(UnaryOp::Sqrt, x) if coarse => ("coarse_sqrt", x),
            Node::Unary(UnaryOp::Log1p, x) if coarse => ("coarse_log1p_of_share", x),
            Node::Unary(UnaryOp::Log1p, x) if self.program.ty(e) == Ty::F32 && self.program.is_share(x) => {
                ("log1p_of_share", x)
            }
            Node::Binary(BinaryOp::Add, ..) if coarse => ("coarse_slope", self.program.has_slope_at(e)?),
            _ => return None,
        };
        self.varies(x).then_some((function, x))
    }

    /// Computes lane by lane where any operand is a vector; `each` makes a scalar expression of scalar ones.
    pub(super) fn per_lane(&mut self, ty: Ty, operands: &[Value], each: impl Fn(&[String]) -> String) -> Value {
        if !operands.iter().any(|x| x.vector) {
            let texts: Vec<String> = operands.iter().map(|x| x.text.clone()).collect();
            let text = each(&texts);
            return self.variable(ty, false, text);
        }
        let parts: Vec<String> = (0..self.lane_count())
            .map(|lane| {
                let texts: Vec<String> = operands
                    .iter()
                    .map(|x| if x.vector { format!("{}.s{lane:x}", x.text) } else { x.text.clone() })
                    .collect();
                each(&texts)
            })
            .collect();
        let vector_type = self.type_name(ty, true);
        self.variable(ty, true, format!("({vector_type})({})", parts.join(", ")))
    }

    fn unary(&mut self, op: UnaryOp, x: Value, ty: Ty) -> Value {
        let t = &x.text;
        let v = x.vector;
        let call = |f: &str| format!("{f}({t})");
        let text = match op {
            UnaryOp::Neg => format!("-{t}"),
            UnaryOp::Abs if ty.is_float() => call("fabs"),
            UnaryOp::Abs => format!("convert_{}(abs({t}))", self.type_name(ty, v)),
            UnaryOp::Sqrt => call("sqrt"),
            UnaryOp::Exp | UnaryOp::Expm1 | UnaryOp::Log1p | UnaryOp::Tanh => {
                let function = match op {
                    UnaryOp::Exp => "exp",
                    UnaryOp::Expm1 => "expm1",
                    UnaryOp::Log1p => "log1p",
                    _ => "tanh",
                };
                // A device's own functions are meant for numbers; in vectors those of the prelude are faster.
                if ty == Ty::F32 && v {
                    self.used.insert(function);
                    call(&format!("{function}_{}", self.type_name(ty, v)))
                } else {
                    call(function)
                }
            }
            UnaryOp::Log => call("log"),
            UnaryOp::Phi if ty == Ty::F32 => {
                self.used.insert("phi");
                call(&format!("phi_{}", self.type_name(ty, v)))
            }
            UnaryOp::Phi => format!("erfc({t} * (-0.7071067811865476)) * 0.5"),
            UnaryOp::Rint => call("rint"),
            UnaryOp::Floor => call("floor"),
            UnaryOp::Not => format!("!{t}"),
            UnaryOp::ToBits => return self.variable(Ty::S32, v, format!("as_{}({t})", self.type_name(Ty::S32, v))),
            UnaryOp::FromBits => return self.variable(Ty::F32, v, format!("as_{}({t})", self.type_name(Ty::F32, v))),
            UnaryOp::Quantize(data_type) => return self.quantize(data_type, x, ty),
            UnaryOp::Nearly(_) => return x,
        };
        self.variable(ty, v, text)
    }

    /// By how much an index has grown at each lane, where the structure says so and vectors begin at multiples of their length.
    pub(super) fn steps(&self, e: E) -> Vec<i64> {
        let starts_whole = self.starts_whole && self.half.is_none();
        let Some(axis) = self.lane_axis().filter(|&axis| starts_whole && self.depends(e, axis)) else {
            return Vec::new();
        };
        self.program.lane_steps(e, axis, self.lane_count()).unwrap_or_default()
    }

    /// Whether a vector of indices is divided by a number that is not part of the structure, and all are so small that floats tell them apart:
    /// half of one over the divisor is more than a quotient is rounded by.
    fn divides_short(&self, a: E, b: E) -> bool {
        let is_short =
            |e: E, least: i64| self.program.limits(e).is_some_and(|(low, high)| low >= least && high < 1 << 20);
        self.program.ty(a) == Ty::Index
            && self.varies(a)
            && !self.varies(b)
            && !matches!(self.program.node(b), Node::Index(_))
            && is_short(a, 0)
            && is_short(b, 1)
    }

    fn moves_in_steps(&self, e: E) -> bool {
        !self.steps(e).is_empty()
    }

    /// What an index is at the first lane: a number, where the structure knows it.
    fn first_of_steps(&mut self, e: E) -> String {
        let lanes = self.lane_count();
        if let (Node::Binary(BinaryOp::Rem, x, by), Some(axis)) = (self.program.node(e), self.lane_axis())
            && let Node::Index(by) = *self.program.node(*by)
            && let Some(first) = self.program.first_remainder(*x, axis, lanes, by)
        {
            return first.to_string();
        }
        self.at_lane(e, 0)
    }

    /// Whether a value is a vector.
    fn varies(&self, e: E) -> bool {
        self.lane_axis().is_some_and(|axis| self.depends(e, axis))
    }

    /// Whether a number is the difference of one to a maximum that it is part of, so that it is not above zero.
    fn is_below_maximum(&self, e: E) -> bool {
        let Node::Binary(BinaryOp::Sub, a, maximum) = *self.program.node(e) else { return false };
        let covers = |maximum: E| matches!(*self.program.node(maximum), Node::Reduce { op: ReduceOp::Max, body, .. } if body == a);
        match *self.program.node(maximum) {
            Node::Binary(BinaryOp::Max, m, n) => covers(m) || covers(n),
            _ => covers(maximum),
        }
    }

    /// Whether a quotient is one over the square root of a vector of single precision.
    fn is_inverse_root(&self, one: E, root: E) -> bool {
        matches!(self.program.node(root), Node::Unary(UnaryOp::Sqrt, _))
            && *self.program.node(one) == Node::F32(1f32.to_bits())
            && self.varies(root)
            && !self.knows(root)
    }

    /// What two factors are the inverse of the fourth root of: its root's inverse, and the inverse of that one's root.
    fn inverse_of_fourth_root(&self, a: E, b: E) -> Option<E> {
        let root_of = |e: E| match *self.program.node(e) {
            Node::Binary(BinaryOp::Div, one, root) if self.is_inverse_root(one, root) && !self.knows(e) => {
                self.program.operands(root).first().copied()
            }
            _ => None,
        };
        let (of_a, of_b) = (root_of(a)?, root_of(b)?);
        if of_b == a { Some(of_a) } else { (of_a == b).then_some(of_b) }
    }

    /// Whether two numbers of single precision are products, of which the first is a vector that was not computed yet; the other
    /// may be anything where that was asked for.
    fn is_product_and_more(&self, product: E, other: E) -> bool {
        let is_product = |e: E| matches!(self.program.node(e), Node::Binary(BinaryOp::Mul, ..));
        is_product(product)
            && (is_product(other) || self.contracting)
            && self.program.ty(product) == Ty::F32
            && self.varies(product)
            && !self.knows(product)
    }

    /// Whether a node is a number that is known to be one, or a parameter of an operation, which is meant to be.
    fn is_number(&self, e: E) -> bool {
        match *self.program.node(e) {
            Node::Scalar(_) => true,
            Node::F32(bits) => !f32::from_bits(bits).is_nan(),
            Node::F64(bits) => !f64::from_bits(bits).is_nan(),
            _ => false,
        }
    }

    fn quantize(&mut self, data_type: DataType, x: Value, ty: Ty) -> Value {
        if matches!((data_type, ty), (DataType::F32, Ty::F32) | (DataType::F64, _) | (DataType::S32, Ty::S32)) {
            return x;
        }
        if data_type == DataType::F16 {
            return self.per_lane(ty, &[x], |t| format!("quantize_f16({})", t[0]));
        }
        let encode = self.encoder(data_type, ty);
        let decode = self.decoder(data_type);
        self.per_lane(ty, &[x], |t| decode(&encode(&t[0])))
    }

    fn binary(&mut self, op: BinaryOp, operand_ty: Ty, a: Value, b: Value, ty: Ty) -> Value {
        use BinaryOp::*;
        let vector = a.vector || b.vector;
        let is_float = operand_ty.is_float();
        let infix = |symbol: &str| format!("{} {symbol} {}", a.text, b.text);
        // OpenCL's functions want both operands of one shape, its operators splat by themselves.
        let call = |me: &Self, f: &str| {
            let (x, y) = if vector {
                (me.splat(&a, operand_ty), me.splat(&b, operand_ty))
            } else {
                (a.text.clone(), b.text.clone())
            };
            format!("{f}({x}, {y})")
        };
        let text = match op {
            Add => infix("+"),
            Sub => infix("-"),
            Mul => infix("*"),
            Div => infix("/"),
            Rem => infix("%"),
            Min => call(self, if is_float { "fmin" } else { "min" }),
            Max => call(self, if is_float { "fmax" } else { "max" }),
            Pow => call(self, "pow"),
            And if operand_ty == Ty::Bool && !vector => infix("&&"),
            Or if operand_ty == Ty::Bool && !vector => infix("||"),
            // A true scalar is 1, a true lane is -1.
            And | Or if operand_ty == Ty::Bool => {
                let mask = |x: &Value| {
                    if x.vector { x.text.clone() } else { format!("({})(-{})", self.type_name(Ty::Bool, true), x.text) }
                };
                format!("{} {} {}", mask(&a), if op == And { "&" } else { "|" }, mask(&b))
            }
            And => infix("&"),
            Or => infix("|"),
            Xor => infix("^"),
            Shl => infix("<<"),
            Shr if vector => {
                let unsigned = format!("uint{}", self.lane_count());
                format!("as_{}(as_{unsigned}({}) >> {})", self.type_name(Ty::S32, true), self.splat(&a, ty), b.text)
            }
            Shr => format!("(int)((uint){} >> {})", a.text, b.text),
            Lt => infix("<"),
            Le => infix("<="),
            Eq => infix("=="),
            Ne => infix("!="),
        };
        let wide_mask = ty == Ty::Bool && vector && (operand_ty == Ty::F64 || (operand_ty == Ty::Index && self.wide));
        let text = if wide_mask { format!("convert_{}({text})", self.type_name(Ty::Bool, true)) } else { text };
        self.variable(ty, vector, text)
    }

    pub(super) fn select(&mut self, ty: Ty, c: Value, a: Value, b: Value) -> Value {
        let vector = c.vector || a.vector || b.vector;
        if !c.vector {
            let (a, b) = if vector { (self.splat(&a, ty), self.splat(&b, ty)) } else { (a.text, b.text) };
            return self.variable(ty, vector, format!("{} ? {a} : {b}", c.text));
        }
        let mask = if ty == Ty::F64 || (ty == Ty::Index && self.wide) {
            format!("convert_long{}({})", self.lane_count(), c.text)
        } else {
            c.text
        };
        self.variable(ty, true, format!("select({}, {}, {mask})", self.splat(&b, ty), self.splat(&a, ty)))
    }

    pub(super) fn convert(&mut self, from: Ty, to: Ty, x: Value) -> Value {
        if from == to {
            return x;
        }
        let type_name = self.type_name(to, x.vector);
        let text = match (from, to) {
            // A true lane of a vector is -1.
            (Ty::Bool, _) if x.vector => format!("convert_{type_name}(-{})", x.text),
            (Ty::F32 | Ty::F64, Ty::S32) => format!("convert_{type_name}_sat({})", x.text),
            _ if x.vector => format!("convert_{type_name}({})", x.text),
            _ => format!("({type_name}){}", x.text),
        };
        self.variable(to, x.vector, text)
    }
}

fn float_literal(value: f32) -> String {
    if value.is_nan() {
        "NAN".into()
    } else if value.is_infinite() {
        if value > 0.0 { "INFINITY".into() } else { "(-INFINITY)".into() }
    } else if value.is_sign_negative() {
        format!("({value:?}f)")
    } else {
        format!("{value:?}f")
    }
}

fn double_literal(value: f64) -> String {
    if value.is_finite() { format!("({value:?})") } else { format!("(double){}", float_literal(value as f32)) }
}
