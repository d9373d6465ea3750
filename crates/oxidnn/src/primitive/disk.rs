//! Built programs on disk, so that the next process compiles nothing.
//!
//! On by default. `OXIDNN_DISK_CACHE=0` turns it off, `OXIDNN_CACHE_DIR` moves it (else `$XDG_CACHE_HOME/oxidnn`, else
//! `~/.cache/oxidnn`) and `OXIDNN_DISK_CACHE_SIZE` bounds it in bytes (512 MiB). `ONEDNN_VERBOSE=info` says where it is,
//! or why there is none.
//!
//! * One file per program, a [`Blob`] that names device, driver, library version and key; a file that does not check
//!   out is deleted and built anew.
//! * Files appear whole: they are written under another name and renamed.
//! * A driver runs what it is given, so files are private, and one that somebody else owns or may write to is not read.
//! * When the bound is passed, what was not used for longest goes, down to three quarters of it.
//!
//! Any number of processes share a directory without locks. The fact a newcomer gets wrong: every file may vanish or
//! change between two calls, and that is a miss, never an error. Nothing here fails; at worst nothing is cached.

use std::fs::{self, DirBuilder, File, FileTimes, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

use super::blob::{Blob, Key, Kind, LIBRARY};
use crate::observe::{Settings, verbose};
use crate::{Error, Result};

/// Others may have added files since the last scan, so it is repeated after this many additions.
const PUTS_BETWEEN_SCANS: u32 = 64;

/// A process that wrote a temporary file this long ago is gone.
const STALE: Duration = Duration::from_secs(3600);

const TEMPORARY: &str = ".tmp-";

/// A directory of built programs.
///
/// ```
/// use oxidnn::primitive::{blob::Key, disk::DiskCache};
///
/// if let Some(cache) = DiskCache::from_env() {
///     let key = Key::of(b"kernel void f() {}");
///     let binary = cache.get(b"some device", &key);
///     println!("{}", if binary.is_some() { "load it" } else { "build it and put it" });
/// }
/// ```
#[derive(Debug)]
pub struct DiskCache {
    root: PathBuf,
    limit: u64,
    /// Who owns the files that this process creates.
    user: u32,
    room: Mutex<Room>,
}

/// What is known of the size of the directory.
#[derive(Debug)]
struct Room {
    used: u64,
    puts_to_scan: u32,
}

impl DiskCache {
    /// The cache that the environment asks for, if it asks for one and it can be opened.
    pub fn from_env() -> Option<DiskCache> {
        let settings = Settings::get();
        let Some(root) = &settings.cache_dir else {
            verbose::info("disk_cache", "off");
            return None;
        };
        match DiskCache::open(root, settings.disk_cache_size) {
            Ok(cache) => {
                verbose::info("disk_cache", format_args!("{}, up to {} bytes", root.display(), cache.limit));
                Some(cache)
            }
            Err(error) => {
                verbose::info("disk_cache", format_args!("off: {error}"));
                None
            }
        }
    }

    /// Opens the cache in a directory, which is made if it is not there, for up to `limit` bytes.
    pub fn open(root: &Path, limit: u64) -> Result<DiskCache> {
        let failed = |what: &str, e: io::Error| Error::runtime(format!("cannot {what} {}: {e}", root.display()));
        make_dir(root, true).map_err(|e| failed("make the directory", e))?;
        // A file of our own shows whether we may write here, and as whom.
        let (path, file) = create_temporary(root).map_err(|e| failed("write to the directory", e))?;
        let _ = fs::remove_file(&path);
        let user = file.metadata().map_err(|e| failed("look into the directory", e))?.uid();
        let dir = fs::metadata(root).map_err(|e| failed("look into the directory", e))?;
        if !is_private(&dir, user) {
            return Err(Error::runtime(format!("others may write to the directory {}", root.display())));
        }
        Ok(DiskCache { root: root.to_owned(), limit, user, room: Mutex::new(Room { used: 0, puts_to_scan: 0 }) })
    }

    /// What was put under this key for this device.
    pub fn get(&self, identity: &[u8], key: &Key) -> Option<Vec<u8>> {
        let path = self.path(identity, key);
        // Opening anything but a regular file may block.
        if !fs::symlink_metadata(&path).ok()?.is_file() {
            return None;
        }
        let file = File::open(&path).ok()?;
        let metadata = file.metadata().ok()?;
        if !is_private(&metadata, self.user) || metadata.len() > self.limit {
            return None;
        }
        let mut bytes = Vec::new();
        (&file).take(self.limit).read_to_end(&mut bytes).ok()?;
        let entry = Blob::read(&bytes, Kind::Disk, identity).ok().and_then(|mut entries| entries.pop());
        match entry {
            Some((found, payload)) if found == *key => {
                // The time of the last use, for eviction. Nothing is lost if it cannot be set.
                let _ = file.set_times(FileTimes::new().set_modified(SystemTime::now()));
                Some(payload)
            }
            _ => {
                let _ = fs::remove_file(&path);
                None
            }
        }
    }

    /// Keeps a payload under this key for this device. What takes more than a quarter of the room is not kept.
    pub fn put(&self, identity: &[u8], key: &Key, payload: &[u8]) {
        let bytes = Blob::write(Kind::Disk, identity, &[(*key, payload)]);
        let size = bytes.len() as u64;
        if size > self.limit / 4 {
            return;
        }
        match self.store(&self.path(identity, key), &bytes) {
            Ok(()) => self.make_room(size),
            Err(error) => verbose::info("disk_cache", format_args!("cannot write to {}: {error}", self.root.display())),
        }
    }

    /// The name depends on the library's version, so that versions do not delete each other's files.
    fn path(&self, identity: &[u8], key: &Key) -> PathBuf {
        let name = Key::of_parts(&[LIBRARY.as_bytes(), identity, &key.as_bytes()]).to_string();
        let (dir, file) = name.split_at(2);
        self.root.join(dir).join(file)
    }

    fn store(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let dir = path.parent().unwrap_or(&self.root);
        let (temporary, mut file) = match create_temporary(dir) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                make_dir(dir, false)?;
                create_temporary(dir)?
            }
            created => created?,
        };
        // No fsync: what a crash leaves behind does not check out and is built anew.
        file.write_all(bytes).and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
            let _ = fs::remove_file(&temporary);
        })
    }

    /// Accounts for `added` bytes, and scans when it is time.
    fn make_room(&self, added: u64) {
        let mut room = self.room.lock().unwrap_or_else(|e| e.into_inner());
        room.used += added;
        if room.puts_to_scan > 0 && room.used <= self.limit {
            room.puts_to_scan -= 1;
            return;
        }
        *room = Room { used: self.scan(), puts_to_scan: PUTS_BETWEEN_SCANS };
    }

    /// Removes stale temporary files and, if the rest takes too much room, what was not used for longest. Returns the
    /// room that is used then. Files that are not ours are not touched.
    fn scan(&self) -> u64 {
        let mut files = Vec::new();
        remove_stale(&self.root);
        for dir in entries(&self.root).filter(|dir| is_hex(&dir.name, 2)) {
            remove_stale(&dir.path);
            for file in entries(&dir.path).filter(|file| is_hex(&file.name, 30)) {
                let Ok(metadata) = fs::symlink_metadata(&file.path) else { continue };
                let Ok(used) = metadata.modified() else { continue };
                if metadata.is_file() {
                    files.push((used, metadata.len(), file.path));
                }
            }
        }
        let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
        if total > self.limit {
            files.sort();
            for (_, size, path) in files {
                if total <= self.limit / 4 * 3 {
                    break;
                }
                match fs::remove_file(&path) {
                    Err(e) if e.kind() != io::ErrorKind::NotFound => {}
                    _ => total -= size,
                }
            }
        }
        total
    }
}

