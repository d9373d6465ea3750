//! The forms of the `contract` schedule, on every engine: short types in groups, padding at the edges of tiles, depthwise
//! lanes. Numbers are small and whole, so sums are exact and compared as such.

mod support;

use oxidnn::desc::*;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};

use support::{engines, tried};

/// Whole numbers of a type: all from 0 to 12 where it has no sign, else from -6 to 6.
fn numbers(count: i64, data_type: DataType) -> Vec<f32> {
    let lowest = if data_type == DataType::U8 { 0.0 } else { -6.0 };
    (0..count).map(|i| ((i * 7 + i / 13) % 13) as f32 + lowest).collect()
}

fn plain(dims: &[i64], data_type: DataType) -> MemoryDesc {
    MemoryDesc::with_strides(dims, data_type, None).unwrap()
}

/// Memory of a layout that holds plain numbers.
fn filled(engine: &Engine, md: &MemoryDesc, values: &[f32]) -> Memory {
    let from = plain(md.dims(), DataType::F32);
    let (src, dst) = (Memory::new(engine, &from).unwrap(), Memory::new(engine, md).unwrap());
    src.write_from(values).unwrap();
    reorder(engine, &from, &src, md, &dst);
    dst
}

fn reorder(engine: &Engine, from: &MemoryDesc, src: &Memory, to: &MemoryDesc, dst: &Memory) {
    let desc = PrimitiveDesc::new(engine, Reorder::new(from, to).unwrap(), &Attr::new()).unwrap();
    let stream = Stream::new(engine).unwrap();
    Primitive::new(&desc).unwrap().execute(&stream, &[(arg::SRC, src), (arg::DST, dst)]).unwrap();
    stream.wait().unwrap();
}

/// Runs a primitive of source and weights; the result is plain.
fn result(engine: &Engine, op: impl Into<Op>, src: &[f32], weights: &[f32]) -> Vec<f32> {
    computed(engine, op, [(arg::SRC, src), (arg::WEIGHTS, weights)], arg::DST)
}

/// Runs a primitive of two arguments; the result is plain.
fn computed(engine: &Engine, op: impl Into<Op>, inputs: [(i32, &[f32]); 2], output: i32) -> Vec<f32> {
    let desc = PrimitiveDesc::new(engine, op, &Attr::new()).unwrap();
    let md = |number: i32| desc.arg(number).unwrap().clone();
    let inputs = inputs.map(|(number, values)| (number, filled(engine, &md(number), values)));
    let out_md = md(output);
    let out = Memory::new(engine, &out_md).unwrap();
    let stream = Stream::new(engine).unwrap();
    let [(a, a_memory), (b, b_memory)] = &inputs;
    Primitive::new(&desc).unwrap().execute(&stream, &[(*a, a_memory), (*b, b_memory), (output, &out)]).unwrap();
    stream.wait().unwrap();
    let to = plain(out_md.dims(), DataType::F32);
    let read = Memory::new(engine, &to).unwrap();
    reorder(engine, &out_md, &out, &to, &read);
    read.read_to::<f32>().unwrap()
}

const SHORT: [(DataType, DataType, DataType); 4] = [
    (DataType::U8, DataType::S8, DataType::S32),
    (DataType::S8, DataType::S8, DataType::F32),
    (DataType::Bf16, DataType::Bf16, DataType::F32),
    (DataType::F16, DataType::F16, DataType::F32),
];

#[test]
fn products_of_short_types_are_exact_in_open_and_plain_layouts() {
    for engine in engines() {
        // Columns of the last types are copied as bf16, where that takes no more room than there is.
        let converted =
            [(DataType::Bf16, DataType::S8, DataType::F32), (DataType::F8E4m3, DataType::F8E5m2, DataType::F32)];
        for (from, by, to) in SHORT.into_iter().chain(converted) {
            // Of the last ones, halves have no room for a copy of the rows, nor lines of them for whole vectors.
            let sizes =
                [(13, 70, 24), (7, 33, 10), (1, 96, 36), (50, 33, 128), (33, 16, 320), (200, 48, 300), (300, 33, 57)];
            for (m, n, k) in tried(sizes) {
                let (a, b) = (numbers(m * k, from), numbers(k * n, by));
                let expected: Vec<f32> = (0..m * n)
                    .map(|at| (0..k).map(|l| a[(at / n * k + l) as usize] * b[(l * n + at % n) as usize]).sum())
                    .collect();
                for weights in [MemoryDesc::any(&[k, n], by).unwrap(), plain(&[k, n], by)] {
                    let op = Matmul::new(&plain(&[m, k], from), &weights, None, &plain(&[m, n], to)).unwrap();
                    assert_eq!(result(&engine, op, &a, &b), expected, "{engine:?} {from} {m}x{n}x{k}");
                }
            }
        }
    }
}

