import { describe, expect, it } from 'vitest'
import { dialogNameOf } from '../../../../../src/voice/telephony/dialog-facts.js'
import { readReferTo } from '../../../../../src/voice/telephony/legs/referrals.js'

describe('Refer-To', () => {
  it.each([
    ['<sip:agent@198.51.100.7>', 'sip:agent@198.51.100.7'],
    [
      'Agent <sips:agent@example.com;transport=tcp?X-A=1>;x=y',
      'sips:agent@example.com;transport=tcp?X-A=1',
    ],
    ['tel:+15551112222', 'tel:+15551112222'],
    [`<sip:${'a'.repeat(300)}@example.com>`, undefined],
    ['<agent@example.com>', undefined],
    [undefined, undefined],
  ])('%s leads to %s', (header, target) => {
    expect(readReferTo(header)?.target).toBe(target)
    expect(readReferTo(header)?.replaces).toBeUndefined()
  })

  it('with Replaces names a dialog (RFC 3891 §3, the example of RFC 5589 §7.3)', () => {
    const uri =
      'sips:482n4z24kdg@chicago.example.com;gr=8594958?Replaces=090459243588173445%3Bto-tag%3D9m2n3wq%3Bfrom-tag%3D763231'
    expect(readReferTo(`<${uri}>`)).toEqual({
      target: uri,
      replaces: { callId: '090459243588173445', localTag: '9m2n3wq', remoteTag: '763231' },
    })
  })

  it('with Replaces may be long, within a limit', () => {
    const long = (chars: number) =>
      `<sip:a@example.com?Replaces=${'c'.repeat(chars)}%3Bto-tag%3D1%3Bfrom-tag%3D2>`
    expect(readReferTo(long(400))?.replaces?.callId).toHaveLength(400)
    expect(readReferTo(long(1_100))).toBeUndefined()
  })

  it('with an unusable Replaces is an ordinary one', () => {
    expect(readReferTo('<sip:a@example.com?Replaces=abc%3Bto-tag%3D1>')?.replaces).toBeUndefined()
  })
})

describe('the name of a dialog', () => {
  it('has the tags of both sides, wherever the headers carry them', () => {
    const parties = {
      callId: 'abc',
      localParty: '"Us;tag=no" <sip:us@example.com;tag=none>;x=1;tag=ours',
      remoteParty: 'sip:peer@example.com; tag=theirs',
    }
    expect(dialogNameOf(parties)).toEqual({
      callId: 'abc',
      localTag: 'ours',
      remoteTag: 'theirs',
    })
    expect(dialogNameOf({ ...parties, remoteParty: '<sip:peer@example.com>' })).toBeUndefined()
  })
})
