/** The body of a bind (SMPP 3.4 §4.1.1, §4.1.3, §4.1.5). Pure. */
import { textField } from './fields.js'

const VERSION_3_4 = 0x34

export interface BindIdentity {
  readonly systemId: string
  readonly password: string
  readonly systemType: string
}

export function bindBody({ systemId, password, systemType }: BindIdentity): Buffer {
  return Buffer.concat([
    textField(systemId),
    textField(password),
    textField(systemType),
    // No type, no plan and no range of addresses: the SMSC knows them.
    Buffer.from([VERSION_3_4, 0, 0]),
    textField(''),
  ])
}
