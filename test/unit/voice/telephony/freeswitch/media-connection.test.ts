import { Socket } from 'node:net'
import type { UacOptions } from 'drachtio-srf'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deferred } from '../../../../../src/platform/async/deferred.js'
import { AdapterError } from '../../../../../src/platform/errors.js'
import { EndpointRefusedError } from '../../../../../src/voice/telephony/freeswitch/channel-maker.js'
import { breakCommand } from '../../../../../src/voice/telephony/freeswitch/command-builder.js'
import type { Uac } from '../../../../../src/voice/telephony/freeswitch/endpoint-dialog.js'
import { MediaConnection } from '../../../../../src/voice/telephony/freeswitch/media-connection.js'
import type { MediaEndpoint } from '../../../../../src/voice/telephony/freeswitch/media-endpoint.js'
import { play } from '../../../../../src/voice/telephony/freeswitch/playback.js'
import { PlaybackError } from '../../../../../src/voice/telephony/leg-media.js'
import { LegEndedError } from '../../../../../src/voice/telephony/port.js'
import { FakeFreeswitch } from '../../../../support/media/fake-freeswitch.js'
import { recordingLog } from '../../../../support/process/recording-log.js'
import { waitUntil } from '../../../../support/time/wait-until.js'

const TONE = { type: 'tone', frequencies: [440], onMs: 1, offMs: 0, repeat: 1 } as const
const { log, lines } = recordingLog()
let fake: FakeFreeswitch
let media: MediaConnection

const open = (secret = 'secret', signal = new AbortController().signal) =>
  MediaConnection.open(
    {
      server: { host: '127.0.0.1', port: fake.port, secret, weight: 1 },
      listenAddress: '127.0.0.1',
      advertisedAddress: undefined,
      localNetworks: [],
      onFault: () => undefined,
      log,
    },
    signal,
  )
const createEndpoint = (onLost = () => undefined): Promise<MediaEndpoint> =>
  media.createEndpoint({ uac: fake.uac, events: { onDigit: () => undefined, onLost } })
const executed = () => fake.commands.filter((command) => command.startsWith('sendmsg'))
const breaks = () => fake.commands.filter((command) => command.startsWith('api uuid_break')).length
const eventUuid = (command: string | undefined) =>
  /Event-UUID: (\S+)/.exec(command ?? '')?.[1] ?? ''
const complete = (command: string | undefined, response: string) => {
  fake.fire({
    'Event-Name': 'CHANNEL_EXECUTE_COMPLETE',
    'Application-UUID': eventUuid(command),
    'Application-Response': response,
  })
}

beforeEach(async () => {
  lines.length = 0
  fake = await FakeFreeswitch.open()
  media = await open()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await media.close()
  await fake.close()
})

describe('logging in', () => {
  it('says when the password is wrong', async () => {
    await expect(open('other')).rejects.toMatchObject({ fault: 'wrong-secret' })
  })

  it('says when nobody listens', async () => {
    const { port } = fake
    await media.close()
    await fake.close()
    fake = await FakeFreeswitch.open()
    if (fake.port !== port)
      await expect(
        MediaConnection.open(
          {
            server: { host: '127.0.0.1', port, secret: 'x', weight: 1 },
            listenAddress: '127.0.0.1',
            advertisedAddress: undefined,
            localNetworks: [],
            onFault: () => undefined,
            log,
          },
          new AbortController().signal,
        ),
      ).rejects.toMatchObject({ fault: 'unreachable' })
  })

  it('stops when told to', async () => {
    const stop = new AbortController()
    const opening = open('secret', stop.signal)
    stop.abort()
    await expect(opening).rejects.toThrow()
  })
})

