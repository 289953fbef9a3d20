import { z } from 'zod'
import { isRawAnswer, type Operation } from '../../../src/platform/api/operation.js'

/** What the declaration of an operation says of its answers, together with that of its API. */
interface DeclaredAnswers {
  /** Statuses of errors that every operation may answer. */
  readonly errors: readonly number[]
  /** The schema of an error's body. */
  readonly problem: z.ZodType
}

export interface SentAnswer {
  readonly status: number
  readonly mediaType: string
  readonly text: string
}

/** Phrases of the validator's own: errors are in the words of the APIs (`issue-words.ts`). */
const VALIDATOR_WORDS =
  /Invalid (input|option|key|value|string|discriminator)|Too (small|big): |Unrecognized key|✖/

export async function sentAnswer(answer: Response): Promise<SentAnswer> {
  const mediaType = (answer.headers.get('content-type') ?? '').replace(/;.*/, '')
  return { status: answer.status, mediaType, text: await answer.text() }
}

/** What an answer has that its operation's declaration does not; undefined when it is as declared. */
export function answerFault(
  { response, status, errors }: Pick<Operation<never>, 'response' | 'status' | 'errors'>,
  api: DeclaredAnswers,
  { status: given, mediaType, text }: SentAnswer,
): string | undefined {
  if (given !== status) {
    if (![...api.errors, ...errors].includes(given)) return `${given} is not declared: ${text}`
    const [words] = VALIDATOR_WORDS.exec(text) ?? []
    return words === undefined ? mismatch(api.problem, text) : `the validator's words: ${text}`
  }
  if (response === undefined) return text === '' ? undefined : `a body: ${text}`
  if (response === 'text' || response === 'file') return undefined
  if (isRawAnswer(response)) {
    const isDeclared =
      text === '' || [...response.mediaTypes, 'application/json'].includes(mediaType)
    return isDeclared ? undefined : `the media type ${mediaType} is not declared`
  }
  return mismatch(response, text)
}

function mismatch(schema: z.ZodType, text: string): string | undefined {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return `no JSON: ${text}`
  }
  const result = schema.safeParse(body)
  return result.success ? undefined : `${z.prettifyError(result.error)} in ${text}`
}