/// The last columns are computed along with some of those before them.
#[test]
fn few_rows_by_columns_that_fill_no_vector_are_exact_where_these_are_plain() {
    for engine in engines() {
        for (m, n, k) in tried([(1, 100, 40), (3, 100, 40), (13, 20, 24), (2, 150, 36), (1, 16, 20), (5, 9, 24)]) {
            let (a, b) = (numbers(m * k, DataType::F32), numbers(k * n, DataType::F32));
            let expected: Vec<f32> = (0..m * n)
                .map(|at| (0..k).map(|l| a[(at / n * k + l) as usize] * b[(l * n + at % n) as usize]).sum())
                .collect();
            let [src, weights, dst] = [[m, k], [k, n], [m, n]].map(|dims| plain(&dims, DataType::F32));
            let op = Matmul::new(&src, &weights, None, &dst).unwrap();
            assert_eq!(result(&engine, op, &a, &b), expected, "{engine:?} {m}x{n}x{k}");
        }
    }
}

#[test]
fn products_by_weights_of_four_bits_are_exact_in_open_and_plain_layouts() {
    for engine in engines() {
        for (from, by) in [(DataType::F32, DataType::S4), (DataType::Bf16, DataType::U4)] {
            // Panels of all columns, of some, with columns left over; one row, several, and many.
            for (m, n, k) in [(1, 256, 64), (1, 70, 37), (5, 130, 128), (40, 34, 66)] {
                let numbers_of = if by == DataType::U4 { DataType::U8 } else { DataType::S8 };
                let (a, b) = (numbers(m * k, from), numbers(k * n, numbers_of));
                let expected: Vec<f32> = (0..m * n)
                    .map(|at| (0..k).map(|l| a[(at / n * k + l) as usize] * b[(l * n + at % n) as usize]).sum())
                    .collect();
                for weights in [MemoryDesc::any(&[k, n], by).unwrap(), plain(&[k, n], by)] {
                    let op =
                        Matmul::new(&plain(&[m, k], from), &weights, None, &plain(&[m, n], DataType::F32)).unwrap();
                    assert!(result(&engine, op, &a, &b) == expected, "{engine:?} {from} by {by} {m}x{n}x{k}");
                }
            }
        }
    }
}

/// A convolution of square images and kernels.
#[derive(Clone, Copy, Debug)]
struct Shape {
    groups: i64,
    ic: i64,
    oc: i64,
    side: i64,
    kernel: i64,
    stride: i64,
    padding: i64,
}

impl Shape {
    fn out(&self) -> i64 {
        (self.side + 2 * self.padding - self.kernel) / self.stride + 1
    }

    fn op(&self, pass: PropKind, types: (DataType, DataType, DataType)) -> Convolution {
        self.op_of(pass, types, false)
    }

    fn op_channels_innermost(&self, pass: PropKind) -> Convolution {
        self.op_of(pass, (DataType::F32, DataType::F32, DataType::F32), true)
    }

    fn op_of(&self, pass: PropKind, types: (DataType, DataType, DataType), channels_innermost: bool) -> Convolution {
        let Shape { groups, ic, oc, side, kernel, stride, padding } = *self;
        let both = |value: i64| Dims::from([value, value]);
        let window =
            Window { strides: both(stride), dilations: both(0), padding_l: both(padding), padding_r: both(padding) };
        let any = |dims: &[i64], data_type| MemoryDesc::any(dims, data_type).unwrap();
        let images = |dims: &[i64], data_type| match channels_innermost {
            true => MemoryDesc::with_tag(dims, data_type, FormatTag::NHWC).unwrap(),
            false => any(dims, data_type),
        };
        let src = images(&[2, groups * ic, side, side], types.0);
        let weights = any(&[groups, oc, ic, kernel, kernel], types.1);
        let dst = images(&[2, groups * oc, self.out(), self.out()], types.2);
        Convolution::new(pass, AlgKind::ConvolutionDirect, &src, &weights, None, &dst, window).unwrap()
    }

