//! What a tile computes whose lanes are columns of several groups, before it is text.

use std::collections::{BTreeMap, HashMap};

use super::Spread;
use crate::desc::DataType;
use crate::program::*;

/// What a tile of some points computes.
pub(super) struct Tile {
    pub points: i64,
    pub starts: [E; 2],
    pub elements: Vec<Element>,
    /// Vectors by point, tap and channel.
    pub vectors: HashMap<[i64; 3], Vec<Part>>,
}

/// The channels of some groups at a position, and the points and taps that see them.
pub(super) struct Element {
    pub conditions: Vec<E>,
    pub parts: Vec<Part>,
    /// Each channel by itself, where a vector has but one group.
    pub single: Vec<E>,
    pub uses: Vec<[i64; 2]>,
}

/// Some neighbours that are loaded at once.
pub(super) struct Part {
    pub size: i64,
    pub load: E,
}

/// The axes that say where a tile is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub lane: AxisId,
    pub start: AxisId,
    pub bases: [AxisId; 2],
}

/// Which vector a point, a tap and a channel are multiplied with.
pub(super) fn vector_key(p: &Program, s: &Spread, [point, tap, channel]: [i64; 3]) -> [i64; 3] {
    let counts = |axis: Option<AxisId>| axis.is_some_and(|axis| p.depends_on(s.vector, axis));
    [(Some(s.points), point), (s.taps, tap), (s.channels, channel)].map(|(axis, at)| if counts(axis) { at } else { 0 })
}

/// What a tile of so many points computes that starts at one of some points.
pub(super) fn tile(p: &mut Program, s: &Spread, place: Place, asked: &[E], points: i64, starts: &[i64]) -> Tile {
    let [taps, channels] = [s.taps, s.channels].map(|axis| s.extent_or_one(p, axis));
    let columns = s.extent_or_one(p, Some(s.columns));
    let zero = p.index(0);
    let mut first = HashMap::from([(s.points, p.at(place.start)), (s.columns, zero)]);
    first.extend([s.taps, s.channels].into_iter().flatten().map(|axis| (axis, zero)));
    let [(vector_tensor, vector_offset), (tensor, offset)] = [s.vector, s.broadcast].map(|factor| {
        let Node::Load { tensor, offset, .. } = *p.node(factor) else { unreachable!("factors are loads") };
        (tensor, offset)
    });
    let step = |p: &Program, axis: Option<AxisId>| axis.and_then(|axis| p.step(offset, axis)).unwrap_or(0);
    let [along, across] = [Some(s.points), s.taps].map(|axis| step(p, axis));
    let vector_start = p.substitute(vector_offset, &first);
    // Elements are counted from the one that lies first, so that all are ahead of it.
    let first_tap = if (across < 0) == (along < 0) { 0 } else { taps - 1 };
    first.extend(s.taps.map(|axis| (axis, p.index(first_tap))));
    let starts_at = [vector_start, p.substitute(offset, &first)];
    let axes = [Some(s.points), s.taps, s.channels];
    let moved = |p: &mut Program, offset: E, base: AxisId, by: [i64; 3]| {
        let mut at = p.at(base);
        for (axis, by) in axes.iter().zip(by).filter_map(|(axis, by)| Some(((*axis)?, by))) {
            let (step, _) = p.linear(offset, axis).expect("offsets are linear");
            let by = p.index(by);
            let distance = p.mul(step, by);
            at = p.add(at, distance);
        }
        at
    };
    let parts = |p: &mut Program, tensor: TensorId, first: E, count: i64| -> Vec<Part> {
        let mut parts = Vec::new();
        let mut done = 0;
        while done < count {
            let size = [16, 8, 4, 2, 1].into_iter().find(|&size| size <= count - done).unwrap_or(1);
            let distance = p.index(done);
            let mut at = p.add(first, distance);
            if size > 1 {
                let lane = p.at(place.lane);
                at = p.add(at, lane);
            }
            parts.push(Part { size, load: p.load(tensor, at, Ty::F32) });
            done += size;
        }
        parts
    };

    let mut elements: BTreeMap<i64, Element> = BTreeMap::new();
    let mut vectors = HashMap::new();
    for (point, tap) in (0..points).flat_map(|point| (0..taps).map(move |tap| (point, tap))) {
        for channel in 0..if s.bytes.is_some() { 0 } else { channels } {
            let key = vector_key(p, s, [point, tap, channel]);
            vectors.entry(key).or_insert_with(|| {
                let at = moved(p, vector_offset, place.bases[0], key);
                parts(p, vector_tensor, at, s.together * columns)
            });
        }
        let distance = point * along + (tap - first_tap) * across;
        if let Some(element) = elements.get_mut(&distance) {
            element.uses.push([point, tap]);
            continue;
        }
        let by = if distance % along == 0 { [distance / along, 0, 0] } else { [point, tap - first_tap, 0] };
        let at = moved(p, offset, place.bases[1], by);
        let mut here = HashMap::new();
        let (start, by) = (p.at(place.start), p.index(point));
        here.insert(s.points, p.add(start, by));
        here.extend(s.taps.map(|axis| (axis, p.index(tap))));
        let conditions: Vec<E> = asked.iter().map(|&condition| p.substitute(condition, &here)).collect();
        let holds = |p: &Program, condition: E| {
            p.free_axes(condition).iter().all(|&free| free == place.start)
                && starts.iter().all(|&at| p.holds(condition, &|of| (of == place.start).then_some(at)) == Some(true))
        };
        let conditions: Vec<E> = conditions.into_iter().filter(|&condition| !holds(p, condition)).collect();
        let mut single = Vec::new();
        // Of short types, whole vectors are converted.
        if s.together == 1 && conditions.is_empty() && p.tensor(tensor).data_type == DataType::F32 {
            for channel in 0..channels {
                let distance = p.index(channel);
                let at = p.add(at, distance);
                single.push(p.load(tensor, at, Ty::F32));
            }
        }
        let parts = parts(p, tensor, at, s.together * channels);
        elements.insert(distance, Element { conditions, parts, single, uses: vec![[point, tap]] });
    }
    Tile { points, starts: starts_at, elements: elements.into_values().collect(), vectors }
}
