import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MediaFaults } from '../../src/lab/lab-protocol.js'
import { openFaultyServers } from '../support/media/faulty-servers.js'
import { type OwnServers, openOwnServers } from '../support/media/own-servers.js'
import { runCommand } from '../support/process/command-line.js'
import { followEvents } from '../support/process/operator-events.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'

const POLL = { timeout: 30_000, interval: 100 }
const CALLBACK = { MEDIA_CALLBACK_HOST: '127.0.0.1' }

let servers: OwnServers
beforeAll(async () => {
  servers = await openOwnServers()
})
afterAll(async () => {
  await servers[Symbol.asyncDispose]()
})

type Env = OwnServers['env']
const wrong = (url: string) => url.replace(/:[^:@]*@/, ':wrong@')
const nowhere = (url: string) => url.replace(/:\d+$/, ':9')

interface Fault {
  /** Where the lab takes SIP; loopback by default. */
  readonly sipHost?: string
  /** What the media server lacks; absent for a fault of the settings. */
  readonly faults?: MediaFaults
  readonly settings?: (env: Env) => Readonly<Record<string, string>>
  /** What `/readyz` says. */
  readonly status: 200 | 503
  readonly said: Readonly<Record<string, RegExp>>
  /** The number that the test calls, to find the fault in the event log of that call. */
  readonly to?: string
  /** What the event log says. */
  readonly logged: RegExp
  /** The lines of `trunkline doctor`. */
  readonly doctor: readonly RegExp[]
}

/** The answer of `/readyz`. */
async function readiness({ http }: RunningTrunkline) {
  const answer = await fetch(`${http}/readyz`)
  return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, string>> }
}

function doctorOf(trunkline: RunningTrunkline, env: Readonly<Record<string, string>>) {
  const { account, admin, adminToken, folder, http } = trunkline
  return runCommand(['doctor'], {
    ...env,
    HTTP_PORT: new URL(http).port,
    ADMIN_PORT: new URL(admin).port,
    ADMIN_TOKEN: adminToken,
    DATA_DIR: folder,
    FIRST_ACCOUNT_SID: account.sid,
    FIRST_ACCOUNT_TOKEN: account.secret,
  })
}

/** The message of the event that tells the fault: of the call when it is placed, else of its refusal. */
async function loggedFault(trunkline: RunningTrunkline, to: string, text: RegExp) {
  await using events = await followEvents(trunkline)
  const form = { To: to, From: '+15005550000', Markup: '<Response/>' }
  const { status, body } = await trunkline.api('POST', '/Calls.json', form)
  expect([201, 503]).toContain(status)
  if (status === 503) {
    await expect.poll(() => events.lines().filter((line) => text.test(line)), POLL).toHaveLength(1)
    return
  }
  const path = `/Calls/${String(body['sid'])}/Events.json`
  const list = async () => JSON.stringify((await trunkline.api('GET', path)).body)
  await expect.poll(list, POLL).toMatch(text)
}

