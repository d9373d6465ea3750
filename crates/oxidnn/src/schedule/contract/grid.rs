//! Contractions on GPU-type devices: what there is to share out among work-items, and in which form.
//!
//! There are two: [`squares`], through local memory, for factors of any layout, and [`bundles`], by sub-groups, where these read
//! neighbours. No table of devices: forms are priced by what they waste at the edges, by what they load for each
//! multiplication, and by how many work-items they leave for each compute unit.

use super::bundles::Bundle;
use super::squares::Square;
use super::{Product, products};
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;
use crate::runtime::{DeviceProfile, DeviceType};
use crate::schedule::map::bind_linear;
use crate::schedule::{Scheduled, ceil};

/// Rows, columns and steps below which a work-item for each element does as well.
const WORTH: i64 = 8;
/// Work-items that a compute unit has lanes for; fewer leave some of them idle.
const LANES: i64 = 128;
/// How much cheaper the usual sizes are taken to be than they are: few sizes mean few kernels to build.
const USUAL_PREFERENCE: f64 = 0.7;

/// One side of the product: a factor and the axes that only it has.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// What variables of the kernel that belong to it start with.
    pub name: &'static str,
    pub factor: E,
    pub axes: Vec<AxisId>,
    /// How many points the axes have.
    pub count: i64,
    /// Whether neighbours along the reduction are neighbours in memory, rather than neighbours along its own axes.
    pub along_reduction: bool,
}

/// A stage as a product of rows by columns.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub sum: E,
    pub reduced: Vec<AxisId>,
    pub rows: Side,
    pub columns: Side,
    /// The axes of both sides, and how many points they have.
    pub batch: Vec<AxisId>,
    pub batch_count: i64,
}

/// A form that a product can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Square(Square),
    Bundle(Bundle),
}

