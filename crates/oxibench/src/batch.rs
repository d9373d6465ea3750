//! Words of a command line or a batch file, and the problems they ask for.
//!
//! Options hold for the problems behind them until they are set again; a list of values (`--dt=f32,bf16`) asks for the problem
//! with each. Unlike in benchdnn, options behind the last problem of a primitive hold for that problem too, so the order
//! in which a command is typed does not matter. What follows a `--reset` is never meant for problems before it.

use crate::problem::{COMMON, Driver, Problem, driver};
use crate::spec::Spec;
use regex_lite::Regex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Values of options, each as a list.
type Lists = BTreeMap<String, Vec<String>>;

/// Problems of one primitive under the same options.
#[derive(Default)]
struct Group {
    options: Lists,
    /// Whether `--reset` separates it from the problems before it.
    starts_over: bool,
    descriptors: Vec<(String, Option<String>)>,
}

/// Collects problems word by word.
#[derive(Default)]
pub struct Collector {
    driver: Option<&'static Driver>,
    groups: Vec<Group>,
    specs: Vec<Spec>,
    /// The files being read, innermost last.
    within: Vec<PathBuf>,
}

impl Collector {
    /// Takes a word that is not an option of the tool itself.
    pub fn word(&mut self, word: &str) -> Result<(), String> {
        let Some(option) = word.strip_prefix("--") else {
            let group =
                self.groups.last_mut().ok_or_else(|| format!("`{word}`: name a primitive first, as --matmul"))?;
            let file = self.within.last().and_then(|file| file.file_name());
            group.descriptors.push((word.to_string(), file.map(|name| name.to_string_lossy().into_owned())));
            return Ok(());
        };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        if value.is_none()
            && let Some(driver) = driver(name)
        {
            self.finish_driver();
            self.driver = Some(driver);
            self.groups = vec![Group::default()];
            return Ok(());
        }
        if name == "batch" {
            return self.file(Path::new(value.ok_or("--batch needs a file")?));
        }
        let driver = self.driver.ok_or_else(|| format!("no option --{name}, and no primitive was named before it"))?;
        if name == "reset" {
            self.groups.push(Group { starts_over: true, ..Group::default() });
            return Ok(());
        }
        if !driver.options.contains(&name) && !COMMON.contains(&name) {
            return Err(format!("--{} has no option --{name}", driver.name));
        }
        let values = value.ok_or_else(|| format!("--{name} needs a value, as --{name}=…"))?;
        self.options().insert(name.to_string(), values.split(',').map(str::to_string).collect());
        Ok(())
    }

    /// The options the next problems run with; a problem before them closes its group.
    fn options(&mut self) -> &mut Lists {
        let last = self.groups.last().expect("a driver opens a group");
        if !last.descriptors.is_empty() {
            let options = last.options.clone();
            self.groups.push(Group { options, ..Group::default() });
        }
        &mut self.groups.last_mut().expect("a driver opens a group").options
    }

    /// Reads a file of words; `#` starts a comment.
    pub fn file(&mut self, path: &Path) -> Result<(), String> {
        let beside = self.within.last().and_then(|file| file.parent()).map(|directory| directory.join(path));
        let path = beside.filter(|path| path.exists()).unwrap_or_else(|| path.to_path_buf());
        if self.within.len() > 16 {
            return Err(format!("{} includes itself", path.display()));
        }
        let text =
            std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        self.within.push(path.clone());
        for (number, line) in text.lines().enumerate() {
            for word in line.split('#').next().unwrap_or("").split_whitespace() {
                self.word(word).map_err(|error| format!("{}:{}: {error}", path.display(), number + 1))?;
            }
        }
        self.within.pop();
        Ok(())
    }

    fn finish_driver(&mut self) {
        let Some(driver) = self.driver.take() else {
            return;
        };
        let mut groups = std::mem::take(&mut self.groups);
        if groups.len() > 1 && groups.last().is_some_and(|group| group.descriptors.is_empty()) {
            let trailing = groups.pop().expect("there is more than one");
            if !trailing.starts_over {
                groups.last_mut().expect("there was more than one").options = trailing.options;
            }
        }
        for group in groups {
            for (descriptor, group_name) in &group.descriptors {
                for options in combinations(&group.options) {
                    let (driver, descriptor) = (driver.name.to_string(), descriptor.clone());
                    self.specs.push(Spec { driver, options, descriptor, group: group_name.clone() });
                }
            }
        }
    }

    /// Everything that was asked for, each checked to be a problem.
    pub fn finish(mut self) -> Result<Vec<Spec>, String> {
        self.finish_driver();
        let mut kept = Vec::new();
        for mut spec in std::mem::take(&mut self.specs) {
            let matches = match spec.options.remove("match") {
                Some(pattern) => Regex::new(&pattern)
                    .map_err(|error| format!("--match={pattern}: {error}"))?
                    .is_match(&spec.to_string()),
                None => true,
            };
            kept.extend(matches.then_some(spec));
        }
        self.specs = kept;
        for spec in &self.specs {
            Problem::build(spec).map_err(|error| format!("{spec}: {error}"))?;
        }
        Ok(self.specs)
    }
}

