//! How many calls and round trips a session start costs, cold and refreshed.

use std::fmt::Write as _;
use std::sync::Arc;

use codex_context::{ContextRequest, plugin_root};
use codex_file_system_testkit::meter::on_paused_clock;
use pretty_assertions::assert_eq;

use crate::support::{at_home, made_twice, metered};

/// What a session start is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Work {
    documents: usize,
    /// Skills of the project, in one root.
    skills: usize,
    /// Selected plugins, and the skills of each.
    plugins: (usize, usize),
    /// Lines of the user's configuration.
    config: &'static str,
}

impl Work {
    fn tree(self) -> (String, String) {
        let mut tree = format!(
            "/home/ada/.codex/config.toml = {}\n/home/ada/.codex/AGENTS.md = Hi.\n/home/ada/w/.git/\n",
            self.config
        );
        let mut cwd = "/home/ada/w".to_owned();
        for number in 0..self.documents {
            if number > 0 {
                cwd += &format!("/d{number}");
            }
            writeln!(tree, "{cwd}/AGENTS.md = Document {number}.").unwrap();
        }
        const SKILL: &str = "SKILL.md = ---%0Adescription: X.%0A---%0A";
        for skill in 0..self.skills {
            writeln!(tree, "/home/ada/w/.agents/skills/s{skill:03}/{SKILL}").unwrap();
        }
        for plugin in 0..self.plugins.0 {
            let root = format!("/opt/p{plugin:02}");
            writeln!(tree, "{root}/.codex-plugin/plugin.json = {{}}").unwrap();
            for skill in 0..self.plugins.1 {
                writeln!(tree, "{root}/skills/s{skill:03}/{SKILL}").unwrap();
            }
        }
        (tree, cwd)
    }

    /// Round trips and calls, cold and refreshed.
    fn cost(self, window: usize) -> [usize; 4] {
        let (tree, cwd) = self.tree();
        let files = metered(&tree);
        let request = ContextRequest {
            plugins: (0..self.plugins.0)
                .map(|it| plugin_root(&format!("p{it}"), "local", &format!("/opt/p{it:02}")))
                .collect::<Result<_, _>>()
                .unwrap(),
            ..at_home(&cwd, Arc::clone(&files) as _, window)
        };
        let costs = on_paused_clock(async {
            let context = codex_context::load(&request).await.unwrap();
            let skills = context.skills().get().unwrap().outcome.skills.len();
            assert_eq!(skills, self.skills + self.plugins.0 * self.plugins.1);
            let instructions = context.instructions().get().unwrap();
            let documents = instructions.loaded().unwrap().entries().len();
            assert_eq!(documents, self.documents);
            let cold = files.cost();
            files.reset();
            let (_, changes) = context.refresh().await.unwrap();
            assert!(changes.is_empty(), "{changes}");
            [cold, files.cost()]
        });
        let mut figures = Vec::new();
        for cost in costs.0 {
            assert_eq!(made_twice(&cost), Vec::<String>::new());
            assert!(cost.most_in_flight <= window, "{}", cost.most_in_flight);
            figures.extend([usize::try_from(cost.round_trips()).unwrap(), cost.total()]);
        }
        figures.try_into().unwrap()
    }
}

/// Round trips and calls at windows 1, 32, 64 and 256: cold, then refreshed.
type Row = (Work, [[usize; 4]; 4]);

const NOTHING: Work = Work {
    documents: 3,
    skills: 0,
    plugins: (0, 0),
    config: "",
};

const TABLE: &[Row] = &[(
    NOTHING,
    [
        [28, 28, 28, 28],
        [6, 31, 1, 31],
        [6, 31, 1, 31],
        [6, 31, 1, 31],
    ],
)];

#[test]
fn the_stated_costs() {
    let windows = [1, 32, 64, 256];
    let measured: Vec<Row> = TABLE
        .iter()
        .map(|(work, _)| (*work, windows.map(|window| work.cost(window))))
        .collect();
    assert_eq!(measured, TABLE);
}
