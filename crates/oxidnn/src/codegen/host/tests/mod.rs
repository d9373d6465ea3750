//! Small programs, run with every choice of lanes and split into several parts, against an oracle that evaluates one
//! point at a time.

mod case;
mod fuzz;
mod oracle;
mod speed;

use crate::desc::DataType;
use crate::program::*;

use case::{Case, Ready};

#[test]
fn a_copy_transposes() {
    let c = Case::new();
    let (src, dst) = (c.tensor(DataType::F32, 7 * 300, |i| i as f64), c.output(DataType::F32, 7 * 300));
    let ((i, at_i), (j, at_j)) = (c.axis(7), c.axis(300));
    let value = c.b.load(src, c.offset(&[(at_j, 7), (at_i, 1)]), Ty::F32);
    c.stage(&[i, j], None, &[(dst, c.offset(&[(at_i, 300), (at_j, 1)]), value)]);
    assert_eq!(c.check(0.0)[300 + 2], 15.0);
}

#[test]
fn a_blocked_layout_is_written_with_its_padding() {
    // 2 x 21 x 300 to blocks of 16 channels: 32 channels, of which 11 are zeros.
    let (n, channels, w) = (2, 21, 300);
    let c = Case::new();
    let src = c.tensor(DataType::F32, n * channels * w, |i| i as f64 + 1.0);
    let dst = c.output(DataType::F32, n * 32 * w);
    let ((axis_n, at_n), (axis_c, at_c), (axis_w, at_w)) = (c.axis(n as i64), c.axis(32), c.axis(w as i64));
    let value = c.b.load(src, c.offset(&[(at_n, (channels * w) as i64), (at_c, w as i64), (at_w, 1)]), Ty::F32);
    let to = c.offset(&[(at_n, 32 * w as i64), (at_c / 16, 16 * w as i64), (at_w, 16), (at_c % 16, 1)]);
    let bounds = at_c.lt(c.b.param(channels as i64));
    c.stage(&[axis_n, axis_c, axis_w], Some(bounds), &[(dst, to, value)]);
    let out = c.check(0.0);
    assert_eq!(out[1], (w + 1) as f64);
    assert_eq!(out.iter().filter(|&&x| x == 0.0).count(), 2 * 11 * w);
}

#[test]
fn loads_outside_of_their_guard_are_zero() {
    // A convolution of one row with padding, stride and dilation.
    let (iw, ow, kw) = (600i64, 305i64, 3i64);
    let c = Case::new();
    let src = c.tensor(DataType::F32, iw as usize, |i| (i % 13) as f64);
    let weights = c.tensor(DataType::F32, kw as usize, |i| i as f64 - 0.5);
    let dst = c.output(DataType::F32, ow as usize);
    let ((w, at_w), (k, at_k)) = (c.axis(ow), c.axis(kw));
    let at = c.offset(&[(at_w, 2), (at_k, 4)]) - c.b.param(5);
    let inside = at.ge(0) & at.lt(c.b.param(iw));
    let product = c.b.load_if(inside, src, at, Ty::F32) * c.b.load(weights, at_k, Ty::F32);
    c.stage(&[w], None, &[(dst, at_w, c.b.reduce(ReduceOp::Sum, &[k], product))]);
    c.check(1e-6);
}

#[test]
fn any_guard_cuts_any_lanes() {
    let c = Case::new();
    let (src, dst) = (c.tensor(DataType::F16, 600, |i| i as f64), c.output(DataType::F32, 600));
    let (i, at) = c.axis(600);
    let guard = (at % 3).differs(1) & at.lt(c.b.param(500));
    let value = c.b.load_if(guard, src, c.b.param(599) - at, Ty::F32);
    c.stage(&[i], Some((at % 2).equals(1)), &[(dst, at, value)]);
    let out = c.check(0.0);
    assert_eq!((out[3], out[1]), (596.0, 0.0));
}

