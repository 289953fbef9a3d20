/** Names of SIP scanners; no softphone or carrier uses one. */
const SCANNERS =
  /friendly-(?:scanner|request)|sipvicious|sip-?cli|sip-scan|sipsak|sundayddr|siparmyknife|sivus|iWar|VaxS?IPUserAgent|pplsip/i

/** True when one of the texts, such as a User-Agent or a From, contains a scanner's name. */
export function isScannerName(texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text !== undefined && SCANNERS.test(text))
}
