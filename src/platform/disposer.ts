/**
 * Disposes in reverse order, continues past failures, and reports all failures at the end. Replaces
 * AsyncDisposableStack, which Node 20 lacks.
 */
export class Disposer implements AsyncDisposable {
  readonly #closers: (() => void | Promise<void>)[] = []

  use<Resource extends AsyncDisposable | Disposable>(resource: Resource): Resource {
    this.defer(async () => {
      if (Symbol.asyncDispose in resource) await resource[Symbol.asyncDispose]()
      else resource[Symbol.dispose]()
    })
    return resource
  }

  defer(close: () => void | Promise<void>): void {
    this.#closers.push(close)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = []
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'could not close everything')
  }
}
