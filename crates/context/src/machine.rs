//! [`Machines`]: one [`Lookahead`] for each environment of a session.

use codex_file_system::{Environment, EnvironmentId, EnvironmentSet, Lookahead, Window};
use futures::future::BoxFuture;

/// A machine, and what is asked of it.
pub(crate) struct Machine<'a> {
    pub(crate) environment: &'a Environment,
    pub(crate) files: Lookahead<'a>,
}

/// The machines of a session.
pub(crate) struct Machines<'a>(pub(crate) Vec<Machine<'a>>);

impl<'a> Machines<'a> {
    pub(crate) fn new(environments: &'a EnvironmentSet, window: Window) -> Self {
        let machines = environments.iter().map(|environment| Machine {
            environment,
            files: Lookahead::new(environment.filesystem().as_ref(), window),
        });
        Self(machines.collect())
    }

    pub(crate) fn get(&self, id: &EnvironmentId) -> Option<&Machine<'a>> {
        self.0.iter().find(|it| it.environment.id() == id)
    }

    pub(crate) fn files(&self, id: &EnvironmentId) -> Option<&Lookahead<'a>> {
        self.get(id).map(|it| &it.files)
    }

    /// Runs a program that asks any of the machines, and what is expected of each while it waits.
    pub(crate) async fn drive<T: Send>(&self, program: BoxFuture<'_, T>) -> T {
        let mut driven = program;
        for machine in &self.0 {
            driven = Box::pin(machine.files.drive(driven));
        }
        driven.await
    }
}

impl Machine<'_> {
    /// Names what this machine is asked for while `stage` runs.
    pub(crate) async fn phase<T>(&self, name: &'static str, stage: impl Future<Output = T>) -> T {
        phase(std::slice::from_ref(self), name, stage).await
    }
}

/// Names what machines are asked for while `stage` runs. Stages take turns, so the name is set anew at each.
pub(crate) async fn phase<T>(
    machines: &[Machine<'_>],
    name: &'static str,
    stage: impl Future<Output = T>,
) -> T {
    let mut stage = std::pin::pin!(stage);
    std::future::poll_fn(|context| {
        for machine in machines {
            machine.files.set_phase(name);
        }
        stage.as_mut().poll(context)
    })
    .await
}
