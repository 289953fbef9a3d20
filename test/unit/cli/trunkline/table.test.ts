import { expect, it } from 'vitest'
import { tableOf } from '../../../../src/cli/trunkline/terminal/show.js'

it('lines up columns under their names, and shows what is absent as a dash', () => {
  const rows = [
    { sid: 'CA1', date_created: 'today', duration: null },
    { sid: 'CA22', date_created: 'tomorrow', duration: 7 },
  ]
  expect(tableOf(['sid', 'date_created', 'duration'], rows)).toEqual([
    'SID   DATE CREATED  DURATION',
    'CA1   today         -',
    'CA22  tomorrow      7',
  ])
})

it("prints no control character of a peer's text", () => {
  expect(tableOf(['voiceUrl'], [{ voiceUrl: 'a\u001b[2Jb' }])).toEqual(['VOICE URL', 'a [2Jb'])
})
