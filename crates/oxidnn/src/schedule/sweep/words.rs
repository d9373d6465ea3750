//! Short elements that share a word where they are stored and are neighbours where they come from: words are turned, not elements.
//!
//! What is only copied is a copy of words. What is computed is computed for vectors of neighbours, each of which makes so many words.

use std::collections::HashMap;

use super::groups::{WORD, store_element};
use crate::codegen::opencl::Emitter;
use crate::desc::DataType;
use crate::program::*;

/// Types that words can have which are only copied.
const WORDS: [(DataType, Ty); 2] = [(DataType::S32, Ty::S32), (DataType::Bf16, Ty::F32)];

/// A stage that copies short elements, of which those that make a word stay together, as one that copies words.
pub(super) fn copied(program: &Program, stage: &Stage) -> Option<(Program, Stage)> {
    WORDS.into_iter().find_map(|(word, ty)| copied_as(program, stage, word, ty))
}

fn copied_as(program: &Program, stage: &Stage, word_type: DataType, ty: Ty) -> Option<(Program, Stage)> {
    let [Store { tensor: to, offset: target, value }] = stage.stores[..] else { return None };
    let Node::Load { tensor: from, offset: source, guard: None, .. } = *program.node(value) else { return None };
    let data_type = program.tensor(from).data_type;
    let group = i64::from(word_type.bits() / data_type.bits());
    if program.tensor(to).data_type != data_type || !(2..=4).contains(&group) {
        return None;
    }
    let together = |&axis: &AxisId| {
        let side_by_side = |offset: E| program.constant_step(offset, axis) == Some(1);
        program.extent(axis) == Some(group) && side_by_side(target) && side_by_side(source)
    };
    let members = stage.axes.iter().copied().find(together)?;
    if stage.bounds.is_some_and(|bounds| program.depends_on(bounds, members)) {
        return None;
    }
    let mut program = program.clone();
    let axes: Vec<AxisId> = stage.axes.iter().copied().filter(|&axis| axis != members).collect();
    let mut word = |tensor: TensorId, offset: E| {
        let Tensor { name, binding, .. } = *program.tensor(tensor);
        let first = program.index(0);
        let offset = program.substitute(offset, &HashMap::from([(members, first)]));
        let offset = divided(&mut program, offset, &axes, group)?;
        Some((program.add_tensor(name, word_type, binding), offset))
    };
    let ((from, source), (tensor, offset)) = (word(from, source)?, word(to, target)?);
    let value = program.load(from, source, ty);
    let stores = vec![Store { tensor, offset, value }];
    Some((program, Stage { axes, stores, ..stage.clone() }))
}

/// An offset in words of so many elements, where it is linear and starts of words are all it takes.
fn divided(program: &mut Program, offset: E, axes: &[AxisId], group: i64) -> Option<E> {
    let (mut rest, mut words) = (offset, program.index(0));
    for &axis in axes {
        let known = program.constant_step(rest, axis);
        let (step, other) = program.linear(rest, axis)?;
        let step = program.value(step).filter(|step| step % group == 0)? / group;
        let step = if known.is_some() { program.index(step) } else { program.param(step) };
        let at = program.at(axis);
        let distance = program.mul(at, step);
        words = program.add(words, distance);
        rest = other;
    }
    program.value(rest).filter(|start| start % group == 0)?;
    let group = program.index(group);
    let start = program.div(rest, group);
    Some(program.add(words, start))
}

/// Words that are computed.
#[derive(Debug)]
pub(super) struct Words {
    /// The elements, one by one.
    pub elements: Stage,
    members: AxisId,
    group: i64,
    /// What is stored with lanes along this axis, that of the elements of all words side by side.
    store: Store,
    along: AxisId,
}

