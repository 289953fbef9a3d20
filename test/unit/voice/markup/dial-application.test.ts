import { expect, it } from 'vitest'
import { type ChildCallEnd, DialRefusedError } from '../../../../src/voice/markup/child-call.js'
import type { ApplicationCallRequest } from '../../../../src/voice/markup/host.js'
import { BASE, FakeCall, type Scenario } from './fake-host.js'

const SID = `AP${'1'.repeat(32)}`
const ENDED: ChildCallEnd = {
  status: 'completed',
  durationSeconds: 7,
  sipStatus: 200,
  sipCallId: undefined,
  sipHeaders: [],
}

/** Plays a document whose application's call lasts so long, or is refused with that number. */
async function play(
  body: string,
  { lastsMs = 1e9, refused }: { lastsMs?: number; refused?: 21205 | 21420 } = {},
  scenario: Scenario = {},
) {
  const requests: ApplicationCallRequest[] = []
  let hangups = 0
  const call: FakeCall = new FakeCall({
    ...scenario,
    documents: { [BASE]: body, 'http://app.example/after': '' },
    host: {
      callApplication: (request, onOver) => {
        if (refused !== undefined) return Promise.reject(new DialRefusedError(refused, 'no'))
        requests.push(request)
        const forget = call.time.at(call.time.now + lastsMs, () => {
          onOver(ENDED)
        })
        return Promise.resolve({
          sid: 'CA7',
          takeAway: () => undefined,
          release: () => undefined,
          hangup: () => {
            hangups += 1
            forget()
            onOver(ENDED)
          },
        })
      },
    },
  })
  const source = { type: 'url', request: { url: BASE, method: 'POST', params: {} } } as const
  await call.run(source)
  const asked = call.timeline.find((entry) => entry.includes('/after'))?.split(' ')[3]
  const action = Object.fromEntries(new URLSearchParams(asked))
  return { requests, hangups, timeline: call.timeline, log: call.log, action }
}

it('connects the caller, and tells the action how it went', async () => {
  const { requests, action } = await play(
    `<Dial action="/after" callerId="+15550001111"><Application customerId="c" statusCallback="/s"><ApplicationSid>${SID}</ApplicationSid><Parameter name="a" value="1"/></Application></Dial>`,
    { lastsMs: 2_000 },
  )
  expect(requests).toEqual([
    {
      sid: SID,
      callerId: '+15550001111',
      copyParentTo: false,
      customerId: 'c',
      parameters: { a: '1' },
      statusCallback: { url: 'http://app.example/s', method: 'POST', events: ['completed'] },
    },
  ])
  expect(action).toEqual({
    DialCallSid: 'CA7',
    DialCallStatus: 'completed',
    DialCallDuration: '7',
    DialBridged: 'true',
  })
})

it.each([21205, 21420] as const)('goes on when it is refused with %i', async (refused) => {
  const { log, action } = await play(
    `<Dial action="/after"><Application>${SID}</Application></Dial>`,
    { refused },
  )
  expect(action).toEqual({ DialCallStatus: 'failed', DialBridged: 'false' })
  expect(log).toContainEqual({ type: 'error', code: refused, message: 'Dial: no' })
})

it('parts them when their time is over, and at the star when told to', async () => {
  const limited = await play(
    `<Dial timeLimit="3"><Application>${SID}</Application></Dial><Say>x</Say>`,
  )
  expect(limited.timeline).toContain('3000 say x')
  const starred = await play(
    `<Dial hangupOnStar="true"><Application>${SID}</Application></Dial><Say>x</Say>`,
    {},
    {
      keys: [
        [1_000, '1'],
        [2_000, '*'],
      ],
    },
  )
  expect(starred.timeline).toContain('2000 say x')
})
