"""suite.py -- the tests, as ctest lists them, each run by itself."""
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time

SKIPPED = 77
QUICK = 1.0  # seconds of CPU time
MEMORY = 16 << 30
ANY_MEMORY = 1 << 62  # for sanitizers, which reserve a part of the address space
# Tests of the text of sources, and tests that build everything again.
NEVER = re.compile(r"^(style\.|docs\.(links|rooms|readme)$|runtime\.(package|static|archive|install)$)")


class Test:
    def __init__(self, listed):
        properties = {p["name"]: p["value"] for p in listed.get("properties", [])}
        self.name, self.command = listed["name"], listed["command"]
        self.cwd = properties.get("WORKING_DIRECTORY")
        self.environment = dict(v.split("=", 1) for v in properties.get("ENVIRONMENT", []))
        self.memory = MEMORY
        self.lock = threading.Lock()  # two runs of one test might share a file
        self.cpu, self.wall, self.reached, self.result = 0.0, 0.0, set(), "pass"

    def run(self, mutants=(), reached=None, measured=False):
        """Run the test: "pass", "skip", "fail", "crash" or "hang"."""
        with self.lock:
            cpu = 600 if measured else int(10 + 10 * self.cpu)
            wall = 900 if measured else 60 + 20 * max(self.wall, self.cpu)
            environment = dict(os.environ, TILE_CACHE_DIR="off", **self.environment)
            environment["TILE_MUTANT"] = ",".join(map(str, mutants))
            if reached:
                environment["TILE_REACHED"] = reached
            began = time.monotonic()
            result, used = finish(self.command, environment, self.cwd, cpu, wall, self.memory)
            if measured:
                self.cpu, self.wall = used, time.monotonic() - began
            return result


def finish(command, environment, cwd, cpu, wall, memory):
    limits = ["prlimit", f"--cpu={cpu}", f"--as={memory}", "--core=0", f"--fsize={16 << 30}"]
    child = subprocess.Popen(limits + command, env=environment, cwd=cwd, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    late = threading.Event()

    def stop():
        late.set()
        end(child.pid)

    timer = threading.Timer(wall, stop)
    timer.start()
    _, status, usage = os.wait4(child.pid, 0)
    timer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    end(child.pid)
    return result_of(child.returncode, late.is_set()), usage.ru_utime + usage.ru_stime


def end(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def result_of(code, late):
    if late or code in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
        return "hang"
    if code < 0 or code > 128:
        return "crash"
    return {0: "pass", SKIPPED: "skip"}.get(code, "fail")


def in_parallel(jobs, work, items, say=None):
    """Call work(item) for all items on `jobs` threads, in about their order.
    """
    items, lock, errors = list(items)[::-1], threading.Lock(), []
    count = len(items)

    def take():
        while not errors:
            with lock:
                if not items:
                    return
                item = items.pop()
                if say and len(items) % 100 == 0:
                    say(f"{count - len(items)} of {count}")
            try:
                work(item)
            except Exception as error:  # is raised again below
                errors.append(error)

    threads = [threading.Thread(target=take) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def rows_of(build):
    text = subprocess.check_output(["ctest", "--test-dir", str(build), "--show-only=json-v1"])
    return json.loads(text)["tests"]


def are_built(build):
    """ctest tells no command of a program that is not there."""
    return all("command" in row for row in rows_of(build))


def listed(build, only, without):
    tests = [Test(t) for t in rows_of(build) if "command" in t]
    return [t for t in tests if not NEVER.search(t.name) and re.search(only, t.name) and
            not (without and re.search(without, t.name))]


def known_times(path):
    return json.loads(path.read_text()) if path.exists() else {}


def known_quick(tests, path, slowest):
    """Leave out tests that took longer than `slowest` when they last ran."""
    times = known_times(path)
    return [t for t in tests if times.get(t.name, 0) <= slowest]


def keep_times(tests, path):
    path.write_text(json.dumps(known_times(path) | {t.name: t.cpu for t in tests}, indent=0))


def measure(tests, jobs, size, say):
    """Run each test without a mutant; note its time, and the mutants that it
    reaches."""
    def one(test):
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(size)
            test.result = test.run(reached=file.name, measured=True)
            file.seek(0)
            test.reached = {n for n, byte in enumerate(file.read()) if byte}

    in_parallel(jobs, one, tests, say)
    return [t for t in tests if t.result == "pass"]