describe('commands', () => {
  it('leave without delay, on the login and on each channel', async () => {
    const setNoDelay = vi.spyOn(Socket.prototype, 'setNoDelay')
    const second = await open()
    expect(setNoDelay.mock.calls).toContainEqual([true])
    const before = setNoDelay.mock.contexts.length
    await createEndpoint()
    const accepted = setNoDelay.mock.contexts.slice(before)
    const channelPort = fake.channels[0]?.localPort
    expect(accepted.some((socket) => (socket as Socket).remotePort === channelPort)).toBe(true)
    await second.close()
  })

  it('leave in one write each', async () => {
    const endpoint = await createEndpoint()
    const write = vi.spyOn(Socket.prototype, 'write')
    const playing = play(endpoint, TONE, new AbortController().signal, log)
    const frames = write.mock.calls.map(([chunk]) => String(chunk))
    expect(frames.filter((frame) => frame.includes('playback'))).toHaveLength(1)
    expect(frames.find((frame) => frame.includes('playback'))).toMatch(/^sendmsg [^]*\n\n$/)
    await waitUntil('the command arrives', () => executed().length === 1)
    complete(executed()[0], 'FILE PLAYED')
    await playing
  })

  it('of a new channel: its filter before any event, defaults, and nothing that waits', async () => {
    const endpoint = await createEndpoint()
    await waitUntil('the defaults arrive', () =>
      fake.channelCommands.some((command) => command.startsWith('api uuid_setvar_multi')),
    )
    expect(fake.channelCommands.slice(0, -1)).toEqual([
      'connect',
      `filter Unique-ID ${endpoint.uuid}`,
      'event json CHANNEL_EXECUTE_COMPLETE DTMF',
    ])
    expect(fake.channelCommands.at(-1)).toContain('app_disable_expand_variables=true')
  })

  it('leave the defaults to the dialplan that has set them', async () => {
    fake.variables = {
      app_disable_expand_variables: 'true',
      park_after_bridge: 'true',
      hangup_after_bridge: 'false',
      hold_hangup_xfer_exten: 'park:inline',
      socket_resume: 'true',
    }
    const endpoint = await createEndpoint()
    await endpoint.api(breakCommand(endpoint.uuid))
    expect(fake.channelCommands.slice(3)).toEqual([`api ${breakCommand(endpoint.uuid).text}`])
  })

  it('ask for more events when an operation needs them, once', async () => {
    const endpoint = await createEndpoint()
    const parked = [endpoint.nextEvent('CHANNEL_PARK'), endpoint.nextEvent('CHANNEL_PARK')]
    endpoint.onRoomEvent(() => undefined)()
    endpoint.onPlaybackStart(() => undefined)()
    await endpoint.api(breakCommand(endpoint.uuid))
    expect(fake.channelCommands.filter((command) => command.startsWith('event '))).toEqual([
      'event json CHANNEL_EXECUTE_COMPLETE DTMF',
      'event json CHANNEL_PARK',
      'event json CUSTOM conference::maintenance',
      'event json PLAYBACK_START',
    ])
    fake.fire({ 'Event-Name': 'CHANNEL_PARK' })
    await Promise.all(parked)
  })
})

describe('what FreeSWITCH says', () => {
  it('may carry a stray percent sign', async () => {
    // The fake's CHANNEL_DATA does.
    const endpoint = await createEndpoint()
    expect(endpoint.localSdp).toContain('m=audio 3000')
  })

  it('may be nonsense without ending the process or the conversation', async () => {
    const endpoint = await createEndpoint()
    fake.channels[0]?.write('Content-Type: text/event-json\nContent-Length: 3\n\n{{{')
    const playing = play(endpoint, TONE, new AbortController().signal, log)
    await waitUntil('the command arrives', () => executed().length === 1)
    complete(executed()[0], 'FILE PLAYED')
    await playing
  })

  it('without end closes the connection', async () => {
    let isLost = false
    await createEndpoint(() => {
      isLost = true
      return undefined
    })
    fake.channels[0]?.write('x'.repeat(5 * 1024 * 1024))
    await waitUntil('the channel is lost', () => isLost)
  })
})

