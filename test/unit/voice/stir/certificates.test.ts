import { describe, expect, it } from 'vitest'
import { OutboundError } from '../../../../src/platform/http/outbound-error.js'
import { createLogger } from '../../../../src/platform/log.js'
import { Certificates } from '../../../../src/voice/stir/certificates.js'
import { stirCertificates } from '../../../support/sip/stir-certificates.js'

const URL = 'https://cert.example/shaken.pem'

function rig(answer: { status?: number; body?: string } | 'fails', allowsPlainSockets = false) {
  const asked: { url: string; allowedSchemes: readonly string[] | undefined }[] = []
  let now = 0
  const certificates = new Certificates({
    outbound: {
      allowsPlainSockets,
      request: ({ url, allowedSchemes }) => {
        asked.push({ url, allowedSchemes })
        if (answer === 'fails') return Promise.reject(new OutboundError('connect-failed', url))
        const { status = 200, body = stirCertificates.signer.chain } = answer
        const timings = { connectMs: 0, headersMs: 0, totalMs: 0 }
        const headers = new Headers()
        return Promise.resolve({ status, headers, body: Buffer.from(body), url, timings })
      },
    },
    clock: { now: () => now, monotonic: () => now },
    log: createLogger('silent'),
  })
  return {
    asked,
    certificates,
    wait: (ms: number) => {
      now += ms
    },
  }
}

describe('the certificate of an Identity', () => {
  it('is fetched once in an hour, and once for calls at once', async () => {
    const { asked, certificates, wait } = rig({})
    const found = await Promise.all([certificates.find(URL), certificates.find(URL)])
    expect(found.map((chain) => chain?.length)).toEqual([2, 2])
    await certificates.find(URL)
    expect(asked).toHaveLength(1)
    wait(3_600_001)
    await certificates.find(URL)
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['an error', { status: 404 }],
    ['no certificate', { body: '<html/>' }],
    ['nothing', 'fails' as const],
  ])('is not asked for again for a minute after %s', async (_title, answer) => {
    const { asked, certificates, wait } = rig(answer)
    expect(await certificates.find(URL)).toBeUndefined()
    expect(await certificates.find(URL)).toBeUndefined()
    expect(asked).toHaveLength(1)
    wait(60_001)
    await certificates.find(URL)
    expect(asked).toHaveLength(2)
  })

  it('comes over HTTPS, but where private hosts are allowed', async () => {
    const [strict, lab] = [rig({}), rig({}, true)]
    await strict.certificates.find(URL)
    await lab.certificates.find(URL)
    expect([strict.asked, lab.asked].map(([first]) => first?.allowedSchemes)).toEqual([
      ['https:'],
      ['https:', 'http:'],
    ])
  })

  it('with a very long URL is not asked for', async () => {
    const { asked, certificates } = rig({})
    expect(await certificates.find(`https://cert.example/${'a'.repeat(600)}`)).toBeUndefined()
    expect(asked).toEqual([])
  })
})
