export type ServerHealth = 'connecting' | 'up' | 'down'

/** A drachtio or FreeSWITCH server as an operator sees it. */
export interface ServerView {
  /** `host:port` of its control port. */
  readonly name: string
  readonly kind: 'drachtio' | 'freeswitch'
  readonly health: ServerHealth
  /** Why it cannot be used, in a sentence. */
  readonly fault: string | undefined
  /** How long it has had this fault; undefined without one. */
  readonly faultMs: number | undefined
  /** True while it gets no new call. */
  readonly isDrained: boolean
  /** The share of new calls that it gets, compared with the others' weights. */
  readonly weight: number
  /** The channels of this process on a FreeSWITCH, or its legs over a drachtio. */
  readonly ownChannels: number
  /** All channels of a FreeSWITCH, as far as it has told; a drachtio tells no more than our own. */
  readonly channels: number
  /** The most channels that a FreeSWITCH takes, and how idle its processor is; undefined when not known. */
  readonly maxSessions: number | undefined
  readonly idlePercent: number | undefined
}
