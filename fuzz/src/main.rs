//! Feeds a target of `treewright-fuzz` with libFuzzer. The environment variable `TARGET` names it: one
//! binary for all of them is built in a tenth of the time.

#![no_main]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LazyLock, Mutex, PoisonError};

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use treewright_fuzz::Target;

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("TARGET").expect("TARGET names the target");
    treewright_fuzz::target(&name).expect("a target of this name")
});

/// The last panic. The Arrow crates panic at some broken files; the reader catches that, and libFuzzer must
/// not hear of it.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

fuzz_target!(init: prepare(), |bytes: &[u8]| {
    if catch_unwind(AssertUnwindSafe(|| drop((TARGET.run)(bytes)))).is_err() {
        // A panic that comes out of the target is a finding.
        eprintln!("{}", LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner));
        std::process::abort();
    }
});

fuzz_mutator!(|bytes: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if TARGET.is_json && !seed.is_multiple_of(4) {
        let mutated = treewright_fuzz::mutate(&bytes[..size], seed.into());
        if mutated.len() <= max_size.min(bytes.len()) {
            bytes[..mutated.len()].copy_from_slice(&mutated);
            return mutated.len();
        }
    }
    fuzzer_mutate(bytes, size, max_size)
});

/// Everything runs on the thread of the fuzzer: that is faster, and its stack is the one that is printed.
fn prepare() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("the first pool of the process");
    std::panic::set_hook(Box::new(|info| {
        let stack = std::backtrace::Backtrace::capture();
        let mut last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        *last = format!("{info}\n{stack}");
    }));
}
