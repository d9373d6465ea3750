use std::sync::Mutex;

use super::*;
use crate::observe::child;

fn lines_of(test: &str, variables: &[(&str, &str)], say: impl Fn()) -> Option<Vec<String>> {
    child::lines_of(&format!("{}::{test}", module_path!()), variables, say)
}

const PROBLEM: &str = "gpu,matmul,oxi:contract,undef,src:f32::blocked:ab::f0,,,2x3:3x4";

fn say_everything() {
    error("runtime", "lost\nthe device\r\n");
    warn("runtime", "slow");
    check(Phase::Create, "matmul", "bad");
    check(Phase::Exec, "primitive", "missing");
    dispatch("matmul", PROBLEM, "not now");
    info("disk_cache", "off");
    debuginfo(3, "tile", "8x8");
    let start = Instant::now();
    created(Origin::Blob, || PROBLEM.to_owned(), start);
    created(Outcome::KernelCacheHit, || PROBLEM.to_owned(), start);
    executed(|| PROBLEM.to_owned(), start);
    executed_in(Duration::from_nanos(1_234_567), PROBLEM, start);
    executed_in(Duration::from_micros(10), "cpu,sum,x", start);
}

/// What is said of the body of a line, up to the place in the source.
fn words(lines: &[String]) -> Vec<&str> {
    lines.iter().map(|line| line.split(",crates/").next().unwrap()).collect()
}

fn after_header(lines: &[String]) -> &[String] {
    let last = lines.iter().rposition(|line| line.contains("info,template:")).unwrap();
    &lines[last + 1..]
}

#[test]
fn all_prints_the_header_once_and_every_line() {
    let Some(lines) =
        lines_of("all_prints_the_header_once_and_every_line", &[("DNNL_VERBOSE", "all,debuginfo=3")], say_everything)
    else {
        return;
    };
    assert_eq!(lines[0], format!("info,oneDNN v3.14.0 (commit {BUILD})"));
    assert_eq!(lines.iter().filter(|line| line.starts_with("info,oneDNN")).count(), 1);
    assert!(lines.iter().any(|line| line.starts_with("info,gpu,engine,") && line.contains(" device count:")));
    let said = words(after_header(&lines));
    assert_eq!(
        said[..7],
        [
            "common,error,runtime,lost the device",
            "common,warning,runtime,slow",
            "primitive,create:check,matmul,bad",
            "primitive,exec:check,primitive,missing",
            &format!("primitive,create:dispatch,matmul,{PROBLEM},not now"),
            "common,info,disk_cache,off",
            "primitive,debuginfo,tile,8x8",
        ]
    );
    let steps = ["create:persistent_cache_hit", "create:kernel_cache_hit", "exec"];
    for (line, step) in said[7..10].iter().zip(steps) {
        let time = line.strip_prefix(&format!("primitive,{step},{PROBLEM},")).unwrap();
        assert!(time.parse::<f64>().unwrap() >= 0.0);
    }
    assert_eq!(said[10], format!("primitive,exec,{PROBLEM},1.23457"));
    assert_eq!(said[11], "primitive,exec,cpu,sum,x,0.01");
    assert!(after_header(&lines)[1].contains(",crates/oxidnn/src/observe/verbose/tests.rs:"));
}

#[test]
fn by_default_only_errors_are_printed_and_no_driver_is_started() {
    let name = "by_default_only_errors_are_printed_and_no_driver_is_started";
    let Some(lines) = lines_of(name, &[], say_everything) else { return };
    assert_eq!(words(after_header(&lines)), ["common,error,runtime,lost the device"]);
    assert!(!lines.iter().any(|line| line.contains("device count")));
}

#[test]
fn none_prints_nothing_at_all() {
    let Some(lines) = lines_of("none_prints_nothing_at_all", &[("ONEDNN_VERBOSE", "0")], say_everything) else {
        return;
    };
    assert_eq!(lines, [""; 0]);
}

