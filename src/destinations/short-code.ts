/** Short codes of services, which are outside E.164. Pure. */

/** Emergency numbers; messages to them are refused. */
const EMERGENCY = ['911', '933', '112', '999', '000']

/** True for 3 to 8 digits, such as 22395. */
export function isShortCode(text: string): boolean {
  return /^\d{3,8}$/.test(text)
}

/** True for a short code that messages may be sent to: any except emergency numbers. */
export function isWritableCode(text: string): boolean {
  return isShortCode(text) && !EMERGENCY.includes(text)
}
