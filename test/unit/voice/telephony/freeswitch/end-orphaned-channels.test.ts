import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { endOrphanedChannels } from '../../../../../src/voice/telephony/freeswitch/end-orphaned-channels.js'
import { recordingLog } from '../../../../support/process/recording-log.js'

const id = (n: number) => `${String(n).padStart(8, '0')}-0000-0000-0000-000000000000`
const someone = createServer()
let live: number
let dead: number

beforeEach(async () => {
  const gone = createServer().listen(0, '127.0.0.1')
  someone.listen(0, '127.0.0.1')
  await Promise.all([once(gone, 'listening'), once(someone, 'listening')])
  // Both listen on TCP, so neither address is a path.
  dead = (gone.address() as AddressInfo).port
  live = (someone.address() as AddressInfo).port
  gone.close()
  await once(gone, 'close')
})
afterEach(() => {
  someone.close()
})

/** The channels that are killed, of those that connected to these addresses. */
async function killed(addresses: readonly string[], channels?: string): Promise<string[]> {
  const kills: string[] = []
  const rows = addresses.map((_, i) => ({ uuid: id(i) }))
  const api = ({ text }: { readonly text: string }): Promise<string> => {
    const [name, channel = ''] = text.split(' ')
    if (name === 'show') return Promise.resolve(channels ?? JSON.stringify({ rows }))
    if (name === 'uuid_kill') kills.push(channel)
    return Promise.resolve(addresses[rows.findIndex(({ uuid }) => uuid === channel)] ?? '')
  }
  await endOrphanedChannels(api, { host: '127.0.0.1', port: 5 }, recordingLog().log)
  return kills
}

it('ends what connected to a port of ours where nobody listens any more', async () => {
  expect(
    await killed([
      `127.0.0.1:${String(dead)}`,
      `127.0.0.1:${String(live)}`,
      '127.0.0.1:5',
      `192.0.2.1:${String(dead)}`,
      '_undef_',
      `127.0.0.1:${String(dead)}`,
    ]),
  ).toEqual([id(0), id(5)])
})

it.each(['{"row_count":0}', '{"rows":[{}]}', '[]', 'null'])('finds none in %s', async (list) => {
  expect(await killed([`127.0.0.1:${String(dead)}`], list)).toEqual([])
})

it('waits until those have ended, since their recordings are written out meanwhile', async () => {
  const asked: string[] = []
  const api = ({ text }: { readonly text: string }): Promise<string> => {
    const [name = ''] = text.split(' ')
    asked.push(name)
    if (name === 'show') return Promise.resolve(JSON.stringify({ rows: [{ uuid: id(1) }] }))
    if (name === 'uuid_exists')
      return Promise.resolve(asked.filter((one) => one === name).length < 3 ? 'true' : 'false')
    return Promise.resolve(`127.0.0.1:${String(dead)}`)
  }
  const { log, lines } = recordingLog()
  await endOrphanedChannels(api, { host: '127.0.0.1', port: 5 }, log)
  expect(asked.slice(-4)).toEqual(['uuid_kill', 'uuid_exists', 'uuid_exists', 'uuid_exists'])
  expect(lines.filter(({ msg }) => msg !== 'ended an orphaned channel')).toEqual([])
})
