//! The emitter: scopes, and expressions.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use super::rename::{self, Renamed};
use super::{KernelSource, prelude, storage};
use crate::codegen::Slot;
use crate::desc::DataType;
use crate::program::*;

/// A value in the text: a variable or literal, and whether it is a vector over the lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The C expression; cheap to repeat.
    pub text: String,
    /// Whether it has a component for each lane.
    pub vector: bool,
}

/// Axis whose consecutive positions are the components of vectors.
#[derive(Clone, Copy, Debug)]
struct Lanes {
    axis: AxisId,
    count: usize,
}

/// Writes the body of one kernel.
#[derive(Debug)]
pub struct Emitter<'p> {
    /// The program whose nodes are emitted; schedules may add nodes to their own copy before they start.
    pub(super) program: &'p Program,
    wide: bool,
    lanes: Option<Lanes>,
    pub(super) used: BTreeSet<&'static str>,
    frames: Vec<HashMap<E, Value>>,
    axes: Vec<HashMap<AxisId, String>>,
    body: String,
    indent: usize,
    next: usize,
    uses_double: bool,
    pub(super) streaming: Option<String>,
    pub(super) aligned: bool,
    pub(super) half: Option<usize>,
    contracting: bool,
    pub(super) room: HashMap<TensorId, E>,
    private: BTreeSet<TensorId>,
    params: BTreeSet<ParamId>,
    scalars: BTreeSet<ScalarId>,
}

impl<'p> Emitter<'p> {
    /// An emitter; `wide` makes indices 64-bit.
    pub fn new(program: &'p Program, wide: bool) -> Emitter<'p> {
        Emitter {
            program,
            wide,
            lanes: None,
            used: BTreeSet::new(),
            frames: vec![HashMap::new()],
            axes: vec![HashMap::new()],
            body: String::new(),
            indent: 1,
            next: 0,
            uses_double: false,
            streaming: None,
            aligned: false,
            half: None,
            contracting: false,
            room: HashMap::new(),
            private: BTreeSet::new(),
            params: BTreeSet::new(),
            scalars: BTreeSet::new(),
        }
    }

    /// From here on, values that depend on `axis` are vectors of `count` consecutive positions from where it is bound.
    pub fn set_lanes(&mut self, lanes: Option<(AxisId, usize)>) {
        self.lanes = lanes.map(|(axis, count)| Lanes { axis, count });
    }

    /// From here on, vectors of loads are every second element, from the first or the second on. All loads along the lanes are
    /// of bf16 side by side then, and sixteen lanes are set.
    pub fn set_half(&mut self, half: Option<usize>) {
        self.half = half;
    }

    /// The number of lanes, 1 without vectors.
    pub fn lane_count(&self) -> usize {
        self.lanes.map_or(1, |lanes| lanes.count)
    }

    pub(super) fn lane_axis(&self) -> Option<AxisId> {
        self.lanes.map(|lanes| lanes.axis)
    }

    /// The value a node has at a lane, as a scalar.
    pub(super) fn at_lane(&mut self, e: E, lane: usize) -> String {
        let Some(lanes) = self.lanes.take() else { return self.scalar(e) };
        let known = std::mem::take(&mut self.frames);
        let stays = |e: E, value: &Value| !value.vector && (lane == 0 || !self.program.depends_on(e, lanes.axis));
        self.frames = known
            .iter()
            .map(|frame| frame.iter().filter(|&(&e, v)| stays(e, v)).map(|(&e, v)| (e, v.clone())).collect())
            .collect();
        self.frames.push(HashMap::new());
        self.axes.push(HashMap::new());
        if lane > 0 {
            let first = self.axis_value(lanes.axis).text;
            self.axes.last_mut().expect("just pushed").insert(lanes.axis, format!("({first} + {lane})"));
        }
        let value = self.value(e);
        self.axes.pop();
        self.frames = known;
        self.lanes = Some(lanes);
        value.text
    }

    /// Writes one line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.body, "{:indent$}{}", "", text.as_ref(), indent = self.indent * 2);
    }

    /// Opens a block; values emitted in it are forgotten at its end.
    pub fn open(&mut self, head: impl AsRef<str>) {
        self.line(format!("{} {{", head.as_ref()).trim_start());
        self.indent += 1;
        self.frames.push(HashMap::new());
        self.axes.push(HashMap::new());
    }

