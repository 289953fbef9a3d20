import type { RunningTrunkline } from './trunkline.js'

/** Events of a server, as printed by the operator's command. */
export interface OperatorEvents extends AsyncDisposable {
  /** True when one line so far contains all the parts. */
  has(...parts: readonly string[]): boolean
  lines(): readonly string[]
}

export async function followEvents({
  admin,
  adminToken,
}: Pick<RunningTrunkline, 'admin' | 'adminToken'>): Promise<OperatorEvents> {
  const stop = new AbortController()
  const { body } = await fetch(`${admin}/events`, {
    headers: { authorization: `Bearer ${adminToken}` },
    signal: stop.signal,
  })
  let text = ''
  const reading = (async () => {
    for await (const chunk of body ?? []) text += Buffer.from(chunk).toString()
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  return {
    has: (...parts) => text.split('\n').some((line) => parts.every((part) => line.includes(part))),
    lines: () => text.split('\n'),
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await reading
    },
  }
}
