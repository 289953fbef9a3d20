import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { TelephonyRig } from '../support/media/telephony-rig.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'

/** The challenge that is answered, where it differs from realm "test", nonce "n1" and MD5. */
interface Answered {
  readonly realm?: string
  readonly nonce?: string
  readonly algorithm?: string
  readonly opaque?: string
}

export function describeCredentials(rig: () => TelephonyRig): void {
  describe('dialling with credentials', () => {
    // RFC 8760 §2.4: the topmost challenge is answered of those whose algorithm is known.
    it.each([
      ['by RFC 2069', ['Digest realm="test", nonce="n1", algorithm=MD5'], {}],
      [
        'with SHA-256',
        ['Digest realm="test", nonce="n1", algorithm=SHA-256, qop="auth"'],
        { algorithm: 'SHA-256' },
      ],
      [
        'in several ways',
        [
          'Digest realm="test", nonce="n1", algorithm=SHA-512-256, qop="auth", opaque="o1"',
          'Digest realm="test", nonce="n2", algorithm=SHA-256, qop="auth-int,auth", opaque="o2"',
          'Digest realm="test", nonce="n3", algorithm=MD5',
        ],
        { algorithm: 'SHA-256', nonce: 'n2', opaque: 'o2' },
      ],
      ['in an unusual spelling', ['DIGEST Realm = "test" ,NONCE="n1", , Algorithm="md5"'], {}],
      [
        'by a realm with commas and quotes',
        [String.raw`Digest realm="te, \"s\" t", nonce="n=1,2"`],
        { realm: 'te, "s" t', nonce: 'n=1,2' },
      ],
    ])('shows its credentials when asked %s', async (_title, challenges, answered) => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer, { auth: { username: 'ann', password: 'secret' } })
      const call = await peer.nextCall()
      const headers = challenges.map((each): [string, string] => ['WWW-Authenticate', each])
      call.respond(401, 'Unauthorized', { headers })
      const isRetry = () =>
        call.log.filter((m) => m.method === 'INVITE' && headerOf(m, 'authorization') !== '')
      await waitUntil(
        'the INVITE comes again',
        () => isRetry().length > 0,
        15_000,
        () => call.log,
      )
      const [retry] = isRetry()
      if (!retry) throw new Error('unreachable')
      const { realm = 'test', nonce = 'n1', algorithm = 'MD5', opaque }: Answered = answered
      const shown = credentialsIn(headerOf(retry, 'authorization'))
      const hash = (...parts: string[]) =>
        createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
          .update(parts.join(':'))
          .digest('hex')
      const secret = hash('ann', realm, 'secret')
      const action = hash('INVITE', peer.uri())
      const once = shown['qop'] === undefined ? [] : ['00000001', shown['cnonce'] ?? '', 'auth']
      expect(shown).toMatchObject({ realm, nonce, algorithm, uri: peer.uri() })
      expect(shown['opaque']).toBe(opaque)
      expect(shown['response']).toBe(hash(secret, nonce, ...once, action))
      await call.answer(peer.sdp(), retry)
      await events.answered()
      await leg.hangup()
    })

    it.each([
      ['Basic', 'Basic realm="test"'],
      ['an algorithm that nobody knows', 'Digest realm="test", nonce="n1", algorithm=FOO'],
      ['a digest of the body alone', 'Digest realm="test", nonce="n1", qop="auth-int"'],
      ['another realm', 'Digest realm="other", nonce="n1"'],
    ])('shows no credentials to %s', async (_title, challenge) => {
      const peer = await rig().peer()
      const auth = { username: 'ann', password: 'secret', realm: 'test' }
      const { events } = rig().dial(peer, { auth })
      const call = await peer.nextCall()
      call.respond(401, 'Unauthorized', { headers: [['WWW-Authenticate', challenge]] })
      expect(await events.ended()).toMatchObject({ cause: 'rejected', sipStatus: 401 })
      expect(peer.log.filter((each) => each.method === 'INVITE')).toHaveLength(1)
    })

    it('ends when the credentials are wrong [B17]', async () => {
      const peer = await rig().peer()
      const { events } = rig().dial(peer, { auth: { username: 'ann', password: 'wrong' } })
      const call = await peer.nextCall()
      const challenge = [['WWW-Authenticate', 'Digest realm="test", nonce="x"']] as const
      call.respond(401, 'Unauthorized', { headers: challenge })
      const retries = () => call.log.filter((m) => m.method === 'INVITE')
      await waitUntil('the INVITE comes again', () => retries().length > 0)
      const [retry] = retries()
      if (!retry) throw new Error('unreachable')
      call.respond(401, 'Unauthorized', { headers: challenge, to: retry })
      expect(await events.ended()).toMatchObject({ cause: 'rejected', sipStatus: 401 })
      expect(retries()).toHaveLength(1)
    })

    it('shows its credentials once, whatever else it is asked [B17]', async () => {
      const peer = await rig().peer()
      const { events } = rig().dial(peer, { auth: { username: 'ann', password: 'secret' } })
      const call = await peer.nextCall()
      const challenge = (realm: string, nonce: string) =>
        [['WWW-Authenticate', `Digest realm="${realm}", nonce="${nonce}", stale=true`]] as const
      const invites = () => peer.log.filter((each) => each.method === 'INVITE')
      const shown = () => invites().filter((each) => headerOf(each, 'authorization') !== '')
      call.respond(401, 'Unauthorized', { headers: challenge('one', 'a') })
      await waitUntil('the INVITE comes again', () => shown().length > 0)
      const [retry] = shown()
      if (!retry) throw new Error('unreachable')
      // Another realm, a fresh nonce, and the claim that only the nonce was old: a loop, if obeyed.
      call.respond(401, 'Unauthorized', { headers: challenge('another', 'b'), to: retry })
      expect(await events.ended()).toMatchObject({ cause: 'rejected', sipStatus: 401 })
      expect(invites()).toHaveLength(2)
      expect(shown()).toHaveLength(1)
    })
  })
}

/** The parameters of Authorization, without quotes and escapes. */
function credentialsIn(value: string): Readonly<Record<string, string | undefined>> {
  const shown: Record<string, string | undefined> = {}
  for (const match of value.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g)) {
    const [, name = '', quoted, plain] = match
    shown[name] = quoted?.replace(/\\(.)/g, '$1') ?? plain
  }
  return shown
}
