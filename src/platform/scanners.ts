/** The names of programs that look for open telephone systems; no softphone or carrier uses one. */
const SCANNERS =
  /friendly-(?:scanner|request)|sipvicious|sip-?cli|sip-scan|sipsak|sundayddr|siparmyknife|sivus|iWar|VaxS?IPUserAgent|pplsip/i

/**
 * True when a scanner's name is in one of the texts by which a request names itself or its parties.
 */
export function isScannerName(texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text !== undefined && SCANNERS.test(text))
}
