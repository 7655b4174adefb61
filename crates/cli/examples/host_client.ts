// Asks `codex-context host` for the context of a directory: COMMAND DIRECTORY.
// TypeScript that is JavaScript as well, so that node runs it as it is.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [command, directory] = process.argv.slice(-2);
const service = spawn(command, ["host"], { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
createInterface({ input: service.stdout }).on("line", (line) => {
  const answer = JSON.parse(line);
  const request = waiting.get(answer.id); // all else is progress
  if (!request) return;
  waiting.delete(answer.id);
  if (answer.error) request.reject(new Error(answer.error.message));
  else request.resolve(answer.result);
});

let id = 0;
const ask = (method, params) =>
  new Promise((resolve, reject) => {
    waiting.set(++id, { resolve, reject });
    service.stdin.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
  });

const context = await ask("context/load", { environments: [{ id: "local", directory }] });
console.log(context.instructions);
console.log(context.skills);
for (const it of context.diagnostics) console.error(it.code, it.message);
for (const { path } of context.skillList) {
  console.log((await ask("skill/read", { context: context.context, skill: path })).text);
}
console.log((await ask("context/refresh", { context: context.context })).changes);
service.stdin.end();
