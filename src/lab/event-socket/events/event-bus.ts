import { localTime, microseconds, type SwitchFacts } from '../model/switch-facts.js'
import { FiredEvent, type SwitchEvent } from './switch-event.js'

/** The properties by which a connection decides whether it wants an event. */
export interface EventKind {
  readonly name: string
  readonly subclass?: string | undefined
  /** The Unique-ID of the event's channel. */
  readonly channel?: string | undefined
}

/** A connection that receives events. */
export interface EventListener {
  wants(what: EventKind): boolean
  deliver(fired: FiredEvent): void
}

export interface EventDraft extends EventKind {
  /** Returns the headers that follow the common ones. */
  readonly headers: () => Iterable<readonly [name: string, value: string]>
  readonly body?: string | undefined
}

/** Numbers events and delivers each to the connections that subscribed to it. */
export class EventBus {
  readonly #facts: SwitchFacts
  readonly #listeners = new Set<EventListener>()
  #sequence = 0

  constructor(facts: SwitchFacts) {
    this.#facts = facts
  }

  /** Attaches a listener, which receives later events in order. Returns a function that detaches it. */
  attach(listener: EventListener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Fires an event. The event is built only if a connection wants it. */
  fire(draft: EventDraft): void {
    this.#sequence++
    let fired: FiredEvent | undefined
    for (const listener of this.#listeners) {
      if (!listener.wants(draft)) continue
      fired ??= new FiredEvent(this.make(draft))
      listener.deliver(fired)
    }
  }

  /** Makes an event without firing it, for use as a reply. */
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
      // FreeSWITCH writes the source position here; clients expect the fields.
      ['Event-Calling-File', 'event-socket'],
      ['Event-Calling-Function', name.toLowerCase()],
      ['Event-Calling-Line-Number', '0'],
      ['Event-Sequence', String(this.#sequence)],
    ]
  }
}
