/** One thing that happened to a call: what a person reads to see why a call did what it did. */
export interface CallEventEntry {
  readonly callSid: string
  readonly accountSid: string
  readonly kind:
    | 'status'
    | 'sip'
    | 'webhook'
    | 'callback'
    | 'verb'
    | 'digits'
    | 'detection'
    | 'stream'
    | 'queue'
    | 'recording'
    | 'warning'
    | 'error'
  /** Without secrets; long texts are capped here. */
  readonly detail: Readonly<Record<string, unknown>>
}

export interface RecordedEvent extends CallEventEntry {
  readonly at: number
}
