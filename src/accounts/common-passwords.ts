/** Detects the passwords that attackers try first. Pure. */

/** The most common words in published lists of leaked passwords, and words of keyboards and of this product. */
const WORDS = new Set(
  [
    'password passwort contrasena motdepasse senha parola passw passwd admin administrator root user',
    'login welcome letmein access master secret private changeme default temporary temp test testing',
    'guest public demo sample example trunkline telephone phone voip asterisk freeswitch company office',
    'qwerty qwertyuiop qwertz qwertzuiop azerty azertyuiop asdf asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx',
    'qazwsxedc qweasd qweasdzxc iloveyou loveyou iloveme sunshine princess superman batman spiderman',
    'dragon monkey football baseball basketball soccer hockey michael jessica jennifer ashley jordan',
    'charlie thomas daniel andrew matthew joshua robert hunter buster shadow killer trustno starwars',
    'whatever computer internet samsung google facebook linkedin microsoft windows liverpool chelsea',
    'arsenal barcelona mustang corvette ferrari mercedes porsche yamaha harley freedom forever flower',
    'butterfly chocolate cookie cheese pepper ginger summer winter spring autumn january february march',
    'april june july august september october november december monday friday hello helloworld',
    'abc abcd abcde abcdef abcdefg abcdefgh abcdefghi abcdefghij aaa xxx love lovely angel babygirl',
    'sweety prince blink pokemon naruto minecraft ninja matrix merlin orange purple yellow silver golden',
  ]
    .join(' ')
    .split(' '),
)

/** Digits and signs that people substitute for letters. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' },
}
/** Sequences of keys, digits and letters that people type or recite in order. */
const ROWS = ['01234567890', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm']
const COLUMNS = ['1qaz', '2wsx', '3edc', '4rfv', '5tgb', '6yhn', '7ujm', '8ik', '9ol', '0p']
const LONGEST_RUN = 5

/** True for a listed password, a variant of one, or one derived from the account's `own` names. */
export function isCommonPassword(password: string, own: readonly string[]): boolean {
  const lower = password.normalize('NFKC').toLowerCase()
  return isWord(lower, own) || isRepeated(lower) || isRunOfKeys(lower)
}

/** True for a listed word with digits and signs around it, or in place of its letters. */
function isWord(lower: string, own: readonly string[]): boolean {
  const names = own.flatMap((name) => [name, name.split('@')[0] ?? '']).map((n) => n.toLowerCase())
  const cores = [lower, bare(lower)].flatMap((core) => [core, spelled(core)])
  return cores.some(
    (core) =>
      WORDS.has(core) ||
      WORDS.has(core.replaceAll(/[^\p{L}]/gu, '')) ||
      (core.length > 2 && names.includes(core)),
  )
}

function spelled(text: string): string {
  return text.replaceAll(/[^\p{L}]/gu, (sign) => LETTERS[sign] ?? sign)
}

/** The text without digits and signs at its ends. */
function bare(text: string): string {
  return text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
}

/** True for a repeated short piece: `aaaaaaaa`, `abcabcabc`, `12341234`. */
function isRepeated(lower: string): boolean {
  return /^(.{1,4})\1+.{0,3}$/u.test(lower)
}

/** True for a text that consists of a few key sequences: `12345678`, `qwer4321`, `1qaz2wsx`. */
function isRunOfKeys(lower: string): boolean {
  const rows = [...ROWS, ...COLUMNS]
  const runs = [...rows, ...rows.map((row) => Array.from(row).reverse().join(''))]
  let count = 0
  for (let at = 0; at < lower.length; count += 1) {
    const longest = longestRun(lower, at, runs)
    if (longest < 2) return false
    at += longest
  }
  return count <= Math.ceil(lower.length / LONGEST_RUN) + 1
}

function longestRun(text: string, at: number, runs: readonly string[]): number {
  for (let length = text.length - at; length > 1; length -= 1)
    if (runs.some((run) => run.includes(text.slice(at, at + length)))) return length
  return 1
}
