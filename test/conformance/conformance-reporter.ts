import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { type ConformanceCase, casesOf, conformancePage } from './conformance-page.js'

/** Prints what failed; writes the page of a whole run, or puts the results of some files into it. */
export default class ConformanceReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const cases = modules.flatMap((module) => [
      ...[...module.children.allTests()].map(caseOf),
      ...brokenOf(module),
    ])
    const facts = {
      date: new Date().toISOString().slice(0, 10),
      servers: process.env['CONFORMANCE_SERVERS'] ?? 'unknown servers',
      machine: `${String(cpus().length)} cores, Node ${process.version}`,
    }
    const { CONFORMANCE_PAGE: whole, CONFORMANCE_UPDATE: part } = process.env
    if (whole !== undefined) writeFileSync(whole, conformancePage(cases, facts))
    if (part !== undefined) {
      const files = new Set(cases.map(({ file }) => file))
      const others = casesOf(readFileSync(part, 'utf8')).filter(({ file }) => !files.has(file))
      writeFileSync(part, conformancePage([...others, ...cases], facts))
    }
  }
}

function caseOf(test: TestCase): ConformanceCase {
  const result = test.result()
  const { state } = result
  return {
    file: nameOf(test.module),
    title: test.fullName,
    outcome: state === 'passed' || state === 'failed' ? state : 'skipped',
    note: result.state === 'skipped' ? result.note : firstLine(result.errors?.[0]?.message),
  }
}

/** A file that could not be run at all, or whose set-up failed. */
function brokenOf(module: TestModule): readonly ConformanceCase[] {
  return module.errors().map(({ message }) => ({
    file: nameOf(module),
    title: 'the file as a whole',
    outcome: 'failed',
    note: firstLine(message),
  }))
}

function nameOf(module: TestModule): string {
  return module.relativeModuleId.replace(/^test\//, '').replace(/(\.e2e)?\.test\.ts$/, '')
}

function firstLine(text: string | undefined): string | undefined {
  return text?.split('\n')[0]
}
