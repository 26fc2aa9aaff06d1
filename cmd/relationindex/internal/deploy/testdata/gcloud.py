"""Runs commands of the installed gcloud in one process: its start takes longer than most of them.

The first argument is the SDK's root. Each line of the input is a JSON object with the variables of the environment and the
arguments of a command, and each line of the output has the exit code and what it printed. With "parse" the command is only
parsed.
"""
import contextlib
import io
import json
import os
import socket
import sys

root = sys.argv[1]
sys.path[:0] = [root + "/lib", root + "/lib/third_party"]

from googlecloudsdk import gcloud_main
from googlecloudsdk.core import log

cli = gcloud_main.CreateCLI([])

# Some commands of Cloud Run ask a host of their region: us-central1-127.0.0.1 here.
resolve = socket.getaddrinfo
socket.getaddrinfo = lambda host, *more, **named: resolve(
    "127.0.0.1" if str(host).endswith("-127.0.0.1") else host, *more, **named)


def parse(args):
    node = cli._TopElement()
    while node.is_group:
        word, *args = args
        group, node = node, node.LoadSubElement(word)
        if node is None:
            raise ValueError(f"{' '.join(group.GetPath())} has no {word}")
    node._parser.parse_args(args, raise_error=True)


for line in sys.stdin:
    command = json.loads(line)
    os.environ.update(command["env"])
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        log.Reset(out, err)
        try:
            (parse if command["parse"] else cli.Execute)(command["args"])
        except SystemExit as e:
            code = e.code or 0
        except BaseException as e:  # as gcloud's own main, which prints it and ends
            code = 1
            err.write(f"{type(e).__name__}: {e}")
    print(json.dumps({"code": code, "stdout": out.getvalue(), "stderr": err.getvalue()}), flush=True)
