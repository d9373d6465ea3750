//! What `ONEDNN_VERBOSE` asks for, as bits.

use regex_lite::Regex;

use crate::desc::PrimitiveKind;

/// What a verbose line is about; each is printed only if it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Level {
    /// Something failed while running. On unless verbose is `none`.
    Error = 1 << 0,
    /// Something is not as it should be, but goes on.
    Warn = 1 << 1,
    /// An argument was refused.
    Check = 1 << 2,
    /// A valid request was not taken by an implementation.
    Dispatch = 1 << 3,
    /// A primitive was created, and how long it took.
    ProfileCreate = 1 << 4,
    /// A primitive was executed, and how long it took.
    ProfileExec = 1 << 5,
    /// How the library set itself up. Not a level of oneDNN's.
    Info = 1 << 6,
}

const PRIMITIVE: u32 = 1;
const GRAPH: u32 = 1 << 22;
const GEMM_API: u32 = 1 << 23;

/// The bits of the components that a profiling line is about, told by its columns: engine, primitive, and so on.
pub(super) fn components_of(problem: &str) -> u32 {
    let name = problem.split(',').nth(1).unwrap_or_default();
    let kind = PrimitiveKind::ALL.iter().find(|kind| kind.name() == name);
    PRIMITIVE | kind.map_or(0, |&kind| 1 << kind as i32)
}

/// The levels as bits, with the level of debug information in the upper byte.
pub(super) type Flags = u32;

const LEVEL1: Flags = Level::Error as Flags | Level::ProfileExec as Flags | Level::Warn as Flags;
const LEVEL2: Flags = LEVEL1 | Level::ProfileCreate as Flags;
const ALL: Flags = LEVEL2 | Level::Check as Flags | Level::Dispatch as Flags | Level::Info as Flags;

pub(super) fn with_debuginfo(level: u8) -> Flags {
    Flags::from(level) << 24
}

pub(super) fn debuginfo(flags: Flags) -> u8 {
    (flags >> 24) as u8
}

/// The flags of `dnnl_set_verbose`.
pub(super) fn of_number(level: i32) -> Option<Flags> {
    match level {
        0 => Some(0),
        1 => Some(LEVEL1 | with_debuginfo(1)),
        2 => Some(LEVEL2 | with_debuginfo(2)),
        _ => None,
    }
}

/// Which components are told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    All,
    Some { mask: u32, names: String },
    Faulty { reason: String },
}

impl Filter {
    fn new(pattern: &str) -> Filter {
        let regex = match Regex::new(pattern) {
            Ok(regex) => regex,
            Err(error) => return Filter::Faulty { reason: error.to_string() },
        };
        let kinds =
            PrimitiveKind::ALL.iter().filter(|&&kind| !matches!(kind, PrimitiveKind::Undef | PrimitiveKind::Gemm));
        let hits: Vec<(&str, u32)> = [("primitive", PRIMITIVE)]
            .into_iter()
            .chain(kinds.map(|&kind| (kind.name(), 1 << kind as i32)))
            .chain([("graph", GRAPH), ("gemm_api", GEMM_API)])
            .filter(|(name, _)| regex.is_match(name))
            .collect();
        if hits.is_empty() {
            return Filter::Faulty { reason: format!("component with name '{pattern}' not found") };
        }
        let names: Vec<&str> = hits.iter().map(|(name, _)| *name).collect();
        Filter::Some { mask: hits.iter().map(|(_, bit)| bit).sum(), names: names.join(",") }
    }

    pub(super) fn mask(&self) -> u32 {
        match self {
            Filter::All | Filter::Faulty { .. } => u32::MAX,
            Filter::Some { mask, .. } => *mask,
        }
    }
}

/// A value of `ONEDNN_VERBOSE`, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) flags: Flags,
    pub(super) filter: Filter,
}

