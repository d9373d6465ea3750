//! A problem as it was asked for: the driver, its options with one value each, and the descriptor.
//!
//! This is also how a problem travels to another process, which makes the same [`Problem`](crate::problem::Problem) from it.

use crate::tag::Arrangement;
use dnnl_dynamic::dtype::DataType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// The primitive's short name, as in `--conv`.
    pub driver: String,
    /// Options without their dashes.
    pub options: BTreeMap<String, String>,
    /// The descriptor, `1024x1024:1024x1024` or `ic64ih56oc64oh56kh3ph1`.
    pub descriptor: String,
    /// The batch file it is from, if any.
    pub group: Option<String>,
}

impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "--{}", self.driver)?;
        self.options.iter().try_for_each(|(name, value)| write!(f, " --{name}={value}"))?;
        write!(f, " {}", self.descriptor)
    }
}

impl Spec {
    /// An option's value.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }

    /// An option's value or its default.
    pub fn or<'s>(&'s self, name: &str, default: &'s str) -> &'s str {
        self.text(name).unwrap_or(default)
    }

    /// A number.
    pub fn number<T: std::str::FromStr>(&self, name: &str, default: T) -> Result<T, String> {
        match self.text(name) {
            Some(text) => text.parse().map_err(|_| format!("--{name}={text} is not a number")),
            None => Ok(default),
        }
    }

    /// `true` or `false`.
    pub fn flag(&self, name: &str) -> Result<bool, String> {
        match self.or(name, "false") {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            other => Err(format!("--{name}={other} is neither true nor false")),
        }
    }

    /// A list of types such as `u8:s8:f32`; one type stands for all.
    pub fn types(&self, name: &str, count: usize) -> Result<Vec<DataType>, String> {
        let list = self.or(name, "f32").split(':').map(data_type).collect::<Result<Vec<_>, _>>()?;
        match list.len() {
            1 => Ok(vec![list[0]; count]),
            n if n == count => Ok(list),
            n => Err(format!("--{name} names {n} types, {count} are needed")),
        }
    }

    /// Source and destination types: `--sdt` and `--ddt`, or `--dt` for both.
    pub fn source_and_destination(&self) -> Result<(DataType, DataType), String> {
        let both = self.types("dt", 2)?;
        let own = |name, default| self.text(name).map_or(Ok(default), data_type);
        Ok((own("sdt", both[0])?, own("ddt", both[1])?))
    }

    /// A tag.
    pub fn tag(&self, name: &str, default: &str, ndims: usize) -> Result<Arrangement, String> {
        Arrangement::parse(self.or(name, default), ndims)
    }

    /// Colon-separated tags, one for each tensor or one for all.
    pub fn tags(&self, name: &str, default: &str, ndims: &[usize]) -> Result<Vec<Arrangement>, String> {
        let list: Vec<&str> = self.or(name, default).split(':').collect();
        if list.len() != 1 && list.len() != ndims.len() {
            return Err(format!("--{name} names {} layouts, {} are needed", list.len(), ndims.len()));
        }
        ndims.iter().enumerate().map(|(i, n)| Arrangement::parse(list[i.min(list.len() - 1)], *n)).collect()
    }

    /// The descriptor's dimension lists, `2x3:3x4`, without a name at its end.
    pub fn dimension_lists(&self) -> Result<Vec<Vec<i64>>, String> {
        let bare = match self.descriptor.find(['n', '_']) {
            Some(end) => &self.descriptor[..end],
            None => &self.descriptor,
        };
        let list = |part: &str| {
            part.split('x').map(|d| d.parse::<i64>().map_err(|_| self.unreadable())).collect::<Result<Vec<_>, _>>()
        };
        bare.split(':').map(list).collect()
    }

    /// A descriptor of one dimension list, with the batch from `--mb` where that is given.
    pub fn dimensions(&self) -> Result<Vec<i64>, String> {
        let mut lists = self.dimension_lists()?;
        if lists.len() != 1 {
            return Err(self.unreadable());
        }
        let batch = self.number("mb", 0)?;
        if batch > 0 {
            lists[0][0] = batch;
        }
        Ok(lists.remove(0))
    }

    /// What to say of a descriptor that cannot be read.
    pub fn unreadable(&self) -> String {
        format!("cannot read `{}` as a --{} problem", self.descriptor, self.driver)
    }
}

/// A type by its name.
pub fn data_type(name: &str) -> Result<DataType, String> {
    DataType::ALL.into_iter().find(|dt| dt.name() == name).ok_or_else(|| format!("no data type `{name}`"))
}
