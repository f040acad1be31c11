#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the counters of a build with --enable-coverage say: coverage.py SOURCE BUILD [FILE...].

Prints lines and branches per folder of lib/ and sim/, and the files with most lines that never ran. With files: those lines.
"""
import collections
import json
import os
import subprocess
import sys

FILES_MOST = 10
BATCH = 40


def readings(build):
    """What gcov makes of each object that ran."""
    counters = sorted(os.path.join(folder, name) for top in ('lib', 'sim') for folder, _, names in os.walk(os.path.join(build, top))
                      for name in names if name.endswith('.gcda'))
    for first in range(0, len(counters), BATCH):
        printed = subprocess.run(['gcov', '--json-format', '--stdout', '--branch-probabilities', *counters[first:first + BATCH]],
                                 cwd=build, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout
        for line in printed.splitlines():
            if line.startswith('{'):
                yield from json.loads(line)['files']


def added(source, build):
    """{file: ({line: count}, {(line, branch): count})}: a file may be in several objects."""
    files = collections.defaultdict(lambda: (collections.Counter(), collections.Counter()))
    for reading in readings(build):
        name = os.path.relpath(os.path.realpath(os.path.join(build, reading['file'])), source)
        if not name.startswith(('lib/', 'sim/')):
            continue
        lines, branches = files[name]
        for line in reading['lines']:
            number = line['line_number']
            lines[number] += line['count']
            for index, branch in enumerate(line['branches']):
                branches[number, index] += branch['count']
    return files


def share(counts):
    ran = sum(1 for count in counts if count)
    return f'{ran:7} of {len(counts):6} {100 * ran / len(counts) if counts else 100:6.1f} %'


def print_row(name, files):
    print(f'{name:24}{share([c for lines, _ in files for c in lines.values()])}'
          f'{share([c for _, branches in files for c in branches.values()])}')


def main():
    source, build, names = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2]), sys.argv[3:]
    files = added(source, build)
    if not files:
        sys.exit('coverage: no counters: build with --enable-coverage, and run something')
    for name in names:
        print(name, *sorted(line for line, count in files[name][0].items() if not count))
    if names:
        return
    folders = collections.defaultdict(list)
    for name, counts in files.items():
        folders[os.path.dirname(name)].append(counts)
        folders[name.split('/')[0] + '/ in all'].append(counts)
    print(f'{"":24}{"lines that ran":>24}{"branches taken":>27}')
    for folder in sorted(folders, key=lambda name: (name.endswith('all'), name)):
        print_row(folder, folders[folder])
    print('\nfiles with most lines that never ran:')
    missing = sorted(((sum(1 for c in lines.values() if not c), name) for name, (lines, _) in files.items()), reverse=True)
    for count, name in missing[:FILES_MOST]:
        print(f'{count:6} {name}')


main()
