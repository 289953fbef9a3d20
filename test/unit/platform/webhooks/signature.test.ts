import twilio from 'twilio'
import { describe, expect, it } from 'vitest'
import {
  bodySha256,
  signedUrl,
  signWebhook,
  verifyWebhook,
  type WebhookParams,
  withBodySha256,
} from '../../../../src/platform/webhooks/signature.js'

/** mulberry32: the same "random" requests in every run of one seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

describe('webhook signature', () => {
  it('is what the convention documents', () => {
    const params: WebhookParams = [
      ['CallSid', 'CA1234567890ABCDE'],
      ['To', '+18005551212'],
      ['Caller', '+14158675310'],
      ['Digits', '1234'],
      ['From', '+14158675310'],
    ]
    const url = 'https://example.com/myapp.php?foo=1&bar=2'
    expect(signWebhook('12345', url, params)).toBe('L/OH5YylLD5NRKLltdqwSvS0BnU=')
  })

  it('hashes a JSON body into the URL', () => {
    const body = '{"CallSid":"CA1234567890ABCDE","Caller":"+12349013030"}'
    const hash = '5ccde7145dfb8f56479710896586cb9d5911809d83afbe34627818790db0aec9'
    expect(bodySha256(body)).toBe(hash)
    expect(withBodySha256('https://example.com/myapp', body)).toBe(
      `https://example.com/myapp?bodySHA256=${hash}`,
    )
    expect(withBodySha256('https://example.com/myapp?a=b#f', body)).toBe(
      `https://example.com/myapp?a=b&bodySHA256=${hash}`,
    )
  })

  it.each([
    ['drops the fragment', 'http://a.test/b#rc=2', 'http://a.test/b'],
    ['drops credentials', 'http://u:p@a.test/b', 'http://a.test/b'],
    ['drops credentials with an at sign', 'https://u@x:p@a.test/b@c', 'https://a.test/b@c'],
    ['drops the port of https', 'https://a.test:8443/b', 'https://a.test/b'],
    ['keeps the port of http', 'http://a.test:8080/b', 'http://a.test:8080/b'],
    ['keeps the spelling', "http://a.test/b?c='d'&e=%2f", "http://a.test/b?c='d'&e=%2f"],
    ['knows IPv6', 'https://u:p@[::1]:8443/b?c#d', 'https://[::1]/b?c'],
    ['knows no path', 'https://a.test:1?x=y', 'https://a.test?x=y'],
    ['leaves an at sign in the query', 'http://a.test?x=u:p@b', 'http://a.test?x=u:p@b'],
    ['signs a websocket address as it is', 'wss://a.test/s', 'wss://a.test/s'],
  ])('%s', (_title, url, expected) => {
    expect(signedUrl(url)).toBe(expected)
  })

  it('counts each different value of a repeated name once, sorted', () => {
    const repeated: WebhookParams = [
      ['M', '2'],
      ['M', '1'],
      ['M', '2'],
      ['A', ''],
    ]
    const flat: WebhookParams = [['AM1M2', '']]
    expect(signWebhook('t', 'http://a.test/', repeated)).toBe(
      signWebhook('t', 'http://a.test/', flat),
    )
  })

  it('verifies its own and nothing else', () => {
    const url = 'http://a.test/b'
    const params: WebhookParams = [['a', 'b']]
    const signature = signWebhook('token', url, params)
    expect(verifyWebhook('token', signature, url, params)).toBe(true)
    expect(verifyWebhook('other', signature, url, params)).toBe(false)
    expect(verifyWebhook('token', signature, `${url}c`, params)).toBe(false)
    expect(verifyWebhook('token', signature, url, [['a', 'c']])).toBe(false)
    expect(verifyWebhook('token', signature.slice(1), url, params)).toBe(false)
    expect(verifyWebhook('token', '', url, params)).toBe(false)
  })

  it("satisfies the official client library's own validator, whatever the request", () => {
    const seed = 20_26
    const random = randomFrom(seed)
    const pick = <Item>(items: readonly Item[]): Item => {
      const item = items[Math.floor(random() * items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    }
    const values = [
      '',
      ' ',
      '+14158675310',
      'ünï cødé',
      '日本',
      '😀',
      '&=+%',
      "it's",
      'a\nb',
      '%41',
    ]
    const queries = ['', '?a=1', '?a=1&b=%20c', "?q='x'", '?q=%27x%27', '?u=ü', '?x', '?a=1&a=2']
    const wrong: string[] = []
    for (let i = 0; i < 3_000; i += 1) {
      const scheme = pick(['http', 'https'])
      const user = pick(['', '', 'user:p%40ss@', 'user@'])
      const port = pick(['', ':8080', ':8443', ':443', ':80'])
      const written = `${scheme}://${user}sub.example.com${port}${pick(['/', '/a/b.php', ''])}${pick(queries)}`
      // What goes out is the URL as the URL parser writes it.
      const url = new URL(written)
      const params = Array.from({ length: Math.floor(random() * 6) }, (): [string, string] => [
        pick(['CallSid', 'Digits', 'a', 'B', 'SipHeader_X-Y', '_']),
        pick(values),
      ])
      const grouped: Record<string, string | string[]> = {}
      for (const [name, value] of params) {
        const known = grouped[name]
        grouped[name] = known === undefined ? value : [known, value].flat()
      }
      const token = `token${i}`
      const signature = signWebhook(token, url.href, params)
      url.username = ''
      url.password = ''
      // Behind a proxy the application sees its URL with or without the port.
      const seen = url.href
      if (!twilio.validateRequest(token, signature, seen, grouped)) wrong.push(written)
      if (!verifyWebhook(token, signature, seen, params)) wrong.push(`ours: ${written}`)
    }
    expect(wrong, `seed ${seed}`).toEqual([])
  })

  it("satisfies the official client library's validator for JSON bodies", () => {
    for (const body of ['{}', '{"a":"ü😀"}', '[]', ' ']) {
      for (const start of ['https://a.test/x', 'http://a.test:81/x?y=z']) {
        const url = withBodySha256(start, body)
        const signature = signWebhook('t', url, [])
        expect(twilio.validateRequestWithBody('t', signature, url, body)).toBe(true)
      }
    }
  })
})
