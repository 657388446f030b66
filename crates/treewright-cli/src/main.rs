//! The program `treewright`.

use std::process::ExitCode;

fn main() -> ExitCode {
    treewright_cli::main()
}