    /// Closes the innermost block.
    pub fn close(&mut self) {
        self.frames.pop();
        self.axes.pop();
        self.indent -= 1;
        self.line("}");
    }

    /// Makes an axis stand for an expression in the current block.
    pub fn bind(&mut self, axis: AxisId, text: impl Into<String>) {
        self.axes.last_mut().expect("a block is open").insert(axis, text.into());
        self.forget(axis);
    }

    /// Makes a node stand for an expression in the current block.
    pub fn define(&mut self, e: E, value: Value) {
        self.frames.last_mut().expect("a block is open").insert(e, value);
    }

    /// Forgets values that depend on an axis; they were emitted for another position.
    fn forget(&mut self, axis: AxisId) {
        for frame in &mut self.frames {
            frame.retain(|&e, _| !self.program.depends_on(e, axis));
        }
    }

    pub(super) fn depends(&self, e: E, axis: AxisId) -> bool {
        self.program.depends_on(e, axis)
    }

    /// A fresh variable name.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// The C type of indices.
    pub fn index_type(&self) -> &'static str {
        if self.wide { "long" } else { "int" }
    }

    fn scalar_type(&self, ty: Ty) -> &'static str {
        match ty {
            Ty::Bool | Ty::S32 => "int",
            Ty::Index => self.index_type(),
            Ty::F32 => "float",
            Ty::F64 => "double",
        }
    }

    /// The C type of a value.
    pub fn type_name(&self, ty: Ty, vector: bool) -> String {
        let scalar = self.scalar_type(ty);
        if vector { format!("{scalar}{}", self.lane_count()) } else { scalar.to_string() }
    }

    /// The value of a node, a vector if it depends on the lane axis.
    pub fn value(&mut self, e: E) -> Value {
        if let Some(known) = self.frames.iter().rev().find_map(|frame| frame.get(&e)) {
            return known.clone();
        }
        let value = self.emit(e);
        self.define(e, value.clone());
        value
    }

    /// A node's value as one number; it must not depend on the lane axis.
    pub fn scalar(&mut self, e: E) -> String {
        let value = self.value(e);
        debug_assert!(!value.vector, "a scalar was asked of a vector");
        value.text
    }

    /// A node's value as a vector, splat where it is a scalar and lanes are set.
    pub fn wide_value(&mut self, e: E) -> String {
        let value = self.value(e);
        self.splat(&value, self.program.ty(e))
    }

    fn splat(&self, value: &Value, ty: Ty) -> String {
        if value.vector || self.lanes.is_none() {
            value.text.clone()
        } else {
            format!("({})({})", self.type_name(ty, true), value.text)
        }
    }

    fn variable(&mut self, ty: Ty, vector: bool, text: String) -> Value {
        let name = self.fresh("v");
        self.uses_double |= ty == Ty::F64;
        let type_name = self.type_name(ty, vector);
        self.line(format!("const {type_name} {name} = {text};"));
        Value { text: name, vector }
    }

    fn emit(&mut self, e: E) -> Value {
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

    fn axis_value(&mut self, axis: AxisId) -> Value {
        let bound = self.axes.iter().rev().find_map(|frame| frame.get(&axis)).cloned();
        let name = bound.unwrap_or_else(|| panic!("axis {} is not bound", self.program.axis(axis).name));
        match self.lanes {
            Some(lanes) if lanes.axis == axis => {
                let steps: Vec<String> = (0..lanes.count).map(|lane| lane.to_string()).collect();
                let vector_type = self.type_name(Ty::Index, true);
                self.variable(Ty::Index, true, format!("({name}) + ({vector_type})({})", steps.join(", ")))
            }
            _ => Value { text: name, vector: false },
        }
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
            // A device's own functions are meant for numbers; in vectors those of the prelude are faster.
            UnaryOp::Exp if ty == Ty::F32 && v => {
                self.used.insert("exp");
                call(&format!("exp_{}", self.type_name(ty, v)))
            }
            UnaryOp::Exp => call("exp"),
            UnaryOp::Expm1 => call("expm1"),
            UnaryOp::Log => call("log"),
            UnaryOp::Log1p => call("log1p"),
            UnaryOp::Tanh if ty == Ty::F32 && v => {
                self.used.insert("tanh");
                call(&format!("tanh_{}", self.type_name(ty, v)))
            }
            UnaryOp::Tanh => call("tanh"),
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
        };
        self.variable(ty, v, text)
    }

    /// Whether a value is a vector.
    fn varies(&self, e: E) -> bool {
        self.lanes.is_some_and(|lanes| self.depends(e, lanes.axis))
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

    /// Whether a node is a number that is known to be one.
    fn is_number(&self, e: E) -> bool {
        match *self.program.node(e) {
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

    fn reduce(&mut self, op: ReduceOp, axes: &[AxisId], body: E) -> Value {
        let ty = self.program.ty(body);
        let vector = self.lanes.is_some_and(|lanes| self.depends(body, lanes.axis));
        self.uses_double |= ty == Ty::F64;
        self.hoist(body, axes);
        let acc = self.fresh("acc");
        let type_name = self.type_name(ty, vector);
        self.line(format!("{type_name} {acc} = {};", Emitter::identity(op, ty)));
        let depth = self.open_reduction(axes);
        let x = self.value(body).text;
        self.line(format!("{acc} = {};", Emitter::combine(op, &acc, &x)));
        (0..depth).for_each(|_| self.close());
        Value { text: acc, vector }
    }

    /// Opens the loops of a reduction; returns how many blocks are to be closed.
    pub fn open_reduction(&mut self, axes: &[AxisId]) -> usize {
        let extents: Vec<String> = axes
            .iter()
            .map(|&axis| {
                let extent = self.program.axis(axis).extent;
                let inner = self.program.free_axes(extent).iter().any(|outer| axes.contains(outer));
                if inner { String::new() } else { self.scalar(extent) }
            })
            .collect();
        for (&axis, extent) in axes.iter().zip(extents) {
            let extent = if extent.is_empty() { self.scalar(self.program.axis(axis).extent) } else { extent };
            let name = self.fresh("r");
            let index_type = self.index_type();
            self.open(format!("for ({index_type} {name} = 0; {name} < {extent}; ++{name})"));
            self.bind(axis, name);
        }
        axes.len()
    }

    /// An accumulator combined with a value as a reduction does.
    pub fn combine(op: ReduceOp, a: &str, b: &str) -> String {
        match op {
            ReduceOp::Sum => format!("({a} + {b})"),
            ReduceOp::Prod => format!("({a} * {b})"),
            // Not fmin and fmax, which would test the accumulator for NaN, too: it is none.
            ReduceOp::Min => format!("({b} < {a} ? {b} : {a})"),
            ReduceOp::Max => format!("({b} > {a} ? {b} : {a})"),
        }
    }

    /// Where a reduction starts.
    pub fn identity(op: ReduceOp, ty: Ty) -> &'static str {
        match (op, ty) {
            (ReduceOp::Sum, _) => "0",
            (ReduceOp::Prod, _) => "1",
            (ReduceOp::Min, Ty::F32 | Ty::F64) => "INFINITY",
            (ReduceOp::Max, Ty::F32 | Ty::F64) => "-INFINITY",
            (ReduceOp::Min, _) => "INT_MAX",
            (ReduceOp::Max, _) => "INT_MIN",
        }
    }

    /// Whether a node's value was emitted already and is still in reach.
    pub fn knows(&self, e: E) -> bool {
        self.frames.iter().any(|frame| frame.contains_key(&e))
    }

    /// From here on, whole vectors are stored past the caches where a condition holds.
    pub fn set_streaming(&mut self, condition: Option<String>) {
        self.streaming = condition;
    }

    /// From here on, products that are added to something are rounded with the sum, once.
    pub fn set_contracting(&mut self, contracting: bool) {
        self.contracting = contracting;
    }

    /// Tells whether all vectors are stored at multiples of their size, so that it need not be asked for each.
    pub fn set_aligned(&mut self, aligned: bool) {
        self.aligned = aligned;
    }

    /// Tells how many elements a tensor has, so that vectors may be read of which not all lanes are wanted.
    pub fn set_room(&mut self, tensor: TensorId, elements: E) {
        self.room.insert(tensor, elements);
    }

    /// Declares tensors as memory of the work-item, all zeros: pointers that may be exchanged.
    pub fn declare_private(&mut self, tensors: &[TensorId], elements: usize) {
        for &tensor in tensors {
            let (stored, name) = (storage(self.program.tensor(tensor).data_type), tensor_name(tensor));
            self.private.insert(tensor);
            self.line(format!("{stored} room_{name}[{elements}] __attribute__((aligned(64)));"));
            self.line(format!("for (int i = 0; i < {elements}; ++i) room_{name}[i] = 0;"));
            self.line(format!("{stored} *{name} = room_{name};"));
        }
    }

    /// Where a tensor is: the qualifier of pointers to it.
    pub(super) fn space(&self, tensor: TensorId) -> &'static str {
        if self.private.contains(&tensor) { "__private" } else { "__global" }
    }

    /// Emits what a loop's body needs but does not change in it. Loads stay inside: the loop may be empty.
    pub fn hoist(&mut self, e: E, axes: &[AxisId]) {
        let mut bound: BTreeSet<AxisId> = axes.iter().copied().collect();
        self.hoist_outside(e, &mut bound, &mut BTreeSet::new());
    }

    fn hoist_outside(&mut self, e: E, inner: &mut BTreeSet<AxisId>, seen: &mut BTreeSet<E>) {
        if !seen.insert(e) {
            return;
        }
        if !self.contains_load(e) && self.program.free_axes(e).is_disjoint(inner) {
            self.value(e);
            return;
        }
        let added: Vec<AxisId> = match self.program.node(e) {
            Node::Reduce { axes, .. } => axes.iter().copied().filter(|axis| inner.insert(*axis)).collect(),
            _ => Vec::new(),
        };
        for operand in self.program.operands(e) {
            self.hoist_outside(operand, inner, seen);
        }
        added.iter().for_each(|axis| {
            inner.remove(axis);
        });
    }

    fn contains_load(&self, e: E) -> bool {
        let mut found = false;
        self.program
            .visit([e], &mut |x| found |= matches!(self.program.node(x), Node::Load { .. } | Node::Reduce { .. }));
        found
    }

    /// The finished kernel. Tensors become arguments in the given order, then the parameters that were used.
    pub fn finish(self, entry: &str, attributes: &str, tensors: &[(TensorId, bool)]) -> KernelSource {
        let mut text = String::new();
        if self.uses_double || tensors.iter().any(|(t, _)| self.program.tensor(*t).data_type == DataType::F64) {
            text.push_str("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
        }
        if self.used.contains("quantize_f16") || self.body.contains("quantize_f16") {
            text.push_str(
                "float quantize_f16(float x) { ushort h; vstore_half_rte(x, 0, (half *)&h); return vload_half(0, (half *)&h); }\n",
            );
        }
        text.push_str(&prelude::text(&self.used));
        let mut named = Renamed::new('t', tensors.iter().map(|&(tensor, written)| (tensor.index(), (tensor, written))));
        let mut params = Renamed::new('p', self.params.iter().map(|&param| (param.index(), param)));
        let mut scalars = Renamed::new('s', self.scalars.iter().map(|&scalar| (scalar.index(), scalar)));
        let body = rename::identifiers(&self.body, |name| {
            named.rename(name).or_else(|| params.rename(name)).or_else(|| scalars.rename(name))
        });
        let mut arguments = Vec::new();
        for (position, &(tensor, written)) in named.order.iter().enumerate() {
            let qualifier = if written { "" } else { "const " };
            let stored = storage(self.program.tensor(tensor).data_type);
            arguments.push(format!("__global {qualifier}{stored} *t{position}"));
        }
        let mut slots = Vec::new();
        for (position, &param) in params.order.iter().enumerate() {
            arguments.push(format!("const {} p{position}", self.index_type()));
            slots.push(Slot::Integer { param, wide: self.wide });
        }
        for (position, &scalar) in scalars.order.iter().enumerate() {
            arguments.push(format!("const float s{position}"));
            slots.push(Slot::Float(scalar));
        }
        let _ = write!(text, "{attributes}__kernel void {entry}({}) {{\n{body}}}\n", arguments.join(", "));
        let tensors = named.order.into_iter().map(|(tensor, _)| tensor).collect();
        KernelSource { entry: entry.to_string(), text, tensors, slots }
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

/// Names of tensors are unique by id.
pub(super) fn tensor_name(tensor: TensorId) -> String {
    format!("t{}", tensor.index())
}
