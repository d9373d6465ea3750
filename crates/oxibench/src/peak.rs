//! What an engine's device can do at most: how fast it multiplies and adds, how fast it moves bytes.
//!
//! Small kernels find it on OpenCL devices, loops of our own on the host. Elsewhere the best of a few large problems stands for it.

use crate::problem::Problem;
use crate::session::Session;
use crate::spec::Spec;
use dnnl_dynamic::{host, opencl};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// The peaks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// Single-precision operations, in GFLOP/s.
    pub gflops: f64,
    /// Bytes read and written, in GB/s.
    pub gbytes: f64,
}

impl Peak {
    /// Seconds that the device needs at least for this many operations and bytes.
    pub fn least(&self, flops: f64, bytes: f64) -> f64 {
        (flops / (self.gflops * 1e9)).max(bytes / (self.gbytes * 1e9))
    }

    /// Measures them.
    pub fn measure(session: &Session<'_>) -> Option<Peak> {
        if !session.device.id().gpu {
            return Some(Peak { gflops: host::peak_flops() / 1e9, gbytes: host::peak_bytes() / 1e9 });
        }
        if let Some(peaks) = opencl::peaks(session.api, &session.device) {
            return Some(Peak { gflops: peaks.flops / 1e9, gbytes: peaks.bytes / 1e9 });
        }
        let best = |problems: &[(&str, &str)], work: fn(f64, f64) -> f64| {
            let rate = |(driver, descriptor): &(&str, &str)| {
                let (driver, descriptor) = (driver.to_string(), descriptor.to_string());
                let problem =
                    Problem::build(&Spec { driver, options: BTreeMap::new(), descriptor, group: None }).ok()?;
                let prepared = session.prepare(&problem).ok()?;
                let times = session.time(&prepared, Duration::from_millis(200), None).ok()?;
                let least = times.into_iter().fold(f64::INFINITY, f64::min);
                Some(work(problem.flops, prepared.bytes as f64) / least / 1e9)
            };
            problems.iter().filter_map(rate).reduce(f64::max)
        };
        let gflops = best(&[("matmul", "1024x1024:1024x1024"), ("matmul", "2048x2048:2048x2048")], |flops, _| flops)?;
        let gbytes = best(&[("eltwise", "8192x4096"), ("binary", "8192x4096:8192x4096")], |_, bytes| bytes)?;
        Some(Peak { gflops, gbytes })
    }
}
