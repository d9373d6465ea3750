//! Bytes that leave the process and come back: cache blobs of engines and primitives, and files of the disk cache.
//!
//! A blob says what it is, which library and device it is for, and holds binaries under their keys:
//!
//! | bytes | |
//! |---|---|
//! | 8 | `OXIDNNCB` |
//! | 4 | format version |
//! | 4 | [`Kind`] |
//! | 4 + n | library version: length, text |
//! | 4 + n | device identity: length, bytes |
//! | 4 | number of entries |
//! | each entry | key, 16 bytes; length, 8 bytes; payload |
//! | 16 | XXH3-128 of everything before |
//!
//! Numbers are little-endian. The checksum finds accidents, not forgeries: whoever can write a blob can write a right
//! one. That is why the disk cache only reads files that nobody else could have written.

use std::fmt;

use twox_hash::XxHash3_128;

use crate::{Error, Result, ensure};

const MAGIC: &[u8; 8] = b"OXIDNNCB";
const FORMAT: u32 = 1;
const CHECKSUM: usize = 16;

/// Builds are only shared between equal versions of the library, as kernels' argument lists may differ.
pub(super) const LIBRARY: &str = env!("CARGO_PKG_VERSION");

/// What a blob holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Kind {
    /// What an engine is created from.
    Engine = 1,
    /// The kernels of one primitive.
    Primitive = 2,
    /// One built program in the disk cache.
    Disk = 3,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Engine => "engine",
            Kind::Primitive => "primitive",
            Kind::Disk => "disk cache",
        })
    }
}

/// The 128-bit hash of what a payload was made from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; 16]);

impl Key {
    /// The key of some bytes.
    ///
    /// ```
    /// use oxidnn::primitive::blob::Key;
    /// assert_eq!(Key::of(b"source").to_string(), Key::of(b"source").to_string());
    /// assert_ne!(Key::of(b"source"), Key::of(b"sources"));
    /// ```
    pub fn of(bytes: &[u8]) -> Key {
        Key(XxHash3_128::oneshot(bytes).to_le_bytes())
    }

    /// The key of a list of byte strings. Where one ends and the next begins counts.
    pub(super) fn of_parts(parts: &[&[u8]]) -> Key {
        let mut hasher = XxHash3_128::new();
        for part in parts {
            hasher.write(&(part.len() as u64).to_le_bytes());
            hasher.write(part);
        }
        Key(hasher.finish_128().to_le_bytes())
    }

    /// The hash.
    pub fn as_bytes(&self) -> [u8; 16] {
        self.0
    }
}

/// As 32 hexadecimal digits.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

/// The container.
#[derive(Debug)]
pub struct Blob;

impl Blob {
    /// What to keep a blob of something on devices of this identity by: other versions of the library, which refuse the blob,
    /// look for another one.
    pub fn id(identity: &[u8], of: &[u8]) -> Vec<u8> {
        Blob::id_by(LIBRARY, identity, of)
    }

    fn id_by(library: &str, identity: &[u8], of: &[u8]) -> Vec<u8> {
        Key::of_parts(&[library.as_bytes(), identity, of]).as_bytes().to_vec()
    }

    /// Puts entries into a blob for devices of this identity.
    ///
    /// ```
    /// use oxidnn::primitive::blob::{Blob, Key, Kind};
    ///
    /// let entries = [(Key::of(b"kernel void f() {}"), b"binary".to_vec())];
    /// let bytes = Blob::write(Kind::Primitive, b"some device", &entries);
    /// assert_eq!(Blob::read(&bytes, Kind::Primitive, b"some device")?, entries);
    /// assert!(Blob::read(&bytes[..9], Kind::Primitive, b"some device").is_err());
    /// # Ok::<(), oxidnn::Error>(())
    /// ```
    pub fn write(kind: Kind, identity: &[u8], entries: &[(Key, impl AsRef<[u8]>)]) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&FORMAT.to_le_bytes());
        out.extend_from_slice(&(kind as u32).to_le_bytes());
        for text in [LIBRARY.as_bytes(), identity] {
            out.extend_from_slice(&(text.len() as u32).to_le_bytes());
            out.extend_from_slice(text);
        }
        out.extend_from_slice(&(entries.len() as u32).to_le_bytes());
        for (key, payload) in entries {
            let payload = payload.as_ref();
            out.extend_from_slice(&key.0);
            out.extend_from_slice(&(payload.len() as u64).to_le_bytes());
            out.extend_from_slice(payload);
        }
        let checksum = XxHash3_128::oneshot(&out);
        out.extend_from_slice(&checksum.to_le_bytes());
        out
    }

    /// The entries of a blob of this kind for devices of this identity.
    ///
    /// Anything else (cut short, altered, of another kind, library or device) is `invalid_arguments` with the reason.
    pub fn read(bytes: &[u8], kind: Kind, identity: &[u8]) -> Result<Vec<(Key, Vec<u8>)>> {
        ensure!(bytes.starts_with(MAGIC), "this is not a cache blob of this library");
        let Some((body, checksum)) = bytes.split_last_chunk::<CHECKSUM>() else { return Err(cut_short()) };
        let mut rest = Bytes(&body[MAGIC.len().min(body.len())..]);
        let format = rest.u32()?;
        ensure!(format == FORMAT, "the cache blob has format {format}; this library reads format {FORMAT}");
        ensure!(
            XxHash3_128::oneshot(body).to_le_bytes() == *checksum,
            "the cache blob is damaged: its checksum does not fit its content"
        );
        let found = rest.u32()?;
        ensure!(found == kind as u32, "the cache blob is of kind {found}; expected kind {} ({kind})", kind as u32);
        let library = rest.text()?;
        ensure!(
            library == LIBRARY.as_bytes(),
            "the cache blob was made by version {} of the library; this is version {LIBRARY}",
            String::from_utf8_lossy(library)
        );
        ensure!(rest.text()? == identity, "the cache blob was made for another device or driver");
        let count = rest.u32()?;
        // The count is only believed as far as there are entries.
        let mut entries = Vec::new();
        for _ in 0..count {
            let key = Key(rest.array()?);
            let length = u64::from_le_bytes(rest.array()?);
            let payload = rest.take(usize::try_from(length).map_err(|_| cut_short())?)?;
            entries.push((key, payload.to_vec()));
        }
        ensure!(rest.0.is_empty(), "the cache blob has {} bytes after its last entry", rest.0.len());
        Ok(entries)
    }
}

