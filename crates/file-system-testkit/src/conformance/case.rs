//! What a case is, and the list of them all.

use std::pin::Pin;

use crate::conformance::check::Failure;
use crate::conformance::subject::Subject;
use crate::conformance::{links, list, names, read, rules, stat, walk, write};

/// One rule of the contract, examined on a filesystem that the subject builds for it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The rule, unique in the suite and stable.
    pub name: &'static str,
    /// What a subject must offer for the case to mean anything.
    pub needs: Needs,
    /// The examination.
    pub run: Run,
}

/// What a case needs, all of it.
pub type Needs = &'static [Need];

/// The examination of one case. Each run builds its own filesystem and leaves nothing behind.
pub type Run = for<'a> fn(&'a dyn Subject) -> CaseFuture<'a>;

/// A running examination.
pub type CaseFuture<'a> = Pin<Box<dyn Future<Output = CaseResult> + Send + 'a>>;

/// How an examination ends.
pub type CaseResult = Result<(), Failure>;

/// Something that not every filesystem offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Need {
    /// Writing, creating, removing and copying.
    Writes,
    /// Symbolic links.
    Links,
    /// Permission bits that hold for the caller, who must be unprivileged.
    Modes,
    /// FIFOs.
    Fifo,
    /// POSIX names of any bytes but `/` and NUL.
    NonUtf8,
    /// A file larger than `MAX_READ_FILE_BYTES`, sparse.
    BigFile,
    /// Names of any UTF-16 code units, found whatever their case.
    WindowsNames,
    /// A sandbox that is enforced rather than refused.
    Sandbox,
}

/// Every case, group by group.
pub const CASES: &[Case] = &joined::<{ count() }>();

const GROUPS: [&[Case]; 8] = [
    stat::CASES,
    read::CASES,
    list::CASES,
    links::CASES,
    names::CASES,
    write::CASES,
    walk::CASES,
    rules::CASES,
];

const fn count() -> usize {
    let (mut total, mut group) = (0, 0);
    while group < GROUPS.len() {
        total += GROUPS[group].len();
        group += 1;
    }
    total
}

const fn joined<const N: usize>() -> [Case; N] {
    let mut all = [GROUPS[0][0]; N];
    let (mut filled, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut index = 0;
        while index < GROUPS[group].len() {
            all[filled] = GROUPS[group][index];
            filled += 1;
            index += 1;
        }
        group += 1;
    }
    all
}

/// A group's list of cases: each is an async function of this module under its own name, and the
/// needs that stand behind it.
macro_rules! cases {
    ($($case:ident $([$($need:ident),+])?),+ $(,)?) => {
        pub(super) const CASES: &[$crate::conformance::Case] = &[$(
            $crate::conformance::Case {
                name: stringify!($case),
                needs: &[$($($crate::conformance::Need::$need),+)?],
                run: |subject| Box::pin($case(subject)),
            }
        ),+];
    };
}
pub(super) use cases;
