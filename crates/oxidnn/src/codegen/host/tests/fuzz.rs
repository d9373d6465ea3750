//! Random programs.

use super::case::Case;
use crate::desc::DataType;
use crate::program::*;

/// A generator of programs; the same seed gives the same program.
struct Fuzz<'c> {
    c: &'c Case,
    state: u64,
    sources: Vec<(TensorId, i64)>,
    /// Positions that may be used: of the domain, and of reductions around.
    positions: Vec<Expr<'c>>,
}

impl<'c> Fuzz<'c> {
    fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % limit
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn number(&mut self, limit: usize) -> Expr<'c> {
        let value = self.below(limit) as i64;
        if self.below(2) == 0 { self.c.b.index(value) } else { self.c.b.param(value) }
    }

    /// An index that is not negative.
    fn index(&mut self, depth: usize) -> Expr<'c> {
        if depth == 0 || self.below(4) == 0 {
            let positions = self.positions.clone();
            return if positions.is_empty() || self.below(4) == 0 { self.number(9) } else { self.pick(&positions) };
        }
        match self.below(8) {
            0 | 1 => self.index(depth - 1) + self.index(depth - 1),
            2 => self.index(depth - 1) * self.number(5),
            3 => {
                let divisor = self.pick(&[1, 2, 3, 8]);
                self.index(depth - 1) / divisor
            }
            4 => self.index(depth - 1) % self.c.b.param(7),
            5 => self.index(depth - 1).max(self.index(depth - 1)),
            6 => self.index(depth - 1).min(self.index(depth - 1)),
            _ => {
                let condition = self.condition(depth - 1);
                condition.select(self.index(depth - 1), self.index(depth - 1))
            }
        }
    }

    fn condition(&mut self, depth: usize) -> Expr<'c> {
        let (a, b) = (self.index(depth.min(2)), self.index(depth.min(2)));
        // Differences may be negative, as in guards.
        let a = if self.below(3) == 0 { a - self.number(5) } else { a };
        match self.below(if depth > 0 { 7 } else { 4 }) {
            0 => a.lt(b),
            1 => a.le(b),
            2 => a.equals(b),
            3 => a.differs(b),
            4 | 5 => self.condition(depth - 1) & self.condition(depth - 1),
            _ => !self.condition(depth - 1) | self.condition(depth - 1),
        }
    }

    fn load(&mut self, ty: Ty) -> Expr<'c> {
        let sources = self.sources.clone();
        let (tensor, size) = self.pick(&sources);
        let offset = self.index(3);
        let size = self.c.b.param(size);
        if self.below(2) == 0 {
            return self.c.b.load(tensor, offset % size, ty);
        }
        let shift = self.number(6);
        let offset = offset - shift;
        let mut guard = offset.ge(0) & offset.lt(size);
        if self.below(3) == 0 {
            guard = guard & self.condition(1);
        }
        self.c.b.load_if(guard, tensor, offset, ty)
    }

    fn value(&mut self, depth: usize, ty: Ty) -> Expr<'c> {
        if depth == 0 {
            return if self.below(5) == 0 { self.index(2).to(ty) } else { self.load(ty) };
        }
        match self.below(9) {
            0 | 1 => self.value(depth - 1, ty) + self.value(depth - 1, ty),
            2 => self.value(depth - 1, ty) - self.value(0, ty),
            3 => self.value(0, ty) * self.value(0, ty),
            4 => self.value(depth - 1, ty).max(self.value(depth - 1, ty)),
            5 => {
                let condition = self.condition(2);
                condition.select(self.value(depth - 1, ty), self.value(depth - 1, ty))
            }
            6 => {
                let other = if ty == Ty::F32 { Ty::S32 } else { Ty::F32 };
                self.value(depth - 1, other).to(ty)
            }
            _ => self.reduction(depth, ty),
        }
    }

    fn reduction(&mut self, depth: usize, ty: Ty) -> Expr<'c> {
        let before = self.positions.len();
        let mut axes = Vec::new();
        for _ in 0..1 + self.below(2) {
            let extent = if self.below(3) == 0 { self.index(1) % self.c.b.param(4) } else { self.number(5) };
            let axis = self.c.b.axis("k", extent);
            axes.push(axis);
            self.positions.push(self.c.b.at(axis));
        }
        let body = self.value(depth - 1, ty);
        let op = self.pick(&[ReduceOp::Sum, ReduceOp::Sum, ReduceOp::Min, ReduceOp::Max]);
        self.positions.truncate(before);
        self.c.b.reduce(op, &axes, body)
    }
}

fn program(seed: u64) -> Case {
    let c = Case::new();
    let mut fuzz = Fuzz { c: &c, state: seed, sources: Vec::new(), positions: Vec::new() };
    for data_type in [DataType::F32, DataType::S8, DataType::S4] {
        let size = 20 + fuzz.below(40);
        fuzz.sources.push((c.tensor(data_type, size, |i| (i * 5 % 7) as f64 - 3.0), size as i64));
    }
    // A long axis at some place, so that there is more than one block of lanes.
    let mut extents = vec![fuzz.pick(&[3, 300])];
    for _ in 0..fuzz.below(3) {
        let place = fuzz.below(extents.len() + 1);
        let extent = fuzz.pick(&[1, 2, 4]);
        extents.insert(place, extent);
    }
    let axes: Vec<(AxisId, Expr<'_>)> = extents.iter().map(|&extent| c.axis(extent)).collect();
    fuzz.positions = axes.iter().map(|&(_, at)| at).collect();
    // Dense, in some order of the axes.
    let mut order: Vec<usize> = (0..axes.len()).collect();
    for i in 1..order.len() {
        order.swap(i, fuzz.below(i + 1));
    }
    let (mut stride, mut to) = (1, c.b.index(0));
    for &axis in &order {
        to = to + c.offset(&[(axes[axis].1, stride)]);
        stride *= extents[axis];
    }
    let ty = fuzz.pick(&[Ty::F32, Ty::S32]);
    let data_type = fuzz.pick(&[DataType::F32, DataType::S32, DataType::S8, DataType::U4]);
    let dst = c.output(data_type, stride as usize);
    let value = fuzz.value(3, ty);
    let bounds = (fuzz.below(3) == 0).then(|| fuzz.condition(2));
    c.stage(&axes.iter().map(|&(axis, _)| axis).collect::<Vec<_>>(), bounds, &[(dst, to, value)]);
    c
}

#[test]
fn random_programs_agree_with_the_oracle() {
    for seed in 0..400 {
        let result = std::panic::catch_unwind(|| program(seed).check(1e-5));
        assert!(result.is_ok(), "seed {seed}");
    }
}
