import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { leadsToNextCarrier, WAY_REFUSALS } from '../../../../src/voice/routing/carrier-routes.js'

it.each(['unreachable', 'no-answer', 'canceled'] as const)('%s', (cause) => {
  expect(leadsToNextCarrier({ cause, sipStatus: 408 })).toBe(cause === 'unreachable')
})

it('the guide names every refusal that leads to the next carrier', () => {
  const guide = readFileSync(new URL('../../../../docs/sip-trunks.md', import.meta.url), 'utf8')
  const [, listed = ''] = /^\| the next carrier \|([^|]*)\|/m.exec(guide) ?? []
  const numbers = [...listed.matchAll(/\b\d{3}\b/g)].map(([number]) => Number(number))
  expect(numbers.filter((number) => number < 500 || number === 606)).toEqual([...WAY_REFUSALS])
  for (const sipStatus of [300, 404, 410, 480, 484, 485, 486, 487, 600, 603, 604])
    expect(leadsToNextCarrier({ cause: 'rejected', sipStatus })).toBe(false)
  for (const sipStatus of [...WAY_REFUSALS, 500, 503, 599])
    expect(leadsToNextCarrier({ cause: 'rejected', sipStatus })).toBe(true)
})
