//! How many calls and round trips a session start costs, cold and refreshed.

use std::fmt::Write as _;
use std::sync::Arc;

use codex_context::{ContextRequest, SelectedCapabilityRoot};
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
    /// More files.
    others: &'static str,
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
        tree += self.others;
        (tree, cwd)
    }

    /// Round trips and calls, cold and refreshed.
    fn cost(self, window: usize) -> [usize; 4] {
        let (tree, cwd) = self.tree();
        let files = metered(&tree);
        let request = ContextRequest {
            plugins: (0..self.plugins.0)
                .map(|it| {
                    SelectedCapabilityRoot::parse(
                        format!("p{it}"),
                        "local",
                        &format!("/opt/p{it:02}"),
                    )
                })
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

const TRUSTED: &str = "[projects.'/home/ada/w']%0Atrust_level = 'trusted'";
const LAYERS: &str = "
    /home/ada/w/.codex/config.toml = project_doc_max_bytes = 9999
    /home/ada/w/d1/.codex/config.toml = model = 'm'
";
const REGISTRATIONS: &str = "
    /opt/p00/.mcp.json = {\"mcpServers\": {\"m\": {\"command\": \"c\"}}}
";
const INSTALLED: &str = "[plugins.'one@shop']%0Aenabled = true";
const CACHE: &str = "
    /home/ada/.codex/plugins/cache/shop/one/1.0.0/.codex-plugin/plugin.json = {\"name\": \"one\"}
";

const WORK: Work = Work {
    documents: 3,
    skills: 0,
    plugins: (0, 0),
    config: "",
    others: "",
};

const TABLE: &[Row] = &[
    (
        WORK,
        [
            [24, 24, 24, 24],
            [2, 27, 1, 27],
            [2, 27, 1, 27],
            [2, 27, 1, 27],
        ],
    ),
    (
        Work {
            documents: 9,
            ..WORK
        },
        [
            [60, 60, 60, 60],
            [4, 63, 2, 60],
            [3, 63, 1, 60],
            [3, 63, 1, 60],
        ],
    ),
    (
        Work { skills: 2, ..WORK },
        [
            [44, 44, 44, 44],
            [4, 47, 2, 47],
            [4, 47, 1, 47],
            [4, 47, 1, 47],
        ],
    ),
    (
        Work {
            skills: 100,
            ..WORK
        },
        [
            [240, 240, 240, 240],
            [9, 243, 8, 243],
            [7, 243, 4, 243],
            [4, 243, 1, 243],
        ],
    ),
    (
        Work {
            plugins: (10, 10),
            ..WORK
        },
        [
            [304, 304, 304, 304],
            [10, 307, 10, 307],
            [5, 307, 5, 307],
            [2, 307, 2, 307],
        ],
    ),
    (
        Work {
            skills: 2,
            plugins: (10, 10),
            ..WORK
        },
        [
            [324, 324, 324, 324],
            [11, 327, 11, 327],
            [7, 327, 6, 327],
            [4, 327, 2, 327],
        ],
    ),
    (
        Work {
            config: TRUSTED,
            others: LAYERS,
            ..WORK
        },
        [
            [27, 27, 27, 27],
            [5, 30, 1, 30],
            [5, 30, 1, 30],
            [5, 30, 1, 30],
        ],
    ),
    (
        Work {
            plugins: (1, 0),
            others: REGISTRATIONS,
            ..WORK
        },
        [
            [32, 32, 32, 32],
            [3, 36, 1, 32],
            [3, 36, 1, 36],
            [3, 36, 1, 36],
        ],
    ),
    (
        Work {
            config: INSTALLED,
            others: CACHE,
            ..WORK
        },
        [
            [31, 31, 31, 31],
            [4, 34, 1, 32],
            [4, 34, 1, 34],
            [4, 34, 1, 34],
        ],
    ),
];

#[test]
fn the_stated_costs() {
    let windows = [1, 32, 64, 256];
    let measured: Vec<Row> = TABLE
        .iter()
        .map(|(work, _)| (*work, windows.map(|window| work.cost(window))))
        .collect();
    let text = |rows: &[Row]| {
        let rows = rows
            .iter()
            .map(|(work, costs)| format!("{work:?} {costs:?}"));
        rows.collect::<Vec<_>>()
    };
    assert_eq!(text(&measured), text(TABLE));
}
