/** Checks the running server: its readiness, and whether it takes these credentials. */

import { ServerRefusedError } from '../servers/send.js'
import { OperatorServer, operatorTarget, voiceTarget } from '../servers/target.js'
import { VoiceServer } from '../servers/voice-server.js'
import { UsageError } from '../surroundings.js'
import type { Facts } from './facts.js'
import { type Finding, fail, ok, warn } from './finding.js'

const ADVICE: Readonly<Record<string, string>> = {
  disk: 'make room on the disk of DATA_DIR',
  calls: 'it was told to stop: start it again when its calls have ended',
  signaling: 'check DRACHTIO_URL, and that drachtio runs; see the server’s log',
  signalingFault: 'check DRACHTIO_URL and docker/drachtio.conf.xml; see docs/real-servers.md',
  mediaFault:
    'check FREESWITCH_URL, MEDIA_CALLBACK_ADDRESS and freeswitch-conf/; see docs/real-servers.md',
  audioFault:
    'compare RTP_IP and EXT_RTP_IP of FreeSWITCH with its network; see docs/real-servers.md',
  carriers:
    'the lines of the carriers say why; without one, calls cannot leave this system: docs/sip-trunks.md',
  media: 'check FREESWITCH_URL, and that FreeSWITCH runs; see the server’s log',
}
const FIT = ['up', 'ok', 'taken']
/** Faults that break some calls but not the server's readiness. */
const DOUBTS = ['audioFault', 'carriers']

/** True for `ok`, and for `sqlite ok`, which names what is fit. */
const isFit = (name: string, state: string): boolean =>
  name === 'carriers' ? !/\b(none|down)\b/.test(state) : FIT.includes(state.split(' ').at(-1) ?? '')

export async function checkServer(facts: Facts): Promise<readonly Finding[]> {
  const { readiness, url } = facts
  if (readiness === undefined)
    return [
      warn(
        'server',
        `no server answers at ${url}`,
        'start it with `trunkline start`, or name another with --url',
      ),
    ]
  const parts = Object.entries(readiness.detail).map(([name, state]) =>
    isFit(name, state)
      ? ok(name, state)
      : state === 'connecting'
        ? warn(name, state, 'a server that has just started connects within seconds: ask again')
        : (DOUBTS.includes(name) ? warn : fail)(
            name,
            state,
            ADVICE[name] ?? 'see the log of the server',
          ),
  )
  const head = readiness.isReady
    ? ok('server', `ready at ${url}`)
    : warn('server', `not ready at ${url}`, 'the lines below say which part')
  return [head, ...parts, await checkAccount(facts), await checkOperator(facts)]
}

async function checkAccount({ flags, env }: Facts): Promise<Finding> {
  return asked('account', async () => {
    const server = new VoiceServer(voiceTarget(flags, env))
    const { status } = await server.get<{ status: string }>('.json')
    return ok('account', `${server.accountSid} is ${status}`)
  })
}

async function checkOperator({ flags, env }: Facts): Promise<Finding> {
  return asked('operator', async () => {
    const server = new OperatorServer(operatorTarget(flags, env))
    const { numbers } = await server.ask<{ numbers: Numbered[] }>('GET', '/numbers')
    const silent = numbers.filter(({ voiceUrl }) => voiceUrl === undefined || voiceUrl === null)
    const text = `the admin token is right; ${numbers.length} phone numbers`
    return silent.length === 0
      ? ok('operator', text)
      : warn(
          'operator',
          `${text}, ${silent.length} without a voice URL, such as ${silent[0]?.number ?? ''}`,
          'calls to them are refused: trunkline numbers assign NUMBER --voice-url URL',
        )
  })
}

interface Numbered {
  readonly number: string
  readonly voiceUrl?: string | null
}

async function asked(subject: string, ask: () => Promise<Finding>): Promise<Finding> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof UsageError) return warn(subject, 'not asked', error.message)
    if (!(error instanceof ServerRefusedError)) throw error
    const isDenied = error.status === 401 || error.status === 403
    return isDenied
      ? fail(subject, error.message, 'the credentials are of another server, or were changed')
      : fail(subject, error.message, 'see the log of the server')
  }
}
