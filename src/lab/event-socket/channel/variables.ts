/** Maximum number of variables of a channel; more are refused, so that one channel cannot fill memory. */
const MAX_VARIABLES = 2_000
const MAX_VALUE_LENGTH = 131_072

/**
 * A channel's variables in the order in which they were first set; setting an empty value removes the
 * variable.
 */
export class ChannelVariables {
  readonly #values = new Map<string, string>()

  get(name: string): string | undefined {
    return this.#values.get(name)
  }

  isTrue(name: string): boolean {
    return isTrue(this.#values.get(name))
  }

  /** Sets a variable. Returns false when there are too many variables or the value is too long. */
  set(name: string, value: string | undefined): boolean {
    if (value === undefined || value === '') {
      this.#values.delete(name)
      return true
    }
    if (value.length > MAX_VALUE_LENGTH) return false
    if (!this.#values.has(name) && this.#values.size >= MAX_VARIABLES) return false
    this.#values.set(name, value)
    return true
  }

  setAll(values: Readonly<Record<string, string | undefined>>): void {
    for (const [name, value] of Object.entries(values)) this.set(name, value)
  }

  /** Yields the variables as event headers. */
  *asHeaders(): Generator<[string, string]> {
    for (const [name, value] of this.#values) yield [`variable_${name}`, value]
  }
}

export function isTrue(value: string | undefined): boolean {
  const text = value?.toLowerCase() ?? ''
  return ['yes', 'on', 'true', 't', 'enabled', 'active', 'allow'].includes(text) || Number(text) > 0
}
