import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { TelephonyRig } from '../support/media/telephony-rig.js'
import { headerOf, type PeerMessage } from '../support/sip/sip-peer-message.js'
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

    it.each([
      ['of a session', 'Digest realm="test", nonce="n1", algorithm=MD5-sess, qop="auth"'],
      ['of the body', 'Digest realm="test", nonce="n1", qop="auth-int"'],
    ])('answers a digest %s where nothing else is offered', async (_title, challenge) => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer, { auth: { username: 'ann', password: 'secret' } })
      const call = await peer.nextCall()
      call.respond(401, 'Unauthorized', { headers: [['WWW-Authenticate', challenge]] })
      const [, retry] = await invitesOf(peer, 2)
      const md5 = (...parts: string[]) => createHash('md5').update(parts.join(':')).digest('hex')
      const shown = credentialsIn(headerOf(retry, 'authorization'))
      const { cnonce = '', qop = '', algorithm } = shown
      const known = md5('ann', 'test', 'secret')
      const secret = algorithm === 'MD5-sess' ? md5(known, 'n1', cnonce) : known
      const action =
        qop === 'auth-int' ? md5('INVITE', peer.uri(), md5(retry.body)) : md5('INVITE', peer.uri())
      expect(shown['response']).toBe(md5(secret, 'n1', '00000001', cnonce, qop, action))
      await call.answer(peer.sdp(), retry)
      await events.answered()
      await leg.hangup()
    })

    it('answers once more when only its nonce was old, and no third time', async () => {
      const peer = await rig().peer()
      const { events } = rig().dial(peer, { auth: { username: 'ann', password: 'secret' } })
      const call = await peer.nextCall()
      const challenge = (nonce: string) =>
        [['WWW-Authenticate', `Digest realm="test", nonce="${nonce}", stale=true`]] as const
      call.respond(401, 'Unauthorized', { headers: challenge('a') })
      const [, second] = await invitesOf(peer, 2)
      call.respond(401, 'Unauthorized', { headers: challenge('b'), to: second })
      const [, , third] = await invitesOf(peer, 3)
      expect(credentialsIn(headerOf(third, 'authorization'))['nonce']).toBe('b')
      expect(headerOf(third, 'cseq')).toBe(`${String(cseqOf(second) + 1)} INVITE`)
      call.respond(401, 'Unauthorized', { headers: challenge('c'), to: third })
      expect(await events.ended()).toMatchObject({ cause: 'rejected', sipStatus: 401 })
      expect(peer.log.filter((each) => each.method === 'INVITE')).toHaveLength(3)
    })

    it('answers a proxy, and the server behind it', async () => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer, { auth: { username: 'ann', password: 'secret' } })
      const call = await peer.nextCall()
      const ask = (realm: string) => `Digest realm="${realm}", nonce="${realm}-1", qop="auth"`
      const proxy = [['Proxy-Authenticate', ask('proxy')]] as const
      call.respond(407, 'Proxy Authentication Required', { headers: proxy })
      const [, second] = await invitesOf(peer, 2)
      const server = [['WWW-Authenticate', ask('server')]] as const
      call.respond(401, 'Unauthorized', { headers: server, to: second })
      const [, , third] = await invitesOf(peer, 3)
      // The proxy is shown its credentials again, as a second use of its nonce.
      expect(credentialsIn(headerOf(third, 'proxy-authorization'))).toMatchObject({
        realm: 'proxy',
        nc: '00000002',
      })
      expect(credentialsIn(headerOf(third, 'authorization'))).toMatchObject({
        realm: 'server',
        nc: '00000001',
      })
      await call.answer(peer.sdp(), third)
      await events.answered()
      await leg.hangup()
    })

    it('cancels the INVITE that answered the second challenge', async () => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer, { auth: { username: 'ann', password: 'secret' } })
      const call = await peer.nextCall()
      const challenge = (nonce: string) =>
        [['WWW-Authenticate', `Digest realm="test", nonce="${nonce}", stale=true`]] as const
      call.respond(401, 'Unauthorized', { headers: challenge('a') })
      const [, second] = await invitesOf(peer, 2)
      call.respond(401, 'Unauthorized', { headers: challenge('b'), to: second })
      const [, , third] = await invitesOf(peer, 3)
      call.respond(180, 'Ringing', { to: third })
      await waitUntil('it rings', () => events.progress.length > 0)
      const hungUp = leg.hangup()
      const cancel = await call.request('CANCEL')
      expect(headerOf(cancel, 'cseq')).toBe(`${String(cseqOf(third))} CANCEL`)
      call.respond(487, 'Request Terminated', { to: third })
      await hungUp
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

/** Resolves with the INVITEs of the peer's one call, once there are so many. */
async function invitesOf(
  peer: Awaited<ReturnType<TelephonyRig['peer']>>,
  count: 2 | 3,
): Promise<[PeerMessage, PeerMessage, PeerMessage]> {
  const invites = () => peer.log.filter((each) => each.method === 'INVITE')
  await waitUntil(
    'the INVITE comes again',
    () => invites().length >= count,
    15_000,
    () => peer.log,
  )
  const [first, second, third = second] = invites()
  if (first === undefined || second === undefined || third === undefined)
    throw new Error('unreachable')
  return [first, second, third]
}

const cseqOf = (message: PeerMessage): number => Number.parseInt(headerOf(message, 'cseq'), 10)

/** The parameters of Authorization, without quotes and escapes. */
function credentialsIn(value: string): Readonly<Record<string, string | undefined>> {
  const shown: Record<string, string | undefined> = {}
  for (const match of value.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g)) {
    const [, name = '', quoted, plain] = match
    shown[name] = quoted?.replace(/\\(.)/g, '$1') ?? plain
  }
  return shown
}
