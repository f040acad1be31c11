// SPDX-License-Identifier: Apache-2.0
// Drives `orrery debug --dap` with the client that adapters of Visual Studio Code are tested with: npm's
// @vscode/debugadapter-testsupport, which must be where NODE_PATH says. Each family of requests once.
//
// dap_testsupport.js ORRERY SCENARIO: exit status 0 when each answer is as expected.
'use strict';
const assert = require('assert');
const child = require('child_process');
const fs = require('fs');
const path = require('path');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const [orrery, scenario] = [process.argv[2], path.resolve(process.argv[3])];
const source = scenario.replace(/\.yaml$/, '.cl');
const lines = fs.readFileSync(source, 'utf8').split('\n');
const lineOf = mark => 1 + lines.findIndex(line => line.includes(`/* ${mark} */`));

// An adapter on a port of its own, and a client of it.
function start() {
    const adapter = child.spawn(orrery, ['debug', '--dap=0'], { stdio: ['ignore', 'inherit', 'pipe'] });
    const client = new DebugClient('', '', 'orrery');
    return new Promise((resolve, reject) => {
        let said = '';
        adapter.on('error', reject);
        adapter.stderr.on('data', text => {
            said += text;
            const port = /127\.0\.0\.1:(\d+)/.exec(said);
            if (port)
                client.start(Number(port[1])).then(() => resolve({ adapter, client }), reject);
        });
    });
}

async function stop({ adapter, client }) {
    const ended = new Promise(resolve => adapter.on('exit', resolve));
    await client.disconnectRequest();
    client.stopAdapter();
    assert.strictEqual(await ended, 0);
}

const launch = { program: scenario, stopAtEnd: true };
const stopOf = (client, request) => Promise.all([client.waitForEvent('stopped'), request]).then(both => both[0].body);
const topOf = async (client, threadId) => (await client.stackTraceRequest({ threadId })).body.stackFrames[0];

async function refused(request) {
    await assert.rejects(request, error => error.message.length > 0);
}

async function hitsBreakpoint() {
    const it = await start();
    await it.client.hitBreakpoint(launch, { path: source, line: lineOf('call') });
    await stop(it);
}

async function entersAndSteps() {
    const it = await start(), { client } = it;
    const [stopped] = await Promise.all([
        client.waitForEvent('stopped'), client.configurationSequence(), client.launch({ ...launch, stopOnEntry: true })]);
    assert.strictEqual(stopped.body.reason, 'entry');
    const threadId = stopped.body.threadId;
    const first = (await topOf(client, threadId)).line;
    assert.strictEqual((await stopOf(client, client.nextRequest({ threadId }))).reason, 'step');
    assert.ok((await topOf(client, threadId)).line > first);
    await stopOf(client, client.stepBackRequest({ threadId }));
    assert.strictEqual((await topOf(client, threadId)).line, first);
    await stop(it);
}

