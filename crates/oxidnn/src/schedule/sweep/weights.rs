//! Interpolation as a sum of elements with a weight each.
//!
//! A program weighs neighbours along one dimension, and what comes of that along the next. Where no weight changes along the lanes, products of
//! weights are single numbers, and every element takes one step of a vector.

use crate::program::*;

/// Fewest elements for which weights are multiplied.
const FEWEST: usize = 4;

/// Makes sums of weighted sums of elements sums of elements. Tells whether there were any.
pub(super) fn multiply(program: &mut Program, stage: &mut Stage, lanes: AxisId) -> bool {
    let values: Vec<E> = stage.stores.iter().map(|store| store.value).collect();
    let nodes = program.outside_of_reductions(values);
    // A part of a sum comes before it.
    let found = nodes.into_iter().rev().find_map(|e| {
        let is_sum = matches!(program.node(e), Node::Binary(BinaryOp::Add, ..)) && program.ty(e) == Ty::F32;
        let terms = terms(program, e, lanes).filter(|_| is_sum)?;
        let is_nested = terms.iter().all(|(_, weights)| weights.len() > 1);
        (is_nested && terms.len() >= FEWEST).then_some((e, terms))
    });
    let Some((e, terms)) = found else { return false };
    let mut sum = None;
    for (element, weights) in terms.into_iter().rev() {
        let weight = weights.into_iter().reduce(|a, b| program.binary(BinaryOp::Mul, a, b));
        let product = weight.map_or(element, |weight| program.binary(BinaryOp::Mul, element, weight));
        sum = Some(sum.map_or(product, |sum| program.binary(BinaryOp::Add, product, sum)));
    }
    if let Some(sum) = sum {
        program.replace_in(stage, e, sum);
    }
    sum.is_some()
}

/// The elements that a sum is made of, each with the factors before it, none of which changes along the lanes.
fn terms(program: &Program, e: E, lanes: AxisId) -> Option<Vec<(E, Vec<E>)>> {
    match *program.node(e) {
        Node::Load { .. } if program.depends_on(e, lanes) => Some(vec![(e, Vec::new())]),
        Node::Binary(BinaryOp::Add, a, b) => {
            let mut all = terms(program, a, lanes)?;
            all.extend(terms(program, b, lanes)?);
            Some(all)
        }
        Node::Binary(BinaryOp::Mul, a, b) => {
            let (sum, weight) = if program.depends_on(b, lanes) { (b, a) } else { (a, b) };
            let mut all = terms(program, sum, lanes).filter(|_| !program.depends_on(weight, lanes))?;
            all.iter_mut().for_each(|(_, weights)| weights.push(weight));
            Some(all)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::{images, text};

    #[test]
    fn neighbours_have_one_weight_each_where_lanes_share_it() {
        for (tag, shared) in [("acdb", true), ("aBcd16b", true), ("abcd", false)] {
            let (src, dst) = (images(tag, 64, 32), images(tag, 64, 64));
            let (prop, alg) = (PropKind::ForwardInference, AlgKind::ResamplingLinear);
            let text = text(Resampling::forward(prop, alg, None, &src, Some(&dst)).unwrap());
            assert_eq!(chains(&text), shared, "{tag}\n{text}");
        }
    }

    /// Whether a product is added to a sum of products, as one step.
    fn chains(text: &str) -> bool {
        let names =
            text.lines().filter(|line| line.contains(" = fma(")).filter_map(|line| line.trim().split(' ').nth(2));
        names
            .into_iter()
            .any(|name| text.lines().any(|line| line.contains(" = fma(") && line.ends_with(&format!(", {name});"))))
    }
}
