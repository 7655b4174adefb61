"""Asks `codex-context host` for the context of a directory: host_client.py COMMAND DIRECTORY."""
import itertools, json, subprocess, sys

class ContextHost:
    def __init__(self, command):
        arguments = [command, "host"]
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ids = itertools.count(1)

    def ask(self, method, **params):
        request = {"jsonrpc": "2.0", "id": next(self.ids), "method": method, "params": params}
        print(json.dumps(request), file=self.process.stdin, flush=True)
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == request["id"]:  # all else is progress
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]
        raise RuntimeError("the service ended")

host = ContextHost(sys.argv[1])
context = host.ask("context/load", environments=[{"id": "local", "directory": sys.argv[2]}])
print(context["instructions"])
print(context["skills"])
for diagnostic in context["diagnostics"]:
    print(diagnostic["code"], diagnostic["message"], file=sys.stderr)
for skill in context["skillList"]:
    print(host.ask("skill/read", context=context["context"], skill=skill["path"])["text"])
print(host.ask("context/refresh", context=context["context"])["changes"])