impl Choice {
    /// Reads a value in lower case. Unknown words are ignored.
    pub(super) fn parse(value: &str) -> Choice {
        let mut choice = Choice { flags: Level::Error as Flags, filter: Filter::All };
        for word in value.split(',') {
            choice.flags |= match word {
                "0" | "none" => {
                    choice.flags = 0;
                    0
                }
                "1" => LEVEL1,
                "2" => LEVEL2,
                "all" | "-1" => ALL,
                "error" => Level::Error as Flags,
                "warn" => Level::Warn as Flags,
                "check" => Level::Check as Flags,
                "dispatch" => Level::Dispatch as Flags,
                "profile" => Level::ProfileCreate as Flags | Level::ProfileExec as Flags,
                "profile_create" => Level::ProfileCreate as Flags,
                "profile_exec" => Level::ProfileExec as Flags,
                "info" => Level::Info as Flags,
                _ => match word.split_once('=') {
                    Some(("debuginfo", level)) => with_debuginfo(level.parse().unwrap_or(0)),
                    Some(("filter", pattern)) if !pattern.is_empty() => {
                        choice.filter = Filter::new(pattern);
                        0
                    }
                    _ => 0,
                },
            };
        }
        choice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(value: &str) -> Flags {
        Choice::parse(value).flags
    }

    #[test]
    fn errors_are_on_unless_none_is_asked_for() {
        assert_eq!(flags(""), Level::Error as Flags);
        assert_eq!(flags("0"), 0);
        assert_eq!(flags("none"), 0);
        assert_eq!(flags("check"), Level::Error as Flags | Level::Check as Flags);
        assert_eq!(flags("nonsense"), Level::Error as Flags);
    }

    #[test]
    fn words_add_up_and_none_forgets_what_came_before_it() {
        assert_eq!(flags("none,check"), Level::Check as Flags);
        assert_eq!(flags("all,none"), 0);
        assert_eq!(flags("profile"), flags("profile_create,profile_exec"));
        assert_eq!(flags("error,warn,check,dispatch,profile,info"), flags("all"));
    }

    #[test]
    fn numbers_are_the_old_levels() {
        assert_eq!(flags("1"), flags("warn,profile_exec"));
        assert_eq!(flags("2"), flags("warn,profile"));
        assert_eq!(of_number(2).map(|f| f & 0xff_ffff), Some(flags("2")));
        assert_eq!(of_number(0), Some(0));
        assert_eq!((of_number(-1), of_number(3)), (None, None));
    }

    #[test]
    fn debuginfo_takes_a_level() {
        assert_eq!(debuginfo(flags("debuginfo=7")), 7);
        assert_eq!(debuginfo(flags("debuginfo=x")), 0);
        assert_eq!(debuginfo(flags("all")), 0);
    }

    #[test]
    fn a_filter_is_a_regular_expression_over_component_names() {
        let passing = |value| {
            let mask = Choice::parse(value).filter.mask();
            ["gpu,matmul,x", "gpu,convolution,x"].map(|problem| mask & components_of(problem) != 0)
        };
        assert_eq!(passing("all"), [true, true]);
        assert_eq!(passing("all,filter=prim"), [true, true]);
        assert_eq!(passing("all,filter=graph"), [false, false]);
        assert_eq!(passing("all,filter=^mat|graph"), [true, false]);
        assert_eq!(passing("all,filter=graph,filter=conv"), [false, true]);
        let Filter::Some { names, .. } = Choice::parse("filter=conv|matmul").filter else { panic!() };
        assert_eq!(names, "convolution,deconvolution,matmul");
    }

    #[test]
    fn a_filter_that_cannot_be_applied_is_not_applied() {
        for pattern in ["[", "zzz"] {
            let filter = Choice::parse(&format!("all,filter={pattern}")).filter;
            assert_eq!(filter.mask(), u32::MAX);
            assert!(matches!(filter, Filter::Faulty { .. }));
        }
    }
}
