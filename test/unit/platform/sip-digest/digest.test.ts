import { describe, expect, it } from 'vitest'
import {
  answerChallenge,
  chooseChallenge,
  type DigestChallenge,
  divideChallenges,
  formatChallenge,
  hashSecret,
  isAnswerRight,
  parseChallenge,
  parseCredentials,
} from '../../../../src/platform/sip-digest/digest.js'
import { checkNonce, makeNonce, NonceCounts } from '../../../../src/platform/sip-digest/nonces.js'

/** RFC 7616 §3.9.1: user Mufasa, password "Circle of Life". */
const RFC7616: DigestChallenge = {
  realm: 'http-auth@example.org',
  nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
  opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS',
  algorithm: 'MD5',
  qop: 'auth' as const,
  isStale: false,
}
const RFC7616_ANSWER = {
  username: 'Mufasa',
  password: 'Circle of Life',
  method: 'GET',
  uri: '/dir/index.html',
  count: 1,
  clientNonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
}

/** RFC 2617 §3.5. */
const RFC2617: DigestChallenge = {
  realm: 'testrealm@host.com',
  nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093',
  opaque: '5ccc069c403ebaf9f0171e9517f40e41',
  algorithm: 'MD5',
  qop: 'auth' as const,
  isStale: false,
}
const RFC2617_ANSWER = {
  ...RFC7616_ANSWER,
  password: 'Circle Of Life',
  clientNonce: '0a4f113b',
}

describe('answerChallenge [B14]', () => {
  it.each<[string, DigestChallenge, typeof RFC7616_ANSWER, string]>([
    ['RFC 2617 §3.5', RFC2617, RFC2617_ANSWER, '6629fae49393a05397450978507c4ef1'],
    ['RFC 7616 §3.9.1 with MD5', RFC7616, RFC7616_ANSWER, '8ca523f5e9506fed4657c9700eebdbec'],
    [
      'RFC 7616 §3.9.1 with SHA-256',
      { ...RFC7616, algorithm: 'SHA-256' },
      RFC7616_ANSWER,
      '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
    ],
  ])('computes %s', (_title, challenge, answer, response) => {
    const value = answerChallenge(challenge, answer)
    expect(value).toContain(`response="${response}"`)
    const credentials = parseCredentials(value)
    const { username, password } = answer
    const secret = hashSecret(credentials?.algorithm ?? 'MD5', username, challenge.realm, password)
    expect(credentials).toMatchObject({ username, count: 1, opaque: challenge.opaque })
    expect(credentials && isAnswerRight(credentials, 'GET', secret)).toBe(true)
    expect(credentials && isAnswerRight(credentials, 'POST', secret)).toBe(false)
    expect(credentials && isAnswerRight({ ...credentials, count: 2 }, 'GET', secret)).toBe(false)
    expect(credentials && isAnswerRight({ ...credentials, response: '' }, 'GET', secret)).toBe(
      false,
    )
  })

  it('answers a server of RFC 2069 without count and client nonce', () => {
    const value = answerChallenge({ ...RFC2617, qop: undefined }, RFC2617_ANSWER)
    expect(value).toContain('response="670fd8c2df070c60b045671b8b24ff02"')
    expect(value).not.toMatch(/qop|nc=|cnonce/)
  })
})

describe('challenges', () => {
  it('survive being written and read', () => {
    for (const challenge of [RFC7616, { ...RFC7616, algorithm: 'SHA-256' as const, isStale: true }])
      expect(parseChallenge(formatChallenge(challenge))).toEqual(challenge)
  })

  it.each([
    ['another scheme', 'NeverHeardOf opaque-data=here'],
    ['no nonce', 'Digest realm="r"'],
    ['an unknown algorithm', 'Digest realm="r", nonce="n", algorithm=SHA-512-256'],
    ['an unknown qop', 'Digest realm="r", nonce="n", qop="auth-conf"'],
    ['a repeated parameter', 'Digest realm="r", nonce="n", nonce="m"'],
    ['an open quote', 'Digest realm="r", nonce="n'],
    ['something after the end', 'Digest realm="r", nonce="n" x'],
    ['nothing', ''],
  ])('with %s are not understood', (_title, value) => {
    expect(parseChallenge(value)).toBeUndefined()
  })

  it('are answered in the order of their sender, skipping what we do not speak', () => {
    const values = [
      'Digest realm="r", nonce="1", algorithm=SHA-512-256, qop="auth"',
      'Digest realm="r", nonce="2", algorithm=SHA-256, qop="auth, auth-int"',
      'Digest realm="r", nonce="3", algorithm=MD5, qop="auth"',
    ]
    expect(chooseChallenge(values)).toMatchObject({ nonce: '2', algorithm: 'SHA-256' })
    expect(chooseChallenge(['Basic realm="r"'])).toBeUndefined()
  })

  it('of a session or with the body are answered only where there is no other', () => {
    const session = 'Digest realm="r", nonce="1", algorithm=MD5-sess, qop="auth"'
    const integrity = 'Digest realm="r", nonce="2", algorithm=MD5, qop="auth-int"'
    expect(chooseChallenge([session, integrity, 'Digest realm="r", nonce="3"'])).toMatchObject({
      nonce: '3',
    })
    expect(chooseChallenge([integrity, session])).toMatchObject({ nonce: '2', qop: 'auth-int' })
    expect(chooseChallenge([session])).toMatchObject({ algorithm: 'MD5-sess', qop: 'auth' })
  })
})

