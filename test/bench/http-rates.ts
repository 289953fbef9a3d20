import { join } from 'node:path'
import { pause } from '../../src/platform/async/sleep.js'
import { type BenchServer, request } from './bench-server.js'
import { type Child, startChild } from './child.js'
import { type Figure, generatorProblem, percent } from './figure.js'
import { fillCalls, filledSid } from './fill-calls.js'
import type { BareCommand, BareReport } from './http/bare-server.js'
import type { LoadCommand, LoadReport } from './http/load.js'

export interface HttpPlan {
  readonly connections: number
  readonly seconds: number
}

/** A number that no carrier serves: the call is stored, is tried, and ends. */
const NOWHERE = '+15551230199'
/** The lab's phone that declines each call: the call is stored, is dialled, and ends. */
const DECLINING = '+15005550006'
/** The form of a call that is stored, tried and failed. */
export const FORM = formTo(NOWHERE)
const PAGE = '/Calls.json?PageSize=50'
/** More than the server keeps of what it has read: each is read for the first time again. */
const FIRST_CALLS = 10_000
/** The number of the first of them, beyond those of the lists. */
export const FIRST_FROM = 2 ** 32
const FIRST_PAGES = 100
/** The first filled call is long over. */
const FILLED_AGE_MS = 30 * 86_400_000
const READ_EACH_TIME = 'read from the database each time'
const NOT_KEPT = 'ended calls, more than the server keeps'
const DRAIN_LIMIT_MS = 180_000
const POLL_MS = 50

type Load = Child<LoadCommand, LoadReport>

/** Measures the API beside a bare `node:http` server: same load, same machine, in turns (ABBA). */
export async function measureHttp(
  server: BenchServer,
  folder: string,
  plan: HttpPlan,
  commitsPerSecond: number,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  await using load = startChild<LoadCommand, LoadReport>('./http/load.ts')
  const port = Number(new URL(server.http).port)
  const resource = await endedCall(server)
  const get = requestOf(server, 'GET', `/Calls/${resource.sid}.json`)
  const post = requestOf(server, 'POST', '/Calls.json', FORM)
  const gets = await inTurns(load, plan, { port, request: get, status: 200, body: resource.text })
  say(describe('GET', gets))
  const posts = await inTurns(load, plan, { port, request: post, status: 201, body: resource.text })
  say(describe('POST', posts))
  const drainSeconds = await drain(server)
  const page = requestOf(server, 'GET', PAGE)
  const pages = await inTurns(load, plan, {
    port,
    request: page,
    status: 200,
    body: await textOf(server, PAGE),
  })
  say(describe('GET of a page', pages))
  const declined = requestOf(server, 'POST', '/Calls.json', formTo(DECLINING))
  const declines = await inTurns(load, plan, {
    port,
    request: declined,
    status: 201,
    body: resource.text,
  })
  say(describe('POST to a phone that declines', declines))
  const declinedSeconds = await drain(server)
  const first = await measureFirstReads(server, folder, load, plan)
  say(describe('GET for the first time', first.gets))
  say(describe('GET of a page for the first time', first.pages))
  return [
    shareFigure('GET one call', gets, `an ended call, ${READ_EACH_TIME}`, 0.6),
    shareFigure('GET one call for the first time', first.gets, NOT_KEPT),
    shareFigure('GET a page of fifty calls', pages, `ended calls, ${READ_EACH_TIME}`, 0.4),
    shareFigure('GET a page of fifty calls for the first time', first.pages, NOT_KEPT),
    postFigure(posts, commitsPerSecond, drainSeconds),
    declinedFigure(declines, commitsPerSecond, declinedSeconds),
  ]
}

/** Reads calls that the server has not read before, or has forgotten since. */
async function measureFirstReads(
  server: BenchServer,
  folder: string,
  load: Load,
  plan: HttpPlan,
): Promise<{ readonly gets: Compared; readonly pages: Compared }> {
  fillCalls(join(folder, 'data', 'trunkline.db'), {
    accountSid: server.account.sid,
    from: FIRST_FROM,
    until: FIRST_FROM + FIRST_CALLS,
    startAt: Date.now() - FILLED_AGE_MS - FIRST_FROM * 1_000,
  })
  const port = Number(new URL(server.http).port)
  const read = async (path: string, values: readonly string[]) =>
    await inTurns(load, plan, {
      port,
      request: requestOf(server, 'GET', path),
      values,
      status: 200,
      body: await textOf(server, path.replace('{}', values[0] ?? '')),
    })
  const sids = Array.from({ length: FIRST_CALLS }, (_, index) => filledSid(FIRST_FROM + index))
  const pages = Array.from({ length: FIRST_PAGES }, (_, index) => String(index))
  return {
    gets: await read('/Calls/{}.json', sids),
    pages: await read('/Calls.json?PageSize=50&Page={}', pages),
  }
}

function formTo(to: string): string {
  const fields = { To: to, From: '+15551230100', Url: 'http://127.0.0.1:9/never-asked' }
  return new URLSearchParams(fields).toString()
}

interface Compared {
  readonly ours: readonly LoadReport[]
  readonly bare: readonly LoadReport[]
}

interface Subject {
  readonly port: number
  readonly request: string
  readonly values?: readonly string[]
  readonly status: number
  readonly body: string
}

