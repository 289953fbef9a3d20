import type { GatherVerb } from './gather.js'
import type { HangupVerb } from './hangup.js'
import type { PauseVerb } from './pause.js'
import type { PlayVerb } from './play.js'
import type { RedirectVerb } from './redirect.js'
import type { RejectVerb } from './reject.js'
import type { SayVerb } from './say.js'
import type { XmlElement } from './xml.js'

/** A verb of the grammar that this program does not run yet: kept as it was written. */
export interface OtherVerb {
  readonly type: 'other'
  readonly element: XmlElement
}

/** Each with its documented attributes, defaults filled in; `element` is what was written. */
export type Verb =
  | SayVerb
  | PlayVerb
  | PauseVerb
  | GatherVerb
  | RedirectVerb
  | HangupVerb
  | RejectVerb
  | OtherVerb
