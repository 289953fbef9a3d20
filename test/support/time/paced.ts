const TURN_MS = 10

/** Runs something `count` times at an even rate. */
export async function paced(
  count: number,
  perSecond: number,
  act: (index: number) => void,
): Promise<void> {
  const startedAt = performance.now()
  for (let done = 0; done < count; ) {
    const due = Math.min(count, ((performance.now() - startedAt) * perSecond) / 1_000)
    for (; done < due; done++) act(done)
    await new Promise((resolve) => setTimeout(resolve, TURN_MS))
  }
}
