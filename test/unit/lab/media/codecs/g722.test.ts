import { describe, expect, it } from 'vitest'
import { G722Decoder, G722Encoder } from '../../../../../src/lab/media/codecs/g722.js'
import { sine, toneShare } from '../../../../support/sound/tone.js'

/** What libspandsp 0.0.6 makes of `signal`, as 8 kHz audio (its lower band alone). */
const NARROW = [
  'xMTExMTEys7P0dLU1tja3f79+vf08O7t7OvG09v/+vjz8/Ds68ff+/f07u7tx/f88/Htx/r/9vDsx/j79e7syfr38ezI',
  '9PXw6snw8+/I9u/wyPXu8Mny7+7K8O3H7vHpy+/syPTvyfTw5szw6crs687syPfty+7rzNHO19bZ3NjX1uPz7/n39/fy',
  '8/TG2tTc29rZ1tfZ4vzw+ff19PH088b71d7c1trW2tni2/L7+PL28/j0xvLY3NnX29rb3OLV9/z18vb2+fXF8t3d2tfa',
  '3Nrc4db6+vbz9vn49MXw/dzX2tjc293h0fv59PH1/Pf54OrExPbz0s/O0Nfc0NDR19nU09nT29jT29jU1tvZ1trY1drZ',
  '2Nbb3NTY2NjY1/7U2NjZ2dna29vc1dvf4NLW9fv//vrc2/b+/////t37/v///v7f+f39/f7+3/n9/f3//t/5/f39//7+',
  '/v///f39/f39/f39/f39/f39/f39/f39/f39/Pz8/Pz8/Pz8/Pz8/Pz8/Pz8/Pvc/Prf99z8+w==',
].join('')
/** What it makes of twice as many samples as 16 kHz audio, both bands, and what it hears of that at 8 kHz. */
const WIDE = [
  'LoQghCGEBIoLjdDT1x65M7AnmwqcNa4pDZ6wKQ68LAydLw3/KxBuv9gnFCwSLxNxV3E5lf61fRqTfa1wNauTXBy+ys3P',
  'zDtna+xpvsvRUc066O7va5xM1FTPNmly8WycTdhV0DZqdfJsmk/dV9A27Pf0LZnP/lbRNWy8LZ0glAQJSEnFRETERURE',
  'RcXGx8nGykhIyszL0EyNEo0x9tF7nfj83nz8/H1/f///ff39/f19ff39/f39/f39/f39/f39/b39/f39vf19/f39/f39',
  '/f39/f39/b39/b39/Pz8vPz8/Lz8/Lz8/Lz8fPy8/Lz8/Px8/Py8vPz8fPy73fn8+v98+bu//fz6fPvftrz7/Hv8u/z7',
  '/Pu8+3z7u/v7u/p6+rr6+vr6unr6uvr73/P+e/ufs172uvp4+vq6+fn7X/b7ubl5+fuf8125+Xn5u/l5u1/z+/v7+7tf',
  '8t/2u/n233T7+7a5efvftHj7uHbf9vj4+Pv7n/P4+/v7u97xuN/2+Pjfc7bftt/0u/h2+/i7+w==',
].join('')
const HEARD_OF_WIDE = [
  'CgDO/44AXP78A5TzLuAG1ZjUANnK3qDkxup88279qgheEVQqJADQ13bzzAKEFVYn4OL8+NQMPiUg5vz9wBZk3XD3ShOq',
  '3lb7RB1+5gwUnAJw8uQmnO92GrLpyBW65yAXRux6GAr9pvTC/aQJMv7i+fLwQAG8EjgPEgn6GKDqvvuC93b/YNcU4Mre',
  'iNeo/wwpICGuIaYnhAAq1zrfOt2w1XD/zCjSIUQh8idMAMzW2N2s3ZTWaAAEKFAhOiLYKJQAXNYk38bdVtdCAEIpVCIg',
  'Itwpav+O1tLevN7M1Wr/7idkIb4hXCiCAIzWNN4e3lbXCACuKgwexilqEopaWgi4mfqOooKSiaKFJpH0lBSO9Jcckq6U',
  'cJxUlvSaPp0So1qexqcupminQKsCr/SvOrKGs3K0Pru0swTfngWG/SYBpP/m/xQAPABoADwAzP/I/xIAEgDe/8L/MgAu',
  'AC4ALAAqACYAJAAiACAAHgAcABoAGAAWABQAFAASABAAEAAOAA4ADAAMAAoACgAKAAgACAAIAAYABgAGAAQABAAEAAQA',
  'BAACAAIAAgACAAIAAgAAAAAAAAAAAP7/BgAGAAQABAAEAAQAAgACAAIAAgAAAAAAAAAAAAIABAACAAIAAgACAAIAAgAC',
  'AAIAAAAAAAAAAAAAAAAAAAAAAAIAAAACAAIAAAAAAAAAAgACAAAAAAAAAAAAAgACAAAAAAACAAIAAgACAAIAAgACAAIA',
  'AgAAAAIAAAACAAAAAAAAAAAAAAACAAIAAgACAAIAAgACAAIAAgACAAAAAAAAAAIA/v8CAAAAAgACAP7/AgAAAAIAAAAA',
  'AAAAAAAAAAAAAgACAAIA/v8AAAIAAgAAAAAAAAACAP7/AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAIAAAAAAAIAAAACAAAAAAACAAAAAAAAAAAAAAACAAAAAgAAAAAAAAACAAIAAgAAAAAAAAAAAAIAAAAAAAAAAAD+',
  '/wAAAgAAAAAAAgACAAAAAAAAAAAAAAAAAAAAAAACAAAAAAACAAAAAAA=',
].join('')

/** A scrambled sweep, a square wave, steps over the whole range, and silence. */
const signal = (count: number) =>
  Int16Array.from({ length: count }, (_, i) => {
    if (i < 120) return ((i * i * 37) % 24_001) - 12_000
    if (i < 240) return Math.floor(i / 10) % 2 === 1 ? 9_000 : -9_000
    return i < 300 ? ((i * 271) % 65_536) - 32_768 : 0
  })
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'))

describe('G.722', () => {
  it('is encoded bit for bit as another implementation does', () => {
    const coded = new Uint8Array(400)
    new G722Encoder().encode(signal(400), coded, 0, 400)
    expect(Buffer.from(coded).toString('base64')).toBe(NARROW)
  })

  it('is decoded as another implementation does, whose upper band is left out', () => {
    const coded = bytes(WIDE)
    const heard = new Int16Array(coded.length)
    new G722Decoder().decode(coded, 0, coded.length, heard)
    expect(Buffer.from(heard.buffer).toString('base64')).toBe(HEARD_OF_WIDE)
  })

  it('keeps a tone through packets of any length', () => {
    const encoder = new G722Encoder()
    const decoder = new G722Decoder()
    const spoken = sine(440, 4_000)
    const packet = new Uint8Array(16)
    const heard = new Int16Array(4_000)
    for (let at = 0; at < 4_000; at += 16) {
      encoder.encode(spoken.subarray(at, at + 16), packet, 0, 16)
      decoder.decode(packet, 0, 16, heard.subarray(at, at + 16))
    }
    expect(toneShare(heard.subarray(800), 440)).toBeGreaterThan(0.99)
  })
})
