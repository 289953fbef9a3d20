import type { Logger } from '../../platform/log.js'
import type { ChannelRegistry } from './channel-registry.js'
import type { CommandLog } from './command-log.js'
import type { Conferences } from './conferences/conferences.js'
import type { EventBus } from './event-bus.js'
import type { SessionCounts } from './session-counts.js'
import type { SwitchFacts } from './switch-facts.js'

/** What commands and connections work on. */
export interface SwitchCore {
  readonly facts: SwitchFacts
  readonly bus: EventBus
  readonly channels: ChannelRegistry
  readonly conferences: Conferences
  readonly sessions: SessionCounts
  readonly commandLog: CommandLog
  readonly log: Logger
}