    /// Calls a function with the places in source, weights and destination of each product.
    fn for_each_product(&self, mut f: impl FnMut(usize, usize, usize)) {
        let Shape { groups, ic, oc, side, kernel, stride, padding } = *self;
        let out = self.out();
        let mut to = 0;
        for (n, g, o) in (0..2 * groups * oc).map(|i| (i / (groups * oc), i / oc % groups, i % oc)) {
            for (y, x) in (0..out * out).map(|i| (i / out, i % out)) {
                for (i, dy, dx) in
                    (0..ic * kernel * kernel).map(|i| (i / kernel / kernel, i / kernel % kernel, i % kernel))
                {
                    let (row, column) = (y * stride + dy - padding, x * stride + dx - padding);
                    if (0..side).contains(&row) && (0..side).contains(&column) {
                        let at = ((n * groups + g) * ic + i) * side * side + row * side + column;
                        let by = (((g * oc + o) * ic + i) * kernel + dy) * kernel + dx;
                        f(at as usize, by as usize, to);
                    }
                }
                to += 1;
            }
        }
    }

    fn expected(&self, src: &[f32], weights: &[f32]) -> Vec<f32> {
        let mut result = vec![0.0; (2 * self.groups * self.oc * self.out() * self.out()) as usize];
        self.for_each_product(|at, by, to| result[to] += src[at] * weights[by]);
        result
    }
}

#[test]
fn padding_adds_nothing_wherever_a_tile_meets_it() {
    let shapes = [
        // One tile a line, a few, many, and lines shorter than a tile.
        Shape { groups: 1, ic: 16, oc: 32, side: 7, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 1, ic: 8, oc: 64, side: 30, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 1, ic: 3, oc: 32, side: 61, kernel: 7, stride: 2, padding: 3 },
        Shape { groups: 1, ic: 8, oc: 40, side: 3, kernel: 3, stride: 1, padding: 2 },
        Shape { groups: 2, ic: 8, oc: 16, side: 9, kernel: 3, stride: 2, padding: 1 },
        Shape { groups: 1, ic: 8, oc: 16, side: 8, kernel: 3, stride: 1, padding: 0 },
        // Rows of whole tiles of groups, in one part and in two, that cross lines, and that lie apart evenly.
        Shape { groups: 1, ic: 64, oc: 32, side: 9, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 1, ic: 576, oc: 16, side: 6, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 1, ic: 64, oc: 48, side: 40, kernel: 1, stride: 1, padding: 0 },
        Shape { groups: 1, ic: 96, oc: 32, side: 11, kernel: 1, stride: 2, padding: 0 },
        // Nothing but padding.
        Shape { groups: 1, ic: 16, oc: 16, side: 1, kernel: 1, stride: 2, padding: 1 },
        // Depthwise: lanes in both factors.
        Shape { groups: 48, ic: 1, oc: 1, side: 20, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 20, ic: 1, oc: 1, side: 11, kernel: 5, stride: 2, padding: 2 },
        Shape { groups: 32, ic: 1, oc: 1, side: 7, kernel: 7, stride: 1, padding: 3 },
        Shape { groups: 16, ic: 1, oc: 1, side: 14, kernel: 3, stride: 1, padding: 2 },
        // The same in tiles of several lines: of whole ones, with a line left over, without padding, of nothing but edges.
        Shape { groups: 32, ic: 1, oc: 1, side: 16, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 48, ic: 1, oc: 1, side: 7, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 32, ic: 1, oc: 1, side: 15, kernel: 3, stride: 1, padding: 0 },
        Shape { groups: 16, ic: 1, oc: 1, side: 4, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 16, ic: 1, oc: 1, side: 3, kernel: 3, stride: 1, padding: 4 },
    ];
    let single = (DataType::F32, DataType::F32, DataType::F32);
    for engine in engines() {
        for (i, shape) in tried(shapes.into_iter().enumerate()) {
            for types in [SHORT[i % SHORT.len()], SHORT[(i + 1) % SHORT.len()], single] {
                let Shape { groups, ic, oc, side, kernel, .. } = shape;
                let src = numbers(2 * groups * ic * side * side, types.0);
                let weights = numbers(groups * oc * ic * kernel * kernel, types.1);
                let expected = shape.expected(&src, &weights);
                assert_eq!(
                    result(&engine, shape.op(PropKind::ForwardInference, types), &src, &weights),
                    expected,
                    "{engine:?} {shape:?} {types:?}"
                );
            }
        }
    }
}

