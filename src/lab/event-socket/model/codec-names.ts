import type { AudioCodec } from '../../media/codecs/audio-codec.js'

/** How FreeSWITCH names our codecs: in `show codec`, and the modules that bring them. */
export const CODEC_NAMES: Readonly<
  Record<AudioCodec, { readonly name: string; readonly module: string }>
> = {
  PCMU: { name: 'G.711 ulaw', module: 'CORE_PCM_MODULE' },
  PCMA: { name: 'G.711 alaw', module: 'CORE_PCM_MODULE' },
  G722: { name: 'G.722', module: 'mod_spandsp' },
}
