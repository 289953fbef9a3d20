/** A promise that is settled from outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
}

export function createDeferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = unreachable
  let reject: (error: Error) => void = unreachable
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}

function unreachable(): never {
  throw new Error('a promise runs its executor at once')
}
