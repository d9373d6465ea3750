use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

use tempfile::TempDir;

use super::*;
use crate::observe::child;

const LIMIT: u64 = 1 << 20;
const DEVICE: &[u8] = b"platform\0device\0driver";

fn key(i: u32) -> Key {
    Key::of(&i.to_le_bytes())
}

fn payload(i: u32, size: usize) -> Vec<u8> {
    (0..size as u32).map(|at| (at.wrapping_mul(31) ^ i) as u8).collect()
}

fn cache(limit: u64) -> (TempDir, DiskCache) {
    let dir = TempDir::new().unwrap();
    let cache = DiskCache::open(&dir.path().join("oxidnn"), limit).unwrap();
    (dir, cache)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

fn all_files(dir: &Path) -> Vec<PathBuf> {
    let inner = entries(dir).flat_map(|dir| entries(&dir.path).collect::<Vec<_>>());
    inner.map(|file| file.path).collect()
}

fn age(path: &Path, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    File::open(path).unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
}

#[test]
fn what_is_put_is_got_for_that_device_and_key_only() {
    let (_dir, cache) = cache(LIMIT);
    assert_eq!(cache.get(DEVICE, &key(1)), None);
    cache.put(DEVICE, &key(1), &payload(1, 1000));
    cache.put(DEVICE, &key(2), &[]);
    assert_eq!(cache.get(DEVICE, &key(1)), Some(payload(1, 1000)));
    assert_eq!(cache.get(DEVICE, &key(2)), Some(Vec::new()));
    assert_eq!(cache.get(b"other", &key(1)), None);
    assert_eq!(cache.get(DEVICE, &key(3)), None);
    let again = DiskCache::open(&cache.root, LIMIT).unwrap();
    assert_eq!(again.get(DEVICE, &key(1)), Some(payload(1, 1000)));
    cache.put(DEVICE, &key(1), b"new");
    assert_eq!(again.get(DEVICE, &key(1)).as_deref(), Some(b"new".as_slice()));
}

#[test]
fn files_and_directories_are_private_and_nothing_temporary_stays() {
    let (_dir, cache) = cache(LIMIT);
    cache.put(DEVICE, &key(1), b"binary");
    let path = cache.path(DEVICE, &key(1));
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(mode(&cache.root), 0o700);
    assert_eq!(all_files(&cache.root), [path]);
}

#[test]
fn every_damaged_file_is_a_miss_and_goes_away() {
    let (_dir, cache) = cache(LIMIT);
    cache.put(DEVICE, &key(1), &payload(1, 100));
    let path = cache.path(DEVICE, &key(1));
    let good = fs::read(&path).unwrap();
    let cut = (0..good.len()).map(|length| good[..length].to_vec());
    let altered = (0..good.len()).map(|at| {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        bytes
    });
    for bad in cut.chain(altered) {
        cache.put(DEVICE, &key(1), b"");
        fs::write(&path, &bad).unwrap();
        assert_eq!(cache.get(DEVICE, &key(1)), None);
        assert!(!path.exists());
    }
    cache.put(DEVICE, &key(1), b"fresh");
    assert!(cache.get(DEVICE, &key(1)).is_some());
}

#[test]
fn an_entry_under_the_name_of_another_is_refused() {
    let (_dir, cache) = cache(LIMIT);
    cache.put(DEVICE, &key(1), b"one");
    cache.put(DEVICE, &key(2), b"two");
    fs::copy(cache.path(DEVICE, &key(1)), cache.path(DEVICE, &key(2))).unwrap();
    assert_eq!(cache.get(DEVICE, &key(2)), None);
    cache.put(b"other", &key(1), b"three");
    fs::copy(cache.path(b"other", &key(1)), cache.path(DEVICE, &key(1))).unwrap();
    assert_eq!(cache.get(DEVICE, &key(1)), None);
}

#[test]
fn files_that_others_may_write_are_ignored() {
    let (_dir, cache) = cache(LIMIT);
    cache.put(DEVICE, &key(1), b"one");
    let path = cache.path(DEVICE, &key(1));
    for open in [0o620, 0o602, 0o666] {
        fs::set_permissions(&path, fs::Permissions::from_mode(open)).unwrap();
        assert_eq!(cache.get(DEVICE, &key(1)), None);
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(cache.get(DEVICE, &key(1)).is_some());

    let stranger = DiskCache { user: cache.user + 1, root: cache.root.clone(), room: Mutex::new(empty()), ..cache };
    assert_eq!(stranger.get(DEVICE, &key(1)), None, "a file of another user");
}

fn empty() -> Room {
    Room { used: 0, puts_to_scan: 0 }
}

#[test]
fn what_is_no_regular_file_is_ignored() {
    let (dir, cache) = cache(LIMIT);
    cache.put(DEVICE, &key(1), b"one");
    let path = cache.path(DEVICE, &key(1));
    let elsewhere = dir.path().join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert_eq!(cache.get(DEVICE, &key(1)), None);
    cache.put(DEVICE, &key(1), b"two");
    assert_eq!(cache.get(DEVICE, &key(1)).as_deref(), Some(b"two".as_slice()));
    assert!(fs::symlink_metadata(&path).unwrap().is_file(), "the link was replaced, not written through");

    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(cache.get(DEVICE, &key(1)), None);
    cache.put(DEVICE, &key(1), b"three");
    assert_eq!(cache.get(DEVICE, &key(1)), None);
}

#[test]
fn a_directory_that_others_may_write_or_that_cannot_be_made_is_refused() {
    let dir = TempDir::new().unwrap();
    let open = dir.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(DiskCache::open(&open, LIMIT).unwrap_err().message().contains("others may write"));
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(DiskCache::open(&file, LIMIT).is_err());
    assert!(DiskCache::open(&file.join("below"), LIMIT).is_err());
    // Not even root writes here.
    assert!(DiskCache::open(Path::new("/proc/oxidnn"), LIMIT).is_err());
}

#[test]
fn a_directory_that_vanishes_is_made_again_or_gives_misses() {
    let (dir, cache) = cache(LIMIT);
    cache.put(DEVICE, &key(1), b"one");
    fs::remove_dir_all(cache.path(DEVICE, &key(1)).parent().unwrap()).unwrap();
    assert_eq!(cache.get(DEVICE, &key(1)), None);
    cache.put(DEVICE, &key(1), b"one");
    assert!(cache.get(DEVICE, &key(1)).is_some());
    drop(dir);
    assert_eq!(cache.get(DEVICE, &key(1)), None);
    cache.put(DEVICE, &key(1), b"one");
    assert_eq!(cache.get(DEVICE, &key(1)), None);
}

#[test]
fn the_least_recently_used_go_when_the_bound_is_passed() {
    let (_dir, cache) = cache(64 << 10);
    let size = 4 << 10;
    for i in 0..14 {
        cache.put(DEVICE, &key(i), &payload(i, size));
        age(&cache.path(DEVICE, &key(i)), 1000 - u64::from(i));
    }
    assert!(cache.get(DEVICE, &key(0)).is_some(), "the oldest, but used now");
    for i in 14..18 {
        cache.put(DEVICE, &key(i), &payload(i, size));
    }
    let kept: Vec<u32> = (0..18).filter(|&i| cache.path(DEVICE, &key(i)).exists()).collect();
    assert_eq!(kept, [0, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);
}

#[test]
fn the_bound_holds_over_many_short_processes() {
    let (_dir, first) = cache(64 << 10);
    for i in 0..40 {
        // A process that adds a single entry.
        let cache = DiskCache::open(&first.root, first.limit).unwrap();
        cache.put(DEVICE, &key(i), &payload(i, 4 << 10));
    }
    let total: u64 = all_files(&first.root).iter().map(|file| fs::metadata(file).unwrap().len()).sum();
    assert!(total <= first.limit, "{total}");
}

#[test]
fn what_is_too_large_is_not_kept() {
    let (_dir, cache) = cache(4000);
    cache.put(DEVICE, &key(1), &payload(1, 1000));
    assert_eq!(cache.get(DEVICE, &key(1)), None);
    let (_dir, none) = super::tests::cache(0);
    none.put(DEVICE, &key(1), b"");
    assert_eq!(none.get(DEVICE, &key(1)), None);
}

#[test]
fn a_scan_removes_stale_temporary_files_and_leaves_those_of_others_alone() {
    let (_dir, cache) = cache(1000);
    let sub = cache.root.join("ab");
    fs::create_dir(&sub).unwrap();
    let files = [
        (cache.root.join(".tmp-1-0"), 7200, false),
        (sub.join(".tmp-1-0"), 7200, false),
        (sub.join(".tmp-1-1"), 60, true),
        (sub.join("0123456789abcdef0123456789abcd"), 60, false),
        (sub.join("notes.txt"), 7200, true),
        (cache.root.join("photo"), 7200, true),
    ];
    for (path, seconds, _) in &files {
        fs::write(path, [0; 2000]).unwrap();
        age(path, *seconds);
    }
    assert_eq!(cache.scan(), 0);
    for (path, _, stays) in &files {
        assert_eq!(path.exists(), *stays, "{}", path.display());
    }
}

/// Gets and puts at random in a small cache, damaging a file now and then. Whatever is got is right.
fn hammer(cache: &DiskCache, seed: u64) -> (u32, u32) {
    let mut state = seed;
    let mut random = |n: u32| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as u32 % n
    };
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..400 {
        let i = random(40);
        let size = 500 + 100 * i as usize;
        match cache.get(DEVICE, &key(i)) {
            Some(found) => {
                assert_eq!(found, payload(i, size));
                hits += 1;
            }
            None => {
                cache.put(DEVICE, &key(i), &payload(i, size));
                misses += 1;
            }
        }
        match random(20) {
            0 => drop(OpenOptions::new().write(true).open(cache.path(DEVICE, &key(i))).map(|file| file.set_len(300))),
            1 => drop(cache.scan()),
            _ => {}
        }
    }
    (hits, misses)
}

#[test]
fn processes_and_threads_share_a_directory() {
    const DIR: &str = "OXIDNN_TEST_DIR";
    if child::is_child() {
        let cache = DiskCache::open(Path::new(&std::env::var_os(DIR).unwrap()), 64 << 10).unwrap();
        let (hits, _) = hammer(&cache, std::process::id().into());
        assert!(hits > 20);
        return;
    }
    let (_dir, cache) = cache(64 << 10);
    let name = concat!(module_path!(), "::processes_and_threads_share_a_directory");
    let variables = [(DIR, cache.root.to_str().unwrap())];
    let children: Vec<_> =
        (0..3).map(|_| child::command(name, &variables).stdout(Stdio::null()).spawn().unwrap()).collect();
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let cache = &cache;
            scope.spawn(move || assert!(hammer(cache, seed).0 > 20));
        }
    });
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let left = all_files(&cache.root);
    assert!(left.iter().all(|file| !file.file_name().unwrap().to_str().unwrap().starts_with(TEMPORARY)));
    assert!(cache.scan() <= 64 << 10);
}

