/**
 * Names of programs that look for open telephone systems; no softphone or carrier names itself so.
 */
const SCANNERS =
  /friendly-(?:scanner|request)|sipvicious|sip-?cli|sip-scan|sipsak|sundayddr|siparmyknife|sivus|iWar|VaxS?IPUserAgent|pplsip/i

/** True when one of the texts by which a request names itself or its parties is a scanner's. */
export function isScannerName(texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text !== undefined && SCANNERS.test(text))
}
