import type { ConnectVerb } from './connect.js'
import type { DialVerb } from './dial.js'
import type { EnqueueVerb } from './enqueue.js'
import type { GatherVerb } from './gather.js'
import type { HangupVerb } from './hangup.js'
import type { LeaveVerb } from './leave.js'
import type { PauseVerb } from './pause.js'
import type { PlayVerb } from './play.js'
import type { RecordVerb } from './record.js'
import type { RedirectVerb } from './redirect.js'
import type { ReferVerb } from './refer.js'
import type { RejectVerb } from './reject.js'
import type { SayVerb } from './say.js'
import type { StartVerb } from './start.js'
import type { StopVerb } from './stop.js'
import type { XmlElement } from './xml.js'

/** A verb of the grammar that this program does not run, kept as written. */
export interface OtherVerb {
  readonly type: 'other'
  readonly element: XmlElement
}

/** A verb with its documented attributes and defaults. `element` is the verb as written. */
export type Verb =
  | SayVerb
  | PlayVerb
  | PauseVerb
  | GatherVerb
  | DialVerb
  | RedirectVerb
  | HangupVerb
  | RejectVerb
  | RecordVerb
  | ReferVerb
  | EnqueueVerb
  | LeaveVerb
  | ConnectVerb
  | StartVerb
  | StopVerb
  | OtherVerb
