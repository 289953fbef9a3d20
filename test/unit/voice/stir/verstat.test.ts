import { describe, expect, it } from 'vitest'
import {
  carrierVerdict,
  type IdentityVerdict,
  speaksOf,
  verstatOf,
} from '../../../../src/voice/stir/verstat.js'

const CALL = { from: '+12155551212', to: '+15557770001', atMs: 1_000_000_000 }
const CLAIMS = {
  attest: 'A',
  dest: ['15550000000', '15557770001'],
  iat: 1_000_000,
  orig: '12155551212',
  origid: '',
} as const

describe('the claims of a PASSporT', () => {
  it.each([
    ['of this call', {}, true],
    ['of a minute ago', { iat: 999_940 }, true],
    ['of more than a minute ago', { iat: 999_939 }, false],
    ['of the future', { iat: 1_000_061 }, false],
    ['of another caller', { orig: '12155551213' }, false],
    ['of another called number', { dest: ['15550000000'] }, false],
    ['with a plus', { orig: '+1 215 555 1212' }, true],
  ])('%s: %s', (_title, changes, expected) => {
    expect(speaksOf({ claims: { ...CLAIMS, ...changes } }, CALL)).toBe(expected)
  })
})

describe('StirVerstat', () => {
  it.each<[IdentityVerdict, string]>([
    [{ type: 'passed', attest: 'A', isDiverted: false }, 'TN-Validation-Passed-A'],
    [{ type: 'passed', attest: 'C', isDiverted: false }, 'TN-Validation-Passed-C'],
    [{ type: 'passed', attest: undefined, isDiverted: false }, 'TN-Validation-Failed'],
    [{ type: 'failed', attest: 'B', isDiverted: false }, 'TN-Validation-Failed-B'],
    [{ type: 'failed', attest: undefined, isDiverted: false }, 'TN-Validation-Failed'],
    [{ type: 'passed', attest: 'B', isDiverted: true }, 'TN-Validation-Passed-B-Diverted'],
    [{ type: 'failed', attest: 'A', isDiverted: true }, 'TN-Validation-Failed-A-Diverted'],
    [{ type: 'not-validated' }, 'No-TN-Validation'],
    [
      { type: 'by-carrier', verstat: 'TN-Validation-Passed', attest: 'A' },
      'TN-Validation-Passed-A-Passthrough',
    ],
    [
      { type: 'by-carrier', verstat: 'No-TN-Validation', attest: undefined },
      'No-TN-Validation-Passthrough',
    ],
  ])('of %j is %s', (verdict, expected) => {
    expect(verstatOf(verdict)).toBe(expected)
  })
})

describe('the verdict of the carrier', () => {
  const claim = (headers: Readonly<Record<string, string>>) =>
    carrierVerdict((name) => headers[name])
  const identity = (verstat: string) => `<sip:+12155551212;verstat=${verstat}@carrier.example>`

  it.each([
    ['TN-Validation-Passed', 'A', 'TN-Validation-Passed-A-Passthrough'],
    ['TN-Validation-Failed', undefined, 'TN-Validation-Failed-Passthrough'],
    ['TN-Validation-Failed', 'C', 'TN-Validation-Failed-C-Passthrough'],
    ['No-TN-Validation', 'A', 'No-TN-Validation-Passthrough'],
  ])('%s with %s is %s', (verstat, attest, expected) => {
    const verdict = claim({
      'p-asserted-identity': identity(verstat),
      ...(attest === undefined ? {} : { 'p-attestation-indicator': attest }),
    })
    expect(verdict && verstatOf(verdict)).toBe(expected)
  })

  it.each([
    ['nothing is said', {}],
    ['it is not known', { 'p-asserted-identity': identity('Probably') }],
    [
      'it passed without an attestation',
      { 'p-asserted-identity': identity('TN-Validation-Passed') },
    ],
  ])('is none when %s', (_title, headers) => {
    expect(claim(headers)).toBeUndefined()
  })
})
