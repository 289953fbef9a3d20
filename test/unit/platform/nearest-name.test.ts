import { expect, it } from 'vitest'
import { nearestName } from '../../../src/platform/nearest-name.js'

const VERBS = ['Say', 'Play', 'Pause', 'Gather', 'Record', 'Redirect', 's', 'p']

it.each([
  ['Sya', 'Say'],
  ['say', 'Say'],
  ['Gahter', 'Gather'],
  ['Rec', 'Record'],
  ['Plays', 'Play'],
  ['P', 'p'],
])('%s is near %s', (name, nearest) => {
  expect(nearestName(name, VERBS)).toBe(nearest)
})

it.each(['b', 'Unknown', 'Sip', ''])('%s is near none', (name) => {
  expect(nearestName(name, VERBS)).toBeUndefined()
})
