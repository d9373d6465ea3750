//! Products of matrices with sparse and grouped factors and with computed scales, on every engine, against loops.

mod support;

use oxidnn::desc::DataType::{E8m0, F4E2m1, F8E4m3, F8E5m2, F32, S4, S8, S32, U4};
use oxidnn::desc::*;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Status, Stream};

use support::{engines, tried};

/// Small whole numbers, so that sums are exact.
fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7 + seed) % 11) as f32 - 5.0).collect()
}

fn md(dims: &[i64], data_type: DataType) -> MemoryDesc {
    MemoryDesc::with_strides(dims, data_type, None).unwrap()
}

fn floats(engine: &Engine, dims: &[i64], values: &[f32]) -> Memory {
    let memory = Memory::new(engine, &md(dims, F32)).unwrap();
    memory.write_from(values).unwrap();
    memory
}

fn integers(engine: &Engine, values: &[i32]) -> Memory {
    let memory = Memory::new(engine, &md(&[values.len() as i64], S32)).unwrap();
    memory.write_from(values).unwrap();
    memory
}

/// A memory whose buffers are those of others.
fn joined(engine: &Engine, md: &MemoryDesc, parts: &[&Memory]) -> Memory {
    let buffers = parts.iter().map(|part| part.buffer(0).unwrap()).collect();
    Memory::from_buffers(engine, md, parts[0].kind(), buffers).unwrap()
}

fn run(engine: &Engine, op: Matmul, attr: &Attr, args: &[(i32, &Memory)]) {
    let primitive = Primitive::new(&PrimitiveDesc::new(engine, op, attr).unwrap()).unwrap();
    let stream = Stream::new(engine).unwrap();
    primitive.execute(&stream, args).unwrap();
    stream.wait().unwrap();
}

/// `a * b` for matrices of `m` x `k` and `k` x `n`.
fn product(a: &[f32], b: &[f32], [m, k, n]: [usize; 3]) -> Vec<f32> {
    (0..m * n).map(|i| (0..k).map(|l| a[i / n * k + l] * b[l * n + i % n]).sum()).collect()
}

/// A matrix of which some elements are zero, some rows empty.
fn holes(rows: usize, columns: usize) -> Vec<f32> {
    let keep = |i: usize| (i * 5 + i / columns * 3) % 7 < 2 && i / columns % 4 != 1;
    numbers(rows * columns, 6).into_iter().enumerate().map(|(i, x)| if keep(i) { x } else { 0.0 }).collect()
}

/// The stored elements of a matrix: values, rows and columns.
fn stored(matrix: &[f32], columns: usize) -> (Vec<f32>, Vec<i32>, Vec<i32>) {
    let kept = || matrix.iter().enumerate().filter(|(_, x)| **x != 0.0);
    (
        kept().map(|(_, &x)| x).collect(),
        kept().map(|(i, _)| (i / columns) as i32).collect(),
        kept().map(|(i, _)| (i % columns) as i32).collect(),
    )
}

