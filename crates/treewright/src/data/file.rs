//! Files as bytes.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use rayon::prelude::*;

/// Bytes that are read in one go by one thread.
const PIECE_SIZE: usize = 1 << 23;

/// The whole of a file, read by all threads at once: fetching the memory for it is what takes long.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let size = fs::metadata(path)?.len() as usize;
    if size <= PIECE_SIZE {
        // Also all that has no size, such as a pipe.
        return fs::read(path);
    }
    let mut bytes = vec![0; size];
    let pieces = bytes.par_chunks_mut(PIECE_SIZE).enumerate();
    pieces.try_for_each(|(position, piece)| {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start((position * PIECE_SIZE) as u64))?;
        file.read_exact(piece)
    })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_whole() {
        let path = std::env::temp_dir().join(format!("treewright_{}", std::process::id()));
        for size in [0, 1, PIECE_SIZE, PIECE_SIZE + 1, 2 * PIECE_SIZE + 5] {
            let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            fs::write(&path, &bytes).unwrap();
            assert!(read_file(&path).unwrap() == bytes, "{size} bytes");
        }
        fs::remove_file(&path).unwrap();
        let missing = read_file(&path).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        let folder = read_file(&std::env::temp_dir()).unwrap_err();
        assert_eq!(folder.kind(), io::ErrorKind::IsADirectory);
    }
}
