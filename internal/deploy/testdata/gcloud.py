"""Runs commands of the installed gcloud in one process: its start takes longer than most of them.

The first argument is the SDK's root. Each line of the input is a JSON array of arguments, and each line of the output the
exit code and what the command printed.
"""
import contextlib
import io
import json
import sys

root = sys.argv[1]
sys.path[:0] = [root + "/lib", root + "/lib/third_party"]

from googlecloudsdk import gcloud_main
from googlecloudsdk.core import log
from googlecloudsdk.core import properties

cli = gcloud_main.CreateCLI([])
for line in sys.stdin:
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        log.Reset(out, err)
        try:
            cli.Execute(json.loads(line))
        except SystemExit as e:
            code = e.code or 0
        except BaseException as e:  # as gcloud's own main, which prints it and ends
            code = 1
            err.write(f"{type(e).__name__}: {e}")
    print(json.dumps({"code": code, "stdout": out.getvalue(), "stderr": err.getvalue()}), flush=True)
