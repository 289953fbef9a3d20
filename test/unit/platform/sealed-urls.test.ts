import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sealedUrls } from '../../../src/platform/sealed-urls.js'
import { openVault } from '../../../src/platform/secrets.js'
import { maskedUrl, withKnownPassword } from '../../../src/platform/url-passwords.js'
import { tempFolder } from '../../support/process/temp-folder.js'

const folder = tempFolder()
const urls = sealedUrls(openVault(join(folder.path, 'vault.key')))
const opened = (text: string) => urls.open(new URL(text)).href

it.each([
  ['https://user:pass@host.test/path?a=b#rc=2', 'https://user:***@host.test/path?a=b#rc=2'],
  ['HTTP://u:p@host.test', 'HTTP://u:***@host.test'],
  ['wss://u:p@host.test:8443/stream', 'wss://u:***@host.test:8443/stream'],
  ['https://:pass@host.test/', 'https://:***@host.test/'],
  ['https://u:p:with@signs%40@host.test/', 'https://u:***@host.test/'],
  ['https:u:p@host.test/', 'https:u:***@host.test/'],
  ['https:\\\\u:p@host.test/', 'https:\\\\u:***@host.test/'],
])('the password of %s is masked, sealed and opened', (url, masked) => {
  expect(maskedUrl(url)).toBe(masked)
  const sealed = urls.seal(url)
  expect(maskedUrl(sealed)).toBe(masked)
  expect(sealed.replace(/sealed\.[\w-]+@/, '***@')).toBe(masked)
  expect(opened(sealed)).toBe(new URL(url).href)
  // A row that is written again has what it had.
  expect(urls.seal(sealed)).toBe(sealed)
})

it.each([
  'https://host.test/path',
  'https://token@host.test/',
  'https://host.test:8080/p@th:80@x',
  'https://host.test/?to=a:b@c',
  'sip:user:pass@host.test',
  'some text a:b@c',
  '',
])('%s has no password, and stays', (text) => {
  expect(maskedUrl(text)).toBe(text)
  expect(urls.seal(text)).toBe(text)
})

it('a sealed password opens for no other host, user or scheme', () => {
  const sealed = urls.seal('https://user:pass@host.test/')
  for (const [from, to] of [
    ['host.test', 'thief.test'],
    ['user', 'other'],
    ['https', 'http'],
  ] as const) {
    const moved = sealed.replace(from, to)
    expect(opened(moved)).toBe(moved)
  }
  // What a customer writes so is a password like any other.
  const written = sealed.replace('host.test', 'thief.test')
  expect(opened(urls.seal(written))).toBe(written)
})

it('a URL that was stored before passwords were sealed is requested as it is', () => {
  expect(opened('https://user:pass@host.test/')).toBe('https://user:pass@host.test/')
  expect(opened('https://user:sealed.abc@host.test/')).toBe('https://user:sealed.abc@host.test/')
})

it('a masked password stands for the stored one of the same URL alone', () => {
  const stored = urls.seal('https://user:pass@host.test/a')
  expect(withKnownPassword('https://user:***@host.test/a', stored)).toBe(stored)
  expect(withKnownPassword('https://user:new@host.test/a', stored)).toContain(':new@')
  for (const [given, before] of [
    ['https://user:***@host.test/b', stored],
    ['https://user:***@thief.test/a', stored],
    ['https://user:***@host.test/a', undefined],
  ] as const)
    expect(() => withKnownPassword(given, before)).toThrow('is masked: write it out')
})