describe('/readyz, the event log and doctor say in one line each', () => {
  it.each<[string, Fault]>([
    [
      'a wrong secret of drachtio, and a wrong password of FreeSWITCH',
      {
        settings: ({ DRACHTIO_URL, FREESWITCH_URL }) => ({
          DRACHTIO_URL: wrong(DRACHTIO_URL),
          FREESWITCH_URL: wrong(FREESWITCH_URL),
        }),
        status: 503,
        said: {
          signaling: /^down$/,
          signalingFault: /^drachtio refused the secret \(for \d+ s\)$/,
          media: /^down$/,
          mediaFault: /^FreeSWITCH refused the password \(for \d+ s\)$/,
        },
        logged: /placed: drachtio refused the secret; FreeSWITCH refused the password"/,
        doctor: [
          /^fail {2}drachtio .*: it refuses/m,
          /^fail {2}freeswitch .*: it refuses/m,
          /^fail {2}signalingFault drachtio refused the secret/m,
          /^fail {2}mediaFault +FreeSWITCH refused the password/m,
        ],
      },
    ],
    [
      'servers that do not run',
      {
        settings: ({ DRACHTIO_URL, FREESWITCH_URL }) => ({
          DRACHTIO_URL: nowhere(DRACHTIO_URL),
          FREESWITCH_URL: nowhere(FREESWITCH_URL),
        }),
        status: 503,
        said: {
          signaling: /^down$/,
          signalingFault: /^no connection to drachtio/,
          media: /^down$/,
          mediaFault: /^no connection to FreeSWITCH/,
        },
        logged: /placed: no connection to drachtio; no connection to FreeSWITCH"/,
        doctor: [
          /^fail {2}drachtio .*ECONNREFUSED/m,
          /^fail {2}freeswitch .*ECONNREFUSED/m,
          /^fail {2}signalingFault no connection to drachtio/m,
          /^fail {2}mediaFault +no connection to FreeSWITCH/m,
        ],
      },
    ],
    [
      'a FreeSWITCH without our profile',
      {
        faults: { profile: 'internal' },
        status: 503,
        said: { mediaFault: /^FreeSWITCH has no profile drachtio_mrf: give it .* \(for \d+ s\)$/ },
        logged: /"message":"no call can be placed: FreeSWITCH has no profile drachtio_mrf/,
        doctor: [
          /^fail {2}profile .*there is no profile drachtio_mrf/m,
          /^fail {2}mediaFault +.*has no profile drachtio_mrf/m,
        ],
      },
    ],
    [
      'a FreeSWITCH without a module',
      {
        faults: { missingModules: ['mod_tone_stream'] },
        status: 503,
        said: { mediaFault: /^FreeSWITCH has not loaded mod_tone_stream: see freeswitch-conf/ },
        logged: /"message":"no call can be placed: FreeSWITCH has not loaded mod_tone_stream/,
        doctor: [
          /^fail {2}modules .*has not loaded mod_tone_stream$/m,
          /^fail {2}mediaFault +.*mod_tone_stream/m,
        ],
      },
    ],
    [
      'a FreeSWITCH that cannot connect back, before a call is lost',
      {
        // Nothing listens there.
        settings: () => ({ ...CALLBACK, MEDIA_CALLBACK_ADDRESS: '127.0.0.9' }),
        status: 503,
        said: {
          media: /^up$/,
          mediaFault: /does not connect back to 127\.0\.0\.9:\d+: check MEDIA.* \(for \d+ s\)$/,
        },
        logged: /"code":32013,"message":"FreeSWITCH takes calls and does not connect back to/,
        doctor: [/^fail {2}mediaFault +.*does not connect back to 127\.0\.0\.9/m],
      },
    ],
    [
      'an RTP address that is loopback, beside a drachtio that others reach',
      {
        sipHost: '0.0.0.0',
        faults: { extRtpAddress: '127.0.0.1' },
        status: 503,
        said: {
          media: /^up$/,
          mediaFault: /send their audio to 127\.0\.0\.1, which is each party/,
        },
        logged:
          /"code":32013,"message":"FreeSWITCH tells parties to send their audio to 127\.0\.0\.1/,
        doctor: [/^fail {2}SDP .*127\.0\.0\.1, which is each party/m, /^fail {2}mediaFault +/m],
      },
    ],
    [
      'an RTP address that no audio comes back from',
      {
        // Another one of this machine, at which the media server does not listen.
        faults: { extRtpAddress: '127.0.0.9' },
        status: 200,
        said: { media: /^up$/, audioFault: /^no audio comes back from 127\.0\.0\.9, where/ },
        logged: /"code":32013,"message":"no audio comes back from 127\.0\.0\.9, where/,
        doctor: [/^warn {2}audioFault +no audio comes back from 127\.0\.0\.9/m],
      },
    ],
    [
      'that there is no carrier',
      {
        status: 200,
        said: { media: /^up$/, carriers: /^none, so calls to telephone numbers fail$/ },
        to: '+12025550123',
        logged: /"code":32012,"message":"this server has no carrier"/,
        doctor: [/^warn {2}carriers .*none, so calls to telephone numbers fail/m],
      },
    ],
  ])('%s', async (_title, { sipHost, faults, settings, status, said, to, logged, doctor }) => {
    await using spoilt = faults === undefined ? undefined : await openFaultyServers(faults, sipHost)
    const env = { ...(spoilt ?? servers).env, ...settings?.(servers.env) }
    await using trunkline = await startTrunkline(env)
    const isSaid = ({ body }: Awaited<ReturnType<typeof readiness>>) =>
      Object.entries(said).every(([name, text]) => text.test(body[name] ?? ''))
    const ready = async () => {
      const now = await readiness(trunkline)
      return now.status === status && isSaid(now) ? 'said' : JSON.stringify(now)
    }
    await expect.poll(ready, POLL).toBe('said')
    const callee = to ?? 'sip:nobody@127.0.0.1:9'
    await loggedFault(trunkline, callee, logged)
    const { out } = await doctorOf(trunkline, env)
    for (const line of doctor) expect(out).toMatch(line)
  })
})

describe('/readyz', () => {
  it('tells of no fault where the callback and the RTP of the media server work', async () => {
    const right = { ...CALLBACK, MEDIA_CALLBACK_ADDRESS: '127.0.0.1' }
    await using trunkline = await startTrunkline({ ...servers.env, ...right })
    const ready = () => readiness(trunkline)
    await expect.poll(ready, POLL).toMatchObject({ status: 200, body: { media: 'up' } })
    const { body } = await ready()
    expect(Object.keys(body).filter((name) => name.endsWith('Fault'))).toEqual([])
  })
})
