import { expect, it } from 'vitest'
import { type Binding, toBindingRow } from '../../../../src/voice/registrar/binding.js'
import type { Codec } from '../../../../src/voice/telephony/codecs.js'
import { PLAN, setUpCalls } from '../../../support/voice/calls-fixture.js'

type Bench = Awaited<ReturnType<typeof setUpCalls>>

async function domain(
  t: Bench,
  name: string,
  { secure = false, codecs }: { secure?: boolean; codecs?: readonly Codec[] } = {},
): Promise<string> {
  const { sid } = await t.sip.domains.create(t.account.sid, name, {
    friendlyName: name,
    voice: {
      url: undefined,
      method: 'POST',
      fallbackUrl: undefined,
      fallbackMethod: 'POST',
      statusCallback: undefined,
      statusCallbackMethod: 'POST',
    },
    secure,
    sipRegistration: true,
    emergencyCallingEnabled: false,
    emergencyCallerSid: undefined,
    allowsAnyFrom: false,
    codecs,
    byocTrunkSid: undefined,
  })
  return sid
}

/** Registers alice at a domain, over this transport; `index` is the order of the contacts. */
async function register(t: Bench, domainSid: string, transport: string, index: number) {
  const now = t.clock.now()
  const binding: Binding = {
    sid: `RG${String(index).padStart(32, '0')}`,
    accountSid: t.account.sid,
    domainSid,
    username: 'alice',
    key: `uri:${String(index)}`,
    contactUri: `sip:alice@192.0.2.${String(index)}`,
    q: 1_000 - index,
    instanceId: undefined,
    regId: undefined,
    userAgent: undefined,
    callId: 'call',
    cseq: 1,
    source: { address: `192.0.2.${String(index)}`, port: 40_000, transport },
    isProbed: false,
    silentSince: undefined,
    server: 'signaling:9022',
    expiresAt: now + 60_000,
    createdAt: now,
    updatedAt: now,
  }
  await t.db.write((tx) => tx.insertInto('sip_bindings').values(toBindingRow(binding)).execute())
}

it('calls the users of a Secure domain over TLS and with SRTP, others as they registered, with the codecs of their domain', async () => {
  await using t = await setUpCalls()
  const open = await domain(t, 'open.example', { codecs: ['OPUS', 'PCMU'] })
  const secure = await domain(t, 'secure.example', { secure: true })
  await register(t, open, 'udp', 1)
  await register(t, secure, 'udp', 2)
  await register(t, secure, 'tls', 3)
  await t.calls.create(t.account, { to: 'client:alice', from: '+15551112222', plan: PLAN })
  const first = await t.telephony.leg(0)
  expect(first.request).toMatchObject({
    uri: 'sip:alice@192.0.2.1',
    proxy: 'sip:192.0.2.1:40000;transport=udp',
    isMediaSecure: false,
    codecs: ['OPUS', 'PCMU'],
  })
  first.end('unreachable', 503)
  const second = await t.telephony.leg(1)
  expect(second.request).toMatchObject({
    uri: 'sip:alice@192.0.2.3',
    proxy: 'sip:192.0.2.3:40000;transport=tls;ob',
    isMediaSecure: true,
    codecs: undefined,
  })
  second.end('unreachable', 503)
  expect(await t.completed()).toEqual(['initiated', 'failed'])
  expect(t.telephony.legs).toHaveLength(2)
})
