import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { endOrphanedChannels } from '../../../../../src/voice/telephony/freeswitch/end-orphaned-channels.js'
import { recordingLog } from '../../../../support/process/recording-log.js'

const id = (n: number) => `${String(n).padStart(8, '0')}-0000-0000-0000-000000000000`
const someone = createServer()
/** The second look follows the first at once. */
const search = {
  own: { host: '127.0.0.1', port: 5 },
  stop: new AbortController().signal,
  againMs: 0,
}
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
    const left = rows.filter(({ uuid }) => !kills.includes(uuid))
    if (name === 'show') return Promise.resolve(channels ?? JSON.stringify({ rows: left }))
    if (name === 'uuid_kill') kills.push(channel)
    return Promise.resolve(addresses[rows.findIndex(({ uuid }) => uuid === channel)] ?? '')
  }
  await endOrphanedChannels({ ...search, api, log: recordingLog().log })
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

/** A FreeSWITCH that lists these channels, look by look; each exists for two questions after its end. */
function freeswitch(looks: readonly (readonly string[])[]) {
  const asked: string[] = []
  let look = 0
  const api = ({ text }: { readonly text: string }): Promise<string> => {
    const [name = '', channel = ''] = text.split(' ')
    if (name === 'show') {
      const rows = (looks[look] ?? []).map((uuid) => ({ uuid }))
      look += 1
      asked.push(name)
      return Promise.resolve(JSON.stringify({ rows }))
    }
    if (name === 'uuid_getvar') return Promise.resolve(`127.0.0.1:${String(dead)}`)
    asked.push(text)
    const questions = asked.filter((one) => one === `uuid_exists ${channel}`).length
    return Promise.resolve(name === 'uuid_exists' && questions < 3 ? 'true' : 'false')
  }
  return { api, asked }
}

const end = (n: number) => [`uuid_kill ${id(n)}`, ...Array<string>(3).fill(`uuid_exists ${id(n)}`)]

it('waits until those have ended, since their recordings are written out meanwhile', async () => {
  const { api, asked } = freeswitch([[id(1)]])
  const { log, lines } = recordingLog()
  await endOrphanedChannels({ ...search, api, log })
  expect(asked).toEqual(['show', ...end(1), 'show'])
  expect(lines.filter(({ msg }) => msg !== 'ended an orphaned channel')).toEqual([])
})

it('waits also for those that appear after the first look', async () => {
  const { api, asked } = freeswitch([[], [id(2)]])
  await endOrphanedChannels({ ...search, api, log: recordingLog().log })
  expect(asked).toEqual(['show', 'show', ...end(2)])
})

it('looks again though the first look failed, and not when the server is gone', async () => {
  const { api, asked } = freeswitch([[id(3)], []])
  const stop = new AbortController()
  const { log, lines } = recordingLog()
  let isFirst = true
  await endOrphanedChannels({
    ...search,
    log,
    api: (command) => {
      if (!isFirst) return api(command)
      isFirst = false
      return Promise.reject(new Error('the media server does not answer'))
    },
  })
  expect(asked).toEqual(['show', ...end(3)])
  expect(lines.map(({ msg }) => msg)).toContain('could not end orphaned channels')
  stop.abort()
  await endOrphanedChannels({ ...search, api, log, stop: stop.signal, againMs: 60_000 })
  expect(asked.slice(5)).toEqual(['show'])
})
