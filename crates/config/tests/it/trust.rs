//! The `[projects]` table.

use codex_config::TrustLevel::{Trusted, Untrusted};
use codex_config::{
    ConfigError, ConfigLayerEntry, ConfigLayerStack, DisabledReason, ProjectTrustTable,
    parse_overrides,
};
use pretty_assertions::assert_eq;

use crate::support::{layer, origin, posix, project, session, stack, table, user, windows};

fn trust(text: &str) -> ProjectTrustTable {
    ProjectTrustTable::from_stack(&stack([(user(), text)])).unwrap()
}

#[test]
fn an_entry_speaks_of_exactly_its_directory() {
    let table = trust(
        "[projects.'/r']\ntrust_level = 'trusted'\n[projects.'/s']\ntrust_level = 'untrusted'\n",
    );
    assert_eq!(table.get(&posix("/r")), Some(Trusted));
    assert_eq!(table.get(&posix("/s")), Some(Untrusted));
    assert_eq!(table.get(&posix("/r/a")), None);
    assert_eq!(table.get(&posix("/")), None);
}

#[test]
fn the_first_directory_with_an_entry_decides() {
    let table = trust(
        "[projects.'/r']\ntrust_level = 'trusted'\n[projects.'/r/a']\ntrust_level = 'untrusted'\n",
    );
    let [root, a, b] = ["/r", "/r/a", "/r/a/b"].map(posix);
    assert_eq!(table.nearest([&b, &a, &root]), Some(Untrusted));
    assert_eq!(table.nearest([&b, &root]), Some(Trusted));
    assert_eq!(table.nearest([&b]), None);
}

#[test]
fn keys_are_compared_after_lexical_normalisation() {
    for key in ["/r/a", "/r/a/", "//r/./a", "/r/x/../a"] {
        let table = trust(&format!("[projects.'{key}']\ntrust_level = 'trusted'\n"));
        assert_eq!(table.get(&posix("/r/a")), Some(Trusted), "{key}");
    }
}

#[test]
fn a_key_is_read_in_the_convention_of_the_directory_asked_for() {
    let table = trust(
        "[projects.'c:\\r']\ntrust_level = 'trusted'\n\
         [projects.'/c:/r']\ntrust_level = 'untrusted'\n\
         [projects.'\\\\server\\share']\ntrust_level = 'trusted'\n",
    );
    assert_eq!(table.get(&windows("C:\\r")), Some(Trusted));
    assert_eq!(table.get(&posix("/c:/r")), Some(Untrusted));
    assert_eq!(table.get(&windows("\\\\SERVER\\share")), Some(Trusted));
}

#[test]
fn on_windows_the_case_of_a_key_says_nothing() {
    let table = trust("[projects.'c:\\users\\änne\\r']\ntrust_level = 'untrusted'\n");
    assert_eq!(table.get(&windows("C:\\Users\\ÄNNE\\R")), Some(Untrusted));
    let table = trust("[projects.'/r']\ntrust_level = 'untrusted'\n");
    assert_eq!(table.get(&posix("/R")), None);
}

#[test]
fn a_project_changes_no_entry_of_its_own() {
    let told = "[projects.'/r']\ntrust_level = 'untrusted'\n[projects.'/r/a']\nnote = 1\n";
    for said in ["trust_level = 'trusted'", "trust_level = 'nonsense'"] {
        let claims = format!("[projects.'/r']\n{said}\n[projects.'/r/a']\n{said}\n");
        let layers = stack([(user(), told), (project("/r"), claims.as_str())]);
        let table = ProjectTrustTable::from_stack(&layers).unwrap();
        assert_eq!(table.get(&posix("/r")), Some(Untrusted));
        assert_eq!(table.get(&posix("/r/a")), None);
    }
    let layers = stack([(user(), told), (project("/r"), "[projects]\n'/r' = 1\n")]);
    let table = ProjectTrustTable::from_stack(&layers).unwrap();
    assert_eq!(table.get(&posix("/r")), Some(Untrusted));
}

