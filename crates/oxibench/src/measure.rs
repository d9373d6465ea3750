//! Times of one problem on one or two libraries, taken in turns.

use crate::spec::Spec;
use crate::worker::{Preparation, Worker};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long, and how, to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Seconds for each problem on each library.
    pub seconds: f64,
    /// How many turns each library gets.
    pub turns: usize,
    /// Whether caches are emptied before each run.
    pub cold: bool,
}

/// Time for threads of the library that ran last to go to sleep.
const PAUSE: Duration = Duration::from_millis(8);

/// What one library made of a problem.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timing {
    /// Shortest run in seconds.
    pub min: f64,
    /// The run in the middle, in seconds.
    pub median: f64,
    /// How many samples there were.
    pub samples: usize,
    /// What is known from creating it.
    #[serde(flatten)]
    pub preparation: Preparation,
}

impl Timing {
    fn of(mut times: Vec<f64>, preparation: Preparation) -> Timing {
        times.sort_unstable_by(f64::total_cmp);
        let median = (times[(times.len() - 1) / 2] + times[times.len() / 2]) / 2.0;
        Timing { min: times[0], median, samples: times.len(), preparation }
    }
}

/// Measures a problem on every worker: A, B, A, B, …
pub fn measure(spec: &Spec, workers: &mut [&mut Worker], plan: &Plan) -> Vec<Result<Timing, String>> {
    let mut made: Vec<Result<(Preparation, Vec<f64>), String>> =
        workers.iter_mut().map(|worker| prepare(worker, spec).map(|preparation| (preparation, Vec::new()))).collect();
    for _ in 0..plan.turns {
        for (worker, state) in workers.iter_mut().zip(&mut made) {
            let Ok((_, times)) = state else {
                continue;
            };
            std::thread::sleep(PAUSE);
            match worker.time(plan.seconds / plan.turns as f64, plan.cold) {
                Ok(more) => times.extend(more),
                Err(error) => *state = Err(error),
            }
        }
    }
    workers.iter_mut().for_each(|worker| worker.release());
    made.into_iter().map(|state| state.map(|(preparation, times)| Timing::of(times, preparation))).collect()
}

/// Prepares and runs a problem once. A worker that dies of it may be given another try without AMX.
pub fn prepare(worker: &mut Worker, spec: &Spec) -> Result<Preparation, String> {
    let attempt = |worker: &mut Worker| {
        let preparation = worker.prepare(spec)?;
        worker.time(0.0, false).map(|_| preparation)
    };
    match attempt(worker) {
        Err(error) if error.starts_with("crashed, killed") && worker.be_careful() => attempt(worker),
        other => other,
    }
}

/// The geometric mean.
pub fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_least_are_found() {
        let preparation = Preparation { creation: 0.0, implementation: String::new(), bytes: 0 };
        let timing = Timing::of(vec![4.0, 1.0, 3.0, 2.0], preparation.clone());
        assert_eq!((timing.min, timing.median, timing.samples), (1.0, 2.5, 4));
        assert_eq!(Timing::of(vec![3.0, 1.0, 9.0], preparation).median, 3.0);
    }

    #[test]
    fn the_geometric_mean_of_opposites_is_one() {
        assert!((geometric_mean([0.5, 2.0].into_iter()).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean(std::iter::empty()), None);
    }
}
