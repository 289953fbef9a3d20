/** Reasons why a change of one number among several is refused. Pure. */

/** Reason code and text for the customer. */
export interface NumberRefusal {
  readonly code: keyof typeof REASONS
  readonly reason: string
}

const REASONS = {
  'not-held': 'Number not found on account',
  porting: 'Number is porting',
  'no-route': 'Route not found on account',
  'no-account': 'Account not found',
  'not-available': 'Number is not available',
  'not-answered': 'The number provider did not answer in time',
  'held-already': 'Number is on the account already',
  'named-twice': 'Number is named twice',
  'no-campaign': 'Campaign cannot have the number',
  'forward-to-itself': 'Number cannot be forwarded to itself',
} as const

export function refusal(code: NumberRefusal['code']): NumberRefusal {
  return { code, reason: REASONS[code] }
}

/** Outcome for one number; `refused` is undefined when the change is stored. */
export interface NumberOutcome {
  readonly e164: string
  readonly refused: NumberRefusal | undefined
}