#[test]
fn a_sparse_factor_counts_for_what_it_stores() {
    for engine in engines() {
        for [m, k, n] in [[9, 14, 21], [5, 40, 64], [1, 7, 3]] {
            for sparse_src in [true, false] {
                let (rows, columns) = if sparse_src { (m, k) } else { (k, n) };
                let matrix = holes(rows, columns);
                let dense = if sparse_src { numbers(k * n, 3) } else { numbers(m * k, 3) };
                let (values, row_of, column_of) = stored(&matrix, columns);
                let nnz = values.len() as i64;
                let dims = [rows as i64, columns as i64];
                let pointers: Vec<i32> =
                    (0..=rows as i32).map(|row| row_of.iter().filter(|&&r| r < row).count() as i32).collect();
                let [values_memory, rows_memory, columns_memory, pointers_memory] = [
                    floats(&engine, &[nnz], &values),
                    integers(&engine, &row_of),
                    integers(&engine, &column_of),
                    integers(&engine, &pointers),
                ];
                let csr = MemoryDesc::csr(&dims, F32, nnz, S32, S32).unwrap();
                let coo = MemoryDesc::coo(&dims, F32, nnz, S32).unwrap();
                for (encoded, parts) in [
                    (csr, [&values_memory, &columns_memory, &pointers_memory]),
                    (coo, [&values_memory, &rows_memory, &columns_memory]),
                ] {
                    let sparse = joined(&engine, &encoded, &parts);
                    let dense_dims = if sparse_src { [k as i64, n as i64] } else { [m as i64, k as i64] };
                    let other = floats(&engine, &dense_dims, &dense);
                    let dst = floats(&engine, &[m as i64, n as i64], &vec![f32::NAN; m * n]);
                    let (src, weights) = if sparse_src { (&sparse, &other) } else { (&other, &sparse) };
                    let op = Matmul::new(src.desc(), weights.desc(), None, dst.desc()).unwrap();
                    let args = [(arg::SRC, src), (arg::WEIGHTS, weights), (arg::DST, &dst)];
                    run(&engine, op, &Attr::new(), &args);
                    let expected = if sparse_src {
                        product(&matrix, &dense, [m, k, n])
                    } else {
                        product(&dense, &matrix, [m, k, n])
                    };
                    assert_eq!(dst.read_to::<f32>().unwrap(), expected, "{m}x{k}x{n} {encoded:?} on {engine:?}");
                }
            }
        }
    }
}

#[test]
fn each_group_of_rows_meets_its_own_weights() {
    let sizes = [3usize, 0, 5, 1];
    let ends: Vec<i32> = sizes
        .iter()
        .scan(0, |sum, size| {
            *sum += *size as i32;
            Some(*sum)
        })
        .collect();
    let (rows, k, n) = (9usize, 6usize, 20usize);
    let group_of = |row: usize| ends.iter().filter(|&&end| end as usize <= row).count();
    let (a, b, bias) = (numbers(rows * k, 1), numbers(4 * k * n, 2), numbers(4 * n, 3));
    let (row_scales, group_scales) = (numbers(rows, 4), numbers(4, 5));
    for engine in engines() {
        let offsets = integers(&engine, &ends);
        let grouped = |columns: usize| MemoryDesc::grouped(&[rows as i64, columns as i64], F32, 0, 4, S32).unwrap();
        let src = joined(&engine, &grouped(k), &[&floats(&engine, &[(rows * k) as i64], &a), &offsets]);
        let result = floats(&engine, &[(rows * n) as i64], &vec![f32::NAN; rows * n]);
        let dst = joined(&engine, &grouped(n), &[&result, &offsets]);
        let weights = floats(&engine, &[4, k as i64, n as i64], &b);
        let bias_memory = floats(&engine, &[4, n as i64], &bias);
        let per_row = floats(&engine, &[rows as i64, 1], &row_scales);
        let per_group = floats(&engine, &[4, 1], &group_scales);
        let post_ops = PostOps::new()
            .binary(AlgKind::BinaryMul, per_row.desc().clone())
            .and_then(|list| list.binary(AlgKind::BinaryMul, per_group.desc().clone()))
            .unwrap();
        let op = Matmul::new(src.desc(), weights.desc(), Some(bias_memory.desc()), dst.desc()).unwrap();
        let args = [
            (arg::SRC, &src),
            (arg::WEIGHTS, &weights),
            (arg::BIAS, &bias_memory),
            (arg::DST, &dst),
            (arg::post_op(0) | arg::SRC_1, &per_row),
            (arg::post_op(1) | arg::SRC_1, &per_group),
        ];
        run(&engine, op, &Attr::new().with_post_ops(post_ops), &args);
        let expected: Vec<f32> = (0..rows * n)
            .map(|i| {
                let (row, column) = (i / n, i % n);
                let group = group_of(row);
                let sum: f32 = (0..k).map(|l| a[row * k + l] * b[(group * k + l) * n + column]).sum();
                (sum + bias[group * n + column]) * row_scales[row] * group_scales[group]
            })
            .collect();
        assert_eq!(result.read_to::<f32>().unwrap(), expected, "{engine:?}");
    }
}