async function inTurns(load: Load, plan: HttpPlan, subject: Subject): Promise<Compared> {
  await using bareServer = startChild<BareCommand, BareReport>('./http/bare-server.ts')
  const bareAt = await bareServer.ask({ status: subject.status, body: subject.body })
  const { request, values, status: expectedStatus } = subject
  const run = (port: number, seconds = plan.seconds) =>
    load.ask({ port, request, values, expectedStatus, seconds, connections: plan.connections })
  await run(bareAt.port, 0.5) // Warms the code; not counted.
  await run(subject.port, 0.5)
  const first = await run(bareAt.port)
  const ours = [await run(subject.port), await run(subject.port)]
  return { ours, bare: [first, await run(bareAt.port)] }
}

/** The rate of reads beside the bare server's; `target` is the share that the design asks for. */
function shareFigure(what: string, compared: Compared, kind: string, target?: number): Figure {
  const ratio = mean(compared.ours) / mean(compared.bare)
  return {
    name: `${what}, share of bare node:http`,
    value: ratio,
    unit: '',
    ...(target === undefined ? {} : { target: { atLeast: target } }),
    limit: '1',
    detail: `${describe('GET', compared)}; ${kind}`,
    invalid: problemOf(compared, ratio < 1),
  }
}

function postFigure(compared: Compared, commits: number, drainSeconds: number | undefined): Figure {
  return {
    name: 'create calls accepted and durable',
    ...createsFigure(compared, commits),
    detail: `${describe('POST', compared)}; each also becomes a call, tried and failed for want of a route: the last was over ${drained(drainSeconds)}`,
  }
}

function declinedFigure(
  compared: Compared,
  commits: number,
  drainSeconds: number | undefined,
): Figure {
  return {
    name: 'create calls to a phone that declines',
    ...createsFigure(compared, commits),
    detail: `${describe('POST', compared)}; each is dialled meanwhile, and the lab's phone declines: the last was over ${drained(drainSeconds)}`,
  }
}

function createsFigure(compared: Compared, commits: number): Omit<Figure, 'name' | 'detail'> {
  return {
    value: mean(compared.ours),
    unit: '/s',
    target: { atLeast: 2_000 },
    limit: `${commits.toFixed(0)} /s single SQLite commits, measured`,
    invalid: problemOf(compared, true),
  }
}

function drained(seconds: number | undefined): string {
  return seconds === undefined
    ? 'not all over after three minutes'
    : `${seconds.toFixed(1)} s later`
}

/**
 * The reason why a comparison proves nothing, if there is one. A busy client only makes the bare
 * server look slower than it is.
 */
function problemOf({ ours, bare }: Compared, isServerSlower: boolean): string | undefined {
  const unexpected = [...ours, ...bare].reduce((sum, run) => sum + run.unexpected, 0)
  if (unexpected > 0) return `${unexpected} answers had another status`
  const cores = Math.max(...ours.map((run) => run.cores))
  return isServerSlower ? generatorProblem('the client', cores) : undefined
}

function describe(method: string, { ours, bare }: Compared): string {
  const shown = (runs: readonly LoadReport[]) =>
    runs.map((run) => `${run.perSecond.toFixed(0)}/s (p95 ${run.p95.toFixed(1)} ms)`).join(', ')
  const client = (runs: readonly LoadReport[]) => percent(Math.max(...runs.map((run) => run.cores)))
  return `${method} ${shown(ours)}; bare ${shown(bare)}; client ${client(ours)} and ${client(bare)} of a core`
}

/** The mean rate of some runs. */
export function mean(runs: readonly LoadReport[]): number {
  return runs.reduce((sum, run) => sum + run.perSecond, 0) / runs.length
}

/** Resolves with the seconds until no call is live; undefined when some still are at the limit. */
export async function drain(server: BenchServer): Promise<number | undefined> {
  const startedAt = performance.now()
  return (await server.untilIdle(DRAIN_LIMIT_MS))
    ? (performance.now() - startedAt) / 1_000
    : undefined
}

/** Makes a call that has ended: it is answered from the database, as most are. */
export async function endedCall(server: BenchServer): Promise<{ sid: string; text: string }> {
  const { sid } = await request<{ readonly sid: string }>(server, '/Calls.json', FORM)
  for (;;) {
    const text = await textOf(server, `/Calls/${sid}.json`)
    if (text.includes('"failed"')) return { sid, text }
    await pause(POLL_MS)
  }
}

/** Reads a resource of the bench's account. */
async function textOf({ http, account }: BenchServer, path: string): Promise<string> {
  const url = `${http}/2010-04-01/Accounts/${account.sid}${path}`
  const answer = await fetch(url, { headers: { authorization: account.authorization } })
  return await answer.text()
}

/** The text of a request to the voice API of the bench's account. */
export function requestOf(server: BenchServer, method: string, path: string, body = ''): string {
  const { sid, authorization } = server.account
  return [
    `${method} /2010-04-01/Accounts/${sid}${path} HTTP/1.1`,
    `Host: ${new URL(server.http).host}`,
    `Authorization: ${authorization}`,
    ...(body === ''
      ? []
      : ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`]),
    '',
    body,
  ].join('\r\n')
}
