import { describe, expect, it } from 'vitest'
import { maskSecrets, maskText } from '../../../src/platform/mask-secrets.js'
import { leastCpuMs } from '../../support/time/cpu-time.js'

describe('[C28] secrets in what is logged', () => {
  it.each([
    ['http://user:hidden@a.test/b?c=d', 'http://a.test/b?c=d'],
    ['sip:alice@a.test', 'sip:alice@a.test'],
    ['write to bob@a.test', 'write to bob@a.test'],
    ['<Play>https://u:hidden@a.test/x.mp3</Play>', '<Play>https://a.test/x.mp3</Play>'],
    [
      '<Sip username="u" password="hidden">sip:x</Sip>',
      '<Sip username="u" password="***">sip:x</Sip>',
    ],
    ["<Sip password='hidden'/>", "<Sip password='***'/>"],
    ['{"authToken": "hidden", "a": 1}', '{"authToken": "***", "a": 1}'],
    ['http://a.test/b?token=hidden&c=d', 'http://a.test/b?token=***&c=d'],
    ['http://a.test/b?api_key=hidden#x', 'http://a.test/b?api_key=***#x'],
    ['SipAuthPassword=hidden&To=x', 'SipAuthPassword=***&To=x'],
    [
      'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:PS1uQCVeeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR|2^20|1:4',
      'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:***',
    ],
    ['nothing secret here', 'nothing secret here'],
  ])('%s', (text, expected) => {
    expect(maskText(text)).toBe(expected)
  })

  it('goes by the names of plain data, however deep, and leaves the rest as it is', () => {
    const detail = {
      status: 200,
      error: undefined,
      headers: { Authorization: 'Basic hidden', 'Set-Cookie': 's=hidden', Accept: '*/*' },
      params: [
        ['CallSid', 'CA1'],
        ['SipAuthPassword', 'hidden'],
        ['ErrorUrl', 'http://u:hidden@a.test/'],
      ],
      list: ['a', 'b', 'c'],
    }
    expect(maskSecrets(detail)).toEqual({
      status: 200,
      error: undefined,
      headers: { Authorization: '***', 'Set-Cookie': '***', Accept: '*/*' },
      params: [
        ['CallSid', 'CA1'],
        ['SipAuthPassword', '***'],
        ['ErrorUrl', 'http://a.test/'],
      ],
      list: ['a', 'b', 'c'],
    })
  })

  it('takes no longer for a text that was made to be slow', () => {
    const mask = () => {
      maskText('http://'.repeat(20_000))
      maskText(`password${' '.repeat(100_000)}`)
      maskText('a'.repeat(100_000))
    }
    // Work, not time: a busy machine may pause the process.
    expect(leastCpuMs(mask)).toBeLessThan(5_000)
  })
})
