//! The lines before all others: which library this is, what it runs on, and what the columns mean.

use super::choice::Filter;
use crate::runtime::{Device, DeviceProfile, Runtime, cpu};

/// The version of oneDNN whose API the library speaks.
pub const API_VERSION: (i32, i32, i32) = (3, 14, 0);

/// What stands in the place of oneDNN's commit: the library's own name and version.
pub const BUILD: &str = concat!("oxidnn-", env!("CARGO_PKG_VERSION"));

/// The devices that are GPU engines, as far as they can be opened.
///
/// Asking for them starts every driver on the machine, so it is not done for an error alone, which may come of a driver.
pub(super) fn devices() -> Vec<Result<DeviceProfile, String>> {
    let open = |&id| Device::open(id).map(|device| device.profile().clone()).map_err(|e| e.to_string());
    crate::engine::gpus().iter().map(open).collect()
}

/// The lines, without what every line starts with.
pub(super) fn lines(
    runtime: Option<Runtime>,
    devices: Option<&[Result<DeviceProfile, String>]>,
    timestamp: bool,
    filter: &Filter,
) -> Vec<String> {
    let (major, minor, patch) = API_VERSION;
    let threads = cpu::Device.profile().compute_units;
    let (runtime, short) = match runtime {
        Some(Runtime::Ze) => ("Level Zero", "level zero"),
        Some(Runtime::Ocl) | None => ("OpenCL", "opencl"),
    };
    let mut lines = vec![
        format!("info,oneDNN v{major}.{minor}.{patch} (commit {BUILD})"),
        format!("info,cpu,runtime:sequential,nthr:{threads}"),
        "info,cpu,isa:Generic".to_owned(),
        format!("info,gpu,runtime:{runtime}"),
    ];
    if let Some(devices) = devices {
        let note = if devices.is_empty() { "- no devices available." } else { "" };
        lines.push(format!("info,gpu,engine,{short} device count:{} {note}", devices.len()));
        for (i, device) in devices.iter().enumerate() {
            lines.push(match device {
                Ok(profile) => format!("info,gpu,engine,{i},name:{},driver_version:{}", profile.name, profile.driver),
                Err(_) => format!("common,error,ocl,invalid gpu device in environment: index {i}"),
            });
        }
    }
    let stamp = if timestamp { "timestamp," } else { "" };
    lines.push("info,graph,backend,0:oxidnn".to_owned());
    lines.push(format!(
        "primitive,info,template:{stamp}operation,engine,primitive,implementation,prop_kind,memory_descriptors,\
         attributes,auxiliary,problem_desc,exec_time"
    ));
    lines.push(format!(
        "graph,info,template:{stamp}operation,engine,partition_id,partition_kind,op_names,data_formats,logical_tensors,\
         fpmath_mode,implementation,backend,exec_time"
    ));
    match filter {
        Filter::All => {}
        Filter::Some { names, .. } => {
            lines.push(format!("common,info,filter format is enabled, hit components: {names}"));
        }
        Filter::Faulty { reason } => {
            lines.push(format!("common,error,filter format is ill-formed and is not applied, error: {reason}"))
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::verbose::choice::Choice;

    #[test]
    fn devices_are_counted_and_named() {
        let mut profile = cpu::Device.profile().clone();
        profile.name = "A device".into();
        profile.driver = "1.2".into();
        let devices = [Ok(profile), Err("gone".into())];
        let lines = lines(None, Some(&devices), false, &Filter::All);
        assert_eq!(lines[0], format!("info,oneDNN v3.14.0 (commit {BUILD})"));
        assert_eq!(lines[4], "info,gpu,engine,opencl device count:2 ");
        assert_eq!(lines[5], "info,gpu,engine,0,name:A device,driver_version:1.2");
        assert_eq!(lines[6], "common,error,ocl,invalid gpu device in environment: index 1");
        assert!(lines[8].starts_with("primitive,info,template:operation,engine,"));
        assert_eq!(
            super::lines(Some(Runtime::Ze), Some(&[]), false, &Filter::All)[4],
            "info,gpu,engine,level zero device count:0 - no devices available."
        );
    }

    #[test]
    fn the_template_tells_of_timestamps_and_the_last_line_of_the_filter() {
        let lines = lines(None, None, true, &Choice::parse("filter=mat").filter);
        assert!(lines.iter().filter(|line| line.contains("template:timestamp,operation")).count() == 2);
        assert_eq!(lines.last().unwrap(), "common,info,filter format is enabled, hit components: matmul");
    }
}
