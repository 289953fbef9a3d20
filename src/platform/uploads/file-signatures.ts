/** The signatures that identify file types. Pure. */
import type { FileSample } from './file-sample.js'

/** Returns true when the content is of one file type. */
export type Sniffer = (sample: FileSample) => boolean

const startsWith =
  (...signatures: readonly (readonly number[])[]): Sniffer =>
  ({ head }) =>
    signatures.some((signature) => signature.every((byte, index) => head[index] === byte))
const ascii = (text: string, offset = 0): Sniffer => {
  const expected = Buffer.from(text, 'latin1')
  return ({ head }) => head.subarray(offset, offset + expected.length).equals(expected)
}
const both =
  (...sniffers: readonly Sniffer[]): Sniffer =>
  (sample) =>
    sniffers.every((sniff) => sniff(sample))
const either =
  (...sniffers: readonly Sniffer[]): Sniffer =>
  (sample) =>
    sniffers.some((sniff) => sniff(sample))

/**
 * The known signatures. Camera raw files share none, and must not match another type.
 */
export const bmp = ascii('BM')
export const gif = either(ascii('GIF87a'), ascii('GIF89a'))
export const jpeg = startsWith([0xff, 0xd8, 0xff])
export const png = startsWith([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
export const tiff = either(ascii('II*\0'), ascii('MM\0*'))
export const isoMedia = ascii('ftyp', 4)
/** Recognises an MPEG audio frame's sync word, or the tag that players put before it. */
export const mpegAudio: Sniffer = (sample) => {
  const [first = 0, second = 0] = sample.head
  return ascii('ID3')(sample) || (first === 0xff && (second & 0xe0) === 0xe0 && !jpeg(sample))
}
export const ogg = ascii('OggS')
export const wav = both(ascii('RIFF'), ascii('WAVE', 8))
export const webm = startsWith([0x1a, 0x45, 0xdf, 0xa3])
export const zip = startsWith([0x50, 0x4b, 0x03, 0x04])
export const pdf = ascii('%PDF-')
export const rtf = ascii('{\\rtf')
export const text: Sniffer = ({ isText }) => isText
export const markup = both(text, ({ head }) =>
  /^\uFEFF?\s*</.test(head.subarray(0, 256).toString('utf8')),
)
const program = either(ascii('MZ'), ascii('\x7fELF'), ascii('#!'))
const known = either(bmp, gif, jpeg, png, isoMedia, ogg, wav, webm, zip, pdf, rtf, program)
export const raw: Sniffer = (sample) => !known(sample)
