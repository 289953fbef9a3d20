/** Polls until the condition holds; fails with `what` and what was seen when it does not in time. */
export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 5_000,
  seen: () => unknown = () => '',
): Promise<void> {
  const until = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > until) throw new Error(`never: ${what}\n${JSON.stringify(seen())}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