/// Takes a stage that is a contraction, on a device with local memory or sub-groups.
pub(super) fn schedule(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Scheduled> {
    if profile.device_type == DeviceType::Cpu {
        return None;
    }
    let grid = Grid::of(program, stage)?;
    let forms = grid.forms(program, profile);
    Some(match forms.get(profile.rank).or(forms.last())? {
        Form::Square(square) => square.emit(program, stage, &grid),
        Form::Bundle(bundle) => bundle.emit(program, stage, &grid),
    })
}

/// Whether a stage is a contraction that work-groups share out among them.
pub(in crate::schedule) fn is_shared_out(program: &Program, stage: &Stage, profile: &DeviceProfile) -> bool {
    let has_forms = |grid: Grid| !grid.forms(program, profile).is_empty();
    profile.device_type != DeviceType::Cpu && Grid::of(program, stage).is_some_and(has_forms)
}

impl Grid {
    fn of(program: &Program, stage: &Stage) -> Option<Grid> {
        let (sums, reduced) = products(program, stage)?;
        let [Product { sum, factors: [a, b] }] = sums[..] else { return None };
        let side = |factor: E, other: E| {
            let axes: Vec<AxisId> = stage
                .axes
                .iter()
                .copied()
                .filter(|&axis| program.depends_on(factor, axis) && !program.depends_on(other, axis))
                .collect();
            let along_reduction = reduced.last().is_some_and(|&last| steps_by_one(program, factor, last));
            Some(Side { name: "", factor, count: program.points(&axes)?, axes, along_reduction })
        };
        let (mut rows, mut columns) = (side(a, b)?, side(b, a)?);
        // Neighbouring work-items store neighbouring columns.
        let stored =
            |side: &Side| side.axes.iter().any(|&axis| program.constant_step(stage.stores[0].offset, axis) == Some(1));
        if stored(&rows) && !stored(&columns) {
            std::mem::swap(&mut rows, &mut columns);
        }
        (rows.name, columns.name) = ("rows", "columns");
        let is_side = |axis: &AxisId| rows.axes.contains(axis) || columns.axes.contains(axis);
        let batch: Vec<AxisId> = stage.axes.iter().copied().filter(|axis| !is_side(axis)).collect();
        let batch_count = program.points(&batch)?;
        let worth = [rows.count, columns.count, program.points(&reduced)?].into_iter().all(|extent| extent >= WORTH);
        worth.then_some(Grid { sum, reduced, rows, columns, batch, batch_count })
    }

    /// The forms that the device has room for, the cheapest first.
    fn forms(&self, program: &Program, profile: &DeviceProfile) -> Vec<Form> {
        let bytes = if program.ty(self.sum) == Ty::F64 { 8 } else { 4 };
        let squares = Square::all(profile, bytes).map(|square| (self.price(&square.share(), profile), square));
        let mut forms: Vec<(f64, Form)> = squares.map(|(price, square)| (price, Form::Square(square))).collect();
        if let Some(bundle) = Bundle::of(program, self, profile) {
            forms.push((self.price(&bundle.share(), profile), Form::Bundle(bundle)));
        }
        forms.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        forms.into_iter().map(|(_, form)| form).collect()
    }

    /// The time of a step of the reduction, in multiplications of a work-item.
    fn price(&self, share: &Share, profile: &DeviceProfile) -> f64 {
        let shares = ceil(self.rows.count, share.rows) * ceil(self.columns.count, share.columns) * self.batch_count;
        let turns = ceil(shares, profile.compute_units.max(1) as i64) * share.items;
        let preference = if share.usual { USUAL_PREFERENCE } else { 1.0 };
        share.step * turns.max(LANES) as f64 * preference
    }

    /// Declares how many rows, columns and steps there are.
    pub fn counts(&self, emitter: &mut Emitter<'_>, program: &Program) {
        let index = emitter.index_type();
        for (name, axes) in
            [("rows_count", &self.rows.axes), ("columns_count", &self.columns.axes), ("depth", &self.reduced)]
        {
            let extents: Vec<String> = axes.iter().map(|&axis| emitter.scalar(program.axis(axis).extent)).collect();
            emitter.line(format!("const {index} {name} = {};", extents.join(" * ")));
        }
    }

    /// Declares so many sums of a work-item, all zero.
    pub fn declare_sums(&self, emitter: &mut Emitter<'_>, program: &Program, sums: i64) {
        let scalar = emitter.type_name(program.ty(self.sum), false);
        emitter.line(format!("{scalar} acc[{sums}];"));
        emitter.line(format!("for (int i = 0; i < {sums}; ++i) acc[i] = 0;"));
    }

    /// Stores them; `place` says how far from where rows and columns start the one with the number `i` is.
    pub fn store(&self, emitter: &mut Emitter<'_>, program: &Program, stage: &Stage, sums: i64, place: [&str; 2]) {
        let index = emitter.index_type();
        let [row, column] = place;
        emitter.open(format!("for (int i = 0; i < {sums}; ++i)"));
        emitter.line(format!("const {index} row = rows_start + {row};"));
        emitter.line(format!("const {index} column = columns_start + {column};"));
        emitter.line("if (row >= rows_count || column >= columns_count) continue;");
        bind_linear(emitter, program, &self.rows.axes, "row".into());
        bind_linear(emitter, program, &self.columns.axes, "column".into());
        emitter.define(self.sum, Value { text: "acc[i]".into(), vector: false });
        stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.close();
    }

    /// An element of a side at a position along it and a step of the reduction, which have names; zero beyond its end.
    pub fn element(&self, emitter: &mut Emitter<'_>, program: &Program, side: &Side, at: &str, step: &str) -> String {
        bind_linear(emitter, program, &side.axes, at.into());
        bind_linear(emitter, program, &self.reduced, step.into());
        emitter.value_if(&format!("{at} < {}_count && {step} < depth", side.name), side.factor).text
    }

    /// What adds a product to a sum.
    pub fn term(&self, program: &Program, sum: &str, a: &str, b: &str) -> String {
        if program.ty(self.sum).is_float() { format!("fma({a}, {b}, {sum})") } else { format!("{sum} + {a} * {b}") }
    }
}

/// What work-items that work together do of a product.
#[derive(Debug)]
pub(super) struct Share {
    pub rows: i64,
    pub columns: i64,
    /// How many they are.
    pub items: i64,
    /// What a step of the reduction costs one of them.
    pub step: f64,
    /// Whether most products are shared out like this.
    pub usual: bool,
}

/// Whether every load of a factor that moves along an axis moves by one element.
pub(in crate::schedule) fn steps_by_one(program: &Program, factor: E, axis: AxisId) -> bool {
    let mut all = true;
    program.visit([factor], &mut |e| {
        if let Node::Load { offset, .. } = *program.node(e) {
            all &= !program.depends_on(offset, axis) || program.constant_step(offset, axis) == Some(1);
        }
    });
    all
}
