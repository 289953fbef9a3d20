import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type ConformanceCase, casesOf, conformancePage } from '../conformance/conformance-page.js'
import { FILES_WITHOUT_CALLS, INAPPLICABLE, reasonAgainst } from '../conformance/scope.js'

const CASES: readonly ConformanceCase[] = [
  { file: 'e2e/dial', title: 'rings a|b', outcome: 'passed' },
  { file: 'e2e/dial', title: 'hangs up', outcome: 'failed', note: 'expected 1 | to be 2' },
  { file: 'contract/telephony-real', title: 'dials', outcome: 'skipped', note: 'it has no TLS' },
]
const FACTS = { date: '2026-11-22', servers: 'drachtio 0.9, FreeSWITCH 1.10', machine: '2 cores' }

describe('the page of a conformance run', () => {
  const page = conformancePage(CASES, FACTS)

  it('says what was run, what failed, and what does not apply', () => {
    expect(page).toContain('drachtio 0.9, FreeSWITCH 1.10, on 2 cores')
    expect(page).toContain('1 cases passed, 1 failed, 1 do not apply')
    expect(page).toContain('| e2e/dial | hangs up | expected 1 \\| to be 2 |')
    expect(page).toContain('| dials | does not apply: it has no TLS |')
  })

  it('has every case once, so that a later run of some files can be put into it', () => {
    const [passed, failed, skipped] = CASES
    expect(casesOf(page)).toEqual([skipped, { ...passed, note: undefined }, failed])
    expect(conformancePage(casesOf(page), FACTS)).toBe(page)
  })
})

/** The lists that the files of the contract suite run. */
const contractTexts = () =>
  readdirSync('test/contract')
    .filter((name) => name.endsWith('.contract.ts'))
    .map((name) => readFileSync(`test/contract/${name}`, 'utf8'))
    .join('\n')

/** Whether the text has a table whose title, with words that the text has too, is this one. */
function isRow(title: string, text: string): boolean {
  const titles = [...text.matchAll(/'([^'\n]*%[sid][^'\n]*)'/g)].map(([, each = '']) => each)
  return titles.some((each) => {
    const parts = each.split(/%[sid]/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    const [, ...words] = new RegExp(`^${parts.join('(.+)')}$`).exec(title) ?? []
    return words.length > 0 && words.every((word) => text.includes(word))
  })
}

describe('the cases that do not apply to real servers', () => {
  const fileOf = (name: string) =>
    [`test/e2e/${name}.e2e.test.ts`, `test/contract/${name}.test.ts`].find(existsSync)

  it.each(FILES_WITHOUT_CALLS)('are files that exist: %s', (name) => {
    expect(fileOf(name)).toBeDefined()
  })

  it.each(INAPPLICABLE)('are cases that exist: $file $title', ({ file, title = '', reason }) => {
    const path = fileOf(file) ?? ''
    const texts = path.startsWith('test/contract/') ? contractTexts() : readFileSync(path, 'utf8')
    // The title of one case of a table has its place in the text.
    const inTable = title.replace(/^\(.*?\)/, '(%s)')
    const isThere = [title, inTable].some((each) => texts.includes(each))
    expect(isThere || isRow(title, texts)).toBe(true)
    expect(reasonAgainst(`/somewhere/${path}`, title)).toBe(reason)
  })

  it('are no others', () => {
    expect(reasonAgainst('test/e2e/dial.e2e.test.ts', 'rings')).toBeUndefined()
  })
})
