/** The reasons for which losing carriers reject ports, each with what the customer can do. Pure. */

export const REJECTIONS = {
  'account-number':
    'The losing carrier does not know the account number. Copy lcAccountNumber from your newest bill, or ask that carrier for it, then resubmit.',
  pin: 'The losing carrier refused the PIN. Ask that carrier for a port-out PIN, set pin, then resubmit.',
  name: 'The name differs from the one that the losing carrier has. Copy name from your newest bill letter by letter, then resubmit.',
  address:
    'The address differs from the service address that the losing carrier has. Copy the address from your newest bill, or ask that carrier for the customer service record, then resubmit.',
  btn: 'The billing telephone number does not belong to the account. Copy lcBtn from your newest bill, then resubmit.',
  inactive:
    'The number is not active at the losing carrier. Ask that carrier to restore the service, then resubmit.',
  'open-order':
    'The losing carrier has another order open for the account. Ask that carrier to finish or cancel it, then resubmit.',
  letter:
    'The letter of authorisation cannot be read, is not signed, or names other numbers. Upload a new one, then resubmit.',
} as const

export type RejectionCode = keyof typeof REJECTIONS

export const REJECTION_CODES = Object.keys(REJECTIONS) as readonly RejectionCode[] // its own keys
