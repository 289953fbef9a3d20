/** The test file that shows each operation, below test/unit/account-api. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  'dialects.test.ts': ['getApiKey', 'getAccountDetails', 'legacyGetApiKey', 'legacyAccountInfo'],
  'settings.test.ts': ['updateAccount', 'createSubAccount', 'legacyCreateSubAccount'],
  'sign-up.test.ts': [
    'signUp',
    'showVerification',
    'verify',
    'requestRecovery',
    'showRecovery',
    'recover',
    'legacySignUp',
    'legacyRequestRecovery',
  ],
  'access.test.ts': [
    'listAcl',
    'addAcl',
    'removeAcl',
    'getAuthentication',
    'updateAuthentication',
    'legacyAddAcl',
    'legacyListAcl',
    'legacyRemoveAcl',
    'legacyListAuthentication',
    'legacyUpdateAuthentication',
  ],
  'billing.test.ts': [
    'listRecurringCharges',
    'listCdrs',
    'listCdrsByBody',
    'listCredits',
    'listPaidCredits',
    'listUnpaidCredits',
    'listPayments',
    'legacyListCdrs',
    'legacyListRecurringCharges',
  ],
  'contract.test.ts': ['getRegistration', 'legacyGetRegistration'],
}

export function testOf(operationId: string): string | undefined {
  return Object.entries(TESTS).find(([, ids]) => ids.includes(operationId))?.[0]
}
