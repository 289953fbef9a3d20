import type { Logger } from '../../../platform/log.js'
import type { AppFrame } from './app-frame.js'
import type { AppTraits } from './app-runner.js'
import type { Channel } from './channel.js'

export interface AppContext {
  readonly channel: Channel
  readonly frame: AppFrame
  /** The argument, with its variables expanded. */
  readonly arg: string
  readonly log: Logger
}

/** An application that clients can execute on a channel. */
export interface Application extends AppTraits {
  /** Resolves when the application has ended or was interrupted. */
  run(context: AppContext): Promise<void> | void
}

export type AppTable = ReadonlyMap<string, Application>
