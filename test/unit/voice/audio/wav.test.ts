import { describe, expect, it } from 'vitest'
import { encodeTelephoneWav, readWav } from '../../../../src/voice/audio/wav.js'

describe('a WAV with a data length of 0', () => {
  const whole = encodeTelephoneWav(new Int16Array([1, 2, 3]))

  it.each([
    ['no length', 0],
    ['the length of its head', 36],
  ])('whose writer stated %s of the file is read to its end', (_title, riffBytes) => {
    const unstated = Uint8Array.from(whole)
    new DataView(unstated.buffer).setUint32(4, riffBytes, true)
    new DataView(unstated.buffer).setUint32(40, 0, true)
    expect([...readWav(unstated)]).toEqual([...readWav(whole)])
  })

  it('that is empty is silent, whatever chunk follows', () => {
    const empty = Uint8Array.from([...encodeTelephoneWav(new Int16Array([])), ...list()])
    new DataView(empty.buffer).setUint32(4, empty.length - 8, true)
    expect([...readWav(empty)].flatMap(({ samples }) => [...samples])).toEqual([])
  })
})

/** A chunk of four bytes that tells about the file. */
function list(): Uint8Array {
  return Uint8Array.from([...Buffer.from('LIST'), 4, 0, 0, 0, ...Buffer.from('INFO')])
}
