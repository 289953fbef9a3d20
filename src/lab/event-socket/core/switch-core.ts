import type { Logger } from '../../../platform/log.js'
import type { Conferences } from '../conferences/conferences.js'
import type { EventBus } from '../events/event-bus.js'
import type { CommandLog } from '../model/command-log.js'
import type { SwitchFacts } from '../model/switch-facts.js'
import type { ChannelRegistry } from './channel-registry.js'
import type { HttpCache } from './http-cache.js'
import type { SessionCounts } from './session-counts.js'

/** The parts of the media server that commands and connections work on. */
export interface SwitchCore {
  readonly facts: SwitchFacts
  readonly bus: EventBus
  readonly channels: ChannelRegistry
  readonly conferences: Conferences
  readonly sessions: SessionCounts
  readonly commandLog: CommandLog
  readonly httpCache: HttpCache
  readonly log: Logger
}
