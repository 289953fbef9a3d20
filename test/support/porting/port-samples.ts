/** Data of ports that tests submit. */
import type { Ledger } from '../../../src/ledger/ledger.js'
import type { Database } from '../../../src/platform/database/database.js'
import type { Subscriber } from '../../../src/porting/port.js'

/** A REST body with all required fields except `did`. */
export const SUBSCRIBER = {
  name: 'Acme Inc',
  nameType: 'business',
  authPerson: 'Jane Doe',
  lcBtn: '2025550123',
  lcAccountNumber: '4711',
  streetNumber: '1600',
  street: 'Pennsylvania',
  streetType: 'AVE',
  city: 'Washington',
  state: 'DC',
  zip: '20006',
  country: 'US',
}

/** The subscriber of that body, as stored in a port. */
export const STORED_SUBSCRIBER: Subscriber = {
  ...SUBSCRIBER,
  nameType: 'business',
  streetPrefix: '',
  streetSuffix: '',
  unitValue: '',
  building: '',
  floor: '',
  room: '',
  desiredDueDate: '',
}

/** An account number that the simulated carrier rejects. */
export const REJECTED_ACCOUNT = '4799901'

/** A legacy order for these numbers. */
export const legacyOrder = (...numbers: readonly string[]) => ({
  desiredDueDate: '',
  tnList: {
    tnItem: numbers.map((tn) => ({
      tn,
      atn: '2025550123',
      accountNum: '4711',
      accountPin: '1234',
      authName: 'Jane Doe',
      endUser: {
        name: 'Acme Inc',
        streetNum: '1600',
        streetPreDir: 'N',
        streetName: 'Pennsylvania',
        streetType: 'Ave.',
        streetPostDir: '',
        locationType1: 'STE',
        locationValue1: '500',
        locationType2: 'FL',
        locationValue2: '5',
        city: 'Washington',
        state: 'DC',
        postalCode: '20006',
        typeOfService: 'B',
      },
      tnFeature: { callerId: { callingName: 'ACME' } },
    })),
  },
})

export const PDF = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\n')
export const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex')

export function letterForm(content: Buffer = PDF, fileName = 'letter.pdf'): FormData {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(content)], fileName))
  return form
}

/** Credits dollars to an account. */
export async function fund(
  db: Database,
  ledger: Pick<Ledger, 'post'>,
  accountSid: string,
  dollars: number,
): Promise<void> {
  await db.write(async (tx) => {
    await ledger.post(tx, {
      key: `fund:${accountSid}:${dollars}`,
      accountSid,
      cause: 'credit',
      reference: accountSid,
      amount: dollars * 10_000,
      description: 'Credit',
      at: 0,
    })
  })
}