describe('a channel that FreeSWITCH refuses with 488', () => {
  const OFFER = [
    ...['v=0', 'o=- 1 1 IN IP4 192.0.2.1', 's=-', 'c=IN IP4 192.0.2.1', 't=0 0'],
    ...['m=audio 4000 RTP/AVP 0 101', 'a=rtpmap:0 PCMU/8000', ''],
  ].join('\r\n')
  const refused = async (sdp: string, security: 'plain' | 'secure' = 'plain') => {
    fake.refusal = 488
    const peer = { sdp, from: '192.0.2.1', security }
    const events = { onDigit: () => undefined, onLost: () => undefined }
    return await media.createEndpoint({ uac: fake.uac, events, peer }).catch((e: unknown) => e)
  }

  it.each([
    ['plain G.711', OFFER],
    ['plain G.711 in packets of 30 ms', `${OFFER}a=ptime:30\r\n`],
  ])('has no audio left when the offer is %s', async (_title, sdp) => {
    const error = await refused(sdp)
    expect(error).toBeInstanceOf(AdapterError)
    expect(error).not.toBeInstanceOf(EndpointRefusedError)
    expect(error).toMatchObject({ isRetryable: true })
  })

  it('has no audio left when the offer is its own', async () => {
    fake.refusal = 488
    const error = await createEndpoint().catch((e: unknown) => e)
    expect(error).toBeInstanceOf(AdapterError)
    expect(error).not.toBeInstanceOf(EndpointRefusedError)
  })

  it.each([
    ['is for IPv6', OFFER.replace('c=IN IP4 192.0.2.1', 'c=IN IP6 2001:db8::1')],
    ['has no address', OFFER.replace('c=IN IP4 192.0.2.1\r\n', '')],
    ['has a name for an address', OFFER.replace('c=IN IP4 192.0.2.1', 'c=IN IP4 host.example')],
    ['has no such port', OFFER.replace('4000', '70000')],
    ['has packets of an hour', `${OFFER}a=ptime:3600000\r\n`],
  ])('may be right when the offer %s', async (_title, sdp) => {
    expect(await refused(sdp)).toMatchObject({ name: 'EndpointRefusedError', sipStatus: 488 })
  })

  it('may be right when the offer is encrypted', async () => {
    expect(await refused(OFFER, 'secure')).toMatchObject({ sipStatus: 488 })
  })
})

