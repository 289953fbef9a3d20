/** Short codes: the numbers of services, which belong to no plan of E.164. Pure. */

/** Numbers of emergency services: a text there is no message to a service. */
const EMERGENCY = ['911', '933', '112', '999', '000']

/** A short code of a carrier or of a country: 22395. */
export function isShortCode(text: string): boolean {
  return /^\d{3,8}$/.test(text)
}

/** True for a code that a message may be sent to: any but those of emergency services. */
export function isWritableCode(text: string): boolean {
  return isShortCode(text) && !EMERGENCY.includes(text)
}
