//! The matrix products of the C API against loops.

mod library;

use std::ffi::{c_char, c_int};
use std::sync::LazyLock;

use libloading::Library;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    // SAFETY: the library under test; loading it runs no code that needs anything.
    unsafe { Library::new(library::path()).unwrap() }
});

type GemmF32<A> =
    unsafe extern "C" fn(c_char, c_char, i64, i64, i64, f32, *const A, i64, *const A, i64, f32, *mut f32, i64) -> c_int;

type GemmS32<A> = unsafe extern "C" fn(
    c_char,
    c_char,
    c_char,
    i64,
    i64,
    i64,
    f32,
    *const A,
    i64,
    A,
    *const i8,
    i64,
    i8,
    f32,
    *mut i32,
    i64,
    *const i32,
) -> c_int;

const FLAGS: [u8; 2] = [b'N', b't'];

/// The sizes of a product, and which factors are stored the other way round. Rows lie further apart than they are long.
#[derive(Clone, Copy, Debug)]
struct Shape {
    m: i64,
    n: i64,
    k: i64,
    transposed: [bool; 2],
}

impl Shape {
    fn all() -> Vec<Shape> {
        let ways = [[false, false], [false, true], [true, false], [true, true]];
        let sizes = [[1, 1, 1], [5, 7, 300], [33, 18, 4], [6, 5, 0]];
        let shapes = sizes.iter().flat_map(|&[m, n, k]| ways.map(|transposed| Shape { m, n, k, transposed }));
        shapes.collect()
    }

    fn flags(&self) -> [c_char; 2] {
        self.transposed.map(|transposed| FLAGS[usize::from(transposed)] as c_char)
    }

    fn leading(&self) -> [i64; 3] {
        let [a, b] = self.transposed;
        [if a { self.m } else { self.k } + 3, if b { self.k } else { self.n } + 2, self.n + 1]
    }

    /// How many elements the matrices have, with what lies between rows.
    fn sizes(&self) -> [usize; 3] {
        let ([a, b], leading) = (self.transposed, self.leading());
        let rows = [if a { self.k } else { self.m }, if b { self.n } else { self.k }, self.m];
        [0, 1, 2].map(|i| (rows[i] * leading[i]) as usize)
    }

    /// Where the factors of a product and its sum are.
    fn at(&self, i: i64, j: i64, k: i64) -> [usize; 3] {
        let ([a, b], [lda, ldb, ldc]) = (self.transposed, self.leading());
        let a = if a { k * lda + i } else { i * lda + k };
        let b = if b { j * ldb + k } else { k * ldb + j };
        [a, b, i * ldc + j].map(|at| at as usize)
    }

    fn positions(&self) -> impl Iterator<Item = (i64, i64)> {
        let n = self.n;
        (0..self.m).flat_map(move |i| (0..n).map(move |j| (i, j)))
    }
}

/// Whole numbers from -100 to 100, or from 0 to 200.
fn numbers<T: TryFrom<i64, Error: std::fmt::Debug>>(count: usize, least: i64) -> Vec<T> {
    (0..count as i64).map(|i| T::try_from((i * 37 + i / 7 * 11) % 201 + least).unwrap()).collect()
}

/// Factors are few enough bits long for every type of them.
fn floats<A>(name: &str, encode: impl Fn(f32) -> A) {
    // SAFETY: the type is that of the declaration.
    let gemm = unsafe { LIBRARY.get::<GemmF32<A>>(name).unwrap() };
    for shape in Shape::all() {
        for (alpha, beta) in [(1.0, 0.0), (0.5, -2.0), (0.0, 1.0)] {
            let [a, b, c] = shape.sizes().map(|size| numbers::<i16>(size, -100));
            let [a, b, c] = [a, b, c].map(|values| values.iter().map(|&x| f32::from(x) / 8.0).collect::<Vec<_>>());
            // What is not to be read must not be.
            let old = |x: f32| if beta == 0.0 { f32::NAN } else { x };
            let mut found: Vec<f32> = c.iter().map(|&x| old(x)).collect();
            let ([ta, tb], [lda, ldb, ldc], Shape { m, n, k, .. }) = (shape.flags(), shape.leading(), shape);
            let to = found.as_mut_ptr();
            let [left, right] = [&a, &b].map(|values| values.iter().map(|&x| encode(x)).collect::<Vec<_>>());
            let (left, right) = (left.as_ptr(), right.as_ptr());
            // SAFETY: the matrices are as large as they are said to be.
            let status = unsafe { gemm(ta, tb, m, n, k, alpha, left, lda, right, ldb, beta, to, ldc) };
            assert_eq!(status, 0, "{name} {shape:?}");
            for (i, j) in shape.positions() {
                let sum: f64 =
                    (0..k).map(|k| shape.at(i, j, k)).map(|at| f64::from(a[at[0]]) * f64::from(b[at[1]])).sum();
                let at = shape.at(i, j, 0)[2];
                let rest = if beta == 0.0 { 0.0 } else { f64::from(beta) * f64::from(c[at]) };
                let expected = f64::from(alpha) * sum + rest;
                let near = (f64::from(found[at]) - expected).abs() <= 1e-5 * (k as f64 * 160.0 + rest.abs());
                assert!(near, "{shape:?} alpha {alpha} beta {beta} at {i}, {j}: {} for {expected}", found[at]);
            }
            let gap = |at: &usize| (*at as i64) % ldc == n;
            assert!((0..found.len()).filter(gap).all(|at| found[at].to_bits() == old(c[at]).to_bits()), "{shape:?}");
        }
    }
}

