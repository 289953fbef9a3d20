/** Programs that look for open telephone systems; no softphone or carrier names itself so. */
const SCANNERS =
  /friendly-(?:scanner|request)|sipvicious|sip-?cli|sip-scan|sipsak|sundayddr|siparmyknife|sivus|iWar|VaxS?IPUserAgent|pplsip/i

/** Whether one of the texts that a request names itself or its parties by is a scanner's. */
export function isScannerName(texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text !== undefined && SCANNERS.test(text))
}
