//! Inner products: matrix products whose reduced dimension may be a whole image.

use super::layer::{self, Element, Inner, Term, summed};
use crate::Result;
use crate::desc::{Attr, InnerProduct, PropKind};
use crate::program::{Builder, Expr};

pub fn lower(b: &Builder, op: &InnerProduct, attr: &Attr) -> Result<()> {
    let layer = &op.layer;
    let (src, channels) = (layer.src.dims(), layer.dst.dims()[1]);
    layer::lower(b, "inner_product", layer, attr, Inner::default(), |index| {
        let mut axes = Vec::new();
        let (left, right) = match layer.prop {
            PropKind::BackwardData => {
                let oc = summed(b, &mut axes, "oc", channels);
                (vec![index[0], oc], with_first(oc, &index[1..]))
            }
            PropKind::BackwardWeights => {
                let n = summed(b, &mut axes, "n", src[0]);
                (with_first(n, &index[1..]), vec![n, index[0]])
            }
            _ => {
                let image: Vec<Expr<'_>> = src[1..].iter().map(|&dim| summed(b, &mut axes, "k", dim)).collect();
                (with_first(index[0], &image), with_first(index[1], &image))
            }
        };
        Term { axes, left: Element::at(left), right: Element::at(right) }
    })
}

fn with_first<'b>(first: Expr<'b>, rest: &[Expr<'b>]) -> Vec<Expr<'b>> {
    std::iter::once(first).chain(rest.iter().copied()).collect()
}
