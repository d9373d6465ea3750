//! Sums of short numbers that are no multiple of what instructions take at a time: they are rounded up with zeros, wherever the factors
//! lie. Numbers are small and whole, so sums are exact and compared as such.

mod support;

use oxidnn::desc::DataType::{Bf16, F32, S8, S32, U8};
use oxidnn::desc::*;
use oxidnn::{Engine, Memory, PrimitiveDesc};

use support::window::Case;
use support::{engines, numbers, reordered, run, tried};

const TYPES: [[DataType; 3]; 3] = [[Bf16, Bf16, F32], [U8, S8, S32], [S8, S8, S32]];

fn plain(dims: &[i64]) -> MemoryDesc {
    MemoryDesc::with_strides(dims, F32, None).unwrap()
}

/// A product of matrices in a batch; rows of the source lie `apart`, and the weights' layout is plain, turned, or left to the library.
fn check(engine: &Engine, types: [DataType; 3], [batch, m, k, n]: [i64; 4], apart: i64, weights: &str) {
    let what = format!("{engine:?} {types:?} {batch}x{m}x{k}x{n} {apart} {weights}");
    let dims = [[batch, m, k], [batch, k, n], [batch, m, n]];
    let src = MemoryDesc::with_strides(&dims[0], types[0], Some(&[m * apart, apart, 1])).unwrap();
    let weights = match weights {
        "any" => MemoryDesc::any(&dims[1], types[1]),
        "turned" => MemoryDesc::with_strides(&dims[1], types[1], Some(&[k * n, 1, k])),
        _ => MemoryDesc::with_strides(&dims[1], types[1], None),
    };
    let dst = MemoryDesc::with_strides(&dims[2], types[2], None).unwrap();
    let op = Matmul::new(&src, &weights.unwrap(), None, &dst).unwrap();
    let desc = PrimitiveDesc::new(engine, op, &Attr::new()).unwrap();
    let [a, b] = [0, 1].map(|i| numbers(dims[i].iter().product(), types[i]));
    let memory = |number: i32, values: &[f32]| {
        let md = desc.arg(number).unwrap();
        let memory = Memory::new(engine, &plain(md.dims())).unwrap();
        memory.write_from(values).unwrap();
        reordered(engine, &memory, md)
    };
    let (src, weights) = (memory(arg::SRC, &a), memory(arg::WEIGHTS, &b));
    let result = Memory::new(engine, &dst).unwrap();
    run(engine, &desc, &[(arg::SRC, &src), (arg::WEIGHTS, &weights), (arg::DST, &result)]);
    let mut expected = Vec::new();
    for (batch, row, column) in (0..batch * m * n).map(|i| (i / (m * n), i / n % m, i % n)) {
        let product =
            |step: i64| a[((batch * m + row) * k + step) as usize] * b[((batch * k + step) * n + column) as usize];
        expected.push((0..k).map(product).sum::<f32>());
    }
    assert!(reordered(engine, &result, &plain(&dims[2])).read_to::<f32>().unwrap() == expected, "{what}");
}

#[test]
fn products_of_any_length_are_exact() {
    for engine in engines() {
        for types in TYPES {
            for sizes in tried([
                [1, 33, 31, 48],
                [1, 9, 5, 17],
                [1, 3, 127, 40],
                [2, 20, 30, 35],
                [1, 40, 33, 12],
                // Columns that fill five and seven vectors, which a tile has all of, and a single one.
                [1, 40, 64, 80],
                [1, 4, 36, 112],
                [2, 25, 36, 16],
                [3, 1, 65, 64],
            ]) {
                for (apart, weights) in
                    [(sizes[2], "any"), (sizes[2], "plain"), (sizes[2] + 3, "plain"), (sizes[2], "turned")]
                {
                    check(&engine, types, sizes, apart, weights);
                }
            }
        }
    }
}

#[test]
fn images_of_few_colours_are_convolved_exactly() {
    let colours = Case {
        groups: 1,
        channels: [3, 20],
        image: [1, 9, 11],
        kernel: [1, 3, 5],
        strides: [1, 2, 2],
        padding: [0, 1, 2],
        result: [1, 5, 6],
    };
    let cases = [
        colours,
        // Without padding, and with so much that whole windows lie in it.
        Case { padding: [0; 3], result: [1, 4, 4], ..colours },
        Case { padding: [0, 3, 6], strides: [1; 3], result: [1, 13, 19], ..colours },
        // A window of one column, one line, one point.
        Case { kernel: [1, 3, 1], padding: [0, 1, 0], ..colours },
        Case { kernel: [1, 1, 3], strides: [1; 3], padding: [0, 0, 1], result: [1, 9, 11], ..colours },
        Case { kernel: [1; 3], strides: [1; 3], padding: [0; 3], result: [1, 9, 11], ..colours },
        Case { channels: [1, 16], ..colours },
        Case { channels: [1, 16], image: [1, 48, 50], strides: [1; 3], result: [1, 48, 50], ..colours },
        Case {
            channels: [1, 16],
            image: [1, 48, 50],
            strides: [1; 3],
            padding: [0; 3],
            result: [1, 46, 46],
            ..colours
        },
        Case { channels: [2, 33], ..colours },
        Case { channels: [4, 64], ..colours },
        Case { channels: [5, 24], ..colours },
        Case { channels: [30, 18], ..colours },
        Case { channels: [3, 64], image: [1, 21, 23], strides: [1; 3], result: [1, 21, 23], ..colours },
        Case { channels: [16, 80], strides: [1; 3], result: [1, 9, 11], ..colours },
        Case { groups: 2, channels: [3, 20], ..colours },
        Case { groups: 3, channels: [6, 16], ..colours },
        Case { image: [4, 5, 6], kernel: [2, 3, 3], strides: [1; 3], padding: [1, 0, 1], result: [5, 3, 6], ..colours },
    ];
    for engine in engines() {
        for case in tried(cases) {
            for types in TYPES {
                case.check(&engine, types, true);
            }
            // Plain weights are copied by the same stage whatever their type.
            case.check(&engine, [U8, S8, S32], false);
        }
    }
}
