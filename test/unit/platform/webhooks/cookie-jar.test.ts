import { describe, expect, it } from 'vitest'
import { createCookieJar } from '../../../../src/platform/webhooks/cookie-jar.js'

const at = (text: string): URL => new URL(text)

describe('cookie jar', () => {
  it.each<[string, string, string, string, string | undefined]>([
    ['returns to its host', 'http://a.test/x/y', 's=1', 'http://a.test/x/z', 's=1'],
    ['on any port', 'http://a.test:81/', 's=1', 'http://a.test:82/', 's=1'],
    ['not to another host', 'http://a.test/', 's=1', 'http://b.test/', undefined],
    [
      'nor to a subdomain it names',
      'http://a.test/',
      's=1; Domain=a.test',
      'http://b.a.test/',
      undefined,
    ],
    ['to its path', 'http://a.test/', 's=1; Path=/x', 'http://a.test/x/y', 's=1'],
    ['and its very path', 'http://a.test/', 's=1; Path=/x', 'http://a.test/x', 's=1'],
    ['not to a longer name', 'http://a.test/', 's=1; Path=/x', 'http://a.test/xy', undefined],
    ['to the folder it came from', 'http://a.test/x/y', 's=1', 'http://a.test/', undefined],
    ['a secure one to https', 'https://a.test/', 's=1; Secure', 'https://a.test/', 's=1'],
    ['a secure one not to http', 'https://a.test/', 's=1; Secure', 'http://a.test/', undefined],
    ['not when it has expired', 'http://a.test/', 's=1; Max-Age=0', 'http://a.test/', undefined],
    [
      'nor later',
      'http://a.test/',
      's=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      'http://a.test/',
      undefined,
    ],
    [
      'Max-Age before Expires',
      'http://a.test/',
      's=1; Max-Age=5; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      'http://a.test/',
      's=1',
    ],
    ['with an equals sign', 'http://a.test/', 's=a=b==', 'http://a.test/', 's=a=b=='],
    ['without a name it is none', 'http://a.test/', '=1', 'http://a.test/', undefined],
    ['without a value sign it is none', 'http://a.test/', 'nonsense', 'http://a.test/', undefined],
  ])('%s', (_title, from, setCookie, to, expected) => {
    const jar = createCookieJar(() => 1_000_000)
    jar.store(at(from), [setCookie])
    expect(jar.headerFor(at(to))).toBe(expected)
  })

  it('replaces, removes, and forgets with time', () => {
    let now = 0
    const jar = createCookieJar(() => now)
    const url = at('http://a.test/')
    jar.store(url, ['a=1', 'b=1; Max-Age=10'])
    jar.store(url, ['a=2'])
    expect(jar.headerFor(url)).toBe('b=1; a=2')
    now = 10_000
    expect(jar.headerFor(url)).toBe('a=2')
    jar.store(url, ['a=; Max-Age=0'])
    expect(jar.headerFor(url)).toBeUndefined()
  })

  it('is bounded', () => {
    const jar = createCookieJar(() => 0)
    const url = at('http://a.test/')
    for (let i = 0; i < 200; i += 1) jar.store(url, [`c${i}=1`])
    jar.store(url, [`big=${'x'.repeat(5_000)}`])
    const names = (jar.headerFor(url) ?? '').split('; ')
    expect(names).toHaveLength(50)
    expect(names).toContain('c199=1')
  })
})
