import { describe, expect, it } from 'vitest'
import { EmergencyProviderError } from '../../../src/emergency/emergency-provider.js'
import { createHttpProvider } from '../../../src/emergency/http-provider.js'
import type { OutboundResponse } from '../../../src/platform/http/outbound.js'
import { OutboundError } from '../../../src/platform/http/outbound-error.js'
import type { OutboundRequest } from '../../../src/platform/http/outbound-request.js'

const ADDRESS = {
  address1: '350 Fifth Ave',
  address2: '',
  city: 'New York',
  state: 'NY',
  zip: '10118',
}

/** A provider whose server answers as the script says. */
function providerWith(script: (request: OutboundRequest) => readonly [number, string]) {
  const asked: OutboundRequest[] = []
  const request = (wanted: OutboundRequest): Promise<OutboundResponse> => {
    asked.push(wanted)
    const [status, body] = script(wanted)
    return Promise.resolve({
      status,
      headers: new Headers(),
      body: Buffer.from(body),
      url: wanted.url,
      timings: { connectMs: 0, headersMs: 0, totalMs: 0 },
    })
  }
  const settings = { url: 'https://e911.example/v1/', token: 'secret' }
  return { asked, provider: createHttpProvider({ request }, settings) }
}

describe('the HTTP provider of emergency addresses', () => {
  it('has an address judged, and takes the spelling that it gets', async () => {
    const answered = { address: { ...ADDRESS, address1: '350 5TH AVE', zip: '10118-0110' } }
    const { asked, provider } = providerWith(() => [200, JSON.stringify(answered)])
    expect(provider.source).toBe('e911.example')
    expect(await provider.validate(ADDRESS)).toMatchObject({
      type: 'valid',
      address: answered.address,
      location: { houseNumber: '350', street: '5TH', streetType: 'AVE', postalCode: '10118-0110' },
    })
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: 'https://e911.example/v1/validate',
      headers: { Authorization: 'Bearer secret' },
      body: JSON.stringify(ADDRESS),
      maxRedirects: 0,
    })
  })

  it('passes on why an address was rejected', async () => {
    const said = { field: 'zip', message: 'not in that city', suggestion: { zip: '10001' } }
    const { provider } = providerWith(() => [422, JSON.stringify(said)])
    expect(await provider.validate(ADDRESS)).toEqual({
      type: 'rejected',
      field: 'zip',
      reason: 'not in that city',
      suggestion: { zip: '10001' },
    })
  })

  it('stores and removes a record by its number', async () => {
    const { asked, provider } = providerWith(({ method }) => [method === 'PUT' ? 201 : 404, ''])
    await provider.provision({ number: '+12125550143', callerName: 'Acme', address: ADDRESS })
    await provider.remove('+12125550143')
    const url = 'https://e911.example/v1/records/%2B12125550143'
    expect(asked).toMatchObject([
      { method: 'PUT', url, body: JSON.stringify({ callerName: 'Acme', address: ADDRESS }) },
      { method: 'DELETE', url },
    ])
  })

  it.each([
    ['500', 500, ''],
    ['no JSON', 200, '<html>'],
    ['an address without a state', 200, JSON.stringify({ address: { ...ADDRESS, state: '' } })],
    ['a rejection without a reason', 409, '{}'],
  ])('fails when the answer is %s', async (_title, status, body) => {
    const { provider } = providerWith(() => [status, body])
    await expect(provider.validate(ADDRESS)).rejects.toBeInstanceOf(EmergencyProviderError)
  })

  it.each([
    'provision',
    'remove',
  ] as const)('asks again to %s a record when the answer was lost, since it may have been obeyed', async (what) => {
    let count = 0
    const { asked, provider } = providerWith(() => {
      count += 1
      if (count === 1) throw new OutboundError('response-timeout', 'https://e911.example/v1/')
      return [204, '']
    })
    const number = '+12125550143'
    if (what === 'remove') await provider.remove(number)
    else await provider.provision({ number, callerName: 'Acme', address: ADDRESS })
    expect(asked).toHaveLength(2)
    expect(asked[1]).toEqual(asked[0])
  })

  it('does not repeat a record that the provider refuses', async () => {
    const { asked, provider } = providerWith(() => [422, '{}'])
    const record = { number: '+12125550143', callerName: 'Acme', address: ADDRESS }
    await expect(provider.provision(record)).rejects.toBeInstanceOf(EmergencyProviderError)
    expect(asked).toHaveLength(1)
  })

  it('fails when nobody answers', async () => {
    const { provider } = providerWith(() => {
      throw new OutboundError('connect-failed', 'https://e911.example/v1/validate')
    })
    await expect(
      provider.provision({ number: '+1', callerName: 'A', address: ADDRESS }),
    ).rejects.toBeInstanceOf(EmergencyProviderError)
  })
})
