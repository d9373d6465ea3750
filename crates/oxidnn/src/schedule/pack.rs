//! Copies a factor of a contraction into panels before the contraction reads it.
//!
//! Panels hold what a tile reads in the order it reads it, padded to whole vectors. It pays where each element is read
//! often: many rows. The copy is an ordinary stage, and the factor's whole expression goes into it, so a transposed or
//! quantized factor arrives transposed back and converted.

use std::collections::HashMap;

use super::contract::{Along, Contraction, Dot, SAME_PLACE, Spread, conditions, contiguous};
use super::room::has_room;
use super::widen::loads_halves;
use super::{ceil, read};
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::DeviceProfile;

/// Rows from which on a copy pays.
const WORTH_ROWS: i64 = 24;
/// Rows from which on a copy pays where the factor is not contiguous along the columns.
const WORTH_ROWS_STRIDED: i64 = 4;
/// Columns from which on it pays to copy rows, and to transpose a matrix of them.
const WORTH_COLUMNS: i64 = 32;
const WORTH_COLUMNS_TURNED: i64 = 12;
/// The same, and steps of the reduction, where rows are not multiplied in groups.
const WORTH_COLUMNS_ALONE: i64 = 64;
const WORTH_STEPS: i64 = 16;
/// Elements of a factor that stay in the cache wherever they lie, so that their order does not matter.
const SMALL_MATRIX: i64 = 1 << 15;
/// How many times larger than the factor panels may be: padding to whole panels is no reason to go without, the
/// overlapping windows of a convolution are.
const MOST_COPIES: i64 = 2;
/// The same of what is computed, such as the parts of each number.
const MOST_COMPUTED: i64 = 4;

/// Inserts a packing stage in front of every contraction that gains by it.
pub(super) fn pack(program: &mut Program, profile: &DeviceProfile) {
    let mut index = 0;
    while index < program.stages.len() {
        for copied in [flatten, line_up, stand_together, pack_stage] {
            index += insert_copy(program, index, |program, stage| copied(program, stage, profile));
        }
        index += 1;
    }
}

/// Inserts copies of rows that are lined up: they decide how columns should lie, those of `open` arguments.
pub(super) fn line_up_rows(program: &mut Program, profile: &DeviceProfile, open: &[i32]) {
    let mut index = 0;
    while index < program.stages.len() {
        index += 1 + insert_copy(program, index, |program, stage| {
            let c = Contraction::with_open(program, stage, profile, open)?;
            line_up_rows_of(program, stage, &c, profile)
        });
    }
}

/// Makes a copy of what a stage reads and has it read that, if it should. Says how many stages are inserted.
fn insert_copy(
    program: &mut Program,
    index: usize,
    copied: impl Fn(&mut Program, &Stage) -> Option<(Stage, Stage)>,
) -> usize {
    let stage = program.stages[index].clone();
    let Some((copy, packed)) = copied(program, &stage) else { return 0 };
    program.stages[index] = packed;
    insert_before(program, index, copy);
    1
}

/// Inserts a copy in front of the stage that reads it; what stays the same in all runs of a repeated one is copied once.
pub(super) fn insert_before(program: &mut Program, index: usize, mut copy: Stage) {
    let mut before = index;
    copy.repeat = program.stages[index].repeat;
    if let Some(repeat) = copy.repeat
        && program.is_invariant(&copy, repeat)
    {
        copy.repeat = None;
        while before > 0 && program.stages[before - 1].repeat == Some(repeat) {
            before -= 1;
        }
    }
    program.stages.insert(before, copy);
}

/// Whether a copy of so many floats stays in the cache until it is read, and leaves room for one of others.
fn stays_close(program: &Program, profile: &DeviceProfile, elements: i64, others: i64) -> bool {
    DataType::F32.bytes(elements as usize) <= profile.cache_bytes / 4
        && has_room(program, DataType::F32, elements.saturating_add(others))
}

fn line_up(program: &mut Program, stage: &Stage, profile: &DeviceProfile) -> Option<(Stage, Stage)> {
    let c = Contraction::of(program, stage, profile)?;
    line_up_rows_of(program, stage, &c, profile)
}

