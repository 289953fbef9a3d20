import { z } from 'zod'
import { isRawAnswer, type Operation } from '../../../src/platform/api/operation.js'

/** The declared answers of an operation and its API. */
interface DeclaredAnswers {
  /** Statuses of errors that every operation may answer. */
  readonly errors: readonly number[]
  /** The schema of an error's body. */
  readonly problem: z.ZodType
}

type Declaration = Pick<Operation<never>, 'response' | 'status' | 'errors'>

export interface SentAnswer {
  readonly status: number
  readonly mediaType: string
  readonly text: string
}

/** Phrases of the validator itself; the APIs must use their own wording (`issue-words.ts`). */
const VALIDATOR_WORDS =
  /Invalid (input|option|key|value|string|discriminator)|Too (small|big): |Unrecognized key|✖/

export async function sentAnswer(answer: Response): Promise<SentAnswer> {
  const mediaType = (answer.headers.get('content-type') ?? '').replace(/;.*/, '')
  return { status: answer.status, mediaType, text: await answer.text() }
}

/** Returns how an answer differs from its operation's declaration; undefined when it conforms. */
export function answerFault(
  operation: Declaration,
  api: DeclaredAnswers,
  answer: SentAnswer,
): string | undefined {
  const { response, status, errors } = operation
  const { status: given, mediaType, text } = answer
  if (isFurther(operation, answer)) return undefined
  if (given !== status) return problemFault([...api.errors, ...errors], api, answer)
  if (response === undefined) return text === '' ? undefined : `a body: ${text}`
  if (response === 'text' || response === 'file') return undefined
  if (isRawAnswer(response)) {
    const isDeclared =
      text === '' || [...response.mediaTypes, 'application/json'].includes(mediaType)
    return isDeclared ? undefined : `the media type ${mediaType} is not declared`
  }
  return mismatch(response, text)
}

function problemFault(
  declared: readonly number[],
  { problem }: DeclaredAnswers,
  { status, text }: SentAnswer,
): string | undefined {
  if (!declared.includes(status)) return `${status} is not declared: ${text}`
  const [words] = VALIDATOR_WORDS.exec(text) ?? []
  return words === undefined ? mismatch(problem, text) : `the validator's words: ${text}`
}

/** True for an answer with a further status that the operation declares. */
function isFurther({ response }: Declaration, { status, mediaType }: SentAnswer): boolean {
  const further = isRawAnswer(response) ? response.further?.[status] : undefined
  return further !== undefined && [...further.mediaTypes, ''].includes(mediaType)
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
