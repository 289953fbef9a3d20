import { expect, it } from 'vitest'
import { encodeTelephoneWav, readWav } from '../../../../src/voice/audio/wav.js'

it('reads a WAV with a data length of 0 to its end', () => {
  const whole = encodeTelephoneWav(new Int16Array([1, 2, 3]))
  const unstated = Uint8Array.from(whole)
  new DataView(unstated.buffer).setUint32(40, 0, true)
  expect([...readWav(unstated)]).toEqual([...readWav(whole)])
})
