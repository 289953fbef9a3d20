/**
 * The abbreviations of states and provinces: those of the USPS (Publication 28, appendix B, with the armed
 * forces), and those of Canada Post. Pure.
 */

const STATES = `AL AK AS AZ AR CA CO CT DE DC FM FL GA GU HI ID IL IN IA KS KY LA ME MH MD MA MI MN MS MO MT NE NV NH NJ
NM NY NC ND MP OH OK OR PW PA PR RI SC SD TN TX UT VT VI VA WA WV WI WY AA AE AP`
const PROVINCES = 'AB BC MB NB NL NS NT NU ON PE QC SK YT'

const KNOWN: ReadonlySet<string> = new Set(`${STATES} ${PROVINCES}`.split(/\s+/))

/** The abbreviation in upper case; undefined for one that no state or province has. */
export function stateIn(text: string): string | undefined {
  const state = text.toUpperCase()
  return KNOWN.has(state) ? state : undefined
}