/// Copies the rows of a contraction so that steps of the reduction are neighbours, where nothing but that keeps them from being
/// multiplied in groups, or where tiles are so small that waiting for each step's line of memory takes longer than its products, or
/// where all steps have the same few places in a cache: transposed factors, and gradients by weights.
fn line_up_rows_of(
    program: &mut Program,
    stage: &Stage,
    c: &Contraction,
    profile: &DeviceProfile,
) -> Option<(Stage, Stage)> {
    let Node::Load { tensor, offset, .. } = *program.node(c.broadcast) else { return None };
    let (&rows, others) = c.row_axes.split_last()?;
    let grouped = Dot::if_lined_up(program, c, profile).is_some();
    let innermost = *c.reduced.last()?;
    let distance = program.step(offset, innermost).map(|step| step * DataType::F32.bytes(1) as i64);
    let in_the_way = others.is_empty() && distance.is_some_and(|distance| distance % SAME_PLACE == 0);
    let waits = (profile.vector_registers() < 32 || in_the_way)
        && program.tensor(tensor).data_type == DataType::F32
        && !c.is_lanewise(program)
        && program.constant_step(offset, rows) == Some(1)
        && program.constant_step(offset, innermost) != Some(1)
        && program.extent(innermost)? >= WORTH_STEPS
        && program.extent(c.columns)? >= WORTH_COLUMNS_ALONE;
    let is_matrix = c.reduced.len() == 1 && others.is_empty() && conditions(program, c.broadcast).is_empty();
    let worth = if is_matrix { WORTH_COLUMNS_TURNED } else { WORTH_COLUMNS };
    if !(grouped || waits) || c.dot.is_some() || program.extent(c.columns)? < worth || !c.more.is_empty() {
        return None;
    }
    let batch: Vec<AxisId> =
        c.batch.iter().chain(others).copied().filter(|&axis| program.depends_on(c.broadcast, axis)).collect();
    let copy = PanelCopy {
        name: "line_up",
        factor: c.broadcast,
        batch: &batch,
        columns: rows,
        reduced: &c.reduced,
        width: 1,
        group: 1,
    };
    let elements = copy.elements(program)?;
    if elements > MOST_COPIES * read_elements(program, c.broadcast)
        || (!grouped && !stays_close(program, profile, elements, read_elements(program, c.vector)))
    {
        return None;
    }
    let (copy, lined_up) = copy.build(program, program.tensor(tensor).data_type)?;
    let mut packed = stage.clone();
    program.replace_in(&mut packed, c.broadcast, lined_up);
    Some((copy, packed))
}

/// Copies rows that stand together at each step of the reduction where a tile has all of them.
fn stand_together(program: &mut Program, stage: &Stage, profile: &DeviceProfile) -> Option<(Stage, Stage)> {
    let c = Contraction::of(program, stage, profile)?;
    if !c.wants_rows_together(program, profile) {
        return None;
    }
    let (rows, width) = (*c.row_axes.last()?, c.row_count(program)?);
    let batch: Vec<AxisId> = c.batch.iter().copied().filter(|&axis| program.depends_on(c.broadcast, axis)).collect();
    let (name, factor, reduced) = ("stand_together", c.broadcast, &c.reduced[..]);
    let copy = PanelCopy { name, factor, batch: &batch, columns: rows, reduced, width, group: 1 };
    let (copy, together) = copy.build(program, DataType::F32)?;
    let mut packed = stage.clone();
    program.replace_in(&mut packed, c.broadcast, together);
    Some((copy, packed))
}

