//! Descriptors made of named numbers: `g1mb2_ic64ih56_oc64oh56_kh3ph1_n"res2a"`.
//!
//! What is not given follows from what is: a dimension takes the values of the one above it (`kw` is `kh`), an output extent
//! comes from the padding or the padding from the output extent.

use dnnl_dynamic::create::Window;

const NAMES: [&str; 34] = [
    "alpha", "beta", "eps", "sic", "slc", "dhc", "dic", "mb", "ic", "oc", "id", "ih", "iw", "od", "oh", "ow", "kd",
    "kh", "kw", "sd", "sh", "sw", "pd", "ph", "pw", "dd", "dh", "dw", "ls", "g", "l", "t", "k", "p",
];

/// Named numbers.
#[derive(Clone, Debug, Default)]
pub struct Fields(Vec<(&'static str, f64)>);

impl Fields {
    /// Reads a descriptor; `None` if it is not one.
    pub fn parse(text: &str) -> Option<Fields> {
        let mut fields = Vec::new();
        let mut rest = text;
        loop {
            rest = rest.trim_start_matches('_');
            if rest.is_empty() {
                break;
            }
            let number = |after: &str| {
                let digit = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
                let end = after.find(|c: char| !digit(c)).unwrap_or(after.len());
                after[..end].parse::<f64>().ok().map(|value| (value, end))
            };
            let named = NAMES.iter().find_map(|name| {
                let after = rest.strip_prefix(name)?;
                number(after).map(|(value, end)| (*name, value, name.len() + end))
            });
            match named {
                Some((name, value, end)) => {
                    fields.push((name, value));
                    rest = &rest[end..];
                }
                // A name ends the descriptor.
                None if rest.starts_with('n') => break,
                None => return None,
            }
        }
        (!fields.is_empty()).then_some(Fields(fields))
    }

    /// A number that may be missing.
    pub fn real(&self, name: &str) -> Option<f64> {
        self.0.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// A whole number that may be missing.
    pub fn get(&self, name: &str) -> Option<i64> {
        self.real(name).map(|value| value as i64)
    }

    /// How many spatial dimensions the input has.
    pub fn spatial(&self) -> usize {
        ["iw", "ih", "id"].iter().rposition(|name| self.get(name).is_some()).map_or(0, |last| last + 1)
    }

    /// The values of one kind (`i`, `k`, …) for the spatial dimensions, each inherited from the one above where missing.
    pub fn along(&self, kind: &str, spatial: usize) -> Vec<Option<i64>> {
        let mut above = None;
        let axes = &["d", "h", "w"][3 - spatial..];
        let mut values = Vec::new();
        for axis in axes {
            above = self.get(&format!("{kind}{axis}")).or(above);
            values.push(above);
        }
        values
    }

    /// Input extents, output extents and the window between them. `transposed` swaps what the window moves over.
    pub fn window(&self, transposed: bool) -> Option<(Vec<i64>, Vec<i64>, Window)> {
        let spatial = self.spatial();
        if spatial == 0 {
            return None;
        }
        let with = |kind, default: i64| -> Vec<i64> {
            self.along(kind, spatial).into_iter().map(|value| value.unwrap_or(default)).collect()
        };
        let inputs: Vec<i64> = self.along("i", spatial).into_iter().collect::<Option<_>>()?;
        let kernel: Vec<i64> = self.along("k", spatial).into_iter().collect::<Option<_>>()?;
        let (strides, dilates) = (with("s", 1), with("d", 0));
        let (given_out, given_pad) = (self.along("o", spatial), self.along("p", spatial));
        let (mut outputs, mut padding_l, mut padding_r) = (Vec::new(), Vec::new(), Vec::new());
        for axis in 0..spatial {
            let (i, k, s) = (inputs[axis], (kernel[axis] - 1) * (dilates[axis] + 1) + 1, strides[axis]);
            // The larger tensor's extent is what the window moves over.
            let o = match (given_out[axis], given_pad[axis].unwrap_or(0)) {
                (Some(o), _) => o,
                (None, p) if transposed => (i - 1) * s + k - 2 * p,
                (None, p) => (i - k + 2 * p) / s + 1,
            };
            let (large, small) = if transposed { (o, i) } else { (i, o) };
            let both = (small - 1) * s + k - large;
            let left = given_pad[axis].unwrap_or(if both > 0 { both / 2 } else { 0 });
            outputs.push(o);
            padding_l.push(left);
            padding_r.push(both - left);
        }
        Some((inputs, outputs, Window { kernel, strides, dilates, padding_l, padding_r }))
    }
}

/// How many taps of a window fall on elements, over all its places along one dimension.
pub fn taps(large: i64, small: i64, axis: usize, window: &Window) -> f64 {
    let inside = |place: i64| {
        let first = place * window.strides[axis] - window.padding_l[axis];
        let step = window.dilates[axis] + 1;
        (0..window.kernel[axis]).filter(|tap| (0..large).contains(&(first + tap * step))).count()
    };
    (0..small).map(inside).sum::<usize>() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_read_up_to_the_problems_name() {
        let fields = Fields::parse("g2mb16_ic64ih56iw28oc128_kh3sh2ph1n\"conv:1\"").unwrap();
        for (name, value) in
            [("g", 2), ("mb", 16), ("ic", 64), ("ih", 56), ("iw", 28), ("oc", 128), ("kh", 3), ("ph", 1)]
        {
            assert_eq!(fields.get(name), Some(value), "{name}");
        }
        assert_eq!(fields.get("kw"), None);
        assert_eq!(Fields::parse("ic64ih28_eps0.0625").unwrap().real("eps"), Some(0.0625));
        assert!(Fields::parse("64x64").is_none());
        assert!(Fields::parse("").is_none());
    }

    #[test]
    fn an_output_extent_follows_from_the_padding_and_the_other_way_round() {
        let window = |text: &str| Fields::parse(text).unwrap().window(false).unwrap();
        let (inputs, outputs, w) = window("ic3ih224oc64oh112kh7sh2");
        assert_eq!((inputs, outputs), (vec![224, 224], vec![112, 112]));
        assert_eq!((w.padding_l, w.padding_r), (vec![2, 2], vec![3, 3]));
        let (_, outputs, w) = window("ic3ih224oc64kh7sh2ph3");
        assert_eq!(outputs, [112, 112]);
        assert_eq!((w.padding_l, w.padding_r), (vec![3, 3], vec![2, 2]));
        let (_, outputs, _) = window("ic3iw10oc64kw3");
        assert_eq!(outputs, [8]);
    }

    #[test]
    fn a_transposed_window_grows_its_input() {
        let (_, outputs, w) = Fields::parse("ic8ih4oc8kh3sh2ph1").unwrap().window(true).unwrap();
        assert_eq!(outputs, [7, 7]);
        assert_eq!(w.padding_r, [1, 1]);
    }

    #[test]
    fn taps_in_the_padding_do_not_count() {
        let (i, o, w) = Fields::parse("ic1iw4oc1kw3pw1").unwrap().window(false).unwrap();
        assert_eq!(taps(i[0], o[0], 0, &w), 10.0);
    }
}