/// Every choice of one value from each list.
fn combinations(lists: &Lists) -> Vec<BTreeMap<String, String>> {
    lists.iter().fold(vec![BTreeMap::new()], |chosen, (name, values)| {
        let with = |chosen: &BTreeMap<String, String>, value: &String| {
            let mut more = chosen.clone();
            if !value.is_empty() {
                more.insert(name.clone(), value.clone());
            }
            more
        };
        chosen.iter().flat_map(|chosen| values.iter().map(|value| with(chosen, value)).collect::<Vec<_>>()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(words: &str) -> Result<Vec<String>, String> {
        let mut collector = Collector::default();
        words.split(' ').try_for_each(|word| collector.word(word))?;
        Ok(collector.finish()?.iter().map(Spec::to_string).collect())
    }

    #[test]
    fn options_hold_for_the_problems_behind_them_and_before_the_end() {
        let specs = collect("--matmul --dt=bf16 2x3:3x4 4x4:4x4 --dt=f32 5x5:5x5").unwrap();
        assert_eq!(specs, ["--matmul --dt=bf16 2x3:3x4", "--matmul --dt=bf16 4x4:4x4", "--matmul --dt=f32 5x5:5x5"]);
        assert_eq!(collect("--matmul 2x3:3x4 --dt=bf16").unwrap(), ["--matmul --dt=bf16 2x3:3x4"]);
    }

    #[test]
    fn a_reset_leaves_the_problems_before_it_alone() {
        let specs = collect("--matmul --dt=bf16 2x3:3x4 --reset --ip --dir=FWD_I mb1ic8oc8 --reset --dt=bf16").unwrap();
        assert_eq!(specs, ["--matmul --dt=bf16 2x3:3x4", "--ip --dir=FWD_I mb1ic8oc8"]);
    }

    #[test]
    fn another_primitive_starts_without_options() {
        let specs = collect("--matmul --dt=bf16 2x3:3x4 --eltwise --alg=tanh 8x8").unwrap();
        assert_eq!(specs, ["--matmul --dt=bf16 2x3:3x4", "--eltwise --alg=tanh 8x8"]);
    }

    #[test]
    fn a_pattern_keeps_what_it_matches() {
        let specs = collect("--ip --match=.*oc8$ mb1ic8oc8 mb1ic8oc16").unwrap();
        assert_eq!(specs, ["--ip mb1ic8oc8"]);
    }

    #[test]
    fn lists_ask_for_every_combination() {
        let specs = collect("--softmax --axis=0,1 --dt=f32,bf16 2x3").unwrap();
        assert_eq!(specs.len(), 4);
        assert!(specs.contains(&"--softmax --axis=0 --dt=bf16 2x3".to_string()));
    }

    #[test]
    fn mistakes_are_told() {
        for (words, part) in [
            ("2x2", "name a primitive"),
            ("--matmul --axis=1 2x2:2x2", "no option --axis"),
            ("--matmul 2x2:3x2", "cannot read"),
            ("--softmax --dt=f99 2x2", "no data type"),
            ("--batch=/nowhere/at/all", "cannot read"),
            ("--conv ic8oc8kh3", "cannot read"),
            ("--eltwise --alg=sinus 2x2", "no eltwise algorithm"),
            ("--matmul --strides=2x1x1 2x2:2x2", "--strides"),
            ("--reorder --inplace=true --ddt=s8 2x2", "--inplace"),
            ("--rnn --with-peephole=true t2sic8", "only an LSTM"),
            ("--matmul --attr-post-ops=dw:k3 2x2:2x2", "dw:k3"),
        ] {
            let error = collect(words).unwrap_err();
            assert!(error.contains(part), "{words}: {error}");
        }
    }

    #[test]
    fn the_workloads_of_the_goals_can_be_read() {
        let mut collector = Collector::default();
        collector.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("workloads/goals")).unwrap();
        let specs = collector.finish().unwrap();
        let mut groups: Vec<&str> = specs.iter().filter_map(|spec| spec.group.as_deref()).collect();
        groups.dedup();
        assert_eq!(groups[..5], ["matmul", "bert", "convolution", "resnet50", "backward"]);
        assert_eq!(
            groups[5..],
            ["bandwidth", "bandwidth-medium", "bandwidth-small", "recurrent", "attention", "layouts", "odd"]
        );
        let of = |group: &str| specs.iter().filter(|spec| spec.group.as_deref() == Some(group)).count();
        assert_eq!((of("resnet50"), of("bert")), (23, 10));
    }

    #[test]
    fn files_have_comments_and_may_name_others_beside_them() {
        let directory = std::env::temp_dir().join(format!("oxibench-batch-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("outer"), "# all of it\n--reset-not-an-option-of-nothing\n").unwrap();
        let mut collector = Collector::default();
        let error = collector.file(&directory.join("outer")).unwrap_err();
        assert!(error.contains("outer:2"), "{error}");

        std::fs::write(directory.join("outer"), "--ip --dir=FWD_I # inference\nmb1ic8oc8\n--batch=inner\n").unwrap();
        std::fs::write(directory.join("inner"), "mb2ic8oc8\n--reset mb3ic8oc8").unwrap();
        let mut collector = Collector::default();
        collector.file(&directory.join("outer")).unwrap();
        let specs: Vec<String> = collector.finish().unwrap().iter().map(Spec::to_string).collect();
        assert_eq!(specs, ["--ip --dir=FWD_I mb1ic8oc8", "--ip --dir=FWD_I mb2ic8oc8", "--ip mb3ic8oc8"]);
        std::fs::remove_dir_all(directory).unwrap();
    }
}