/// Copies the factor of a form of its own that should lie flat; bytes as floats if there is room for these.
fn flatten(program: &mut Program, stage: &Stage, profile: &DeviceProfile) -> Option<(Stage, Stage)> {
    let (factor, axes) = match Spread::of(program, stage, profile) {
        Some(spread @ Spread { flat: false, bytes: Some(bytes), .. }) => {
            let (copy, flat) = bytes.copy(program, &spread)?;
            let mut packed = stage.clone();
            program.replace_in(&mut packed, spread.vector, flat);
            return Some((copy, packed));
        }
        Some(spread) if !spread.flat => (spread.vector, spread.flat_axes(program)),
        Some(_) => return None,
        None => {
            let along = Along::of(program, stage, profile).filter(|along| !along.flat)?;
            (along.columns, along.flat_axes(program))
        }
    };
    let Node::Load { tensor, ty, .. } = *program.node(factor) else { return None };
    let elements = program.points(&axes)?;
    let widens = ty == Ty::S32 && has_room(program, DataType::F32, elements);
    let data_type = if widens { DataType::F32 } else { program.tensor(tensor).data_type };
    let (tensor, start) = program.add_scratch("flat", data_type, elements.max(1) as usize);
    let own: Vec<AxisId> = axes
        .iter()
        .map(|&axis| {
            let Axis { name, extent } = program.axis(axis).clone();
            program.add_axis(name, extent)
        })
        .collect();
    let at: HashMap<AxisId, E> = axes.iter().zip(&own).map(|(&axis, &own)| (axis, program.at(own))).collect();
    let value = program.substitute(factor, &at);
    let zero = program.index(0);
    let [to, from] = [&own, &axes].map(|axes| {
        let linear = program.row_major(zero, axes);
        program.add(start, linear)
    });
    let copy = Stage {
        name: "flatten",
        axes: own,
        bounds: None,
        stores: vec![Store { tensor, offset: to, value }],
        repeat: None,
    };
    let mut packed = stage.clone();
    let flat = program.load(tensor, from, ty);
    program.replace_in(&mut packed, factor, flat);
    Some((copy, packed))
}

/// How the columns of a contraction are copied.
pub(super) struct Copied {
    pub width: i64,
    pub batch: Vec<AxisId>,
    /// What is summed over, as far as columns depend on it.
    pub reduced: Vec<AxisId>,
    pub data_type: DataType,
}

impl Copied {
    /// How, if that pays.
    pub fn of(program: &Program, c: &Contraction, profile: &DeviceProfile) -> Option<Copied> {
        let width = c.width(&c.tile(program, profile)?);
        let flat = contiguous(program, c.vector, c.columns, c.lanes);
        let worth = if flat && c.dot.is_none() { WORTH_ROWS } else { WORTH_ROWS_STRIDED };
        if c.row_count(program)? < worth || !c.more.is_empty() || c.is_packed(program, width) {
            return None;
        }
        let batch: Vec<AxisId> = c.batch.iter().copied().filter(|&axis| program.depends_on(c.vector, axis)).collect();
        let reduced: Vec<AxisId> =
            c.reduced.iter().copied().filter(|&axis| program.depends_on(c.vector, axis)).collect();
        let matrix = program.points(&reduced)?.checked_mul(program.extent(c.columns)?)?;
        // Panels have whole vectors, where else the last columns are computed one by one.
        let whole = program.extent(c.columns)? % c.lanes == 0;
        let elements = c.copy(&batch, &reduced, width).elements(program)?;
        let is_read = matches!(program.node(c.vector), Node::Load { .. });
        let most = if is_read { MOST_COPIES } else { MOST_COMPUTED };
        if (flat && whole && c.dot.is_none() && matrix <= SMALL_MATRIX)
            || elements > most * read_elements(program, c.vector)
        {
            return None;
        }
        Some(Copied { width, batch, reduced, data_type: c.copied_as(program, profile, elements) })
    }
}

