//! Jobs for the host, run by few threads one after the other.
//!
//! A burst of small calls handed to as many threads costs more in waking threads than in calls.
//! So one worker on the blocking pool takes jobs from one queue until it is empty, and a few more
//! help with a long queue, or when a job takes longer than [`SHORT`]. A job may take as long as it
//! likes, or hang on a dead mount: when nothing was taken for [`PATIENCE`] and jobs wait, another
//! worker starts, however many there are. Whoever waits for jobs is told of those that end together
//! at once, by [`Wakes`].

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::wakes::Wakes;

/// How many workers there are while jobs are taken.
const USUAL_WORKERS: usize = 4;
/// How many jobs in the queue keep one worker busy.
const JOBS_PER_WORKER: usize = 16;
/// How long a job takes that the next ones can wait for.
const SHORT: Duration = Duration::from_micros(100);
/// How long jobs may wait before another worker starts.
const PATIENCE: Duration = Duration::from_millis(2);

type Job = Box<dyn FnOnce() + Send>;

/// The queue and who works on it. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Workers {
    state: Arc<Mutex<State>>,
    wakes: Wakes,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    workers: usize,
    /// How many jobs were taken so far.
    taken: u64,
    /// When a worker last took one, or started.
    moved: Option<Instant>,
    is_watched: bool,
}

impl Workers {
    /// Runs a job and waits for its answer. A job nobody waits for any more does not begin.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let (answer, answered) = oneshot::channel();
        self.push(Box::new(move || {
            if !answer.is_closed() {
                // Whoever stopped waiting meanwhile does not want the answer.
                let _ = answer.send(job());
            }
        }));
        self.wakes
            .together(answered)
            .await
            .map_err(|_| io::Error::other("a call of the host ended without an answer"))?
    }

    fn push(&self, job: Job) {
        let mut state = self.state();
        state.queue.push_back(job);
        let is_slow = state.moved.is_none_or(|moved| moved.elapsed() > SHORT);
        let shared = if is_slow {
            0
        } else {
            state.workers * JOBS_PER_WORKER
        };
        if state.workers < USUAL_WORKERS && state.queue.len() > shared {
            self.start_worker(&mut state);
        } else if !state.is_watched {
            state.is_watched = true;
            drop(tokio::spawn(self.clone().watch()));
        }
    }

    fn start_worker(&self, state: &mut State) {
        state.workers += 1;
        state.moved = Some(Instant::now());
        let workers = self.clone();
        drop(spawn_blocking(move || workers.work()));
    }

    fn work(&self) {
        while let Some(job) = self.take() {
            // A job that panics takes its answer with it, and nothing else.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }

    /// The next job; a worker that gets none is none any more.
    fn take(&self) -> Option<Job> {
        let mut state = self.state();
        let job = state.queue.pop_front();
        match job {
            Some(_) => {
                state.taken += 1;
                state.moved = Some(Instant::now());
            }
            None => state.workers -= 1,
        }
        job
    }

    /// Adds workers as long as jobs wait: some, and then more if none is taken.
    async fn watch(self) {
        let mut taken = self.state().taken;
        loop {
            tokio::time::sleep(PATIENCE).await;
            let mut state = self.state();
            if state.queue.is_empty() {
                state.is_watched = false;
                return;
            }
            if state.workers < USUAL_WORKERS || state.taken == taken {
                self.start_worker(&mut state);
            }
            taken = state.taken;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use pretty_assertions::assert_eq;

    use super::*;

    #[tokio::test]
    async fn jobs_that_hang_do_not_keep_others_from_running() {
        let workers = Workers::default();
        let (release, hang) = mpsc::channel::<()>();
        let hang = Arc::new(Mutex::new(hang));
        let stuck: Vec<_> = (0..2 * USUAL_WORKERS)
            .map(|_| {
                let (workers, hang) = (workers.clone(), Arc::clone(&hang));
                let job = move || {
                    let _ = hang.lock().map(|hang| hang.recv());
                    Ok(())
                };
                tokio::spawn(async move { workers.run(job).await })
            })
            .collect();
        tokio::task::yield_now().await;
        assert_eq!(workers.run(|| Ok(7)).await.unwrap(), 7);
        drop(release);
        for job in stuck {
            job.await.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn a_job_that_panics_fails_alone() {
        let workers = Workers::default();
        let failed = workers.run(|| -> io::Result<()> { panic!("a job with a bug") });
        assert_eq!(failed.await.unwrap_err().kind(), io::ErrorKind::Other);
        assert_eq!(workers.run(|| Ok(7)).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn few_workers_do_many_short_jobs() {
        let workers = Workers::default();
        let jobs = (0..100).map(|_| workers.run(|| Ok(())));
        futures::future::try_join_all(jobs).await.unwrap();
        assert!(workers.state().workers <= USUAL_WORKERS);
    }
}
