"""tree.py -- the copy of the sources that is mutated, and its build."""
import copy
import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
ERROR = re.compile(r"^(?:\.\./|/)?(\S+?\.[a-z]+):(\d+):\d+: error", re.M)

# For the compiler a mutated file, with the switches in front, is a system header, about
# which it gives no warnings, but for those of optimised code.
HEAD = ('#pragma GCC system_header\n'
        '#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"\n'
        '#pragma GCC diagnostic ignored "-Warray-bounds"\n'
        '#pragma GCC diagnostic ignored "-Wstringop-overflow"\n'
        '#include "mutant.h"\n#line 1 "{name}"\n')
HEAD_LINES = HEAD.count("\n")
MUTATED = ".mutated.h"


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


class BuildFailed(Exception):
    pass


class Tree:
    def __init__(self, work, jobs):
        self.work, self.jobs = pathlib.Path(work).resolve(), jobs
        self.root = self.work / "tree"
        self.build = self.root / "build"  # as in any other checkout, for the sake of ccache
        self.kind = ["-DCMAKE_BUILD_TYPE=Release"]
        self.sources = {}  # as they were when they were copied
        # With these paths objects are equal to those of another build with the
        # same options.
        self.environment = dict(os.environ, CCACHE_BASEDIR=str(self.work), CCACHE_NOHASHDIR="1")

    def copy(self):
        """Copy the tree as it is; an unchanged file keeps its time."""
        listed = subprocess.check_output(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=SOURCE)
        names = {n for n in listed.decode().split("\0") if n and (SOURCE / n).is_file()}
        for name in names:
            self.sources[name] = (SOURCE / name).read_bytes()
            self.put(name, self.sources[name])
            shutil.copymode(SOURCE / name, self.root / name)
        for path in list(self.root.rglob("*")):
            name = path.relative_to(self.root)
            if path.is_file() and not name.parts[0].startswith("build") and str(name) not in names | {"mutant.h"}:
                path.unlink()
        shared = self.work / "shared"
        if not shared.exists() and (SOURCE.parent / "shared").exists():
            shared.symlink_to((SOURCE.parent / "shared").resolve())
        self.put("mutant.h", (HERE / "mutant.h").read_bytes())

    def put(self, name, content):
        path = self.root / name
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def put_mutated(self, name, content):
        head = HEAD.format(name=name).encode()
        self.put(name + MUTATED, head + content)
        self.put(name, f'#include "{name}{MUTATED}"\n'.encode())

    def text_of(self, name):
        """The file with the text of `name`, and the number of lines put in
        front."""
        mutated = self.root / (name + MUTATED)
        return (name + MUTATED, HEAD_LINES) if mutated.exists() else (name, 0)

    def sanitized(self):
        """The same sources, with a build of their own."""
        other = copy.copy(self)
        other.build = self.root / "build-debug"
        other.kind = ["-DCMAKE_BUILD_TYPE=Debug", "-DTILE_SANITIZE=address,undefined"]
        return other

    def configure(self):
        if (self.build / "build.ninja").exists():
            return
        options = ["-G", "Ninja", *self.kind]
        if shutil.which("ccache"):
            options.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
        linker = next((one for one in ("mold", "lld") if shutil.which("ld." + one)), None)
        if linker:  # there are hundreds of programs to link
            options += [f"-DCMAKE_{kind}_LINKER_FLAGS=-fuse-ld={linker}" for kind in ("EXE", "SHARED", "MODULE")]
        done = run(["cmake", "-S", self.root, "-B", self.build, *options], env=self.environment)
        if done.returncode:
            raise BuildFailed(done.stdout[-3000:])

    def needed(self, tests):
        """All that is built, but for programs that no test starts."""
        named = set()
        for test in tests:
            named.update(test.command + list(test.environment.values()))
        return self.needed_by(named)

    def needed_by(self, named):
        """The same, for tests with these words in their commands."""
        rules = run(["ninja", "-C", str(self.build), "-t", "targets", "all"]).stdout
        linked = re.findall(r"^(\S+): C\w*_(EXECUTABLE|SHARED|MODULE|SYMLINK)_", rules, re.M)
        return [name for name, kind in linked
                if kind != "EXECUTABLE" or "bin/" in name or str(self.build / name) in named]

    def make(self, *targets):
        """Build; return (file, line) of each error of compilation, or raise."""
        command = ["ninja", "-C", str(self.build), "-j", str(self.jobs), "-k", "0", *targets]
        done = run(command, env=self.environment)
        if not done.returncode:
            return []
        errors = []
        for name, line in ERROR.findall(done.stdout):
            path = next((p for p in (pathlib.Path("/" + name), self.root / name) if p.is_file()), None)
            if path and self.root in path.parents:
                errors.append((str(path.relative_to(self.root)), int(line)))
        if not errors:
            raise BuildFailed(done.stdout[-3000:])
        return errors