#[test]
fn groups_of_the_reduced_dimension_have_a_product_each() {
    let ends = [4i32, 4, 11];
    let (m, total, n) = (5usize, 11usize, 18usize);
    let (a, b) = (numbers(m * total, 1), numbers(total * n, 2));
    for engine in engines() {
        let offsets = integers(&engine, &ends);
        let src_md = MemoryDesc::grouped(&[m as i64, total as i64], F32, 1, 3, S32).unwrap();
        let weights_md = MemoryDesc::grouped(&[total as i64, n as i64], F32, 0, 3, S32).unwrap();
        let src = joined(&engine, &src_md, &[&floats(&engine, &[(m * total) as i64], &a), &offsets]);
        let weights = joined(&engine, &weights_md, &[&floats(&engine, &[(total * n) as i64], &b), &offsets]);
        let dst = floats(&engine, &[3, m as i64, n as i64], &vec![f32::NAN; 3 * m * n]);
        let op = Matmul::new(src.desc(), weights.desc(), None, dst.desc()).unwrap();
        run(&engine, op, &Attr::new(), &[(arg::SRC, &src), (arg::WEIGHTS, &weights), (arg::DST, &dst)]);
        let expected: Vec<f32> = (0..3 * m * n)
            .map(|i| {
                let (group, row, column) = (i / (m * n), i / n % m, i % n);
                let start = if group == 0 { 0 } else { ends[group - 1] as usize };
                // The source is column-major.
                (start..ends[group] as usize).map(|l| a[l * m + row] * b[l * n + column]).sum()
            })
            .collect();
        assert_eq!(dst.read_to::<f32>().unwrap(), expected, "{engine:?}");
        // oneDNN takes no attributes here.
        let scale = floats(&engine, &[1], &[0.5]);
        let relu = PostOps::new().eltwise(AlgKind::EltwiseRelu, 0.0, 0.0).unwrap();
        let attr = Attr::new().with_scales(arg::SRC, Quant::scales(0)).unwrap().with_post_ops(relu);
        let op = Matmul::new(src.desc(), weights.desc(), None, dst.desc()).unwrap();
        let args =
            [(arg::SRC, &src), (arg::WEIGHTS, &weights), (arg::DST, &dst), (arg::ATTR_SCALES | arg::SRC, &scale)];
        run(&engine, op, &attr, &args);
        let expected: Vec<f32> = expected.iter().map(|x| (x * 0.5).max(0.0)).collect();
        assert_eq!(dst.read_to::<f32>().unwrap(), expected, "{engine:?}: with a scale and ReLU");
    }
}