impl Contraction {
    /// The copy of its columns in panels.
    fn copy<'a>(&'a self, batch: &'a [AxisId], reduced: &'a [AxisId], width: i64) -> PanelCopy<'a> {
        PanelCopy {
            name: "pack",
            factor: self.vector,
            batch,
            columns: self.columns,
            reduced,
            width,
            group: self.dot.map_or(1, Dot::group),
        }
    }

    /// The type that so many elements of its columns are copied in.
    fn copied_as(&self, program: &Program, profile: &DeviceProfile, elements: i64) -> DataType {
        match (program.node(self.vector), program.ty(self.vector)) {
            _ if self.converts(program) => DataType::Bf16,
            // What is multiplied in groups stays as short as it is, and so do integers and what is converted as it is loaded; other
            // floats are converted here rather than for each tile.
            (Node::Load { tensor, .. }, _) if self.dot.is_some() || loads_halves(program, self.vector, profile) => {
                program.tensor(*tensor).data_type
            }
            (Node::Load { tensor, .. }, Ty::F32) => {
                let own = program.tensor(*tensor).data_type;
                // Floats of a byte are halves too. The longer they are the less there is to convert for each tile.
                let longer: &[DataType] = match own {
                    DataType::F16 => &[DataType::F32],
                    DataType::F8E5m2 | DataType::F8E4m3 => &[DataType::F32, DataType::Bf16],
                    _ => &[],
                };
                match longer.iter().find(|&&to| has_room(program, to, elements)) {
                    Some(&to) => to,
                    None if longer.is_empty() => DataType::F32,
                    None => own,
                }
            }
            (Node::Load { tensor, ty: Ty::S32, .. }, _) if !program.tensor(*tensor).data_type.is_sub_byte() => {
                program.tensor(*tensor).data_type
            }
            (_, ty) => ty.storage(),
        }
    }
}

fn pack_stage(program: &mut Program, stage: &Stage, profile: &DeviceProfile) -> Option<(Stage, Stage)> {
    let c = Contraction::of(program, stage, profile)?;
    let Copied { width, batch, reduced, data_type } = Copied::of(program, &c, profile)?;
    let copy = c.copy(&batch, &reduced, width);
    // What lies in the scratchpad is there for the sake of speed already.
    let is_scratch = |tensor: &TensorId| matches!(program.tensor(*tensor).binding, Binding::Scratch { .. });
    if read(program, c.vector).iter().any(is_scratch) && !has_room(program, data_type, copy.elements(program)?) {
        return None;
    }
    let (copy, from_panels) = copy.build(program, data_type)?;
    let mut packed = stage.clone();
    program.replace_in(&mut packed, c.vector, from_panels);
    Some((copy, packed))
}

/// A copy of a factor: the panels of a batch, each with all of the reduction, each step of that a row of columns.
pub(super) struct PanelCopy<'a> {
    /// The stage's name.
    pub name: &'static str,
    /// What is copied.
    pub factor: E,
    /// Panels there are for each point of these.
    pub batch: &'a [AxisId],
    /// What is cut in panels.
    pub columns: AxisId,
    /// The steps in a panel, the innermost last.
    pub reduced: &'a [AxisId],
    /// Columns of a panel.
    pub width: i64,
    /// Neighbours along the innermost step that lie together; mostly one element.
    pub group: i64,
}

