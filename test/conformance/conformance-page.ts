/** One case of a conformance run, as it ended. */
export interface ConformanceCase {
  /** The file below `test`: `e2e/recordings`. */
  readonly file: string
  readonly title: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** The first line of the failure, or the reason why the case does not apply. */
  readonly note?: string | undefined
}

export interface ConformanceFacts {
  readonly date: string
  /** The servers and their versions. */
  readonly servers: string
  readonly machine: string
}

const HEADING = `# What real servers were seen to do

Written by \`npm run conformance\`; not edited by hand. It runs the contract suite and the end-to-end suite
on the drachtio and the FreeSWITCH that \`DRACHTIO_URL\` and \`FREESWITCH_URL\` name
([real-servers.md](real-servers.md#prove-it-on-your-servers)).
`
const FAILED = 'What failed'
const OUTCOMES = { passed: 'passed', failed: '**failed**', skipped: 'does not apply' } as const

/** The Markdown of a whole run: what failed, then every case by its file. */
export function conformancePage(
  cases: readonly ConformanceCase[],
  { date, servers, machine }: ConformanceFacts,
): string {
  const number = (outcome: ConformanceCase['outcome']) =>
    String(cases.filter((each) => each.outcome === outcome).length)
  const failed = cases.filter(({ outcome }) => outcome === 'failed')
  const counts = `${number('passed')} cases passed, ${number('failed')} failed, ${number('skipped')} do not apply.`
  const files = [...new Set(cases.map(({ file }) => file))].sort()
  const sections = [
    `${HEADING}\n${date}: ${servers}, on ${machine}. ${counts}`,
    ...(failed.length === 0 ? [] : [`## ${FAILED}\n\n${failureTable(failed)}`]),
    ...files.map(
      (file) => `## ${file}\n\n${caseTable(cases.filter((each) => each.file === file))}`,
    ),
  ]
  return `${sections.join('\n\n')}\n`
}

/** The cases of a page, so that a run of some files can take the places of their former results. */
export function casesOf(page: string): readonly ConformanceCase[] {
  return page
    .split(/^## /m)
    .slice(1)
    .filter((section) => !section.startsWith(FAILED))
    .flatMap((section) => {
      const [file = '', ...lines] = section.split('\n')
      return lines.flatMap((line) => {
        const [, title = '', result = ''] = line.split(/(?<!\\)\| ?/).map(plain)
        const [outcome] = Object.entries(OUTCOMES).find(([, word]) => result.startsWith(word)) ?? []
        if (outcome === undefined) return []
        const note = /: (.*)$/.exec(result)?.[1]
        // The keys of OUTCOMES.
        return [{ file, title, outcome: outcome as ConformanceCase['outcome'], note }]
      })
    })
}

function failureTable(cases: readonly ConformanceCase[]): string {
  const rows = cases.map(
    ({ file, title, note }) => `| ${file} | ${cell(title)} | ${cell(note ?? '')} |`,
  )
  return ['| File | Case | Failure |', '| --- | --- | --- |', ...rows].join('\n')
}

function caseTable(cases: readonly ConformanceCase[]): string {
  const rows = cases.map(({ title, outcome, note }) => {
    const reason = note === undefined ? '' : `: ${note}`
    return `| ${cell(title)} | ${OUTCOMES[outcome]}${cell(reason)} |`
  })
  return ['| Case | Result |', '| --- | --- |', ...rows].join('\n')
}

/** Keeps a text in one cell of a table. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
}

function plain(text: string): string {
  return text.replaceAll('\\|', '|').trim()
}
