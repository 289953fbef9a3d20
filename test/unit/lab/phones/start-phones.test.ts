import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Phones, startPhones } from '../../../../src/lab/phones/start-phones.js'
import type { SipStack } from '../../../../src/lab/sip/model/stack-types.js'
import { createUserAgent } from '../../../../src/lab/sip/user-agent/user-agent.js'
import type { UserAgent } from '../../../../src/lab/sip/user-agent/user-agent-types.js'
import { createLogger } from '../../../../src/platform/log.js'
import { type FakeEndpoint, FakeEngine } from '../../../support/media/fake-media-engine.js'
import {
  openProbe,
  PROBE_SDP,
  ProbeCall,
  SDP_TYPE_LINE,
  type SipProbe,
} from '../../../support/sip/sip-probe.js'
import { contactOf, eventually, openStack } from '../../../support/sip/sip-stacks.js'

const PACE = 0.02
const log = createLogger('silent')
const HELLO = new Int16Array(80)

let stack: SipStack
let userAgent: UserAgent
let media: FakeEngine
let phones: Phones
let probe: SipProbe
beforeEach(async () => {
  stack = await openStack()
  userAgent = createUserAgent(stack, { log })
  media = new FakeEngine()
  phones = phonesWith({})
  probe = await openProbe('udp', contactOf(stack, 'udp'))
})
afterEach(async () => {
  await phones[Symbol.asyncDispose]()
  await userAgent[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
  await probe[Symbol.asyncDispose]()
})

function phonesWith(options: Partial<Parameters<typeof startPhones>[0]>): Phones {
  return startPhones({
    userAgent,
    media,
    mediaAddress: '127.0.0.1',
    log,
    pace: PACE,
    speak: (sentences) => Promise.resolve(sentences.map(() => HELLO)),
    ...options,
  })
}

function dial(last: string, body = PROBE_SDP): ProbeCall {
  const call = new ProbeCall(probe, contactOf(stack, 'udp'), `+1500555${last}`)
  call.request('INVITE', body === '' ? [] : [SDP_TYPE_LINE], body)
  return call
}

async function connect(last: string): Promise<{ call: ProbeCall; endpoint: FakeEndpoint }> {
  const call = dial(last)
  await call.answered('200')
  call.request('ACK')
  return { call, endpoint: await eventually(() => media.endpoints[0]) }
}

async function hangUp(call: ProbeCall): Promise<void> {
  call.request('BYE')
  await eventually(() => phones.callCount() === 0 && userAgent.dialogCount() === 0)
  expect(media.endpoints.every(({ isClosed }) => isClosed)).toBe(true)
}

describe('the phones', () => {
  it.each([
    ['0005', '486'],
    ['0006', '603'],
    ['0011', '404'],
    ['0099', '404'],
  ])('%s says no with %s', async (last, status) => {
    const call = dial(last)
    await call.answered(status)
    call.request('ACK')
    await eventually(() => phones.callCount() === 0)
    expect(media.endpoints).toEqual([])
  })

  it('refuses what is no number of theirs', async () => {
    const call = new ProbeCall(probe, contactOf(stack, 'udp'), 'anna')
    call.request('INVITE', [SDP_TYPE_LINE], PROBE_SDP)
    await call.answered('404')
    call.request('ACK')
    await eventually(() => phones.callCount() === 0)
  })

  it('0001 rings, answers and says a sentence', async () => {
    const { call, endpoint } = await connect('0001')
    await probe.receive('SIP/2.0 180')
    await eventually(() => endpoint.played.length > 0)
    expect(endpoint.played).toEqual([{ type: 'samples', pcm: HELLO }])
    expect(endpoint.remote).toMatchObject({ port: 40_000, codec: 'PCMU', dtmfPayloadType: 101 })
    await hangUp(call)
  })

  it('0002 stays silent', async () => {
    const { call, endpoint } = await connect('0002')
    await hangUp(call)
    expect(endpoint.played).toEqual([])
  })

  it('0003 echoes', async () => {
    const { call, endpoint } = await connect('0003')
    await eventually(() => endpoint.calls.includes('echo true'))
    await hangUp(call)
  })

  it('0004 presses 4, and 2 when the next prompt has been heard', async () => {
    await phones[Symbol.asyncDispose]()
    phones = phonesWith({ pace: 1 })
    const { call, endpoint } = await connect('0004')
    await eventually(() => endpoint.calls.includes('watchLevel 700'))
    endpoint.talk(true)
    endpoint.talk(false)
    await eventually(() => endpoint.calls.includes('sendDigits 4'))
    endpoint.talk(true)
    expect(endpoint.calls).not.toContain('sendDigits 2')
    endpoint.talk(false)
    await eventually(() => endpoint.calls.includes('sendDigits 2'))
    await hangUp(call)
  })

  it('0004 presses both when nobody says anything', async () => {
    const { call, endpoint } = await connect('0004')
    await eventually(() => endpoint.calls.includes('sendDigits 2'))
    expect(endpoint.calls.filter((each) => each.startsWith('sendDigits'))).toEqual([
      'sendDigits 4',
      'sendDigits 2',
    ])
    await hangUp(call)
  })

  it('0007 rings until the caller gives up', async () => {
    const call = dial('0007')
    await call.answered('180')
    call.request('CANCEL')
    await call.answered('487')
    await eventually(() => phones.callCount() === 0)
  })

  it('0008 answers late', async () => {
    const { call } = await connect('0008')
    await hangUp(call)
  })

  it('0009 hangs up', async () => {
    await connect('0009')
    const bye = await probe.receive('BYE')
    bye.reply('200 OK')
    await eventually(() => phones.callCount() === 0 && userAgent.dialogCount() === 0)
  })

  it('0010 greets and beeps', async () => {
    const { call, endpoint } = await connect('0010')
    await eventually(() => endpoint.played.length === 2)
    expect(endpoint.played[1]).toEqual({ type: 'tone', script: '%(500,0,1000)' })
    await hangUp(call)
  })

  it('0012 sends fax tones', async () => {
    const { call, endpoint } = await connect('0012')
    await eventually(() => endpoint.played.length === 1)
    expect(endpoint.played[0]).toEqual({ type: 'tone', script: '%(3000,75,2100)' })
    await hangUp(call)
  })

  it('0013 says yes once the prompt has been quiet', async () => {
    await phones[Symbol.asyncDispose]()
    phones = phonesWith({ pace: 1 })
    const { call, endpoint } = await connect('0013')
    await eventually(() => endpoint.calls.includes('watchLevel 700'))
    endpoint.talk(true)
    expect(endpoint.played).toEqual([])
    endpoint.talk(false)
    await eventually(() => endpoint.played.length === 1)
    await hangUp(call)
  })

  it('answer an INVITE without an offer with one, and take the answer from the ACK', async () => {
    const call = dial('0002', '')
    const ok = await call.answered('200')
    expect(ok.body).toContain('m=audio 30002 RTP/AVP 0 8 101')
    call.request('ACK', [SDP_TYPE_LINE], PROBE_SDP)
    const endpoint = await eventually(() => media.endpoints[0])
    await eventually(() => endpoint.remote !== undefined)
    await hangUp(call)
  })

  it('refuse an offer they cannot speak', async () => {
    const call = dial('0002', PROBE_SDP.replace('RTP/AVP 0 101', 'RTP/AVP 18'))
    await call.answered('488')
    call.request('ACK')
    await eventually(() => phones.callCount() === 0)
    expect(media.endpoints[0]?.isClosed).toBe(true)
  })

  it('are put on hold', async () => {
    const { call, endpoint } = await connect('0002')
    call.request('INVITE', [SDP_TYPE_LINE], PROBE_SDP.replace('sendrecv', 'sendonly'))
    const ok = await call.answered('200')
    expect(ok.body).toContain('a=recvonly')
    expect(ok.body).toMatch(/^o=- \d+ 2 /m)
    await eventually(() => endpoint.remote?.direction === 'recvonly')
    call.request('ACK')
    await hangUp(call)
  })

  it('hang up when the caller stays too long', async () => {
    await phones[Symbol.asyncDispose]()
    phones = phonesWith({ callLimitMs: 20 })
    await connect('0002')
    const bye = await probe.receive('BYE')
    bye.reply('200 OK')
    await eventually(() => phones.callCount() === 0)
  })

  it('write down what they hear', async () => {
    await phones[Symbol.asyncDispose]()
    phones = phonesWith({ recordingsDir: '/recordings' })
    const { call, endpoint } = await connect('0002')
    await eventually(() => endpoint.calls.includes('record /recordings/15005550002-1.wav mono'))
    await hangUp(call)
  })

  it('sound a tone when there is no speech', async () => {
    await phones[Symbol.asyncDispose]()
    phones = phonesWith({ speak: () => Promise.reject(new Error('no voice')) })
    const { call, endpoint } = await connect('0001')
    await eventually(() => endpoint.played.length === 1)
    expect(endpoint.played[0]).toMatchObject({ type: 'tone' })
    await hangUp(call)
  })

  it('say goodbye to everybody when they are stopped', async () => {
    const { endpoint } = await connect('0001')
    const stopping = phones[Symbol.asyncDispose]()
    const bye = await probe.receive('BYE')
    bye.reply('200 OK')
    await stopping
    expect(endpoint.isClosed).toBe(true)
  })
})
