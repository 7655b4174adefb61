//! The runner of case tables lets nothing pass unseen.

use std::panic::catch_unwind;

use codex_file_system_testkit::cases::{Case, CaseFile, check_each, read_cases};
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Body {
    Sum { terms: Vec<u64>, expect: u64 },
}

/// What a file with these cases is refused with.
fn refusal(cases: &'static str, number: usize) -> String {
    let text: &'static str = format!(r#"{{"format": "", "cases": [{cases}]}}"#).leak();
    let name = "sums.json";
    let read = || {
        read_cases::<Body>(&[CaseFile {
            name,
            text,
            cases: number,
        }])
    };
    refused(catch_unwind(read).map(drop))
}

fn refused(result: std::thread::Result<()>) -> String {
    *result.unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn an_unknown_kind_or_key_is_refused_with_the_name_of_its_case() {
    let kind = refusal(r#"{"name": "a", "kind": "product"}"#, 1);
    assert!(kind.contains("a: unknown variant `product`"), "{kind}");
    let key = r#"{"id": "b", "kind": "sum", "terms": [], "expect": 0, "expcet": 1}"#;
    let key = refusal(key, 1);
    assert!(key.contains("b: unknown field `expcet`"), "{key}");
}

#[test]
fn another_number_of_cases_than_stated_is_refused() {
    let fewer = refusal(
        r#"{"name": "a", "kind": "sum", "terms": [], "expect": 0}"#,
        2,
    );
    assert!(fewer.contains("cases in sums.json"), "{fewer}");
}

#[test]
fn a_name_used_twice_and_a_case_without_one_are_refused() {
    let body = r#"{"name": "a", "kind": "sum", "terms": [], "expect": 0},
        {"id": "a", "kind": "sum", "terms": [], "expect": 0}, {"kind": "sum"}"#;
    let said = refusal(body, 3);
    assert!(said.contains("a: used twice"), "{said}");
    assert!(said.contains("case without a name"), "{said}");
}

#[test]
fn every_failing_case_is_named_and_the_number_run_is_exact() {
    let case = |name: &str, expect| Case {
        name: name.to_owned(),
        body: Body::Sum {
            terms: vec![1, 2],
            expect,
        },
    };
    let check = |cases: Vec<Case<Body>>, number| {
        catch_unwind(|| {
            check_each(cases, number, |case| {
                let Body::Sum { terms, expect } = &case.body;
                assert_eq!(terms.iter().sum::<u64>(), *expect);
            });
        })
    };
    let said = refused(check(vec![case("a", 4), case("b", 3), case("c", 5)], 3));
    assert!(said.starts_with("2 failing cases:\na: "), "{said}");
    assert!(said.contains("\nc: "), "{said}");
    assert!(refused(check(vec![case("a", 3)], 2)).contains("cases run"));
    assert!(check(vec![case("a", 3)], 1).is_ok());
}