#[test]
fn weights_with_numbers_of_groups_may_lie_along_what_is_summed() {
    let (k, n, group) = (96usize, 34usize, 32usize);
    let of_group = |i: usize| i / n / group * n + i % n;
    let scales: Vec<f32> = (0..k / group * n).map(|i| [0.5, 1.0, 2.0][i % 3]).collect();
    let zero_points: Vec<i32> = (0..k / group * n).map(|i| i as i32 % 4).collect();
    let attr = Attr::new().with_scales(arg::WEIGHTS, Quant::scales(3).groups(&[group as i64, 1]).unwrap()).unwrap();
    let shifted = Quant::zero_points(3).groups(&[group as i64, 1]).unwrap();
    let shifted = attr.clone().with_zero_points(arg::WEIGHTS, shifted).unwrap();
    for engine in engines() {
        for (by, lowest, attr) in [(S8, -5.0, &attr), (S4, -5.0, &attr), (U4, 0.0, &shifted)] {
            // One row, few of them, and more than vectors have lanes.
            for m in tried([1usize, 5, 2, 20, 16, 30]) {
                let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
                let b: Vec<f32> = b.into_iter().map(|x| x + 5.0 + lowest).collect();
                let shift = |i: usize| if by == U4 { zero_points[of_group(i)] as f32 } else { 0.0 };
                let real: Vec<f32> = (0..k * n).map(|i| (b[i] - shift(i)) * scales[of_group(i)]).collect();
                let dims = [k as i64, n as i64];
                let along = MemoryDesc::with_strides(&dims, by, Some(&[1, k as i64])).unwrap();
                let weights = Memory::new(&engine, &along).unwrap();
                let plain = floats(&engine, &dims, &b);
                let copy =
                    PrimitiveDesc::new(&engine, Reorder::new(plain.desc(), &along).unwrap(), &Attr::new()).unwrap();
                let stream = Stream::new(&engine).unwrap();
                Primitive::new(&copy).unwrap().execute(&stream, &[(arg::SRC, &plain), (arg::DST, &weights)]).unwrap();
                stream.wait().unwrap();
                let src = floats(&engine, &[m as i64, k as i64], &a);
                let dst = floats(&engine, &[m as i64, n as i64], &vec![f32::NAN; m * n]);
                let numbers_of = [(k / group) as i64, n as i64];
                let scale = floats(&engine, &numbers_of, &scales);
                let zero_point = integers(&engine, &zero_points);
                let op = Matmul::new(src.desc(), &along, None, dst.desc()).unwrap();
                let mut args = vec![(arg::SRC, &src), (arg::WEIGHTS, &weights), (arg::DST, &dst)];
                args.push((arg::ATTR_SCALES | arg::WEIGHTS, &scale));
                if by == U4 {
                    args.push((arg::ATTR_ZERO_POINTS | arg::WEIGHTS, &zero_point));
                }
                run(&engine, op, attr, &args);
                let found = dst.read_to::<f32>().unwrap();
                assert!(found == product(&a, &real, [m, k, n]), "{engine:?}: {m} rows by {by}");
            }
        }
    }
}

/// A tile has all of these rows, at several steps of the sum at once, or in groups that take turns at blocks of steps. The last block may be shorter.
#[test]
fn few_rows_by_a_matrix_that_no_cache_holds_are_exact() {
    let n = 8404usize;
    for engine in engines().iter().filter(|engine| engine.kind() == EngineKind::Gpu) {
        for (m, k) in tried([(16usize, 1024usize), (9, 1036), (2, 1024)]) {
            let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
            let plain = floats(engine, &[k as i64, n as i64], &b);
            let any = MemoryDesc::any(&[k as i64, n as i64], F32).unwrap();
            let src = floats(engine, &[m as i64, k as i64], &a);
            let dst = floats(engine, &[m as i64, n as i64], &vec![f32::NAN; m * n]);
            let op = Matmul::new(src.desc(), &any, None, dst.desc()).unwrap();
            let desc = PrimitiveDesc::new(engine, op, &Attr::new()).unwrap();
            let weights = Memory::new(engine, desc.arg(arg::WEIGHTS).unwrap()).unwrap();
            let copy = Reorder::new(plain.desc(), weights.desc()).unwrap();
            let copy = Primitive::new(&PrimitiveDesc::new(engine, copy, &Attr::new()).unwrap()).unwrap();
            let stream = Stream::new(engine).unwrap();
            copy.execute(&stream, &[(arg::SRC, &plain), (arg::DST, &weights)]).unwrap();
            let args = [(arg::SRC, &src), (arg::WEIGHTS, &weights), (arg::DST, &dst)];
            Primitive::new(&desc).unwrap().execute(&stream, &args).unwrap();
            stream.wait().unwrap();
            let found = dst.read_to::<f32>().unwrap();
            for column in (0..n).step_by(61).chain(n - 16..n) {
                for row in 0..m {
                    let expected: f32 = (0..k).map(|l| a[row * k + l] * b[l * n + column]).sum();
                    assert_eq!(found[row * n + column], expected, "{engine:?}: {m} rows, at {row}, {column}");
                }
            }
        }
    }
}

