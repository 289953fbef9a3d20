/** The paths below which letters of authorisation are uploaded: by the API, and by a page. */
const LETTERS = [/^\/v2\.2\/ports\/[^/]+\/loa\/?$/, /^\/a\/loa\/[^/]+\/[^/]+\/?$/]

/** True for the upload of a letter, which is read as it comes and has a limit of its own. */
export const isPortUpload = (method: string, path: string): boolean =>
  method === 'POST' && LETTERS.some((each) => each.test(path))
