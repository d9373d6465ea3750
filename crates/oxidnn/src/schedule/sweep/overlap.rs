//! Vectors that overlap: what is left over at the end of a loop is computed by a vector that ends with it, some lanes of which were before.
//!
//! Such a vector must not read what the one in front of it wrote. A result can take the place of what is read at its own element, and of nothing
//! else: where all that changes along the lanes is read for sums of several elements, it takes nobody's place.

use crate::program::*;

/// Whether vectors along an axis may overlap.
pub(super) fn allowed(program: &Program, stage: &Stage, lanes: AxisId) -> bool {
    let roots = program.roots(stage);
    let reduced: Vec<AxisId> = program
        .reductions(roots.iter().copied())
        .into_iter()
        .flat_map(|e| match program.node(e) {
            Node::Reduce { axes, .. } => axes.clone(),
            _ => Vec::new(),
        })
        .filter(|axis| !stage.axes.contains(axis))
        .collect();
    let is_bound = stage.bounds.is_some_and(|bounds| program.depends_on(bounds, lanes));
    let mut fits = !reduced.is_empty() && !is_bound;
    program.visit(roots, &mut |e| match *program.node(e) {
        Node::Load { tensor, offset, .. } if program.depends_on(offset, lanes) => {
            fits &= reduced.iter().any(|&axis| program.depends_on(offset, axis));
            // Neighbours that share a byte begin at even positions.
            fits &= !program.tensor(tensor).data_type.is_sub_byte();
        }
        // Positions are divided from multiples of the lanes on.
        Node::Binary(BinaryOp::Div | BinaryOp::Rem, ..) if program.ty(e) == Ty::Index => {
            fits &= !program.depends_on(e, lanes);
        }
        _ => {}
    });
    fits && stage.stores.iter().all(|store| program.constant_step(store.offset, lanes) == Some(1))
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::{text, window};

    /// Whether a vector begins before the one in front of it ends.
    fn overlaps(op: impl Into<Op>) -> bool {
        text(op).contains(" - 16;\n")
    }

    fn plain(dims: &[i64]) -> MemoryDesc {
        MemoryDesc::with_strides(dims, DataType::F32, None).unwrap()
    }

    #[test]
    fn vectors_overlap_where_no_result_takes_the_place_of_what_they_read() {
        let (prop, md) = (PropKind::ForwardInference, plain(&[2, 3, 28, 28]));
        assert!(overlaps(Pooling::forward(prop, AlgKind::PoolingMax, &md, &md, window(1, 1)).unwrap()));
        let (src, dst) = (plain(&[64, 100]), plain(&[1, 100]));
        assert!(overlaps(Reduction::new(AlgKind::ReductionSum, &src, &dst, 0.0, 0.0).unwrap()));
        assert!(!overlaps(Softmax::forward(prop, AlgKind::SoftmaxAccurate, &src, &src, 0).unwrap()));
        assert!(!overlaps(Softmax::forward(prop, AlgKind::SoftmaxAccurate, &src, &src, 1).unwrap()));
        assert!(!overlaps(Eltwise::forward(prop, AlgKind::EltwiseRelu, &src, &src, 0.0, 0.0).unwrap()));
    }
}
