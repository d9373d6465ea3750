//! Which columns the vectors of a panel have.

use std::collections::HashMap;

use super::Contraction;
use crate::program::*;
use crate::schedule::ceil;

/// The columns of each vector of a panel from the first one on.
pub(super) fn from(p: &mut Program, c: &Contraction, first: E, lane: AxisId, count: i64) -> Vec<HashMap<AxisId, E>> {
    let column = |v: i64| {
        let (distance, lane) = (p.index(v * c.lanes), p.at(lane));
        let within = p.add(distance, lane);
        HashMap::from([(c.columns, p.add(first, within))])
    };
    (0..count).map(column).collect()
}

/// The same where no panel, and no vector of one, reaches beyond so many columns.
pub(super) fn overlapping(
    p: &mut Program,
    c: &Contraction,
    first: E,
    lane: AxisId,
    [count, width, columns]: [i64; 3],
) -> Vec<HashMap<AxisId, E>> {
    let last = p.param(columns - width.min(columns));
    let first = p.min(first, last);
    let mut at_column = from(p, c, first, lane, count);
    if columns < width {
        let (last, lane) = (p.param(columns - c.lanes), p.at(lane));
        let column = p.add(last, lane);
        at_column.truncate(ceil(columns, c.lanes) as usize - 1);
        at_column.resize(count as usize, HashMap::from([(c.columns, column)]));
    }
    at_column
}

/// The vectors of all factors at some columns.
pub(super) fn vectors(p: &mut Program, factors: &[E], columns: &[HashMap<AxisId, E>]) -> Vec<E> {
    let all = factors.iter().flat_map(|&factor| columns.iter().map(move |column| (factor, column)));
    all.map(|(factor, column)| p.substitute(factor, column)).collect()
}
