/** Resources that are closed in the opposite order of their opening. */
export class Opened implements AsyncDisposable {
  readonly #resources: AsyncDisposable[] = []

  add<Resource extends AsyncDisposable>(resource: Resource): Resource {
    this.#resources.push(resource)
    return resource
  }

  /** Closes everything, whatever fails on the way; the failures come together at the end. */
  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = []
    for (const resource of this.#resources.splice(0).toReversed()) {
      try {
        await resource[Symbol.asyncDispose]()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'not everything could be closed')
  }
}