#[test]
fn products_in_groups_leave_out_padded_rows_at_both_ends_of_a_line() {
    // Lines of one tile and of several, of equal and of two sizes, that lack one row or more; sums of one tile and of many.
    let sides = [(2, 3, 1), (7, 3, 1), (14, 3, 1), (49, 3, 1), (13, 5, 2), (5, 7, 3)];
    let bytes = [(DataType::U8, DataType::U8, 0.0, 255.0), (DataType::S8, DataType::S8, -128.0, 127.0)];
    for engine in engines() {
        for (side, kernel, padding) in tried(sides) {
            let shape = Shape { groups: 1, ic: 8, oc: 70, side, kernel, stride: 1, padding };
            let weights = numbers(70 * 8 * kernel * kernel, DataType::S8);
            for (from, to, least, most) in bytes {
                let src = numbers(2 * 8 * side * side, from);
                let op = shape.op(PropKind::ForwardInference, (from, DataType::S8, to));
                let expected = shape.expected(&src, &weights).into_iter().map(|sum| sum.clamp(least, most));
                let expected: Vec<f32> = expected.collect();
                assert_eq!(result(&engine, op, &src, &weights), expected, "{engine:?} {shape:?} {from}");
            }
            let src = numbers(2 * 8 * side * side, DataType::Bf16);
            let op = shape.op(PropKind::ForwardInference, (DataType::Bf16, DataType::Bf16, DataType::F32));
            assert_eq!(result(&engine, op, &src, &weights), shape.expected(&src, &weights), "{engine:?} {shape:?}");
        }
    }
}

#[test]
fn winograd_errs_by_less_than_a_ten_thousandth_of_the_largest_result_in_the_longest_sums_that_auto_gives_it() {
    let shape = Shape { groups: 1, ic: 512, oc: 32, side: 12, kernel: 3, stride: 1, padding: 1 };
    let random = |count: i64, seed: u32| -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..count).map(|_| next()).collect()
    };
    let (src, weights) = (random(2 * 512 * 144, 1), random(32 * 512 * 9, 2));
    let mut exact = Vec::new();
    for (n, o, y, x) in (0..2 * 32 * 144).map(|i| (i / (32 * 144), i / 144 % 32, i / 12 % 12, i % 12)) {
        let mut sum = 0.0;
        for (i, dy, dx) in (0..512 * 9).map(|i| (i / 9, i / 3 % 3, i % 3)) {
            let (row, column) = (y + dy - 1, x + dx - 1);
            if (0..12).contains(&row) && (0..12).contains(&column) {
                let at = ((n * 512 + i) * 12 + row) * 12 + column;
                sum += f64::from(src[at as usize]) * f64::from(weights[((o * 512 + i) * 9 + dy * 3 + dx) as usize]);
            }
        }
        exact.push(sum);
    }
    let largest = exact.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    for engine in engines() {
        let mut op = shape.op(PropKind::ForwardInference, (DataType::F32, DataType::F32, DataType::F32));
        op.alg = AlgKind::ConvolutionWinograd;
        let found = result(&engine, op, &src, &weights);
        let error = exact.iter().zip(found).fold(0.0, |worst: f64, (x, y)| worst.max((x - f64::from(y)).abs()));
        assert!(error < 1e-4 * largest, "{engine:?}: {error} of {largest}");
    }
}

