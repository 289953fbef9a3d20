import type { MaySend, SendingPermission } from '../../../src/registry/registry.js'

/** The campaign of every number, in the form of the registry's `maySend`. */
export const CAMPAIGN = {
  campaignId: 'C000001',
  brandId: 'B000001',
  accountSid: undefined,
  dailyCapKey: 'brand:B000001',
  lastEvent: undefined,
  operators: [],
  texts: {
    optoutKeywords: ['STOP'],
    optoutMessage: 'You are out.',
    helpKeywords: ['HELP'],
    helpMessage: 'Call us.',
    optinKeywords: ['START'],
    optinMessage: 'You are in.',
  },
} as const

/** Permits every number to send for one campaign, without a rate limit. */
export const permitAll: MaySend = () => Promise.resolve({ isAllowed: true, ...CAMPAIGN })

type Operators = Extract<SendingPermission, { readonly isAllowed: true }>['operators']

/** Permits every number to send for one campaign, at `smsPerMinute` segments per minute through AT&T. */
export function permitAtRate(
  smsPerMinute: number,
  scope: 'CAMPAIGN' | 'PHONE_NUMBER' = 'CAMPAIGN',
): MaySend {
  const operators: Operators = [
    {
      mnoId: 10017,
      name: 'AT&T',
      isAllowed: true,
      status: 'REGISTERED',
      smsPerMinute,
      mmsPerMinute: null,
      scope,
      brandDailyCap: null,
    },
  ]
  return () => Promise.resolve({ isAllowed: true, ...CAMPAIGN, operators })
}
