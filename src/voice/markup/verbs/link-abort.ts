/** A signal that aborts with its parent's reason, or by itself; disposed, the parent forgets it. */
export interface LinkedAbort extends Disposable {
  readonly signal: AbortSignal
  abort(reason: Error): void
}

export function linkAbort(parent: AbortSignal): LinkedAbort {
  const controller = new AbortController()
  const follow = () => {
    controller.abort(parent.reason)
  }
  if (parent.aborted) follow()
  else parent.addEventListener('abort', follow)
  return {
    signal: controller.signal,
    abort: (reason) => {
      controller.abort(reason)
    },
    [Symbol.dispose]: () => {
      parent.removeEventListener('abort', follow)
    },
  }
}
