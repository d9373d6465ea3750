//! The tool as users run it, on the host engine of the library: no OpenCL device is needed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

fn oxibench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oxibench"));
    command.args(arguments).env("OXIDNN_LIB", library()).output().expect("the program starts")
}

/// The library that `OXIDNN_LIB` names, or that of this build.
fn library() -> &'static str {
    static LIBRARY: OnceLock<String> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        if let Ok(named) = std::env::var("OXIDNN_LIB") {
            return named;
        }
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let built = Command::new(env!("CARGO")).args(["build", "-p", "oxidnn-capi"]).current_dir(workspace).status();
        assert!(built.is_ok_and(|status| status.success()), "`cargo build -p oxidnn-capi` failed");
        Path::new(env!("CARGO_BIN_EXE_oxibench")).with_file_name("libdnnl.so").display().to_string()
    })
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("oxibench-{}-{name}", std::process::id()))
}

#[test]
fn results_of_every_family_of_primitives_are_compared() {
    let batch = scratch("batch");
    let problems = "\
        --matmul 5x7:7x3 # plain\n--matmul --dt=u8:s8:f32 --attr-scales=wei:per_oc --attr-post-ops=relu 5x7:7x3\n\
        --conv --dir=FWD_B,BWD_D,BWD_WB mb1ic4ih5oc4kh3ph1\n--ip mb2ic6oc3\n--deconv mb1ic4ih3oc4kh3sh2ph1\n\
        --eltwise --alg=tanh 3x5\n--binary 3x5:1x5\n--prelu 2x3x4:1x3x1\n--sum 3x4\n--softmax 3x5\n\
        --lnorm --flags=CH 3x5\n--bnorm --flags=CH mb2ic3ih4\n--gnorm g2mb2ic4ih3\n--lrn mb1ic6ih3\n\
        --pool --dir=FWD_D,BWD_D mb1ic2ih6kh2sh2\n--resampling --alg=linear mb1ic2ih3oh6\n\
        --reduction 3x5:3x1\n--shuffle --group=2 1x4x3\n--concat 2x3:2x4\n--reorder --dtag=ba 3x5\n";
    std::fs::write(&batch, problems).unwrap();
    let (lib, file) = (library(), format!("--batch={}", batch.display()));
    let arguments = ["--mode=c", "--engine=cpu", "--against", lib, "--quiet", &file];
    let output = oxibench(&arguments);
    std::fs::remove_file(batch).unwrap();
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("\n23 passed, 0 failed, 0 unimplemented, 0 without a reference\n"), "{text}");
}

#[test]
fn a_measurement_becomes_a_table_and_a_page() {
    let (json, page) = (scratch("run.json"), scratch("page.html"));
    let (lib, out) = (library(), json.display().to_string());
    let arguments = ["--engine=cpu", "--against", lib, "--seconds=0.02", "--turns=2", "--format=json", "-o", &out];
    let output = oxibench(&[&arguments[..], &["--matmul", "8x8:8x8", "--softmax", "4x9"]].concat());
    assert!(output.status.success(), "{}", said(&output));
    let progress = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(progress.contains("[2/2] --softmax 4x9"), "{progress}");

    let report = oxibench(&["report", &out, "-o", &page.display().to_string()]);
    assert!(report.status.success(), "{}", said(&report));
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(
        html.contains("<svg") && html.contains("--matmul 8x8:8x8") && html.contains("geometric mean of 2"),
        "{html}"
    );
    std::fs::remove_file(json).unwrap();
    std::fs::remove_file(page).unwrap();
}

#[test]
fn two_engines_of_one_library_are_compared() {
    let arguments = ["--engine=cpu", "--against-engine=cpu", "--seconds=0.02", "--turns=2", "--no-peak", "--quiet"];
    let output = oxibench(&[&arguments[..], &["--format=json", "--eltwise", "4x9"]].concat());
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    assert_eq!(text.matches("libdnnl.so on cpu").count(), 2, "{text}");
    let output = oxibench(&["--mode=c", "--engine=cpu", "--against-engine=cpu", "--quiet", "--eltwise", "4x9"]);
    assert!(said(&output).contains("\n1 passed, 0 failed"), "{}", said(&output));
}

#[test]
fn what_cannot_be_done_is_said_and_told_by_the_exit_status() {
    for (arguments, part) in [
        (&["--matmul", "8x8:9x8"][..], "cannot read `8x8:9x8`"),
        (&["--engine=tpu", "--softmax", "4x4"], "engine `tpu`"),
        (&["--engine=cpu", "--mode=c", "--softmax", "4x4"], "--against"),
        (&["--lib=/nowhere/libdnnl.so", "--softmax", "4x4"], "/nowhere/libdnnl.so"),
        (&["report", "/nowhere/run.json"], "/nowhere/run.json"),
        (&[], "nothing to do"),
    ] {
        let output = oxibench(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(part), "{arguments:?}: {}", said(&output));
    }
}