#[test]
fn long_sums_are_exact_whether_pieces_have_sums_of_their_own_or_not() {
    // Each factor is a column by a row, so the product needs only one sum: a piece too many or too few changes it.
    let f32s = |count: i64, period: i64| -> Vec<f32> { (0..count).map(|i| (i * 5 % period) as f32).collect() };
    for engine in engines() {
        for (m, n, k) in [(64, 70, 2560), (520, 512, 1040), (1, 70, 260), (1, 4100, 36)] {
            let (rows, columns, left, right) = (f32s(m, 3), f32s(n, 4), f32s(k, 3), f32s(k, 2));
            let sum: f32 = left.iter().zip(&right).map(|(a, b)| a * b).sum();
            let a: Vec<f32> = rows.iter().flat_map(|row| left.iter().map(move |l| row * l)).collect();
            let b: Vec<f32> = right.iter().flat_map(|r| columns.iter().map(move |column| r * column)).collect();
            let expected: Vec<f32> = rows.iter().flat_map(|row| columns.iter().map(move |c| row * c * sum)).collect();
            let src = MemoryDesc::with_strides(&[m, k], DataType::F32, Some(&[1, m])).unwrap();
            for weights in [MemoryDesc::any(&[k, n], DataType::F32).unwrap(), plain(&[k, n], DataType::F32)] {
                let op = Matmul::new(&src, &weights, None, &plain(&[m, n], DataType::F32)).unwrap();
                assert!(result(&engine, op, &a, &b) == expected, "{engine:?} {m}x{n}x{k}");
            }
        }
    }
}

#[test]
fn transposed_factors_of_short_types_are_exact() {
    for engine in engines() {
        for (from, by, to) in SHORT {
            // Whole panels and others, rows of few columns, reductions that no group divides, several matrices.
            for (batch, m, n, k) in tried([(1, 70, 128, 64), (3, 33, 70, 320), (1, 9, 16, 24), (1, 12, 64, 37)]) {
                let (a, b) = (numbers(batch * k * m, from), numbers(batch * n * k, by));
                let product = |at: i64| {
                    let (matrix, row, column) = (at / n / m, at / n % m, at % n);
                    let left = |i: i64| a[((matrix * k + i) * m + row) as usize];
                    let right = |i: i64| b[((matrix * n + column) * k + i) as usize];
                    (0..k).map(|i| left(i) * right(i)).sum()
                };
                let expected: Vec<f32> = (0..batch * m * n).map(product).collect();
                let turned = |rows: i64, columns: i64, data_type| {
                    let strides = [rows * columns, 1, rows];
                    MemoryDesc::with_strides(&[batch, rows, columns], data_type, Some(&strides)).unwrap()
                };
                let [a, b] = [(&a, k, m), (&b, n, k)].map(|(values, rows, columns)| transposed(values, rows, columns));
                for weights in [turned(k, n, by), plain(&[batch, k, n], by)] {
                    let op = Matmul::new(&turned(m, k, from), &weights, None, &plain(&[batch, m, n], to)).unwrap();
                    assert!(result(&engine, op, &a, &b) == expected, "{engine:?} {from} {batch}x{m}x{n}x{k}");
                }
            }
        }
    }
}

/// Matrices of so many rows and columns, turned.
fn transposed(values: &[f32], rows: i64, columns: i64) -> Vec<f32> {
    let (rows, columns) = (rows as usize, columns as usize);
    let turn = |matrix: &[f32]| -> Vec<f32> {
        (0..rows * columns).map(|at| matrix[at % rows * columns + at / rows]).collect()
    };
    values.chunks(rows * columns).flat_map(turn).collect()
}

#[test]
fn pointwise_products_leave_out_lines_of_padding_and_lines_between_steps() {
    // The one loop of their sums has no position in an image, so nothing but the tile tells where they count.
    let shapes = [
        Shape { groups: 1, ic: 16, oc: 16, side: 4, kernel: 1, stride: 1, padding: 1 },
        Shape { groups: 1, ic: 64, oc: 40, side: 1, kernel: 1, stride: 2, padding: 2 },
        Shape { groups: 1, ic: 64, oc: 32, side: 13, kernel: 1, stride: 2, padding: 0 },
    ];
    for engine in engines() {
        for shape in shapes {
            let Shape { ic, oc, side, .. } = shape;
            let weights = numbers(oc * ic, DataType::S8);
            for types in SHORT {
                let src = numbers(2 * ic * side * side, types.0);
                let found = result(&engine, shape.op(PropKind::ForwardInference, types), &src, &weights);
                assert!(found == shape.expected(&src, &weights), "{engine:?} {shape:?} {types:?}");
            }
            let gradient = numbers(2 * oc * shape.out() * shape.out(), DataType::F32);
            let mut expected = vec![0.0; (2 * ic * side * side) as usize];
            shape.for_each_product(|at, by, to| expected[at] += gradient[to] * weights[by]);
            for short in [DataType::Bf16, DataType::F16] {
                let op = shape.op(PropKind::BackwardData, (DataType::F32, short, short));
                let inputs = [(arg::DIFF_DST, &gradient[..]), (arg::WEIGHTS, &weights[..])];
                assert!(computed(&engine, op, inputs, arg::DIFF_SRC) == expected, "{engine:?} {shape:?} {short}");
            }
        }
    }
}

