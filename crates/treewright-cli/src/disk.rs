//! A disk that a long result fills up.
//!
//! A full disk harms everybody who writes to it. So a result that may grow without end stops before: where
//! less than a twentieth of the disk is left, or a gigabyte of a large one.

use std::path::Path;

/// How often the disk is looked at, in bytes written.
const LOOK_EVERY: u64 = 1 << 20;
/// Of a large disk, it is enough to leave this much.
const ENOUGH: u64 = 1_000_000_000;

/// What a disk has, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Space {
    pub(crate) free: u64,
    pub(crate) all: u64,
}

impl Space {
    /// The disk of a folder, where that can be found out.
    #[cfg(unix)]
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        let found = nix::sys::statvfs::statvfs(folder).ok()?;
        #[allow(clippy::useless_conversion, reason = "not all systems count alike")]
        let bytes = |blocks| u64::from(blocks) * u64::from(found.fragment_size());
        Some(Self {
            free: bytes(found.blocks_available()),
            all: bytes(found.blocks()),
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn of(_: &Path) -> Option<Self> {
        None
    }

    /// Is the disk as full as it should become?
    fn is_short(self) -> bool {
        self.free < (self.all / 20).min(ENOUGH)
    }
}

/// Watches how full a disk is while it is written to.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    since_last_look: u64,
}

impl Watch {
    /// Tells that something was written; returns what is left of the disk if that is too little.
    pub(crate) fn written(
        &mut self,
        bytes: usize,
        space: impl FnOnce() -> Option<Space>,
    ) -> Option<Space> {
        self.since_last_look += bytes as u64;
        if self.since_last_look < LOOK_EVERY {
            return None;
        }
        self.since_last_look = 0;
        space().filter(|space| space.is_short())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_left_before_it_is_full() {
        let space = |free, all| Space { free, all };
        assert!(!space(60, 1000).is_short());
        assert!(space(40, 1000).is_short());
        assert!(!space(2 * ENOUGH, 1000 * ENOUGH).is_short());
        assert!(space(ENOUGH - 1, 1000 * ENOUGH).is_short());
    }

    #[test]
    fn the_disk_is_looked_at_now_and_then() {
        let mut watch = Watch::default();
        let half = LOOK_EVERY as usize / 2;
        let full = || Some(Space { free: 0, all: 1000 });
        assert!(watch.written(half, full).is_none());
        assert!(watch.written(half, full).is_some());
        assert!(watch.written(half, full).is_none());
        assert!(watch.written(2 * half, || None).is_none());
        let empty = || {
            Some(Space {
                free: 900,
                all: 1000,
            })
        };
        assert!(watch.written(2 * half, empty).is_none());
    }

    #[test]
    #[cfg(unix)]
    fn every_folder_has_a_disk() {
        let space = Space::of(Path::new(".")).unwrap();
        assert!(space.all > 0 && space.free <= space.all);
    }
}
