import {
  createUploadReader,
  type ReadUpload,
  UploadError,
} from '../../../platform/uploads/read-upload.js'
import { type RegistryError, refuse } from '../../model/registry-error.js'

const CODES: Readonly<Record<UploadError['reason'], number>> = {
  unreadable: 501,
  'too-big': 544,
  busy: 591,
}

/** Reads uploads below `folder`. Rejects with RegistryError: 501, 544 too big, 591 too many at once. */
export function createRegistryUploads(folder: string, maxBytes: number): ReadUpload {
  const read = createUploadReader(folder, maxBytes)
  return async (request, cspId) => {
    try {
      return await read(request, cspId)
    } catch (error) {
      throw error instanceof UploadError ? registryErrorOf(error) : error
    }
  }
}

function registryErrorOf(failure: UploadError): RegistryError {
  const { reason, message } = failure
  const error = refuse(CODES[reason], reason === 'busy' ? [] : ['file'], message)
  error.cause = failure.cause
  return error
}