#[test]
fn gradients_of_wide_padding_leave_it_out_in_short_types() {
    let shape = Shape { groups: 1, ic: 16, oc: 16, side: 5, kernel: 3, stride: 1, padding: 3 };
    let (gradient, weights) =
        (numbers(2 * 16 * shape.out() * shape.out(), DataType::F32), numbers(2304, DataType::F32));
    let mut expected = vec![0.0; 2 * 16 * 5 * 5];
    shape.for_each_product(|at, by, to| expected[at] += gradient[to] * weights[by]);
    for engine in engines() {
        let op = shape.op(PropKind::BackwardData, (DataType::F32, DataType::Bf16, DataType::Bf16));
        let inputs = [(arg::DIFF_DST, &gradient[..]), (arg::WEIGHTS, &weights[..])];
        assert!(computed(&engine, op, inputs, arg::DIFF_SRC) == expected, "{engine:?}");
    }
}

#[test]
fn rows_that_do_not_fill_tiles_are_computed_once_each() {
    for engine in engines() {
        for (m, n, k) in [(22, 128, 9), (46, 96, 5), (128, 64, 3)] {
            let (a, b) = (numbers(m * k, DataType::F32), numbers(k * n, DataType::F32));
            let product = |at: i64| (0..k).map(|i| a[(at / n * k + i) as usize] * b[(i * n + at % n) as usize]).sum();
            let expected: Vec<f32> = (0..m * n).map(product).collect();
            let md = |dims: [i64; 2]| plain(&dims, DataType::F32);
            let weights = MemoryDesc::any(&[k, n], DataType::F32).unwrap();
            let op = Matmul::new(&md([m, k]), &weights, None, &md([m, n])).unwrap();
            assert!(result(&engine, op, &a, &b) == expected, "{engine:?} {m}x{n}x{k}");
        }
    }
}

#[test]
fn last_columns_are_stored_with_those_before_them_unless_they_are_added_to() {
    let short = [DataType::F32, DataType::Bf16, DataType::S8];
    for engine in engines() {
        for (data_type, (m, n, k)) in
            short.iter().flat_map(|&of| [(50, 30, 24), (33, 41, 8), (29, 104, 4)].map(|s| (of, s)))
        {
            let (a, b) = (numbers(m * k, data_type), numbers(k * n, data_type));
            let before = numbers(m * n, DataType::F32);
            let product = |at: i64| (0..k).map(|i| a[(at / n * k + i) as usize] * b[(i * n + at % n) as usize]).sum();
            let products: Vec<f32> = (0..m * n).map(product).collect();
            let weights = MemoryDesc::any(&[k, n], data_type).unwrap();
            let (src, dst) = (plain(&[m, k], data_type), plain(&[m, n], DataType::F32));
            for added in [false, true] {
                let op = Matmul::new(&src, &weights, None, &dst).unwrap();
                let sum = PostOps::new().sum(2.0).unwrap();
                let attr = if added { Attr::new().with_post_ops(sum) } else { Attr::new() };
                let desc = PrimitiveDesc::new(&engine, op, &attr).unwrap();
                let src = filled(&engine, &src, &a);
                let weights = filled(&engine, desc.arg(arg::WEIGHTS).unwrap(), &b);
                let out = filled(&engine, &dst, &before);
                let stream = Stream::new(&engine).unwrap();
                let args = [(arg::SRC, &src), (arg::WEIGHTS, &weights), (arg::DST, &out)];
                Primitive::new(&desc).unwrap().execute(&stream, &args).unwrap();
                stream.wait().unwrap();
                let share = if added { 2.0 } else { 0.0 };
                let expected: Vec<f32> = products.iter().zip(&before).map(|(new, old)| new + share * old).collect();
                let found = out.read_to::<f32>().unwrap();
                assert!(found == expected, "{engine:?} {data_type} {m}x{n}x{k} {added}");
            }
        }
    }
}

