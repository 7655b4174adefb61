//! What a log tells of a client.

use std::collections::BTreeMap;
use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::log::{Log, Traffic};

/// Requests with a path each, from one moment to another in milliseconds.
fn traffic(requests: &[(&str, u64, u64)]) -> Traffic {
    let mut events: Vec<(u64, bool, usize)> = Vec::new();
    for (id, (_, asked, answered)) in requests.iter().enumerate() {
        events.extend([(*asked, true, id), (*answered, false, id)]);
    }
    events.sort_unstable();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let (log, begin) = (Log::default(), Instant::now());
        for (moment, is_request, id) in events {
            sleep_until(begin + Duration::from_millis(moment)).await;
            let message = match is_request {
                true => json!({"id": id, "method": "fs/readFile", "params": requests[id].0}),
                false => json!({"id": id, "result": {}}),
            };
            let message = message.to_string();
            match is_request {
                true => assert_eq!(log.request(1, message.as_bytes(), &[]), None),
                false => log.reply(1, message.as_bytes()),
            }
        }
        log.take()
    })
}

#[test]
fn a_request_depends_on_what_was_answered_before_it_was_sent() {
    let chain = traffic(&[("a", 0, 10), ("b", 11, 20), ("c", 21, 30)]);
    assert_eq!((chain.round_trips(), chain.most_in_flight()), (3, 1));
    let together = traffic(&[("a", 0, 10), ("b", 1, 11), ("c", 2, 12)]);
    assert_eq!((together.round_trips(), together.most_in_flight()), (1, 3));
    // A long answer is no longer chain.
    let beside = traffic(&[("a", 0, 50), ("b", 1, 10), ("c", 11, 20)]);
    assert_eq!((beside.round_trips(), beside.most_in_flight()), (2, 2));
}

#[test]
fn what_was_asked_before_is_a_duplicate_wherever_it_stands() {
    let traffic = traffic(&[("a", 0, 10), ("b", 0, 10), ("a", 20, 30), ("a", 40, 50)]);
    assert_eq!((traffic.requests(), traffic.duplicates()), (4, 2));
    assert_eq!(traffic.by_method(), BTreeMap::from([("fs/readFile", 4)]));
}

#[test]
fn a_denied_method_is_refused_under_its_id_and_logged() {
    let log = Log::default();
    let request = br#"{"id":7,"method":"fs/walk","params":{}}"#;
    let refusal = log.request(1, request, &["fs/walk"]).unwrap();
    let refusal: serde_json::Value = serde_json::from_str(&refusal).unwrap();
    assert_eq!(
        (&refusal["id"], &refusal["error"]["code"]),
        (&json!(7), &json!(-32601))
    );
    let notification = br#"{"method":"fs/walk"}"#;
    assert_eq!(log.request(1, notification, &["fs/walk"]), None);
    assert_eq!(log.take().requests(), 1);
}

#[test]
fn what_is_taken_is_gone() {
    let log = Log::default();
    log.request(1, br#"{"id":1,"method":"fs/walk"}"#, &[]);
    assert_eq!(log.take().requests(), 1);
    log.reply(1, br#"{"id":1,"result":{}}"#);
    assert_eq!(log.take(), Traffic::default());
}