async function looksAround() {
    const it = await start(), { client } = it;
    await Promise.all([client.waitForEvent('initialized'), client.launch(launch)]);
    const points = await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [{ line: lineOf('inside') }] });
    assert.ok(points.body.breakpoints[0].verified);
    await client.setFunctionBreakpointsRequest({ breakpoints: [] });
    await client.setExceptionBreakpointsRequest({ filters: [] });
    const { threadId, reason } = await stopOf(client, client.configurationDoneRequest());
    assert.strictEqual(reason, 'breakpoint');
    const names = (await client.threadsRequest()).body.threads.map(thread => thread.name);
    assert.strictEqual(names.filter(name => name.startsWith('work-item')).length, 8);
    assert.deepStrictEqual(names.slice(8), ['sub-group 0 of work-group (0,0,0)']);
    const frames = (await client.stackTraceRequest({ threadId })).body.stackFrames;
    assert.deepStrictEqual(frames.map(frame => frame.name), ['helper', 'k']);
    const scopes = (await client.scopesRequest({ frameId: frames[0].id })).body.scopes;
    const locals = (await client.variablesRequest({ variablesReference: scopes[0].variablesReference })).body.variables;
    assert.deepStrictEqual(locals.map(variable => [variable.name, variable.value]), [['twice', '0']]);
    await client.setVariableRequest({ variablesReference: scopes[0].variablesReference, name: 'twice', value: '6' });
    const value = await client.evaluateRequest({ expression: 'twice + 1', frameId: frames[0].id });
    assert.strictEqual(value.body.result, '7');
    assert.ok((await client.sourceRequest({ source: { name: path.basename(source) }, sourceReference: 0 })).body.content);
    assert.ok((await client.customRequest('loadedSources')).body.sources.length);
    const modules = (await client.modulesRequest({})).body.modules;
    assert.deepStrictEqual(modules.map(module => [module.name, module.path]), [['calls.cl', fs.realpathSync(source)]]);
    const targets = (await client.completionsRequest({ text: 'tw', column: 3, frameId: frames[0].id })).body.targets;
    assert.ok(targets.some(target => target.label === 'twice'));
    const code = await client.disassembleRequest({ memoryReference: frames[0].instructionPointerReference, instructionCount: 4 });
    assert.strictEqual(code.body.instructions.length, 4);
    const pointer = await client.evaluateRequest({ expression: 'p', frameId: frames[0].id });
    const memory = await client.customRequest('readMemory', { memoryReference: pointer.body.memoryReference, count: 4 });
    assert.strictEqual(Buffer.from(memory.body.data, 'base64').length, 4);
    await client.customRequest('writeMemory', { memoryReference: pointer.body.memoryReference, data: memory.body.data });
    await stopOf(client, client.stepOutRequest({ threadId }));
    assert.strictEqual((await topOf(client, threadId)).name, 'k');
    await stopOf(client, client.stepInRequest({ threadId }));
    await client.pauseRequest({ threadId });
    await stop(it);
}

async function watchesAndCatches() {
    const it = await start(), { client } = it;
    await Promise.all([client.waitForEvent('initialized'), client.launch(launch)]);
    await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'helper' }] });
    const { threadId } = await stopOf(client, client.configurationDoneRequest());
    await client.setFunctionBreakpointsRequest({ breakpoints: [] });
    const frame = await topOf(client, threadId);
    const info = await client.dataBreakpointInfoRequest({ name: 'p[0]', frameId: frame.id });
    await client.setDataBreakpointsRequest({ breakpoints: [{ dataId: info.body.dataId, accessType: 'write' }] });
    assert.strictEqual((await stopOf(client, client.continueRequest({ threadId }))).reason, 'data breakpoint');
    await client.setDataBreakpointsRequest({ breakpoints: [] });
    await client.setExceptionBreakpointsRequest({ filters: ['findings'] });
    assert.strictEqual((await stopOf(client, client.continueRequest({ threadId }))).reason, 'exception');
    assert.strictEqual((await client.exceptionInfoRequest({ threadId })).body.exceptionId, 'race-global');
    await client.setExceptionBreakpointsRequest({ filters: [] });
    await stopOf(client, client.reverseContinueRequest({ threadId }));
    const end = await stopOf(client, client.continueRequest({ threadId }));
    assert.strictEqual(end.description, 'The run is over');
    await stopOf(client, client.restartRequest({}));
    await client.terminateRequest({});
    await stop(it);
}

// What is not claimed in the capabilities is refused with a text, and the session stays.
async function refuses() {
    const it = await start(), { client } = it;
    await Promise.all([client.waitForEvent('initialized'), client.launch(launch)]);
    await refused(client.attachRequest({ processId: 1 }));
    await refused(client.restartFrameRequest({ frameId: 1 }));
    await refused(client.gotoRequest({ threadId: 1, targetId: 1 }));
    await refused(client.gotoTargetsRequest({ source: { path: source }, line: 1 }));
    await refused(client.stepInTargetsRequest({ frameId: 1 }));
    await refused(client.completionsRequest({ text: 'x', column: 0 }));
    await refused(client.evaluateRequest({ expression: '1 +' }));
    await stop(it);
}

(async () => {
    for (const test of [hitsBreakpoint, entersAndSteps, looksAround, watchesAndCatches, refuses])
        try {
            await test();
            console.log(`ok ${test.name}`);
        } catch (error) {
            console.log(`FAIL: ${test.name}: ${error.stack}`);
            process.exitCode = 1;
        }
    process.exit();
})();
