//! How much of each description fits.
//!
//! Descriptions grow in turns, one character each, so a budget is shared evenly and a short
//! description never pays for a long one.

use super::escape::push_escaped;
use super::{CatalogBudget, LineExtent, RenderedRoot, SkillLine};
use crate::text::is_invisible;

/// How much of a line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// The whole line.
    All,
    /// The line with so many characters of its description.
    Cut(usize),
    /// Nothing.
    Nothing,
}

impl Shown {
    pub(super) fn extent(self) -> LineExtent {
        match self {
            Self::All => LineExtent::Whole,
            Self::Cut(_) => LineExtent::Shortened,
            Self::Nothing => LineExtent::Omitted,
        }
    }
}

/// A budget that is being spent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    budget: CatalogBudget,
}

/// The extent of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Extent {
    bytes: usize,
    chars: usize,
}

impl Cost {
    pub(super) fn of(budget: CatalogBudget) -> Self {
        Self { budget }
    }

    fn limit(self) -> u64 {
        match self.budget {
            CatalogBudget::Tokens(limit) | CatalogBudget::Characters(limit) => limit,
        }
    }

    fn line(self, extent: Extent) -> u64 {
        let cost = match self.budget {
            CatalogBudget::Tokens(_) => (extent.bytes + 1).div_ceil(4),
            CatalogBudget::Characters(_) => extent.chars + 1,
        };
        u64::try_from(cost).unwrap_or(u64::MAX)
    }
}

impl Extent {
    fn of(text: &str) -> Self {
        Self {
            bytes: text.len(),
            chars: text.chars().count(),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            chars: self.chars + other.chars,
        }
    }
}

/// Decides how much of each line is shown.
pub(super) fn fit(lines: &[SkillLine], roots: &[(usize, RenderedRoot)], cost: Cost) -> Vec<Shown> {
    let root_costs: u64 = roots
        .iter()
        .map(|(_, root)| cost.line(Extent::of(&root.line())))
        .sum();
    let full = |line: &SkillLine| line.render(&Shown::All).unwrap_or_default();
    let full_costs: u64 = lines
        .iter()
        .map(|line| cost.line(Extent::of(&full(line))))
        .sum();
    if root_costs + full_costs <= cost.limit() {
        return vec![Shown::All; lines.len()];
    }
    let bare_costs: u64 = lines.iter().map(|line| cost.line(bare(line))).sum();
    if root_costs + bare_costs <= cost.limit() {
        return share(lines, root_costs + bare_costs, cost);
    }
    keep_bare(lines, roots, cost)
}

/// The extent of a line without its description.
fn bare(line: &SkillLine) -> Extent {
    let blank = Extent { bytes: 1, chars: 1 };
    Extent::of(&line.head)
        .plus(blank)
        .plus(Extent::of(&line.tail))
}

/// A description that grows.
struct Growing<'l> {
    index: usize,
    rest: std::iter::Peekable<std::str::Chars<'l>>,
    taken: usize,
    /// The last character taken.
    last: Option<char>,
    extent: Extent,
}

impl Growing<'_> {
    /// The extent of the line with one more character.
    fn grown(&mut self) -> Option<Extent> {
        let next = *self.rest.peek()?;
        let mut added = String::new();
        push_escaped(&mut added, next, None, is_invisible);
        let mut extent = self.extent.plus(Extent::of(&added));
        if self.last == Some('<') && super::escape::opens_markup(next) {
            // What was a lone `<` turns into `&lt;`.
            extent = extent.plus(Extent { bytes: 3, chars: 3 });
        }
        if self.taken == 0 {
            // A description stands between two blanks instead of one.
            extent = extent.plus(Extent { bytes: 1, chars: 1 });
        }
        Some(extent)
    }

    fn grow(&mut self, extent: Extent) {
        self.last = self.rest.next();
        self.taken += 1;
        self.extent = extent;
    }
}

/// Shares what is left of the budget among the descriptions.
fn share(lines: &[SkillLine], spent: u64, cost: Cost) -> Vec<Shown> {
    let mut shown = vec![Shown::Cut(0); lines.len()];
    let mut spent = spent;
    let mut growing: Vec<Growing<'_>> = lines
        .iter()
        .enumerate()
        .map(|(index, line)| Growing {
            index,
            rest: line.description.chars().peekable(),
            taken: 0,
            last: None,
            extent: bare(line),
        })
        .collect();
    while !growing.is_empty() {
        growing.retain_mut(|line| {
            let grown = line.grown().filter(|extent| {
                spent - cost.line(line.extent) + cost.line(*extent) <= cost.limit()
            });
            if let Some(extent) = grown {
                spent = spent - cost.line(line.extent) + cost.line(extent);
                line.grow(extent);
            }
            let is_whole = line.rest.peek().is_none();
            if let Some(shown) = shown.get_mut(line.index) {
                *shown = if is_whole {
                    Shown::All
                } else {
                    Shown::Cut(line.taken)
                };
            }
            grown.is_some() && !is_whole
        });
    }
    shown
}

/// Keeps bare lines in order, each if it still fits with the line of its root on first use.
fn keep_bare(lines: &[SkillLine], roots: &[(usize, RenderedRoot)], cost: Cost) -> Vec<Shown> {
    let mut spent = 0;
    let mut paid: Vec<usize> = Vec::new();
    let keep = lines.iter().map(|line| {
        let unpaid = line.root.filter(|root| !paid.contains(root));
        let root = unpaid.and_then(|index| roots.iter().find(|(it, _)| *it == index));
        let root_cost = root.map_or(0, |(_, root)| cost.line(Extent::of(&root.line())));
        let price = root_cost + cost.line(bare(line));
        if spent + price > cost.limit() {
            return Shown::Nothing;
        }
        spent += price;
        paid.extend(unpaid);
        Shown::Cut(0)
    });
    keep.collect()
}
