/** The audio codecs that calls can use, in our order of preference. */

export const CODECS = ['PCMU', 'PCMA', 'G722', 'OPUS'] as const
export type Codec = (typeof CODECS)[number]

/**
 * The codecs that every media server has (RFC 7874 §3). They cost the least CPU, since nothing is transcoded.
 */
export const G711: readonly Codec[] = ['PCMU', 'PCMA']

/** Patterns in the output of `show codec` that prove that FreeSWITCH has loaded an optional codec. */
const MODULE_NAMES: Readonly<Partial<Record<Codec, RegExp>>> = {
  G722: /^codec,G\.722,/m,
  OPUS: /^codec,OPUS \(STANDARD\),/m,
}

/** Returns the codecs that FreeSWITCH can use: listed in its SIP profile, and loaded (`show codec`). */
export function codecsOf(inProfile: readonly string[], loaded: string): readonly Codec[] {
  return CODECS.filter((codec) => {
    const name = MODULE_NAMES[codec]
    return name === undefined || (inProfile.includes(codec) && name.test(loaded))
  })
}

/** Returns the codecs that all of these servers have; G.711 when there is no server. */
export function commonCodecs(servers: readonly (readonly Codec[])[]): readonly Codec[] {
  return servers.length === 0
    ? G711
    : CODECS.filter((codec) => servers.every((codecs) => codecs.includes(codec)))
}