/// A stage that computes short elements, of which those that make a word come from neighbours, as one that stores words.
pub(super) fn computed(program: &Program, stage: &Stage) -> Option<(Program, Stage, Words)> {
    let [Store { tensor, offset: target, value }] = stage.stores[..] else { return None };
    let data_type = program.tensor(tensor).data_type;
    let group = WORD / i64::from(data_type.bits());
    let is_rounded = match data_type {
        DataType::Bf16 => program.ty(value) == Ty::F32,
        DataType::S8 | DataType::U8 => matches!(program.ty(value), Ty::F32 | Ty::S32),
        _ => false,
    };
    if !is_rounded || !program.reductions([value]).is_empty() {
        return None;
    }
    let steps = |offset: E, axis: AxisId, by: i64| program.constant_step(offset, axis) == Some(by);
    let is_member = |&axis: &AxisId| program.extent(axis) == Some(group) && steps(target, axis, 1);
    let members = stage.axes.iter().copied().find(is_member)?;
    let mut moving = Vec::new();
    program.visit([value], &mut |e| {
        if let Node::Load { offset, .. } = *program.node(e)
            && program.depends_on(offset, members)
        {
            moving.push(offset);
        }
    });
    let are_side_by_side =
        |axis: AxisId| moving.iter().all(|&offset| steps(offset, members, 1) && steps(offset, axis, group));
    let columns = stage.axes.iter().copied().find(|&axis| axis != members && are_side_by_side(axis))?;
    let across = stage.axes.iter().copied().find(|&axis| steps(target, axis, group))?;
    let mut program = program.clone();
    let axes: Vec<AxisId> = stage.axes.iter().copied().filter(|&axis| axis != members).collect();
    let first = HashMap::from([(members, program.index(0))]);
    let offset = program.substitute(target, &first);
    let offset = divided(&mut program, offset, &axes, group)?;
    let count = program.param(program.extent(columns)? * group);
    let along = program.add_axis(program.axis(columns).name, count);
    let mut flat = value;
    for offset in moving {
        let (_, rest) = program.linear(offset, columns)?;
        let (_, rest) = program.linear(rest, members)?;
        let at = program.at(along);
        let moved = program.add(rest, at);
        flat = program.replace(flat, offset, moved);
    }
    if [columns, members].iter().any(|&axis| program.depends_on(flat, axis)) || !program.depends_on(flat, along) {
        return None;
    }
    let last = HashMap::from([(members, program.index(group - 1))]);
    let bounds = stage.bounds.map(|bounds| program.substitute(bounds, &last));
    // No memory holds them, but they are turned as if some did.
    let (made, _) = program.add_scratch("words", DataType::S32, 0);
    let (at_column, at_row) = (program.at(columns), program.at(across));
    let row = program.mul(at_row, program.axis(columns).extent);
    let place = program.add(row, at_column);
    let word = program.load(made, place, Ty::S32);
    let Tensor { name, binding, .. } = *program.tensor(tensor);
    let stores = vec![Store { tensor: program.add_tensor(name, DataType::S32, binding), offset, value: word }];
    let words =
        Words { elements: stage.clone(), members, group, store: Store { tensor, offset: target, value: flat }, along };
    Some((program, Stage { axes, stores, bounds, ..stage.clone() }, words))
}

impl Words {
    /// A vector of words from a column on.
    pub fn row(&self, emitter: &mut Emitter<'_>, column: &str, lanes: i64) -> String {
        let Words { group, store, .. } = self;
        emitter.set_lanes(Some((self.along, lanes as usize)));
        let at = |emitter: &mut Emitter<'_>, part: i64| {
            emitter.bind(self.along, format!("({column} * {group} + {})", part * lanes));
        };
        if emitter.is_rounded_to_bf16(store) {
            let [first, second] = [0, 1].map(|part| {
                at(emitter, part);
                emitter.wide_value(store.value)
            });
            return format!("as_int{lanes}({})", emitter.rounded(store.value, [&first, &second]));
        }
        let parts = (0..*group).filter_map(|part| {
            at(emitter, part);
            let elements = emitter.scattered_elements(store)?;
            let words = if lanes > *group { (lanes / group).to_string() } else { String::new() };
            Some(format!("as_int{words}({elements})"))
        });
        let parts: Vec<String> = parts.collect();
        format!("(int{lanes})({})", parts.join(", "))
    }

    /// The elements of one word, one by one.
    pub fn members(&self, emitter: &mut Emitter<'_>) {
        for member in 0..self.group {
            emitter.open("");
            emitter.bind(self.members, member.to_string());
            store_element(emitter, &self.elements);
            emitter.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::text;

    #[test]
    fn neighbours_that_share_a_word_later_are_turned_together() {
        let to = |data_type, tag: &str| {
            MemoryDesc::with_tag(&[256, 192], data_type, FormatTag::from_name(tag).unwrap()).unwrap()
        };
        for (data_type, tag, copies) in [
            (DataType::F32, "BA16a64b2a", false),
            (DataType::F32, "BA16a64b4a", false),
            (DataType::Bf16, "BA16a64b2a", true),
            (DataType::S8, "BA16a64b4a", true),
        ] {
            let stored = if tag.ends_with("2a") { DataType::Bf16 } else { DataType::S8 };
            let text = text(Reorder::new(&to(data_type, "ba"), &to(stored, tag)).unwrap());
            assert!(text.contains("tile"), "{data_type} to {tag}\n{text}");
            assert_eq!(
                text.contains("pack_bf16") || text.contains("to_s8_16"),
                !copies,
                "{data_type} to {tag}\n{text}"
            );
        }
    }
}
