import { DomainError } from '../../platform/errors.js'

/** One entry of the registry's error array. `code` is the public number; its text is in data/errors.json. */
export interface Problem {
  readonly code: number
  readonly fields: readonly string[]
  readonly description: string
}

export function problem(code: number, fields: readonly string[], description: string): Problem {
  return { code, fields, description }
}

/** Error codes of temporary refusals: too many concurrent requests, or a system is down. */
export const TEMPORARY_CODES: readonly number[] = [591, 620, 630]

/** All problems of a request, reported together: HTTP 400 with one array. */
export class RegistryError extends DomainError {
  override readonly name = 'RegistryError'
  readonly code = 'registry-refused'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map((each) => `${each.code} ${each.description}`).join('; '))
    this.problems = problems
  }
}

/** Returns an error with one problem. */
export function refuse(
  code: number,
  fields: readonly string[],
  description: string,
): RegistryError {
  return new RegistryError([problem(code, fields, description)])
}

export function throwIfAny(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new RegistryError(problems)
}