#[test]
fn a_filter_keeps_other_components_quiet() {
    let name = "a_filter_keeps_other_components_quiet";
    let variables = [("ONEDNN_VERBOSE", "none,profile_exec,filter=sum")];
    let Some(lines) = lines_of(name, &variables, say_everything) else { return };
    let said = after_header(&lines);
    assert_eq!(said[0], "common,info,filter format is enabled, hit components: sum");
    assert_eq!(said[1..], ["primitive,exec,cpu,sum,x,0.01"]);
}

#[test]
fn a_timestamp_is_the_third_column() {
    let name = "a_timestamp_is_the_third_column";
    let variables = [("ONEDNN_VERBOSE", "profile_exec"), ("DNNL_VERBOSE_TIMESTAMP", "1")];
    let Some(lines) = lines_of(name, &variables, say_everything) else { return };
    let (stamp, rest) = lines.last().unwrap().split_once(',').unwrap();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs_f64() * 1e3;
    assert!((now - stamp.parse::<f64>().unwrap()).abs() < 60e3, "{stamp}");
    assert_eq!(stamp.split_once('.').unwrap().1.len(), 6);
    assert_eq!(rest, "primitive,exec,cpu,sum,x,0.01");
}

#[test]
fn the_level_that_is_set_wins_over_the_environment() {
    let name = "the_level_that_is_set_wins_over_the_environment";
    let Some(lines) = lines_of(name, &[("ONEDNN_VERBOSE", "all")], || {
        assert!(set_level(3).is_err() && set_level(-1).is_err());
        assert!(enabled(Level::Check));
        set_level(1).unwrap();
        assert!(!enabled(Level::Check) && !enabled(Level::ProfileCreate) && enabled(Level::ProfileExec));
        set_level(2).unwrap();
        assert!(enabled(Level::ProfileCreate) && enabled(Level::Error));
        set_level(0).unwrap();
        say_everything();
    }) else {
        return;
    };
    assert_eq!(lines, [""; 0]);
}

#[test]
fn errors_are_reported_at_the_level_of_their_status() {
    let name = "errors_are_reported_at_the_level_of_their_status";
    let Some(lines) = lines_of(name, &[("ONEDNN_VERBOSE", "all")], || {
        report(Phase::Create, "matmul", &Error::invalid("a"));
        report(Phase::Exec, "primitive", &Error::invalid("b"));
        report(Phase::Create, "matmul", &Error::unimplemented("c"));
        report(Phase::Exec, "runtime", &Error::runtime("d"));
        report(Phase::Create, "matmul", &Error::new(Status::LastImplReached, "e"));
    }) else {
        return;
    };
    assert_eq!(
        words(after_header(&lines)),
        [
            "primitive,create:check,matmul,a",
            "primitive,exec:check,primitive,b",
            "primitive,create:dispatch,matmul,c",
            "common,error,runtime,d",
        ]
    );
}

#[test]
fn a_sink_gets_whole_lines_after_one_header() {
    let name = "a_sink_gets_whole_lines_after_one_header";
    let Some(lines) = lines_of(name, &[("ONEDNN_VERBOSE", "all")], || {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let sink: Sink = {
            let heard = heard.clone();
            Arc::new(move |line| heard.lock().unwrap().push(line.to_owned()))
        };
        set_sink(Some(sink));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..50).for_each(|i| warn("test", i)));
            }
        });
        assert!(set_sink(None).is_some());
        let heard = heard.lock().unwrap();
        assert!(heard[0].contains("info,oneDNN"));
        assert!(
            heard.iter().all(|line| line.starts_with("onednn_verbose,v1,") && line.find('\n') == Some(line.len() - 1))
        );
        assert_eq!(heard.iter().filter(|line| line.contains("common,warning,test,")).count(), 200);
        let templates = heard.iter().rposition(|line| line.contains("info,template")).unwrap();
        assert!(heard[..templates].iter().all(|line| !line.contains("warning")), "the header comes first");
    }) else {
        return;
    };
    assert_eq!(lines, [""; 0]);
}
