import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Lab } from '../../src/lab/start-lab.js'
import { MediaConnection } from '../../src/voice/telephony/freeswitch/media-connection.js'
import { parseServerUrl } from '../../src/voice/telephony/server-url.js'
import { percentilesOf } from '../bench/percentiles.js'
import { openLab } from '../support/media/lab.js'
import { TelephonyRig } from '../support/media/telephony-rig.js'
import { recordingLog } from '../support/process/recording-log.js'
import { reportRow } from '../support/rows/rows.js'

const CALLS = 200
/** The commands on each connection during a call. */
const COMMANDS = 5
const LIMIT_MS = 5

let lab: Lab
let rig: TelephonyRig
let login: MediaConnection

beforeAll(async () => {
  lab = await openLab()
  rig = await TelephonyRig.open(lab)
  const media = {
    server: parseServerUrl(lab.freeswitchUrl),
    listenAddress: '127.0.0.1',
    advertisedAddress: undefined,
    localNetworks: [],
    onFault: () => undefined,
    log: recordingLog().log,
  }
  login = await MediaConnection.open(media, new AbortController().signal)
})
afterAll(async () => {
  await login.close()
  await rig.close()
  await lab[Symbol.asyncDispose]()
})

/** The time that a command takes until its answer is read, in milliseconds. */
async function roundTrip(command: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await command()
  return performance.now() - startedAt
}

it('a command of each of 200 calls is answered within 5 ms [F52]', async ({ task }) => {
  const byChannel: number[] = []
  const byLogin: number[] = []
  for (let call = 0; call < CALLS; call++) {
    const { leg } = await rig.dialed()
    for (let turn = 0; turn < COMMANDS; turn++) {
      byChannel.push(await roundTrip(() => leg.media.setVariable('turn', String(turn))))
      byLogin.push(await roundTrip(() => login.rooms.api({ type: 'api', text: 'create_uuid' })))
    }
    await rig.clear()
  }
  const [channel, server] = [percentilesOf(byChannel), percentilesOf(byLogin)]
  const shown = ({ p50, p95, max }: typeof channel) =>
    [p50, p95, max].map((ms) => ms.toFixed(2)).join(', ')
  reportRow(task, 'F52', {
    calls: CALLS,
    'commands on each connection': channel.count,
    "on the channel's connection, p50, p95, max ms": shown(channel),
    "on the server's connection, p50, p95, max ms": shown(server),
  })
  expect(channel.count).toBe(CALLS * COMMANDS)
  expect(channel.p95).toBeLessThan(LIMIT_MS)
  expect(server.p95).toBeLessThan(LIMIT_MS)
})
