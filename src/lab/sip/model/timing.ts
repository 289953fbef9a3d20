/** The timers in milliseconds (RFC 3261 §17.1.1.1 and table 4 of its appendix A). */
export interface SipTiming {
  readonly t1: number
  readonly t2: number
  readonly t4: number
  /**
   * The time for which an INVITE may ring without a new provisional response (as timer C, §16.6).
   */
  readonly ringing: number
  /** The time before a server INVITE sends 100 by itself; §17.2.1 allows 200 ms. */
  readonly trying: number
}

export const DEFAULT_TIMING: SipTiming = {
  t1: 500,
  t2: 4_000,
  t4: 5_000,
  ringing: 900_000,
  trying: 0,
}
