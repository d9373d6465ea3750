//! Channels that are bytes, four at a time: which sums can be made of dot products, and how weights lie for them.
//!
//! A vector of weights has four channels of each of its columns; lanes beyond the channels of a group are zeros. Those of
//! some groups that fill a vector are a panel: in it follow each other steps of outer loops, taps, and every four channels.

use std::collections::HashMap;

use super::Spread;
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::DeviceProfile;
use crate::schedule::ceil;
use crate::schedule::contract::Dot;
use crate::schedule::contract::frame::Form;
use crate::schedule::room::has_room;

/// Channels that are multiplied at once.
pub(super) const FOUR: i64 = 4;
/// Bytes that a shuffle takes from.
const SHUFFLED: i64 = 16;

/// How sums are made of dot products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schedule) struct Bytes {
    pub dot: Dot,
    pub form: Form,
    /// How registers are saved.
    pub saved: Form,
    pub read: Read,
    /// How many times four channels a group has.
    pub quads: i64,
}

/// How the channels of all groups of a vector are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schedule) enum Read {
    /// There is one group: four of its channels are broadcast.
    Broadcast,
    /// So many bytes are broadcast, and each lane takes its own out of them.
    Whole(i64),
    /// As many bytes as a mask says, for each panel.
    Masked,
}

impl Bytes {
    /// How a device can make these sums of dot products, if it can.
    pub fn of(program: &Program, s: &Spread, profile: &DeviceProfile) -> Option<Bytes> {
        let data_type = |factor: E| match *program.node(factor) {
            Node::Load { tensor, .. } => Some(program.tensor(tensor).data_type),
            _ => None,
        };
        let dot = match (data_type(s.broadcast)?, data_type(s.vector)?, program.ty(s.sum)) {
            (DataType::U8, DataType::S8, Ty::S32) => Dot::Unsigned,
            (DataType::S8, DataType::S8, Ty::S32) => Dot::Signed,
            _ => return None,
        };
        let dot = dot.by_vectors(profile).filter(|&dot| dot != Dot::Pairs)?;
        let is_summed = |axis: AxisId| program.depends_on(s.vector, axis) && program.depends_on(s.broadcast, axis);
        let channels = program.extent(s.channels.filter(|&axis| is_summed(axis))?)?;
        if s.sums_points || program.depends_on(s.vector, s.points) {
            return None;
        }
        let form = Form::of(profile);
        let is_even = program.extent(s.groups)? % s.together == 0;
        let read = match s.together * channels {
            bytes if bytes > SHUFFLED => return None,
            _ if s.together == 1 && channels % FOUR == 0 => Read::Broadcast,
            bytes @ (4 | 8 | SHUFFLED) if is_even => Read::Whole(bytes),
            _ if form == Form::Zmm => Read::Masked,
            _ => return None,
        };
        Some(Bytes { dot, form, saved: Form::saved(profile), read, quads: ceil(channels, FOUR) })
    }

    /// Registers besides the sums: weights, channels in turns, what shuffles them, and what signed ones need.
    pub fn others(self, taps: i64) -> i64 {
        let shuffles = if self.read == Read::Broadcast { 0 } else { self.quads };
        taps + 2 + shuffles + if self.dot == Dot::Signed { 2 } else { 0 }
    }

    /// Bytes of a vector of weights in a panel.
    pub fn row(self, program: &Program, s: &Spread) -> i64 {
        s.together * s.extent_or_one(program, Some(s.columns)) * FOUR
    }

    /// Whether weights lie in panels. Lanes without columns are read from beyond them.
    pub fn lies_ready(self, program: &Program, s: &Spread) -> bool {
        let Node::Load { tensor, offset, .. } = *program.node(s.vector) else { return false };
        let is_own = matches!(program.tensor(tensor).binding, Binding::Scratch { .. });
        let row = self.row(program, s);
        let [columns, taps, channels] =
            [Some(s.columns), s.taps, s.channels].map(|axis| s.extent_or_one(program, axis));
        let at = |places: [i64; 4]| {
            let axes = [Some(s.groups), Some(s.columns), s.taps, s.channels];
            program
                .evaluate(offset, &|axis| Some(axes.iter().position(|&of| of == Some(axis)).map_or(0, |i| places[i])))
        };
        let expected = |[group, column, tap, channel]: [i64; 4]| {
            (tap * self.quads + channel / FOUR) * row + (group * columns + column) * FOUR + channel % FOUR
        };
        let places = [s.together, columns, taps, channels].map(|extent| [0, 1, extent / 2, extent - 1]);
        let all =
            (0..4).flat_map(|axis| places[axis].map(|place| [0, 1, 2, 3].map(|i| if i == axis { place } else { 0 })));
        let last = [s.together, columns, taps, channels].map(|extent| extent - 1);
        (is_own || s.together * columns == s.lanes)
            && all.chain([last]).filter(|places| places.iter().zip(last).all(|(&place, last)| place <= last)).all(
                |places| at(places).zip(at([0; 4])).is_some_and(|(there, start)| there - start == expected(places)),
            )
    }

