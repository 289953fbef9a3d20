import { execFileSync } from 'node:child_process'
import { Disposer } from '../../../src/platform/disposer.js'
import { expectNothingLeft } from '../process/nothing-left.js'
import { startTrunkline, type WireCall } from '../process/trunkline.js'
import { waitUntil } from '../time/wait-until.js'
import { startVoiceApp } from '../voice/voice-app.js'
import { openLab } from './lab.js'

const LIMIT_MS = 60_000
const LONG = '<Pause length="300"/>'

interface ShownServer {
  readonly name: string
  readonly kind: string
  readonly state: string
  readonly isDrained: boolean
  readonly ownChannels: number
}

/** A drachtio, two media servers of which one can be killed, and the lab's phones. */
interface MediaServerPair {
  readonly drachtioUrl: string
  readonly kept: string
  readonly dying: string
  readonly phonesUri: string
  /** Kills the process of one server at once. It restarts by itself. */
  kill(): void
}

/**
 * Two labs; or the real servers if `FREESWITCH_URL` has two entries: `FREESWITCH_KILL` is then a command that
 * kills the second one, `FREESWITCH_START` one that restarts it.
 */
async function openPair(disposer: Disposer): Promise<MediaServerPair> {
  const { DRACHTIO_URL, FREESWITCH_URL = '', FREESWITCH_KILL, FREESWITCH_START } = process.env
  const [first, second] = FREESWITCH_URL.split(',')
  const lab = disposer.use(await openLab())
  const { phonesUri } = lab
  if (DRACHTIO_URL === undefined || first === undefined || second === undefined) {
    const other = disposer.use(await openLab())
    return {
      drachtioUrl: lab.drachtioUrl,
      kept: lab.freeswitchUrl,
      dying: other.freeswitchUrl,
      phonesUri,
      kill: () => {
        process.kill(other.pid ?? 0, 'SIGKILL')
      },
    }
  }
  if (FREESWITCH_KILL === undefined || FREESWITCH_START === undefined)
    throw new Error('real servers need FREESWITCH_KILL and FREESWITCH_START')
  return {
    drachtioUrl: DRACHTIO_URL,
    kept: first,
    dying: second,
    phonesUri,
    kill: () => {
      execFileSync('sh', ['-c', FREESWITCH_KILL])
      execFileSync('sh', ['-c', `${FREESWITCH_START} > /dev/null 2>&1 &`])
    },
  }
}

/** A trunkline with one drachtio and two media servers, and a customer's application. */
export async function startWithTwoMediaServers() {
  const disposer = new Disposer()
  const pair = await openPair(disposer)
  const app = disposer.use(await startVoiceApp())
  const trunkline = disposer.use(
    await startTrunkline({
      DRACHTIO_URL: pair.drachtioUrl,
      FREESWITCH_URL: `${pair.kept},${pair.dying}?weight=1`,
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    }),
  )
  const phone = `sip:+15005550002@${pair.phonesUri.replace('sip:', '')}`
  const nameOf = (url: string) => new URL(url).host
  const names = { kept: nameOf(pair.kept), dying: nameOf(pair.dying) }
  const servers = async () => {
    const { body } = await trunkline.adminApi('GET', '/servers')
    // the body of `listServers`
    return (body as { readonly servers: readonly ShownServer[] }).servers
  }
  const server = async (name: string) => (await servers()).find((each) => each.name === name)
  const call = (markup: string): Promise<WireCall> =>
    trunkline.createCall({
      To: phone,
      From: '+15005550000',
      Markup: `<Response>${markup}</Response>`,
      StatusCallback: `${app.url}/status`,
      StatusCallbackEvent: 'initiated ringing answered completed',
    })
  /** Places `count` calls; resolves with their sids when all are answered. */
  const calls = async (count: number, markup: string): Promise<readonly string[]> => {
    const sids = await Promise.all(
      Array.from({ length: count }, async () => (await call(markup)).sid),
    )
    const isAnswered = (sid: string) =>
      app.callbacks(sid).some((params) => params['CallStatus'] === 'in-progress')
    await waitUntil('the calls are answered', () => sids.every(isAnswered), LIMIT_MS)
    return sids
  }
  const drain = async (name: string, isDrained: boolean) => {
    const path = `/servers/${encodeURIComponent(name)}`
    return await trunkline.adminApi('PUT', path, { isDrained })
  }
  /** Places `count` calls on the named server. */
  const callsOn = async (name: string, count: number, markup: string) => {
    const other = name === names.kept ? names.dying : names.kept
    await drain(other, true)
    const sids = await calls(count, markup)
    await drain(other, false)
    return sids
  }
  await waitUntil(
    'all servers are up',
    async () => (await servers()).every(({ state }) => state === 'up'),
    LIMIT_MS,
  )
  return {
    app,
    trunkline,
    phone,
    kill: () => {
      pair.kill()
    },
    names,
    servers,
    server,
    call,
    calls,
    callsOn,
    drain,
    hangUp: async (sids: readonly string[]) => {
      for (const sid of sids)
        await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
      for (const sid of sids) await app.completed(sid)
      await expectNothingLeft(trunkline)
    },
    [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose](),
  }
}

export type TwoMediaServers = Awaited<ReturnType<typeof startWithTwoMediaServers>>

/** Kills one of two media servers during `count` calls, and measures the effect. */
export async function killOneUnder(t: TwoMediaServers, count: number) {
  const { app, names } = t
  const others = await t.callsOn(names.kept, count / 2, LONG)
  const doomed = await t.callsOn(names.dying, count / 2, LONG)
  t.kill()
  const killedAt = performance.now()
  const sinceKill = () => Math.round(performance.now() - killedAt)
  const completed = (sid: string) =>
    app.callbacks(sid).filter((params) => params['CallStatus'] === 'completed').length
  const haveEnded = async () => {
    const statuses = doomed.map(async (sid) => (await t.trunkline.fetchCall(sid)).status)
    const isStored = (await Promise.all(statuses)).every((status) => status === 'completed')
    return isStored && doomed.every((sid) => completed(sid) > 0)
  }
  const ending = waitUntil('its calls have ended', haveEnded, LIMIT_MS).then(sinceKill)
  const answering = t.calls(4, LONG).then((sids) => ({ sids, ms: sinceKill() }))
  const [endedMs, next] = await Promise.all([ending, answering])
  const isBack = async () => (await t.server(names.dying))?.state === 'up'
  await waitUntil('it is back', isBack, LIMIT_MS)
  const backMs = sinceKill()
  const again = await t.callsOn(names.dying, 1, LONG)
  return {
    /** Calls that must still be in progress. */
    live: [...others, ...next.sids, ...again],
    mostCallbacks: Math.max(...[...others, ...doomed].map(completed)),
    figures: {
      calls: count,
      'its calls had ended after, ms': endedMs,
      'four new calls were answered after, ms': next.ms,
      'it was in use again after, ms': backMs,
    },
  }
}