describe('divideChallenges', () => {
  const first = String.raw`Digest realm="a, \"b\" c", nonce="n==", qop="auth,auth-int"`
  it.each([
    ['one', first, [first]],
    [
      'several',
      `${first}, DIGEST  realm="x",Basic realm = "y"`,
      [first, 'DIGEST  realm="x"', 'Basic realm = "y"'],
    ],
    ['schemes alone', `Negotiate, ${first},NTLM`, ['Negotiate', first, 'NTLM']],
    ['empty elements', 'Digest realm="x",, nonce="n", ,', ['Digest realm="x", nonce="n"']],
    [
      'white space around the equals sign',
      'Digest realm = "x" , nonce= "n"',
      ['Digest realm = "x", nonce= "n"'],
    ],
    ['an open quote', 'Digest realm="x, Digest realm="y"', ['Digest realm="x, Digest realm="y"']],
    ['nothing', '', []],
  ])('divides %s', (_title, header, challenges) => {
    expect(divideChallenges(header)).toEqual(challenges)
  })

  it('chooses only among the challenges of a realm that is given', () => {
    const values = ['Digest realm="a", nonce="1"', 'Digest realm="b", nonce="2"']
    expect(chooseChallenge(values, 'b')).toMatchObject({ nonce: '2' })
    expect(chooseChallenge(values, 'c')).toBeUndefined()
  })
})

describe('parseCredentials', () => {
  const whole = answerChallenge(RFC7616, RFC7616_ANSWER)
  it.each([
    ['another scheme', whole.replace('Digest', 'Basic')],
    ['no qop', whole.replace('qop=auth, ', '')],
    ['a short count', whole.replace('nc=00000001', 'nc=1')],
    ['a count of no use', whole.replace('nc=00000001', 'nc=00000000')],
    ['no client nonce', whole.replace(/cnonce="[^"]*", /, '')],
    ['no response', whole.replace(/response="[^"]*", /, '')],
  ])('refuses %s', (_title, value) => {
    expect(value).not.toBe(whole)
    expect(parseCredentials(value)).toBeUndefined()
  })
})

describe('nonces [B15]', () => {
  const secret = Buffer.from('a secret of this process')
  const nonce = makeNonce(secret, 1_000, 'salt')
  it.each([
    ['ours and young', secret, nonce, 61_000, 'fresh'],
    ['ours and old', secret, nonce, 61_001, 'stale'],
    ['from before it was made', secret, nonce, 999, 'foreign'],
    ['of another process', Buffer.from('another'), nonce, 1_000, 'foreign'],
    ['with another time', secret, nonce.replace('rs.', 'rt.'), 1_000, 'foreign'],
    ['nonsense', secret, 'x', 1_000, 'foreign'],
    ['nothing', secret, '', 1_000, 'foreign'],
  ])('%s', (_title, key, value, now, verdict) => {
    expect(checkNonce(key, value, now, 60_000)).toBe(verdict)
  })

  it('are used with a rising count only', () => {
    const counts = new NonceCounts(60_000)
    const uses: [string, number, boolean][] = [
      ['a', 1, true],
      ['a', 1, false],
      ['a', 3, true],
      ['a', 2, false],
      ['b', 1, true],
      ['b', 0, false],
    ]
    for (const [value, count, isNew] of uses)
      expect([value, count, counts.accept(value, count, 0)]).toEqual([value, count, isNew])
  })

  it('are forgotten when old or too many', () => {
    const counts = new NonceCounts(60_000, 3)
    for (const value of ['a', 'b', 'c', 'd']) counts.accept(value, 1, 0)
    expect(counts.size).toBe(3)
    counts.accept('e', 1, 60_001)
    expect(counts.size).toBe(1)
  })
})
