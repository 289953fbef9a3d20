export const RTP_HEADER_BYTES = 12
/** Static RTP payload type of µ-law (RFC 3551 §6). */
export const PCMU = 0
/** The µ-law code of linear zero. */
export const SILENCE = 0xff
