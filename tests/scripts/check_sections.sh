#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The sections of the specifications that findings and their manual name exist, and are about what is said after them. A reference is
# "OpenCL C 3.0, 6.15.11, ..." or "OpenCL 2.2 API, 3.3.1 and 5.2.1: ...". The table has the sections' subjects.
set -u
src=${ORRERY_SRCDIR:?}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 - "$src" <<'END' || exit 1
import glob, re, sys
SECTIONS = {
    'OpenCL C 3.0': {'6.7.3': 'constant', '6.15.11': 'copy|copies|wait_group', '6.15.12': 'atomic', '6.15.12.5': 'fence', '6.15.12.7': 'atomic',
                     '6.15.14': 'printf', '6.15.15': 'image', '6.15.15.6': 'same image', '6.15.16': 'work-group|pipe', '6.15.18': 'enqueue'},
    'OpenCL C 2.0': {'6.13.10': 'copies', '6.13.15': 'broadcast', '6.13.16': 'pipe', '6.13.17.8': 'event'},
    'OpenCL 2.2 API': {'3.2.2': 'progress', '3.2.3': '', '3.2.4': 'barrier', '3.3.1': 'private|bytes', '3.3.4': 'scope', '3.3.5': 'fence',
                       '3.3.6': 'race|command|conflicting', '4.2': '', '4.3': 'sub-device', '5.1': 'device', '5.2.1': 'buffer|USE_HOST_PTR|size|READ_ONLY|WRITE_ONLY|contents',
                       '5.2.2': 'read', '5.2.4': 'mapp', '5.4': 'pipe', '5.5.1': 'release|deleted', '5.5.2': 'mapped', '5.5.3': 'mapped', '5.6.1': 'svm',
                       '5.6.2': 'SVM', '5.8.4': '', '5.9.2': 'argument|null|SVM|set', '5.10': 'enqueue|event', '5.11': 'event|callback|wait', '5.15': 'flush'},
    'OpenCL 3.0 API': {'4.2': '', '5.2.1': 'buffer', '5.3': 'image', '5.3.1.1': 'format', '5.7': 'sampler', '5.9.2': 'argument|clSetKernelArg|SVM', '5.13.3': 'undefined'},
}
REFERENCE = re.compile(r'(%s),? (\d+(?:\.\d+)+)((?:,? (?:and )?\d+(?:\.\d+)+)*)[,:]? ?([^;"]*)' % '|'.join(SECTIONS))
texts = [(name, re.sub(r'"\s*\n\s*"', '', open(name).read())) for folder in ('sim', 'lib')
         for name in sorted(glob.glob(sys.argv[1] + '/%s/**/*.c' % folder, recursive=True))]
spec = re.compile(r'spec(?:_text|_of_copies)?(?:\[\])? =\s*(?:[^";]*\?\s*)?((?:"[^"]*"[^";,}]*)+)')
said = [(name, quoted) for name, text in texts for field in spec.findall(text) for quoted in re.findall(r'"([^"]*)"', field)]
manual = open(sys.argv[1] + '/man/orrery-findings.7').read()
said += [('orrery-findings(7)', ' '.join(item.split())) for item in re.findall(r'\.It Specification\n(.*?)(?=\n\.It|\n\.El)', manual, re.S)]
wrong = count = 0
for name, text in said:
    for where, first, more, words in REFERENCE.findall(text):
        numbers = [first] + re.findall(r'[\d.]+\d', more)
        count += len(numbers)
        subjects = [SECTIONS[where].get(number) for number in numbers]
        fits = None not in subjects and (len(words) < 8 or any(re.search(subject, words, re.I) for subject in subjects))
        if not fits:
            print('%s: %s, %s is not about "%s"' % (name, where, ', '.join(numbers), words[:70]))
            wrong = 1
if count < 60:
    print('only %d references were found' % count)
sys.exit(wrong or count < 60)
END
# A function of the sub-group is in another section than one of the work-group.
build=$(cd "${ORRERY_BUILDDIR:?}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
for function in "work_group_reduce_add Work-group Collective Functions" "sub_group_reduce_add Sub-Group Functions"; do
    printf 'kernel void k(global int *out) { if (get_local_id(0) < 3) out[0] = %s(1); }\n' "${function%% *}" >k.cl
    "$build/orrery" run --build-options=-cl-std=CL3.0 k.cl 2>&1 | grep -q "spec *OpenCL C 3.0, ${function#* }" ||
        { echo "the divergence of ${function%% *} is not in the section ${function#* }"; exit 1; }
done
