import { describe, expect, it } from 'vitest'
import { writeJson } from '../../../../src/platform/api/write-answer.js'

const frozen = Object.freeze({ sid: 'a"b', at: null, more: { path: '/é' }, absent: undefined })

describe('writeJson writes what JSON.stringify writes', () => {
  it.each<[string, object]>([
    ['a record', { sid: 'x', price: null, count: 3 }],
    ['a frozen record', frozen],
    ['a list of frozen records', { calls: [frozen, frozen], page: 0, next: null, uri: undefined }],
    ['a list of both kinds', { calls: [frozen, { sid: 'c' }, undefined, 1, null], total: 2 }],
    ['a list with a key to escape', { 'ca"lls': [frozen] }],
    ['an empty list', { calls: [], total: 0 }],
    ['a list of texts', { names: ['a', 'b'] }],
    ['a list as a whole', [1, { sid: 'x' }]],
  ])('%s', (_title, body) => {
    expect(writeJson(body)).toBe(JSON.stringify(body))
    // The second time from what was remembered.
    expect(writeJson(body)).toBe(JSON.stringify(body))
  })

  it('an array of frozen records that is the body itself', () => {
    expect(writeJson([frozen])).toBe(JSON.stringify([frozen]))
  })
})