describe('a playback', () => {
  it('fails as FreeSWITCH says', async () => {
    const endpoint = await createEndpoint()
    const playing = play(endpoint, TONE, new AbortController().signal, log)
    await waitUntil('the command arrives', () => executed().length === 1)
    complete(executed()[0], 'FILE NOT FOUND')
    await expect(playing).rejects.toThrow(PlaybackError)
  })

  it('is broken as soon as it is aborted, and over when FreeSWITCH says so', async () => {
    const endpoint = await createEndpoint()
    const abort = new AbortController()
    const playing = play(endpoint, TONE, abort.signal, log)
    await waitUntil('the command arrives', () => executed().length === 1)
    abort.abort(new Error('barge-in'))
    await waitUntil('the break arrives', () => breaks() === 1)
    complete(executed()[0], 'FILE PLAYED')
    await expect(playing).rejects.toThrow('barge-in')
  })

  it('that was aborted before it began is broken again when it begins, and not after its end', async () => {
    const endpoint = await createEndpoint()
    const abort = new AbortController()
    const playing = play(endpoint, TONE, abort.signal, log)
    await waitUntil('the command arrives', () => executed().length === 1)
    abort.abort(new Error('barge-in'))
    await waitUntil('the break arrives', () => breaks() === 1)
    // FreeSWITCH forgets a break that comes before it has opened the file.
    const started = { 'Event-Name': 'PLAYBACK_START' }
    fake.fire(started)
    await waitUntil('the break arrives again', () => breaks() === 2)
    complete(executed()[0], 'FILE PLAYED')
    await expect(playing).rejects.toThrow('barge-in')
    fake.fire(started)
    await endpoint.api(breakCommand(endpoint.uuid))
    expect(breaks()).toBe(3)
  })

  it('that nobody aborts is not broken when it begins', async () => {
    const endpoint = await createEndpoint()
    const playing = play(endpoint, TONE, new AbortController().signal, log)
    await waitUntil('the command arrives', () => executed().length === 1)
    fake.fire({ 'Event-Name': 'PLAYBACK_START' })
    complete(executed()[0], 'FILE PLAYED')
    await playing
    expect(breaks()).toBe(0)
  })

  it('that was aborted does not wait for a server that never says so', async () => {
    const endpoint = await createEndpoint()
    const abort = new AbortController()
    const playing = play(endpoint, TONE, abort.signal, log)
    await waitUntil('the command arrives', () => executed().length === 1)
    abort.abort(new Error('barge-in'))
    await expect(playing).rejects.toThrow('barge-in')
  })

  it('ends with its channel', async () => {
    const endpoint = await createEndpoint()
    const playing = play(endpoint, TONE, new AbortController().signal, log)
    await waitUntil('the command arrives', () => executed().length === 1)
    fake.channels[0]?.destroy()
    await expect(playing).rejects.toThrow(LegEndedError)
    await expect(play(endpoint, TONE, new AbortController().signal, log)).rejects.toThrow(
      LegEndedError,
    )
  })

  it('that was aborted before sends nothing', async () => {
    const endpoint = await createEndpoint()
    const aborted = AbortSignal.abort(new Error('too late'))
    await expect(play(endpoint, TONE, aborted, log)).rejects.toThrow('too late')
    expect(executed()).toEqual([])
  })
})

describe('a channel', () => {
  it('is counted until it is released, and released once', async () => {
    const endpoint = await createEndpoint()
    expect(media.load.channels).toBe(1)
    await Promise.all([endpoint.release(), endpoint.release()])
    expect(media.load.channels).toBe(0)
    await waitUntil('its connection is gone', () => fake.channels[0]?.closed === true)
  })

  it('that FreeSWITCH ends is reported once', async () => {
    let losses = 0
    await createEndpoint(() => {
      losses += 1
      return undefined
    })
    fake.fire({ 'Event-Name': 'CHANNEL_CALLSTATE', 'Channel-Call-State': 'HANGUP' })
    fake.channels[0]?.end()
    await waitUntil('it is lost', () => losses > 0)
    await waitUntil('its connection is gone', () => fake.channels[0]?.closed === true)
    expect(losses).toBe(1)
  })
})

it('channels that are asked for and not made count as the delay, until they are made', async () => {
  expect(media.channelLoad.delayMs).toBe(0)
  const held = deferred()
  const uac = {
    createUAC: async (uri: string, options: UacOptions) => {
      await held.done
      return await fake.uac.createUAC(uri, options)
    },
  } as Uac
  const events = { onDigit: () => undefined, onLost: () => undefined }
  const asked = Array.from({ length: 4 }, () => media.createEndpoint({ uac, events }))
  await waitUntil('they are late', () => media.channelLoad.delayMs > 20)
  held.resolve()
  await Promise.all(asked)
  // The times of those that were made count for a second.
  expect(media.channelLoad.delayMs).toBeGreaterThan(20)
  await waitUntil('they are forgotten', () => media.channelLoad.delayMs === 0)
})

it('a burst of calls that wait for their endpoints is not taken for a leak', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  const endpoints = Array.from({ length: 60 }, () => createEndpoint())
  await media.close()
  await Promise.allSettled(endpoints)
  // Warnings are emitted on the next tick.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', onWarning)
  expect(warnings.map(({ name }) => name)).not.toContain('MaxListenersExceededWarning')
})