fn matmul(m: i64, n: i64, k: i64, transposed: bool, types: (DataType, DataType, Ty)) -> Ready {
    let c = Case::new();
    let a = c.tensor(types.0, (m * k) as usize, |i| (i * 7 % 11) as f64 - 5.0);
    let b = c.tensor(types.0, (k * n) as usize, |i| (i * 5 % 13) as f64 - 6.0);
    let dst = c.output(types.1, (m * n) as usize);
    let ((i, at_i), (j, at_j), (l, at_l)) = (c.axis(m), c.axis(n), c.axis(k));
    let from_b = if transposed { [(at_j, k), (at_l, 1)] } else { [(at_l, n), (at_j, 1)] };
    let x = c.b.load(a, c.offset(&[(at_i, k), (at_l, 1)]), types.2);
    let y = c.b.load(b, c.offset(&from_b), types.2);
    let sum = c.b.reduce(ReduceOp::Sum, &[l], x * y);
    c.stage(&[i, j], None, &[(dst, c.offset(&[(at_i, n), (at_j, 1)]), sum)]);
    c.finish()
}

#[test]
fn a_matmul_is_a_reduction() {
    for transposed in [false, true] {
        matmul(3, 270, 17, transposed, (DataType::F32, DataType::F32, Ty::F32)).check(0.0);
        matmul(5, 1, 600, transposed, (DataType::S8, DataType::S32, Ty::S32)).check(0.0);
        matmul(2, 3, 5, transposed, (DataType::F64, DataType::F64, Ty::F64)).check(0.0);
    }
}

#[test]
fn a_kernel_computes_with_the_parameters_of_the_launch() {
    let types = (DataType::F32, DataType::F32, Ty::F32);
    let kernel = matmul(3, 40, 5, false, types).kernel();
    let other = matmul(2, 9, 11, false, types);
    assert_eq!(other.run(&*kernel), other.run(&*other.kernel()));
}

#[test]
fn a_reduction_over_nothing_is_zero_and_reads_nothing() {
    let out = matmul(3, 4, 0, false, (DataType::F32, DataType::F32, Ty::F32)).check(0.0);
    assert_eq!(out, [0.0; 12]);

    // What does not depend on the reduced axis is computed outside of the loop, though there may be nothing to read.
    let c = Case::new();
    let (empty, dst) = (c.tensor(DataType::F32, 0, |_| 0.0), c.output(DataType::F32, 300));
    let ((i, at_i), (k, at_k), (l, at_l)) = (c.axis(300), c.axis(0), c.axis(2));
    let nested = c.b.reduce(ReduceOp::Sum, &[l], c.b.load(empty, at_l, Ty::F32));
    let value = nested * c.b.load(empty, at_i, Ty::F32) * at_k.to(Ty::F32);
    c.stage(&[i], None, &[(dst, at_i, c.b.reduce(ReduceOp::Sum, &[k], value))]);
    assert_eq!(c.check(0.0), [0.0; 300]);
}

#[test]
fn a_domain_of_no_points_does_nothing() {
    let c = Case::new();
    let (src, dst) = (c.tensor(DataType::F32, 0, |_| 0.0), c.output(DataType::F32, 4));
    let ((i, at_i), (j, at_j)) = (c.axis(3), c.axis(0));
    c.stage(&[i, j], None, &[(dst, at_i + at_j, c.b.load(src, c.b.index(0), Ty::F32))]);
    assert!(c.check(0.0).iter().all(|x| x.is_nan()), "nothing is written");
}

#[test]
fn a_domain_without_axes_is_one_point() {
    let c = Case::new();
    let (src, dst) = (c.tensor(DataType::F32, 1000, |i| (i % 3) as f64), c.output(DataType::F32, 1));
    let (k, at_k) = c.axis(1000);
    let sum = c.b.reduce(ReduceOp::Sum, &[k], c.b.load(src, at_k, Ty::F32));
    c.stage(&[], None, &[(dst, c.b.index(0), sum)]);
    assert_eq!(c.check(0.0), [999.0]);
}

#[test]
fn extents_may_depend_on_outer_axes() {
    // dst[i, j] = sum over k <= j of sum over l < k + i of src[l]
    let c = Case::new();
    let (src, dst) = (c.tensor(DataType::F32, 64, |i| i as f64), c.output(DataType::F32, 20 * 9));
    let ((i, at_i), (j, at_j)) = (c.axis(20), c.axis(9));
    let k = c.b.axis("k", at_j + 1);
    let l = c.b.axis("l", c.b.at(k) + at_i);
    let value = c.b.load(src, c.b.at(l), Ty::F32);
    let nested = c.b.reduce(ReduceOp::Sum, &[k], c.b.reduce(ReduceOp::Sum, &[l], value));
    let flat = c.b.reduce(ReduceOp::Sum, &[k, l], value);
    c.stage(&[i, j], None, &[(dst, c.offset(&[(at_i, 9), (at_j, 1)]), nested * 1000.0 + flat)]);
    assert_eq!(c.check(0.0)[2 * 9 + 1], 4004.0);
}