    /// Elements of a copy in panels, with what is read beyond the last one.
    fn elements(self, program: &Program, s: &Spread) -> Option<i64> {
        let [outer, inner] = self.around(program, s);
        let panels = ceil(program.extent(s.groups)?, s.together);
        let rows = program.points(outer.iter().chain(&inner))?.checked_mul(panels * self.quads)?;
        Some(rows.checked_mul(self.row(program, s))? + s.lanes * FOUR)
    }

    /// Whether there is room for a copy in panels.
    pub fn has_room(self, program: &Program, s: &Spread) -> bool {
        self.elements(program, s).is_some_and(|elements| has_room(program, DataType::S8, elements))
    }

    /// The axes of weights outside of a panel, and those of its rows.
    fn around(self, program: &Program, s: &Spread) -> [Vec<AxisId>; 2] {
        let placed = [Some(s.groups), Some(s.columns), s.taps, s.channels];
        let free = program.free_axes(s.vector);
        let (inner, outer): (Vec<AxisId>, Vec<AxisId>) =
            free.iter().copied().filter(|&axis| !placed.contains(&Some(axis))).partition(|axis| s.loops.contains(axis));
        [outer, inner.into_iter().chain(s.taps).collect()]
    }

    /// The stage that copies weights into panels, and the weights as they are read from there.
    pub fn copy(self, program: &mut Program, s: &Spread) -> Option<(Stage, E)> {
        let Node::Load { tensor: from, offset, ty, .. } = *program.node(s.vector) else { return None };
        let (tensor, start) = program.add_scratch("flat", DataType::S8, self.elements(program, s)? as usize);
        let [outer, inner] = self.around(program, s);
        let (channels, columns) = (s.channels?, s.columns);
        let [together, four, quads] = [s.together, FOUR, self.quads].map(|number| program.index(number));
        let width = program.index(program.extent(columns)?);
        let panels = program.param(ceil(program.extent(s.groups)?, s.together));

        // Where something lies, from its places along all axes.
        let place =
            |program: &mut Program, around: &HashMap<AxisId, E>, [panel, quad, group, column, member]: [E; 5]| {
                let mut digits: Vec<(E, E)> = Vec::new();
                digits.extend(outer.iter().map(|&axis| (program.axis(axis).extent, around[&axis])));
                digits.push((panels, panel));
                digits.extend(inner.iter().map(|&axis| (program.axis(axis).extent, around[&axis])));
                digits.extend([(quads, quad), (together, group), (width, column), (four, member)]);
                let mut linear = program.index(0);
                for (extent, digit) in digits {
                    linear = program.mul(linear, extent);
                    linear = program.add(linear, digit);
                }
                program.add(start, linear)
            };

        let (mut axes, mut around) = (Vec::new(), HashMap::new());
        for &axis in &outer {
            let Axis { name, extent } = program.axis(axis).clone();
            axes.push(program.add_axis(name, extent));
            around.insert(axis, program.at(axes[axes.len() - 1]));
        }
        let panel = program.add_axis("panel", panels);
        axes.push(panel);
        for &axis in &inner {
            let Axis { name, extent } = program.axis(axis).clone();
            axes.push(program.add_axis(name, extent));
            around.insert(axis, program.at(axes[axes.len() - 1]));
        }
        let within = [("quad", quads), ("group", together), ("column", width), ("member", four)];
        let within = within.map(|(name, extent)| program.add_axis(name, extent));
        axes.extend(within);
        let panel = program.at(panel);
        let [quad, group, column, member] = within.map(|axis| program.at(axis));
        let target = place(program, &around, [panel, quad, group, column, member]);

        let (first, four_channels) = (program.mul(panel, together), program.mul(quad, four));
        let (group, channel) = (program.add(first, group), program.add(four_channels, member));
        let [groups_end, channels_end] = [s.groups, channels].map(|axis| program.axis(axis).extent);
        let mut exists = program.bool(true);
        for (at, end, axis, by) in [(group, groups_end, s.groups, s.together), (channel, channels_end, channels, FOUR)]
        {
            if program.extent(axis)? % by != 0 {
                let inside = program.lt(at, end);
                exists = program.and(exists, inside);
            }
        }
        let mut at = around.clone();
        at.extend([(s.groups, group), (columns, column), (channels, channel)]);
        let offset = program.substitute(offset, &at);
        let value = program.load_if(exists, from, offset, ty);
        let stores = vec![Store { tensor, offset: target, value }];
        let copy = Stage { name: "flatten", axes, bounds: None, stores, repeat: None };

        let around: HashMap<AxisId, E> = outer.iter().chain(&inner).map(|&axis| (axis, program.at(axis))).collect();
        let [group, column, channel] = [s.groups, columns, channels].map(|axis| program.at(axis));
        let (panel, group) = (program.div(group, together), program.rem(group, together));
        let (quad, member) = (program.div(channel, four), program.rem(channel, four));
        let source = place(program, &around, [panel, quad, group, column, member]);
        Some((copy, program.load(tensor, source, ty)))
    }
}
