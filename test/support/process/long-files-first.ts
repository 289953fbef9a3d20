import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Test files with a long runtime. Without timings Vitest starts large files first, and a small file with a long
 * runtime would run alone at the end.
 */
export const LONG_FILES = [
  'test/e2e/telephony-faults.e2e.test.ts',
  'test/e2e/two-servers.e2e.test.ts',
  'test/e2e/softphone-transports.e2e.test.ts',
  'test/e2e/docker-image.e2e.test.ts',
  'test/e2e/exports.e2e.test.ts',
  'test/e2e/recordings-bucket.e2e.test.ts',
  'test/e2e/caller-ids.e2e.test.ts',
  'test/e2e/export-kill.e2e.test.ts',
  'test/e2e/number-orders.e2e.test.ts',
  'test/e2e/first-steps.e2e.test.ts',
  'test/unit/account-api/contract.test.ts',
]

/** Starts the long files of each project first. The others keep their order. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longFirst(await super.sort(files))
  }
}

/** The members of a test file that determine its position. */
interface PlacedFile {
  readonly project: { readonly name: string }
  readonly moduleId: string
}

/** Each project's files, long ones first in the order of LONG_FILES. */
export function longFirst<T extends PlacedFile>(files: readonly T[]): T[] {
  const projects = [...new Set(files.map(({ project }) => project.name))]
  return projects.flatMap((name) =>
    files.filter(({ project }) => project.name === name).sort((a, b) => placeOf(a) - placeOf(b)),
  )
}

/** Position of a file; unlisted files come last, in their original order. */
function placeOf({ moduleId }: PlacedFile): number {
  const place = LONG_FILES.findIndex((file) => moduleId.endsWith(`/${file}`))
  return place === -1 ? LONG_FILES.length : place
}