#[test]
fn reductions_share_an_axis() {
    // Softmax over rows: the maximum and the sum run over the same axis, one inside the other's body.
    let (rows, columns, shown) = (3i64, 270i64, 7i64);
    let c = Case::new();
    let src = c.tensor(DataType::F32, (rows * columns) as usize, |i| (i * 31 % 17) as f64 / 4.0);
    let dst = c.output(DataType::F32, (rows * shown) as usize);
    let ((i, at_i), (j, at_j), (k, at_k)) = (c.axis(rows), c.axis(shown), c.axis(columns));
    let x_k = c.b.load(src, c.offset(&[(at_i, columns), (at_k, 1)]), Ty::F32);
    let x_j = c.b.load(src, c.offset(&[(at_i, columns), (at_j, 1)]), Ty::F32);
    let max = c.b.reduce(ReduceOp::Max, &[k], x_k);
    let sum = c.b.reduce(ReduceOp::Sum, &[k], (x_k - max).exp());
    c.stage(&[i, j], None, &[(dst, c.offset(&[(at_i, shown), (at_j, 1)]), (x_j - max).exp() / sum)]);
    c.check(1e-5);
}

#[test]
fn every_reduction_of_every_type() {
    for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Min, ReduceOp::Max] {
        for (data_type, ty) in
            [(DataType::F32, Ty::F32), (DataType::F64, Ty::F64), (DataType::S32, Ty::S32), (DataType::S64, Ty::Index)]
        {
            let c = Case::new();
            let src = c.tensor(data_type, 7 * 12 * 3, |i| (i * 5 % 9) as f64 - 4.5);
            let dst = c.output(data_type, 3);
            let ((i, at_i), (j, at_j), (k, at_k)) = (c.axis(3), c.axis(7), c.axis(12));
            let value = c.b.load(src, c.offset(&[(at_j, 36), (at_k, 3), (at_i, 1)]), ty);
            c.stage(&[i], None, &[(dst, at_i, c.b.reduce(op, &[j, k], value))]);
            c.check(1e-5);
        }
    }
}

#[test]
fn every_type_converts_to_every_type() {
    let values = [0.0, 1.0, -1.0, 2.5, 3.5, -7.6, 100.25, 300.0, -1e6, 1e10, 0.3, 1e-3, f64::NAN, f64::INFINITY];
    let types = || DataType::ALL.iter().copied().filter(|&data_type| data_type != DataType::Undef);
    for (from, to) in types().flat_map(|from| types().map(move |to| (from, to))) {
        for (strides, value_types) in [([1, 1], [Ty::F32, Ty::S32]), ([3, 2], [Ty::F64, Ty::Index])] {
            for ty in value_types {
                let c = Case::new();
                let src = c.tensor(from, 3 * 261, |i| values[i % values.len()]);
                let dst = c.output(to, 2 * 261 + 1);
                let (i, at) = c.axis(261);
                let value = c.b.load(src, c.offset(&[(at, strides[0])]), ty);
                let to = c.offset(&[(at, strides[1])]) + c.b.param(1);
                c.stage(&[i], None, &[(dst, to, value)]);
                c.check(0.0);
            }
        }
    }
}

#[test]
fn int8_saturates_and_rounds_to_even() {
    let c = Case::new();
    let src = c.tensor(DataType::F32, 8, |i| [127.6, -129.0, 2.5, 3.5, f64::NAN, -0.5, 1e20, -2.5][i]);
    let (signed, unsigned) = (c.output(DataType::S8, 8), c.output(DataType::U8, 8));
    let (i, at) = c.axis(8);
    let value = c.b.load(src, at, Ty::F32);
    c.stage(&[i], None, &[(signed, at, value), (unsigned, at, value)]);
    assert_eq!(c.check(0.0), [127.0, -128.0, 2.0, 4.0, 0.0, 0.0, 127.0, -2.0]);
}

