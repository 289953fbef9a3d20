import { UploadError } from '../../platform/uploads/read-upload.js'
import {
  LetterError,
  PortConflictError,
  PortFieldError,
  PortNotFoundError,
  PortNotVerifiedError,
  PortStateError,
} from '../../porting/port-errors.js'
import { PortabilityUnknownError } from '../../porting/portability.js'
import type { Failure } from './api-failure.js'

/** The statuses of the errors of porting. */
const STATUSES = [
  [PortFieldError, 400],
  [LetterError, 400],
  [PortNotFoundError, 404],
  [PortConflictError, 409],
  [PortStateError, 409],
  [PortNotVerifiedError, 412],
  [PortabilityUnknownError, 502],
] as const

const UPLOADS = { unreadable: 400, 'too-big': 413, busy: 503 } as const

/** The failure for an error of porting; undefined for any other error. */
export function portFailure(error: unknown): Failure | undefined {
  if (error instanceof UploadError) return uploadFailure(error)
  const found = STATUSES.find(([type]) => error instanceof type)
  return found === undefined || !(error instanceof Error)
    ? undefined
    : { status: found[1], message: error.message }
}

function uploadFailure({ reason, message }: UploadError): Failure {
  const failure = { status: UPLOADS[reason], message: `file: ${message}` }
  return reason === 'busy' ? { ...failure, headers: { 'retry-after': '1' } } : failure
}
