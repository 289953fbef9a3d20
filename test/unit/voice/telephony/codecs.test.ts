import { describe, expect, it } from 'vitest'
import { codecsOf, commonCodecs } from '../../../../src/voice/telephony/codecs.js'
import { sipProfileOf } from '../../../../src/voice/telephony/sip-profile.js'

/** What FreeSWITCH 1.10 answers to `show codec`. */
const LOADED = [
  'type,name,ikey',
  'codec,G.711 alaw,CORE_PCM_MODULE',
  'codec,G.711 ulaw,CORE_PCM_MODULE',
  'codec,G.722,mod_spandsp',
  'codec,OPUS (STANDARD),mod_opus',
  '',
  '4 total.',
].join('\n')
const profile = (codecs: string) =>
  sipProfileOf(`Name\tdrachtio_mrf\nCODECS IN        \t${codecs}\n`)?.codecs ?? []

describe('the codecs of a media server', () => {
  it.each([
    ['all', 'PCMU,PCMA,G722,OPUS', LOADED, ['PCMU', 'PCMA', 'G722', 'OPUS']],
    ['those in its profile', 'PCMU,PCMA', LOADED, ['PCMU', 'PCMA']],
    ['those of its modules', 'PCMU,OPUS', LOADED.replace(/^.*opus$/m, ''), ['PCMU', 'PCMA']],
    ['G.711 in any case', 'N/A', '-ERR', ['PCMU', 'PCMA']],
  ])('are %s', (_title, codecs, loaded, expected) => {
    expect(codecsOf(profile(codecs), loaded)).toEqual(expected)
  })

  it('are what all servers have, where there are several', () => {
    expect(
      commonCodecs([
        ['PCMU', 'PCMA', 'OPUS'],
        ['PCMU', 'PCMA', 'G722', 'OPUS'],
      ]),
    ).toEqual(['PCMU', 'PCMA', 'OPUS'])
    expect(commonCodecs([])).toEqual(['PCMU', 'PCMA'])
  })
})