#[test]
fn neighbours_of_a_nibble_keep_their_value() {
    let c = Case::new();
    let (src, dst) = (c.tensor(DataType::S4, 9, |i| i as f64 - 4.0), c.tensor(DataType::S4, 20, |_| 5.0));
    let (i, at) = c.axis(9);
    c.stage(&[i], None, &[(dst, c.b.param(3) + at, c.b.load(src, at, Ty::S32))]);
    let out = c.check(0.0);
    assert_eq!(out[..4], [5.0, 5.0, 5.0, -4.0]);
    assert_eq!(out[11..13], [4.0, 5.0]);
}

#[test]
fn indices_can_be_loaded() {
    let c = Case::new();
    let src = c.tensor(DataType::F32, 50, |i| i as f64 * 10.0);
    let index = c.tensor(DataType::S32, 300, |i| (i * 37 % 50) as f64);
    let dst = c.output(DataType::F32, 300);
    let (i, at) = c.axis(300);
    let value = c.b.load(src, c.b.load(index, at, Ty::Index), Ty::F32);
    c.stage(&[i], None, &[(dst, at, value)]);
    assert_eq!(c.check(0.0)[..3], [0.0, 370.0, 240.0]);
}

#[test]
fn every_function_of_one_value() {
    let functions: [for<'b> fn(Expr<'b>) -> Expr<'b>; 13] = [
        |x| -x,
        |x| x.abs(),
        |x| x.sqrt(),
        |x| x.exp(),
        |x| x.expm1(),
        |x| x.log(),
        |x| x.log1p(),
        |x| x.tanh(),
        |x| x.phi(),
        |x| x.rint(),
        |x| x.floor(),
        |x| x.quantize(DataType::F8E4m3),
        |x| x.quantize(DataType::S4),
    ];
    for f in functions {
        for (data_type, ty) in [(DataType::F32, Ty::F32), (DataType::F64, Ty::F64)] {
            let c = Case::new();
            let src = c.tensor(data_type, 300, |i| (i as f64 - 100.0) / 13.0);
            let dst = c.output(data_type, 300);
            let (i, at) = c.axis(300);
            c.stage(&[i], None, &[(dst, at, f(c.b.load(src, at, ty)))]);
            c.check(1e-5);
        }
    }
}

#[test]
fn bits_scalars_and_selections() {
    let c = Case::new();
    let (src, dst) = (c.tensor(DataType::F32, 300, |i| i as f64 - 150.0), c.output(DataType::F32, 300));
    let (i, at) = c.axis(300);
    let x = c.b.load(src, at, Ty::F32);
    let bits = x.to_bits();
    let sign_bit = c.b.constant(Ty::S32, f64::from(i32::MIN));
    let sign = ((bits & sign_bit) >> 31).to(Ty::F32);
    let flipped = bits.xor(sign_bit).from_bits();
    let chosen = (!x.lt(c.b.scalar(-100.0))).select(sign, flipped);
    c.stage(&[i], None, &[(dst, at, chosen + at.to(Ty::F32))]);
    let out = c.check(0.0);
    assert_eq!((out[0], out[60], out[200]), (150.0, 61.0, 200.0));
}

#[test]
fn philox_gives_the_published_words() {
    let vectors: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
        ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
        ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
        (
            [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
            [0xa409_3822, 0x299f_31d0],
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        ),
    ];
    for (counter, key, words) in vectors {
        let c = Case::new();
        let dst = c.output(DataType::S32, 4);
        let (i, at) = c.axis(4);
        let constant = |word: u32| c.b.constant(Ty::S32, f64::from(word as i32));
        let value = c.b.philox(counter.map(constant), key.map(constant), at.to(Ty::S32));
        c.stage(&[i], None, &[(dst, at, value)]);
        let ready = c.finish();
        let out = &ready.run(&*ready.kernel())[0];
        assert_eq!((0..4).map(|i| oracle::get(DataType::S32, out, i) as u32).collect::<Vec<u32>>(), words);
    }
}

#[test]
#[should_panic(expected = "range")]
fn an_element_outside_of_its_memory_panics() {
    let c = Case::new();
    let (src, dst) = (c.tensor(DataType::F32, 10, |_| 0.0), c.output(DataType::F32, 11));
    let (i, at) = c.axis(11);
    c.stage(&[i], None, &[(dst, at, c.b.load(src, at, Ty::F32))]);
    let ready = c.finish();
    ready.run(&*ready.kernel());
}
