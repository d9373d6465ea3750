//! Moved elements, which the comparison must notice, or its bounds are too wide.
//!
//! How far an element moves has nothing to do with the oracle's bound on its error, which is what is being proved. It is a number
//! of steps of the element's type; or, for what a cancellation left, as much as its operands would move it if they
//! moved by as many steps of theirs.

use crate::api::arg;
use crate::case::{Case, Role};
use crate::dtype::DataType::{Bf16, F32, F64, S32};
use crate::oracle::Approx;
use crate::outcome::Outcome;
use crate::rng::Rng;

/// How often the operands are moved to learn what that does to the results.
const SHAKES: u64 = 8;
/// How far they are moved, as a part of themselves: 4096 steps or fewer of single precision.
const SHAKE: f64 = 1.0 / 4096.0;

/// An element of an output, and how far it moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    output: usize,
    at: usize,
    steps: i64,
}

/// The largest element of each output, moved by three steps of its type, and by more where the intermediate type is no wider
/// than the output's.
pub fn steps(case: &Case, outcome: &Outcome) -> Vec<Step> {
    let Outcome::Ran { outputs, .. } = outcome else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (output, (argument, values)) in case.outputs().zip(outputs).enumerate() {
        let dt = argument.tensor.dt;
        let finite = values.bits.iter().enumerate().filter(|(_, bits)| dt.decode(**bits).is_finite());
        let size = |bits: u64| dt.decode(bits).abs();
        let Some((at, bits)) = finite.max_by(|a, b| size(*a.1).total_cmp(&size(*b.1))) else {
            continue;
        };
        if size(*bits) == 0.0 && !dt.is_integer() {
            continue;
        }
        // Narrow operands that the math mode allows, or that a network goes on with, cost half of a single-precision result's
        // digits, and large integers lose their last ones on the way through single precision.
        let again = case.operation.rounds_repeatedly();
        let narrow = again && case.args.iter().any(|arg| arg.tensor.dt == Bf16);
        let steps = match dt {
            F32 if narrow || case.attributes.fpmath.is_some() => 1 << 18,
            F32 if again => 1 << 14,
            F32 | F64 => 4096,
            S32 => 3 + size(*bits) as i64 / 4096,
            _ if again => 16,
            _ => 3,
        };
        found.push(Step { output, at, steps });
    }
    found
}

impl Step {
    /// The outcome with the element moved, this many times as far; `None` where the type has no such element.
    pub fn of(&self, case: &Case, outcome: &Outcome, times: f64) -> Option<Outcome> {
        let mut moved = outcome.clone();
        let Outcome::Ran { outputs, .. } = &mut moved else { return None };
        let dt = case.outputs().nth(self.output)?.tensor.dt;
        let bits = &mut outputs[self.output].bits[self.at];
        let steps = (self.steps as f64 * times) as i64;
        *bits = dt.step(*bits, -steps).or_else(|| dt.step(*bits, steps))?;
        Some(moved)
    }

    /// How many times further the element moves than the operands it is made of, if it does. `make` makes the case again.
    pub fn condition(&self, make: impl Fn() -> Option<Case>, expected: &[Vec<Approx>]) -> Option<f64> {
        let value = expected[self.output][self.at].v;
        let mut most = 1.0f64;
        for number in 0..SHAKES {
            let mut case = make()?;
            let mut rng = Rng::for_case(0, "shake", number).fork();
            let attributes = &case.attributes;
            // Another seed would be another mask.
            let is_random = |index: i32| (arg::DROPOUT_OFFSET..=arg::DROPOUT_SEED).contains(&index);
            for arg in case.args.iter_mut().filter(|arg| arg.role != Role::Output && !is_random(arg.index)) {
                let dt = arg.tensor.dt;
                // The oracle takes operands of attributes by their values, so whole numbers can be moved as well.
                let wide = if attributes.owns(arg.index) { F64 } else { dt };
                if matches!(wide, F32 | F64) {
                    let by = |rng: &mut Rng| if rng.percent(50) { 1.0 + SHAKE } else { 1.0 - SHAKE };
                    arg.tensor.bits.iter_mut().for_each(|bits| *bits = wide.encode(dt.decode(*bits) * by(&mut rng)));
                    arg.tensor.dt = wide;
                }
            }
            let shaken = case.operation.expect(&case)?[self.output][self.at].v;
            let moved = ((shaken - value) / value / SHAKE).abs();
            most = if moved.is_finite() { most.max(moved) } else { most };
        }
        (most > 1.0).then_some(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Descs, Operation, Tensor};
    use crate::outcome::Output;
    use dnnl_dynamic::create::{Made, Maker};

    /// The difference of two neighbours, and their product.
    struct Neighbours;

    impl Operation for Neighbours {
        fn create<'a>(&self, _maker: &Maker<'_, 'a>, _mds: &Descs<'_>) -> Made<'a> {
            unreachable!("only the oracle is asked")
        }

        fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
            let src = case.tensor(arg::SRC);
            let [a, b] = [src.value(0), src.value(1)];
            Some(vec![vec![Approx::exact(a - b), Approx::exact(a * b)]])
        }

        fn describe(&self) -> String {
            "neighbours".to_string()
        }
    }

    fn case() -> Case {
        let mut case = Case::new(Neighbours);
        let mut src = Tensor::plain(&[2], F32);
        src.bits = vec![F32.encode(1.0), F32.encode(0.99)];
        case.arg(arg::SRC, Role::Input, src);
        case.arg(arg::DST, Role::Output, Tensor::plain(&[2], F32));
        case
    }

    #[test]
    fn what_a_cancellation_left_moves_further_than_its_operands() {
        let expected = case().operation.expect(&case()).unwrap();
        let condition = |at: usize| Step { output: 0, at, steps: 1 }.condition(|| Some(case()), &expected);
        assert!(condition(0).is_some_and(|times| (100.0..250.0).contains(&times)), "{:?}", condition(0));
        assert!(condition(1).is_none_or(|times| times < 2.1), "{:?}", condition(1));
    }

    #[test]
    fn an_element_moves_by_its_steps_and_no_other_does() {
        let output = Output { index: arg::DST, bits: vec![F32.encode(1.0), F32.encode(3.0)], faults: Vec::new() };
        let outcome = Outcome::Ran { sizes: Vec::new(), outputs: vec![output] };
        let [step] = steps(&case(), &outcome)[..] else { panic!("one output") };
        assert_eq!(step, Step { output: 0, at: 1, steps: 4096 });
        let Some(Outcome::Ran { outputs, .. }) = step.of(&case(), &outcome, 2.0) else { panic!("it can move") };
        let moved: Vec<f64> = outputs[0].bits.iter().map(|bits| F32.decode(*bits)).collect();
        assert_eq!(moved, [1.0, 3.0 - 8192.0 * 2f64.powi(-22)]);
    }
}