#[test]
fn gradients_of_depthwise_data_are_exact_with_channels_in_blocks_and_innermost() {
    let shapes = [
        Shape { groups: 48, ic: 1, oc: 1, side: 14, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 32, ic: 1, oc: 1, side: 23, kernel: 3, stride: 1, padding: 2 },
        Shape { groups: 16, ic: 1, oc: 1, side: 16, kernel: 5, stride: 2, padding: 2 },
        Shape { groups: 20, ic: 1, oc: 1, side: 9, kernel: 3, stride: 1, padding: 1 },
    ];
    for engine in engines() {
        for shape in shapes {
            let Shape { groups, side, kernel, .. } = shape;
            let weights = numbers(groups * kernel * kernel, DataType::F32);
            let dst = numbers(2 * groups * shape.out() * shape.out(), DataType::F32);
            let mut expected = vec![0.0; (2 * groups * side * side) as usize];
            shape.for_each_product(|at, by, to| expected[at] += weights[by] * dst[to]);
            let single = (DataType::F32, DataType::F32, DataType::F32);
            for op in [shape.op(PropKind::BackwardData, single), shape.op_channels_innermost(PropKind::BackwardData)] {
                let found = computed(&engine, op, [(arg::WEIGHTS, &weights), (arg::DIFF_DST, &dst)], arg::DIFF_SRC);
                assert!(found == expected, "{engine:?} {shape:?}");
            }
        }
    }
}

#[test]
fn gradients_of_weights_sum_over_all_of_an_image_but_its_padding() {
    let shapes = [
        Shape { groups: 1, ic: 20, oc: 24, side: 13, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 1, ic: 17, oc: 33, side: 12, kernel: 3, stride: 2, padding: 1 },
        Shape { groups: 2, ic: 16, oc: 64, side: 40, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 1, ic: 3, oc: 64, side: 45, kernel: 7, stride: 2, padding: 3 },
        // Planes: rows of them of an even and of an odd length, with padding and without, of one image and of two at a time.
        Shape { groups: 1, ic: 20, oc: 40, side: 13, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 2, ic: 17, oc: 64, side: 12, kernel: 2, stride: 1, padding: 0 },
        Shape { groups: 1, ic: 16, oc: 32, side: 9, kernel: 4, stride: 1, padding: 2 },
        // Images as matrices, of one piece and of several.
        Shape { groups: 1, ic: 40, oc: 64, side: 14, kernel: 1, stride: 1, padding: 0 },
        Shape { groups: 1, ic: 64, oc: 72, side: 56, kernel: 1, stride: 1, padding: 0 },
        Shape { groups: 40, ic: 1, oc: 1, side: 14, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 32, ic: 1, oc: 1, side: 15, kernel: 3, stride: 2, padding: 1 },
        // All sums of a window at once: lines of whole blocks and others, windows in part, many panels, several pieces.
        Shape { groups: 272, ic: 1, oc: 1, side: 14, kernel: 3, stride: 1, padding: 1 },
        Shape { groups: 48, ic: 1, oc: 1, side: 13, kernel: 5, stride: 1, padding: 3 },
        Shape { groups: 16, ic: 1, oc: 1, side: 33, kernel: 3, stride: 1, padding: 0 },
    ];
    for engine in engines() {
        for shape in tried(shapes) {
            let Shape { groups, ic, oc, side, kernel, .. } = shape;
            let src = numbers(2 * groups * ic * side * side, DataType::F32);
            let dst = numbers(2 * groups * oc * shape.out() * shape.out(), DataType::F32);
            let mut expected = vec![0.0; (groups * oc * ic * kernel * kernel) as usize];
            shape.for_each_product(|at, by, to| expected[by] += src[at] * dst[to]);
            for short in [DataType::F32, DataType::Bf16] {
                let op = shape.op(PropKind::BackwardWeights, (short, DataType::F32, short));
                let found = computed(&engine, op, [(arg::SRC, &src), (arg::DIFF_DST, &dst)], arg::DIFF_WEIGHTS);
                assert!(found == expected, "{engine:?} {shape:?} {short}");
            }
            if ic == 1 {
                let op = shape.op_channels_innermost(PropKind::BackwardWeights);
                let found = computed(&engine, op, [(arg::SRC, &src), (arg::DIFF_DST, &dst)], arg::DIFF_WEIGHTS);
                assert!(found == expected, "{engine:?} {shape:?}, channels innermost");
            }
        }
    }
}