/// Devices only meet the ends of groups in a kernel; the host looks first.
#[test]
fn the_host_refuses_groups_that_do_not_agree() {
    let engine = Engine::new(EngineKind::Cpu, 0).unwrap();
    let (rows, k, n) = (6i64, 4, 3);
    let grouped = |columns: i64| MemoryDesc::grouped(&[rows, columns], F32, 0, 2, S32).unwrap();
    let post_ops = PostOps::new().binary(AlgKind::BinaryMul, grouped(n)).unwrap();
    let op = Matmul::new(&grouped(k), &md(&[2, k, n], F32), None, &grouped(n)).unwrap();
    let desc = PrimitiveDesc::new(&engine, op, &Attr::new().with_post_ops(post_ops)).unwrap();
    let primitive = Primitive::new(&desc).unwrap();
    let stream = Stream::new(&engine).unwrap();
    let weights = Memory::new(&engine, &md(&[2, k, n], F32)).unwrap();
    let status = |ends: [[i32; 2]; 3]| {
        let [src, dst, factor] = [(k, ends[0]), (n, ends[1]), (n, ends[2])].map(|(columns, ends)| {
            let values = Memory::new(&engine, &md(&[rows * columns], F32)).unwrap();
            joined(&engine, &grouped(columns), &[&values, &integers(&engine, &ends)])
        });
        let args =
            [(arg::SRC, &src), (arg::WEIGHTS, &weights), (arg::DST, &dst), (arg::post_op(0) | arg::SRC_1, &factor)];
        primitive.execute(&stream, &args).map_err(|error| error.status())
    };
    for ends in [[3, 6], [0, 6], [6, 6], [2, 5]] {
        assert_eq!(status([ends; 3]), Ok(()), "{ends:?}");
    }
    for ends in [[3, 7], [-1, 6], [4, 3]] {
        assert_eq!(status([ends; 3]), Err(Status::InvalidArguments), "{ends:?}");
    }
    for odd in 0..3 {
        let mut ends = [[3, 6]; 3];
        ends[odd] = [2, 6];
        assert_eq!(status(ends), Err(Status::InvalidArguments), "{ends:?}");
    }
}

