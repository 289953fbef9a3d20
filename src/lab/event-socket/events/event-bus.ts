import { localTime, microseconds, type SwitchFacts } from '../model/switch-facts.js'
import { FiredEvent, type SwitchEvent } from './switch-event.js'

/** The facts by which a connection decides whether it wants an event. */
export interface EventKind {
  readonly name: string
  readonly subclass?: string | undefined
  /** The channel that the event is about, which has this as its Unique-ID. */
  readonly channel?: string | undefined
}

/** A connection that receives events. */
export interface EventListener {
  wants(what: EventKind): boolean
  deliver(fired: FiredEvent): void
}

export interface EventDraft extends EventKind {
  /** The headers that are written behind those that every event has. */
  readonly headers: () => Iterable<readonly [name: string, value: string]>
  readonly body?: string | undefined
}

/** Numbers the events and hands each to the connections that asked for it. */
export class EventBus {
  readonly #facts: SwitchFacts
  readonly #listeners = new Set<EventListener>()
  #sequence = 0

  constructor(facts: SwitchFacts) {
    this.#facts = facts
  }

  /**
   * Attaches a listener: events fired from now on reach it in the order of their numbers. Returns
   * the function that detaches it.
   */
  attach(listener: EventListener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Fires an event. It costs nothing when no connection wants the event. */
  fire(draft: EventDraft): void {
    this.#sequence++
    let fired: FiredEvent | undefined
    for (const listener of this.#listeners) {
      if (!listener.wants(draft)) continue
      fired ??= new FiredEvent(this.make(draft))
      listener.deliver(fired)
    }
  }

  /** Makes an event that is sent as a reply, not as a notice. */
  make(draft: EventDraft): SwitchEvent {
    const headers = new Map<string, string>()
    if (draft.subclass !== undefined) headers.set('Event-Subclass', draft.subclass)
    headers.set('Event-Name', draft.name)
    for (const [name, value] of this.#common(draft.name)) headers.set(name, value)
    for (const [name, value] of draft.headers()) headers.set(name, value)
    return { name: draft.name, subclass: draft.subclass, headers, body: draft.body }
  }

  #common(name: string): [string, string][] {
    const now = new Date()
    const { coreUuid, hostname, mediaAddress } = this.#facts
    return [
      ['Core-UUID', coreUuid],
      ['FreeSWITCH-Hostname', hostname],
      ['FreeSWITCH-Switchname', hostname],
      ['FreeSWITCH-IPv4', mediaAddress],
      ['FreeSWITCH-IPv6', '::1'],
      ['Event-Date-Local', localTime(now)],
      ['Event-Date-GMT', now.toUTCString()],
      ['Event-Date-Timestamp', microseconds(now.getTime())],
      // Where in its source the server fired; there is no such place here, but the fields are expected.
      ['Event-Calling-File', 'event-socket'],
      ['Event-Calling-Function', name.toLowerCase()],
      ['Event-Calling-Line-Number', '0'],
      ['Event-Sequence', String(this.#sequence)],
    ]
  }
}
