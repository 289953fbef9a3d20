/** An event that a CSP has subscribed to. */
export interface SubscribedEvent {
  readonly eventId: string
  readonly type: string
  readonly cspId: string
  readonly category: string
  readonly accountSid: string
}

/** The stream of a subscription; its events are delivered strictly in order. */
export function streamOf(cspId: string, category: string): string {
  return `${cspId}:${category}`
}
