import { describe, expect, it } from 'vitest'
import { loadTables } from '../../../src/registry/data/tables.js'
import type { BrandDetails } from '../../../src/registry/rules/brand.js'
import { messageClass, mnoMetadataOf } from '../../../src/registry/rules/qualify.js'
import {
  governmentBrand,
  privateBrand,
  soleProprietor,
} from '../../support/registry/registry-samples.js'

const tables = loadTables()
const standing = (details: object, vettingScore?: number) => ({
  details: details as BrandDetails,
  identityStatus: 'VERIFIED' as const,
  vettingScore,
  hasPoliticalVet: false,
})
const russell = { ...privateBrand, optionalAttributes: { russell3000: { value: true } } }

describe('what an operator grants', () => {
  it.each<[string, object, number | undefined, string]>([
    ['2FA', privateBrand, 100, 'A'],
    ['2FA', privateBrand, 75, 'A'],
    ['MIXED', privateBrand, 75, 'B'],
    ['2FA', privateBrand, 74, 'C'],
    ['MARKETING', privateBrand, 50, 'D'],
    ['2FA', privateBrand, 49, 'E'],
    ['MIXED', privateBrand, 1, 'F'],
    ['MIXED', privateBrand, undefined, 'F'],
    ['2FA', governmentBrand, undefined, 'A'],
    ['MARKETING', russell, undefined, 'B'],
    ['LOW_VOLUME', privateBrand, 100, 'T'],
    ['SOLE_PROPRIETOR', soleProprietor, undefined, 'W'],
    ['POLITICAL', privateBrand, undefined, 'K'],
    ['CHARITY', privateBrand, undefined, 'P'],
    ['SOCIAL', privateBrand, undefined, 'S'],
    ['EMERGENCY', privateBrand, undefined, 'X'],
    ['PROXY', privateBrand, undefined, 'G'],
    ['AGENTS_FRANCHISES', privateBrand, undefined, 'N'],
    ['UCAAS_HIGH', privateBrand, undefined, 'Y'],
    ['TRIAL', privateBrand, undefined, 'Z'],
  ])('%s of a brand with score %#: class', (usecase, brand, score, expected) => {
    expect(messageClass(standing(brand, score), usecase, tables)).toBe(expected)
  })

  it.each<[string, object, number | undefined, string, number | null]>([
    ['score 75', privateBrand, 75, 'TOP', 200_000],
    ['score 50', privateBrand, 50, 'UPPER_MID', 40_000],
    ['score 25', privateBrand, 25, 'LOWER_MID', 10_000],
    ['score 24', privateBrand, 24, 'LOW', 2_000],
    ['no score', privateBrand, undefined, 'LOW', 2_000],
    ['Russell 3000', russell, undefined, 'TOP', 200_000],
    ['government', governmentBrand, undefined, 'UNCAPPED', null],
    ['a sole proprietor', soleProprietor, undefined, 'LOW', 1_000],
  ])('%s: tier %4$s', (_title, brand, score, tier, cap) => {
    const metadata = mnoMetadataOf(standing(brand, score), 'MIXED', tables)
    expect(metadata['10035']).toMatchObject({ brandTier: tier, brandDailyCap: cap })
  })
})