impl PanelCopy<'_> {
    /// How many elements the panels have.
    pub fn elements(&self, program: &Program) -> Option<i64> {
        let panels = ceil(program.extent(self.columns)?, self.width);
        program.points(self.batch.iter().chain(self.reduced))?.checked_mul(panels * self.width)
    }

    /// The stage that copies, and the factor as it is read from the panels.
    pub fn build(&self, program: &mut Program, data_type: DataType) -> Option<(Stage, E)> {
        let &PanelCopy { name, factor, batch, columns, reduced, width, group } = self;
        let (elements, extent, &innermost) = (self.elements(program)?, program.extent(columns)?, reduced.last()?);
        let (tensor, start) = program.add_scratch("panels", data_type, elements.max(1) as usize);
        program.tensors[tensor.index()].elements = Some(i64::MAX);

        // Where an element of a panel lies: the position along each axis, the step and the place in the group for the innermost one.
        let panels = program.param(ceil(extent, width));
        let (width, group) = (program.index(width), program.index(group));
        let offset = |program: &mut Program, panel: E, column: E, at: &HashMap<AxisId, E>, [step, member]: [E; 2]| {
            let mut linear = program.index(0);
            for axis in batch {
                linear = program.mul(linear, program.axis(*axis).extent);
                linear = program.add(linear, at[axis]);
            }
            linear = program.mul(linear, panels);
            linear = program.add(linear, panel);
            for axis in &reduced[..reduced.len() - 1] {
                linear = program.mul(linear, program.axis(*axis).extent);
                linear = program.add(linear, at[axis]);
            }
            let steps = program.div(program.axis(innermost).extent, group);
            linear = program.mul(linear, steps);
            linear = program.add(linear, step);
            let row = program.mul(linear, width);
            let row = program.add(row, column);
            let groups = program.mul(row, group);
            let groups = program.add(start, groups);
            program.add(groups, member)
        };

        // The copy has axes of its own, in the order of the panels.
        let mut axes = Vec::new();
        let own = |program: &mut Program, axes: &mut Vec<AxisId>, name: &'static str, extent: E| {
            if matches!(program.node(extent), Node::Index(1)) {
                return program.index(0);
            }
            axes.push(program.add_axis(name, extent));
            program.at(axes[axes.len() - 1])
        };
        let mut at = HashMap::new();
        for &axis in batch {
            let Axis { name, extent } = program.axis(axis).clone();
            at.insert(axis, own(program, &mut axes, name, extent));
        }
        let panel = own(program, &mut axes, "panel", panels);
        for &axis in &reduced[..reduced.len() - 1] {
            let Axis { name, extent } = program.axis(axis).clone();
            at.insert(axis, own(program, &mut axes, name, extent));
        }
        let Axis { name: steps, extent: all } = program.axis(innermost).clone();
        let all = program.div(all, group);
        let step = own(program, &mut axes, steps, all);
        let within = own(program, &mut axes, "column", width);
        let member = own(program, &mut axes, "member", group);
        let first = program.mul(step, group);
        at.insert(innermost, program.add(first, member));
        let first = program.mul(panel, width);
        let column = program.add(first, within);
        at.insert(columns, column);
        let value = program.substitute(factor, &at);
        let target = offset(program, panel, within, &at, [step, member]);
        let limit = program.axis(columns).extent;
        let bounds = if extent % self.width == 0 { None } else { Some(program.lt(column, limit)) };
        let stores = vec![Store { tensor, offset: target, value }];
        let copy = Stage { name, axes, bounds, stores, repeat: None };

        let at: HashMap<AxisId, E> =
            batch.iter().chain(reduced).chain([&columns]).map(|&axis| (axis, program.at(axis))).collect();
        let (panel, within) = (program.div(at[&columns], width), program.rem(at[&columns], width));
        let place = [program.div(at[&innermost], group), program.rem(at[&innermost], group)];
        let source = offset(program, panel, within, &at, place);
        let ty = program.ty(factor);
        Some((copy, program.load(tensor, source, ty)))
    }
}

/// How many elements the tensors that a factor reads have, as far as that is known.
pub(super) fn read_elements(program: &Program, factor: E) -> i64 {
    let elements = |tensor: TensorId| match program.tensor(tensor).binding {
        Binding::Scratch { elements, .. } => Some(elements as i64),
        _ => program.tensor(tensor).elements,
    };
    read(program, factor).into_iter().filter_map(elements).fold(0, i64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{Attr, Matmul, MemoryDesc, Op};
    use crate::runtime::DeviceType;

    /// The stages of a product whose source, of so many rows, is stored column by column.
    fn stages(rows: i64, data_type: DataType, dot_bf16: bool) -> Vec<&'static str> {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, dot_bf16, ..host };
        let src = MemoryDesc::with_strides(&[rows, 128], data_type, Some(&[1, rows])).unwrap();
        let weights = MemoryDesc::with_strides(&[128, 96], data_type, None).unwrap();
        let dst = MemoryDesc::with_strides(&[rows, 96], DataType::F32, None).unwrap();
        let op = Op::from(Matmul::new(&src, &weights, None, &dst).unwrap());
        let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
        super::super::prepare(&mut program, &profile);
        program.stages.iter().map(|stage| stage.name).collect()
    }

    #[test]
    fn rows_are_lined_up_for_products_of_groups_and_where_steps_share_a_place_in_the_cache() {
        assert_eq!(stages(256, DataType::Bf16, true), ["line_up", "pack", "matmul"]);
        assert!(!stages(256, DataType::Bf16, false).contains(&"line_up"));
        assert!(!stages(256, DataType::F32, true).contains(&"line_up"));
        assert!(stages(1024, DataType::F32, true).contains(&"line_up"));
        assert!(!stages(1040, DataType::F32, true).contains(&"line_up"));
    }
}