#[test]
fn the_environment_says_where_it_is_and_whether_it_is_on() {
    let name = concat!(module_path!(), "::the_environment_says_where_it_is_and_whether_it_is_on");
    let dir = TempDir::new().unwrap();
    let run = |variables: &[(&str, &str)]| {
        let variables = [&[("ONEDNN_VERBOSE", "info"), ("OXIDNN_GPU_RUNTIME", "ze")], variables].concat();
        let lines = child::lines_of(name, &variables, || {
            let cache = DiskCache::from_env();
            assert_eq!(cache.is_some(), std::env::var_os("EXPECT_ON").is_some());
        });
        lines.and_then(|lines| lines.last()?.strip_prefix("common,info,disk_cache,").map(str::to_owned))
    };
    let path = dir.path().join("a/b");
    let path = path.to_str().unwrap();
    let Some(on) = run(&[("OXIDNN_CACHE_DIR", path), ("OXIDNN_DISK_CACHE_SIZE", "4096"), ("EXPECT_ON", "1")]) else {
        return;
    };
    assert_eq!(on, format!("{path}, up to 4096 bytes"));
    assert_eq!(run(&[("OXIDNN_CACHE_DIR", path), ("OXIDNN_DISK_CACHE", "0")]).unwrap(), "off");
    assert!(run(&[("OXIDNN_CACHE_DIR", "/proc/oxidnn")]).unwrap().starts_with("off: cannot make the directory"));
}
