/**
 * Polls until the condition is true. The limit is long, since a busy machine may pause any process for seconds.
 * On a timeout the error shows `what` and the last value.
 */
export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 15_000,
  seen: () => unknown = () => '',
  everyMs = 5,
): Promise<void> {
  const until = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > until) throw new Error(`never: ${what}\n${JSON.stringify(seen())}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

/** Waits for work whose duration depends on the machine. Fails only after `stillMs` without progress. */
export async function waitWhileMoving(
  what: string,
  condition: () => boolean,
  moved: () => number,
  stillMs = 30_000,
): Promise<void> {
  let last = moved()
  let movedAt = performance.now()
  while (!condition()) {
    const now = performance.now()
    if (moved() !== last) {
      last = moved()
      movedAt = now
    } else if (now - movedAt > stillMs) throw new Error(`stopped at ${String(last)}: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