#[test]
fn a_key_that_is_no_absolute_path_matches_nothing() {
    for key in ["r", "./r", "~", "", "C:r"] {
        let table = trust(&format!("[projects.'{key}']\ntrust_level = 'trusted'\n"));
        assert_eq!(table, ProjectTrustTable::default(), "{key:?}");
    }
}

#[test]
fn an_entry_without_a_level_is_no_entry() {
    assert_eq!(
        trust("[projects.'/r']\nnote = 'x'\n").get(&posix("/r")),
        None
    );
    assert_eq!(trust("[projects]\n"), ProjectTrustTable::default());
    assert_eq!(trust(""), ProjectTrustTable::default());
}

#[test]
fn layers_of_the_project_and_disabled_layers_have_no_say() {
    let own = "[projects.'/r']\ntrust_level = 'trusted'\n";
    let disabled = layer(user(), own).disabled(DisabledReason::Other("off".to_owned()));
    let stack = ConfigLayerStack::new(vec![disabled, layer(project("/r"), own)]).unwrap();
    assert_eq!(
        ProjectTrustTable::from_stack(&stack).unwrap(),
        ProjectTrustTable::default()
    );
}

#[test]
fn a_higher_layer_decides_also_when_it_spells_the_directory_differently() {
    let user_text =
        "[projects.'/r/']\ntrust_level = 'trusted'\n[projects.'/s']\ntrust_level = 'trusted'\n";
    let arguments = ["projects={\"/r\"={trust_level=\"untrusted\"}}".to_owned()];
    let flags = ConfigLayerEntry::new(session(), parse_overrides(&arguments).unwrap());
    let stack = ConfigLayerStack::new(vec![layer(user(), user_text), flags]).unwrap();
    let table = ProjectTrustTable::from_stack(&stack).unwrap();
    assert_eq!(table.get(&posix("/r")), Some(Untrusted));
    assert_eq!(table.get(&posix("/s")), Some(Trusted));
}

#[test]
fn within_a_layer_untrusted_wins() {
    let table = trust(
        "[projects.'/r']\ntrust_level = 'untrusted'\n[projects.'/r/']\ntrust_level = 'trusted'\n",
    );
    assert_eq!(table.get(&posix("/r")), Some(Untrusted));
}

#[test]
fn any_other_level_is_refused_at_its_place() {
    for (value, found) in [
        ("'yes'", "\"yes\""),
        ("'Trusted'", "\"Trusted\""),
        ("true", "a boolean"),
        ("{}", "a table"),
    ] {
        let text = format!("[projects.'/r']\ntrust_level = {value}\n");
        match ProjectTrustTable::from_stack(&stack([(user(), &text)])) {
            Err(ConfigError::InvalidValue {
                key,
                origin: from,
                expected,
                found: actual,
            }) => {
                assert_eq!(key, "projects.\"/r\".trust_level");
                assert_eq!(from, origin(user(), Some((2, 15))));
                assert_eq!(
                    (expected, actual.as_str()),
                    ("\"trusted\" or \"untrusted\"", found)
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_should_be_a_table_and_is_none_is_refused() {
    for (text, key, column) in [
        ("projects = 5", "projects", 12),
        ("projects = { '/r' = 'trusted' }", "projects.\"/r\"", 21),
    ] {
        match ProjectTrustTable::from_stack(&stack([(user(), text)])) {
            Err(ConfigError::InvalidValue {
                key: found,
                origin: from,
                expected,
                ..
            }) => {
                assert_eq!((found.as_str(), expected), (key, "a table"));
                assert_eq!(from, origin(user(), Some((1, column))));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_wrong_level_that_a_higher_layer_replaces_is_never_seen() {
    let layers = vec![
        layer(user(), "[projects.'/r']\ntrust_level = 5\n"),
        ConfigLayerEntry::new(
            session(),
            table("projects = { '/r' = { trust_level = 'trusted' } }"),
        ),
    ];
    let table = ProjectTrustTable::from_stack(&ConfigLayerStack::new(layers).unwrap()).unwrap();
    assert_eq!(table.get(&posix("/r")), Some(Trusted));
}
