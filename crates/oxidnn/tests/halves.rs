//! Sums of products of f16, whose eleven bits some processors multiply in two parts: exact where single precision is, and infinite
//! where they should be.

mod support;

use oxidnn::desc::*;
use oxidnn::{Engine, Memory, PrimitiveDesc};

use support::{engines, reordered, run, tried};

fn plain(dims: &[i64], data_type: DataType) -> MemoryDesc {
    MemoryDesc::with_strides(dims, data_type, None).unwrap()
}

/// Whole numbers of eleven bits.
fn long(count: i64) -> Vec<f32> {
    (0..count).map(|i| ((i * 1237 + i / 7) % 4095) as f32 - 2047.0).collect()
}

/// Such as leave room for many products with long ones.
fn short(count: i64) -> Vec<f32> {
    (0..count).map(|i| ((i * 5 + i / 11) % 5) as f32 - 2.0).collect()
}

/// The plain result of an operation on plain inputs.
fn computed(engine: &Engine, op: impl Into<Op>, src: &[f32], weights: &[f32]) -> Vec<f32> {
    let desc = PrimitiveDesc::new(engine, op, &Attr::new()).unwrap();
    let md = |number: i32| desc.arg(number).unwrap();
    let input = |number: i32, values: &[f32]| {
        let memory = Memory::new(engine, &plain(md(number).dims(), DataType::F32)).unwrap();
        memory.write_from(values).unwrap();
        reordered(engine, &memory, md(number))
    };
    let (src, weights) = (input(arg::SRC, src), input(arg::WEIGHTS, weights));
    let dst = Memory::new(engine, md(arg::DST)).unwrap();
    run(engine, &desc, &[(arg::SRC, &src), (arg::WEIGHTS, &weights), (arg::DST, &dst)]);
    reordered(engine, &dst, &plain(md(arg::DST).dims(), DataType::F32)).read_to().unwrap()
}

/// A product of matrices, of which there may be several, by plain, transposed and open ones.
struct Product {
    batch: i64,
    m: i64,
    n: i64,
    k: i64,
}

impl Product {
    fn ops(&self) -> Vec<Matmul> {
        let Product { batch, m, n, k } = *self;
        let md = |rows, columns, turned: bool| {
            let strides = [rows * columns, 1, rows];
            let strides = turned.then_some(&strides[..]);
            MemoryDesc::with_strides(&[batch, rows, columns], DataType::F16, strides).unwrap()
        };
        let dst = plain(&[batch, m, n], DataType::F32);
        let open = MemoryDesc::any(&[batch, k, n], DataType::F16).unwrap();
        [(md(m, k, false), md(k, n, false)), (md(m, k, true), md(k, n, true)), (md(m, k, false), open)]
            .map(|(src, weights)| Matmul::new(&src, &weights, None, &dst).unwrap())
            .into()
    }

    fn expected(&self, a: &[f32], b: &[f32]) -> Vec<f32> {
        let [batch, m, n, k] = [self.batch, self.m, self.n, self.k].map(|extent| extent as usize);
        let mut results = vec![0.0; batch * m * n];
        for (row, results) in results.chunks_mut(n).enumerate() {
            for l in 0..k {
                let (factor, first) = (a[row * k + l], (row / m * k + l) * n);
                results.iter_mut().zip(&b[first..first + n]).for_each(|(sum, by)| *sum += factor * by);
            }
        }
        results
    }
}

#[test]
fn products_of_long_halves_are_exact() {
    // Sums in blocks, in one piece, of several matrices.
    let products = [[1, 128, 192, 384], [1, 130, 196, 336], [3, 64, 128, 352]];
    for engine in engines() {
        for [batch, m, n, k] in tried(products) {
            let product = Product { batch, m, n, k };
            for (a, b) in [(long(batch * m * k), short(batch * k * n)), (short(batch * m * k), long(batch * k * n))] {
                let expected = product.expected(&a, &b);
                for op in product.ops() {
                    let what = format!("{engine:?} {batch}x{m}x{n}x{k} {:?}", op.weights.strides());
                    assert!(computed(&engine, op, &a, &b) == expected, "{what}");
                }
            }
        }
    }
}

#[test]
fn infinities_and_what_is_no_number_reach_the_sums_they_are_part_of_and_no_others() {
    let product = Product { batch: 1, m: 96, n: 256, k: 352 };
    let Product { m, n, k, .. } = product;
    let (mut a, mut b) = (short(m * k), short(k * n));
    for (row, special) in [(3, f32::INFINITY), (40, f32::NEG_INFINITY), (77, f32::NAN)] {
        a[(row * k + 5 * row % k) as usize] = special;
    }
    b[(100 * n + 17) as usize] = f32::INFINITY;
    let expected = product.expected(&a, &b);
    assert!(expected.contains(&f32::INFINITY) && expected.contains(&f32::NEG_INFINITY));
    let same = |(got, expected): (&f32, &f32)| got == expected || (got.is_nan() && expected.is_nan());
    for engine in engines() {
        for op in product.ops() {
            let got = computed(&engine, op, &a, &b);
            assert_eq!(got.iter().zip(&expected).position(|pair| !same(pair)), None, "{engine:?}");
        }
    }
}

#[test]
fn the_smallest_halves_count() {
    let product = Product { batch: 1, m: 96, n: 256, k: 352 };
    let (smallest, a) = (2f32.powi(-24), short(product.m * product.k));
    let b: Vec<f32> = short(product.k * product.n).into_iter().map(|x| x * smallest).collect();
    let expected = product.expected(&a, &b);
    for engine in engines() {
        for op in product.ops() {
            assert!(computed(&engine, op, &a, &b) == expected, "{engine:?}");
        }
    }
}

#[test]
fn convolutions_of_long_halves_are_exact_at_padded_borders() {
    let (mb, ic, oc, side) = (2, 64, 96, 10);
    let one = Dims::from([1, 1]);
    let window = Window { strides: one, dilations: Dims::from([0, 0]), padding_l: one, padding_r: one };
    let (src, weights) = (long(mb * ic * side * side), short(oc * ic * 9));
    let at = |image: i64, channel: i64, y: i64, x: i64| match (0..side).contains(&y) && (0..side).contains(&x) {
        true => src[(((image * ic + channel) * side + y) * side + x) as usize],
        false => 0.0,
    };
    let sum = |i: i64| -> f32 {
        let (image, channel, y, x) = (i / side / side / oc, i / side / side % oc, i / side % side, i % side);
        let product = |j: i64| {
            let (from, dy, dx) = (j / 9, j / 3 % 3, j % 3);
            at(image, from, y + dy - 1, x + dx - 1) * weights[(channel * ic * 9 + j) as usize]
        };
        (0..ic * 9).map(product).sum()
    };
    let expected: Vec<f32> = (0..mb * oc * side * side).map(sum).collect();
    let any = |dims: &[i64], data_type| MemoryDesc::any(dims, data_type).unwrap();
    for engine in engines() {
        let op = Convolution::new(
            PropKind::ForwardInference,
            AlgKind::ConvolutionDirect,
            &any(&[mb, ic, side, side], DataType::F16),
            &any(&[oc, ic, 3, 3], DataType::F16),
            None,
            &any(&[mb, oc, side, side], DataType::F32),
            window.clone(),
        )
        .unwrap();
        assert!(computed(&engine, op, &src, &weights) == expected, "{engine:?}");
    }
}
