import { describe, expect, it } from 'vitest'
import {
  type ConnectionOverrides,
  parseConnectionOverrides,
} from '../../../../src/platform/webhooks/connection-overrides.js'

const defaults: ConnectionOverrides = {
  retries: 1,
  retryOn: new Set(['ct']),
  connectTimeoutMs: 5_000,
  responseTimeoutMs: 15_000,
  totalTimeoutMs: 15_000,
  serverName: 'sent',
}

describe('connection overrides', () => {
  it.each<[string, Partial<ConnectionOverrides>]>([
    ['', {}],
    ['#', {}],
    ['section-2', {}],
    ['#rc=0', { retries: 0 }],
    ['rc=5', { retries: 5 }],
    [
      'ct=100&rt=100&tt=100',
      { connectTimeoutMs: 100, responseTimeoutMs: 100, totalTimeoutMs: 100 },
    ],
    ['ct=10000&rt=15000&tt=15000', { connectTimeoutMs: 10_000 }],
    ['rp=5xx', { retryOn: new Set(['5xx']) }],
    ['rp=4xx,5xx,ct,rt', { retryOn: new Set(['4xx', '5xx', 'ct', 'rt']) }],
    ['rp=RT,%20CT', { retryOn: new Set(['rt', 'ct']) }],
    ['rp=all', { retryOn: new Set(['4xx', '5xx', 'ct', 'rt']) }],
    ['e=ashburn,dublin&sni=y&rc=2', { retries: 2 }],
    ['sni=n', { serverName: 'omitted' }],
    ['sni=maybe', {}],
  ])('%j', (fragment, expected) => {
    const { overrides, problems } = parseConnectionOverrides(fragment)
    expect(overrides).toEqual({ ...defaults, ...expected })
    expect(problems).toEqual([])
  })

  it.each([
    ['ct=99', 11240],
    ['ct=10001', 11240],
    ['ct=abc', 11240],
    ['ct=', 11240],
    ['ct=1e3', 11240],
    ['ct=-5', 11240],
    ['rt=15001', 11241],
    ['tt=99', 11241],
    ['tt=99999999999', 11241],
    ['rc=6', 11242],
    ['rc=-1', 11242],
    ['rc=1.5', 11242],
    ['rp=', 11243],
    ['rp=6xx', 11243],
    ['rp=ct,nonsense', 11243],
  ])('%s keeps the default and says so', (fragment, code) => {
    const { overrides, problems } = parseConnectionOverrides(fragment)
    expect(overrides).toEqual(defaults)
    const [name, value] = fragment.split('=')
    expect(problems).toEqual([{ code, name, value }])
  })
})
