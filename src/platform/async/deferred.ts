/** A promise that is settled from outside. */
export interface Deferred<T = void> {
  readonly done: Promise<T>
  /** Has no effect once the promise is settled. */
  readonly resolve: (value: T) => void
  readonly reject: (reason: Error) => void
}

export function deferred<T = void>(): Deferred<T> {
  let resolve: ((value: T) => void) | undefined
  let reject: ((reason: Error) => void) | undefined
  const done = new Promise<T>((onValue, onReason) => {
    resolve = onValue
    reject = onReason
  })
  return { done, resolve: (value) => resolve?.(value), reject: (reason) => reject?.(reason) }
}