/// What a computed scale stands for, and what an element becomes with it.
#[test]
fn computed_scales_fit_the_largest_of_each_group() {
    let (m, k, n) = (3usize, 8usize, 64usize);
    let identity: Vec<f32> = (0..m * k).map(|i| f32::from(u8::from(i / k == i % k))).collect();
    // With these factors the product is the first rows of the weights.
    let weights: Vec<f32> = (0..k * n).map(|i| ((i * 37 % 101) as f32 - 50.0) * [1.0, 0.01, 0.0][i / n % 3]).collect();
    let decode = oxidnn::codegen::float::decode;
    for engine in engines() {
        for (data_type, mode, group) in [
            (F8E4m3, QuantizationMode::DynamicMx, 32usize),
            (F8E5m2, QuantizationMode::DynamicMx, 32),
            (F4E2m1, QuantizationMode::DynamicMx, 32),
            (F4E2m1, QuantizationMode::DynamicFp, 16),
        ] {
            let most = match data_type {
                F8E4m3 => 448.0,
                F8E5m2 => 57344.0,
                _ => 6.0f64,
            };
            let is_mx = mode == QuantizationMode::DynamicMx;
            let scale_type = if is_mx { E8m0 } else { F8E4m3 };
            let quant = Quant::scales(3).data_type(scale_type).groups(&[1, group as i64]).unwrap().mode(mode);
            let attr = Attr::new().with_scales(arg::DST, quant).unwrap();
            let src = floats(&engine, &[m as i64, k as i64], &identity);
            let right = floats(&engine, &[k as i64, n as i64], &weights);
            let dst = Memory::new(&engine, &md(&[m as i64, n as i64], data_type)).unwrap();
            let scales = Memory::new(&engine, &md(&[m as i64, (n / group) as i64], scale_type)).unwrap();
            let op = Matmul::new(src.desc(), right.desc(), None, dst.desc()).unwrap();
            let args =
                [(arg::SRC, &src), (arg::WEIGHTS, &right), (arg::DST, &dst), (arg::ATTR_SCALES | arg::DST, &scales)];
            run(&engine, op, &attr, &args);
            let (values, found) = (dst.read_bytes().unwrap(), scales.read_bytes().unwrap());
            for i in 0..m * n {
                let row = &weights[i / n * n + i % n / group * group..][..group];
                let peak = row.iter().fold(0f64, |peak, &x| peak.max(f64::from(x.abs())));
                let wanted = if is_mx {
                    let power = |x: f64| if x == 0.0 { 2f64.powi(-127) } else { 2f64.powf(x.log2().floor()) };
                    (power(peak) / power(most)).max(2f64.powi(-127))
                } else {
                    (peak / most).clamp(0.125, 448.0)
                };
                let scale = decode(scale_type, u64::from(found[i / group]));
                assert!((scale / wanted - 1.0).abs() <= if is_mx { 0.0 } else { 1.0 / 16.0 }, "{scale} for {wanted}");
                let bits = match data_type.bits() {
                    4 => u64::from(values[i / 2] >> (i % 2 * 4) & 15),
                    _ => u64::from(values[i]),
                };
                let exact = (f64::from(weights[i / n * n + i % n]) / scale).clamp(-most, most);
                // Half of the distance between neighbours, of numbers and of the smallest of them.
                let (relative, absolute) = match data_type {
                    F8E4m3 => (1.0 / 16.0, 2f64.powi(-10)),
                    F8E5m2 => (1.0 / 8.0, 2f64.powi(-17)),
                    _ => (1.0 / 4.0, 1.0 / 4.0),
                };
                let error = (decode(data_type, bits) - exact).abs();
                assert!(
                    error <= (exact.abs() * relative).max(absolute) * 1.0001,
                    "{data_type}: {exact} became {bits:x} on {engine:?}"
                );
            }
        }
    }
}

#[test]
fn math_modes_round_factors_and_nothing_else() {
    let sizes @ [m, k, n] = [48, 96, 80];
    // What lies between two numbers of bf16 becomes one of them, or stays what it is.
    let (a, b) = (numbers(m * k, 3), numbers(k * n, 5));
    let between: Vec<f32> = a.iter().map(|x| x * (1.0 + 1.0 / 1024.0)).collect();
    let dims = sizes.map(|size| size as i64);
    let [a_md, b_md, c_md] = [[dims[0], dims[1]], [dims[1], dims[2]], [dims[0], dims[2]]].map(|dims| md(&dims, F32));
    for engine in engines() {
        let weights = floats(&engine, b_md.dims(), &b);
        for mode in [FpmathMode::Strict, FpmathMode::Bf16, FpmathMode::Any] {
            let attr = Attr::new().with_fpmath(mode, false);
            let computed = |values: &[f32]| {
                let (src, dst) = (floats(&engine, a_md.dims(), values), Memory::new(&engine, &c_md).unwrap());
                let op = Matmul::new(&a_md, &b_md, None, &c_md).unwrap();
                run(&engine, op, &attr, &[(arg::SRC, &src), (arg::WEIGHTS, &weights), (arg::DST, &dst)]);
                dst.read_to::<f32>().unwrap()
            };
            assert_eq!(computed(&a), product(&a, &b, sizes), "{engine:?} {mode}");
            let is_exact = mode == FpmathMode::Strict;
            for (found, [exact, rounded]) in computed(&between)
                .into_iter()
                .zip(product(&between, &b, sizes).into_iter().zip(product(&a, &b, sizes)).map(<[f32; 2]>::from))
            {
                let close = |expected: f32| (found - expected).abs() <= 1e-3;
                assert!(close(exact) || (!is_exact && close(rounded)), "{engine:?} {mode}: {found} {exact} {rounded}");
            }
        }
    }
}
