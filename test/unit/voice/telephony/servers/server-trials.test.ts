import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AdapterError } from '../../../../../src/platform/errors.js'
import type { Uac } from '../../../../../src/voice/telephony/freeswitch/endpoint-dialog.js'
import {
  ServerTrials,
  type TrialServer,
} from '../../../../../src/voice/telephony/servers/server-trials.js'
import { recordingLog } from '../../../../support/process/recording-log.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const AGAIN_MS = 10_000

/** A channel that a trial makes and releases, without audio. */
const ENDPOINT = {
  localSdp: '',
  execute: () => Promise.reject(new Error('nothing is executed')),
  release: () => Promise.resolve(undefined),
}

/** A media server that refuses its first trials. */
function refusing(times: number) {
  let tried = 0
  const createEndpoint = () => {
    tried += 1
    return tried <= times
      ? Promise.reject(new AdapterError('the media server is full'))
      : Promise.resolve(ENDPOINT)
  }
  const connection: TrialServer = {
    name: 'media',
    fault: undefined,
    rtpAddress: undefined,
    ends: { localAddress: undefined, remoteAddress: undefined },
    createEndpoint,
  }
  const { log, lines } = recordingLog()
  const trials = new ServerTrials({
    connections: () => [connection],
    uac: () => ({}) as Uac,
    isTriedFirst: true,
    onChange: () => undefined,
    log,
  })
  /** Lets the interval pass, and what it began end. */
  const next = async () => {
    await vi.advanceTimersByTimeAsync(AGAIN_MS)
    return tried
  }
  return { trials, next, tried: () => tried, lines }
}

it('makes a trial again that could not be made, until it could', async () => {
  const { trials, next, tried } = refusing(2)
  using _ = trials
  trials.look()
  expect(tried()).toBe(1)
  expect([await next(), await next(), await next(), await next()]).toEqual([2, 3, 3, 3])
})

it('tries a server once where the first trial could be made', async () => {
  const { trials, next, tried } = refusing(0)
  using _ = trials
  trials.look()
  trials.look()
  expect(tried()).toBe(1)
  expect(await next()).toBe(1)
})

it('logs the first of several failures', async () => {
  const { trials, next, lines } = refusing(3)
  using _ = trials
  trials.look()
  await next()
  await next()
  expect(lines.filter(({ msg }) => msg === 'a media server could not be tried')).toHaveLength(1)
})
