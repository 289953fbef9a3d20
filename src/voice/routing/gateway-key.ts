/** The name under which the calls at once of a gateway are counted. No carrier can have it. */
export function gatewayKey(id: number): string {
  return `gateway:${String(id)}`
}
