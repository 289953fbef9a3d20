/**
 * | verb | attribute | values | default | wrong |
 * |---|---|---|---|---|
 * | Pause | length | whole seconds from 1 | 1 | 13910 |
 * | Redirect | method | GET, POST | POST | 13710 |
 * | Redirect | (text) | URL, may be relative | the current document | – |
 * | Reject | reason | rejected, busy | rejected | 13810 |
 * | Hangup | – | – | – | – |
 */
import { describe, expect, it } from 'vitest'
import { verbOf } from './support.js'

describe('Pause length', () => {
  it.each([
    ['', 1000],
    ['length="1"', 1000],
    ['length="90"', 90_000],
  ])('%s → %d ms', (attributes, durationMs) => {
    expect(verbOf('pause', `<Pause ${attributes}/>`)).toMatchObject({
      verb: { durationMs },
      codes: [],
    })
  })
  it.each(['0', '-1', '1.5', 'long', '999999999'])('wrong: "%s"', (length) => {
    expect(verbOf('pause', `<Pause length="${length}"/>`)).toMatchObject({
      verb: { durationMs: 1000 },
      codes: [13910],
    })
  })
})

describe('Redirect', () => {
  it.each([
    ['', 'POST'],
    ['method="POST"', 'POST'],
    ['method="GET"', 'GET'],
    ['method="get"', 'GET'],
  ])('%s → %s', (attributes, method) => {
    expect(verbOf('redirect', `<Redirect ${attributes}>/next</Redirect>`)).toMatchObject({
      verb: { method, url: '/next' },
      codes: [],
    })
  })
  it('wrong method', () => {
    expect(verbOf('redirect', '<Redirect method="PUT">/next</Redirect>')).toMatchObject({
      verb: { method: 'POST' },
      codes: [13710],
    })
  })
  it('without a URL is the current document', () => {
    expect(verbOf('redirect', '<Redirect/>')).toMatchObject({ verb: { url: undefined }, codes: [] })
  })
})

describe('Reject reason', () => {
  it.each([
    ['', 'rejected'],
    ['reason="rejected"', 'rejected'],
    ['reason="busy"', 'busy'],
  ])('%s → %s', (attributes, reason) => {
    expect(verbOf('reject', `<Reject ${attributes}/>`)).toMatchObject({
      verb: { reason },
      codes: [],
    })
  })
  it('wrong', () => {
    expect(verbOf('reject', '<Reject reason="tired"/>')).toMatchObject({
      verb: { reason: 'rejected' },
      codes: [13810],
    })
  })
})

it('Hangup has no attributes', () => {
  expect(verbOf('hangup', '<Hangup/>').codes).toEqual([])
  expect(verbOf('hangup', '<Hangup reason="busy"/>').codes).toEqual([12200])
})
