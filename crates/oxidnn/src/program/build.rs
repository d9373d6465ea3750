//! Smart constructors: every node is made here, checked, simplified and shared.

use super::*;

/// Converts a number to a node of a given float type.
fn float_node(ty: Ty, value: f64) -> Node {
    match ty {
        Ty::F64 => Node::F64(value.to_bits()),
        Ty::F32 => Node::F32((value as f32).to_bits()),
        Ty::S32 => Node::S32(value as i32),
        Ty::Index => Node::Index(value as i64),
        Ty::Bool => Node::Bool(value != 0.0),
    }
}

impl Program {
    fn intern(&mut self, node: Node, ty: Ty) -> E {
        if let Some(&e) = self.interned.get(&node) {
            return e;
        }
        let e = E(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.types.push(ty);
        self.free.push(self.find_free_axes(e));
        self.interned.insert(node, e);
        e
    }

    /// Adds a tensor.
    pub fn add_tensor(&mut self, name: &'static str, data_type: DataType, binding: Binding) -> TensorId {
        self.tensors.push(Tensor { name, data_type, binding, elements: None, may_be_bf16: false });
        TensorId(self.tensors.len() as u32 - 1)
    }

    /// Adds a tensor in the scratchpad; the expression is where it starts.
    pub fn add_scratch(&mut self, name: &'static str, data_type: DataType, elements: usize) -> (TensorId, E) {
        let start = self.param(0);
        let base = ParamId(self.params.len() as u32 - 1);
        let tensor = self.add_tensor(name, data_type, Binding::Scratch { elements, base });
        (tensor, start)
    }

    /// Adds an axis.
    pub fn add_axis(&mut self, name: &'static str, extent: E) -> AxisId {
        debug_assert_eq!(self.ty(extent), Ty::Index);
        self.axes.push(Axis { name, extent });
        AxisId(self.axes.len() as u32 - 1)
    }

    /// A new integer argument whose value is known.
    pub fn param(&mut self, value: i64) -> E {
        self.params.push(Source::Known(value));
        let id = ParamId(self.params.len() as u32 - 1);
        self.intern(Node::Param(id), Ty::Index)
    }

    /// The number of a point among all points of some axes, the last axis fastest, counted on from `first` of those.
    pub fn row_major(&mut self, first: E, axes: &[AxisId]) -> E {
        axes.iter().fold(first, |number, &axis| {
            let (extent, at) = (self.axis(axis).extent, self.at(axis));
            let number = self.mul(number, extent);
            self.add(number, at)
        })
    }

    /// Adds a repeat that runs its stages `count` times.
    pub fn add_repeat(&mut self, count: i64) -> RepeatId {
        self.repeats.push(count);
        RepeatId(self.repeats.len() as u32 - 1)
    }

    /// A new integer argument that is `first` the first time a repeat runs and grows by `by`, which may be negative.
    pub fn step_param(&mut self, repeat: RepeatId, first: i64, by: i64) -> E {
        self.params.push(Source::Step { first, by, count: self.repeats[repeat.index()] });
        let id = ParamId(self.params.len() as u32 - 1);
        self.intern(Node::Param(id), Ty::Index)
    }

    /// Adds a tensor of numbers that are known now.
    pub fn add_table(&mut self, name: &'static str, numbers: Vec<f32>) -> TensorId {
        let tensor = self.add_tensor(name, DataType::F32, Binding::Table(self.tables.len() as u32));
        self.tensors[tensor.index()].elements = Some(numbers.len() as i64);
        self.tables.push(numbers);
        tensor
    }

    /// A new integer argument read from a host scalar when the primitive executes.
    pub fn host_param(&mut self, arg: i32, data_type: DataType) -> E {
        self.params.push(Source::HostScalar { arg, data_type });
        let id = ParamId(self.params.len() as u32 - 1);
        self.intern(Node::Param(id), Ty::Index)
    }

    /// A new floating-point argument whose value is known.
    pub fn scalar(&mut self, value: f32) -> E {
        self.scalars.push(Source::Known(value));
        let id = ScalarId(self.scalars.len() as u32 - 1);
        self.intern(Node::Scalar(id), Ty::F32)
    }

    /// A new floating-point argument read from a host scalar when the primitive executes.
    pub fn host_scalar(&mut self, arg: i32, data_type: DataType) -> E {
        self.scalars.push(Source::HostScalar { arg, data_type });
        let id = ScalarId(self.scalars.len() as u32 - 1);
        self.intern(Node::Scalar(id), Ty::F32)
    }

    /// A constant index.
    pub fn index(&mut self, value: i64) -> E {
        self.intern(Node::Index(value), Ty::Index)
    }

    /// A constant condition.
    pub fn bool(&mut self, value: bool) -> E {
        self.intern(Node::Bool(value), Ty::Bool)
    }

    /// A constant of any value type.
    pub fn constant(&mut self, ty: Ty, value: f64) -> E {
        self.intern(float_node(ty, value), ty)
    }

    /// The position along an axis; the constant 0 where the extent is the constant 1.
    pub fn at(&mut self, axis: AxisId) -> E {
        if *self.node(self.axis(axis).extent) == Node::Index(1) {
            return self.index(0);
        }
        self.intern(Node::Axis(axis), Ty::Index)
    }

    /// The element at a physical offset.
    pub fn load(&mut self, tensor: TensorId, offset: E, ty: Ty) -> E {
        debug_assert_eq!(self.ty(offset), Ty::Index);
        self.intern(Node::Load { tensor, offset, guard: None, ty }, ty)
    }

    /// The element at a physical offset where the guard holds, else zero.
    pub fn load_if(&mut self, guard: E, tensor: TensorId, offset: E, ty: Ty) -> E {
        match self.node(guard) {
            Node::Bool(true) => self.load(tensor, offset, ty),
            Node::Bool(false) => self.constant(ty, 0.0),
            _ => self.intern(Node::Load { tensor, offset, guard: Some(guard), ty }, ty),
        }
    }

    /// A function of one value.
    pub fn unary(&mut self, op: UnaryOp, x: E) -> E {
        let ty = self.ty(x);
        match (op, self.node(x)) {
            (UnaryOp::Not, &Node::Bool(value)) => return self.bool(!value),
            (UnaryOp::Neg, &Node::F32(bits)) => return self.constant(ty, -f64::from(f32::from_bits(bits))),
            _ => {}
        }
        let ty = match op {
            UnaryOp::ToBits => Ty::S32,
            UnaryOp::FromBits => Ty::F32,
            _ => ty,
        };
        self.intern(Node::Unary(op, x), ty)
    }

    /// A function of two values of one type.
    pub fn binary(&mut self, op: BinaryOp, a: E, b: E) -> E {
        use BinaryOp::*;
        debug_assert_eq!(self.ty(a), self.ty(b), "{op:?} of two types");
        match op {
            Lt | Le | Eq | Ne => self.compare(op, a, b),
            And | Or if self.ty(a) == Ty::Bool => self.logic(op, a, b),
            _ if self.ty(a) == Ty::Index => self.index_op(op, a, b),
            _ => self.value_op(op, a, b),
        }
    }

    fn compare(&mut self, op: BinaryOp, a: E, b: E) -> E {
        if let (&Node::Index(x), &Node::Index(y)) = (self.node(a), self.node(b)) {
            return self.bool(match op {
                BinaryOp::Lt => x < y,
                BinaryOp::Le => x <= y,
                BinaryOp::Eq => x == y,
                _ => x != y,
            });
        }
        self.intern(Node::Binary(op, a, b), Ty::Bool)
    }

    fn logic(&mut self, op: BinaryOp, a: E, b: E) -> E {
        match (op, self.node(a), self.node(b)) {
            (BinaryOp::And, Node::Bool(true), _) | (BinaryOp::Or, Node::Bool(false), _) => b,
            (BinaryOp::And, _, Node::Bool(true)) | (BinaryOp::Or, _, Node::Bool(false)) => a,
            (BinaryOp::And, Node::Bool(false), _) | (BinaryOp::Or, Node::Bool(true), _) => a,
            (BinaryOp::And, _, Node::Bool(false)) | (BinaryOp::Or, _, Node::Bool(true)) => b,
            _ if a == b => a,
            _ => self.intern(Node::Binary(op, a, b), Ty::Bool),
        }
    }

    fn value_op(&mut self, op: BinaryOp, a: E, b: E) -> E {
        let ty = self.ty(a);
        let zero = self.constant(ty, 0.0);
        let one = self.constant(ty, 1.0);
        match op {
            // x + 0.0 changes only the sign of -0.0, x * 1 nothing.
            BinaryOp::Mul if a == one => b,
            BinaryOp::Mul | BinaryOp::Div if b == one => a,
            BinaryOp::Add if a == zero => b,
            BinaryOp::Add | BinaryOp::Sub if b == zero => a,
            _ => self.intern(Node::Binary(op, a, b), ty),
        }
    }

    fn index_op(&mut self, op: BinaryOp, a: E, b: E) -> E {
        use BinaryOp::*;
        let constant = |e: E| match self.node(e) {
            Node::Index(value) => Some(*value),
            _ => None,
        };
        match (op, constant(a), constant(b)) {
            (Add, Some(x), Some(y)) => return self.index(x + y),
            (Sub, Some(x), Some(y)) => return self.index(x - y),
            (Mul, Some(x), Some(y)) => return self.index(x * y),
            (Div, Some(x), Some(y)) if y > 0 && x >= 0 => return self.index(x / y),
            (Rem, Some(x), Some(y)) if y > 0 && x >= 0 => return self.index(x % y),
            (Min, Some(x), Some(y)) => return self.index(x.min(y)),
            (Max, Some(x), Some(y)) => return self.index(x.max(y)),
            (Add, Some(0), _) | (Mul, Some(1), _) => return b,
            (Add | Sub, _, Some(0)) | (Mul | Div, _, Some(1)) => return a,
            (Mul, Some(0), _) | (Div | Rem, Some(0), _) => return self.index(0),
            (Mul, _, Some(0)) | (Rem, _, Some(1)) => return self.index(0),
            (Sub, _, _) if a == b => return self.index(0),
            // `x / c * c + x % c` is `x`.
            (Add, None, None) => {
                if let Node::Binary(Mul, quotient, c) = *self.node(a)
                    && let (Node::Binary(Div, x, by), &Node::Binary(Rem, of, rest_by)) =
                        (self.node(quotient).clone(), self.node(b))
                    && [of, by, rest_by] == [x, c, c]
                {
                    return x;
                }
            }
            (Div | Rem, _, Some(c)) => {
                if let Some(simpler) = self.divide_by_constant(op, a, c) {
                    return simpler;
                }
            }
            (Div | Rem, _, None) => {
                // `(x * b + y) / b` is `x` and `(x * b + y) % b` is `y` where `y` runs over an axis of extent `b`.
                if let Node::Binary(Add, product, y) = *self.node(a)
                    && let Node::Binary(Mul, x, factor) = *self.node(product)
                    && let Node::Axis(axis) = *self.node(y)
                    && factor == b
                    && self.axis(axis).extent == b
                {
                    return if op == Div { x } else { y };
                }
            }
            _ => {}
        }
        self.intern(Node::Binary(op, a, b), Ty::Index)
    }

    /// `(x * c + y) / c` is `x` and `(x * c + y) % c` is `y` where `y` is known to be below `c`.
    fn divide_by_constant(&mut self, op: BinaryOp, a: E, c: i64) -> Option<E> {
        if self.upper_bound(a).is_some_and(|bound| bound < c) {
            return Some(if op == BinaryOp::Div { self.index(0) } else { a });
        }
        let Node::Binary(outer, x, y) = *self.node(a) else { return None };
        match outer {
            BinaryOp::Mul => {
                let (Node::Index(k), other) = (self.node(y).clone(), x) else { return None };
                if k % c != 0 {
                    return None;
                }
                let quotient = self.index(k / c);
                Some(if op == BinaryOp::Div { self.mul(other, quotient) } else { self.index(0) })
            }
            BinaryOp::Add => {
                let multiple = |p: &Program, e: E| match p.node(e) {
                    Node::Binary(BinaryOp::Mul, _, k) => matches!(p.node(*k), Node::Index(k) if k % c == 0),
                    Node::Index(k) => k % c == 0,
                    _ => false,
                };
                if !multiple(self, x) {
                    return self.divide_multiple(op, x, y, c);
                }
                let divisor = self.index(c);
                let rest = self.binary(op, y, divisor);
                if op == BinaryOp::Rem {
                    return Some(rest);
                }
                let quotient = self.binary(BinaryOp::Div, x, divisor);
                Some(self.add(quotient, rest))
            }
            _ => None,
        }
    }

    /// `(x * k + y) / c` is `x / (c / k)`, and `(x * k + y) % c` is `x % (c / k) * k + y`, where `y` is below `k` and `c` a multiple of
    /// that: all of such a run are divided alike.
    fn divide_multiple(&mut self, op: BinaryOp, product: E, y: E, c: i64) -> Option<E> {
        let Node::Binary(BinaryOp::Mul, x, run) = *self.node(product) else { return None };
        let Node::Index(k) = *self.node(run) else { return None };
        if k <= 0 || c % k != 0 || self.upper_bound(y).is_none_or(|bound| bound >= k) {
            return None;
        }
        let runs = self.index(c / k);
        if op == BinaryOp::Div {
            return Some(self.div(x, runs));
        }
        let within = self.rem(x, runs);
        let first = self.mul(within, run);
        Some(self.add(first, y))
    }

    /// The largest value an index can take, where the structure alone says so.
    pub fn upper_bound(&self, e: E) -> Option<i64> {
        match *self.node(e) {
            Node::Index(value) => Some(value),
            Node::Axis(axis) => self.upper_bound(self.axis(axis).extent).map(|extent| extent - 1),
            Node::Binary(BinaryOp::Add, a, b) => Some(self.upper_bound(a)? + self.upper_bound(b)?),
            Node::Binary(BinaryOp::Mul, a, b) => Some(self.upper_bound(a)? * self.upper_bound(b)?),
            Node::Binary(BinaryOp::Rem, _, b) => self.upper_bound(b).map(|divisor| divisor - 1),
            _ => None,
        }
    }

    /// `if cond { a } else { b }`.
    pub fn select(&mut self, cond: E, a: E, b: E) -> E {
        debug_assert_eq!(self.ty(a), self.ty(b), "select of two types");
        match self.node(cond) {
            Node::Bool(true) => a,
            Node::Bool(false) => b,
            _ if a == b => a,
            _ => {
                let ty = self.ty(a);
                self.intern(Node::Select(cond, a, b), ty)
            }
        }
    }

    /// Conversion to another value type.
    pub fn convert(&mut self, ty: Ty, x: E) -> E {
        if self.ty(x) == ty {
            return x;
        }
        match (*self.node(x)).clone() {
            Node::S32(v) => self.constant(ty, f64::from(v)),
            Node::F32(bits) if ty == Ty::F64 => self.constant(ty, f64::from(f32::from_bits(bits))),
            Node::Index(v) if ty != Ty::Bool => self.constant(ty, v as f64),
            _ => self.intern(Node::Convert(ty, x), ty),
        }
    }

    /// A reduction over axes; without axes, the body itself.
    pub fn reduce(&mut self, op: ReduceOp, axes: Vec<AxisId>, body: E) -> E {
        if axes.is_empty() {
            return body;
        }
        let ty = self.ty(body);
        self.intern(Node::Reduce { op, axes, body }, ty)
    }

    /// 32 random bits: a word of Philox4x32-10.
    pub fn philox(&mut self, counter: [E; 4], key: [E; 2], lane: E) -> E {
        self.intern(Node::Philox { counter, key, lane }, Ty::S32)
    }

    /// The sum of two values.
    pub fn add(&mut self, a: E, b: E) -> E {
        self.binary(BinaryOp::Add, a, b)
    }

    /// The difference of two values.
    pub fn sub(&mut self, a: E, b: E) -> E {
        self.binary(BinaryOp::Sub, a, b)
    }

    /// The product of two values.
    pub fn mul(&mut self, a: E, b: E) -> E {
        self.binary(BinaryOp::Mul, a, b)
    }

    /// The quotient of two values.
    pub fn div(&mut self, a: E, b: E) -> E {
        self.binary(BinaryOp::Div, a, b)
    }

    /// The remainder of two indices.
    pub fn rem(&mut self, a: E, b: E) -> E {
        self.binary(BinaryOp::Rem, a, b)
    }

    /// `a < b`.
    pub fn lt(&mut self, a: E, b: E) -> E {
        self.binary(BinaryOp::Lt, a, b)
    }

    /// `a <= b`.
    pub fn le(&mut self, a: E, b: E) -> E {
        self.binary(BinaryOp::Le, a, b)
    }

    /// Both conditions.
    pub fn and(&mut self, a: E, b: E) -> E {
        self.binary(BinaryOp::And, a, b)
    }

    /// The smaller of two values.
    pub fn min(&mut self, a: E, b: E) -> E {
        self.binary(BinaryOp::Min, a, b)
    }

    /// The larger of two values.
    pub fn max(&mut self, a: E, b: E) -> E {
        self.binary(BinaryOp::Max, a, b)
    }

    /// Both conditions, where either may be missing.
    pub fn and_maybe(&mut self, a: Option<E>, b: Option<E>) -> Option<E> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.and(a, b)),
            (a, b) => a.or(b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_are_divided_alike_are_divided_once() {
        let mut p = Program::new();
        let (lanes, group, count) = (p.index(16), p.index(32), p.param(10));
        let (lane, chunk) = (p.add_axis("lane", lanes), p.add_axis("chunk", count));
        let (at_lane, at_chunk) = (p.at(lane), p.at(chunk));
        let first = p.mul(at_chunk, lanes);
        let position = p.add(first, at_lane);
        let (of_group, within) = (p.div(position, group), p.rem(position, group));
        assert!(!p.depends_on(of_group, lane));
        assert_eq!(p.constant_step(within, lane), Some(1));
        for (chunk_at, lane_at) in [(0, 15), (1, 0), (3, 7), (9, 15)] {
            let at = |axis| Some(if axis == lane { lane_at } else { chunk_at });
            assert_eq!(p.evaluate(of_group, &at), Some((chunk_at * 16 + lane_at) / 32));
            assert_eq!(p.evaluate(within, &at), Some((chunk_at * 16 + lane_at) % 32));
        }
        let uneven = p.index(24);
        let of_uneven = p.div(position, uneven);
        assert!(p.depends_on(of_uneven, lane), "a group of 24 ends inside a run of 16");
    }
}
