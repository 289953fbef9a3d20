/**
 * Aborts after `ms`, or with `parent`; dispose of it when what it limits is over. In place of
 * `AbortSignal.any` over an `AbortSignal.timeout`, which Node 20 may collect before it fires.
 */
export function timeLimit(
  ms: number,
  parent: AbortSignal,
): Disposable & { readonly signal: AbortSignal } {
  const aborter = new AbortController()
  const onParent = (): void => {
    aborter.abort(parent.reason)
  }
  const timer = setTimeout(() => {
    aborter.abort(new DOMException(`not done in ${ms} ms`, 'TimeoutError'))
  }, ms)
  if (parent.aborted) onParent()
  else parent.addEventListener('abort', onParent, { once: true })
  return {
    signal: aborter.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      parent.removeEventListener('abort', onParent)
    },
  }
}
