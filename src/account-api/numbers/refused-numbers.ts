/** Answers to changes of one or several numbers. */
import type { NumberOutcome, NumberRefusal } from '../../numbers/number-refusal.js'
import { ApiFailure, refuseFailed } from '../dialect/api-failure.js'
import { shownTn } from './number-fields.js'

const STATUS: Readonly<Record<NumberRefusal['code'], number>> = {
  'not-held': 404,
  porting: 409,
  'no-route': 400,
  'no-account': 400,
  'not-answered': 502,
  'not-available': 409,
  'held-already': 409,
  'named-twice': 400,
  'no-campaign': 409,
  'forward-to-itself': 400,
}

/** Throws the failure if the change of a number was refused. */
export function refuseOne(outcomes: readonly NumberOutcome[]): void {
  for (const { refused } of outcomes)
    if (refused !== undefined) throw new ApiFailure(STATUS[refused.code], refused.reason)
}

/** Legacy keys of a partial result. */
export interface PartialKeys {
  readonly done: string
  readonly failed: string
}

/**
 * Returns the items of a legacy request whose numbers were changed. Throws a 409 that lists both parts if any
 * was refused; completed changes stay.
 */
export function doneOrPartial<Item extends { readonly number: string }, Shown>(
  items: readonly Item[],
  outcomes: readonly NumberOutcome[],
  { keys, shown }: { readonly keys: PartialKeys; readonly shown: (item: Item) => Shown },
): Shown[] {
  const done = items.filter((_, index) => outcomes[index]?.refused === undefined).map(shown)
  const failed = outcomes.flatMap(({ e164, refused }) =>
    refused === undefined ? [] : [{ number: shownTn(e164), reason: refused.reason }],
  )
  const beside = { [keys.done]: done, [keys.failed]: failed }
  refuseFailed('Not every number was changed', failed, beside)
  return done
}
