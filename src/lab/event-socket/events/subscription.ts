import type { EventKind } from './event-bus.js'
import { CHANNEL_OWN_EVENTS, eventName } from './event-names.js'
import type { EventFormat, SwitchEvent } from './switch-event.js'

interface Filter {
  readonly header: string
  readonly value: string
}

/** Maximum number of filters of a connection; each event is compared with all of them. */
const MAX_FILTERS = 1_000
const MAX_NAMES = 1_000

/** The events that one connection subscribed to, and their format. */
export class Subscription {
  format: EventFormat = 'plain'
  readonly #names = new Set<string>()
  readonly #subclasses = new Set<string>()
  #filters: Filter[] = []
  /**
   * The channels that the filters let through; undefined when there is no filter or one is on another header.
   */
  #channels: ReadonlySet<string> | undefined
  /** The channel selected by `myevents`, whose events alone are delivered; undefined without `myevents`. */
  #onlyOf: string | undefined

  get isEmpty(): boolean {
    return this.#names.size === 0
  }

  get isMyEvents(): boolean {
    return this.#onlyOf !== undefined
  }

  /**
   * Subscribes to `HEARTBEAT CUSTOM conference::maintenance a::b`. Returns the number of known events. Each
   * word after CUSTOM is a subclass, even if it is an event's name.
   */
  add(words: readonly string[]): number {
    let known = 0
    let isCustom = false
    for (const word of words) {
      if (isCustom) {
        if (this.#subclasses.size < MAX_NAMES) this.#subclasses.add(word)
        continue
      }
      const name = eventName(word)
      if (name === undefined) continue
      known++
      this.#names.add(name)
      isCustom = name === 'CUSTOM'
    }
    return known
  }

  remove(words: readonly string[]): number {
    let known = 0
    let isCustom = false
    for (const word of words) {
      if (isCustom) {
        this.#subclasses.delete(word)
        continue
      }
      const name = eventName(word)
      if (name === undefined) continue
      known++
      if (name === 'CUSTOM') isCustom = true
      else if (name === 'ALL') this.#names.clear()
      else this.#names.delete(name)
    }
    return known
  }

  clear(): void {
    this.#names.clear()
    this.#subclasses.clear()
  }

  addMyEvents(uuid: string): void {
    for (const name of CHANNEL_OWN_EVENTS) this.#names.add(name)
    this.#onlyOf = uuid
  }

  /** Adds a filter. Returns false when there are too many. */
  addFilter(header: string, value: string): boolean {
    if (this.#filters.length >= MAX_FILTERS) return false
    this.#filters.push({ header, value })
    this.#channels = channelsOf(this.#filters)
    return true
  }

  /** Removes filters: without a value, all filters on the header; without a header, all filters. */
  removeFilters(header?: string, value?: string): void {
    this.#filters = this.#filters.filter(
      (filter) =>
        header !== undefined &&
        (filter.header.toLowerCase() !== header.toLowerCase() ||
          (value !== undefined && filter.value !== value)),
    )
    this.#channels = channelsOf(this.#filters)
  }

  /**
   * Returns false when the event is certainly not wanted. This cheap test needs no built event: with one
   * connection per channel, most events are for other connections.
   */
  wants({ name, subclass, channel }: EventKind): boolean {
    if (channel !== undefined && this.#channels?.has(channel) === false) return false
    if (this.#names.has('ALL')) return true
    if (!this.#names.has(name)) return false
    return name !== 'CUSTOM' || subclass === undefined || this.#subclasses.has(subclass)
  }

  /** True when the filters let the event through; one matching filter is enough. */
  passes(event: SwitchEvent): boolean {
    if (this.#onlyOf !== undefined && !this.#isOwn(event, this.#onlyOf)) return false
    return (
      this.#filters.length === 0 ||
      this.#filters.some(({ header, value }) => matches(headerOf(event, header), value))
    )
  }

  #isOwn(event: SwitchEvent, uuid: string): boolean {
    return event.headers.get('Unique-ID') === uuid || event.headers.get('Job-Owner-UUID') === uuid
  }
}

function channelsOf(filters: readonly Filter[]): ReadonlySet<string> | undefined {
  if (filters.length === 0 || filters.some(({ header }) => header !== 'Unique-ID')) return undefined
  return new Set(filters.map(({ value }) => value.toLowerCase()))
}

function headerOf(event: SwitchEvent, name: string): string | undefined {
  const exact = event.headers.get(name)
  if (exact !== undefined) return exact
  const lower = name.toLowerCase()
  for (const [header, value] of event.headers) if (header.toLowerCase() === lower) return value
  return undefined
}

function matches(value: string | undefined, wanted: string): boolean {
  return value?.toLowerCase() === wanted.toLowerCase()
}