/// Removes temporary files whose writer is gone.
fn remove_stale(dir: &Path) {
    for file in entries(dir).filter(|file| file.name.starts_with(TEMPORARY)) {
        let written = fs::symlink_metadata(&file.path).and_then(|metadata| metadata.modified());
        if written.is_ok_and(|written| written.elapsed().is_ok_and(|age| age > STALE)) {
            let _ = fs::remove_file(&file.path);
        }
    }
}

struct Entry {
    name: String,
    path: PathBuf,
}

fn entries(dir: &Path) -> impl Iterator<Item = Entry> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some(Entry { name: entry.file_name().into_string().ok()?, path: entry.path() }))
}

fn is_hex(name: &str, digits: usize) -> bool {
    name.len() == digits && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether nobody but `user` may have written it.
fn is_private(metadata: &Metadata, user: u32) -> bool {
    metadata.uid() == user && metadata.mode() & 0o022 == 0
}

fn make_dir(path: &Path, with_parents: bool) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).recursive(with_parents).create(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    }
}

/// A new file of a name that no other process takes.
fn create_temporary(dir: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let random = RandomState::new().hash_one(COUNT.fetch_add(1, Relaxed));
    let path = dir.join(format!("{TEMPORARY}{}-{random:016x}", std::process::id()));
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    Ok((path, file))
}

#[cfg(test)]
mod tests;
