//! Vectors that overlap: what is left over at the end of a loop is computed by a vector that ends with it, some lanes of which were before.
//!
//! Such a vector must not read what the one in front of it wrote. A result can take the place of what is read at its own element, and of nothing
//! else: where all that changes along the lanes is read for sums of several elements, it takes nobody's place. Elsewhere the last two vectors
//! are computed before either is stored.

use super::emit::Rest;
use super::{MANY_STORES, Sweep};
use crate::codegen::opencl::Emitter;
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
    let mut fits = !reduced.is_empty() && !is_bound && begin_anywhere(program, roots.iter().copied(), lanes);
    program.visit(roots, &mut |e| {
        if let Node::Load { offset, .. } = *program.node(e)
            && program.depends_on(offset, lanes)
        {
            fits &= reduced.iter().any(|&axis| program.depends_on(offset, axis));
        }
    });
    fits && stage.stores.iter().all(|store| program.constant_step(store.offset, lanes) == Some(1))
}

/// Whether vectors along an axis may begin at any position of it.
pub(super) fn begin_anywhere(program: &Program, roots: impl IntoIterator<Item = E>, lanes: AxisId) -> bool {
    let mut fits = true;
    program.visit(roots, &mut |e| match *program.node(e) {
        // Neighbours that share a byte begin at even positions.
        Node::Load { tensor, offset, .. } if program.depends_on(offset, lanes) => {
            fits &= !program.tensor(tensor).data_type.is_sub_byte();
        }
        // Positions are divided from multiples of the lanes on.
        Node::Binary(BinaryOp::Div | BinaryOp::Rem, ..) if program.ty(e) == Ty::Index => {
            fits &= !program.depends_on(e, lanes);
        }
        _ => {}
    });
    fits
}

impl Sweep {
    /// Whether a strip is all of the axis of the lanes, and its last vector begins before the one in front of it ends: windows are walked
    /// once for the whole row.
    pub(super) fn covers(&self, axis: AxisId) -> bool {
        let is_longer =
            |(of, lanes)| of == axis && self.program.extent(axis).is_some_and(|all| self.strip * lanes > all);
        self.overlaps && self.strip > 1 && self.lanes.is_some_and(is_longer)
    }

    /// The name of where a vector of such a strip begins.
    pub(super) fn covering(&self, emitter: &mut Emitter<'_>, (axis, lanes): (AxisId, i64)) -> String {
        let (index, position) = (emitter.index_type(), emitter.fresh("i"));
        let extent = emitter.scalar(self.program.axis(axis).extent);
        emitter.line(format!("const {index} {position} = min(({index})(s * {lanes}), ({index})({extent} - {lanes}));"));
        position
    }

    /// Emits the last two vectors of a loop over the lanes where there is room for more than one and less than two.
    pub(super) fn last_two(&self, emitter: &mut Emitter<'_>, below: &Rest, position: &str, last: &str) {
        let (program, Some((axis, lanes))) = (&self.program, self.lanes) else { return };
        let has_vectors = |store: &Store| {
            program.constant_step(store.offset, axis) == Some(1) && emitter.stores_vectors(store, lanes as usize)
        };
        let roots = below.stores.iter().flat_map(|store| [store.offset, store.value]);
        // Text that is written twice had better be short.
        let is_long =
            below.stores.len() >= MANY_STORES || (self.windows.is_none() && !self.across(below, axis).is_empty());
        if self.overlaps
            || is_long
            || below.depth < self.order.len()
            || !below.inside
            || !below.conditions.is_empty()
            || !below.stores.iter().all(has_vectors)
            || !begin_anywhere(program, roots, axis)
        {
            return;
        }
        emitter.open(format!("if ({position} + {lanes} < {last} && {position} + {} > {last})", 2 * lanes));
        emitter.set_lanes(Some((axis, lanes as usize)));
        let starts = [position.to_string(), format!("({last} - {lanes})")];
        let mut computed = Vec::new();
        for start in &starts {
            for store in &below.stores {
                let name = emitter.fresh("part");
                emitter.line(format!("{} {name};", emitter.element_type(store)));
                computed.push((start, store, name));
            }
        }
        for part in computed.chunks(below.stores.len()) {
            emitter.open("");
            self.bind(emitter, axis, part[0].0, below);
            for (_, store, name) in part {
                if let Some(elements) = emitter.elements(store) {
                    emitter.line(format!("{name} = {elements};"));
                }
            }
            emitter.close();
        }
        for (start, store, name) in computed {
            emitter.bind(axis, start);
            emitter.store_elements(store, &[name]);
        }
        emitter.set_lanes(None);
        emitter.line("break;");
        emitter.close();
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::{images, text, window};

    /// Whether a vector begins before the one in front of it ends.
    fn overlaps(op: impl Into<Op>) -> bool {
        let text = text(op);
        text.contains(" - 16;\n") || text.contains("min((int)(s * 16), ")
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
        let relu = Eltwise::forward(prop, AlgKind::EltwiseRelu, &src, &src, 0.0, 0.0).unwrap();
        assert!(!overlaps(relu.clone()));
        // The last two are computed before either is stored.
        let text = text(relu);
        let (_, two) = text.split_once("part").unwrap();
        let (computed, _) = two.split_once("put(").unwrap();
        assert_eq!(computed.matches("vload16").count(), 2, "{text}");
    }

    #[test]
    fn long_text_is_written_once_for_vectors() {
        let any = |dims: &[i64]| MemoryDesc::any(dims, DataType::F32).unwrap();
        let twice = |x: i64| Dims::from([x, x]);
        let window = Window { strides: twice(1), dilations: twice(0), padding_l: twice(1), padding_r: twice(1) };
        let (images, weights) = (any(&[1, 64, 28, 28]), any(&[64, 64, 3, 3]));
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::ConvolutionWinograd);
        let mut op = Convolution::new(prop, alg, &images, &weights, None, &images, window).unwrap();
        op.resolve().unwrap();
        // The first kernel transforms tiles of six by six points.
        assert_eq!(text(op).matches("vload16").count(), 36);
    }

    #[test]
    fn windows_are_walked_once_for_rows_of_few_vectors_that_no_strip_divides() {
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::PoolingMax);
        for (channels, is_walked_once) in [(23, true), (35, true), (64, false), (72, false)] {
            let md = images("acdb", channels, 32);
            let text = text(Pooling::forward(prop, alg, &md, &md, window(1, 1)).unwrap());
            assert_eq!(text.contains("min((int)(s * 16), "), is_walked_once, "{channels}\n{text}");
            assert!(!is_walked_once || !text.contains("continue;"), "{channels}\n{text}");
        }
    }
}
