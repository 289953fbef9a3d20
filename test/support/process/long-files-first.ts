import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that wait for long. Vitest starts large files first as long as it knows no times, and a file
 * that is short to read and long to run would be left over at the end, with nothing beside it.
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

/** A file of a run, as far as its place in the order goes. */
interface PlacedFile {
  readonly project: { readonly name: string }
  readonly moduleId: string
}

/** Each project's files with its long ones first, in the order of LONG_FILES. */
export function longFirst<T extends PlacedFile>(files: readonly T[]): T[] {
  const projects = [...new Set(files.map(({ project }) => project.name))]
  return projects.flatMap((name) =>
    files.filter(({ project }) => project.name === name).sort((a, b) => placeOf(a) - placeOf(b)),
  )
}

/** A file of no name comes after those that have one. The sort keeps the order of such files. */
function placeOf({ moduleId }: PlacedFile): number {
  const place = LONG_FILES.findIndex((file) => moduleId.endsWith(`/${file}`))
  return place === -1 ? LONG_FILES.length : place
}