fn cut_short() -> Error {
    Error::invalid("the cache blob is cut short")
}

/// What is left to read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or_else(cut_short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or_else(cut_short)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn text(&mut self) -> Result<&'a [u8]> {
        let length = self.u32()?;
        self.take(length as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;

    const IDENTITY: &[u8] = b"platform\0device\0driver";

    fn sample() -> (Vec<u8>, Vec<(Key, Vec<u8>)>) {
        let entries: Vec<(Key, Vec<u8>)> =
            (0..3u8).map(|i| (Key::of(&[i]), (0..i * 50).map(|b| b ^ i).collect())).collect();
        (Blob::write(Kind::Primitive, IDENTITY, &entries), entries)
    }

    fn message(bytes: &[u8], kind: Kind, identity: &[u8]) -> String {
        let error = Blob::read(bytes, kind, identity).unwrap_err();
        assert_eq!(error.status(), Status::InvalidArguments);
        error.message().to_owned()
    }

    /// Makes the checksum fit again, as somebody would who alters a blob on purpose.
    fn seal(bytes: &mut [u8]) {
        let (body, checksum) = bytes.split_last_chunk_mut::<CHECKSUM>().unwrap();
        *checksum = XxHash3_128::oneshot(body).to_le_bytes();
    }

    #[test]
    fn blobs_of_other_versions_devices_and_things_have_other_ids() {
        let id = Blob::id(IDENTITY, b"sum");
        assert_eq!(id, Blob::id(IDENTITY, b"sum"));
        assert_ne!(id, Blob::id(IDENTITY, b"concat"));
        assert_ne!(id, Blob::id(b"another device", b"sum"));
        assert_ne!(id, Blob::id_by("another version", IDENTITY, b"sum"));
    }

    #[test]
    fn entries_come_back() {
        let (bytes, entries) = sample();
        assert_eq!(Blob::read(&bytes, Kind::Primitive, IDENTITY).unwrap(), entries);
        let empty = Blob::write(Kind::Engine, b"", &[] as &[(Key, &[u8])]);
        assert_eq!(Blob::read(&empty, Kind::Engine, b"").unwrap(), []);
    }

    #[test]
    fn every_single_altered_bit_is_found() {
        let (bytes, _) = sample();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut altered = bytes.clone();
                altered[at] ^= 1 << bit;
                message(&altered, Kind::Primitive, IDENTITY);
            }
        }
    }

    #[test]
    fn every_truncation_and_every_addition_is_found() {
        let (bytes, _) = sample();
        for length in 0..bytes.len() {
            message(&bytes[..length], Kind::Primitive, IDENTITY);
        }
        message(&[&bytes[..], &[0]].concat(), Kind::Primitive, IDENTITY);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let (bytes, _) = sample();
        assert!(message(b"something else", Kind::Primitive, IDENTITY).contains("not a cache blob"));
        assert!(message(MAGIC, Kind::Primitive, IDENTITY).contains("cut short"));
        assert!(message(&bytes, Kind::Engine, IDENTITY).contains("expected kind 1 (engine)"));
        assert!(message(&bytes, Kind::Primitive, b"other").contains("another device"));
        assert!(message(&bytes[..bytes.len() - 1], Kind::Primitive, IDENTITY).contains("damaged"));
        let mut other = bytes.clone();
        other[8] = 9;
        assert!(message(&other, Kind::Primitive, IDENTITY).contains("format 9"));
        let mut other = bytes.clone();
        other[20] = b'9';
        seal(&mut other);
        assert!(message(&other, Kind::Primitive, IDENTITY).contains("version 9"));
    }

    #[test]
    fn a_sealed_blob_with_wrong_lengths_is_refused_without_reading_or_allocating_beyond_it() {
        let (bytes, _) = sample();
        let mut refused = 0;
        for at in 16..bytes.len() - CHECKSUM - 8 {
            for value in [0, 1, 0x7f, 0xff] {
                for width in [1, 4, 8] {
                    let mut altered = bytes.clone();
                    altered[at..at + width].fill(value);
                    seal(&mut altered);
                    refused += usize::from(Blob::read(&altered, Kind::Primitive, IDENTITY).is_err());
                }
            }
        }
        assert!(refused > 500, "{refused}");
    }

    #[test]
    fn keys_print_as_digits_and_tell_lists_apart() {
        let text = Key::of(b"x").to_string();
        assert!(text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit()));
        assert_ne!(Key::of_parts(&[b"ab", b"c"]), Key::of_parts(&[b"a", b"bc"]));
    }
}
