/** The codecs of calls, and which of them a media server has. */

export const CODECS = ['PCMU', 'PCMA', 'G722', 'OPUS'] as const
export type Codec = (typeof CODECS)[number]

/** The codecs that every media server has (RFC 7874 §3), and that a call costs least with. */
export const G711: readonly Codec[] = ['PCMU', 'PCMA']

/** The names of the others among the codecs that FreeSWITCH's modules bring. */
const MODULE_NAMES: Readonly<Partial<Record<Codec, RegExp>>> = {
  G722: /^codec,G\.722,/m,
  OPUS: /^codec,OPUS \(STANDARD\),/m,
}

/** The codecs that FreeSWITCH takes: those of its SIP profile whose module is loaded (`show codec`). */
export function codecsOf(inProfile: readonly string[], loaded: string): readonly Codec[] {
  return CODECS.filter((codec) => {
    const name = MODULE_NAMES[codec]
    return name === undefined || (inProfile.includes(codec) && name.test(loaded))
  })
}

/** The codecs that all of these servers have. */
export function commonCodecs(servers: readonly (readonly Codec[])[]): readonly Codec[] {
  return servers.length === 0
    ? G711
    : CODECS.filter((codec) => servers.every((codecs) => codecs.includes(codec)))
}
