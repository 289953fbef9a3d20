/** Registered softphones: what their refreshes cost, and what calls feel of them. */

import { pause } from '../../../src/platform/async/sleep.js'
import { watchCores } from '../../support/process/process-cpu.js'
import { type BenchServer, request } from '../bench-server.js'
import { SipCaller } from '../caller/sip-caller.js'
import { type Child, startChild } from '../child.js'
import { type Figure, generatorProblem, percent } from '../figure.js'
import { percentilesOf } from '../percentiles.js'
import type { PhonesCommand, PhonesReport } from './phones.js'

export interface RegistrationPlan {
  readonly phones: number
  readonly seconds: number
  /** The calls that are timed without the phones, and again with them. */
  readonly calls: number
}

const DOMAIN = 'bench.example'
const PASSWORD = 'IWasAtSignal2018'
/** As many credentials as a list holds. */
const USERS_IN_LIST = 1_000
const EVERY_MS = 60_000
const STORM_LIMIT_MS = 60_000

/** Registers the phones at once, refreshes each every minute, and calls a number meanwhile. */
export async function measureRegistrations(
  server: BenchServer,
  number: string,
  plan: RegistrationPlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  await makeDomain(server, plan.phones)
  const caller = await SipCaller.open(server.sipPort)
  try {
    return await measure(server, { caller, number }, plan, say)
  } finally {
    caller.close()
  }
}

async function measure(
  server: BenchServer,
  { caller, number }: { readonly caller: SipCaller; readonly number: string },
  plan: RegistrationPlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const idle = await useFor(server, plan.seconds)
  const before = await answerMs(caller, number, plan)
  await using phones = startChild<PhonesCommand, PhonesReport>('./registrations/phones.ts')
  const storm = await stormOf(phones, server, plan)
  say(`storm: ${describe(storm.report)}`)
  const refreshing = { type: 'refresh', everyMs: EVERY_MS, seconds: plan.seconds } as const
  const used = { server: watchCores([server.pids.server]), lab: watchCores([server.pids.media]) }
  const steady = await phones.ask(refreshing)
  const busy = { server: used.server.cores(), lab: used.lab.cores() }
  say(`refreshes: ${describe(steady)}; server ${percent(busy.server)}, lab ${percent(busy.lab)}`)
  const [during] = await Promise.all([answerMs(caller, number, plan), phones.ask(refreshing)])
  return [
    {
      name: `processor for ${plan.phones} registrations, each refreshed every minute`,
      value: 100 * (busy.server - idle.server),
      unit: '% of a core',
      target: { atMost: 5 },
      detail: `server ${percent(busy.server)}, with nobody registered ${percent(idle.server)}; lab ${percent(busy.lab)}, ${percent(idle.lab)}; ${describe(steady)}`,
      invalid: problemOf(steady),
    },
    {
      name: `INVITE → 200 later for ${plan.phones} registrations`,
      value: during - before,
      unit: 'ms',
      target: { atMost: 5 },
      detail: `median ${during.toFixed(1)} ms, ${before.toFixed(1)} ms with nobody registered`,
      invalid: problemOf(steady),
    },
    {
      name: `${plan.phones} phones that register at once`,
      value: storm.report.seconds,
      unit: 's',
      detail: `until the last one has its 200, each challenged once; ${describe(storm.report)}; server ${percent(storm.cores)} of a core`,
      invalid: problemOf(storm.report),
    },
  ]
}

async function stormOf(
  phones: Child<PhonesCommand, PhonesReport>,
  server: BenchServer,
  plan: RegistrationPlan,
): Promise<{ readonly report: PhonesReport; readonly cores: number }> {
  const used = watchCores([server.pids.server])
  const report = await phones.ask({
    type: 'storm',
    sipPort: server.sipPort,
    phones: plan.phones,
    domain: DOMAIN,
    password: PASSWORD,
    limitMs: STORM_LIMIT_MS,
  })
  return { report, cores: used.cores() }
}

async function useFor(
  server: BenchServer,
  seconds: number,
): Promise<{ readonly server: number; readonly lab: number }> {
  const used = { server: watchCores([server.pids.server]), lab: watchCores([server.pids.media]) }
  await pause(seconds * 1_000)
  return { server: used.server.cores(), lab: used.lab.cores() }
}

/** The median time from INVITE to 200, of calls one after another. */
async function answerMs(
  caller: SipCaller,
  number: string,
  { calls }: RegistrationPlan,
): Promise<number> {
  const times: number[] = []
  for (let call = 0; call <= calls; call++) {
    const placed = await caller.call(number)
    // The first one warms caches and code.
    if (call > 0) times.push(placed.answeredAt - placed.invitedAt)
    await placed.hangUp()
  }
  return percentilesOf(times).p50
}

function describe({ registered, failed, seconds, p50, p95, cores }: PhonesReport): string {
  return `${registered} REGISTERs in ${seconds.toFixed(1)} s, p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, ${failed} failed, phones ${percent(cores)} of a core`
}

function problemOf({ cores, failed }: PhonesReport): string | undefined {
  return failed > 0 ? `${failed} REGISTERs had no 200` : generatorProblem('the phones', cores)
}

/** A domain at which so many users may register. */
async function makeDomain(server: BenchServer, users: number): Promise<void> {
  const domain = await make(server, '/Domains', { DomainName: DOMAIN, SipRegistration: 'true' })
  for (let first = 0; first < users; first += USERS_IN_LIST) {
    const list = await make(server, '/CredentialLists', { FriendlyName: `bench ${first}` })
    for (let user = first; user < Math.min(first + USERS_IN_LIST, users); user++)
      await make(server, `/CredentialLists/${list}/Credentials`, {
        Username: `phone${user}`,
        Password: PASSWORD,
      })
    await make(server, `/Domains/${domain}/Auth/Registrations/CredentialListMappings`, {
      CredentialListSid: list,
    })
  }
}

async function make(
  server: BenchServer,
  path: string,
  form: Readonly<Record<string, string>>,
): Promise<string> {
  return (await request<{ readonly sid: string }>(server, `/SIP${path}.json`, form)).sid
}