#[test]
fn products_of_floats_add_to_what_is_there() {
    floats("dnnl_sgemm", |x| x);
    floats("dnnl_gemm_bf16bf16f32", |x| (x.to_bits() >> 16) as u16);
}

fn integers<A: Copy + Into<i64> + TryFrom<i64, Error: std::fmt::Debug>>(name: &str, least: i64, shift: A) {
    // SAFETY: the type is that of the declaration.
    let gemm = unsafe { LIBRARY.get::<GemmS32<A>>(name).unwrap() };
    for shape in Shape::all() {
        for (way, alpha, beta) in [(b'F', 1.0, 0.0), (b'c', 1.0, 1.0), (b'R', 0.25, -2.0)] {
            let [size_a, size_b, size_c] = shape.sizes();
            let (a, b) = (numbers::<A>(size_a, least), numbers::<i8>(size_b, -100));
            let (c, offsets) = (numbers::<i32>(size_c, -100), numbers::<i32>(40, 1 << 24));
            let mut found = c.clone();
            let ([ta, tb], [lda, ldb, ldc], Shape { m, n, k, .. }) = (shape.flags(), shape.leading(), shape);
            let (flag, from, to) = (way as c_char, (a.as_ptr(), b.as_ptr(), offsets.as_ptr()), found.as_mut_ptr());
            let (shift_b, beta_f) = (-3i8, beta as f32);
            // SAFETY: the matrices are as large as they are said to be, and there are enough offsets.
            let status = unsafe {
                gemm(
                    ta,
                    tb,
                    flag,
                    m,
                    n,
                    k,
                    alpha as f32,
                    from.0,
                    lda,
                    shift,
                    from.1,
                    ldb,
                    shift_b,
                    beta_f,
                    to,
                    ldc,
                    from.2,
                )
            };
            assert_eq!(status, 0, "{name} {shape:?}");
            for (i, j) in shape.positions() {
                let product = |at: [usize; 3]| (a[at[0]].into() - shift.into()) * (i64::from(b[at[1]]) + 3);
                let sum: i64 = (0..k).map(|k| product(shape.at(i, j, k))).sum();
                let at = shape.at(i, j, 0)[2];
                let offset = match way {
                    b'F' => offsets[0],
                    b'c' => offsets[i as usize],
                    _ => offsets[j as usize],
                };
                let expected = (alpha * sum as f64 + beta * f64::from(c[at]) + f64::from(offset)).round_ties_even();
                assert_eq!(f64::from(found[at]), expected, "{name} {shape:?} {} at {i}, {j}", char::from(way));
            }
        }
    }
}

#[test]
fn products_of_integers_are_exact() {
    integers::<u8>("dnnl_gemm_u8s8s32", 0, 5);
    integers::<i8>("dnnl_gemm_s8s8s32", -100, -7);
}

#[test]
fn what_no_matrix_is_is_refused() {
    // SAFETY: the type is that of the declaration.
    let sgemm = unsafe { LIBRARY.get::<GemmF32<f32>>("dnnl_sgemm").unwrap() };
    let call = |[ta, tb]: [u8; 2], [m, n, k]: [i64; 3], [lda, ldb, ldc]: [i64; 3], null: usize| {
        let (values, mut result) = ([1.0f32; 64], [0.0f32; 64]);
        let [a, b] = [0, 1].map(|i| if null == i { std::ptr::null() } else { values.as_ptr() });
        let c = if null == 2 { std::ptr::null_mut() } else { result.as_mut_ptr() };
        // SAFETY: no matrix that is accepted has more than 64 elements.
        unsafe { sgemm(ta as c_char, tb as c_char, m, n, k, 1.0, a, lda, b, ldb, 0.0, c, ldc) }
    };
    let fine = ([b'n', b'N'], [4, 3, 2], [2, 3, 3], 9);
    assert_eq!(call(fine.0, fine.1, fine.2, 9), 0);
    assert_eq!(call(fine.0, [0, 3, 2], fine.2, 9), 0);
    for null in 0..3 {
        assert_eq!(call(fine.0, fine.1, fine.2, null), 2);
    }
    for flags in [[b'x', b'N'], [b'N', b'P']] {
        assert_eq!(call(flags, fine.1, fine.2, 9), 2);
    }
    for sizes in [[-1, 3, 2], [4, -3, 2], [4, 3, -2]] {
        assert_eq!(call(fine.0, sizes, fine.2, 9), 2);
    }
    for leading in [[1, 3, 3], [2, 2, 3], [2, 3, 2], [0, 3, 3]] {
        assert_eq!(call(fine.0, fine.1, leading, 9), 2);
    }
}
