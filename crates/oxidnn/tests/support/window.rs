//! Convolutions that are compared with loops. Numbers are small and whole, so sums are exact and compared as such.

use oxidnn::desc::DataType::{F32, S8, U8};
use oxidnn::desc::*;
use oxidnn::{Engine, Memory, PrimitiveDesc};

use super::{numbers, reordered, run};

fn plain(dims: &[i64]) -> MemoryDesc {
    MemoryDesc::with_strides(dims, F32, None).unwrap()
}

/// Convolutions in three dimensions, with these sides of images, windows and results.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub groups: i64,
    /// Channels of each group, of the source and of the destination.
    pub channels: [i64; 2],
    pub image: [i64; 3],
    pub kernel: [i64; 3],
    pub strides: [i64; 3],
    pub padding: [i64; 3],
    pub result: [i64; 3],
}

/// How tensors lie: images by a tag, weights plainly or as the library likes.
#[derive(Clone, Copy, Debug)]
pub struct Layouts {
    pub images: &'static str,
    pub open: bool,
}

impl Case {
    fn dims(&self) -> [Vec<i64>; 3] {
        let Case { groups, channels: [from, to], image, kernel, result, .. } = *self;
        let joined = |front: &[i64], sides: [i64; 3]| [front, &sides].concat();
        [joined(&[2, groups * from], image), joined(&[groups, to, from], kernel), joined(&[2, groups * to], result)]
    }

    /// Calls a function with the places in source, weights and destination of each product.
    fn for_each_product(&self, mut f: impl FnMut(usize, usize, usize)) {
        let Case { groups, channels: [inputs, outputs], image, kernel, strides, padding, result } = *self;
        let places = |[d, h, w]: [i64; 3]| (0..d * h * w).map(move |i| [i / (h * w), i / w % h, i % w]);
        let at = |first: i64, [_, h, w]: [i64; 3], [z, y, x]: [i64; 3], d: i64| ((first * d + z) * h + y) * w + x;
        for (n, g) in (0..2 * groups).map(|i| (i / groups, i % groups)) {
            for (o, i) in (0..outputs * inputs).map(|i| (i / inputs, i % inputs)) {
                let from = (n * groups + g) * inputs + i;
                let to = (n * groups + g) * outputs + o;
                for (place, tap) in places(result).flat_map(|place| places(kernel).map(move |tap| (place, tap))) {
                    let seen = [0, 1, 2].map(|d| place[d] * strides[d] + tap[d] - padding[d]);
                    if (0..3).all(|d| (0..image[d]).contains(&seen[d])) {
                        let weight = at((g * outputs + o) * inputs + i, kernel, tap, kernel[0]);
                        let source = at(from, image, seen, image[0]);
                        f(source as usize, weight as usize, at(to, result, place, result[0]) as usize);
                    }
                }
            }
        }
    }

    /// Computes one pass from plain numbers; the result is plain. It is added to what is `before`.
    fn computed(
        &self,
        engine: &Engine,
        prop: PropKind,
        (types, layouts): ([DataType; 3], Layouts),
        inputs: [(i32, &[f32]); 2],
        before: Option<&[f32]>,
    ) -> Vec<f32> {
        let dims = self.dims();
        let tag = FormatTag::from_name(layouts.images).unwrap();
        let image = |i: usize| MemoryDesc::with_tag(&dims[i], types[i], tag).unwrap();
        let weights = match layouts.open {
            true => MemoryDesc::any(&dims[1], types[1]),
            false => MemoryDesc::with_strides(&dims[1], types[1], None),
        };
        let weights = weights.unwrap();
        let end = |d: usize| (self.result[d] - 1) * self.strides[d] + self.kernel[d] - self.padding[d] - self.image[d];
        let window = Window {
            strides: Dims::from(self.strides),
            dilations: Dims::from([0; 3]),
            padding_l: Dims::from(self.padding),
            padding_r: Dims::from([0, 1, 2].map(end)),
        };
        let alg = AlgKind::ConvolutionDirect;
        let op = Convolution::new(prop, alg, &image(0), &weights, None, &image(2), window).unwrap();
        let mut attr = Attr::new();
        if before.is_some() {
            attr = attr.with_post_ops(PostOps::new().sum(1.0).unwrap());
        }
        let desc = PrimitiveDesc::new(engine, op, &attr).unwrap();
        let output = match prop {
            PropKind::BackwardData => arg::DIFF_SRC,
            PropKind::BackwardWeights => arg::DIFF_WEIGHTS,
            _ => arg::DST,
        };
        let laid_out = |values: &[f32], md: &MemoryDesc| {
            let memory = Memory::new(engine, &plain(md.dims())).unwrap();
            memory.write_from(values).unwrap();
            reordered(engine, &memory, md)
        };
        let [a, b] = inputs.map(|(number, values)| (number, laid_out(values, desc.arg(number).unwrap())));
        let md = desc.arg(output).unwrap();
        let result = before.map_or_else(|| Memory::new(engine, md).unwrap(), |values| laid_out(values, md));
        run(engine, &desc, &[(a.0, &a.1), (b.0, &b.1), (output, &result)]);
        reordered(engine, &result, &plain(md.dims())).read_to().unwrap()
    }

    /// All passes with these types of source, weights and destination give what loops do, where channels are innermost in images; the layout of
    /// weights is plain, or left `open`.
    pub fn check(&self, engine: &Engine, types: [DataType; 3], open: bool) {
        self.check_in(engine, types, Layouts { images: "acdeb", open });
    }

    /// The same in any layouts. What is computed forwards is added to what is there, too.
    pub fn check_in(&self, engine: &Engine, types: [DataType; 3], layouts: Layouts) {
        let what = format!("{engine:?} {self:?} {types:?} {layouts:?}");
        let dims = self.dims();
        let [src, weights, dst] = [0, 1, 2].map(|i| numbers(dims[i].iter().product(), types[i]));
        let mut expected = vec![0.0; dst.len()];
        self.for_each_product(|from, by, to| expected[to] += src[from] * weights[by]);
        let inputs = [(arg::SRC, &src[..]), (arg::WEIGHTS, &weights[..])];
        let forward = |before: Option<&[f32]>| {
            self.computed(engine, PropKind::ForwardInference, (types, layouts), inputs, before)
        };
        assert!(forward(None) == expected, "{what}");
        let added: Vec<f32> = expected.iter().zip(&dst).map(|(a, b)| a + b).collect();
        assert!(forward(Some(&dst)) == added, "{what} added");
        if matches!(types[0], U8 | S8) {
            return;
        }
        let mut expected = vec![0.0; src.len()];
        self.for_each_product(|from, by, to| expected[from] += dst[to] * weights[by]);
        let inputs = [(arg::DIFF_DST, &dst[..]), (arg::WEIGHTS, &weights[..])];
        let [a, b, c] = types;
        let by_data = self.computed(engine, PropKind::BackwardData, ([c, b, a], layouts), inputs, None);
        assert!(by_data == expected, "{what} by data");
        let mut expected = vec![0.0; weights.len()];
        self.for_each_product(|from, by, to| expected[by] += dst[to] * src[from]);
        let inputs = [(arg::DIFF_DST, &dst[..]), (arg::SRC, &src[..])];
        let by_weights = self.computed(engine, PropKind::BackwardWeights, ([a, c, b], layouts), inputs, None);
        assert!(by_weights == expected, "{what} by weights");
    }
}
